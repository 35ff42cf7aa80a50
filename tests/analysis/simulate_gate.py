"""Simulated gates and histories with known truths: what docs/gate.md claims, by the gate's own code.

python -m tests.analysis.simulate_gate
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from analysis.gate.judge import GateVerdict, gate
from analysis.gate.sides import Figure, Side, SideCell
from analysis.gate.tolerances import Tolerances
from analysis.stats.criteria import Criteria
from analysis.trial.records import Cell, Compressor, Settings
from tests.analysis.simulate import Rate, rate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from analysis.gate.judge import Gate

GATED = {
    "compression_ratio": 0, "storage_bytes_per_document": 0, "insert.throughput": 1, "rmw.throughput": 1, "rmw.p99": -1,
    "rmw.mongod_cpu_us_per_operation": -0.5, "insert.disk_written_bytes_per_operation": -0.5,
    "rmw.disk_written_bytes_per_operation": -0.5,
}  # fmt: skip
"""What a gate checks by default, and how far each goes with the host's speed."""
HOUR_SD, RUN_SD = 0.05, 0.08
"""Standard deviations of logs: of a block's hour, of a run's level."""
SIZE_SD = 0.02
"""Of a load's sizes: 0.011 to 0.028 were measured."""
SEQUENTIAL, TURNS = 0.07, 0.03
"""Of a trial's figures of speed, by design."""
RATIO_SD = 0.02
"""Of how far a run's ratios move though nothing changed."""
ARMS = ("snappy", "none", "zlib", "zstd")
CHANGED = "zstd"
WIDE = Tolerances(percent=5)


@dataclass(frozen=True)
class Night:
    """What is true of one run. All are logarithms."""

    level: float = 0.0
    """Of the host's speed."""
    change: float = 0.0
    """Of the changed arm's speed."""
    noisier: float = 1.0
    """Its trials scatter so many times as much."""


Tilt = dict[tuple[str, str], float]
"""How far each arm's and metric's figures go with the host's level beyond the others'."""


def night(
    rng: np.random.Generator, name: str, true: Night, blocks: int, trial_sd: float, tilt: Tilt, *, reference: bool
) -> Side:
    """A run of four arms."""
    hours, noise = true.level + rng.normal(0, HOUR_SD, blocks), trial_sd * true.noisier
    speeds = {arm: hours + (true.change if arm == CHANGED else 0.0) for arm in ARMS}
    cells = [Cell(engine="e0", arm=arm, dataset="sentences") for arm in ARMS]
    drifts = {
        (arm, key): rng.normal(0, RATIO_SD) + true.level * tilt[arm, key] if power else 0.0
        for arm in ARMS
        for key, power in GATED.items()
    }
    return _side(rng, name, list(zip(cells, speeds.values(), strict=True)), noise, drifts, reference=reference)


def engines_of_one_run(rng: np.random.Generator, blocks: int, change: float) -> Side:
    """A run of two engines with one arm each, one after the other."""
    hours = rng.normal(0, HOUR_SD, blocks)
    cells = [Cell(engine=engine, arm="snappy", dataset="sentences") for engine in ("e0", "e1")]
    return _side(rng, "a", list(zip(cells, (hours, hours + change), strict=True)), SEQUENTIAL, {}, reference=False)


def _side(
    rng: np.random.Generator,
    run: str,
    cells: Sequence[tuple[Cell, np.ndarray]],
    trial_sd: float,
    drifts: Mapping[tuple[str, str], float],
    *,
    reference: bool,
) -> Side:
    figures = [
        Figure(number, block, key, math.exp(
            power * level + drifts.get((cell.arm, key), 0.0) + rng.normal(0, trial_sd if power else SIZE_SD)
        ), 1e-4)
        for number, (cell, speed) in enumerate(cells)
        for block, level in enumerate(speed)
        for key, power in GATED.items()
    ]  # fmt: skip
    asked = Settings(block_compressor=Compressor.SNAPPY, cache_size_bytes=2**30)
    return Side(
        campaign="simulated",
        run_id=run,
        criteria=Criteria(baseline="snappy", baseline_engine="e0", reference_engine="e0" if reference else None),
        decision=(),
        facts={},
        cells=tuple(
            SideCell(cell=cell, version=None, settings=asked, blocks=tuple(range(len(speed)))) for cell, speed in cells
        ),
        figures=tuple(figures),
        counters=(),
    )


@dataclass(frozen=True)
class Gates:
    """What many gates said."""

    failed: Rate
    named: Rate
    """In which the changed arm was called regressed."""
    others: Rate
    """In which another one was."""
    inconclusive: Rate
    """With exit code 5."""
    shows_percent: float
    """The smallest change of the changed arm's throughput that was shown, median."""

    def __str__(self) -> str:
        parts = (self.failed, self.named, self.others, self.inconclusive)
        return "; ".join(map(str, parts)) + f"; {self.shows_percent:.0f} %"


