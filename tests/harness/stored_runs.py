"""A run for a results store, and looking at what came of it."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

from harness.ledger.artefacts import RECORD_FILE, list_artefacts
from harness.ledger.ledger import SPEC_FILE, STATE_FILE, Ledger
from tests.harness.factory import record

if TYPE_CHECKING:
    from pathlib import Path

RUN = "20260101T000000Z"
PART = 8 * 2**20


def make_run(results: Path) -> Ledger:
    """A run of one trial, with text that packs, noise that doesn't, an empty file and a page for browsers."""
    folder = results / "quick" / RUN
    trial = folder / "trials/000-0-snappy"
    (trial / "diagnostic.data").mkdir(parents=True)
    (folder / "report").mkdir()
    (folder / SPEC_FILE).write_text("seed: 1\n")
    (folder / STATE_FILE).write_text(json.dumps({"campaign": "quick"}))
    (folder / "report/index.html").write_text("<p>answer</p>")
    (trial / "mongod.log").write_text("a line of a log\n" * 100_000)
    (trial / "empty").touch()
    (trial / "diagnostic.data/metrics").write_bytes(random.Random(1).randbytes(2 * PART + 12_345))
    (trial / RECORD_FILE).write_text(record().model_copy(update={"artefacts": list_artefacts(trial)}).model_dump_json())
    return Ledger(folder)


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a folder but locks."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
