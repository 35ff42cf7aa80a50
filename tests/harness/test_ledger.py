"""Records appear whole or not at all; an unfinished run is found again; nobody shares a run."""

from __future__ import annotations

import json
import multiprocessing
import random
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

from analysis.trial.engine import ftdc
from analysis.trial.records import Reason, TrialRecord
from core.stored import read_stored, stored_names
from harness.errors import HostError, InputError
from harness.ledger.artefacts import file_digest, list_artefacts, read_record
from harness.ledger.ledger import Ledger, write_whole
from harness.ledger.runs import find_run, open_run
from tests.harness.factory import record
from workloads import read_interval_log

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

RECORDED = Path(__file__).parent / "recorded"
FTDC = RECORDED.parents[1] / "analysis/recorded/ftdc/6.0.5"


def fresh(tmp_path: Path, spec: str = "a: 1\n", run_id: str = "r1", *, anew: bool = False) -> Ledger:
    return open_run(tmp_path, "quick", spec, run_id, anew=anew)


def test_a_record_appears_with_its_artefacts(tmp_path: Path) -> None:
    ledger = fresh(tmp_path)
    work = ledger.workspace("000-0-snappy")
    (work / "load.INSERT.hdr").write_text("x")
    assert ledger.records() == []
    folder = ledger.commit(record(), work)
    (one,) = ledger.records()
    assert one == record().model_copy(update={"artefacts": list_artefacts(folder)})
    assert not work.exists()
    assert [artefact.path for artefact in one.artefacts] == ["load.INSERT.hdr"]
    assert one.artefacts[0].blake3 == file_digest(folder / "load.INSERT.hdr")


def test_a_record_is_parsed_once_and_anew_where_it_changed(tmp_path: Path) -> None:
    ledger = fresh(tmp_path)
    folder = ledger.commit(record(), ledger.workspace("000-0-snappy"))
    (one,), (again,) = ledger.records(), ledger.records()
    assert one is again
    changed = one.model_copy(update={"attempt": 2})
    (folder / "trial.json").write_text(changed.model_dump_json())
    assert ledger.records() == [changed]


def test_large_artefacts_are_kept_compressed_and_read_as_before(tmp_path: Path) -> None:
    ledger = fresh(tmp_path)
    work = ledger.workspace("000-0-snappy")
    shutil.copytree(FTDC, work / "diagnostic.data")
    (work / "mongod.log").write_text("the same line\n" * 5000)
    (work / "noise").write_bytes(random.Random(1).randbytes(9000))  # gains nothing
    log = RECORDED.parents[1] / "workloads/recorded/rmw.READ-MODIFY-WRITE.hdr"
    shutil.copy(log, work)
    before = read(FTDC)
    folder = ledger.commit(record(), work)
    (one,) = ledger.records()
    (metrics,) = (path.name for path in FTDC.glob("metrics.*"))
    kept = {artefact.path for artefact in one.artefacts}
    assert kept >= {"mongod.log.zst", "noise", f"{log.name}.zst", f"diagnostic.data/{metrics}.zst"}
    assert list_artefacts(folder) == one.artefacts
    assert read_stored(folder / "mongod.log").startswith(b"the same line\n")
    assert read_interval_log(folder / log.name) == read_interval_log(log)
    assert read(folder / "diagnostic.data").values.keys() == before.values.keys()


def read(folder: Path) -> ftdc.Samples:
    """An instance's diagnostic data, however it is kept."""
    names = ftdc.in_order(stored_names(folder))
    return ftdc.read([(name, read_stored(folder / name)) for name in names], ["serverStatus.opcounters.*"])


@pytest.mark.parametrize("path", sorted((RECORDED / "records").glob("*.json")), ids=lambda path: path.stem)
def test_records_of_every_format_version_are_read(path: Path) -> None:
    """Files that earlier versions of Pressgauge wrote; a new format version adds one and keeps these readable."""
    one = read_record(path)
    assert f"v{json.loads(path.read_bytes())['format_version']}" == path.stem.partition("-")[0]
    assert one.counts is (path.stem.partition("-")[2] == "counting")
    assert TrialRecord.model_validate_json(one.model_dump_json()) == one


def test_every_format_version_has_its_recorded_files() -> None:
    known = get_args(TrialRecord.model_fields["format_version"].annotation)
    assert {path.stem.partition("-")[0] for path in (RECORDED / "records").glob("*.json")} == {f"v{n}" for n in known}


def test_an_interrupted_trial_is_nothing_and_starts_from_scratch(tmp_path: Path) -> None:
    ledger = fresh(tmp_path)
    work = ledger.workspace("000-0-snappy")
    (work / "trial.json").write_text(record().model_dump_json())  # killed before the rename
    assert ledger.records() == []
    assert list(ledger.workspace("000-0-snappy").iterdir()) == []


