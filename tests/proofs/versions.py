"""Every name of an engine's that Pressgauge reads or sets, looked up in the engines' own source, release by release.

    python -m tests.proofs.versions --wiredtiger GIT [--server 4.4=GIT@REF ...]

GIT is a clone, bare or not. Of WiredTiger it has to have the tags `mongodb-X.Y.Z`; REF is a tag or commit of MongoDB's
server. Writes `tests/golden/versions.json`: names and versions, nothing else of the source. What a source is missing
for is `not checked`, unless it was looked up before.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from functools import cache
from typing import TYPE_CHECKING, Any

from harness.spec.load import ROOT
from tests.proofs import names as named

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TABLE = ROOT / "tests/golden/versions.json"
NEWEST = "develop"
"""WiredTiger's own name for what the next release is made of."""
SERIES = ("4.4", "5.0", "6.0", "7.0", "8.0", "8.1", NEWEST)
NOT_CHECKED = "not checked"
_TAG = re.compile(r"mongodb-(\d+)\.(\d+)\.(\d+)")
_OF_WIREDTIGER = {
    named.SERVER_STATISTICS: "connection",
    named.COLLECTION_STATISTICS: "dsrc",
    named.COLLECTION_OPTIONS: "WT_SESSION_create",
    named.ENGINE_OPTIONS: "wiredtiger_open",
}


class Source:
    """A git repository at a tag or commit."""

    def __init__(self, path: str, ref: str) -> None:
        self.path, self.ref = path, ref

    def git(self, *arguments: str) -> str:
        """What git says; nothing where it finds nothing."""
        ran = subprocess.run(["git", "-C", self.path, *arguments], capture_output=True, check=False)
        return ran.stdout.decode("utf-8", "replace")

    @cache  # noqa: B019 - a run of this program is short
    def text(self, path: str) -> str:
        """A file's content."""
        return self.git("show", f"{self.ref}:{path}")

    @cache  # noqa: B019
    def told(self) -> str:
        """The commit, and the day it is of."""
        return self.git("log", "-1", "--format=%H of %cs", self.ref).strip()


def releases(path: str) -> dict[str, list[Source]]:
    """WiredTiger at each release of MongoDB, by series, oldest first."""
    known = Source(path, "").git("tag", "--list", "mongodb-*").split()
    numbered = sorted((tuple(map(int, found.groups())), tag) for tag in known if (found := _TAG.fullmatch(tag)))
    there: dict[str, list[Source]] = {series: [] for series in SERIES}
    for (major, minor, _), tag in numbered:
        if f"{major}.{minor}" in there:
            there[f"{major}.{minor}"].append(Source(path, tag))
    there[NEWEST] = [Source(path, NEWEST)]
    return there


@cache
def statistics(source: Source, kind: str) -> frozenset[str]:
    """The statistics of a connection or a data source, as `section: name`."""
    body = re.search(rf"__stats_{kind}_desc\[\] = \{{(.*?)\n\}};", source.text("src/support/stat.c"), re.DOTALL)
    joined = re.sub(r'"\s*\n\s*"', "", body[1]) if body else ""
    return frozenset(re.findall(r'"([^"]*)"', joined))


@cache
def options(source: Source, method: str) -> frozenset[str]:
    """The options that a call takes."""
    body = re.search(rf"confchk_{method}\[\] = \{{(.*?)\n?\}};", source.text("src/config/config_def.c"), re.DOTALL)
    return frozenset(re.findall(r'\{\s*"(\w+)",', body[1])) if body else frozenset()


def in_wiredtiger(kind: str, name: str, sources: Sequence[Source]) -> str:
    """Which of these releases have it: `yes`, `no`, or the first and last that do."""
    look = statistics if kind in {named.SERVER_STATISTICS, named.COLLECTION_STATISTICS} else options
    having = [source.ref.removeprefix("mongodb-") for source in sources if name in look(source, _OF_WIREDTIGER[kind])]
    if len(having) == len(sources):
        return "yes"
    return f"{having[0]} to {having[-1]}" if having else "no"


def in_server(kind: str, name: str, source: Source) -> str:
    """Whether the server's source declares it."""
    looks = {
        named.OPTIONS: (rf"^ +['\"]?{re.escape(name)}['\"]?: *$", ["idl"]),
        named.PARAMETERS: (rf"^ +['\"]?{re.escape(name)}['\"]?: *$", ["idl"]),
        named.LOG_LINES: (rf"\b{name}\b", ["cpp"]),
        named.FIELDS: (rf'"{name}"|^ +{name}: *$', ["cpp", "h", "idl"]),
    }
    pattern, kinds = looks[kind]
    files = [f"src/mongo/**.{ending}" for ending in kinds]
    return "yes" if source.git("grep", "-lE", pattern, source.ref, "--", *files) else "no"


def look_up(wiredtiger: str, servers: dict[str, Source], before: dict[str, Any]) -> dict[str, Any]:
    """The whole table."""
    engines = releases(wiredtiger)
    table: dict[str, Any] = {"sources": dict(_sources(engines, servers, before)), "names": {}}
    for kind, those in named.names().items():
        rows = table["names"][kind] = {}
        earlier = before.get("names", {}).get(kind, {})
        for name in those:
            rows[name] = {
                series: _cell(kind, name, engines[series], servers.get(series))
                or earlier.get(name, {}).get(series, NOT_CHECKED)
                for series in SERIES
            }
    return table


def _cell(kind: str, name: str, engine: Sequence[Source], server: Source | None) -> str | None:
    if kind in _OF_WIREDTIGER:
        return in_wiredtiger(kind, name, engine) if engine else None
    return in_server(kind, name, server) if server else None


def _sources(
    engines: dict[str, list[Source]], servers: dict[str, Source], before: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    earlier = before.get("sources", {})
    for series in SERIES:
        tags = [source.ref.removeprefix("mongodb-") for source in engines[series]]
        server = servers[series].told() if series in servers else earlier.get(series, {}).get("server", NOT_CHECKED)
        last = engines[series][-1].told() if tags else NOT_CHECKED
        first, latest = (tags[0], tags[-1]) if tags else ("", "")
        yield series, {"first": first, "last": latest, "engine": last, "server": server}


def main() -> None:
    """Look everything up, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wiredtiger", required=True, metavar="GIT")
    parser.add_argument("--server", action="append", default=[], metavar="SERIES=GIT@REF")
    said = parser.parse_args()
    servers = {}
    for one in said.server:
        series, _, where = one.partition("=")
        path, _, ref = where.rpartition("@")
        servers[series] = Source(path, ref)
    before = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}
    table = look_up(said.wiredtiger, servers, before)
    TABLE.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
