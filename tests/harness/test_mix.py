"""A mix says what a mix is, and nothing else: what is read means the same to YCSB."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import InputError
from harness.plan.load.warming import WarmUp
from harness.plan.trial_vars import run_properties
from harness.spec.load import MIXES, load_campaign, read_mixes
from harness.spec.mixes.own import read_own_mix
from harness.spec.mixes.ycsb import Mix, find_mixes, mix_names, read_mix
from tests.campaigns import small
from tests.harness.commands import harness

if TYPE_CHECKING:
    from pathlib import Path

STOCK = """\
# Yahoo! Cloud System Benchmark
# Workload A: Update heavy workload
recordcount=1000
operationcount=1000
workload=site.ycsb.workloads.CoreWorkload

readallfields=true

readproportion=0.5
updateproportion=0.5
scanproportion=0
insertproportion=0

requestdistribution=zipfian
"""
"""YCSB's own `workloads/workloada`, but for the licence."""

GOOD = "readproportion=0.5\nupdateproportion=0\n"


def complaint(tmp_path: Path, text: str | bytes) -> str:
    path = tmp_path / "mine.properties"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as caught:
        read_mix(path)
    return caught.value.what


def own(folder: Path, text: str) -> Path:
    """A campaign, with a mix of its own beside it."""
    (folder / "ours.properties").write_text(text)
    workload = {"mix": "ours", "warmup_s": 0, "measure_s": None, "operations": 100}
    return small(folder / "mine.yaml", 27999, workloads={"reads": workload})


@pytest.mark.parametrize("name", mix_names([MIXES]))
def test_every_mix_that_ships_is_one(name: str) -> None:
    (file,) = find_mixes(name, [MIXES])
    assert (read_own_mix if file.suffix == ".yaml" else read_mix)(file).operations


def test_a_plain_mix_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.properties"
    path.write_bytes(b"# caf\xe9\r\n \t! x\\\r\n readproportion = 1\rupdateproportion=0.25\n\nexponential.frac=0.3\n"
                     b"maxscanlength=7\nwriteallfields=true\nrequestdistribution=hotspot")  # fmt: skip
    mix = read_mix(path)
    assert mix == Mix.model_validate(
        {
            "readproportion": 1.0, "updateproportion": 0.25, "exponential.frac": 0.3, "maxscanlength": 7,
            "writeallfields": True, "requestdistribution": "hotspot",
        }
    )  # fmt: skip


def test_a_stock_property_file_can_not_override_the_campaign(tmp_path: Path) -> None:
    told = complaint(tmp_path, STOCK)
    assert "mine.properties:3: recordcount: not a key of a mix: `records` of the campaign sets this" in told
    assert "mine.properties:4: operationcount: " in told
    assert "mine.properties:5: workload: " in told


@pytest.mark.parametrize(
    ("line", "where", "says"),
    [
        ("readpropotion=1", ":3: readpropotion", "did you mean 'readproportion'?"),
        ("exponential_frac=0.5", ":3: exponential_frac", "did you mean 'exponential.frac'?"),
        ("insertorder=ordered", ":3: insertorder", "unknown key; a mix has"),
        ("readproportion=0.5", ":3: readproportion", "given twice (first on line 1)"),
        ("scanproportion=1.5", ":3: scanproportion", "must be 1 or less (given: 1.5)"),
        ("scanproportion=-0.5", ":3: scanproportion", "(given: -0.5)"),
        ("scanproportion=NaN", ":3: scanproportion", "must be a number (given: NaN)"),
        ("scanproportion=0x1p-1", ":3: scanproportion", "must be a number"),
        ("maxscanlength=7.0", ":3: maxscanlength", "a whole number"),
        ("maxscanlength=0", ":3: maxscanlength", "1 or more"),
        ("maxscanlength=2\nminscanlength=3", ": minscanlength 3 is above maxscanlength 2", ""),
        ("readallfields=yes", ":3: readallfields", "must be true or false (given: yes)"),
        ("readallfields=1", ":3: readallfields", "true or false"),
        ("requestdistribution=sequential", ":3: requestdistribution", "'uniform', 'zipfian', 'latest'"),
        ("requestdistribution=Zipfian", ":3: requestdistribution", "'uniform', 'zipfian', 'latest'"),
        ("hotspotdatafraction=0", ":3: hotspotdatafraction", "more than 0"),
        ("scanproportion: 0.5", ":3: ", "'scanproportion: 0.5' is not `key=value`"),
        ("scanproportion 0.5", ":3: ", "is not `key=value`"),
        ("scanproportion=0.5 # half", ":3: ", "is not `key=value`"),
        ("requestdistribution=uniform ", ":3: ", "is not `key=value`"),
        ("scanproportion=0.\\\n5", ":3: ", "is not `key=value`"),
        ("scan\\u0070roportion=0.5", ":3: ", "is not `key=value`"),
        ("scanproportion=", ":3: ", "is not `key=value`"),
        ("scanproportion=0.5\x0b", ":3: ", "is not `key=value`"),
    ],
)
def test_a_fault_is_told_where_it_stands(tmp_path: Path, line: str, where: str, says: str) -> None:
    told = complaint(tmp_path, GOOD + line)
    assert f"mine.properties{where}" in told
    assert says in told


