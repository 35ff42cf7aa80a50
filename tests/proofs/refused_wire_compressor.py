"""A wire compressor that a real server refuses voids the trial: `pytest tests/proofs/refused_wire_compressor.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.ledger.runs import find_run
from tests.campaigns import small
from tests.harness.commands import harness

if TYPE_CHECKING:
    from pathlib import Path

    from analysis.trial.records import TrialRecord

pytestmark = pytest.mark.real


def codes(record: TrialRecord) -> set[str]:
    """Why it is void."""
    return {reason.code for reason in record.void}


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
