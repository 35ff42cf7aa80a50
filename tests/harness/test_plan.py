"""Plans are randomised complete blocks, and a pure function of the spec."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.plan.trials import cells, describe, plan, plan_block, trial_seconds, unbalanced
from harness.spec.campaign import Campaign
from harness.spec.load import ROOT, find_campaign, load_campaign

if TYPE_CHECKING:
    from pathlib import Path


def campaign(seed: int = 1, engines: int = 1, datasets: int = 1) -> Campaign:
    return Campaign.model_validate(
        {
            "name": "c",
            "seed": seed,
            "engines": {f"e{i}": {"source": "binary", "version": "6.0.5", "path": "/x"} for i in range(engines)},
            "arms": {name: {"block_compressor": name} for name in ("none", "snappy", "zlib", "zstd")},
            "datasets": {f"d{i}": {"recipe": "faker-sentences"} for i in range(datasets)},
            "records": 1000,
            "decision": {"baseline": "snappy"},
        }
    )


@given(seed=st.integers(0, 2**63 - 1), blocks=st.integers(1, 6), engines=st.integers(1, 3), datasets=st.integers(1, 3))
def test_every_block_runs_every_cell_once(seed: int, blocks: int, engines: int, datasets: int) -> None:
    spec = campaign(seed, engines, datasets)
    trials = plan(spec, blocks)
    assert [trial.index for trial in trials] == list(range(len(trials)))
    every = Counter(cells(spec))
    for block in range(blocks):
        assert Counter(trial.cell for trial in trials if trial.block == block) == every


def test_platforms_run_the_same_order_each_under_numbers_of_its_own() -> None:
    spec, names = campaign(), ("large", "small")
    trials = plan(spec, 2, names)
    assert [trial.index for trial in trials] == list(range(16))
    for block in (0, 1):
        ordered = [trial.cell.arm for trial in plan_block(spec, block)]
        for name in names:
            assert [one.cell.arm for one in trials if (one.block, one.cell.platform) == (block, name)] == ordered
    assert trials[4].name == f"0005-1-{trials[4].cell.arm}-small"


@given(seed=st.integers(0, 2**63 - 1), blocks=st.integers(1, 5))
def test_more_blocks_never_change_earlier_ones(seed: int, blocks: int) -> None:
    spec = campaign(seed)
    assert plan(spec, blocks + 3)[: blocks * 4] == plan(spec, blocks)


def test_what_is_compared_runs_back_to_back() -> None:
    order = [trial.cell.dataset for trial in plan_block(campaign(engines=2, datasets=3), 0)]
    runs = [name for i, name in enumerate(order) if i == 0 or name != order[i - 1]]
    assert len(runs) == 3


def test_the_order_depends_on_seed_and_block() -> None:
    orders = {
        tuple(trial.cell.arm for trial in plan_block(campaign(seed), block)) for seed in range(9) for block in range(9)
    }
    assert len(orders) == 24  # all orders of four arms turn up


def test_the_first_place_is_shared_fairly() -> None:
    first = Counter(plan_block(campaign(seed), 0)[0].cell.arm for seed in range(2000))
    assert all(400 < count < 600 for count in first.values())


@given(seed=st.integers(0, 2**63 - 1), engines=st.integers(1, 3), datasets=st.integers(1, 2), square=st.integers(0, 3))
def test_as_many_blocks_as_cells_are_balanced(seed: int, engines: int, datasets: int, square: int) -> None:
    """Every cell once in every place of its dataset, and once right behind every other."""
    spec, size = campaign(seed, engines, datasets), 4 * engines
    for dataset in spec.datasets:
        rows = [
            [trial.cell for trial in plan_block(spec, square * size + row) if trial.cell.dataset == dataset]
            for row in range(size)
        ]
        assert all(len(set(column)) == size for column in zip(*rows, strict=True))
        pairs = Counter(pair for row in rows for pair in pairwise(row))
        assert set(pairs.values()) == {1}
        assert len(pairs) == size * (size - 1)


def test_an_odd_number_of_cells_takes_every_place_once() -> None:
    spec = campaign()
    spec = spec.model_copy(update={"arms": {name: arm for name, arm in spec.arms.items() if name != "zlib"}})
    rows = [[trial.cell.arm for trial in plan_block(spec, block)] for block in range(3)]
    assert all(len(set(column)) == 3 for column in zip(*rows, strict=True))


SHIPPED = sorted([*(ROOT / "campaigns").glob("*.yaml"), *(ROOT / "tests/gate").glob("*.yaml")])


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_what_is_shipped_favours_no_arm_by_its_order(path: Path) -> None:
    """The seed is fixed: what one order favours, it favours in every user's run alike."""
    spec = load_campaign(path)
    if path.stem in {"smoke", "orders", "dedupe"}:
        assert spec.blocks == 1, "it has no intervals, so that no arm is said to be better"
        return
    assert unbalanced(spec) is None
    placed: Counter[tuple[str, str, str, int]] = Counter()
    for block in range(spec.most_blocks):
        for dataset in spec.datasets:
            row = [trial.cell for trial in plan_block(spec, block) if trial.cell.dataset == dataset]
            placed.update((cell.engine, cell.arm, dataset, place) for place, cell in enumerate(row))
    assert len(set(placed.values())) == 1
    assert len(placed) == len(cells(spec)) * len(spec.engines) * len(spec.arms)


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        (3, "3 blocks can't give each of 4 trials every place .*; 4 blocks would be balanced"),
        (6, "6 blocks can't .*; 4 or 8 blocks would be balanced"),
        ({"min": 3, "max": 10}, "between 3 and 10 blocks .* only after 4, 8 blocks"),
        ({"min": 5, "max": 7}, "between 5 and 7 blocks .* never"),
        (4, None),
        (8, None),
    ],
)
def test_the_plan_says_which_number_of_blocks_favours_no_arm(blocks: object, said: str | None) -> None:
    spec = Campaign.model_validate(
        campaign().model_dump(exclude_none=True) | {"blocks": blocks, "design": "sequential"}
    )
    order = [line for line in describe(spec) if line.startswith("order: ")]
    assert len(order) == (0 if said is None else 1)
    assert said is None or re.search(said, order[0])


@pytest.mark.parametrize("name", ["quick", "smoke", "arm-article"])
def test_the_description_names_order_time_and_disk(name: str) -> None:
    text = "\n".join(describe(load_campaign(find_campaign(name))))
    assert "block 1:" in text
    assert "time: about" in text
    assert "disk:" in text


def test_quick_is_planned_within_twelve_minutes() -> None:
    quick = load_campaign(find_campaign("quick"))
    assert quick.most_blocks * len(cells(quick)) * trial_seconds(quick) < 12 * 60
