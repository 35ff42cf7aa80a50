"""Decisions of synthetic campaigns: the recommendation, what it admits, and every way in which data may be lacking."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest

from analysis.decide.constraints import State
from analysis.decide.decision import Decision, decide
from analysis.decide.recommendation import Choice, Outcome, Status
from analysis.decide.study import study
from analysis.stats.criteria import Constraint, Criteria, Objective, Prices
from analysis.stats.verdicts import Family, Verdict, judge
from tests.analysis.synthetic import ARTICLE, NONE, QUIET, SNAPPY, ZLIB, ZSTD, Arm, Noise, campaign, voided

if TYPE_CHECKING:
    from analysis.trial.records import Phase, Settings, TrialRecord

THROUGHPUT = Constraint(metric="rmw.throughput", at_least=0.7)
LATENCY = Constraint(metric="rmw.p99", at_most=1.25)


def criteria(*constraints: Constraint, **changes: object) -> Criteria:
    return Criteria.model_validate({"baseline": "snappy", "constraints": constraints, **changes})


def choice(decision: Decision) -> Choice:
    assert len(decision.recommendations) == 1
    return decision.recommendations[0].choice


def quiet(*arms: Arm, blocks: int = 5) -> list[TrialRecord]:
    return campaign(blocks=blocks, arms=arms or ARTICLE, noise=QUIET)


def test_keeping_the_baseline_says_what_is_passed_over() -> None:
    decision = decide(quiet(), criteria(Constraint(metric="rmw.throughput", at_least=0.99)), "Which compressor?")
    found = choice(decision)
    assert (found.outcome, found.arm) == (Outcome.KEEP, "snappy")
    assert found.passed_over is not None
    smallest = min((e for e in decision.effects if e.metric == found.objective_metric), key=lambda e: e.mean_log or 0.0)
    assert found.passed_over.candidate == smallest.candidate
    assert smallest.candidate in decision.recommendations[0].sentence


def test_the_smallest_arm_that_satisfies_the_constraints_is_recommended() -> None:
    decision = decide(quiet(), criteria(THROUGHPUT), "Which compressor?")
    found = choice(decision)
    assert (found.outcome, found.arm) == (Outcome.SWITCH, "zstd-6")
    assert {check.arm: check.state for check in found.checks} == {
        "snappy": State.SATISFIED,
        "none": State.SATISFIED,
        "zstd-6": State.SATISFIED,
        "zlib": State.VIOLATED,
    }
    sentence = decision.recommendations[0].sentence
    assert sentence.startswith("Run zstd-6: the best storage per document among the arms shown to satisfy")
    assert "−35.5 %" in sentence
    assert any(
        reason.startswith("Not eligible: zlib: rmw throughput") for reason in decision.recommendations[0].reasons
    )
    assert decision.exit_code == 0


def test_arms_equivalent_at_the_objective_tie_and_throughput_breaks_the_tie() -> None:
    found = choice(decide(quiet(), criteria()))
    assert (found.arm, found.tied) == ("zstd-6", ("zlib",))


def test_a_constraint_needs_its_whole_interval() -> None:
    barely = SNAPPY.scaled("barely", 0.96)
    decision = decide(campaign(blocks=3, arms=(SNAPPY, barely)), criteria(Constraint(metric="rmw.p99", at_most=1.1)))
    check = next(check for check in choice(decision).checks if check.arm == "barely")
    assert check.state is State.UNDECIDED
    assert check.checks[0].further is not None
    assert choice(decision).arm == "snappy"


def test_the_baseline_is_kept_when_it_is_best() -> None:
    decision = decide(quiet(), criteria(objective="throughput", baseline="none"))
    assert (choice(decision).outcome, choice(decision).arm) == (Outcome.KEEP, "none")
    assert decision.recommendations[0].status is Status.KEEP
    assert decision.recommendations[0].sentence == (
        "Keep none: nothing beats it. Every other arm is shown to be no better at rmw throughput."
    )
    assert decision.exit_code == 0


def test_nothing_is_decided_while_a_better_arm_is_not_established() -> None:
    faster = SNAPPY.scaled("faster", 1.04)
    decision = decide(campaign(blocks=3, arms=(SNAPPY, faster)), criteria(objective="throughput"))
    assert (choice(decision).outcome, choice(decision).promising) == (Outcome.UNDECIDED, ("faster",))
    (told,) = decision.recommendations
    assert told.status is Status.UNDECIDED
    assert told.sentence.startswith(
        "Not decided: stay on snappy for now. Whether faster is better at rmw throughput is"
    )
    assert "more blocks would decide" in told.sentence
    assert decision.exit_code == 0


def test_the_best_is_only_who_is_shown_better_than_every_eligible_rival() -> None:
    """a1 looks far better than a2, but scatters too much to be told from the baseline, or from a2."""
    a1, a2 = SNAPPY.scaled("a1", 1.127), SNAPPY.scaled("a2", 1.04)
    wild = iter([0.7, 1.35, 0.8, 1.3, 1.0])
    records = [at_rate(record, next(wild)) if record.cell.arm == "a1" else record for record in quiet(SNAPPY, a1, a2)]
    (told,) = decide(records, criteria(objective="throughput", equivalence_margin_percent=1.0)).recommendations
    assert (told.status, told.choice.arm, told.choice.rivals) == (Status.RUN, "a2", ("a1",))
    assert told.sentence.startswith("Run a2: rmw throughput +4.")
    assert "; a1 may be better still: " in told.sentence
    assert "the best" not in told.sentence


def at_rate(record: TrialRecord, factor: float) -> TrialRecord:
    phases = [one.model_copy(update={"throughput_per_s": one.throughput_per_s * factor}) for one in record.phases]
    return record.model_copy(update={"phases": tuple(phases)})


def test_the_best_beats_an_arm_that_is_better_than_the_baseline_too() -> None:
    (told,) = decide(quiet(SNAPPY, ZSTD, SNAPPY.scaled("middle", 1.2)), criteria()).recommendations
    assert (told.choice.arm, told.choice.rivals) == ("zstd-6", ())
    assert told.sentence.startswith("Run zstd-6: the best storage per document, ")


def test_an_arm_that_is_better_but_may_violate_a_constraint_leaves_it_undecided() -> None:
    barely = ZSTD.scaled("barely", 1.0)
    records = campaign(blocks=3, arms=(SNAPPY, barely))
    limit = Constraint(metric="rmw.throughput", at_least=ZSTD.rmw_per_s / SNAPPY.rmw_per_s)
    (told,) = decide(records, criteria(limit)).recommendations
    assert (told.status, told.choice.promising, told.choice.held_back) == (Status.UNDECIDED, (), ("barely",))
    assert "Whether barely, which is better at storage per document, satisfies the constraints is not" in told.sentence
    assert "barely is better there (" in told.sentence
    assert "is not shown to satisfy rmw throughput" in told.sentence
    assert told.choice.further is not None


def test_one_trial_each_is_never_an_answer() -> None:
    for constraints in ([], [THROUGHPUT], [Constraint(metric="rmw.throughput", at_least=1.05)]):
        (told,) = decide(quiet(blocks=1), criteria(*constraints)).recommendations
        assert told.status is Status.UNDECIDED
        assert told.sentence.startswith("Not decided")
        assert "at least 2 more blocks would be needed" in told.sentence


def test_a_decision_of_before_it_had_a_status_is_read() -> None:
    written = json.loads(decide(quiet(), criteria()).as_json)
    for one in written["recommendations"]:
        del one["status"], one["choice"]["further"]
    assert Decision.model_validate(written).recommendations[0].status is None


def test_nothing_satisfies() -> None:
    decision = decide(quiet(), criteria(Constraint(metric="rmw.throughput", at_least=2.0)))
    assert (choice(decision).outcome, choice(decision).arm) == (Outcome.NOTHING_SATISFIES, None)
    assert decision.recommendations[0].status is Status.NONE
    assert decision.recommendations[0].sentence == "No recommendation: every arm violates a constraint."
    assert decision.exit_code == 1


def test_constraints_that_the_baseline_fails_can_be_met_by_another_arm() -> None:
    decision = decide(quiet(), criteria(Constraint(metric="rmw.throughput", at_least=1.05)))
    assert (choice(decision).arm, choice(decision).outcome) == ("none", Outcome.SWITCH)
    assert decision.exit_code == 0


@pytest.mark.parametrize("blocks", [0, 1, 2])
def test_no_trial_counts(blocks: int) -> None:
    records = [voided(record) for record in campaign(blocks=blocks)]
    decision = decide(records, criteria(THROUGHPUT))
    assert all(one.choice.outcome is Outcome.NO_BASELINE for one in decision.recommendations)
    assert decision.counts.trials == decision.counts.void == 4 * blocks
    assert decision.exit_code == 1
    assert decision.caveats


def test_void_trials_without_any_phase() -> None:
    bare = [voided(r).model_copy(update={"phases": (), "sizes": (), "in_force": None}) for r in campaign(blocks=2)]
    assert decide(bare, criteria(THROUGHPUT)).exit_code == 1


def test_the_baseline_never_ran() -> None:
    decision = decide(quiet(NONE, ZSTD), criteria())
    assert choice(decision).outcome is Outcome.NO_BASELINE
    assert decision.recommendations[0].sentence == ("No recommendation: the baseline snappy has no valid trial.")


def test_only_the_baseline_ran() -> None:
    decision = decide(quiet(SNAPPY), criteria())
    assert (choice(decision).outcome, choice(decision).arm) == (Outcome.NOT_MEASURED, "snappy")
    assert decision.recommendations[0].sentence == "Nothing to choose from: no other arm has a trial."


def test_one_block_decides_nothing() -> None:
    decision = decide(campaign(blocks=1), criteria(LATENCY))
    assert choice(decision).arm == "snappy"
    assert {e.verdict for e in decision.effects} == {Verdict.UNDECIDED}
    assert all("at least 2 more blocks" in sentence for sentence in decision.undecided)


def test_a_constraint_on_a_metric_that_no_trial_has_is_undecided_and_said() -> None:
    decision = decide(quiet(), criteria(Constraint(metric="scan.p99", at_most=1.1)))
    states = {check.arm: check.state for check in choice(decision).checks}
    assert states["zstd-6"] is State.UNDECIDED
    assert any(caveat.code == "unknown-metric" and "scan.p99" in caveat.message for caveat in decision.caveats)


def test_controls_are_found_by_their_settings_and_neither_judged_nor_recommended() -> None:
    records = campaign(blocks=4, arms=(SNAPPY, ZSTD, SNAPPY.called("snappy-again")))
    decision = decide(records, criteria())
    assert decision.controls == ("snappy-again",)
    families = {e.metric: e.family for e in decision.effects if e.candidate == "snappy-again"}
    assert {key for key, family in families.items() if family is Family.CONTROL} == set(decision.primary)
    assert set(families.values()) == {Family.CONTROL, Family.CONTROL_EXPLORATORY, Family.ANSWERED}
    assert "snappy-again" not in {check.arm for check in choice(decision).checks}
    # It tells how much the others scatter, and asks nothing: the correction is over the others' questions alone.
    asked = [e for e in study(records, criteria()).pairwise("snappy", decision.primary) if e.candidate == "zstd-6"]
    alone = judge(asked, primary=decision.primary, margin_percent=3.0)
    assert {e.metric: e.p_difference for e in alone} == p_values(decision, "zstd-6")
    floor = next(one for one in decision.noise_floor if one.metric == "rmw.throughput")
    assert [control.arm for control in floor.controls] == ["snappy-again"]


def test_a_control_that_differs_is_said() -> None:
    """Its figures are another arm's, as if the order of trials or the host had favoured one side."""
    records = campaign(blocks=6, arms=(SNAPPY, ZSTD), noise=QUIET)
    lying = [r if r.cell.arm == "snappy" else r.model_copy(update={"asked": settings_of(records)}) for r in records]
    caveats = [c for c in decide(lying, criteria()).caveats if c.code == "control-differs"]
    assert any("rmw throughput" in caveat.message for caveat in caveats)
    honest = campaign(blocks=6, arms=(SNAPPY, SNAPPY.called("again")), noise=QUIET)
    assert "control-differs" not in {caveat.code for caveat in decide(honest, criteria()).caveats}


