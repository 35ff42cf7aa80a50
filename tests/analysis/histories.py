"""Made-up histories of runs for the change points: a page as an index has it, with or without a step that is known."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from analysis.gate.history import FEWEST_RUNS, Series, Step, steps
from analysis.stats.metrics import metric
from analysis.stats.quantities import Estimate, Unit
from tests.analysis.simulate import Rate, rate
from tests.analysis.simulate_gate import ARMS, GATED, HOUR_SD, RATIO_SD, SIZE_SD, TURNS, moods

if TYPE_CHECKING:
    from collections.abc import Iterable

    from analysis.gate.history import Change
    from analysis.stats.inference import Floats

PRIMARY = {key: power for key, power in GATED.items() if metric(key).primary}
HOST = "rmw.throughput"
BLOCKS = 4
MARGIN_PERCENT = 3.0


@dataclass(frozen=True)
class Truth:
    """What is true of a host from run to run, though no arm changes."""

    persistence: float = 0.0
    """Of its moods: how much of one run's level (log) is left in the next."""
    slow_day: float = 1.0
    """Speed in one run of all, drawn."""
    slower_from_middle: float = 1.0
    """Speed from the middle run on."""
    goes_with: float = 0.0
    """How far ratios go with the host's level, in arm and metric as drawn once: 0.3 is 3 % for 10 %, one standard
    deviation."""
    size_sd: float = SIZE_SD


QUIET = Truth()


def run_id(number: int) -> str:
    return f"2026{1 + number // 28:02d}{1 + number % 28:02d}T000000Z"


