"""What an engine has otherwise than Pressgauge knows of its version, from the evidence of trials on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analysis.trial.engine.counters import COUNTERS, is_checked, is_due, sources
from analysis.trial.engine.ftdc_format import FtdcError
from analysis.trial.engine.time_series import SERIES
from analysis.trial.engine.wiredtiger_config import option_names, options
from analysis.trial.settings import SETTINGS
from core.nested import inside
from harness.evidence.engine_seconds import read_samples
from harness.evidence.steps import read_json

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from analysis.trial.engine.counters import Counter, Place
    from analysis.trial.records import TrialRecord

_OF_THE_ENGINE = {"allocator-unlike-packages", "counter-not-known"}
"""Flags that say something of the mongod, and not of the host or of how little was measured."""
_OF_THE_DISK = "systemMetrics.disks."


def differences(record: TrialRecord, folder: Path) -> Iterator[str]:
    """What is missing, there beside what is known, or not in force as asked, a sentence each."""
    for reason in record.void:
        yield f"the trial is void: {reason.message}"
    for flag in record.flags:
        if flag.code in _OF_THE_ENGINE:
            yield flag.message
    if record.in_force is None:
        return
    version = record.in_force.version
    yield from _of_options(record.in_force.creation_string)
    try:
        snapshot = read_json(folder / "snapshot.loaded.json")
        status = snapshot["counters_after_checkpoint"]["server_status"]
        roots = sources(status, snapshot["coll_stats"])
        there = read_samples(folder / "diagnostic.data", version).values
    except (FtdcError, OSError, ValueError, LookupError, AttributeError) as error:
        yield f"its evidence can't be read: {type(error).__name__}: {error}"
        return
    due = [counter for counter in COUNTERS if is_due(roots[counter.source], counter)]
    for counter in due:
        yield from _of_counter(counter, version, roots[counter.source])
    yield from _of_series(version, there, set(COUNTERS).difference(due))


def known(records: Sequence[TrialRecord], version: str) -> Iterator[str]:
    """What was looked at."""
    yield f"counters: {len(COUNTERS)}; figures of the diagnostic data: {len(SERIES)}; options of a collection"
    asked = [record.asked for record in records]
    read = (one.label for one in SETTINGS if any(one.expected(getattr(each, one.key)) is not None for each in asked))
    yield f"settings read back: {', '.join(read)}"
    if not is_checked(version):
        yield f"nobody has looked up the names of {version} in its source: docs/engines.md"


def _of_counter(counter: Counter, version: str, root: Mapping[str, Any] | None) -> Iterator[str]:
    having = [place for place in counter.ways(version) if _has(root, place)]
    expected = counter.expected(version)
    if not having:
        yield f"{counter.key}: {_named(expected)} is missing"
    elif expected not in having:
        yield f"{counter.key}: it is {_named(having[0])}; {_named(expected)} was expected"
    for place in having[1:] if expected in having else ():
        yield f"{counter.key}: there is {_named(place)} beside {_named(expected)}"


def _has(root: Mapping[str, Any] | None, place: Place) -> bool:
    section = inside(root, *place.sections)
    return isinstance(section, dict) and all(name in section for name in place.statistics)


def _named(place: Place) -> str:
    return " + ".join(f"“{path}”" for path in place.paths)


def _of_series(version: str, there: Mapping[str, Any], not_due: Collection[Counter]) -> Iterator[str]:
    """What the diagnostic data lack; which disks a host shows is no matter of the engine."""
    for series in (one for one in SERIES if one.place not in not_due):
        ways = series.ways(version, "")
        if not ways[0][0].startswith(_OF_THE_DISK) and not any(all(path in there for path in way) for way in ways):
            yield f"{series.name}: the diagnostic data have no {' + '.join(ways[0])}"


def _of_options(creation_string: str) -> Iterator[str]:
    if unknown := sorted({name.partition(".")[0] for name in options(creation_string)} - set(option_names())):
        yield f"a collection has options that are not known: {', '.join(unknown)}"