def test_a_control_is_judged_by_its_primary_metrics_and_not_lost_among_the_others() -> None:
    def slowed(record: TrialRecord) -> TrialRecord:
        phases = [
            one.model_copy(update={"throughput_per_s": one.throughput_per_s * 0.9}) if one.name == "rmw" else one
            for one in record.phases
        ]
        return record.model_copy(update={"phases": tuple(phases)}) if record.cell.arm == "again" else record

    records = campaign(blocks=6, arms=(SNAPPY, ZSTD, SNAPPY.called("again")), seed=2)
    decision = decide([slowed(record) for record in records], criteria())
    (message,) = (caveat.message for caveat in decision.caveats if caveat.code == "control-differs")
    assert "yet it differs in rmw throughput" in message


def test_an_arm_of_another_write_concern_is_no_control() -> None:
    records = campaign(blocks=3, arms=(SNAPPY, SNAPPY.called("majority")), noise=QUIET)
    apart = []
    for record in records:
        assert record.in_force is not None
        sent = record.in_force.model_copy(update={"write_concern": '{"w": "majority", "j": false}'})
        apart.append(record.model_copy(update={"in_force": sent}) if record.cell.arm == "majority" else record)
    assert decide(records, criteria()).controls == ("majority",)
    assert decide(apart, criteria()).controls == ()


