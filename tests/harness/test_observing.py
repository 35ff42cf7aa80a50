"""Looking at a deployment: what is asked in which order, what a user may not see, and what is never kept."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.errors import InputError
from harness.run.mirror import observing
from harness.run.mirror.observing import look

if TYPE_CHECKING:
    from collections.abc import Iterator

START = datetime(2026, 1, 1)
NAME = "shop.orders"


class Server:
    """What a deployment answers; each question raises its counters, as time does."""

    name = NAME
    member = "a:27017"

    def __init__(self, **closed: Any) -> None:
        self.asked: list[tuple[str, str]] = []
        self.level: dict[str, Any] = {"was": 1, "slowms": 0, "sampleRate": 0.1}
        self.profiled = [
            {"op": "query", "ns": NAME, "ts": START + timedelta(seconds=n), "planSummary": "IDHACK",
             "command": {"find": "orders", "filter": {"_id": f"secret-{n % 3}"}}}
            for n in range(6)
        ]  # fmt: skip
        self.oplog: list[dict[str, Any]] | None = None
        self.closed = closed
        self.finds = 0

    def ask(self, command: dict[str, Any], *, database: str = "") -> Any:
        found = self.ask_if_allowed(command, database=database)
        assert found is not None
        return found

    def ask_if_allowed(self, command: dict[str, Any], *, database: str = "") -> Any:
        name = next(iter(command))
        self.asked.append((name, str(command[name])))
        if name in self.closed:
            return None
        answer = getattr(self, f"_{name}")
        return answer(command)

    def _buildInfo(self, _: Any) -> Any:  # noqa: N802 as the command is called
        return {"version": "6.0.5"}

    def _getCmdLineOpts(self, _: Any) -> Any:  # noqa: N802
        return {"parsed": {"net": {}}}

    def _hostInfo(self, _: Any) -> Any:  # noqa: N802
        return {"system": {"memSizeMB": 1024, "numCores": 4}}

    def _getDefaultRWConcern(self, _: Any) -> Any:  # noqa: N802
        return {"defaultWriteConcern": {"w": "majority"}}

    def _listDatabases(self, _: Any) -> Any:  # noqa: N802
        return {"databases": [{"name": "shop"}, {"name": "local"}, {"name": "more"}]}

    def _dbStats(self, _: Any) -> Any:  # noqa: N802
        return {"dataSize": 500.0}

    def _top(self, _: Any) -> Any:
        self.finds += 1000
        return {"totals": {NAME: {"queries": {"count": self.finds, "time": self.finds}}}}

    def _serverStatus(self, _: Any) -> Any:  # noqa: N802
        return {"opcounters": {"query": self.finds}}

    def _aggregate(self, command: dict[str, Any]) -> Any:
        if "$indexStats" in command["pipeline"][0]:
            return {"cursor": {"firstBatch": [{"name": "_id_", "accesses": {"ops": self.finds}}]}}
        return {"cursor": {"firstBatch": [{"storageStats": {"count": 5}, "latencyStats": {}}]}}

    def _profile(self, _: Any) -> Any:
        return self.level

    def _find(self, command: dict[str, Any]) -> Any:
        if command["find"] == "oplog.rs":
            return None if self.oplog is None else {"cursor": {"firstBatch": self.oplog}}
        if command["limit"] == 1:
            return {"cursor": {"firstBatch": self.profiled[:1]}}
        since = command["filter"]["ts"]["$gt"]
        return {"cursor": {"firstBatch": [one for one in self.profiled if one["ts"] > since]}}


def looked_at(server: Server, monkeypatch: pytest.MonkeyPatch) -> observing.Looked:
    @contextmanager
    def opened(*_: Any, **asked: Any) -> Iterator[Server]:
        assert asked["primary"], "writes are counted there"
        yield server

    monkeypatch.setattr(observing, "live_collection", opened)
    return look(Path("uri"), [NAME], seconds=0.01, tell=lambda _: None, sleep=lambda _: None)


def test_counters_are_read_so_that_asking_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server()
    found = looked_at(server, monkeypatch)
    names = [name for name, _ in server.asked]
    first, last = [place for place, name in enumerate(names) if name == "top"]
    assert "aggregate" not in names[first:last]
    assert found.after.collections[NAME].top["queries"]["count"] == 2000
    assert found.before.collections[NAME].top["queries"]["count"] == 1000
    assert (found.facts.version, found.facts.cores, found.facts.data_bytes) == ("6.0.5", 4, 1000)
    assert (found.facts.write_concern, found.facts.is_member, found.facts.closed) == ("majority", True, ())


def test_a_profiler_is_read_on_and_no_value_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    found = looked_at(Server(), monkeypatch)
    watched = found.watched[NAME]
    assert found.profilers == {"shop": "on"}
    assert [shape.kind for shape in watched.shapes] == ["find"] * 5, "what was there before is left out"
    assert watched.keys.operations == 5
    assert "secret" not in repr((watched.shapes, vars(watched.keys)))


@pytest.mark.parametrize(
    ("level", "told"),
    [
        ({"was": 0}, "it is off"),
        ({"was": 1, "slowms": 100}, "it shows only some operations"),
        ({"was": 2, "filter": {"op": "query"}}, "it shows only some operations"),
    ],
)
def test_a_profiler_that_does_not_show_all_alike_is_left_alone(
    level: dict[str, Any], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server()
    server.level = level
    found = looked_at(server, monkeypatch)
    assert found.profilers["shop"].startswith(told)
    assert found.watched[NAME].shapes == []


def test_an_oplog_that_is_open_tells_of_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(profile=True)
    change = {"$v": 2, "diff": {"u": {"status": "a secret"}}}
    server.oplog = [{"op": "u", "ns": NAME, "ts": 1, "o": change, "o2": {"_id": 7}}]
    found = looked_at(server, monkeypatch)
    assert found.profilers["shop"] == "whether it is on is not to be known"
    assert {shape.written for shape in found.watched[NAME].written} == {(("set", "status"),)}


def test_what_a_user_may_not_know_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = looked_at(Server(hostInfo=True, getCmdLineOpts=True, dbStats=True), monkeypatch)
    assert found.facts.closed == ("its options", "its host")
    assert (found.facts.data_bytes, found.facts.cores) == (None, None)
    with pytest.raises(InputError, match="grant the role clusterMonitor"):
        looked_at(Server(top=True), monkeypatch)
    with pytest.raises(InputError, match="there is no such collection"):
        looked_at(Server(aggregate=True), monkeypatch)
