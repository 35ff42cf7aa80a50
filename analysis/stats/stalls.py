"""Arms that stall now and then: more often than the others slower by far than they usually are at that time.

A stall that strikes one trial in ten mostly has not happened yet when a campaign of few blocks ends, and intervals
don't hold it then (docs/method.md has their coverage). Turns show an arm that is prone to stalls: each is a look at it
beside the others in the same seconds. What counts is a spell, however many turns it lasts: one bad minute is one event.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

from analysis.stats.effects import Group
from analysis.stats.metrics import workload_of
from analysis.stats.rounds import rate_per_s

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from analysis.stats.inference import Floats
    from analysis.trial.records import TrialRecord

SLOW = math.log(1.5)
"""A turn is slow if it lies below what is usual for its arm and round by this log, or more."""

BEYOND = 3.0
"""… and by this many robust standard deviations of its arm, which may scatter more than others without any stall."""

MOST_SPELLS = 2
"""Of one trial that count: a single bad trial is no habit of its arm."""

LEVEL = 0.02
"""How often any arm is named if spells strike all alike and each by itself, at most; bad trials have two."""


class Look(NamedTuple):
    """How fast an arm was in one turn, or in a phase whose trial ran alone."""

    arm: str
    block: int
    workload: str
    round: int
    per_s: float


@dataclass(frozen=True)
class Unsteady:
    """An arm that stalls more often than the others of its group."""

    group: Group
    arm: str
    spells: int
    looks: int
    """Its turns, or phases."""
    other_spells: int
    other_looks: int
    in_turns: bool


def unsteady_arms(records: Sequence[TrialRecord]) -> Iterator[Unsteady]:
    """The arms, by group, that stall more often than the others; only counting records say."""
    counting = [record for record in records if record.counts]
    groups = list(dict.fromkeys(Group.of(record.cell) for record in counting))
    for group in groups:
        inside = [record for record in counting if group.holds(record.cell)]
        looks = [look for record in inside for look in _looks(record)]
        stood_still = {(record.cell.arm, record.block) for record in inside if _stood_still(record)}
        in_turns = any(phase.turns for record in inside for phase in record.phases)
        struck, seen = spells(looks, stood_still), Counter(look.arm for look in looks)
        for arm in named(struck, seen, LEVEL / len(groups)):
            others = struck.total() - struck[arm], seen.total() - seen[arm]
            yield Unsteady(group, arm, struck[arm], seen[arm], *others, in_turns)


def named(struck: Counter[str], seen: Counter[str], level: float = LEVEL) -> Iterator[str]:
    """The arms with so many of all spells (`struck`), for their looks (`seen`), that chance, by Bonferroni's bound,
    would hardly have dealt them.
    """
    for arm, count in seen.items():
        chance = stats.binom.sf(struck[arm] - 1, struck.total(), count / seen.total())
        if len(seen) > 1 and chance * len(seen) <= level:
            yield arm


def _looks(record: TrialRecord) -> Iterator[Look]:
    for phase in record.phases:
        rates = [(turn.round, rate_per_s(turn)) for turn in phase.turns] or [(0, phase.throughput_per_s)]
        for round_, per_s in rates:
            if per_s is not None and math.isfinite(per_s) and per_s >= 0:
                yield Look(record.cell.arm, record.block, workload_of(phase), round_, per_s)


def _stood_still(record: TrialRecord) -> bool:
    return any(flag.code == "stalled" for flag in record.flags)


def spells(looks: Iterable[Look], stood_still: Iterable[tuple[str, int]] = ()) -> Counter[str]:
    """How many spells of slow turns each arm had; a trial (arm, block) that stood still had one at least."""
    by_workload: dict[str, list[Look]] = {}
    for look in looks:
        by_workload.setdefault(look.workload, []).append(look)
    of_trial = Counter(dict.fromkeys(stood_still, 1))
    found: Counter[tuple[str, int]] = Counter()
    for inside in by_workload.values():
        found.update(_of_workload(inside))
    of_trial |= found
    arms: Counter[str] = Counter()
    for (arm, _), count in of_trial.items():
        arms[arm] += min(count, MOST_SPELLS)
    return arms


def _of_workload(looks: Sequence[Look]) -> Counter[tuple[str, int]]:
    """The spells of each trial (arm, block) in one workload."""
    arms = list(dict.fromkeys(look.arm for look in looks))
    moments = sorted({(look.block, look.round) for look in looks})
    table = np.full((len(arms), len(moments)), np.nan)
    places = {moment: place for place, moment in enumerate(moments)}
    for look in looks:
        # A turn without an operation is as slow as can be, and has no logarithm.
        table[arms.index(look.arm), places[look.block, look.round]] = math.log(max(look.per_s, 1e-3))
    found: Counter[tuple[str, int]] = Counter()
    for arm, slow in zip(arms, _slow(table), strict=True):
        for (block, is_slow), _ in groupby(zip((block for block, _ in moments), slow, strict=True)):
            found[arm, block] += bool(is_slow)
    return found


def _slow(table: Floats) -> Floats:
    """Which of the logs [arm, moment] lie far below what is usual for the arm, and for that moment."""
    table = np.where((~np.isnan(table)).sum(axis=0) > 1, table, np.nan)
    if np.isnan(table).all(axis=-1).any():  # an arm that never ran beside another one
        return np.zeros(table.shape, dtype=bool)
    beside = np.zeros(table.shape[1])
    known = ~np.isnan(table).all(axis=0)
    left = table
    for _ in range(3):  # median polish: enough for a table that is nearly additive
        left = left - np.nanmedian(left, axis=-1, keepdims=True)
        beside[known] = np.nanmedian(left[:, known], axis=0)
        left = left - beside
    left = left - np.nanmedian(left, axis=-1, keepdims=True)
    scatter = 1.4826 * np.nanmedian(np.abs(left), axis=-1, keepdims=True)
    return np.asarray(left < -np.maximum(SLOW, BEYOND * scatter))