def settings_of(records: list[TrialRecord]) -> Settings:
    return next(record.asked for record in records if record.cell.arm == "snappy")


def test_the_cheapest_arm_is_found_within_blocks() -> None:
    """An arm that lacks the slow blocks looks cheap by its own mean."""
    dearer = SNAPPY.scaled("dearer", 0.9)
    records = campaign(blocks=6, arms=(SNAPPY, dearer), noise=Noise(residual=0.002, block=0.5))
    speed = {r.block: r.phases[1].throughput_per_s for r in records if r.cell.arm == "snappy"}
    slow = sorted(speed, key=lambda block: speed[block])[:4]
    kept = [r for r in records if not (r.cell.arm == "dearer" and r.block in slow)]
    found = choice(decide(kept, criteria())).costs
    assert found is not None
    means = {arm.arm: arm.monthly.value for arm in found.arms}
    assert means["dearer"] < means["snappy"]
    assert found.cheapest == "snappy"


def p_values(decision: Decision, arm: str) -> dict[str, float | None]:
    return {e.metric: e.p_difference for e in decision.effects if e.candidate == arm and e.family is Family.PRIMARY}


@pytest.mark.parametrize(("idle_s", "others", "caveats"), [(0.0, 1.0, 2), (9e9, 1.0, 0), (0.0, 0.1, 0)])
def test_a_host_that_clients_share_with_mongod_is_said(idle_s: float, others: float, caveats: int) -> None:
    def on_shared_host(phase: Phase) -> Phase:
        assert phase.window is not None
        assert phase.window.mongod_cpu_s is not None
        host_cpu_s = phase.window.mongod_cpu_s * (1 + others)
        window = phase.window.model_copy(update={"host_idle_s": idle_s, "host_cpu_s": host_cpu_s})
        return phase.model_copy(update={"window": window})

    records = [r.model_copy(update={"phases": tuple(map(on_shared_host, r.phases))}) for r in campaign(blocks=3)]
    messages = [one.message for one in decide(records, criteria()).caveats if one.code == "shared-host"]
    assert len(messages) == caveats  # one for each workload
    assert all("50% of the CPU in use" in message for message in messages)


