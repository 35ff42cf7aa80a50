"""Simulated campaigns with known truths: the error rates, coverage and power that docs/method.md quotes.

Repeat its tables with `python -m tests.analysis.simulate`, those of docs/gate.md with `…simulate_gate`. The judging is
the analysis' own code (`analysis.stats.inference`, `analysis.stats.scatter`), run on arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from analysis.stats.forecast import Levels, blocks_for_half_width, blocks_to_decide, detectable_effect
from analysis.stats.inference import Floats, Inference, holm, infer, p_difference, p_equivalence
from analysis.stats.scatter import moderated
from tests.analysis import simulate_answers, simulate_flips, simulate_looks, simulate_scatter, simulate_stalls

ALPHA = 0.05
MARGIN = math.log(1.03)
RESIDUAL = math.log(1.03)
"""One standard deviation of a trial's figure is a factor of 1.03."""
BLOCK_EFFECT = math.log(1.25)
ARMS, METRICS = 4, 6


@dataclass(frozen=True)
class Rate:
    """A simulated frequency."""

    hits: int
    of: int

    @property
    def value(self) -> float:
        return self.hits / self.of

    @property
    def error(self) -> float:
        """Its standard error, from simulating a finite number."""
        return math.sqrt(max(self.value * (1 - self.value), 1 / self.of) / self.of)

    def __str__(self) -> str:
        return f"{100 * self.value:.1f} % (± {100 * self.error:.1f})"


def rate(hits: ArrayLike) -> Rate:
    """How often `hits` are true."""
    return Rate(int(np.sum(hits)), np.size(hits))


def figures(
    rng: np.random.Generator,
    campaigns: int,
    blocks: int,
    *,
    arms: int = ARMS,
    metrics: int = METRICS,
    effect: float = 0.0,
    stalls: float = 0.0,
) -> Floats:
    """Logs [campaign, metric, arm, block]; `effect` is that of all arms but the first.

    In a share `stalls` of the blocks one of the arms, whichever was running, takes twice as long in every metric.
    """
    shape = (campaigns, arms, metrics, blocks)
    logs = rng.normal(0, RESIDUAL, shape) + rng.normal(0, BLOCK_EFFECT, (campaigns, 1, metrics, blocks))
    if stalls:
        struck = rng.integers(0, arms, (campaigns, blocks))
        happens = rng.random((campaigns, blocks)) < stalls
        hit = happens[:, None, :] & (struck[:, None, :] == np.arange(arms)[None, :, None])
        logs -= math.log(2) * hit[:, :, None, :]
    logs[:, 1:] += effect
    return np.asarray(logs.swapaxes(1, 2))


def log_ratios(rng: np.random.Generator, campaigns: int, blocks: int, **options: Any) -> Floats:
    """Log-ratios [campaign, comparison, block] of all arms but the first to the first."""
    logs = figures(rng, campaigns, blocks, **options)
    return np.asarray((logs[:, :, 1:] - logs[:, :, :1]).reshape(campaigns, -1, blocks))


def judged(logs: Floats) -> Inference:
    """What the analysis finds of figures: arrays [campaign, comparison], as those of `log_ratios`."""
    found = moderated(logs)
    mean, sd, se, df = (np.reshape(one, (len(logs), -1)) for one in (found.mean, found.sd, found.se, found.df))
    return Inference(mean, sd, se, found.n, df)


def covers(found: Inference, truth: float = 0.0) -> np.ndarray:
    """Whether the 95 % interval holds the truth."""
    return np.asarray(np.abs(found.mean - truth) <= found.half_width(95))


def found_different(found: Inference) -> np.ndarray:
    """Whether Holm's correction leaves a better or worse (equivalence, which goes before, can only take some away)."""
    return np.asarray(holm(p_difference(found)) <= ALPHA)


def found_equal(found: Inference) -> np.ndarray:
    """Whether Holm's correction leaves an equivalence."""
    return np.asarray(holm(p_equivalence(found, MARGIN)) <= ALPHA)


# ---- what the method page quotes -------------------------------------------------------------------------------------


def false_alarms(blocks: int, campaigns: int = 2_000, stalls: float = 0.0) -> tuple[Rate, Rate]:
    """A/A campaigns: the rate of those with any wrong better or worse, and the coverage of single intervals."""
    found = judged(figures(np.random.default_rng(100 + blocks), campaigns, blocks, stalls=stalls))
    return rate(found_different(found).any(axis=-1)), rate(covers(found))


