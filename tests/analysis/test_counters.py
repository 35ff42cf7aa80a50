"""Counters by version: their names change in major and in patch releases, and may be anything in those to come."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analysis.trial.engine import ftdc, time_series
from analysis.trial.engine.counters import COUNTERS, Counter, exact, is_checked, missing, read
from tests.analysis.ftdc_writer import file_of

BY_KEY = {counter.key: counter for counter in COUNTERS}
APP_EVICTED, PAGES_READ = BY_KEY["app_evicted"], BY_KEY["pages_read"]


def answers(
    version: str, *, but: Counter | None = None, place: int | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a server of this version says: each counter is 7, and `but` is left out, or where another version has it."""
    roots: dict[str, dict[str, Any]] = {"server": {}, "network": {}, "collection": {}}
    for counter in COUNTERS:
        where = counter.expected(version)
        if counter is but:
            if place is None:
                continue
            where = counter.places[place]
        section = roots[counter.source]
        for name in where.sections:
            section = section.setdefault(name, {})
        section |= dict.fromkeys(where.statistics, 7)
    return {"wiredTiger": roots["server"], "network": roots["network"]}, {"wiredTiger": roots["collection"]}


@pytest.mark.parametrize(
    ("version", "numbers"),
    [
        ("6.0.5", (6, 0, 5)),
        ("8.0.16", (8, 0, 16)),
        ("8.2.0-rc1", (8, 2, 0)),
        ("6.0.27-21", (6, 0, 27)),
        ("9.0", (9, 0, 0)),
    ],
)
def test_a_versions_numbers(version: str, numbers: tuple[int, int, int]) -> None:
    assert exact(version) == numbers


@pytest.mark.parametrize(
    ("version", "attempts"),
    [("4.4.29", False), ("8.0.10", False), ("8.0.15", False), ("8.0.16", True), ("8.1.0", True)],
)
def test_a_name_that_a_patch_release_changed(version: str, attempts: bool) -> None:  # noqa: FBT001
    assert ("attempts" in APP_EVICTED.expected(version).statistics[0]) is attempts


@pytest.mark.parametrize("version", ["4.4.2", "5.0.4", "6.0.27", "7.0.21", "8.0.10", "8.0.30", "8.1.1", "9.0.2"])
def test_each_counter_is_read_under_its_versions_names(version: str) -> None:
    server, collection = answers(version)
    sums = {counter.key: 7.0 * len(counter.expected(version).statistics) for counter in COUNTERS}
    assert read(server, collection, version) == sums
    assert list(missing(server, collection, version)) == []


@pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: counter.key)
def test_one_that_is_elsewhere_is_found_and_one_that_is_nowhere_is_none(counter: Counter) -> None:
    for place in range(len(counter.places)):
        server, collection = answers("9.9.9", but=counter, place=place)
        assert read(server, collection, "9.9.9")[counter.key] == 7.0 * len(counter.places[place].statistics)
    server, collection = answers("9.9.9", but=counter)
    assert read(server, collection, "9.9.9")[counter.key] is None
    assert list(missing(server, collection, "9.9.9")) == [counter]


@pytest.mark.parametrize("version", ["6.0.5", "9.0.2"])
def test_a_wire_compressor_that_is_not_offered_is_not_missing(version: str) -> None:
    server, collection = answers(version)
    del server["network"]["compression"]["zstd"]
    found = read(server, collection, version)
    assert (found["wire_zstd_in"], found["wire_zstd_out"], found["wire_zlib_in"]) == (None, None, 7)
    assert list(missing(server, collection, version)) == []
    del server["network"]["compression"]["zlib"]["compressor"]
    assert list(missing(server, collection, version)) == [BY_KEY["wire_zlib_out"]]
    assert BY_KEY["wire_zlib_out"].expected(version).paths == ("compression.zlib.compressor.bytesOut",)


def test_half_of_a_sum_is_none() -> None:
    server, collection = answers("9.0.2", but=PAGES_READ)
    server["wiredTiger"]["cache"]["leaf pages read into cache"] = 7
    assert read(server, collection, "9.0.2")["pages_read"] is None


@pytest.mark.parametrize(
    ("version", "known"),
    [
        ("6.0.27", True),
        ("6.0.28", False),
        ("8.0.10", True),
        ("8.0.11", False),
        ("8.2.0", False),
        ("9.0.2", False),
        ("3.6.0", False),
    ],
)
def test_names_are_known_up_to_the_release_that_was_looked_up(version: str, known: bool) -> None:  # noqa: FBT001
    assert is_checked(version) is known


@pytest.mark.parametrize(
    ("cache", "read_per_s"),
    [
        ({"pages read into cache": 5}, 5.0),
        ({"internal pages read into cache": 1, "leaf pages read into cache": 3}, 4.0),
        ({"internal pages read into cache": 1, "leaf pages read into cache": 3, "pages read into cache": 4}, 4.0),
        ({"leaf pages read into cache": 3}, None),
    ],
)
@pytest.mark.parametrize("version", ["8.1.1", "9.0.2"])
def test_the_diagnostic_data_are_read_the_same_way(
    cache: dict[str, int], read_per_s: float | None, version: str
) -> None:
    samples = [
        {
            "start": 1000 * second,
            "serverStatus": {"wiredTiger": {"cache": {name: second * n for name, n in cache.items()}}},
        }
        for second in range(1, 4)
    ]
    found = ftdc.read([("metrics.1", file_of(samples))], time_series.wanted(version))
    rates = time_series.frame(found, version)["pages_read_per_s"].to_numpy()[1:]
    if read_per_s is None:
        assert np.isnan(rates).all()
    else:
        assert rates.tolist() == [read_per_s] * 2