def test_caveats_name_what_is_missing() -> None:
    records = campaign(blocks=3, void=[(1, "zlib")], missing=[(2, "none")])
    codes = {caveat.code: caveat.message for caveat in decide(records, criteria()).caveats}
    assert {"void-trials", "missing-blocks", "unbalanced", "few-blocks"} <= codes.keys()
    assert "compressor-mismatch" in codes["void-trials"]


def test_the_pareto_front_leaves_out_what_is_beaten_all_round() -> None:
    better = ZLIB.scaled("better-than-zlib", 1.2)
    found = choice(decide(quiet(SNAPPY, ZSTD, ZLIB, better), criteria()))
    assert set(found.pareto) == {"snappy", "zstd-6", "better-than-zlib"}


def test_every_objective_can_be_chosen() -> None:
    arms = {objective: choice(decide(quiet(), criteria(objective=objective))).arm for objective in Objective}
    assert arms[Objective.STORAGE] == "zstd-6"
    assert arms[Objective.CPU] == arms[Objective.THROUGHPUT] == "none"


def test_the_cost_and_where_it_flips() -> None:
    prices = Prices(
        instance_per_hour=0.2, storage_per_gb_month=0.1, data_size_gb=1000, operations_per_s=1000, replicas=3
    )
    found = choice(decide(quiet(), criteria(objective="cost", prices=prices)))
    assert found.costs is not None
    by_arm = {cost.arm: cost for cost in found.costs.arms}

    def hours(arm: Arm) -> float:
        return 730 * 1000 / (arm.rmw_per_s * prices.instance_capacity)

    def stored(arm: Arm) -> float:
        return 1000 * (1 / arm.ratio + 34 / 1140)

    # Levels move with the blocks; ratios between arms do not.
    ratio = by_arm["zstd-6"].instance_hours.value / by_arm["snappy"].instance_hours.value
    assert ratio == pytest.approx(hours(ZSTD) / hours(SNAPPY), rel=0.01)
    assert by_arm["zstd-6"].stored_gb.value == pytest.approx(stored(ZSTD), rel=0.01)
    for arm in by_arm.values():
        total = 3 * (0.2 * arm.instance_hours.value + 0.1 * arm.stored_gb.value)
        assert arm.monthly.value == pytest.approx(total, rel=0.02)
        assert arm.monthly.low is not None
    assert found.costs.cheapest == min(by_arm, key=lambda arm: by_arm[arm].monthly.value)


