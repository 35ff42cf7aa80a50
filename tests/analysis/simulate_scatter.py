"""Simulated campaigns whose arms scatter alike or not: what estimating the scatter together costs and buys.

`python -m tests.analysis.simulate` prints its tables. Figures are logs [campaign, metric, arm, block], the baseline
first; rules make inferences [campaign, metric, arm − 1] of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from analysis.stats.inference import Floats, Inference, holm, infer, p_difference, p_equivalence
from analysis.stats.scatter import moderated

ALPHA, MARGIN = 0.05, math.log(1.03)
METRICS, ARMS = 6, 4
SD = 0.035
"""Of a trial's figure; which one does not matter where nothing is equivalent."""

Rule = Callable[[Floats], Inference]


# ---- rules ---------------------------------------------------------------------------------------------------------


def own(logs: Floats) -> Inference:
    """Each pair by its own scatter: Student's t."""
    return infer(logs[..., 1:, :] - logs[..., :1, :])


def anova(logs: Floats) -> Inference:
    """All pairs by the residual scatter of the analysis of variance by arm and block."""
    found, (arms, n) = own(logs), logs.shape[-2:]
    residuals = logs - logs.mean(axis=-2, keepdims=True)
    residuals -= residuals.mean(axis=-1, keepdims=True)
    df = (arms - 1) * (n - 1)
    sd = np.sqrt(2 * np.square(residuals).sum(axis=(-1, -2)) / df)[..., None] + 0 * found.sd
    return found._replace(sd=sd, se=sd / math.sqrt(n), df=df)


def larger(logs: Floats) -> Inference:
    """The larger one of both, with the degrees of freedom of the analysis of variance."""
    one, other = own(logs), anova(logs)
    return other._replace(sd=np.maximum(one.sd, other.sd), se=np.maximum(one.se, other.se))


RULES: dict[str, Rule] = {"own": own, "pooled": anova, "larger": larger, "moderated": moderated}


# ---- noise ---------------------------------------------------------------------------------------------------------


def noise(
    rng: np.random.Generator,
    campaigns: int,
    blocks: int,
    *,
    arms: int = ARMS,
    kind: str = "normal",
    factors: Sequence[float] = (),
    noisy_metrics: int = METRICS,
    metrics: int = METRICS,
    correlation: float = 0.0,
    walk: str = "",
) -> Floats:
    """Residuals of trials. `factors` multiply the scatter of the first arms, in the first `noisy_metrics` metrics.

    `walk`: `drift` adds half a standard deviation from a trial to the next one, in an order drawn anew in each block;
    `ar` a first-order autoregression of 0.7 along the trials.
    """
    shape = (campaigns, metrics, arms, blocks)
    if kind == "tails":
        logs = rng.standard_t(3, shape) / math.sqrt(3)
    elif kind == "skew":
        logs = (rng.gamma(4, size=shape) - 4) / 2
    else:
        logs = rng.normal(size=shape)
    if correlation:
        common = rng.normal(size=(campaigns, 1, arms, blocks))
        logs = math.sqrt(correlation) * common + math.sqrt(1 - correlation) * logs
    for arm, factor in enumerate(factors):
        logs[:, :noisy_metrics, arm] *= factor
    if walk:
        logs += _walk(rng, walk, campaigns, arms, blocks)[:, None]
    return np.asarray(SD * logs)


def _walk(rng: np.random.Generator, walk: str, campaigns: int, arms: int, blocks: int) -> Floats:
    """What the moment of a trial adds, in standard deviations [campaign, arm, block]."""
    place = rng.permuted(np.broadcast_to(np.arange(arms), (campaigns, blocks, arms)), axis=-1)
    if walk == "drift":
        return np.asarray(0.5 * place.swapaxes(1, 2))
    steps = rng.normal(size=(campaigns, blocks * arms))
    for moment in range(1, blocks * arms):
        steps[:, moment] = 0.7 * steps[:, moment - 1] + math.sqrt(1 - 0.7**2) * steps[:, moment]
    return np.asarray(np.take_along_axis(steps.reshape(campaigns, blocks, arms), place, axis=-1).swapaxes(1, 2))