def test_what_ycsb_would_assume_has_to_be_said(tmp_path: Path) -> None:
    told = complaint(tmp_path, "readmodifywriteproportion=1\n")
    assert "readproportion: this key is required" in told
    assert "updateproportion: this key is required" in told
    assert "all proportions are 0" in complaint(tmp_path, "readproportion=0\nupdateproportion=0.0\n")


def test_a_file_beyond_bounds_is_refused(tmp_path: Path) -> None:
    assert "64 KiB" in complaint(tmp_path, "#" * 2**17)
    assert "… and 90 more" in complaint(tmp_path, "x\n" * 98)
    assert "mine.properties:1: " in complaint(tmp_path, b"\xef\xbb\xbf# a mark of its encoding\n" + GOOD.encode())


@given(text=st.text(alphabet="readpotin=0.15#!\\: \t\r\n\x0b\x85", max_size=60))
def test_any_text_is_read_or_told(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("mix") / "mine.properties"
    path.write_bytes((GOOD + text).encode("utf-8"))
    with contextlib.suppress(InputError):  # anything else is a defect
        read_mix(path)


def test_the_plan_refuses_a_mix_that_says_more(tmp_path: Path) -> None:
    ran = harness("plan", own(tmp_path, STOCK))
    assert ran.code == 2
    assert "ours.properties:3: recordcount: " in ran.err


def test_a_mix_beside_the_campaign_goes_before_ours(tmp_path: Path) -> None:
    path = small(tmp_path / "mine.yaml", 27999)
    assert read_mixes(load_campaign(path), path)["rmw"].properties()["readmodifywriteproportion"] == 1
    (tmp_path / "rmw.properties").write_text(GOOD)
    assert read_mixes(load_campaign(path), path)["rmw"].properties()["readmodifywriteproportion"] == 0


def test_a_mix_that_is_nowhere_is_told_with_what_there_is(tmp_path: Path) -> None:
    path = own(tmp_path, GOOD)
    (tmp_path / "ours.properties").rename(tmp_path / "others.properties")
    with pytest.raises(
        InputError, match=re.escape("workloads.reads.mix: no ours.properties or ours.mix.yaml in ")
    ) as caught:
        load_campaign(path)
    assert "did you mean 'others'?" in caught.value.what


def test_the_client_is_told_the_whole_mix_and_the_campaigns_bounds(tmp_path: Path) -> None:
    path = own(tmp_path, GOOD)
    campaign = load_campaign(path)
    told = run_properties(campaign.workloads["reads"], read_mixes(campaign, path)["reads"], 1, WarmUp())
    assert list(told) == [
        "readproportion", "updateproportion", "scanproportion", "insertproportion", "readmodifywriteproportion",
        "requestdistribution", "hotspotdatafraction", "hotspotopnfraction", "exponential.percentile",
        "exponential.frac", "maxscanlength", "minscanlength", "scanlengthdistribution", "readallfields",
        "writeallfields", "operationcount", "pressgauge.phase",
    ]  # fmt: skip
    assert (told["readproportion"], told["readallfields"], told["operationcount"]) == (0.5, True, 100)


def test_a_workloads_own_distribution_is_in_its_mix(tmp_path: Path) -> None:
    workload = {"mix": "a", "distribution": "latest"}
    path = small(tmp_path / "mine.yaml", 27999, workloads={"late": workload})
    assert read_mixes(load_campaign(path), path)["late"].distribution == "latest"