def test_indexes_are_paid_for_once_and_shrink_what_compression_saves() -> None:
    def indexed(record: TrialRecord) -> TrialRecord:
        sizes = (
            one.model_copy(
                update={
                    "secondary_index_size_bytes": 500 * one.documents,
                    "index_size_bytes": one.index_size_bytes + 500 * one.documents,
                }
            )
            for one in record.sizes
        )
        return record.model_copy(update={"sizes": tuple(sizes)})

    prices = Prices(data_size_gb=1000)
    plain, found = (
        choice(decide(records, criteria(prices=prices))) for records in (quiet(), [indexed(one) for one in quiet()])
    )
    assert plain.costs is not None
    assert found.costs is not None
    for before, after in zip(plain.costs.arms, found.costs.arms, strict=True):
        assert after.stored_gb.value - before.stored_gb.value == pytest.approx(1000 * 500 / 1140, rel=0.01)


@pytest.mark.parametrize("beside", [None, False, True])
def test_where_a_client_runs_beside_mongod_instances_are_sized_by_mongods_cpu(beside: bool | None) -> None:  # noqa: FBT001
    """Of a throughput that client and mongod share, each operation's client has a part."""
    records = [record.model_copy(update={"clients_beside": beside}) for record in quiet()]
    found = choice(decide(records, criteria(objective="cost"))).costs
    assert found is not None
    assert found.sized_by == ("mongod_capacity" if beside else "throughput")
    hours = {arm.arm: arm.instance_hours.value for arm in found.arms}
    by_cpu, by_rate = ZSTD.rmw_cpu_us / SNAPPY.rmw_cpu_us, SNAPPY.rmw_per_s / ZSTD.rmw_per_s
    # The synthetic host's cores are what client and mongod used and one idle core more, which differ by arm.
    assert hours["zstd-6"] / hours["snappy"] == pytest.approx(by_rate if not beside else by_cpu, rel=0.15)