def false_equivalence(blocks: int, campaigns: int = 2_000) -> Rate:
    """Campaigns whose every effect is exactly the margin: the rate of those with any equivalence."""
    found = judged(figures(np.random.default_rng(200 + blocks), campaigns, blocks, effect=MARGIN))
    return rate(found_equal(found).any(axis=-1))


def simulated_power(effect: float, blocks: int = 8, campaigns: int = 20_000, comparisons: int = 1) -> Rate:
    """How often an effect of one of two arms is found, as the only one of so many comparisons that is not nil."""
    rng = np.random.default_rng(300 + blocks)
    logs = figures(rng, campaigns, blocks, arms=2, metrics=comparisons)
    logs[:, 0, 1] += effect
    return rate(found_different(judged(logs))[:, 0])


def power_among_arms(effect: float, blocks: int, campaigns: int = 4_000) -> Rate:
    """How often an effect is found, as the only one of a campaign of four arms and six metrics."""
    logs = figures(np.random.default_rng(350 + blocks), campaigns, blocks)
    logs[:, 0, 1] += effect
    return rate(found_different(judged(logs))[:, 0])


def coverage_with_stalls(blocks: int, campaigns: int = 5_000) -> dict[str, tuple[Rate, float, Rate]]:
    """Estimators under one block in ten with a stall: coverage, median half-width, power at a 5 % effect."""
    ratios = log_ratios(np.random.default_rng(400 + blocks), campaigns, blocks, metrics=1, stalls=0.1)
    return compare_estimators(ratios.reshape(-1, blocks))


def compare_estimators(ratios: Floats) -> dict[str, tuple[Rate, float, Rate]]:
    """Mean with t interval, 20 % trimmed mean (Tukey, McLaughlin), median of pairs (Hodges, Lehmann)."""
    effect = math.log(1.05)
    found = {}
    for name, estimator in (("mean, t", _mean), ("trimmed mean", _trimmed), ("Hodges-Lehmann", _hodges_lehmann)):
        low, high = estimator(ratios)
        contains_nil = (low <= 0) & (high >= 0)
        contains_no_effect = (low + effect <= 0) & (high + effect >= 0)
        found[name] = (rate(contains_nil), float(np.median(high - low) / 2), rate(~contains_no_effect))
    return found


def _mean(ratios: Floats) -> tuple[Floats, Floats]:
    found = infer(ratios)
    return found.mean - found.half_width(95), found.mean + found.half_width(95)


def _trimmed(ratios: Floats) -> tuple[Floats, Floats]:
    n = ratios.shape[-1]
    cut = int(0.2 * n)
    kept = n - 2 * cut
    ordered = np.sort(ratios, axis=-1)
    winsorised = np.clip(ordered, ordered[:, [cut]], ordered[:, [n - cut - 1]])
    mean = ordered[:, cut : n - cut].mean(axis=-1)
    se = winsorised.std(axis=-1, ddof=1) * math.sqrt((n - 1) / (kept * (kept - 1)))
    half = stats.t.ppf(0.975, kept - 1) * se
    return mean - half, mean + half


def _hodges_lehmann(ratios: Floats) -> tuple[Floats, Floats]:
    n = ratios.shape[-1]
    first, second = np.triu_indices(n)
    pairs = np.sort((ratios[:, first] + ratios[:, second]) / 2, axis=-1)
    probabilities = np.ones(1)
    for rank in range(1, n + 1):
        probabilities = np.convolve(probabilities, [0.5, *[0.0] * (rank - 1), 0.5])
    rank = int(np.searchsorted(np.cumsum(probabilities), 0.025, side="right"))
    if rank == 0:
        return np.full(len(pairs), -np.inf), np.full(len(pairs), np.inf)
    return pairs[:, rank - 1], pairs[:, -rank]


@dataclass(frozen=True)
class Forecast:
    """How the forecast of further blocks compares with the blocks it then took, over undecided campaigns."""

    total_ratio: float
    """Geometric mean of forecast ÷ actual number of blocks in total."""
    further_ratio: float
    """The same for the further ones alone."""
    decided_in_time: Rate
    """How often a campaign was decided once the forecast blocks were there."""


EFFECTS = tuple(math.log1p(percent / 100) for percent in (0, 1, 2, 3, 5, 8))


