"""Made-up histories of runs for the change points: a page as an index has it, with or without a step that is known."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from analysis.gate.history import FEWEST_RUNS, Series, Step, steps
from analysis.stats.metrics import metric
from analysis.stats.quantities import Estimate
from tests.analysis.simulate import GATED, HOUR_SD, RUN_SD, SIZE_SD, TRIAL_SD, Rate, rate

if TYPE_CHECKING:
    from collections.abc import Iterable

ARMS = ("none", "snappy", "zlib", "zstd")
PRIMARY = {key: power for key, power in GATED.items() if metric(key).primary}
BLOCKS = 4
MARGIN_PERCENT = 3.0


def run_id(number: int) -> str:
    return f"2026{1 + number // 28:02d}{1 + number % 28:02d}T000000Z"


def page(runs: int, seed: int) -> list[Series]:
    """Every primary metric of four arms: means of four blocks, around a level that each run draws for all its arms."""
    rng = np.random.default_rng(seed)
    levels = rng.normal(0, RUN_SD, runs)
    of_speed = math.hypot(TRIAL_SD, HOUR_SD) / math.sqrt(BLOCKS)
    return [
        Series(None, None, arm, key, {
            run_id(number): Estimate(
                value=1000 * math.exp(power * level + rng.normal(0, of_speed if power else SIZE_SD)),
                n=BLOCKS, unit=metric(key).unit, confidence_percent=95,
            )
            for number, level in enumerate(levels)
        })
        for arm in ARMS
        for key, power in PRIMARY.items()
    ]  # fmt: skip


def stepped(every: list[Series], arm: str, key: str, at: int, factor: float) -> list[Series]:
    """The page with one series multiplied from run number `at` on."""

    def moved(series: Series) -> Series:
        figures = {
            run: figure.model_copy(update={"value": figure.value * factor}) if number >= at else figure
            for number, (run, figure) in enumerate(series.figures.items())
        }
        return replace(series, figures=figures)

    return [moved(one) if (one.arm, one.metric) == (arm, key) else one for one in every]


def found(every: list[Series]) -> tuple[Step, ...]:
    return steps(every, MARGIN_PERCENT)


def false_alarms(runs: int, pages: int) -> Rate:
    """Pages on which anything changes although nothing did."""
    return rate(np.array([bool(found(page(runs, seed))) for seed in range(pages)]))


def false_alarms_so_far(runs: int, pages: int) -> dict[int, Rate]:
    """By number of runs: pages on which anything has changed at any look so far, one look after every run from the
    first that can be judged on, although nothing did."""
    looks = range(FEWEST_RUNS, runs + 1)
    wrong = [[bool(found(_first(every, n))) for n in looks] for every in (page(runs, seed) for seed in range(pages))]
    so_far = np.logical_or.accumulate(np.array(wrong), axis=1)
    return {n: rate(so_far[:, place]) for place, n in enumerate(looks)}


def _first(every: list[Series], runs: int) -> list[Series]:
    """The page as it was after its first runs."""
    return [replace(one, figures=dict(islice(one.figures.items(), runs))) for one in every]


def hits(runs: int, at: int, key: str, factor: float, pages: int) -> Rate:
    """Pages on which a planted step is found, at the right run and nowhere else in its series."""
    right = []
    for seed in range(pages):
        told = found(stepped(page(runs, seed), "zstd", key, at, factor))
        changes = [(change.run_id, change.series.arm, change.series.metric) for step in told for change in step.changes]
        right.append([run for run, arm, metric in changes if (arm, metric) == ("zstd", key)] == [run_id(at)])
    return rate(np.array(right))


def table() -> Iterable[str]:
    """The table of docs/gate.md."""
    yield "Histories: any false change; throughput −20 % and −40 %, storage +5 %, each from the middle on, found there"
    for runs in (4, 6, 8, 12, 20, 30):
        speeds = [hits(runs, runs // 2, "rmw.throughput", factor, 400) for factor in (0.8, 0.6)]
        storage = hits(runs, runs // 2, "storage_bytes_per_document", 1.05, 400)
        yield f"  {runs:2} runs: {false_alarms(runs, 1_000)}; {'; '.join(map(str, speeds))}; {storage}"
    yield "Histories that are looked at after every run: any false change so far"
    for runs, alarms in false_alarms_so_far(20, 400).items():
        yield f"  {runs:2} runs: {alarms}"


if __name__ == "__main__":
    for line in table():
        print(line)  # noqa: T201
