"""The property files that come with YCSB 0.17.0, by their keys: imported they run as they say, or are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from harness.errors import InputError
from harness.spec.load import load_campaign, read_mixes
from harness.spec.mixes.ycsb import Mix
from harness.spec.mixes.ycsb_import import import_ycsb
from tests.harness.commands import harness

if TYPE_CHECKING:
    from pathlib import Path

    from harness.spec.campaign import Campaign

CORE = "recordcount=1000\noperationcount=1000\nworkload=site.ycsb.workloads.CoreWorkload\nreadallfields=true\n"


def shares(read: float, update: float, scan: float, insert: float) -> str:
    return f"readproportion={read}\nupdateproportion={update}\nscanproportion={scan}\ninsertproportion={insert}\n"


STOCK = {
    "workloada": f"{CORE}{shares(0.5, 0.5, 0, 0)}requestdistribution=zipfian\n",
    "workloadb": f"{CORE}{shares(0.95, 0.05, 0, 0)}requestdistribution=zipfian\n",
    "workloadc": f"{CORE}{shares(1, 0, 0, 0)}requestdistribution=zipfian\n",
    "workloadd": f"{CORE}{shares(0.95, 0, 0, 0.05)}requestdistribution=latest\n",
    "workloade": f"{CORE}{shares(0, 0, 0.95, 0.05)}requestdistribution=zipfian\nmaxscanlength=100\n"
    "scanlengthdistribution=uniform\n",
    "workloadf": f"{CORE}{shares(0.5, 0, 0, 0)}readmodifywriteproportion=0.5\nrequestdistribution=zipfian\n",
    "workload_template": "workload=site.ycsb.workloads.CoreWorkload\nrecordcount=1000000\noperationcount=3000000\n"
    "#insertcount=\ninsertstart=0\nfieldcount=10\nfieldlength=100\nreadallfields=true\nwriteallfields=false\n"
    "fieldlengthdistribution=constant\nreadproportion=0.95\nupdateproportion=0.05\ninsertproportion=0\n"
    "readmodifywriteproportion=0\nscanproportion=0\nmaxscanlength=1000\nscanlengthdistribution=uniform\n"
    "insertorder=hashed\nrequestdistribution=zipfian\nhotspotdatafraction=0.2\nhotspotopnfraction=0.8\n"
    "table=usertable\nmeasurementtype=histogram\nhistogram.buckets=1000\ntimeseries.granularity=1000\n",
}
TIME_SERIES = {
    "tsworkloada": "workload=site.ycsb.workloads.TimeSeriesWorkload\nrecordcount=1474560\noperationcount=2949120\n"
    "fieldlength=8\nfieldcount=64\ntagcount=4\ntagcardinality=1,2,4,2\nsparsity=0.0\ndelayedSeries=0.0\n"
    "timestampunits=SECONDS\ntimestampinterval=60\nquerytimespan=3600\n"
    "readproportion=0.10\nupdateproportion=0.00\ninsertproportion=0.90\n",
}


def imported(tmp_path: Path, name: str, text: str) -> tuple[Campaign, Mix, list[str]]:
    file = tmp_path / "ycsb" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="latin-1")
    ran = harness("import-ycsb", file, "--into", tmp_path / "mine")
    assert ran.code == 0, ran.out + ran.err
    path = tmp_path / "mine" / f"{name}.yaml"
    campaign = load_campaign(path)
    mix = read_mixes(campaign, path)[name]
    assert isinstance(mix, Mix)
    return campaign, mix, ran.out.splitlines()


def said(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines() if not line.startswith("#"))


@pytest.mark.parametrize("name", STOCK)
def test_a_stock_file_runs_as_it_says(tmp_path: Path, name: str) -> None:
    campaign, mix, told = imported(tmp_path, name, STOCK[name])
    keys = said(STOCK[name])
    workload = campaign.workloads[name]
    assert campaign.records == int(keys["recordcount"])
    assert (workload.operations, workload.measure_s) == (int(keys["operationcount"]), None)
    assert (campaign.document.fields, campaign.document.field_length) == (10, 100)
    properties = {key: str(value).lower() for key, value in mix.properties().items()}
    for key, value in keys.items():
        if key in properties:
            assert properties[key] in {value, f"{value}.0", f"{float(value)}" if value[0].isdigit() else value}, key
    lines = [line.strip() for line in told]
    split = lines.index("not taken:")
    for key, value in keys.items():  # each is told once, on one side or the other
        places = [number for number, line in enumerate(lines) if line.startswith(f"{key}={value}: ")]
        assert len(places) == 1, key
        is_taken = key in properties or key in {"recordcount", "operationcount", "fieldcount", "fieldlength"}
        assert (places[0] < split) == is_taken, key


def test_time_series_are_refused(tmp_path: Path) -> None:
    for name, text in TIME_SERIES.items():
        (tmp_path / name).write_text(text)
        ran = harness("import-ycsb", tmp_path / name, "--into", tmp_path / "mine")
        assert ran.code == 2
        assert f"{name}:1: workload: site.ycsb.workloads.TimeSeriesWorkload is another workload" in ran.err
        assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("fieldlengthdistribution=zipfian", "5: fieldlengthdistribution: zipfian: only constant can be had"),
        ("insertorder=ordered", "5: insertorder: ordered: only hashed can be had"),
        ("deleteproportion=0.1", "5: deleteproportion: 0.1: there is no such operation"),
        ("insertcount=10", "5: insertcount: 10: a load inserts all records"),
        ("requestdistribution=sequential", "5: requestdistribution: "),
        ("readproportion=half", "5: readproportion: 'half' is not what YCSB takes there"),
        ("recordcount=", "5: recordcount: '' is not what YCSB takes there"),
        ("dataintegrity=true", "5: dataintegrity: true: only false can be had"),
    ],
)
def test_what_would_be_another_workload_is_refused_with_its_line(tmp_path: Path, line: str, why: str) -> None:
    file = tmp_path / "mine"
    file.write_text(f"{CORE}{line}\n")
    with pytest.raises(InputError) as caught:
        import_ycsb(file, "mine")
    assert f"{file}:{why}" in caught.value.what


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", {"operations": 1000, "threads": 1}),
        ("threadcount=8\ntarget=4000\n", {"threads": 8, "target_per_s": 4000}),
        ("maxexecutiontime=60\n", {"operations": 1000, "timeout_s": 60}),
        ("operationcount=0\nmaxexecutiontime = 60 \n", {"operations": None, "measure_s": 60}),
        ("operationcount=0\n", {"operations": None, "measure_s": 20}),
    ],
)
def test_bounds_threads_and_rates_are_the_workloads(tmp_path: Path, more: str, expected: dict[str, Any]) -> None:
    campaign, mix, told = imported(tmp_path, "plain", CORE + more)
    assert campaign.workloads["plain"].model_dump(include=set(expected)) == expected
    assert (mix.readproportion, mix.updateproportion) == (0.95, 0.05)
    assert any("readproportion=0.95: " in line and "YCSB's default" in line for line in told)


def test_nothing_is_overwritten_and_nothing_half_written(tmp_path: Path) -> None:
    _, _, _ = imported(tmp_path, "workloada", STOCK["workloada"])
    before = (tmp_path / "mine/workloada.yaml").read_bytes()
    again = harness("import-ycsb", tmp_path / "ycsb/workloada", "--into", tmp_path / "mine")
    assert again.code == 2
    assert "is already there" in again.err
    assert (tmp_path / "mine/workloada.yaml").read_bytes() == before
    (tmp_path / "short").write_text(CORE + "fieldlength=8\n")
    short = harness("import-ycsb", tmp_path / "short", "--into", tmp_path / "mine")
    assert short.code == 2
    assert "field_length" in short.err
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == ["workloada.properties", "workloada.yaml"]
