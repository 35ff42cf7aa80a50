"""A run against earlier ones: they share no block, so how far figures move from run to run has to be allowed for.

Of one earlier run it is Welch's t on logarithms, with that drift as a known variance. Of several, the earlier runs' own
scatter tells the drift more and more: the interval is one of prediction, for where another run of theirs would lie.
"""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import special

from analysis.stats.inference import Inference

if TYPE_CHECKING:
    from collections.abc import Sequence

DRIFT_IS_WORTH = 5.0
"""Degrees of freedom of the allowed drift, beside those of the scatter between earlier runs."""

EARLIER_ARE_WORTH = 6.0
"""Degrees of freedom that several earlier runs' scatter within blocks has at most, beside the candidate's own."""

_MANY = 1e6
"""Degrees of freedom at which t is the normal distribution."""


class Sample(NamedTuple):
    """The logarithms of one run's blocks."""

    mean: float
    variance: float
    """Of one block."""
    n: int

    @classmethod
    def of(cls, logs: Sequence[float]) -> Sample:
        """Of at least two blocks."""
        return cls(float(np.mean(logs)), float(np.var(logs, ddof=1)), len(logs))

    @property
    def of_mean(self) -> float:
        """Variance of the mean."""
        return self.variance / self.n


def against_earlier(
    candidate: Sample, earlier: Sequence[Sample], floor: float, drift: float, leaning: float = 0.0
) -> Inference:
    """The log-ratio of a run to the mean of earlier ones (at least one).

    Args:
        candidate: The run's blocks.
        earlier: Those of each earlier run.
        floor: As in `infer`.
        drift: Standard deviation of a run's level (log) beyond what its own blocks show, as far as the earlier runs
            don't tell it themselves. No number of blocks averages it out.
        leaning: Standard deviation of what is to be allowed for beyond that in the candidate alone, whose host moved.
    """
    k = len(earlier)
    own, own_df = _moderated(candidate, earlier) if k > 1 else (candidate.of_mean, candidate.n - 1.0)
    within, within_df = fmean(one.of_mean for one in earlier), sum(one.n - 1 for one in earlier)
    between = float(np.var([one.mean for one in earlier], ddof=1)) if k > 1 else 0.0
    told = (k - 1) / (DRIFT_IS_WORTH + k - 1)
    of_a_run = (1 - told) * (within + drift**2) + told * between
    moved = max(of_a_run - within, 0.0)
    total = own + moved + of_a_run / k + leaning**2
    # Satterthwaite's; what is only allowed for is known.
    shares = [own**2 / own_df]
    if moved:
        shares += [(((1 + 1 / k) * (1 - told) - 1) * within) ** 2 / within_df]
        shares += [((1 + 1 / k) * told * between) ** 2 / max(k - 1, 1)]
    else:
        shares += [(of_a_run / k) ** 2 / (within_df if k == 1 else DRIFT_IS_WORTH + k - 1)]
    df = min(total**2 / sum(shares), _MANY) if sum(shares) > 0 else _MANY
    scatter = math.sqrt(candidate.variance + fmean(one.variance for one in earlier))
    return Inference(
        mean=np.asarray(candidate.mean - fmean(one.mean for one in earlier)),
        sd=np.asarray(scatter),
        se=np.asarray(max(math.sqrt(total), floor)),
        n=candidate.n + sum(one.n for one in earlier),
        df=df,
    )


def _moderated(candidate: Sample, earlier: Sequence[Sample]) -> tuple[float, float]:
    """Variance of the candidate's mean, and its degrees of freedom: few blocks tell it badly, so the earlier runs'
    scatter joins in, the less the more the candidate scatters beyond it (by the p-value of an F test).
    """
    df, theirs_df = candidate.n - 1, sum(one.n - 1 for one in earlier)
    theirs = sum((one.n - 1) * one.variance for one in earlier) / theirs_df
    alike = float(special.fdtrc(df, theirs_df, candidate.variance / theirs)) if theirs > 0 else 0.0
    worth = min(theirs_df, EARLIER_ARE_WORTH) * alike
    moderated = (worth * max(theirs, candidate.variance) + df * candidate.variance) / (worth + df)
    return moderated / candidate.n, worth + df
