"""Every reader of files that others may have made or damaged: its real files, and the errors it may raise."""

from __future__ import annotations

import gzip
import json
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import bson

from analysis.trial.engine import ftdc
from analysis.trial.records import TrialRecord
from datasets import DatasetError
from datasets.collections import take_sample
from datasets.recordings import prepare_traffic
from harness.cli.gating import read_side, read_tolerances
from harness.errors import InputError
from harness.ledger.artefacts import read_record
from harness.ledger.ledger import STATE_FILE
from harness.ledger.run_state import read_run_state
from harness.run.canary_book import FILE as CANARIES
from harness.run.canary_book import read_canaries
from harness.spec.load import ROOT, load_campaign
from harness.spec.mixes.own import read_own_mix
from harness.spec.mixes.ycsb import read_mix
from tests.datasets.dumps import METADATA, archive
from tests.fuzz import recorded_run
from tests.harness.recorded_trial import TRIAL, read_recorded
from tests.harness.test_own_mix import SHOP
from workloads import YcsbOutputError, read_interval_log
from workloads.client_file import read_client_file
from workloads.ycsb_status import read_status_line

if TYPE_CHECKING:
    from collections.abc import Callable

TESTS = ROOT / "tests"
EVIDENCE = (
    "in_force.json",
    "snapshot.loaded.json",
    "rmw.client.json",
    "rmw.process.json",
    "verify.json",
    "stop.json",
)
_TOLERANCES = b"""\
percent: 5
drift_percent: 8
metrics:
  rmw.p99: {percent: 20, regression: higher}
  "*.throughput": {percent: 10, drift_percent: 12.5}
  compression_ratio: {check: false}
"""
WANTED = ("serverStatus.opcounters.insert", "serverStatus.wiredTiger.*", "systemMetrics.*")


@dataclass(frozen=True)
class Reader:
    """A reader of a file."""

    seeds: tuple[bytes, ...]
    """Contents of real files."""
    read: Callable[[Path], object]
    errors: type[Exception] | tuple[()] = ()
    """What it raises for a file that is none of its kind; nothing else is allowed."""
    name: str = "file"
    """How the file has to be called."""
    slow: bool = False
    """It does a whole command's work, and is tried less often."""


def _contents(*patterns: str) -> tuple[bytes, ...]:
    """The recorded files that match, below tests/."""
    found = tuple(path.read_bytes() for pattern in patterns for path in sorted(TESTS.glob(pattern)))
    assert found, patterns
    return found


def _read_status(path: Path) -> object:
    return [read_status_line(line) for line in path.read_text("utf-8", errors="replace").splitlines()]


@cache
def _recorded_trial() -> TemporaryDirectory[str]:
    """A real trial's evidence; unpacked once, gone with the process."""
    folder = TemporaryDirectory(prefix="pressgauge-fuzz-")
    shutil.unpack_archive(TRIAL, folder.name)
    return folder


def _read_evidence(path: Path) -> object:
    """The record of the trial with this file in the place of its own; the ledger must be able to read it again."""
    place = Path(_recorded_trial().name, path.name)
    whole = place.read_bytes()
    try:
        place.write_bytes(path.read_bytes())
        record = read_recorded(place.parent)
    finally:
        place.write_bytes(whole)
    return TrialRecord.model_validate_json(record.model_dump_json())


def _evidence(name: str) -> Reader:
    return Reader((Path(_recorded_trial().name, name).read_bytes(),), _read_evidence, name=name)


def _of_run(name: str) -> Reader:
    return Reader((recorded_run.seed(name),), recorded_run.read_with, InputError, name, slow=True)


def _sampled(path: Path) -> object:
    with TemporaryDirectory() as folder:
        return take_sample(path, Path(folder, "sample"), most_bytes=2**20, seed=1).manifest


def _prepared(path: Path) -> object:
    with TemporaryDirectory() as folder:
        return prepare_traffic(path, None, Path(folder)).count


def _beside_documents(path: Path) -> object:
    path.with_name("a.bson").write_bytes(_DOCUMENTS[0])
    return _sampled(path.with_name("a.bson"))