NOISES: dict[str, dict[str, object]] = {
    "all alike": {},
    "baseline × 1.5": {"factors": (1.5,)},
    "baseline × 2": {"factors": (2.0,)},
    "baseline × 3": {"factors": (3.0,)},
    "baseline × 6": {"factors": (6.0,)},
    "baseline × 20": {"factors": (20.0,)},
    "one arm × 3": {"factors": (1.0, 3.0)},
    "one arm × 6": {"factors": (1.0, 6.0)},
    "each its own: × 3, 1.7, 1, 0.6": {"factors": (3.0, 1.7, 1.0, 0.6)},
    "one arm hardly scatters": {"factors": (1.0, 0.05)},
    "one metric's baseline × 3": {"factors": (3.0,), "noisy_metrics": 1},
    "heavy tails (t, 3 df)": {"kind": "tails"},
    "heavy tails, baseline × 3": {"kind": "tails", "factors": (3.0,)},
    "skew": {"kind": "skew"},
    "skew, baseline × 3": {"kind": "skew", "factors": (3.0,)},
    "metrics correlated 0.7": {"correlation": 0.7},
    "correlated, baseline × 3": {"correlation": 0.7, "factors": (3.0,)},
    "drift": {"walk": "drift"},
    "drift, baseline × 3": {"walk": "drift", "factors": (3.0,)},
    "autocorrelated": {"walk": "ar"},
}  # fmt: skip


# ---- questions -----------------------------------------------------------------------------------------------------


def _questions(p: Floats) -> Floats:
    return p.reshape(len(p), -1)


def any_difference(found: Inference) -> np.ndarray:
    """The campaigns in which Holm's correction leaves a better or worse."""
    return np.asarray((holm(_questions(p_difference(found))) <= ALPHA).any(axis=-1))


def decided(found: Inference) -> np.ndarray:
    """Which questions have a verdict [campaign, question]."""
    different = holm(_questions(p_difference(found))) <= ALPHA
    return np.asarray(different | (holm(_questions(p_equivalence(found, MARGIN))) <= ALPHA))


def false_alarms(rule: Rule, blocks: int, case: str, campaigns: int = 10_000, arms: int = ARMS) -> np.ndarray:
    """A/A campaigns: which of them have a wrong better or worse."""
    rng = np.random.default_rng(1000 + blocks)
    options = NOISES[case]
    return any_difference(rule(noise(rng, campaigns, blocks, arms=arms, **options)))  # type: ignore[arg-type]


QUICK = np.log1p(np.array([[58, -38, -39], [-15, -21, -11], [6, -58, -31], [-36, 291, 225], [-11, 210, 68]]) / 100)
"""What runs of the default campaign found against snappy [metric, arm]: storage, insert throughput, RMW throughput, p99
and CPU, of none, zlib and zstd."""

SIZES = math.sqrt(2) * np.array([0.011, 0.028])
"""How much the log-ratio of stored sizes scatters: a load's own scatter, of a quiet and a loud kind, on both sides."""

SCATTERS: dict[str, tuple[float, ...]] = {
    "sequential, quiet": (SIZES[0], 0.10, 0.10, 0.15, 0.08),
    "sequential, loud": (SIZES[1], 0.20, 0.20, 0.30, 0.15),
    "turns, quiet": (SIZES[0], 0.025, 0.025, 0.05, 0.01),
    "turns, loud": (SIZES[1], 0.045, 0.045, 0.10, 0.05),
}
"""Of a block's log-ratio, by metric."""


def like_quick(rng: np.random.Generator, campaigns: int, blocks: int, scatter: str, **options: object) -> Floats:
    """Campaigns with the default campaign's effects, under one design's scatter."""
    logs = noise(rng, campaigns, blocks, metrics=len(QUICK), **options) / SD  # type: ignore[arg-type]
    logs *= (np.array(SCATTERS[scatter]) / math.sqrt(2))[:, None, None]
    logs[:, :, 1:] += QUICK[:, :, None]
    return logs


def mean_decided(rule: Rule, blocks: int, scatter: str, campaigns: int = 4_000) -> float:
    """The mean number of the default campaign's questions that have a verdict."""
    rng = np.random.default_rng(1100 + blocks)
    return float(decided(rule(like_quick(rng, campaigns, blocks, scatter))).sum(axis=-1).mean())