def test_objective_and_cost_may_rest_on_the_state_after_the_workloads() -> None:
    """zlib stores least when loaded, and most of all once its documents have been updated."""

    def aged(record: TrialRecord) -> TrialRecord:
        if record.cell.arm != "zlib":
            return record
        last = record.sizes[-1]
        grown = last.model_copy(update={"storage_size_bytes": 3 * last.storage_size_bytes})
        return record.model_copy(update={"sizes": (*record.sizes[:-1], grown)})

    records = [aged(record) for record in quiet(SNAPPY, ZSTD, ZLIB.scaled("zlib", 1.2))]
    assert choice(decide(records, criteria())).arm == "zlib"
    assert choice(decide(records, criteria(objective="aged-storage"))).arm == "zstd-6"
    fresh, old = (
        choice(decide(records, criteria(prices=Prices(storage_state=state)))).costs for state in ("loaded", "aged")
    )
    assert fresh is not None
    assert old is not None
    loaded_gb, aged_gb = (
        next(arm.stored_gb.value for arm in costs.arms if arm.arm == "zlib") for costs in (fresh, old)
    )
    assert aged_gb / loaded_gb == pytest.approx(3 * 1.12, rel=0.1)


def test_at_the_flip_two_arms_cost_the_same() -> None:
    records = quiet()
    found = choice(decide(records, criteria(objective="cost"))).costs
    assert found is not None
    assert found.flips
    flip = found.flips[0]
    moved = Prices(storage_per_gb_month=flip.price_ratio.value * Prices().instance_per_hour)
    again = choice(decide(records, criteria(objective="cost", prices=moved))).costs
    assert again is not None
    costs = {arm.arm: arm.monthly.value for arm in again.arms}
    assert costs[flip.arm] == pytest.approx(costs[str(found.cheapest)], rel=0.03)
    step = 1.5 if flip.side == "above" else 1 / 1.5
    beyond = moved.model_copy(update={"storage_per_gb_month": moved.storage_per_gb_month * step})
    changed = choice(decide(records, criteria(objective="cost", prices=beyond))).costs
    assert changed is not None
    assert changed.cheapest != found.cheapest


def test_growth_is_averaged_over_the_horizon() -> None:
    growing = Prices(growth_percent_per_month=10, horizon_months=3)
    still, grown = (
        next(arm for arm in costs.arms if arm.arm == "none").stored_gb.value
        for costs in (choice(decide(quiet(), criteria(prices=p))).costs for p in (Prices(), growing))
        if costs is not None
    )
    assert grown / still == pytest.approx((1 + 1.1 + 1.21) / 3)


def test_without_the_priced_workload_there_is_no_cost_but_a_caveat() -> None:
    decision = decide(quiet(), criteria(objective="cost", prices=Prices(workload="scan")))
    assert choice(decision).costs is None
    assert (choice(decision).outcome, choice(decision).arm) == (Outcome.NOT_MEASURED, "snappy")
    assert "no-cost" in {caveat.code for caveat in decision.caveats}


