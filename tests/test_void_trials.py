"""What goes wrong in a trial voids it, with the reason: nothing wrong is ever counted."""

from __future__ import annotations

import os
import signal
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pymongo
import pytest

from harness.ledger import find_run
from harness.load_spec import ROOT
from tests.campaigns import small
from tests.harness.commands import harness, left_running, start

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analysis.records import TrialRecord

pytestmark = pytest.mark.real
HOME = ROOT / ".pressgauge"
LONG = {"rmw": {"threads": 2, "warmup_s": 1, "measure_s": 6}}


def record_of(tmp_path: Path) -> TrialRecord:
    (record,) = find_run(tmp_path / "results/void/latest").records()
    return record


def codes(record: TrialRecord) -> set[str]:
    return {reason.code for reason in record.void}


@contextmanager
def meddling(tmp_path: Path, port: int) -> Iterator[tuple[Path, Path]]:
    """A trial on its way, handed over as its run phase begins (evidence folder, instance folder); then its end."""
    spec = small(tmp_path / "void.yaml", port, workloads=LONG)
    running = start("run", spec, "--results", tmp_path / "results", "--plain")
    trials = tmp_path / "results/void/latest/trials"
    deadline = time.monotonic() + 120
    while not list(trials.glob(".*.partial/rmw.status.log")):
        assert running.poll() is None, running.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.1)
    time.sleep(1.5)
    yield next(trials.glob(".*.partial")), HOME / f"instances/t{port}"
    out, err = running.communicate(timeout=120)
    assert "Traceback" not in out + err
    assert running.returncode in {3, 4}, out + err
    assert left_running(HOME) == []


def collection(port: int) -> pymongo.collection.Collection[dict[str, Any]]:
    """The collection under test, through the client's own connection string."""
    uri = (HOME / f"clients/t{port}/uri").read_text(encoding="utf-8")
    return pymongo.MongoClient[dict[str, Any]](uri)["pressgauge"]["usertable"]


def test_one_flipped_byte_in_one_document(tmp_path: Path) -> None:
    with meddling(tmp_path, 27304):
        documents = collection(27304)
        one = documents.find_one({})
        assert one is not None
        flipped = chr(ord(one["field7"][-1]) ^ 1)
        documents.update_one({"_id": one["_id"]}, {"$set": {"field7": one["field7"][:-1] + flipped}})
    record = record_of(tmp_path)
    assert "documents-altered" in codes(record)
    assert any(one["_id"] in reason.message for reason in record.void)


def test_a_lost_document(tmp_path: Path) -> None:
    with meddling(tmp_path, 27305):
        collection(27305).delete_one({})
    assert codes(record_of(tmp_path)) & {"documents-lost", "operations-failed"}


def test_a_mongod_that_dies(tmp_path: Path) -> None:
    with meddling(tmp_path, 27306) as (_, instance):
        pid = int(next(line for line in _pids(instance)))
        os.kill(pid, signal.SIGKILL)
    record = record_of(tmp_path)
    assert codes(record) & {"engine-failed", "client-failed"}
    assert record.phases  # what was measured before it died is kept, and shown


def test_the_wrong_compressor(tmp_path: Path) -> None:
    arms = {"snappy": {"block_compressor": "snappy", "collection_config": "block_compressor=zlib"}}
    spec = small(tmp_path / "void.yaml", 27307, arms=arms)
    assert harness("run", spec, "--results", tmp_path / "results", "--plain").code == 4
    record = record_of(tmp_path)
    assert codes(record) == {"compressor-mismatch"}
    assert "is zlib; asked was snappy" in record.void[0].message


def _pids(instance: Path) -> Iterator[str]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if str(instance).encode() in line and b"mongod" in line.split(b"\0")[0]:
            yield folder.name