def page(runs: int, seed: int, truth: Truth = QUIET) -> list[Series]:
    """What is followed of four arms in blocks of turns: sizes, ratios to snappy, and snappy's level."""
    rng = np.random.default_rng(seed)
    levels = moods(rng, runs, truth.persistence)
    levels[rng.integers(0, runs)] += math.log(truth.slow_day)
    levels[runs // 2 :] += math.log(truth.slower_from_middle)
    found = [_series(arm, HOST, levels + rng.normal(0, HOUR_SD / math.sqrt(BLOCKS), runs), host="the host")
             for arm in ARMS[:1]]  # fmt: skip
    for key, power in PRIMARY.items():
        scatter = (TURNS if power else truth.size_sd) / math.sqrt(BLOCKS)
        logs = {arm: rng.normal(0, scatter, runs) for arm in ARMS}
        if not power:
            found += [_series(arm, key, logs[arm]) for arm in ARMS]
            continue
        for arm in ARMS[1:]:
            moved = rng.normal(0, RATIO_SD, runs) + rng.normal(0, truth.goes_with) * levels
            found.append(_series(arm, key, logs[arm] - logs[ARMS[0]] + moved, against=ARMS[0]))
    return found


def _series(arm: str, key: str, logs: Floats, against: str = "", host: str = "") -> Series:
    unit = Unit.RATIO if against else metric(key).unit
    figures = {
        run_id(number): Estimate(value=1000 * math.exp(log), n=BLOCKS, unit=unit, confidence_percent=95)
        for number, log in enumerate(logs)
    }
    return Series(None, None, arm, key, figures, against=against, host=host)


def stepped(every: list[Series], arm: str, key: str, at: int, factor: float) -> list[Series]:
    """The page with one series multiplied from run number `at` on."""

    def moved(series: Series) -> Series:
        figures = {
            run: figure.model_copy(update={"value": figure.value * factor}) if number >= at else figure
            for number, (run, figure) in enumerate(series.figures.items())
        }
        return replace(series, figures=figures)

    return [moved(one) if (one.arm, one.metric) == (arm, key) and not one.host else one for one in every]


def found(every: list[Series]) -> tuple[Step, ...]:
    return steps(every, MARGIN_PERCENT)


def of_arms(told: Iterable[Step]) -> list[Change]:
    """The changes that are not said to be the host's."""
    return [change for step in told for change in step.changes if not change.series.host]


def of_hosts(told: Iterable[Step]) -> list[Change]:
    """Those that are."""
    return [change for step in told for change in step.changes if change.series.host]


def false_alarms(runs: int, pages: int, truth: Truth = QUIET) -> Rate:
    """Pages on which an arm changes although none did."""
    return rate(np.array([bool(of_arms(found(page(runs, seed, truth)))) for seed in range(pages)]))


def hosts_named(runs: int, at: int, pages: int, truth: Truth) -> tuple[Rate, float]:
    """Pages on which the host is said to have moved with run `at`; and with how many runs a page it is."""
    told = [[change.run_id for change in of_hosts(found(page(runs, seed, truth)))] for seed in range(pages)]
    return rate(np.array([run_id(at) in moved for moved in told])), float(np.mean([len(moved) for moved in told]))


def false_alarms_so_far(runs: int, pages: int) -> dict[int, Rate]:
    """By number of runs: pages on which anything has changed at any look so far, one look after every run from the
    first that can be judged on, although nothing did."""
    looks = range(FEWEST_RUNS, runs + 1)
    wrong = [
        [bool(of_arms(found(_first(every, n)))) for n in looks] for every in (page(runs, seed) for seed in range(pages))
    ]
    so_far = np.logical_or.accumulate(np.array(wrong), axis=1)
    return {n: rate(so_far[:, place]) for place, n in enumerate(looks)}


def _first(every: list[Series], runs: int) -> list[Series]:
    """The page as it was after its first runs."""
    return [replace(one, figures=dict(islice(one.figures.items(), runs))) for one in every]


def hits(runs: int, at: int, key: str, factor: float, pages: int) -> Rate:
    """Pages on which a planted step is found, at the right run and nowhere else in its series."""
    right = []
    for seed in range(pages):
        told = of_arms(found(stepped(page(runs, seed), "zstd", key, at, factor)))
        changes = [(change.run_id, change.series.arm, change.series.metric) for change in told]
        right.append([run for run, arm, metric in changes if (arm, metric) == ("zstd", key)] == [run_id(at)])
    return rate(np.array(right))


TRUTHS = {
    "levels persist by 0.5": Truth(0.5),
    "levels persist by 0.8": Truth(0.8),
    "one day 30 % slower": Truth(slow_day=0.7),
    "30 % slower from the middle on": Truth(slower_from_middle=0.7),
    "30 % slower from the middle on, levels persist by 0.8": Truth(0.8, slower_from_middle=0.7),
    "ratios go with the host by 0.1, levels persist by 0.8": Truth(0.8, goes_with=0.1),
    "ratios go with the host by 0.3, levels persist by 0.8": Truth(0.8, goes_with=0.3),
    "sizes scatter by 0.011": Truth(size_sd=0.011),
    "sizes scatter by 0.028": Truth(size_sd=0.028),
}


def table() -> Iterable[str]:
    """The table of docs/gate.md."""
    yield "Histories: any false change; throughput −10 % and −20 %, storage +5 %, each from the middle on, found there"
    for runs in (4, 6, 8, 12, 20, 30):
        speeds = [hits(runs, runs // 2, "rmw.throughput", factor, 200) for factor in (0.9, 0.8)]
        storage = hits(runs, runs // 2, "storage_bytes_per_document", 1.05, 200)
        yield f"  {runs:2} runs: {false_alarms(runs, 500)}; {'; '.join(map(str, speeds))}; {storage}"
    yield "Of 12 and 20 runs: any false change of an arm; the host named with the middle run; runs that name it"
    for label, truth in TRUTHS.items():
        for runs in (12, 20):
            named, times = hosts_named(runs, runs // 2, 100, truth)
            yield f"  {label}, {runs} runs: {false_alarms(runs, 400, truth)}; {named}, {times:.1f}"
    yield "Histories that are looked at after every run: any false change so far"
    for runs, alarms in false_alarms_so_far(20, 200).items():
        yield f"  {runs:2} runs: {alarms}"
