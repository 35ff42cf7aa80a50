"""The gate: verdicts, pairing, comparability, tolerances, leads, and how often an A/A pair fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from analysis.decide.decision import decide
from analysis.gate.between import Sample, against_earlier
from analysis.gate.comparability import compare_facts
from analysis.gate.judge import Gate, GateVerdict, NothingComparedError, gate
from analysis.gate.pairing import PairingError, Selection
from analysis.gate.sides import Side, side
from analysis.gate.tolerances import Regression, Tolerance, Tolerances
from analysis.stats.criteria import Criteria, Objective
from analysis.stats.inference import infer, p_difference
from tests.analysis.simulate_gate import Night, between_runs, within_a_run
from tests.analysis.synthetic import QUIET, SNAPPY, ZSTD, Noise, campaign, voided
from tests.analysis.test_upgrades import changed

if TYPE_CHECKING:
    from pydantic import JsonValue

    from analysis.trial.records import TrialRecord

CRITERIA = Criteria(baseline="snappy", baseline_engine="6.0.5")
EXACT = Tolerances(drift_percent=0)


def as_side(records: list[TrialRecord], run: str = "a", **facts: str) -> Side:
    return side("upgrade", run, records, decide(records, CRITERIA), facts)


def two_engines(blocks: int = 6, noise: Noise = QUIET, seed: int = 1, **factors: float) -> Side:
    made = campaign(arms=(SNAPPY, ZSTD), engines=("6.0.5", "6.0.27"), blocks=blocks, noise=noise, seed=seed)
    return as_side([changed(record, "6.0.27", **factors) for record in made])


def one_engine(run: str, engine: str = "6.0.5", blocks: int = 6, seed: int = 1, **factors: float) -> Side:
    made = campaign(arms=(SNAPPY,), engines=(engine,), blocks=blocks, noise=Noise(0.002, 0.004), seed=seed)
    return as_side([changed(record, engine, **factors) for record in made], run)


def verdicts(found: Gate, verdict: GateVerdict) -> set[tuple[str, str]]:
    return {(check.pair, check.metric) for check in found.of(verdict)}


def test_within_a_run_the_campaigns_baseline_engine_is_the_baseline_and_ratios_are_paired() -> None:
    run = two_engines(throughput=0.8, noise=Noise(0.002, 0.25))
    found = gate([run], run, Tolerances())
    assert found.method == "paired"
    assert verdicts(found, GateVerdict.REGRESSED) == {
        (f"6.0.5 → 6.0.27, {arm}, sentences", metric)
        for arm in ("snappy", "zstd-6")
        for metric in ("insert.throughput", "rmw.throughput")
    }
    assert found.fails(strict=False)


def test_two_runs_are_compared_by_welch_and_with_room_for_the_hosts_drift() -> None:
    before, after = one_engine("a"), one_engine("b", "6.0.27", seed=2, throughput=0.85)
    exact = gate([before], after, EXACT)
    assert exact.method == "levels"
    assert {metric for _, metric in verdicts(exact, GateVerdict.REGRESSED)} == {"insert.throughput", "rmw.throughput"}
    assert {pair for pair, _ in verdicts(exact, GateVerdict.REGRESSED)} == {"6.0.5 → 6.0.27, snappy, sentences"}
    drifting = gate([before], after, Tolerances())
    assert verdicts(drifting, GateVerdict.REGRESSED) == set()
    assert ("6.0.5 → 6.0.27, snappy, sentences", "rmw.throughput") in verdicts(drifting, GateVerdict.UNDECIDED)
    assert not drifting.fails(strict=False)
    assert drifting.fails(strict=True)


def test_sizes_do_not_drift_with_the_host() -> None:
    found = gate([one_engine("a")], one_engine("b", seed=2, storage=1.1), Tolerances())
    assert {metric for _, metric in verdicts(found, GateVerdict.REGRESSED)} == {
        "storage_bytes_per_document",
        "storage_bytes_per_document_aged",
    }


def test_an_improvement_is_no_regression_unless_any_change_is_one() -> None:
    run = two_engines(throughput=1.3)
    assert not gate([run], run, Tolerances()).fails(strict=False)
    either = Tolerances(metrics={"*.throughput": Tolerance(regression=Regression.EITHER)})
    assert gate([run], run, either).fails(strict=False)
    lower = Tolerances(metrics={"*.throughput": Tolerance(regression=Regression.LOWER)})
    assert not gate([run], run, lower).fails(strict=False)


def test_a_change_within_its_tolerance_is_unchanged_and_beyond_it_regressed() -> None:
    run = two_engines(throughput=0.9)
    wide = Tolerances(metrics={"*.throughput": Tolerance(percent=25)})
    assert not gate([run], run, wide).fails(strict=True)
    narrow = Tolerances(metrics={"rmw.throughput": Tolerance(percent=5), "*.throughput": Tolerance(percent=25)})
    assert {metric for _, metric in verdicts(gate([run], run, narrow), GateVerdict.REGRESSED)} == {"rmw.throughput"}


@pytest.mark.parametrize(("factor", "regressed"), [(0.781, False), (0.745, True), (1.245, False), (1.26, True)])
def test_the_tolerance_is_in_per_cent_of_the_baseline_both_ways(factor: float, regressed: bool) -> None:  # noqa: FBT001
    run = two_engines(throughput=factor)
    quarter = Tolerances(metrics={"*.throughput": Tolerance(percent=25, regression=Regression.EITHER)})
    assert gate([run], run, quarter).fails(strict=False) is regressed


def test_the_campaigns_own_primary_metrics_are_checked_its_objective_and_what_is_written() -> None:
    run = two_engines()
    chosen = run.criteria.model_copy(update={"primary": ("rmw.p50",), "objective": Objective.CPU})
    asked, declared = (
        {check.metric for check in gate([side], side, Tolerances()).checks}
        for side in (run.model_copy(update={"criteria": chosen}), run)
    )
    written = {"insert.disk_written_bytes_per_operation", "rmw.disk_written_bytes_per_operation"}
    assert asked == written | {"rmw.p50", "rmw.mongod_cpu_us_per_operation"}
    assert declared == written | {
        "storage_bytes_per_document", "storage_bytes_per_document_aged", "insert.throughput", "rmw.throughput",
        "rmw.p99", "rmw.mongod_cpu_us_per_operation",
    }  # fmt: skip


def test_a_metric_that_this_version_does_not_know_is_not_checked() -> None:
    run = two_engines()
    older = run.model_copy(update={"figures": tuple(one._replace(metric=f"{one.metric}_") for one in run.figures)})
    both = run.model_copy(update={"figures": run.figures + older.figures})
    assert gate([both], both, Tolerances()) == gate([run], run, Tolerances())


def test_a_file_can_leave_metrics_out_and_names_that_match_nothing_are_told() -> None:
    run = two_engines(throughput=0.5)
    quiet = Tolerances(metrics={"*.throughput": Tolerance(check=False), "rwm.p99": Tolerance(percent=9)})
    found = gate([run], run, quiet)
    assert not any(check.metric.endswith(".throughput") for check in found.checks)
    assert found.notes == ("the tolerances name rwm.p99, which no trial has",)


def test_a_metric_that_went_missing_is_asked_for_and_undecided() -> None:
    before, after = one_engine("a"), one_engine("b")
    without = after.model_copy(update={"figures": tuple(f for f in after.figures if f.metric != "rmw.throughput")})
    check = next(one for one in gate([before], without, Tolerances()).checks if one.metric == "rmw.throughput")
    assert check.verdict is GateVerdict.UNDECIDED
    assert check.problem == "each side needs two blocks"


def test_a_percentile_of_too_few_operations_is_not_gated() -> None:
    before, after = one_engine("a"), one_engine("b", p99=3.0)
    few = after.figures[[one.metric for one in after.figures].index("rmw.p99")]._replace(too_few=1000)
    figures = tuple(few if (one.metric, one.block) == (few.metric, few.block) else one for one in after.figures)
    for sides, candidate in (([before], after), ([before], after.model_copy(update={"figures": figures}))):
        check = next(one for one in gate(sides, candidate, EXACT).checks if one.metric == "rmw.p99")
        assert (check.problem is None) == (candidate is after)
    assert check.problem == "a trial measured fewer than the 1,000 operations that this percentile takes"
    assert Side.model_validate_json(candidate.model_dump_json()) == candidate


@pytest.mark.parametrize(("theirs", "ours"), [(3, 0), (0, 3), (0, 0), (3, 1), (1, 3)])
def test_a_gate_that_can_compare_nothing_is_an_error(theirs: int, ours: int) -> None:
    sides = []
    for run, blocks in (("a", theirs), ("b", ours)):
        made = campaign(arms=(SNAPPY,), blocks=3, noise=QUIET)
        sides.append(as_side([one if one.block < blocks else voided(one) for one in made], run))
    with pytest.raises(NothingComparedError) as caught:
        gate([sides[0]], sides[1], Tolerances())
    lost = [which for which, blocks in (("baseline", theirs), ("candidate", ours)) if not blocks]
    assert all(f"the {which} has no valid trial" in str(caught.value) for which in lost)
    if theirs or ours:
        assert f"each side needs two blocks (blocks of the baseline: {theirs}, of the candidate: {ours})" in str(
            caught.value
        )


def test_the_same_run_needs_a_baseline_and_unknown_names_are_refused() -> None:
    run = one_engine("a")
    alone = run.model_copy(update={"criteria": Criteria(baseline="snappy")})
    with pytest.raises(PairingError, match="--baseline-engine"):
        gate([alone], alone, Tolerances())
    with pytest.raises(PairingError, match=r"no cell of 7\.0"):
        gate([run], one_engine("b"), Tolerances(), Selection(engine="7.0"))


def test_arms_of_one_run_can_be_gated_too() -> None:
    run = two_engines()
    found = gate([run], run, Tolerances(), Selection(baseline_arm="snappy", arm="zstd-6"))
    assert {check.pair for check in found.checks} == {
        f"{engine}, snappy → zstd-6, sentences" for engine in ("6.0.5", "6.0.27")
    }
    assert ("6.0.5, snappy → zstd-6, sentences", "rmw.throughput") in verdicts(found, GateVerdict.REGRESSED)


@pytest.mark.parametrize(
    ("selection", "pairs"),
    [
        ({"arm": "zstd-6"}, {"6.0.5, zstd-6, sentences", "6.0.27, zstd-6, sentences"}),
        ({"baseline_arm": "zstd-6"}, {"6.0.5, zstd-6, sentences", "6.0.27, zstd-6, sentences"}),
        ({"engine": "6.0.5"}, {"6.0.5, snappy, sentences", "6.0.5, zstd-6, sentences"}),
        ({"baseline_arm": "snappy", "arm": "zstd-6", "engine": "6.0.5"}, {"6.0.5, snappy → zstd-6, sentences"}),
        (
            {"baseline_engine": "6.0.5", "engine": "6.0.27"},
            {"6.0.5 → 6.0.27, snappy, sentences", "6.0.5 → 6.0.27, zstd-6, sentences"},
        ),
    ],
)
def test_between_two_runs_a_level_named_on_one_side_only_chooses_cells(
    selection: dict[str, str], pairs: set[str]
) -> None:
    before = two_engines()
    found = gate([before], before.model_copy(update={"run_id": "b"}), Tolerances(), Selection(**selection))
    assert {check.pair for check in found.checks} == pairs
    assert found.fails(strict=False) == ("snappy → zstd-6" in str(pairs))


def test_leads_name_the_counters_that_moved_the_largest_first() -> None:
    def with_counters(records: list[TrialRecord], read: float, written: float) -> list[TrialRecord]:
        rng = np.random.default_rng(4)
        return [
            record.model_copy(
                update={
                    "phases": tuple(
                        phase.model_copy(
                            update={
                                "counters": {
                                    "pages_read": read * phase.acknowledged * rng.uniform(0.99, 1.01),
                                    "pages_written": written * phase.acknowledged * rng.uniform(0.99, 1.01),
                                    "checkpoints": 3.0 * phase.acknowledged,
                                }
                            }
                        )
                        for phase in record.phases
                    )
                }
            )
            for record in records
        ]

    made = campaign(arms=(SNAPPY,), blocks=4, noise=QUIET)
    before = as_side(with_counters(made, 0.1, 1.0), "a")
    slower = [changed(record, "6.0.5", throughput=0.5) for record in made]
    after = as_side(with_counters(slower, 0.8, 1.3), "b")
    check = next(one for one in gate([before], after, EXACT).checks if one.metric == "rmw.throughput")
    assert check.verdict is GateVerdict.REGRESSED
    assert [lead.what for lead in check.leads] == ["Pages read into cache", "Pages written from cache"]
    assert check.leads[0].ratio == pytest.approx(8, rel=0.03)


def test_what_must_match_and_what_may_differ() -> None:
    before: dict[str, JsonValue] = {
        "host.cpu_model": "A",
        "host.kernel": "6.1",
        "host.memory_total_bytes": 1000,
        "records": 10,
        "corpus.s": "x",
    }
    same = compare_facts(before, before | {"host.memory_total_bytes": 1040})
    assert same.comparable
    assert not same.warnings
    other = compare_facts(before, before | {"host.kernel": "6.2", "records": 20})
    assert [str(one) for one in other.warnings] == ["host.kernel: 6.1 in the baseline, 6.2 in the candidate"]
    assert [one.fact for one in other.forbidding] == ["records"]
    assert not compare_facts(before, {}).comparable, "what a side does not know is a difference"


def test_against_one_earlier_run_it_is_the_textbooks_welch() -> None:
    rng = np.random.default_rng(1)
    ours, theirs = rng.normal(0.1, 0.05, 7).tolist(), rng.normal(0, 0.15, 4).tolist()
    exact, drifting = (against_earlier(Sample.of(ours), [Sample.of(theirs)], 0.0, drift) for drift in (0.0, 0.1))
    expected = stats.ttest_ind(ours, theirs, equal_var=False)
    assert float(p_difference(exact)) == pytest.approx(expected.pvalue, rel=1e-9)
    assert float(exact.df) == pytest.approx(expected.df)
    assert float(drifting.se) ** 2 == pytest.approx(float(exact.se) ** 2 + 2 * 0.1**2)
    assert float(p_difference(infer(ours))) == pytest.approx(stats.ttest_1samp(ours, 0).pvalue, rel=1e-9)


def test_many_earlier_runs_tell_by_themselves_how_far_figures_move() -> None:
    """The interval is one of prediction: as wide as runs scatter, whatever was allowed for before."""
    rng = np.random.default_rng(2)
    runs = [Sample.of(rng.normal(level, 0.01, 4).tolist()) for level in rng.normal(0, 0.1, 400)]
    candidate = Sample.of(rng.normal(0.1, 0.01, 4).tolist())
    few, many = (against_earlier(candidate, runs[:n], 0.0, 0.001) for n in (1, 400))
    assert float(few.se) < 0.02
    assert float(many.se) == pytest.approx(0.1, rel=0.15)


@pytest.mark.parametrize("blocks", [3, 5])
def test_a_run_against_its_like_passes_in_nineteen_of_twenty(blocks: int) -> None:
    for found in (within_a_run(blocks, many=300), between_runs(Night(), blocks=blocks, many=100).failed):
        assert found.value <= 0.05, str(found)
