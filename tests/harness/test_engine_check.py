"""A mongod that somebody has, checked: what it is asked, what counts as a difference, and the command's exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from analysis.trial.engine.time_series import SERIES
from analysis.trial.records import Compressor, Reason
from analysis.trial.settings import SETTINGS
from harness.cli.checking import _tell, _version_of
from harness.errors import Exit, InputError
from harness.evidence.engine_check import differences, known
from harness.ledger.ledger import Ledger
from harness.plan.written.engine_check import campaign_text
from harness.spec.campaign import Campaign
from harness.spec.load import load_campaign
from tests.analysis.ftdc_writer import file_of
from tests.harness.recorded_trial import TRIAL, read_recorded

if TYPE_CHECKING:
    from collections.abc import Callable

    from analysis.trial.records import TrialRecord

SNAPSHOT = "snapshot.loaded.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The evidence of a real trial, and diagnostic data that have every figure."""
    trial = tmp_path / "run/trials/0001-snappy"
    shutil.unpack_archive(TRIAL, trial)
    write_diagnostic_data(trial)
    return trial


def write_diagnostic_data(trial: Path, but: str = "") -> None:
    sample: dict[str, Any] = {"start": 1000}
    for series in SERIES:
        if series.name != but:
            for path in series.ways("6.0.5", "vda")[0]:
                inner = sample
                *above, last = path.split(".")
                for part in above:
                    inner = inner.setdefault(part, {})
                inner[last] = 1
    (trial / "diagnostic.data").mkdir(exist_ok=True)
    (trial / "diagnostic.data/metrics.1").write_bytes(file_of([sample, sample | {"start": 2000}]))


def changed(trial: Path, change: Callable[[dict[str, Any]], object]) -> list[str]:
    """What differs after a change to the server's WiredTiger statistics."""
    told = json.loads((trial / SNAPSHOT).read_text())
    change(told["counters_after_checkpoint"]["server_status"]["wiredTiger"])
    (trial / SNAPSHOT).write_text(json.dumps(told))
    return list(differences(read_recorded(trial), trial))


@pytest.mark.parametrize("version", ["4.4.2", "5.0.4", "6.0.27", "7.0.14", "8.0.10", "9.0.2"])
def test_each_compressor_and_setting_is_asked_for(version: str, tmp_path: Path) -> None:
    path = tmp_path / "check-engine.yaml"
    path.write_text(campaign_text(Path("/opt/a mongod/ä"), version), encoding="utf-8")
    spec = load_campaign(path)
    assert {arm.block_compressor for arm in spec.arms.values()} == set(Compressor)
    of_servers = {one.arm for one in SETTINGS if one.arm and not one.by_clients}
    asked = {key for key in of_servers if any(getattr(arm, key) is not None for arm in spec.arms.values())}
    wanted = of_servers - {"cache_size", "cpu_limit", "oplog_size"}  # the first two are any mongod's, the last a set's
    assert asked == wanted - ({"zstd_level"} if version < "5.0" else set())


def test_an_engine_that_is_as_known_differs_in_nothing(folder: Path) -> None:
    record = read_recorded(folder)
    assert list(differences(record, folder)) == []
    lines = list(known([record], "6.0.5"))
    assert "block compressor" in lines[1]
    assert len(lines) == 2
    assert "nobody has looked up" in list(known([record], "9.0.2"))[2]


def test_a_counter_that_is_missing(folder: Path) -> None:
    found = changed(folder, lambda told: told["cache"].pop("pages written from cache"))
    assert found == [
        "the trial is void: mongod 6.0.5 has no cache.pages written from cache",
        "pages_written: “cache.pages written from cache” is missing",
    ]


def test_counters_of_a_wire_compressor_that_is_not_offered_are_not_missing(folder: Path) -> None:
    told = json.loads((folder / SNAPSHOT).read_text())
    del told["counters_after_checkpoint"]["server_status"]["network"]["compression"]["zstd"]
    (folder / SNAPSHOT).write_text(json.dumps(told))
    write_diagnostic_data(folder, but="wire_zstd_in_bytes")
    assert list(differences(read_recorded(folder), folder)) == []


