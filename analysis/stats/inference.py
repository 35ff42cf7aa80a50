"""The statistics, on bare arrays: t inference on log-ratios, equivalence, Holm's correction.

Everything works along the last axis, so a simulation of thousands of campaigns runs the very code that judges one.
Effects are natural logarithms of ratios. docs/method.md has the formulas, sources and simulated error rates.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special  # not scipy.stats: it takes longer to import than a report takes to decide

Floats = NDArray[np.float64]

ROUNDING = 1e-12
"""Log-ratios that scatter less than this differ by the computer's rounding only: they do not scatter."""


class Inference(NamedTuple):
    """What n log-ratios say: arrays of one shape (scalars as 0-d arrays), `n` common to all."""

    mean: Floats
    sd: Floats
    se: Floats
    """Standard error of the mean, never below the resolution of the measurement."""
    n: int
    df: int | float | Floats
    """Degrees of freedom of `se`; n − 1 for pairs, Welch and Satterthwaite's for two samples."""
    share: float = 1.0
    """What this look may spend of the level, where a campaign is looked at after several blocks (`Looks`)."""

    def half_width(self, confidence_percent: float) -> Floats:
        """Half the width of the t interval of the mean log-ratio."""
        tail = self.share * (0.5 - confidence_percent / 200)
        return np.asarray(-t_quantile_of(self.df, tail) * self.se)


def infer(log_ratios: ArrayLike, floor: ArrayLike = 0.0) -> Inference:
    """Mean, standard deviation and standard error of n >= 2 log-ratios along the last axis.

    `floor` is the relative resolution of the readings behind a ratio. Rounding may err the same way in every block, so
    it does not average out: it bounds the standard error itself, and n identical readings get no interval of width 0.
    """
    values = np.asarray(log_ratios, dtype=float)
    n = values.shape[-1]
    if n < 2:
        raise ValueError("inference needs at least two blocks")
    sd = np.asarray(values.std(axis=-1, ddof=1))
    sd = np.where(sd < ROUNDING, 0.0, sd)
    return Inference(values.mean(axis=-1), sd, np.maximum(sd / np.sqrt(n), floor), n, n - 1)


def pooled(candidate: ArrayLike, baseline: ArrayLike, floor: ArrayLike = 0.0) -> Inference:
    """The log-ratio of two independent samples of logs that scatter alike (at least three values together, along the
    last axis), by Student's t: where one side may be a single value, which has no scatter of its own. `floor` is as in
    `infer`; `sd` is the two samples' combined scatter, as of a difference of one value each.
    """
    ours, theirs = np.asarray(candidate, dtype=float), np.asarray(baseline, dtype=float)
    n, m = ours.shape[-1], theirs.shape[-1]
    if min(n, m) < 1 or n + m < 3:
        raise ValueError("two samples that scatter alike need at least three values")
    spread = n * ours.var(axis=-1) + m * theirs.var(axis=-1)
    each = np.sqrt(spread / (n + m - 2))
    each = np.where(each < ROUNDING, 0.0, each)
    se = np.maximum(each * np.sqrt(1 / n + 1 / m), floor)
    return Inference(ours.mean(axis=-1) - theirs.mean(axis=-1), each * np.sqrt(2), se, n + m, n + m - 2)


def t_quantile_of(df: float | Floats, probability: float) -> Floats:
    """The quantile of Student's t distribution, for one or many degrees of freedom."""
    if isinstance(df, int):
        return np.asarray(t_quantile(df, probability))
    return np.asarray(special.stdtrit(df, probability))


@lru_cache(maxsize=4096)
def t_quantile(df: int, probability: float) -> float:
    """The quantile of Student's t distribution."""
    return float(special.stdtrit(df, probability))


def _t_beyond(t: Floats, df: float | Floats) -> Floats:
    """The probability that Student's t exceeds `t`."""
    return np.asarray(special.stdtr(df, -t))


def p_difference(found: Inference) -> Floats:
    """Two-sided p-value of "the ratio is 1". Without scatter and resolution (se = 0) nothing is known: p = 1."""
    known = found.se > 0
    t = np.divide(np.abs(found.mean), found.se, out=np.zeros_like(found.se), where=known)
    return np.where(known, np.minimum(2 * _t_beyond(t, found.df) / found.share, 1.0), 1.0)


def p_equivalence(found: Inference, margin: float) -> Floats:
    """P-value of "the log-ratio lies outside ± margin": the larger of the two one-sided tests' p-values."""
    known = found.se > 0
    room = margin - np.abs(found.mean)
    t = np.divide(room, found.se, out=np.zeros_like(found.se), where=known)
    return np.where(known, np.minimum(_t_beyond(t, found.df) / found.share, 1.0), 1.0)


def holm(p_values: ArrayLike) -> Floats:
    """Holm's adjusted p-values of one family, along the last axis."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, axis=-1, kind="stable")
    steps = np.take_along_axis(p, order, axis=-1) * np.arange(p.shape[-1], 0, -1)
    ascending = np.minimum(np.maximum.accumulate(steps, axis=-1), 1.0)
    adjusted = np.empty_like(ascending)
    np.put_along_axis(adjusted, order, ascending, axis=-1)
    return adjusted
