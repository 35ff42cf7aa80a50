"""What goes wrong in a trial voids it, with the reason: nothing wrong is ever counted."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pymongo
import pytest

from harness.ledger import find_run
from harness.load_spec import ROOT
from tests.campaigns import meddling, small
from tests.harness.commands import harness

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analysis.records import TrialRecord

pytestmark = pytest.mark.real
HOME = ROOT / ".pressgauge"


def record_of(tmp_path: Path) -> TrialRecord:
    (record,) = find_run(tmp_path / "results/void/latest").records()
    return record


def codes(record: TrialRecord) -> set[str]:
    return {reason.code for reason in record.void}


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