def _sample_again(path: Path) -> object:
    path.with_name("documents.bson").write_bytes(b"".join(_DOCUMENTS))
    return _sampled(path.parent)


def _sample_manifest() -> bytes:
    with TemporaryDirectory() as folder:
        source = Path(folder, "a.bson")
        source.write_bytes(b"".join(_DOCUMENTS))
        return (
            take_sample(source, Path(folder, "sample"), most_bytes=2**20, seed=1).folder / "manifest.json"
        ).read_bytes()


_DOCUMENTS = tuple(bson.encode({"_id": n, "a": {"b": [n, "text", None, 1.5, b"\x00"]}}) for n in range(3))
_LINES = b'{"a": {"$numberLong": "5"}, "b": ["\\u00e4", null, 1.5e3]}\n{"_id": {"$oid": "65a000000000000000000001"}}\n'
_ARRAY = b'[\n {"a": {"$date": "2023-11-14T22:13:20.123Z"}},\n {"b": {"$binary": {"base64": "AA==", "subType": "00"}}}]'
READERS = {
    "json-documents": Reader((_LINES, _ARRAY, gzip.compress(_LINES)), _sampled, DatasetError),
    "bson-documents": Reader((b"".join(_DOCUMENTS), gzip.compress(b"".join(_DOCUMENTS))), _sampled, DatasetError),
    "archive": Reader((archive({"a.b": _DOCUMENTS}),), _sampled, DatasetError),
    "recording": Reader(_contents("datasets/recorded/few.traffic.gz"), _prepared, DatasetError),
    "recorded-profile": Reader(_contents("datasets/recorded/few.profile.bson.gz"), _prepared, DatasetError),
    "unpacked-recording": Reader(
        tuple(map(gzip.decompress, _contents("datasets/recorded/few.traffic.gz"))), _prepared, DatasetError
    ),
    "dump-metadata": Reader((json.dumps(METADATA).encode(),), _beside_documents, DatasetError, "a.metadata.json"),
    "sample-manifest": Reader((_sample_manifest(),), _sample_again, DatasetError, "manifest.json"),
    "spec": Reader(
        tuple(path.read_bytes() for path in sorted((ROOT / "campaigns").glob("*.yaml"))), load_campaign, InputError
    ),
    "mix": Reader(
        tuple(path.read_bytes() for path in sorted((ROOT / "workloads").glob("*.properties"))), read_mix, InputError
    ),
    "own-mix": Reader((SHOP.encode(),), read_own_mix, InputError),
    "status": Reader(_contents("workloads/recorded/*.status.log"), _read_status),
    "client-account": Reader(_contents("harness/recorded/*.client.json"), read_client_file, YcsbOutputError),
    "interval-log": Reader(_contents("*/recorded/*.hdr"), read_interval_log, YcsbOutputError),
    "ftdc": Reader(
        _contents("analysis/recorded/ftdc/*/metrics.*"),
        lambda path: ftdc.read([(path.name, path.read_bytes())], WANTED),
        ftdc.FtdcError,
    ),
    "record": Reader(_contents("harness/recorded/records/*.json"), read_record, InputError),
    "canaries": Reader(
        _contents("harness/recorded/canaries.json"), lambda path: read_canaries(path.parent), InputError, CANARIES
    ),
    "baseline": Reader((recorded_run.baseline(),), read_side, InputError),
    "gate": Reader(
        (recorded_run.baseline().replace(b"20260101T", b"20250101T"),),
        recorded_run.hold_gate_with,
        InputError,
        slow=True,
    ),
    "tolerances": Reader((_TOLERANCES,), read_tolerances, InputError),
    **{f"whole-{name.partition('.')[0]}": _of_run(name) for name in recorded_run.FILES},
    **{
        name.partition(".")[0]: Reader((recorded_run.seed(name),), recorded_run.read_beside, name=name)
        for name in recorded_run.BESIDE
    },
    "run-state": Reader((recorded_run.seed(STATE_FILE),), read_run_state, InputError),
    **{f"evidence-{name.removesuffix('.json')}": _evidence(name) for name in EVIDENCE},
}
