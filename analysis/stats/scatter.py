"""The scatter of log-ratios, estimated from all compared levels of a metric together.

With few blocks a pair's own scatter is hardly known: three blocks leave it two degrees of freedom. The other levels
ran in the same blocks, and tell about it as far as all scatter alike. So a pair's own variance is moderated (Smyth
2004): it is averaged with a common one, which counts like a few further degrees of freedom. How many depends on
whether one level scatters clearly more than the others (Cochran 1941): then the pair's own scatter is left alone.
docs/method.md has the simulations that these constants were chosen by.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from analysis.stats.inference import ROUNDING, Floats, Inference

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

PRIOR_PER_LEVEL = 1.25
"""Degrees of freedom that the common variance is worth for each level outside the pair, where all scatter alike."""

MOST_PRIOR = 3.0
"""Degrees of freedom that it is worth at most: with more, unlike scatters would make false verdicts."""


def moderated(logs: ArrayLike, floor: ArrayLike = 0.0) -> Inference:
    """The log-ratios of all levels but the first to the first, from logs [..., level, block] without gaps.

    The result's arrays are [..., level − 1]. With two levels it is `infer`: there is nothing to moderate with. `floor`
    is as there.
    """
    table = np.asarray(logs, dtype=float)
    levels, n = table.shape[-2:]
    if n < 2 or levels < 2:
        raise ValueError("inference needs at least two levels and two blocks")
    ratios = table[..., 1:, :] - table[..., :1, :]
    own = ratios.var(axis=-1, ddof=1)
    common, prior = _common(table, own)
    df = n - 1 + prior
    sd = np.sqrt((prior * common + (n - 1) * own) / df)
    sd = np.where(sd < ROUNDING, 0.0, sd)
    return Inference(ratios.mean(axis=-1), sd, np.maximum(sd / np.sqrt(n), floor), n, np.broadcast_to(df, sd.shape))


def _common(table: Floats, own: Floats) -> tuple[Floats, Floats]:
    """The common variance of a log-ratio, and the degrees of freedom that it is worth; both [..., 1].

    It is that of the analysis of variance by level and block, or the largest of any pair's if that is larger: where the
    first level is the noisy one, all pairs scatter more than the analysis of variance shows.
    """
    levels, n = table.shape[-2:]
    residuals = table - table.mean(axis=-2, keepdims=True)
    residuals = residuals - residuals.mean(axis=-1, keepdims=True)
    squares = np.square(residuals).sum(axis=-1)
    total = squares.sum(axis=-1, keepdims=True)
    pooled = 2 * total / ((levels - 1) * (n - 1))
    worth = min(PRIOR_PER_LEVEL * (levels - 2), MOST_PRIOR)
    return np.maximum(pooled, own.max(axis=-1, keepdims=True)), worth * _alike(squares, total, n)


def _alike(squares: Floats, total: Floats, n: int) -> Floats:
    """The p-value of "all levels scatter alike", by the noisiest level's share of the residual squares [..., 1].

    A level's share, over (levels − 1) / levels, has a beta distribution if they do; Bonferroni's bound over the levels.
    """
    levels = squares.shape[-1]
    if levels == 2:  # each is the other's mirror image
        return np.ones_like(total)
    most = squares.max(axis=-1, keepdims=True) * levels / (levels - 1)
    share = np.divide(most, total, out=np.zeros_like(total), where=total > 0)
    beyond = special.betaincc((n - 1) / 2, (levels - 2) * (n - 1) / 2, np.minimum(share, 1.0))
    return np.asarray(np.minimum(levels * beyond, 1.0))
