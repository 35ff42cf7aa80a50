"""Replays in a campaign: what a spec may ask, and what trials are told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from datasets import FakerSentences
from datasets.recordings import Traffic, prepare_traffic
from harness.errors import InputError
from harness.plan.load.clients import ClientProcess
from harness.plan.load.heap import heap_mib
from harness.plan.load.replaying import as_recorded, check_replay, described, replay_properties
from harness.plan.turns import stages
from harness.plan.written.replayed import campaign_text, with_replay
from harness.spec.load import find_campaign, load_campaign, load_kept, read_mixes
from harness.spec.phases import Replay, Workload
from harness.spec.yaml_source import read_yaml
from tests.campaigns import small, spec_of
from tests.datasets.test_recordings import TRAFFIC
from tests.harness.commands import harness

if TYPE_CHECKING:
    from pathlib import Path

    from harness.spec.campaign import Campaign

REPLAY = {"recording": str(TRAFFIC), "speed": 2}


@pytest.fixture
def traffic(tmp_path: Path) -> Traffic:
    return prepare_traffic(TRAFFIC, None, tmp_path)


def campaign(tmp_path: Path, workload: dict[str, Any] | None = None, **changes: Any) -> Campaign:
    workloads = {"traffic": {"replay": REPLAY} | (workload or {})} | changes.pop("workloads", {})
    return load_campaign(small(tmp_path / "mine.yaml", 27999, workloads=workloads, **changes))


@pytest.mark.parametrize(
    ("workload", "changes", "said"),
    [
        ({"replay": REPLAY | {"recording": "nowhere"}}, {}, "replay.recording: there is no file nowhere (seen from /"),
        ({"replay": REPLAY | {"speed": 0}}, {}, "workloads.traffic.replay.speed"),
        ({"replay": REPLAY | {"speed": "fast"}}, {}, "workloads.traffic.replay.speed"),
        ({"replay": REPLAY | {"collection": "orders"}}, {}, "workloads.traffic.replay.collection"),
        ({"mix": "rmw"}, {}, "a replay has no mix; leave it out"),
        ({"measure_s": 5, "target_per_s": 100}, {}, "a replay has no measure_s or target_per_s"),
        ({"threads": 2}, {}, "workloads.traffic.threads: the recording says that itself"),
        ({}, {"workloads": {"rmw": {}}}, "a campaign's only workload"),
        ({}, {"decision": {"baseline": "snappy", "objective": "throughput"}}, "is offered a rate"),
    ],
)
def test_what_a_replay_can_not_be_asked_for_is_told(
    tmp_path: Path, workload: dict[str, Any], changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        campaign(tmp_path, workload, **changes)
    assert said in caught.value.what


def test_trials_are_told_of_threads_and_operations_by_the_recording(tmp_path: Path, traffic: Traffic) -> None:
    spec = campaign(tmp_path)
    assert read_mixes(spec, tmp_path / "mine.yaml") == {}
    known = as_recorded(spec, {"traffic": traffic}).workloads["traffic"]
    assert (known.threads, known.operations, known.measure_s) == (traffic.lanes, traffic.count, None)
    assert Workload.model_validate_json(known.model_dump_json()) == known  # as a trial's context keeps it
    assert known.replay is not None
    properties = replay_properties(known.replay, traffic, 1)
    assert properties["pressgauge.speed"] == "2"
    assert properties["pressgauge.operations"].split(",") == list(traffic.operations)
    stage = next(one for one in stages(spec, {"traffic": known}, 1) if one.name == "traffic")
    assert stage.rounds is None
    assert heap_mib(known, None, 1, 1_000_000) > heap_mib(Workload(), None, 1, 1_000_000)


def test_a_replay_needs_one_client_and_time(tmp_path: Path, traffic: Traffic) -> None:
    workload = campaign(tmp_path).workloads["traffic"]
    replay = Replay(recording=TRAFFIC, speed=0.001)
    one, two = ClientProcess("a"), (ClientProcess("a", 0, 2), ClientProcess("b", 1, 2))
    with pytest.raises(InputError, match="replayed by one client, and the inventory has 2"):
        check_replay("traffic", workload, replay, traffic, two)
    longer = traffic.model_copy(update={"seconds": 10.0})
    with pytest.raises(InputError, match="10000 s to replay"):
        check_replay("traffic", workload, replay, longer, [one])
    check_replay("traffic", workload, replay.model_copy(update={"speed": "max"}), longer, [one])


def test_what_is_not_replayed_is_told_with_its_share(traffic: Traffic) -> None:
    told = list(described("traffic", traffic.model_copy(update={"ending": "cut off", "answers": traffic.count - 2})))
    assert "shop.orders" in told[0]
    assert "aggregate with $out" in told[1]
    assert "%" in told[1]
    assert told[2:] == ["traffic: of 2 operations the answer is not known", "traffic: cut off"]


def test_the_campaigns_that_are_written_can_be_run(tmp_path: Path, traffic: Traffic) -> None:
    data = tmp_path / "a: b.jsonl"
    data.write_text("".join(f'{{"_id": {number}}}\n' for number in range(20)), encoding="utf-8")
    path = tmp_path / "own.yaml"
    path.write_text(campaign_text(Replay(recording=TRAFFIC, speed="max"), traffic, data, 20, 400), encoding="utf-8")
    own = load_campaign(path)
    assert list(own.arms) == ["snappy", "none", "zlib", "zstd"]
    replay = own.workloads["traffic"].replay
    assert replay is not None
    assert (replay.speed, replay.collection, own.records) == ("max", "shop.orders", 20)
    assert {one.metric for one in own.decision.constraints} == {"traffic.throughput", "traffic.p99"}
    path.write_text(with_replay(spec_of(27999), Replay(recording=TRAFFIC), traffic), encoding="utf-8")
    assert list(load_campaign(path).workloads) == ["traffic"]
    assert isinstance(load_campaign(path).datasets["sentences"], FakerSentences)


@pytest.mark.parametrize("name", ["quick", "orders", "pages"])
def test_a_campaign_decides_by_what_is_replayed(tmp_path: Path, traffic: Traffic, name: str) -> None:
    """Not by the workloads that it had."""
    shipped = load_campaign(find_campaign(name))
    path = tmp_path / "own.yaml"
    path.write_text(with_replay(read_yaml(find_campaign(name)).data, Replay(recording=TRAFFIC), traffic), "utf-8")
    own = load_campaign(path)
    assert own.decision.baseline == shipped.decision.baseline
    assert [one.metric for one in own.decision.constraints] == ["traffic.mongod_cpu_us_per_operation", "traffic.p99"]
    assert "traffic.p99" in own.decision.primary


def test_a_kept_campaign_needs_its_recording_no_more(tmp_path: Path) -> None:
    spec = yaml.safe_load(small(tmp_path / "mine.yaml", 27999).read_text(encoding="utf-8"))
    spec["workloads"] = {"traffic": {"replay": {"recording": "gone"}}}
    (tmp_path / "kept.yaml").write_text(yaml.safe_dump(spec), encoding="utf-8")
    assert load_kept(tmp_path / "kept.yaml", "kept").workloads["traffic"].replay is not None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([str(TRAFFIC)], "either the documents are to be named"),
        ([str(TRAFFIC), "--data", "x", "--campaign", "quick"], "either the documents are to be named"),
        ([str(TRAFFIC), "--campaign", "quick", "--speed", "-1"], "--speed -1: is no speed"),
        (["nowhere", "--campaign", "quick"], "nowhere: cannot be read"),
        ([str(TRAFFIC), "--data", "nowhere"], "dataset nowhere: there is no such file"),
        ([str(TRAFFIC), "--campaign", "quick", "--collection", "a.b"], "no operation on a.b that can be replayed"),
    ],
)
def test_what_the_command_can_not_do_is_told(tmp_path: Path, arguments: list[str], said: str) -> None:
    told = harness("replay", *arguments, "--results", tmp_path, "--home", tmp_path)
    assert told.code == 2
    assert said in told.err.replace("\n", " ")
    assert "Traceback" not in told.err
