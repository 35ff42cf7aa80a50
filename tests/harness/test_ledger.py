"""Records appear whole or not at all; an unfinished run is found again; nobody shares a run."""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING

import pytest

from harness.errors import HostError, InputError
from harness.ledger import Ledger, file_digest, find_run, list_artefacts, open_run, read_record, write_whole
from tests.harness.factory import record

if TYPE_CHECKING:
    from pathlib import Path


def fresh(tmp_path: Path, spec: str = "a: 1\n", run_id: str = "r1", *, anew: bool = False) -> Ledger:
    return open_run(tmp_path, "quick", spec, run_id, anew=anew)


def test_a_record_appears_with_its_artefacts(tmp_path: Path) -> None:
    ledger = fresh(tmp_path)
    work = ledger.workspace("000-0-snappy")
    (work / "load.INSERT.hdr").write_text("x")
    assert ledger.records() == []
    one = record().model_copy(update={"artefacts": list_artefacts(work)})
    folder = ledger.commit(one, work)
    assert ledger.records() == [one]
    assert not work.exists()
    assert one.artefacts[0].blake3 == file_digest(folder / "load.INSERT.hdr")


def test_an_interrupted_trial_is_nothing_and_starts_from_scratch(tmp_path: Path) -> None:
    ledger = fresh(tmp_path)
    work = ledger.workspace("000-0-snappy")
    (work / "trial.json").write_text(record().model_dump_json())  # killed before the rename
    assert ledger.records() == []
    assert list(ledger.workspace("000-0-snappy").iterdir()) == []


def test_the_same_command_finds_the_unfinished_run(tmp_path: Path) -> None:
    first = fresh(tmp_path)
    assert fresh(tmp_path, run_id="r2").folder == first.folder.resolve()
    first.finish()
    assert fresh(tmp_path, run_id="r2").run_id == "r2"
    assert (tmp_path / "quick/latest").resolve().name == "r2"
    assert fresh(tmp_path, run_id="r3", anew=True).run_id == "r3"


def test_a_changed_spec_is_refused_with_the_difference(tmp_path: Path) -> None:
    fresh(tmp_path, "records: 1000\n")
    with pytest.raises(InputError) as caught:
        fresh(tmp_path, "records: 2000\n", "r2")
    assert "-records: 1000" in caught.value.what
    assert "+records: 2000" in caught.value.what
    assert "NEW=1" in caught.value.do


@pytest.mark.parametrize("damage", ["", "{", '{"format_version": 99}', "[]", "null", "\x00"])
def test_a_damaged_record_is_told(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "trial.json"
    path.write_text(damage)
    with pytest.raises(InputError, match=r"trial\.json"):
        read_record(path)


def test_no_run_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run is here"):
        find_run(tmp_path)


def _hold(folder: Path, ready: multiprocessing.synchronize.Event, done: multiprocessing.synchronize.Event) -> None:
    with Ledger(folder).locked():
        ready.set()
        done.wait(30)


def test_a_second_harness_is_told_who_holds_the_run(tmp_path: Path) -> None:
    ledger = fresh(tmp_path)
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(ledger.folder, ready, done))
    other.start()
    try:
        assert ready.wait(30)
        with pytest.raises(HostError, match=f"process {other.pid}"), ledger.locked():
            pytest.fail("two harnesses hold one run")
    finally:
        done.set()
        other.join(30)
    with ledger.locked():
        pass


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_whole(path, "old")
    write_whole(path, "new")
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]
