"""`verify` finds every bit that is not as recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.ledger import Ledger, open_run
from harness.verify import faults
from tests.harness.factory import record

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def run(tmp_path: Path) -> Ledger:
    ledger = open_run(tmp_path, "quick", "a: 1\n", "r1", anew=False)
    work = ledger.workspace("000-0-snappy")
    (work / "diagnostic.data").mkdir()
    (work / "diagnostic.data/metrics.1").write_bytes(b"0123456789")
    ledger.commit(record(), work)
    return ledger


def test_a_whole_run_has_no_faults(run: Ledger) -> None:
    assert list(faults(run)) == []


def test_one_flipped_bit_is_found(run: Ledger) -> None:
    path = run.trials_folder / "000-0-snappy/diagnostic.data/metrics.1"
    path.write_bytes(b"0123456788")
    assert [fault.partition(": ")[2] for fault in faults(run)] == ["its content changed since it was recorded"]


def test_missing_surplus_and_cut_files_are_found(run: Ledger) -> None:
    folder = run.trials_folder / "000-0-snappy"
    (folder / "stray").touch()
    (folder / "diagnostic.data/metrics.1").write_bytes(b"01234")
    assert sorted(fault.partition(": ")[2] for fault in faults(run)) == [
        "5 bytes, 10 when recorded",
        "the record does not name it",
    ]
    (folder / "diagnostic.data/metrics.1").unlink()
    assert any(fault.endswith("missing") for fault in faults(run))


def test_a_damaged_record_is_a_fault(run: Ledger) -> None:
    (run.trials_folder / "000-0-snappy/trial.json").write_text("{")
    assert len(list(faults(run))) == 1
