"""Every arm is offered the same load: a fraction of the slowest arm's maximum in the first block."""

from __future__ import annotations

from harness.pacing import workloads_of
from harness.plan import PlannedTrial
from harness.spec import Campaign, Workload
from tests.analysis import synthetic
from tests.harness.factory import record


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
    assert list(workloads_of(campaign(), trial(0), [])) == ["rmw"]


def test_later_blocks_offer_the_same_to_all() -> None:
    records = [r for r in synthetic.campaign(blocks=2) if r.cell.dataset == "sentences"]
    slowest = min(p.throughput_per_s for r in records if r.block == 0 for p in r.phases if p.name == "rmw")
    found = workloads_of(campaign(), trial(1), records)
    assert found["steady"].target_per_s == round(0.5 * slowest)
    assert found["rmw"] == Workload()
    more = [r.model_copy(update={"block": 1}) for r in records]
    assert workloads_of(campaign(), trial(2), [*records, *more]) == found  # only the first block counts


def test_void_trials_set_no_pace() -> None:
    voided = [synthetic.voided(r) for r in synthetic.campaign(blocks=1)]
    assert list(workloads_of(campaign(), trial(1), voided)) == ["rmw"]
