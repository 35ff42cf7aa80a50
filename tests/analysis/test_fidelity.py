"""The fidelity gate: like the deployment, not like it, or not to be told; never passed for want of a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from analysis.decide import sentences
from analysis.decide.decision import Decision, decide
from analysis.decide.fidelity import State, fidelity
from analysis.stats.criteria import Criteria
from analysis.stats.mirrored import Mirrors
from analysis.trial.engine.served import between, quantile_of_steps
from analysis.trial.records import Served
from reports.page.fidelity import fidelity_page
from reports.terminal import MOST_LINES, summary_lines
from tests.analysis.synthetic import QUIET, SNAPPY, ZSTD, campaign, voided

if TYPE_CHECKING:
    from analysis.trial.records import TrialRecord

FAST, SLOW = 64.0, 256.0
OPERATIONS = {"find": 7_000, "insert": 0, "update": 3_000, "delete": 0, "command": 0}
LATENCY = {"reads": ((FAST, 960), (SLOW, 40)), "writes": ((FAST, 960), (SLOW, 40))}
SERVED = Served.model_validate({"operations": OPERATIONS, "latency_us": LATENCY})
TOLD: dict[str, Any] = {
    "of": "shop.orders on mongod 6.0.5",
    "workload": "rmw",
    "compression_ratio": SNAPPY.ratio / 1.12 / 0.98,
    "index_bytes_per_document": 34.0,
    "cache_ratio": 2**30 / (100_000 * 1_140),
    "pages_read_per_operation": 0.5,
    "mix": {"find": 0.7, "update": 0.3},
    "latency_shape": {"reads": {"p95": 1.5, "p99": 4.0}},
}


def mirrors(**changes: Any) -> Mirrors:
    return Mirrors.model_validate(TOLD | changes)


def served(record: TrialRecord, served: Served | None = SERVED, pages: float | None = 0.5) -> TrialRecord:
    """The record with what its mongod counted of the workload; `pages` are those of an operation of its window."""
    *others, run = record.phases
    assert run.window is not None
    window = run.window.model_copy(update={"pages_read": None if pages is None else pages * run.measured_operations})
    return record.model_copy(update={"phases": (*others, run.model_copy(update={"served": served, "window": window}))})


def records() -> list[TrialRecord]:
    return [served(one) for one in campaign(arms=(SNAPPY, ZSTD), blocks=3, noise=QUIET)]


def decided(of: list[TrialRecord], told: Mirrors | None) -> Decision:
    return decide(of, Criteria.model_validate({"baseline": "snappy"}), "which?", mirrors=told)


def test_trials_that_are_like_the_deployment_pass() -> None:
    decision = decided(records(), mirrors())
    found = decision.fidelity
    assert found is not None
    assert {one.figure: one.state for one in found.compared if one.state is not State.LIKE} == {}
    assert (found.state, found.left_out, decision.exit_code) == (State.LIKE, (), 0)
    assert len(found.compared) == 11
    assert summary_lines(decision)[0].startswith("Like your deployment: snappy is within the tolerances of shop.orders")


@pytest.mark.parametrize(
    ("changes", "figure"),
    [
        ({"mix": {"find": 0.73, "update": 0.27}}, "mix.find"),
        ({"mix": {"find": 0.7, "update": 0.26, "command": 0.04}}, "mix.command"),
        ({"cache_ratio": TOLD["cache_ratio"] * 1.1}, "cache_ratio"),
        ({"compression_ratio": TOLD["compression_ratio"] * 1.2}, "compression_ratio"),
        ({"index_bytes_per_document": 50.0}, "index_bytes_per_document"),
        ({"pages_read_per_operation": 1.1}, "pages_read_per_operation"),
        ({"latency_shape": {"writes": {"p95": 20.0, "p99": 4.0}}}, "latency_shape.writes.p95"),
    ],
)
def test_each_figure_beyond_its_tolerance_is_named_first(changes: dict[str, Any], figure: str) -> None:
    decision = decided(records(), mirrors(**changes))
    assert decision.fidelity is not None
    assert decision.fidelity.state is State.UNLIKE
    assert figure in {one.figure for one in decision.fidelity.those(State.UNLIKE)}
    assert decision.exit_code == 1
    lines = summary_lines(decision)
    assert lines[0].startswith("Not your deployment: snappy differs from shop.orders")
    assert len(lines) <= MOST_LINES
    shown = fidelity_page(decision)
    assert shown is not None
    assert shown.headline == "Not your deployment"
    assert any(line.state == "violated" for line in shown.lines)


def test_a_tolerance_of_ones_own_passes_what_the_default_does_not() -> None:
    changed = mirrors(index_bytes_per_document=50.0, tolerances={"index_percent": 40})
    assert fidelity(records(), changed, "snappy").state is State.LIKE


@pytest.mark.parametrize(
    ("lacking", "figures"),
    [
        ({"served": None}, {"mix.find", "latency_shape.reads.p99"}),
        ({"pages": None}, {"pages_read_per_operation"}),
        ({"served": Served(operations={"find": 0}, latency_us={})}, {"mix.find", "latency_shape.reads.p95"}),
    ],
)
def test_what_trials_do_not_tell_is_not_passed(lacking: dict[str, Any], figures: set[str]) -> None:
    *others, last = records()
    if last.cell.arm != "snappy":
        others, last = [*others[:-1], last], others[-1]
    decision = decided([*others, served(last, **lacking)], mirrors())
    found = decision.fidelity
    assert found is not None
    assert found.state is State.UNKNOWN
    assert figures <= {one.figure for one in found.those(State.UNKNOWN)}
    assert decision.exit_code == 1
    assert summary_lines(decision)[0].startswith("Not shown to be like your deployment: the trials of snappy")


def test_without_a_trial_that_counts_nothing_is_passed() -> None:
    for found in ([], [voided(one) for one in records()], [one for one in records() if one.cell.arm != "snappy"]):
        told = fidelity(found, mirrors(), "snappy")
        assert (told.state, told.compared) == (State.UNKNOWN, ())
        assert "nothing of shop.orders on mongod 6.0.5 could be compared" in sentences.likeness_why(told, "snappy")


def test_a_figure_that_the_deployment_lacks_is_said() -> None:
    found = fidelity(records(), mirrors(pages_read_per_operation=None, latency_shape={}), "snappy")
    assert (found.state, found.left_out) == (State.LIKE, ("pages_read_per_operation", "latency_shape"))
    told = sentences.likeness_why(found, "snappy")
    assert "Not compared, because the deployment did not show it: pages read per operation and shape of" in told
    nothing = Mirrors(of="shop.orders", workload="rmw")
    assert fidelity(records(), nothing, "snappy").state is State.UNKNOWN


def test_a_workload_that_no_trial_has_is_not_passed() -> None:
    assert fidelity(records(), mirrors(workload="other"), "snappy").state is State.UNKNOWN


def test_a_campaign_that_mirrors_none_says_nothing_of_it() -> None:
    decision = decided(records(), None)
    assert decision.fidelity is None
    assert fidelity_page(decision) is None
    assert "deployment" not in "".join(summary_lines(decision))


def test_a_decision_is_read_back_as_it_was_written() -> None:
    decision = decided(records(), mirrors())
    assert Decision.model_validate_json(decision.as_json) == decision


def test_a_mix_has_to_be_whole() -> None:
    with pytest.raises(ValidationError, match=r"the mix's shares add up to 0\.9, not to 1"):
        mirrors(mix={"find": 0.9})


def test_what_was_served_is_what_counters_grew_by() -> None:
    def moment(finds: int, fast: int) -> dict[str, Any]:
        histogram = [{"micros": 64, "count": fast}, {"micros": 128, "count": 5}]
        return {"top": {"queries": {"time": 1, "count": finds}}, "latency": {"reads": {"histogram": histogram}}}

    found = between(moment(10, 4), moment(30, 24))
    assert found is not None
    assert found.operations == {"find": 20, "insert": 0, "update": 0, "delete": 0, "command": 0}
    assert found.latency_us == {"reads": ((64.0, 20),), "writes": ()}
    assert between(moment(30, 24), moment(10, 24)) is None, "the server was restarted"
    assert between(moment(10, 24), moment(30, 4)) is None
    assert between(None, moment(1, 1)) is None


def test_a_quantile_lies_within_its_step() -> None:
    assert quantile_of_steps(((64.0, 50), (128.0, 50)), 0.5) == 128.0
    assert quantile_of_steps(((64.0, 50), (128.0, 50)), 0.75) == 192.0
    assert quantile_of_steps(((4096.0, 10),), 1.0) == 6144.0
    assert quantile_of_steps(((6144.0, 10),), 1.0) == 8192.0
    assert quantile_of_steps((), 0.5) is None
