"""Simulated campaigns of an arm that stalls now and then: what its intervals are worth, and how often that is seen.

`python -m tests.analysis.simulate` prints its tables. The truth is the arm's mean over endless trials, stalls included.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analysis.stats.scatter import moderated
from analysis.stats.stalls import Look, named, spells
from tests.analysis.simulate_scatter import ARMS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from analysis.stats.inference import Floats

TRIAL_SD = math.log(1.03)
"""Of a trial's figure without stalls, beyond what its turns explain: what another load brings."""
TURN_SD = (0.08, 0.08, 0.15, 0.23)
"""Of a turn's figure, by arm: ratios of turns scatter by 0.11 (two like arms), 0.17 (zstd) and 0.24 (zlib) then, as
real ones did."""
ROUNDS = {"insert": 4, "rmw": 7, "steady": 2}
"""Measured turns of a trial, as in the default campaign."""
STALLING = 1
"""The arm that stalls."""


@dataclass(frozen=True)
class Stalls:
    """How often what stalls, and to which part of its speed."""

    share: float
    factor: float
    of: str = "trials"
    """Whole trials, single turns, or half of the turns of bad trials."""
    alike: bool = False
    """Whether all arms stall so."""


def turns(
    rng: np.random.Generator, campaigns: int, blocks: int, rounds: int, stalls: Stalls
) -> tuple[Floats, np.ndarray]:
    """Logs of turns [campaign, arm, block, round], and which of them stalled; each round has a mood of its own."""
    shape = (campaigns, ARMS, blocks, rounds)
    logs = rng.normal(size=shape) * np.array(TURN_SD)[:, None, None] + rng.normal(0, TRIAL_SD, (*shape[:-1], 1))
    logs += rng.normal(0, 0.1, (campaigns, 1, blocks, rounds)) - 0.3 * np.arange(ARMS)[:, None, None]
    if stalls.of == "turns":
        struck = rng.random(shape) < stalls.share
    else:
        struck = np.broadcast_to(rng.random((*shape[:-1], 1)) < stalls.share, shape)
        if stalls.of == "bad trials":
            struck = struck & (rng.random(shape) < 0.5)
    able = np.ones(ARMS, dtype=bool) if stalls.alike else np.arange(ARMS) == STALLING
    struck = struck & able[:, None, None]
    return np.asarray(logs - math.log(stalls.factor) * struck), struck


def coverage(blocks: int, stalls: Stalls, campaigns: int = 4_000) -> tuple[float, float]:
    """How often the interval of the stalling arm against the baseline holds the truth: of all campaigns, and of those
    in which it has stalled. A trial's figure is the mean of its turns' rates."""
    rng = np.random.default_rng(1800 + blocks)
    rounds = ROUNDS["rmw"]
    logs, struck = turns(rng, campaigns, blocks, rounds, stalls)
    endless, _ = turns(rng, 100_000 // blocks, blocks, rounds, stalls)
    truth = np.mean(np.diff(_of_trials(endless)[:, :2], axis=1))
    found = moderated(_of_trials(logs))
    holds = (np.abs(found.mean - truth) <= found.half_width(95))[:, STALLING - 1]
    return float(holds.mean()), float(holds[struck[:, STALLING].any(axis=(-1, -2))].mean())


def _of_trials(logs: Floats) -> Floats:
    return np.asarray(np.log(np.exp(logs).mean(axis=-1)))


def seen(blocks: int, stalls: Stalls, campaigns: int = 300) -> tuple[float, float]:
    """How often the caveat names the arm, and how often another one."""
    rng = np.random.default_rng(1900 + blocks)
    right = wrong = 0
    for _ in range(campaigns):
        logs, _ = turns(rng, 1, blocks, sum(ROUNDS.values()), stalls)
        parts = np.split(np.exp(logs[0]), np.cumsum(list(ROUNDS.values()))[:-1], axis=-1)
        looks = [look for name, part in zip(ROUNDS, parts, strict=True) for look in _looks(name, part)]
        arms = set(named(spells(looks), Counter(look.arm for look in looks)))
        right += f"arm{STALLING}" in arms
        wrong += bool(arms - {f"arm{STALLING}"})
    return right / campaigns, wrong / campaigns


def _looks(workload: str, rates: Floats) -> Iterable[Look]:
    for (arm, block, round_), per_s in np.ndenumerate(rates):
        yield Look(f"arm{arm}", block, workload, round_, float(per_s))


CASES = (
    *(Stalls(share, factor) for factor in (2.0, 3.0) for share in (0.05, 0.1, 0.2)),
    *(Stalls(share, 2.5, "turns") for share in (0.05, 0.1, 0.2)),
    *(Stalls(0.1, 2.5, of, alike=True) for of in ("turns", "trials", "bad trials")),
)


def tables() -> Iterable[str]:
    """The table of docs/method.md about arms that stall."""
    yield (
        "One arm stalls: coverage of its 95 % interval at 3, 4, 8 and 20 blocks, and where it has stalled; arm named, "
        "another one named (4, 8)"
    )
    for stalls in CASES:
        both = [coverage(blocks, stalls) for blocks in (3, 4, 8, 20)]
        covered = ", ".join(f"{100 * every:.0f} ({100 * struck:.0f})" for every, struck in both)
        told = ["; ".join(f"{100 * one:.0f}" for one in seen(blocks, stalls)) for blocks in (4, 8)]
        yield f"  {stalls}: {covered} %; {' | '.join(told)} %"
