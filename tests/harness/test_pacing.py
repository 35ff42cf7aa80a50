"""Every arm is offered the same load: a fraction of the slowest arm's maximum in the first block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.ledger.runs import open_run
from harness.plan.load.pacing import offered_rates, workloads_of
from harness.plan.trials import PlannedTrial
from harness.spec.campaign import Campaign
from harness.spec.phases import Workload
from tests.analysis import synthetic
from tests.harness.factory import record

if TYPE_CHECKING:
    from pathlib import Path


def campaign() -> Campaign:
    paced = {"mix": "rmw", "pace": {"of": "rmw", "fraction": 0.5}}
    return Campaign.model_validate(
        {
            "name": "c",
            "engines": {"6.0.5": {"source": "pypi", "version": "6.0.5"}},
            "arms": {name: {"block_compressor": name} for name in ("snappy", "zstd")},
            "datasets": {"sentences": {"recipe": "faker-sentences"}},
            "records": 1000,
            "workloads": {"rmw": {}, "steady": paced},
            "decision": {"baseline": "snappy"},
        }
    )


def trial(block: int) -> PlannedTrial:
    return PlannedTrial(9, block, record().cell)


def test_the_first_block_finds_the_maximum() -> None:
    assert list(workloads_of(campaign(), trial(0), {})) == ["rmw"]
    assert list(workloads_of(campaign(), trial(0), {"sentences": {"steady": 7}})) == ["rmw"]


def test_later_blocks_offer_the_same_to_all() -> None:
    records = synthetic.campaign(blocks=2)
    slowest = min(
        p.throughput_per_s
        for r in records
        for p in r.phases
        if r.block == 0 and r.cell.dataset == "sentences" and p.name == "rmw"
    )
    rates = offered_rates(campaign(), records)
    assert rates == {"sentences": {"steady": round(0.5 * slowest)}}
    found = workloads_of(campaign(), trial(1), rates)
    assert found["steady"].target_per_s == round(0.5 * slowest)
    assert found["rmw"] == Workload()
    assert Workload.model_validate(found["steady"].model_dump()) == found["steady"], "what a trial keeps is read again"
    more = [r.model_copy(update={"block": 1}) for r in records]
    assert offered_rates(campaign(), [*records, *more]) == rates  # only the first block counts


def test_the_rate_is_never_below_what_the_client_can_pace() -> None:
    """One operation a second for each thread."""
    slow = [
        r.model_copy(update={"phases": tuple(p.model_copy(update={"throughput_per_s": 0.8}) for p in r.phases)})
        for r in synthetic.campaign(blocks=1)
    ]
    assert offered_rates(campaign(), slow) == {"sentences": {"steady": Workload().threads}}


def test_void_trials_set_no_pace() -> None:
    voided = [synthetic.voided(r) for r in synthetic.campaign(blocks=1)]
    assert offered_rates(campaign(), voided) == {}
    assert list(workloads_of(campaign(), trial(1), {})) == ["rmw"]


def test_a_trial_of_the_first_block_that_is_repeated_moves_no_rate(tmp_path: Path) -> None:
    """As a resumed run does: the slowest arm's trial was void when the second block began, and counts now."""
    ledger = open_run(tmp_path, "c", "a: 1\n", "r1", anew=False)
    records = [r for r in synthetic.campaign(blocks=1) if r.cell.dataset == "sentences"]
    rates = offered_rates(campaign(), records)
    (dataset,) = rates
    slowest = min(records, key=lambda r: next(p.throughput_per_s for p in r.phases if p.name == "rmw"))
    without = offered_rates(campaign(), [synthetic.voided(r) if r is slowest else r for r in records])
    assert without[dataset]["steady"] > rates[dataset]["steady"]
    assert ledger.keep_rates(without) == without
    assert ledger.keep_rates(rates) == without
    assert ledger.keep_rates({}) == without
    assert ledger.keep_rates({"words": {"steady": 3}}) == without | {"words": {"steady": 3}}  # had none offered yet