def forecast(blocks: int, campaigns: int = 400, most: int = 150) -> Forecast:
    """Campaigns of one arm, six metrics and effects of 0 to 8 %, undecided after `blocks`, carried on one by one."""
    rng = np.random.default_rng(500 + blocks)
    ratios = rng.normal(0, math.sqrt(2) * RESIDUAL, (campaigns, len(EFFECTS), most)) + np.array(EFFECTS)[:, None]
    decided = np.zeros((campaigns, len(EFFECTS), most + 1), dtype=bool)
    levels: list[tuple[np.ndarray, np.ndarray]] = []
    for n in range(2, most + 1):
        found = infer(ratios[..., :n])
        different, equal = found_different(found), found_equal(found)
        decided[..., n] = different | equal
        if n == blocks:
            levels.append((different, equal))
            start = found
    different, equal = levels[0]
    totals, actual = [], []
    in_time = []
    for campaign, comparison in zip(*np.nonzero(~decided[..., blocks]), strict=True):
        open_levels = Levels(*(ALPHA / int(np.sum(~claim[campaign])) for claim in (different, equal)))
        mean, sd = float(start.mean[campaign, comparison]), float(start.sd[campaign, comparison])
        total = max(blocks + 1, blocks_to_decide(mean, sd, 0.0, MARGIN, open_levels) or most)
        later = decided[campaign, comparison, blocks + 1 :]
        totals.append(total)
        actual.append(blocks + 1 + int(np.argmax(later)) if later.any() else most)
        in_time.append(decided[campaign, comparison, min(total, most)])
    said, took = np.array(totals, dtype=float), np.array(actual, dtype=float)
    return Forecast(
        total_ratio=float(np.exp(np.mean(np.log(said / took)))),
        further_ratio=float(np.exp(np.mean(np.log((said - blocks) / (took - blocks))))),
        decided_in_time=rate(np.array(in_time)),
    )


@dataclass(frozen=True)
class Stopped:
    """A/A campaigns that stopped by a rule."""

    false_alarms: Rate
    coverage: Rate
    mean_blocks: float


def stopped_at_precision(
    target_percent: float, minimum: int = 3, maximum: int = 10, metrics: int = METRICS, arms: int = ARMS
) -> Stopped:
    """Stop once every interval's half-width is at the target, whatever it holds."""
    target = math.log1p(target_percent / 100)
    return _stopped(lambda found: (found.half_width(95) <= target).all(axis=-1), minimum, maximum, metrics, arms)


def stopped_at_significance(minimum: int = 3, maximum: int = 10, metrics: int = METRICS, arms: int = ARMS) -> Stopped:
    """Stop at the first better or worse, each time at the full level: the rule that Pressgauge does not have."""
    return _stopped(lambda found: found_different(found).any(axis=-1), minimum, maximum, metrics, arms)


def stopped_when_decided(minimum: int = 3, maximum: int = 30) -> Stopped:
    """One comparison, carried on until it has a verdict at the full level: what a user does who always follows the
    forecast."""
    return _stopped(lambda found: (found_different(found) | found_equal(found)).all(axis=-1), minimum, maximum, 1, 2)


Rule = Callable[[Inference], ArrayLike]


def _stopped(rule: Rule, minimum: int, maximum: int, metrics: int, arms: int, campaigns: int = 4_000) -> Stopped:
    logs = figures(np.random.default_rng(600 + maximum), campaigns, maximum, arms=arms, metrics=metrics)
    running = np.ones(campaigns, dtype=bool)
    alarms, covered, blocks = [], [], []
    for n in range(minimum, maximum + 1):
        found = judged(logs[running, ..., :n])
        stops = np.asarray(rule(found)) if n < maximum else np.ones(int(running.sum()), dtype=bool)
        wrong = found_different(found) & ~found_equal(found)
        alarms.append(wrong[stops].any(axis=-1))
        covered.append(covers(found)[stops].ravel())
        blocks.append(np.full(int(stops.sum()), n))
        running[np.flatnonzero(running)[stops]] = False
    return Stopped(rate(np.concatenate(alarms)), rate(np.concatenate(covered)), float(np.mean(np.concatenate(blocks))))


# ---- the tables ----------------------------------------------------------------------------------------------------


