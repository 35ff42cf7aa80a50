"""What goes wrong in a trial voids it, with the reason: nothing wrong is ever counted."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.ledger.runs import find_run
from tests.campaigns import collection, meddling, small
from tests.harness.commands import HOME, harness
from workloads.ycsb_status import read_status_line

if TYPE_CHECKING:
    from analysis.trial.records import TrialRecord

pytestmark = pytest.mark.real
MEDDLERS = Path(__file__).parent / "meddlers"


def record_of(tmp_path: Path) -> TrialRecord:
    (record,) = find_run(tmp_path / "results/void/latest").records()
    return record


def codes(record: TrialRecord) -> set[str]:
    return {reason.code for reason in record.void}


def test_one_flipped_byte_a_lost_document_and_standstills_of_mongod_and_client(tmp_path: Path) -> None:
    """Every reason is told, not just the first."""
    with meddling(tmp_path, 27304, mix="read", measure_s=14) as (evidence, instance):  # mends no document by writing it
        mongod = _pid(instance / "mongod.pid")
        os.kill(mongod, signal.SIGSTOP)
        try:
            _await_empty_counts(evidence / "rmw.status.log", 5)
        finally:
            os.kill(mongod, signal.SIGCONT)
        documents = collection(27304)
        lost, one = documents.find({}).limit(2)
        documents.delete_one({"_id": lost["_id"]})
        flipped = chr(ord(one["field7"][-1]) ^ 1)
        documents.update_one({"_id": one["_id"]}, {"$set": {"field7": one["field7"][:-1] + flipped}})
        client = _pid(HOME / "clients/t27304/client.pid")
        os.kill(client, signal.SIGSTOP)
        time.sleep(6)
        os.kill(client, signal.SIGCONT)
    record = record_of(tmp_path)
    assert {"documents-altered", "documents-lost", "client-stood-still"} <= codes(record)
    (flag,) = (reason for reason in record.flags if reason.code == "stalled")
    assert re.match(r"rmw: the database acknowledged nothing for [3-9] s, from second \d+ of", flag.message)
    assert all(any(document["_id"] in reason.message for reason in record.void) for document in (lost, one))


def test_a_mongod_that_dies(tmp_path: Path) -> None:
    with meddling(tmp_path, 27306) as (_, instance):
        os.kill(_pid(instance / "mongod.pid"), signal.SIGKILL)
    record = record_of(tmp_path)
    assert codes(record) & {"engine-failed", "client-failed"}
    assert record.phases  # what was measured before it died is kept, and shown


def test_a_client_thread_that_dies(tmp_path: Path) -> None:
    classes = tmp_path / "classes"
    manifest = tmp_path / "manifest"
    manifest.write_text("Agent-Class: ThreadStopper\n", encoding="utf-8")
    _command("javac", "-nowarn", "-d", classes, MEDDLERS / "ThreadStopper.java")
    _command("jar", "--create", "--file", tmp_path / "stopper.jar", "--manifest", manifest, "-C", classes, ".")
    with meddling(tmp_path, 27308):
        _command("jcmd", _pid(HOME / "clients/t27308/client.pid"), "JVMTI.agent_load", tmp_path / "stopper.jar")
    (reason,) = record_of(tmp_path).void
    assert reason.code == "client-failed"
    assert "died: ThreadDeath" in reason.message


def test_dropped_connections(tmp_path: Path) -> None:
    with meddling(tmp_path, 27309):
        for _ in range(10):  # one that is cut while no operation uses it is opened again, and nothing is lost
            _command("ss", "-K", "-tn", "sport", "=", ":27309")
            time.sleep(0.1)
    record = record_of(tmp_path)
    # A thread gives up after five in a row; a client that ends with such a thread has failed.
    assert codes(record) & {"connection-lost", "client-thread-died", "client-failed"}
    assert any("CONNECTION_LOST" in reason.message for reason in record.void)


def test_the_wrong_compressor(tmp_path: Path) -> None:
    arms = {"snappy": {"block_compressor": "snappy", "collection_config": "block_compressor=zlib"}}
    spec = small(tmp_path / "void.yaml", 27307, arms=arms)
    assert harness("run", spec, "--results", tmp_path / "results", "--plain").code == 4
    record = record_of(tmp_path)
    assert codes(record) == {"compressor-mismatch"}
    assert "is zlib; expected snappy" in record.void[0].message


def test_a_wire_compressor_that_the_server_refuses(engine: Path, tmp_path: Path) -> None:
    """The server offers another one than it was told to; the arm that asks for that one is right by chance."""
    meddled = tmp_path / "mongod"
    meddled.write_text(f'#!/bin/sh\nexec {engine} "$@" --networkMessageCompressors snappy\n', encoding="utf-8")
    meddled.chmod(0o755)
    arms = {
        name: {"block_compressor": "snappy", "connection": {"compressors": name}} for name in ("none", "snappy", "zstd")
    }
    engines = {"meddled": {"source": "binary", "version": "6.0.5", "path": str(meddled)}}
    spec = small(tmp_path / "void.yaml", 27330, arms=arms, engines=engines)
    assert harness("run", spec, "--results", tmp_path / "results", "--plain").code == 4
    found = {record.cell.arm: record for record in find_run(tmp_path / "results/void/latest").records()}
    assert {arm: codes(record) for arm, record in found.items()} == {
        "none": {"wire-compressor-mismatch"},
        "snappy": set(),
        "zstd": {"wire-compressor-mismatch", "wire-compressor-unused"},
    }
    said = [reason.message for reason in found["zstd"].void]
    assert said[0] == "what mongod offers as wire compressor is snappy; expected zstd"
    assert all("refused it" in message for message in said[1:])
    assert len(said) == 3, "the load and the read-modify-writes, each"
    counters = found["snappy"].phases[1].counters
    assert (counters["wire_in"] or 0) > (counters["wire_snappy_in"] or 0) > 0
    assert (counters["wire_out"] or 0) > (counters["wire_snappy_out"] or 0) > 0


def _await_empty_counts(status_log: Path, seconds: int) -> None:
    """Return when the client's last so many status lines, one a second, tell of no operation."""
    deadline = time.monotonic() + 120
    while True:
        lines = status_log.read_text(encoding="utf-8", errors="replace").splitlines()
        told = [status for status in map(read_status_line, lines) if status][-seconds:]
        if len(told) == seconds and not any(status.current_ops_per_s for status in told):
            return
        assert time.monotonic() < deadline, told
        time.sleep(0.1)


def _pid(file: Path) -> int:
    """The process that an instance's or a client's pid file names."""
    return int(json.loads(file.read_text(encoding="utf-8"))["pid"])


def _command(*words: object) -> None:
    subprocess.run([str(word) for word in words], check=True, capture_output=True, timeout=600)
