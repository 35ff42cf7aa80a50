"""Whether estimates tell what full loads of 20 times the sample come to, and what each document alone would.

    python -m tests.proofs.estimates RESULTS        eight collections, eight settings (an hour on two cores)
    python -m tests.proofs.estimates RESULTS --read the table of what is there

A full load is one connection's, into a collection with its index on `_id`; its storage is the file's size after the
two checkpoints at its end. The document-by-document estimate adds up what the codec makes of each document's JSON text.
"""

from __future__ import annotations

import json
import os
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from bson import BSON, json_util

from datasets.ratios import CODECS
from harness.hosts.playbooks import run_playbook
from harness.hosts.site import Site, find_site
from harness.plan.estimating import SAMPLE_BYTES, SAMPLE_DOCUMENTS, AllLoaded, Shape, estimate_vars, shapes
from harness.run.own_data.estimating import Wanted, estimate
from harness.spec.engines import WheelEngine
from harness.spec.load import ROOT
from tests.proofs.collections import KINDS, documents
from tests.proofs.tables import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ENGINE = WheelEngine(version="6.0.5")
PORT = 29217
HOME = Path(os.environ.get("PRESSGAUGE_HOME", ROOT / ".pressgauge"))
FULL_BYTES, FULL_DOCUMENTS = 20 * SAMPLE_BYTES, 20 * SAMPLE_DOCUMENTS
TRIED = {
    "none-32-128", "snappy-32-128", "zlib-6-32-128", "zstd-6-32-128", "zstd-15-32-128",
    "snappy-64-64", "zstd-6-32-32", "zstd-6-128-128",
}  # fmt: skip
_ALONE = 2000
_JSON = json_util.RELAXED_JSON_OPTIONS


def run(results: Path) -> None:
    """Estimate and load every collection that is not there yet."""
    site = find_site("local", HOME)
    for kind in KINDS:
        folder = results / kind.replace(" ", "-")
        if (folder / "found.json").exists():
            continue
        (folder / "full/mongod-0").mkdir(parents=True, exist_ok=True)
        source = folder / "documents.bson"
        with source.open("wb") as file:
            file.writelines(documents(kind, FULL_BYTES, most=FULL_DOCUMENTS, seed=7))
        found = estimate(Wanted(kind, source, ENGINE, port=PORT), site, folder, print)
        full = _full(site, folder / "full", source)
        content = {"estimate": found.model_dump(mode="json"), "full": full, "alone": _alone(source)}
        (folder / "found.json").write_text(json.dumps(content, indent=1))
        source.unlink()


def _full(site: Site, folder: Path, source: Path) -> dict[str, float]:
    """Bytes for each document by setting, of full loads. A checkpoint within a load would leave free space."""
    told = estimate_vars(ENGINE, folder, source, (), port=PORT, identity="proof")
    for mongod, found in zip(told["mongods"], shapes(ENGINE.version), strict=True):
        mongod["settings"]["sync_period_s"] = 3600
        mongod["loads"] = [
            {"name": shape.name, "config": shape.config, "times": 1, "indexes": "[]"} for shape in _tried(found)
        ]
    told["mongods"] = [mongod for mongod in told["mongods"] if mongod["loads"]]
    with site.locked():
        outcome = run_playbook("estimate.yml", site.inventory, site.variables() | {"estimate": told})
    assert outcome.ok, outcome.message
    every = [answer.parsed(AllLoaded) for answer in outcome.answers_of("mongod_loads")]
    return {one.name: one.storage_bytes / one.documents for loaded in every for one in loaded.loads}


def _tried(found: Sequence[Shape]) -> list[Shape]:
    return [shape for shape in found if shape.name in TRIED]


def _alone(source: Path) -> dict[str, float]:
    """Bytes for each document by codec, each document's JSON text compressed by itself."""
    with source.open("rb") as file:
        texts = [
            json_util.dumps(BSON(one).decode(), json_options=_JSON).encode() for one in islice(_each(file), _ALONE)
        ]
    return {
        name: float(np.mean([codec.compressed_bytes(text, codec.default_level) for text in texts]))
        for name, codec in CODECS.items()
    }


def _each(file: Any) -> Iterator[bytes]:
    while length := file.read(4):
        yield length + file.read(int.from_bytes(length, "little") - 4)


def lines(results: Path) -> Iterator[str]:
    """The table: the estimate's error in per cent with half the width of its interval, and the other one's error."""
    tried = [shape for found in shapes(ENGINE.version) for shape in _tried(found)]
    yield f"| collection | {' | '.join(shape.name for shape in tried)} | alone, the same | s |"
    yield f"|---|{'---|' * (len(tried) + 2)}"
    errors, covered, alone_errors, times = [], [], [], []
    for kind in KINDS:
        path = results / kind.replace(" ", "-") / "found.json"
        if not path.exists():
            continue
        found = json.loads(path.read_text())
        rows = {_name(row): row["storage_bytes_per_document"] for row in found["estimate"]["rows"]}
        cells, alone = [], []
        for shape in tried:
            true, told = found["full"][shape.name], rows[shape.name]
            errors.append(told["value"] / true - 1)
            covered.append(told["low"] <= true <= told["high"])
            cells.append(f"{errors[-1]:+.1%} ± {told['high'] / told['value'] - 1:.1%}{'' if covered[-1] else ' !'}")
            alone.append(found["alone"][shape.compressor] / true - 1)
        alone_errors += alone
        times.append(found["estimate"]["seconds"])
        yield f"| {kind} | {' | '.join(cells)} | {min(alone):+.0%} to {max(alone):+.0%} | {times[-1]:.0f} |"
    sizes, others = np.abs(errors), np.abs(alone_errors)
    yield (
        f"\nMedian error {np.median(sizes):.1%}, worst {sizes.max():.1%}; intervals cover {np.mean(covered):.0%} of "
        f"{len(errors)}. Compressing each document alone: median {np.median(others):.0%}, worst {others.max():.0%}."
    )


def _name(row: dict[str, Any]) -> str:
    return Shape(row["compressor"], row["level"], row["leaf_page_max"], row["memory_page_image_max"]).name


if __name__ == "__main__":
    show(__doc__, run, lines)
