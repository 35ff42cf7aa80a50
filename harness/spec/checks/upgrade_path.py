"""Which engines may take over whose files: MongoDB goes forward, and one major release at a time."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from analysis.trial.engine.counters import release

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.spec.campaign import Campaign

RELEASES: tuple[tuple[int, int], ...] = (
    (3, 6), (4, 0), (4, 2), (4, 4), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0),
)  # fmt: skip
"""Major releases in their order; rapid releases between them are no stations of an upgrade."""


def stations(campaign: Campaign, engine: str) -> list[str]:
    """The engines of a cell in their order: the one of the load, and those that take the files over; often just one."""
    return [*campaign.engines[engine].upgraded_from, engine]


def faults(campaign: Campaign, engine: str) -> Iterator[str]:
    """What is wrong with the way an engine's files are to go; for an illegal step, the steps that would work."""
    spec = campaign.engines[engine]
    if spec.upgraded_from and campaign.topology.kind != "standalone":
        yield f"only a standalone can be upgraded in place, not a {campaign.topology.kind}"
    for name in spec.upgraded_from:
        if name not in campaign.engines:
            yield f"{name!r} is not an engine of this campaign; its engines: {', '.join(campaign.engines)}"
        elif name == engine or campaign.engines[name].upgraded_from:
            yield f"{name!r} is itself an in-place upgrade; name the engines one by one"
    path = stations(campaign, engine)
    if any(name not in campaign.engines for name in path):
        return
    versions = [campaign.engines[name].version for name in path]
    for before, after in itertools.pairwise(versions):
        if not _may_follow(before, after):
            yield f"mongod {after} does not start on the files of {before}: {_way(before, after, campaign)}"
            return


def _may_follow(before: str, after: str) -> bool:
    """Whether the engine `after` may take over the files of `before`."""
    old, new = release(before), release(after)
    if old == new:
        return _patch(before) <= _patch(after)
    return old in RELEASES and new in RELEASES and RELEASES.index(new) == RELEASES.index(old) + 1


def _patch(version: str) -> int:
    return int(version.split(".")[2])


def _way(before: str, after: str, campaign: Campaign) -> str:
    """The steps that work, with this campaign's engines where it has one of the release."""
    old, new = release(before), release(after)
    if old not in RELEASES or new not in RELEASES:
        return "upgrades go through major releases only"
    if (new, _patch(after)) < (old, _patch(before)):
        return "MongoDB only starts on files of older versions"
    between = RELEASES[RELEASES.index(old) + 1 : RELEASES.index(new)]
    own = {release(one.version): name for name, one in campaign.engines.items() if not one.upgraded_from}
    names = [own.get(station, "") for station in between]
    way = " → ".join((before, *_named(between, names), after))
    missing = [f"{major}.{minor}" for (major, minor), name in zip(between, names, strict=True) if not name]
    told = f"upgrades go one major release at a time; the steps that work: {way}"
    return told + (f" (add an engine of {' and '.join(missing)} to this campaign)" if missing else "")


def _named(between: Sequence[tuple[int, int]], names: Sequence[str]) -> Iterator[str]:
    for (major, minor), name in zip(between, names, strict=True):
        yield name or f"{major}.{minor}.x"