def changed(blocks: int, scatter: str, campaigns: int = 4_000) -> tuple[float, float, float, float]:
    """Questions of one campaign, on average, that have a verdict by the pair's own scatter but not together; together
    but not by its own; another one together; a wrong one together (direction, or equivalence beyond the margin)."""
    logs = like_quick(np.random.default_rng(1100 + blocks), campaigns, blocks, scatter)
    before, after = (_verdicts(rule(logs)) for rule in (own, moderated))
    truth = np.where(np.abs(QUICK) <= MARGIN, EQUAL, np.sign(QUICK)).ravel()
    kept, now = before != 0, after != 0
    counts = (kept & ~now, now & ~kept, kept & now & (before != after), now & (after != truth))
    lost, gained, flipped, wrong = (float(one.sum(axis=-1).mean()) for one in counts)
    return lost, gained, flipped, wrong


EQUAL = 2.0


def _verdicts(found: Inference) -> np.ndarray:
    """The sign of an established difference, EQUAL, or 0 [campaign, question]."""
    different = holm(_questions(p_difference(found))) <= ALPHA
    equal = holm(_questions(p_equivalence(found, MARGIN))) <= ALPHA
    return np.where(equal, EQUAL, np.where(different, np.sign(_questions(found.mean)), 0.0))


def coverage(rule: Rule, blocks: int, case: str, campaigns: int = 10_000) -> float:
    """How often a single 95 % interval holds the truth."""
    options = NOISES[case]
    found = rule(noise(np.random.default_rng(1200 + blocks), campaigns, blocks, **options))  # type: ignore[arg-type]
    return float((np.abs(found.mean) <= found.half_width(95)).mean())


def width(rule: Rule, blocks: int, campaigns: int = 10_000) -> float:
    """The median half-width of a 95 % interval, in standard deviations of a log-ratio."""
    found = rule(noise(np.random.default_rng(1200 + blocks), campaigns, blocks))
    return float(np.median(found.half_width(95))) / (SD * math.sqrt(2))


# ---- tables --------------------------------------------------------------------------------------------------------


def tables() -> Iterable[str]:
    """The tables of docs/method.md about the scatter."""
    yield "A/A campaigns of 4 arms and 6 metrics with a wrong better or worse, in %: " + ", ".join(RULES)
    for case in NOISES:
        for blocks in (3, 4, 8):
            rates = [100 * false_alarms(rule, blocks, case).mean() for rule in RULES.values()]
            yield f"  {case}, {blocks} blocks: " + ", ".join(f"{one:.1f}" for one in rates)
    yield "The same by moderated scatters, of 3, 5 and 8 arms"
    for case in ("all alike", "baseline × 3", "one arm × 3", "baseline × 6"):
        for blocks in (2, 3, 5):
            rates = [100 * false_alarms(moderated, blocks, case, 5_000, arms).mean() for arms in (3, 5, 8)]
            yield f"  {case}, {blocks} blocks: " + ", ".join(f"{one:.1f}" for one in rates)
    yield from _power_tables()
    yield "Coverage in % of 95 % intervals (all alike; baseline × 3; one arm × 3), median half-width: own, moderated"
    for blocks in (3, 4, 6, 8, 12):
        for rule in (own, moderated):
            covered = [100 * coverage(rule, blocks, case) for case in ("all alike", "baseline × 3", "one arm × 3")]
            said = ", ".join(f"{one:.1f}" for one in covered)
            yield f"  {blocks} blocks, {rule.__name__}: {said}; {width(rule, blocks):.2f} sd"


def _power_tables() -> Iterable[str]:
    yield f"Questions of the default campaign with a verdict, of {QUICK.size}: " + ", ".join(RULES)
    for scatter in SCATTERS:
        for blocks in (3, 4, 6, 8):
            yield f"  {scatter}, {blocks} blocks: " + ", ".join(
                f"{mean_decided(rule, blocks, scatter):.1f}" for rule in RULES.values()
            )
    yield "Questions whose verdict is lost, new, another one, wrong, where scatter is estimated together"
    for scatter in SCATTERS:
        for blocks in (3, 4, 8):
            said = ", ".join(f"{one:.3f}" for one in changed(blocks, scatter))
            yield f"  {scatter}, {blocks} blocks: {said}"