def between_runs(
    candidate: Night,
    *,
    blocks: int = 8,
    trial_sd: float = TURNS,
    reference: bool = True,
    earlier: int = 1,
    persistence: float = 0.0,
    goes_with: float = 0.0,
    many: int = 400,
) -> Gates:
    """A run against earlier ones, whose levels persist from run to run by so much, and whose ratios go with them."""
    rng = np.random.default_rng([blocks, earlier, int(1000 * trial_sd)])
    found = []
    for _ in range(many):
        levels = moods(rng, earlier + 1, persistence)
        tilt = {(arm, key): rng.normal(0, goes_with) if goes_with else 0.0 for arm in ARMS for key in GATED}
        runs = [
            night(rng, f"{number:03d}", Night(level), blocks, trial_sd, tilt, reference=reference)
            for number, level in enumerate(levels[:-1])
        ]
        true = Night(candidate.level + levels[-1], candidate.change, candidate.noisier)
        ours = night(rng, "candidate", true, blocks, trial_sd, tilt, reference=reference)
        found.append(gate(runs, ours, WIDE))
    return _gates(found)


def moods(rng: np.random.Generator, runs: int, persistence: float) -> np.ndarray:
    """Levels of a host from run to run (logs), an autoregressive series of first order."""
    shocks, levels = rng.normal(0, RUN_SD, runs), np.empty(runs)
    levels[0] = shocks[0]
    for number in range(1, runs):
        levels[number] = persistence * levels[number - 1] + math.sqrt(1 - persistence**2) * shocks[number]
    return levels


def _gates(found: Sequence[Gate]) -> Gates:
    regressed = [{check.pair for check in one.of(GateVerdict.REGRESSED)} for one in found]
    shown = [
        check.shows_percent
        for one in found
        for check in one.checks
        if check.metric == "rmw.throughput" and CHANGED in check.pair and check.shows_percent is not None
    ]
    return Gates(
        failed=rate([one.fails(strict=False) for one in found]),
        named=rate([any(CHANGED in pair for pair in pairs) for pairs in regressed]),
        others=rate([any(CHANGED not in pair for pair in pairs) for pairs in regressed]),
        inconclusive=rate([not one.fails(strict=False) and bool(one.blind) for one in found]),
        shows_percent=float(np.median(shown)),
    )


def within_a_run(blocks: int, many: int = 1_000, change: float = 0.0) -> Rate:
    """How often the gate fails within one run: A/A with `change` 0, else with every rate's log moved by it."""
    rng = np.random.default_rng(700 + blocks)
    runs = (engines_of_one_run(rng, blocks, change) for _ in range(many))
    return rate([gate([run], run, Tolerances()).fails(strict=False) for run in runs])


DAYS = {
    "nothing changed": Night(),
    "the host 30 % slower": Night(level=math.log(0.7)),
    "the host 30 % slower, trials scatter twice as much": Night(level=math.log(0.7), noisier=2),
    "one arm −10 %, the host 5 % slower": Night(level=math.log(0.95), change=math.log(0.9)),
    "one arm −20 %": Night(change=math.log(0.8)),
    "one arm −20 %, the host 30 % slower": Night(level=math.log(0.7), change=math.log(0.8)),
}
WAYS = {"levels": (False, 1, 400), "reference": (True, 1, 400), "reference, ten earlier runs": (True, 10, 100)}
"""Whether there is a reference, how many earlier runs, and how many gates are held."""


def tables() -> Iterable[str]:
    """The tables of docs/gate.md on gates."""
    yield "Gates within one run that fail: A/A, all rates 20 % lower, all rates 40 % lower"
    for blocks in (3, 4, 5, 8):
        alarms = [within_a_run(blocks, change=math.log(kept)) for kept in (1.0, 0.8, 0.6)]
        yield f"  {blocks} blocks: {'; '.join(map(str, alarms))}"
    for design, trial_sd, blocks in (("turns", TURNS, 4), ("turns", TURNS, 8), ("one after the other", SEQUENTIAL, 8)):
        yield f"Between runs, {design}, {blocks} blocks: failed; the changed arm named; another named; exit 5; shows"
        for day, true in DAYS.items():
            for way, (reference, earlier, many) in WAYS.items():
                found = between_runs(
                    true, blocks=blocks, trial_sd=trial_sd, reference=reference, earlier=earlier, many=many
                )
                yield f"  {day}, {way}: {found}"
    yield "The same with moods that last (autocorrelation 0.8), 8 blocks in turns, ten earlier runs"
    for day, true in DAYS.items():
        yield f"  {day}: {between_runs(true, earlier=10, persistence=0.8, many=100)}"

    yield "The host 30 % slower, and ratios go with it (by a standard deviation of its level), 8 blocks in turns"
    for goes_with in (0.1, 0.3):
        for persistence, earlier in ((0.0, 1), (0.0, 10), (0.8, 10)):
            found = between_runs(
                Night(math.log(0.7)), earlier=earlier, persistence=persistence, goes_with=goes_with, many=200
            )
            yield f"  by {goes_with}, {earlier} earlier, whose moods persist by {persistence}: {found}"


if __name__ == "__main__":
    from tests.analysis import histories

    for line in chain(tables(), histories.table()):
        print(line, flush=True)  # noqa: T201
