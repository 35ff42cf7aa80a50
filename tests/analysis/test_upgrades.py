"""Verdicts between engines, and compression ratios that moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from analysis.decide.decision import decide
from analysis.stats.criteria import Criteria
from analysis.stats.verdicts import Family, Verdict
from reports import summary_lines
from tests.analysis.synthetic import QUIET, SNAPPY, ZSTD, Noise, campaign

if TYPE_CHECKING:
    from analysis.trial.records import TrialRecord
    from core.model import Part

CRITERIA = Criteria(baseline="snappy", baseline_engine="6.0.5")
ENGINES = ("6.0.5", "6.0.27")


def changed(record: TrialRecord, engine: str, **factors: float) -> TrialRecord:
    """The record with stored bytes, throughput or CPU of one engine multiplied."""
    if record.cell.engine != engine:
        return record

    def scaled(part: Part, **fields: float) -> Any:
        return part.model_copy(update={name: getattr(part, name) * by for name, by in fields.items()})

    sizes = tuple(
        one.model_copy(update={"storage_size_bytes": int(one.storage_size_bytes * factors.get("storage", 1))})
        for one in record.sizes
    )
    phases = tuple(scaled(one, throughput_per_s=factors.get("throughput", 1.0)) for one in record.phases)
    return record.model_copy(update={"sizes": sizes, "phases": phases})


def records(blocks: int = 8, **factors: float) -> list[TrialRecord]:
    made = campaign(arms=(SNAPPY, ZSTD), engines=ENGINES, blocks=blocks, noise=QUIET)
    return [changed(record, "6.0.27", **factors) for record in made]


def test_an_upgrade_without_effect_is_said_to_change_nothing() -> None:
    (step,) = decide(records(), CRITERIA).upgrades
    assert step.sentence.startswith("The step from 6.0.5 to 6.0.27 changed nothing: all")
    assert step.suspicions == ()
    assert not step.worse
    assert not step.better


def test_a_slower_engine_is_found_in_every_arm_and_leads_the_summary() -> None:
    decision = decide(records(throughput=0.8), CRITERIA)
    (step,) = decision.upgrades
    assert set(step.worse) == {
        f"{metric} ({arm}, sentences)"
        for metric in ("insert.throughput", "rmw.throughput")
        for arm in ("snappy", "zstd-6")
    }
    assert step.sentence.startswith("The step from 6.0.5 to 6.0.27 changed something: insert throughput −")
    assert summary_lines(decision)[0] == step.sentence


def test_a_block_that_stands_out_between_engines_is_named_and_so_is_the_price_of_adding_some() -> None:
    made = [changed(record, "6.0.27", throughput=1.01 if record.block % 2 else 0.99) for record in records(blocks=5)]
    stalled = [changed(record, "6.0.27", throughput=0.5) if record.block == 3 else record for record in made]
    told = [(caveat.code, caveat.message) for caveat in decide(stalled, CRITERIA).caveats]
    named = "rmw.throughput of 6.0.27 under zstd-6, sentences: block 4 lies far from the others."
    assert any(code == "standing-out" and message.startswith(named) for code, message in told)
    assert "adding-blocks" in {code for code, _ in told}


def test_engines_are_compared_under_the_same_arm_within_a_block() -> None:
    decision = decide(records(throughput=0.8), CRITERIA)
    found = [one for one in decision.engine_effects if one.metric == "rmw.throughput"]
    assert sorted((one.group.arm or "", one.group.engine, one.candidate, one.n) for one in found) == [
        ("snappy", None, "6.0.27", 8),
        ("zstd-6", None, "6.0.27", 8),
    ]
    assert all(one.family is Family.PRIMARY and one.verdict is Verdict.WORSE for one in found)


@pytest.mark.parametrize(
    ("storage", "arms"), [(1.02, ["snappy", "zstd-6"]), (0.985, ["snappy", "zstd-6"]), (1.005, [])]
)
def test_a_ratio_that_moves_by_more_than_a_hundredth_is_suspicious(storage: float, arms: list[str]) -> None:
    (step,) = decide(records(storage=storage), CRITERIA).upgrades
    assert [one.arm for one in step.suspicions] == arms
    told = [reason for reason in step.reasons if reason.startswith("Suspicious: the compression ratio of 6.0.27")]
    assert len(told) == len(arms)


def test_a_ratio_that_scatters_as_real_loads_do_is_not_suspicious() -> None:
    """Sizes of loads scatter by 1 to 3 %: a change of 1 % alone is none."""
    real = [
        campaign(arms=(SNAPPY, ZSTD), engines=ENGINES, blocks=4, noise=Noise(load=0.028), seed=seed)
        for seed in range(10)
    ]
    assert sum(len(decide(made, CRITERIA).upgrades[0].suspicions) for made in real) <= 3
    (one_block,) = decide(records(blocks=1, storage=1.02), CRITERIA).upgrades
    assert one_block.suspicions == ()


def test_engines_come_in_the_order_of_their_versions() -> None:
    made = campaign(arms=(SNAPPY,), engines=("in-place", "6.0.27", "4.4.2", "6.0.5"), blocks=3)
    decision = decide(made, Criteria(baseline="snappy", baseline_engine="4.4.2"))
    assert [one.engine for one in decision.upgrades] == ["6.0.5", "6.0.27", "in-place"]


def test_without_a_baseline_engine_engines_stay_apart() -> None:
    decision = decide(records(throughput=0.8), Criteria(baseline="snappy"))
    assert decision.upgrades == ()
    assert decision.engine_effects == ()


def test_engines_do_not_make_the_arms_verdicts_weaker() -> None:
    apart, together = (decide(records(), criteria).effects for criteria in (Criteria(baseline="snappy"), CRITERIA))
    assert apart == together
