"""When a phase's clients are warm."""

from __future__ import annotations

import pytest

from harness.plan.load.warming import WarmUp, warm_up
from harness.plan.trial_vars import run_properties
from harness.spec.campaign import Campaign
from harness.spec.mixes.ycsb import Mix
from harness.spec.phases import Workload
from tests.campaigns import spec_of

MIX = Mix(readproportion=0.5, updateproportion=0.5)


def campaign(**changes: object) -> Campaign:
    return Campaign.model_validate(spec_of(27117, **changes))


@pytest.mark.parametrize(
    ("design", "phase", "expected"),
    [
        ("sequential", {"measure_s": 20}, WarmUp(seconds=5, operations=30_000, wanted=30_000)),
        ("turns", {"measure_s": 20}, WarmUp(seconds=5, operations=3_000, wanted=3_000)),
        ("sequential", {"measure_s": 20, "warmup_s": 0}, WarmUp()),
        ("sequential", {"warmup_operations": 70, "warmup_s": 0}, WarmUp(operations=70, wanted=70)),
        ("turns", {"warmup_operations": 0}, WarmUp(seconds=5)),
        ("sequential", {"measure_s": None, "operations": 20_000}, WarmUp(seconds=5, operations=5_000, wanted=30_000)),
    ],
)
def test_it_takes_what_the_clients_compiler_needs(design: str, phase: dict[str, object], expected: WarmUp) -> None:
    assert warm_up(campaign(design=design), Workload.model_validate(phase), clients=2) == expected


def test_a_load_waits_for_half_of_its_documents_at_most() -> None:
    spec = campaign(records=2_000, design="sequential", load={"warmup_s": 2})
    assert warm_up(spec, spec.load, 1) == WarmUp(seconds=2, operations=1_000, wanted=30_000)


def test_a_very_slow_arm_comes_to_an_end() -> None:
    assert WarmUp(seconds=30, operations=1).longest_s == 300
    assert WarmUp(seconds=2, operations=1).longest_s == 60
    assert WarmUp(seconds=2).longest_s == 2


def test_a_client_alone_is_told_when_it_is_warm_and_how_long_it_is_measured() -> None:
    told = run_properties(Workload(measure_s=20), MIX, 1, WarmUp(seconds=5, operations=100))
    assert told["maxexecutiontime"] == 80
    assert told["pressgauge.warmupseconds"] == 5
    assert told["pressgauge.warmupoperations"] == 100
    assert told["pressgauge.measureseconds"] == 20
    plain = run_properties(Workload(measure_s=20), MIX, 1, WarmUp(seconds=5))
    assert plain["maxexecutiontime"] == 25
    assert not {"maxexecutiontime", "pressgauge.measureseconds"} & run_properties(Workload(), MIX, 1, None).keys()
