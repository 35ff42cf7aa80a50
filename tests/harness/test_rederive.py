"""Records made anew: the same ones by the same reader; those of another reader are brought up to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from harness.errors import InputError
from harness.evidence.rederive import rederive
from harness.evidence.trial import CONTEXT_FILE
from harness.evidence.verify import evidence_faults
from harness.ledger.artefacts import RECORD_FILE
from tests.harness.recorded_trial import recorded_run

if TYPE_CHECKING:
    from pathlib import Path


def test_the_same_version_gives_the_same_records(tmp_path: Path) -> None:
    run = recorded_run(tmp_path)
    before = run.digests.entries()
    assert list(rederive(run)) == []
    assert run.digests.entries() == before


def test_a_record_of_another_reader_is_brought_up(tmp_path: Path) -> None:
    run = recorded_run(tmp_path)
    name = f"trials/0001-1-snappy/{RECORD_FILE}"
    ours = (run.folder / name).read_text(encoding="utf-8")
    theirs = json.loads(ours)
    theirs["phases"][1]["throughput_per_s"] = 1.0
    run.write(name, json.dumps(theirs))
    assert list(rederive(run)) == ["0001-1-snappy"]
    assert (run.folder / name).read_text(encoding="utf-8") == ours
    assert list(evidence_faults(run)) == []


def test_nothing_is_made_of_evidence_that_was_changed(tmp_path: Path) -> None:
    run = recorded_run(tmp_path)
    (run.folder / "trials/0001-1-snappy" / CONTEXT_FILE).write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=r"context\.json: 2 bytes"):
        list(rederive(run))