def test_what_a_killed_harness_left_half_made_goes(tmp_path: Path) -> None:
    ledger = fresh(tmp_path)
    ledger.commit(record(), ledger.workspace("000-0-snappy"))
    ledger.report_folder.mkdir()
    whole = sorted(tmp_path.rglob("*"))
    ledger.workspace("001-0-zstd")
    (ledger.folder / ".canaries.json.77.tmp").touch()
    (ledger.report_folder / ".index.html.77.tmp").touch()
    ledger.sweep()
    assert sorted(tmp_path.rglob("*")) == whole


def test_killed_while_a_run_begins(tmp_path: Path) -> None:
    """Its folder half-made, or whole but not yet under its name: the next command begins in its place."""
    home = tmp_path / "quick"
    (home / ".new/trials").mkdir(parents=True)
    (home / ".latest").symlink_to("r0")
    (home / "latest").symlink_to("r0")
    ledger = fresh(tmp_path)
    assert {path.name for path in home.iterdir()} == {"r1", "latest", ".lock"}
    assert (home / "latest").resolve() == ledger.folder


def test_the_same_command_finds_the_unfinished_run(tmp_path: Path) -> None:
    first = fresh(tmp_path)
    assert fresh(tmp_path, run_id="r2").folder == first.folder.resolve()
    first.finish()
    assert fresh(tmp_path, run_id="r2").run_id == "r2"
    assert (tmp_path / "quick/latest").resolve().name == "r2"
    assert fresh(tmp_path, run_id="r3", anew=True).run_id == "r3"


def test_a_mended_spec_begins_a_new_run_where_no_trial_counts(tmp_path: Path) -> None:
    """So that the same command goes on, as was promised."""
    before = fresh(tmp_path, "records: 1000\n")
    failed = record(void=(Reason(code="spec-failed", message="mongod refused create"),))
    before.commit(failed, before.workspace(failed.trial))
    assert fresh(tmp_path, "records: 1000\n", "r2").folder == before.folder
    assert fresh(tmp_path, "records: 2000\n", "r2").run_id == "r2"
    assert before.records(), "what it has stays"


def test_a_changed_spec_is_refused_with_the_difference(tmp_path: Path) -> None:
    begun = fresh(tmp_path, "records: 1000\n")
    begun.commit(record(), begun.workspace(record().trial))
    with pytest.raises(InputError) as caught:
        fresh(tmp_path, "records: 2000\n", "r2")
    assert "-records: 1000" in caught.value.what
    assert "+records: 2000" in caught.value.what
    assert "NEW=1" in caught.value.do


def test_a_run_is_resumed_on_its_own_platforms_alone(tmp_path: Path) -> None:
    ledger = fresh(tmp_path)
    assert list(ledger.platforms) == [""]
    ledger.keep_platforms(["large", "small"])
    ledger.keep_platforms(["large", "small"])
    assert list(ledger.platforms) == ["large", "small"]
    with pytest.raises(InputError, match=r"began on large, small; the inventory has no named platform"):
        ledger.keep_platforms([""])


@pytest.mark.parametrize("damage", ["", "{", '{"format_version": 99}', "[]", "null", "\x00"])
def test_a_damaged_record_is_told(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "trial.json"
    path.write_text(damage)
    with pytest.raises(InputError, match=r"trial\.json"):
        read_record(path)


def test_no_run_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run is here"):
        find_run(tmp_path)


def _hold(folder: Path, line: Connection) -> None:
    with Ledger(folder).locked():
        line.send("held")
        with suppress(EOFError):  # the other end is closed when it is time to go
            line.recv()


def test_a_second_harness_is_told_who_holds_the_run(tmp_path: Path) -> None:
    ledger = fresh(tmp_path)
    context = multiprocessing.get_context("spawn")
    line, of_other = context.Pipe()
    other = context.Process(target=_hold, args=(ledger.folder, of_other))
    other.start()
    of_other.close()  # so that the line ends when the other process does
    try:
        assert line.recv() == "held"
        with pytest.raises(HostError, match=f"process {other.pid}"), ledger.locked():
            pytest.fail("two harnesses hold one run")
    finally:
        line.close()
        other.join()
    with ledger.locked():
        pass


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    ledger, theirs = fresh(tmp_path), tmp_path / "theirs"
    theirs.write_text("not ours")
    (ledger.folder / ".lock").symlink_to(theirs)
    with pytest.raises(OSError, match="symbolic link"), ledger.locked():
        pytest.fail("a link was followed")
    assert theirs.read_text() == "not ours"


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_whole(path, "old")
    write_whole(path, "new")
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]
