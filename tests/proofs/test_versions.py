"""The table of names, `tests/golden/versions.json`, against the names that the code uses now."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING, Any, get_args

import pytest

from analysis.trial.engine.counters import CHECKED_UP_TO, COUNTERS, release
from analysis.trial.engine.time_series import CHECKPOINT_STATE
from analysis.trial.engine.wiredtiger_config import option_names, unknown_options
from harness.spec.engines import WheelVersion
from tests.proofs import names as named
from tests.proofs.versions import NEWEST, NOT_CHECKED, SERIES, TABLE, Source, in_server, in_wiredtiger, releases

if TYPE_CHECKING:
    from pathlib import Path

SEEN_LATER = {
    "cache: internal pages read into cache",
    "cache: leaf pages read into cache",
    "compression: compressed page maximum leaf page size prior to compression",
}
"""Of the server's own repository in 2026, which is too large to be fetched: docs/engines.md."""
READ = json.loads(TABLE.read_text(encoding="utf-8"))
ROWS: dict[str, dict[str, dict[str, str]]] = READ["names"]
RELEASED = [series for series in SERIES if series != NEWEST]


def test_each_name_has_its_row_and_each_row_its_name() -> None:
    """Look a new name up with `python -m tests.proofs.versions`, in the sources that it takes."""
    assert {kind: list(rows) for kind, rows in ROWS.items()} == named.names()
    assert all(list(row) == list(SERIES) for rows in ROWS.values() for row in rows.values())


def test_each_name_is_somewhere() -> None:
    for kind, rows in ROWS.items():
        for name, row in rows.items():
            found = {verdict for verdict in row.values() if verdict != "no"}
            assert found or name in SEEN_LATER, f"{kind}: {name}"


@pytest.mark.parametrize("series", SERIES)
def test_each_counter_is_where_its_release_has_it(series: str) -> None:
    last = READ["sources"][series]["last"]
    for counter in (*(one for one in COUNTERS if one.source != "network"), CHECKPOINT_STATE):
        rows = ROWS[named.SERVER_STATISTICS if counter.source == "server" else named.COLLECTION_STATISTICS]
        places = counter.places if series == NEWEST else [counter.expected(last)]
        there = [
            {rows[": ".join((*place.sections, statistic))][series] for statistic in place.statistics} == {"yes"}
            for place in places
        ]
        assert there.count(True) == 1, counter.key


def test_what_counts_as_checked_was_looked_up() -> None:
    """Each series up to its last tag, or up to a wheel's version, whose mongod the tests run."""
    tagged = {READ["sources"][series]["last"] for series in RELEASED}
    for one, patch in CHECKED_UP_TO.items():
        assert f"{one[0]}.{one[1]}.{patch}" in tagged | set(get_args(WheelVersion))
    assert set(CHECKED_UP_TO) == {release(f"{series}.0") for series in RELEASED}


@pytest.mark.parametrize(
    "series", [series for series in RELEASED if ROWS[named.LOG_LINES]["22315"][series] != NOT_CHECKED]
)
def test_mongod_is_started_with_options_that_it_has(series: str) -> None:
    for kind, those in zip((named.OPTIONS, named.PARAMETERS), named.configured(f"{series}.0"), strict=True):
        assert {name: ROWS[kind][name][series] for name in those} == dict.fromkeys(those, "yes")


@pytest.mark.parametrize("series", RELEASED)
def test_a_collections_options_are_those_of_its_release(series: str) -> None:
    for name in option_names():
        known = unknown_options(f"{name}=1", release(f"{series}.0")) == []
        assert known == (ROWS[named.COLLECTION_OPTIONS][name][series] != "no"), name


STAT_C = """
static const char *const __stats_connection_desc[] = {
  "cache: pages read",
  "cache: a long one that is "
  "cut",
};
"""
CONFIG_C = 'static const WT_CONFIG_CHECK confchk_WT_SESSION_create[] = {\n  {"log", "category", NULL},\n  {NULL}};\n'
IDL = "configs:\n    'net.port':\n        short_name: port\n    storage.dbPath:\n"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("source")

    def git(*arguments: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)

    git("init", "--initial-branch", "develop")
    for path, text in {
        "src/support/stat.c": STAT_C,
        "src/config/config_def.c": CONFIG_C,
        "src/mongo/db/a.idl": IDL,
        "src/mongo/db/a.cpp": 'LOGV2(22315, "x"); b.append("dataSize", 1);',
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    for tag in ("mongodb-8.0.2", "mongodb-8.0.10", "mongodb-8.0.11-rc0"):
        git("add", ".")
        git("commit", "--allow-empty", "-m", tag)
        git("tag", tag)
        later = (folder / "src/support/stat.c").read_text().replace("pages read", "pages read in")
        (folder / "src/support/stat.c").write_text(later)
    return folder


def test_names_are_found_in_a_source(source: Path) -> None:
    engines = releases(str(source))
    assert [one.ref for one in engines["8.0"]] == ["mongodb-8.0.2", "mongodb-8.0.10"]
    kind = named.SERVER_STATISTICS
    told: dict[str, Any] = {
        name: in_wiredtiger(kind, name, engines["8.0"])
        for name in ("cache: pages read", "cache: pages read in", "cache: a long one that is cut", "cache: none")
    }
    assert list(told.values()) == ["8.0.2 to 8.0.2", "8.0.10 to 8.0.10", "yes", "no"]
    assert in_wiredtiger(named.COLLECTION_OPTIONS, "log", engines["8.0"]) == "yes"
    assert in_wiredtiger(named.COLLECTION_OPTIONS, "category", engines["8.0"]) == "no"


@pytest.mark.parametrize(
    ("kind", "name", "found"),
    [
        (named.OPTIONS, "net.port", "yes"),
        (named.OPTIONS, "storage.dbPath", "yes"),
        (named.OPTIONS, "netXport", "no"),
        (named.PARAMETERS, "dataSize", "no"),
        (named.LOG_LINES, "22315", "yes"),
        (named.LOG_LINES, "2231", "no"),
        (named.FIELDS, "dataSize", "yes"),
        (named.FIELDS, "data", "no"),
    ],
)
def test_names_are_found_in_a_servers_source(source: Path, kind: str, name: str, found: str) -> None:
    assert in_server(kind, name, Source(str(source), "develop")) == found


def test_the_table_names_its_sources() -> None:
    for series in SERIES:
        assert re.fullmatch(r"[0-9a-f]{40} of \d{4}-\d\d-\d\d", READ["sources"][series]["engine"])
