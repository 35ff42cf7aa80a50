"""From a campaign to the list of its trials: randomised complete blocks, balanced for place and neighbour.

Pure: the same spec gives the same plan.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from analysis.stats.quantities import block_number
from analysis.trial.records import Cell, DocumentModel
from core.sizes import show_duration, show_size
from datasets import DocumentRecipe
from harness.plan.load.warming import warm_up
from harness.spec.document_sizes import document_bytes, largest_document_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.spec.campaign import Campaign
    from harness.spec.phases import Workload

Letter = TypeVar("Letter")

ONE_PLATFORM = ("",)
"""Hosts of which the inventory says nothing are one platform without a name."""

# For the estimates only, on two cores; the progress display learns the real rates as trials finish.
_INSERTS_PER_S = 6000
_BATCHED_INSERTS_PER_S = 30_000
_INDEXED_INSERTS_PER_S = 15_000
"""The same, of documents with some indexes."""
_RMW_PER_S = 2000
_OVERHEAD_S = 10.0
_VERIFIED_PER_S = 50_000
_MAINTAINED_BYTES_PER_S = 50e6
_GROWTH = 1.6  # files grow while pages are rewritten between checkpoints
_JOURNAL_BYTES = 300 * 2**20
_ENTRY_BYTES = 80  # what a value takes in a dictionary more than in its document, where none is there twice
_EVIDENCE_BYTES = 8 * 2**20


@dataclass(frozen=True)
class PlannedTrial:
    """One trial: its place in the order, its block, its cell."""

    index: int
    block: int
    cell: Cell

    @property
    def what(self) -> tuple[int, Cell]:
        """What tells it from the others, wherever in the order it runs."""
        return self.block, self.cell

    @property
    def name(self) -> str:
        """The name of its folder, e.g. `0007-2-zstd` for the seventh trial; it sorts in the order of the plan."""
        where = f"-{self.cell.platform}" if self.cell.platform else ""
        return f"{self.index + 1:04d}-{block_number(self.block)}-{self.cell.arm}{where}"

    def attempt_name(self, attempt: int) -> str:
        """The name of an attempt's folder: the first has the trial's own, e.g. `0007-2-zstd-attempt2`."""
        return self.name if attempt == 1 else f"{self.name}-attempt{attempt}"


def cells(campaign: Campaign) -> list[Cell]:
    """Every combination of the campaign's factors, in the order of the spec."""
    return [
        Cell(engine=engine, arm=arm, dataset=dataset)
        for dataset in campaign.datasets
        for engine in campaign.engines
        for arm in campaign.arms
    ]


def compared(campaign: Campaign) -> int:
    """How many trials of a block are compared with each other, on one platform."""
    return len(campaign.engines) * len(campaign.arms)


def plan_block(campaign: Campaign, block: int, platforms: Sequence[str] = ONE_PLATFORM) -> list[PlannedTrial]:
    """The trials of one block (from 0): datasets in random order, and within each the cells that are compared.

    What is compared runs back to back, because noise grows with the time between two trials. The order depends
    on the campaign's seed and the block's number alone, so that more blocks never change earlier ones. It is the same
    on every platform: they run it at the same time.
    """
    datasets = list(campaign.datasets)
    drawn(campaign, f"block {block}").shuffle(datasets)
    ordered = [cell for dataset in datasets for cell in _balanced(campaign, dataset, block)]
    placed = [cell.model_copy(update={"platform": platform}) for platform in platforms for cell in ordered]
    return [PlannedTrial(block * len(placed) + number, block, cell) for number, cell in enumerate(placed)]


def _balanced(campaign: Campaign, dataset: str, block: int) -> list[Cell]:
    """A dataset's cells in one block: a row of a Williams square, which as many blocks as there are cells make up.

    Each cell stands once in every place, and (where their number is even) once right behind every other. So neither a
    drift within blocks nor what a trial leaves behind favours one, as one and the same unlucky draw in every run of a
    campaign would. The cells' letters and the order of the rows are drawn.
    """
    compared = [cell for cell in cells(campaign) if cell.dataset == dataset]
    square, row = divmod(block, len(compared))
    return williams_row(compared, drawn(campaign, f"{dataset} square {square}"), row)