def test_a_counter_that_another_release_has_elsewhere(folder: Path) -> None:
    def rename(told: dict[str, Any]) -> None:
        told["cache"]["application thread time evicting (usecs)"] = told["thread-yield"].pop(
            "application thread time evicting (usecs)"
        )

    (found,) = changed(folder, rename)
    name = "application thread time evicting (usecs)"
    assert found == f"app_evict_time: it is “cache.{name}”; “thread-yield.{name}” was expected"


def test_a_counter_that_is_there_twice(folder: Path) -> None:
    (found,) = changed(folder, lambda told: told.update(checkpoint={"total time (msecs)": 1}))
    assert found.startswith("checkpoint_time: there is “checkpoint.total time (msecs)” beside “transaction.")


def test_diagnostic_data_that_lack_a_figure_or_are_damaged(folder: Path) -> None:
    record = read_recorded(folder)
    write_diagnostic_data(folder, but="mongod_user_cpu_s")
    assert list(differences(record, folder)) == [
        "mongod_user_cpu_s: the diagnostic data have no serverStatus.extra_info.user_time_us"
    ]
    (folder / "diagnostic.data/metrics.1").write_bytes(b"\x05\x00\x00\x00\x01")
    (found,) = differences(record, folder)
    assert found.startswith("its evidence can't be read: FtdcError")
    shutil.rmtree(folder / "diagnostic.data")
    (found,) = differences(record, folder)
    assert found.startswith("its evidence can't be read: ")


def test_options_of_a_collection_that_nobody_knows(folder: Path) -> None:
    told = json.loads((folder / "in_force.json").read_text())
    told["creation_string"] += ",a_new_one=1"
    (folder / "in_force.json").write_text(json.dumps(told))
    assert list(differences(read_recorded(folder), folder)) == [
        "a collection has options that are not known: a_new_one"
    ]


def test_flags_count_where_they_are_the_engines(folder: Path) -> None:
    record = read_recorded(folder)
    flags = (Reason(code="not-steady", message="a"), Reason(code="allocator-unlike-packages", message="b"))
    assert list(differences(record.model_copy(update={"flags": flags}), folder)) == ["b"]


def told(record: TrialRecord, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Exit, str]:
    code = _tell("6.0.5", [record.model_copy(update={"trial": folder.name})], Ledger(folder.parents[1]))
    return code, capsys.readouterr().out


def test_the_exit_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = read_recorded(folder)
    code, said = told(record, folder, capsys)
    assert (code, "all is as known" in said) == (Exit.FINE, True)
    write_diagnostic_data(folder, but="inserts")
    code, said = told(record, folder, capsys)
    assert (code, "differs: inserts: the diagnostic data" in said) == (Exit.GATE_FAILED, True)
    void = record.model_copy(update={"void": (Reason(code="x", message="y"),)})
    code, said = told(void, folder, capsys)
    assert (code, "differs: the trial is void: y" in said) == (Exit.INCOMPLETE, True)


def test_a_program_that_is_no_mongod_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "mongod"
    for content, said in (
        ("#!/bin/sh\necho hello\n", "hello"),
        ("#!/bin/sh\n", "it said nothing"),
        ("#!/no/such\n", "runs here"),
    ):
        script.write_text(content)
        script.chmod(0o755)
        with pytest.raises(InputError, match=said):
            _version_of(script)
    with pytest.raises(InputError, match="runs here"):
        _version_of(tmp_path / "none")
    script.write_text("#!/bin/sh\necho db version v9.0.2\necho Build Info\n")
    assert _version_of(script) == "9.0.2"


def test_the_campaign_is_of_a_binary(tmp_path: Path) -> None:
    spec = Campaign.model_validate(
        yaml.safe_load(campaign_text(tmp_path / "mongod", "8.0.4")) | {"name": "x"}, strict=False
    )
    assert spec.engines["mongod"].source == "binary"