def test_under_an_offered_rate_throughput_is_no_capacity_and_there_is_no_cost() -> None:
    def paced(record: TrialRecord) -> TrialRecord:
        phases = tuple(
            one.model_copy(update={"target_per_s": 500.0}) if one.name == "rmw" else one for one in record.phases
        )
        return record.model_copy(update={"phases": phases})

    decision = decide([paced(record) for record in quiet()], criteria())
    assert choice(decision).costs is None
    assert not {"monthly_cost", "instance_hours"} & {one.metric for one in decision.effects}
    (message,) = (caveat.message for caveat in decision.caveats if caveat.code == "no-cost")
    assert "rmw was offered a rate" in message


def test_workloads_other_than_the_articles() -> None:
    records = campaign(blocks=4, workloads=("read", "mix"), noise=QUIET)
    decision = decide(records, criteria(Constraint(metric="read.throughput", at_least=0.5), objective="throughput"))
    assert "mix.p99" in decision.primary
    assert choice(decision).objective_metric == "read.throughput"


@pytest.mark.parametrize("primary", ["default", ["compression_ratio", "rmw.throughput"]])
def test_compression_ratio_and_storage_are_one_question(primary: object) -> None:
    decision = decide(campaign(blocks=4), criteria(primary=primary))
    assert "compression_ratio" not in decision.primary
    assert "storage_bytes_per_document" in decision.primary
    found = {(e.candidate, e.metric): e for e in decision.effects}
    asked = [e for e in decision.effects if e.family is Family.PRIMARY]
    assert len(asked) == 3 * len(decision.primary)
    for arm in ("none", "zlib", "zstd-6"):
        ratio, storage = found[arm, "compression_ratio"], found[arm, "storage_bytes_per_document"]
        assert ratio.family is Family.ANSWERED
        assert (ratio.verdict, ratio.p_difference) == (storage.verdict, storage.p_difference)
        assert ratio.mean_log == pytest.approx(-(storage.mean_log or 0.0), abs=1e-6)


def test_one_recommendation_per_group() -> None:
    records = campaign(blocks=3, engines=("6.0.5", "6.0.27"), datasets=("sentences", "random"), noise=QUIET)
    decision = decide(records, criteria())
    assert [one.choice.group.label for one in decision.recommendations].count("6.0.5, random") == 1
    assert len(decision.recommendations) == 4


def test_json_is_whole_strict_and_comes_back_equal() -> None:
    decision = decide(campaign(blocks=2, void=[(0, "zlib")]), criteria(THROUGHPUT, LATENCY))
    text = decision.model_dump_json()

    def refuse(constant: str) -> float:
        raise AssertionError(f"{constant} is no JSON")

    assert json.loads(text, parse_constant=refuse)["format_version"] == 1
    assert Decision.model_validate_json(text) == decision


def test_wild_figures_neither_overflow_nor_raise() -> None:
    records = campaign(blocks=2)
    wild = [scaled(record, 10.0 ** (12 * (-1) ** record.index)) for record in records]
    decision = decide(wild, criteria(THROUGHPUT, confidence_percent=99.9))
    assert all(math.isfinite(e.ratio.high) for e in decision.effects if e.ratio and e.ratio.high is not None)
    assert Decision.model_validate_json(decision.model_dump_json()) == decision


def scaled(record: TrialRecord, factor: float) -> TrialRecord:
    phases = tuple(p.model_copy(update={"throughput_per_s": p.throughput_per_s * factor}) for p in record.phases)
    return record.model_copy(update={"phases": phases})


@pytest.mark.parametrize("bounds", [{}, {"at_least": 1.2, "at_most": 0.9}])
def test_a_constraint_that_says_nothing_is_refused(bounds: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"at_least|at least"):
        Constraint.model_validate({"metric": "rmw.p99", **bounds})