def williams_row(letters: Sequence[Letter], draw: random.Random, row: int) -> list[Letter]:
    """A row of a Williams square whose letters, and whose order of rows, are drawn; rows go on in its repetitions."""
    size, shuffled = len(letters), list(letters)
    draw.shuffle(shuffled)
    shift = draw.sample(range(size), size)[row % size]
    zigzag = [-(place // 2) if place % 2 == 0 else place // 2 + 1 for place in range(size)]  # 0, 1, -1, 2, -2, …
    return [shuffled[(letter + shift) % size] for letter in zigzag]


def drawn(campaign: Campaign, what: str) -> random.Random:
    """Chance for one purpose: the same for the same campaign."""
    return random.Random(f"pressgauge {campaign.seed} {what}")  # noqa: S311 - reproducible by design


def plan(campaign: Campaign, blocks: int, platforms: Sequence[str] = ONE_PLATFORM) -> list[PlannedTrial]:
    """The trials of the first so many blocks: block by block, in each platform by platform in the order they run."""
    return [trial for block in range(blocks) for trial in plan_block(campaign, block, platforms)]


def unbalanced(campaign: Campaign) -> str | None:
    """Why the number of blocks favours some of the trials that are compared, and which would not; None where it is
    fair: as many blocks as trials, or a multiple."""
    size, fewest, most = compared(campaign), campaign.fewest_blocks, campaign.most_blocks
    fair = [blocks for blocks in range(fewest, most + 1) if blocks % size == 0]
    if len(fair) == most + 1 - fewest:
        return None
    little = ", though in turns of seconds hardly a drift is left" if campaign.design == "turns" else ""
    if fewest == most:
        below = fewest // size * size
        said = f"{below} or {below + size} blocks" if below else f"{size} blocks"
        return (
            f"{fewest} block{'' if fewest == 1 else 's'} can't give each of {size} trials every place in a block "
            f"equally often, so a drift within blocks favours some of them{little}; {said} would be balanced"
        )
    said = f"only after {', '.join(map(str, fair))} blocks" if fair else "never"
    return (
        f"between {fewest} and {most} blocks each of {size} trials has had every place in a block equally often "
        f"{said}; otherwise a drift within blocks favours some of them{little}"
    )


def trial_seconds(campaign: Campaign) -> float:
    """Expected length of one trial, in seconds, before anything was measured."""
    indexed = any(isinstance(one, DocumentRecipe) and one.indexes for one in campaign.datasets.values())
    batched = _INDEXED_INSERTS_PER_S if indexed else _BATCHED_INSERTS_PER_S
    rate = batched if campaign.load.batch >= 10 else _INSERTS_PER_S
    verified = min(campaign.records, campaign.limits.verify_all_up_to)
    phases = sum(phase_seconds(campaign, workload) for workload in campaign.workloads.values())
    maintained = sum(workload.maintenance is not None for workload in campaign.workloads.values())
    maintenance_s = maintained * campaign.records * largest_document_bytes(campaign) / _MAINTAINED_BYTES_PER_S
    return _OVERHEAD_S + campaign.records / rate + phases + maintenance_s + verified / _VERIFIED_PER_S


def phase_seconds(campaign: Campaign, workload: Workload) -> float:
    """Expected length of one run phase, in seconds, before anything was measured."""
    if workload.measure_s is None:
        return (workload.operations or 0) / _RMW_PER_S
    warm = warm_up(campaign, workload, clients=1)
    return max(warm.seconds, warm.operations / _RMW_PER_S) + workload.measure_s


def data_disk_bytes(campaign: Campaign) -> int:
    """Disk that one trial's data directory may need, in bytes; it is removed when the trial ends."""
    each = largest_document_bytes(campaign)
    if any(arm.model is DocumentModel.NORMALISED for arm in campaign.arms.values()):
        each += campaign.document.fields * _ENTRY_BYTES
    return int(campaign.records * each * _GROWTH) + _JOURNAL_BYTES


def results_disk_bytes(trials: int) -> int:
    """Disk that the evidence of so many trials may need, in bytes."""
    return trials * _EVIDENCE_BYTES


def describe(campaign: Campaign) -> Iterator[str]:
    """The plan in words, for `make plan`."""
    fewest, most = campaign.fewest_blocks, campaign.most_blocks
    each = trial_seconds(campaign)
    count = fewest * len(cells(campaign))
    rounds = f"{fewest} blocks" if fewest == most else f"{fewest} to {most} blocks"
    yield f"{campaign.name}: {campaign.question}"
    yield (
        f"{len(campaign.engines)} engine(s) × {len(campaign.arms)} arms × {len(campaign.datasets)} dataset(s), "
        f"{rounds}: {count} trials" + (f", at most {most * len(cells(campaign))}" if most != fewest else "")
    )
    sizes = dict.fromkeys(document_bytes(campaign, dataset) for dataset in campaign.datasets)
    each_size = " or ".join(f"{size:,} bytes ({show_size(campaign.records * size)})" for size in sizes)
    caches = " or ".join(map(show_size, sorted({campaign.arm_cache_bytes(arm) for arm in campaign.arms})))
    yield f"{campaign.records:,} documents of {each_size} in each trial, cache {caches}"
    yield f"time: about {show_duration(each)} per trial, {show_duration(each * count)} in all"
    alive = compared(campaign) if campaign.design == "turns" else 1
    if alive > 1:
        yield (
            f"design: the {alive} trials of a block take turns of {campaign.turns.seconds:g} s, all alive at once, "
            "where the hosts allow it"
        )
    yield (
        f"disk: {show_size(alive * data_disk_bytes(campaign))} for data at any time, "
        f"{show_size(results_disk_bytes(count))} for results"
    )
    if fault := unbalanced(campaign):
        yield f"order: {fault}"
    for block in range(fewest):
        order = " → ".join(_short(campaign, trial.cell) for trial in plan_block(campaign, block))
        yield f"block {block_number(block)}: {order}"


def _short(campaign: Campaign, cell: Cell) -> str:
    """A cell's name, of the factors that vary."""
    parts = [
        cell.dataset if len(campaign.datasets) > 1 else "",
        cell.engine if len(campaign.engines) > 1 else "",
        cell.arm,
    ]
    return "/".join(part for part in parts if part)