def tables() -> Iterable[str]:
    """The tables of docs/method.md."""
    yield "A/A campaigns: any wrong better or worse; coverage; at the margin: any wrong equivalence"
    for blocks in (3, 4, 5, 6, 8, 10):
        family, coverage = false_alarms(blocks)
        yield f"  {blocks:2} blocks: {family}; {coverage}; {false_equivalence(blocks)}"
    yield "The same with one block in ten stalled: any wrong better or worse; coverage"
    for blocks in (3, 5, 8, 10):
        family, coverage = false_alarms(blocks, stalls=0.1)
        yield f"  {blocks:2} blocks: {family}; {coverage}"
    yield "Power at 8 blocks: one comparison"
    for percent in (5, -5, 3, 10):
        yield f"  {percent:+} %: {simulated_power(math.log1p(percent / 100))}"
    yield f"  +5 % among {(ARMS - 1) * METRICS} comparisons: {power_among_arms(math.log(1.05), 8)}"
    yield from planning_table()
    yield "Estimators: coverage; median half-width; power at 5 %"
    for label, stalls in (("quiet", 0.0), ("one block in ten stalled", 0.1)):
        for blocks in (3, 5, 8, 10, 20):
            rng = np.random.default_rng(400 + blocks)
            ratios = log_ratios(rng, 5_000, blocks, metrics=1, stalls=stalls).reshape(-1, blocks)
            for name, (coverage, half, power) in compare_estimators(ratios).items():
                yield f"  {label}, {blocks:2} blocks, {name}: {coverage}; ±{100 * math.expm1(half):.1f} %; {power}"
    yield "Forecast ÷ actual: blocks in total; further blocks; decided by then"
    for blocks in (3, 4, 6, 10):
        found = forecast(blocks)
        yield f"  {blocks:2} blocks: {found.total_ratio:.2f}; {found.further_ratio:.2f}; {found.decided_in_time}"
    yield "Stopping rules on A/A campaigns: any wrong better or worse; coverage; mean blocks"
    rules = {
        "±5 % on 18 comparisons, 3 to 10 blocks": stopped_at_precision(5.0),
        "±3 % on 18 comparisons, 3 to 20 blocks": stopped_at_precision(3.0, maximum=20),
        "±3 % on 1 comparison, 3 to 20 blocks": stopped_at_precision(3.0, maximum=20, metrics=1, arms=2),
        "±3 % on 1 comparison, 5 to 20 blocks": stopped_at_precision(3.0, 5, maximum=20, metrics=1, arms=2),
        "at significance, 18 comparisons, 3 to 10 blocks": stopped_at_significance(),
        "at significance, 18 comparisons, 3 to 20 blocks": stopped_at_significance(maximum=20),
        "when decided, 1 comparison, 3 to 30 blocks": stopped_when_decided(),
        "fixed 10 blocks": stopped_at_precision(1e-9),
    }
    for rule, stopped in rules.items():
        yield f"  {rule}: {stopped.false_alarms}; {stopped.coverage}; {stopped.mean_blocks:.1f}"


def typical_scatter(blocks: int) -> tuple[float, float]:
    """In campaigns of four arms that scatter alike: the degrees of freedom that the others add to a pair's own, and the
    estimated scatter over the true one (root mean square)."""
    found = judged(figures(np.random.default_rng(800 + blocks), 4_000, blocks, metrics=1))
    return float(np.mean(found.df)) - (blocks - 1), float(np.sqrt(np.mean(np.square(found.sd)) / 2)) / RESIDUAL


def planning_table() -> Iterable[str]:
    """What can be seen through the scatter of stored sizes, a quiet host's, and a shared one's."""
    for factor in (1.011, 1.028, 1.03, 1.07):
        sd = math.sqrt(2) * math.log(factor)
        yield (
            f"Residuals of {factor}: smallest effect seen with 80 % power, one comparison of two arms; of four arms; "
            "and as the first of 18"
        )
        for blocks in (3, 5, 8, 12, 20):
            prior, wider = typical_scatter(blocks)
            asked = ((ALPHA, 0.0, 1.0), (ALPHA, prior, wider), (ALPHA / 18, prior, wider))
            seen = [detectable_effect(sd * by, blocks, level, prior=df) or 0.0 for level, df, by in asked]
            yield f"  {blocks:2} blocks: " + ", ".join(f"{100 * math.expm1(one):.1f} %" for one in seen)
        for percent in (3, 5, 10):
            yield f"  ±{percent} %: {blocks_for_half_width(sd, math.log1p(percent / 100), 0.025)} blocks"


if __name__ == "__main__":
    sections = (simulate_scatter, simulate_looks, simulate_flips, simulate_stalls, simulate_answers)
    for line in chain(tables(), *(section.tables() for section in sections)):
        print(line, flush=True)  # noqa: T201
