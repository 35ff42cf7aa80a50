"""The load generator replays a recording against a server that answers at once, whatever it is asked."""

from __future__ import annotations

import json
import socketserver
import struct
import subprocess
import threading
from typing import TYPE_CHECKING, Any

import bson
import pytest

from datasets.recordings import prepare_traffic
from datasets.recordings.messages import HEADER, LEGACY, read_message
from harness.run.preparing import JAR
from tests.datasets.test_recordings import TRAFFIC, answered, asked, written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from datasets.recordings import Traffic

pytestmark = pytest.mark.real
_GREETING = {
    "isWritablePrimary": True, "ismaster": True, "helloOk": True, "maxBsonObjectSize": 2**24,
    "maxMessageSizeBytes": 48_000_000, "maxWriteBatchSize": 100_000, "minWireVersion": 0, "maxWireVersion": 17,
    "logicalSessionTimeoutMinutes": 30, "ok": 1.0,
}  # fmt: skip
_GREETINGS = {"hello", "ismaster", "isMaster"}


class Fake(socketserver.ThreadingTCPServer):
    """A server that notes each command and answers as it is told, by the command's name."""

    daemon_threads = True

    def __init__(self, answers: dict[str, dict[str, Any]]) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.answers, self.asked = answers, list[dict[str, Any]]()


class _Connection(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        assert isinstance(self.server, Fake)
        with self.request.makefile("rb") as stream:
            while len(length := stream.read(4)) == 4:
                raw = length + stream.read(struct.unpack("<i", length)[0] - 4)
                _, number, _, kind = HEADER.unpack_from(raw)
                if kind in LEGACY:
                    self._send(number, 1, struct.pack("<iqii", 8, 0, 0, 1) + bson.encode(_GREETING))
                    continue
                body = read_message(raw).body
                assert body is not None
                command = bson.decode(bytes(body.raw))
                name = next(iter(command))
                if name in self.server.answers:
                    self.server.asked.append(command)
                reply = _GREETING if name in _GREETINGS else self.server.answers.get(name, {"ok": 1.0})
                self._send(number, 2013, b"\0\0\0\0\0" + bson.encode(reply))

    def _send(self, number: int, kind: int, content: bytes) -> None:
        self.request.sendall(HEADER.pack(HEADER.size + len(content), 1, number, kind) + content)


@pytest.fixture
def serving() -> Iterator[Fake]:
    cursor = {"id": bson.Int64(99), "ns": "pressgauge.usertable", "firstBatch": [{"a": 1}]}
    last = {"id": bson.Int64(0), "ns": "pressgauge.usertable", "nextBatch": [{"a": 1}]}
    answers: dict[str, dict[str, Any]] = {
        "find": {"cursor": cursor, "ok": 1.0},
        "getMore": {"cursor": last, "ok": 1.0},
        "insert": {"n": 1, "ok": 1.0},
        "count": {"ok": 0.0, "code": 50, "errmsg": "too slow"},
    }
    with Fake(answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def replay(server: Fake, traffic: Traffic, folder: Path, speed: str) -> dict[str, Any]:
    """Replay to the end; the client's account."""
    uri = folder / "uri"
    uri.touch(mode=0o600)
    uri.write_text(f"mongodb://127.0.0.1:{server.server_address[1]}/?w=1&journal=false", encoding="utf-8")
    properties = {
        "workload": "pressgauge.Replay",
        "pressgauge.corpus": traffic.path,
        "pressgauge.operations": ",".join(traffic.operations),
        "pressgauge.speed": speed,
        "pressgauge.clientfile": folder / "client.json",
        "mongodb.uri.file": uri,
        "operationcount": 2**31 - 1,
        "measurementtype": "hdrhistogram",
    }
    argv = ["java", "-XX:TieredStopAtLevel=1", "-cp", str(JAR), "site.ycsb.Client", "-t"]
    argv += ["-db", "pressgauge.ReplayBinding", "-threads", str(traffic.lanes)]
    argv += [part for name, value in properties.items() for part in ("-p", f"{name}={value}")]
    ended = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads((folder / "client.json").read_text(encoding="utf-8"))
    return found


def cursors(tmp_path: Path) -> Path:
    """A cursor that is asked for more twice, the first time by another session; an insert and a count."""
    batch = {"id": bson.Int64(7), "ns": "shop.orders"}
    more = {"getMore": bson.Int64(7), "collection": "orders"}
    return written(
        tmp_path,
        asked(1, 0, 1, {"find": "orders", "batchSize": 1}),
        answered(1, 1, 1, {"cursor": {**batch, "firstBatch": [{}]}, "ok": 1.0}),
        asked(2, 2, 1, more),
        answered(2, 3, 1, {"cursor": {**batch, "nextBatch": [{}]}, "ok": 1.0}),
        asked(1, 200, 2, more),
        answered(1, 201, 2, {"cursor": {**batch, "id": 0, "nextBatch": [{}]}, "ok": 1.0}),
        asked(2, 300, 2, {"insert": "orders", "documents": [{"_id": 1}], "writeConcern": {"w": 3}}),
        answered(2, 301, 2, {"n": 1, "ok": 1.0}),
        asked(2, 302, 3, {"count": "orders"}),
        answered(2, 303, 3, {"ok": 0.0, "code": 50}),
    )


@pytest.mark.parametrize("speed", ["1", "max"])
def test_a_recording_is_asked_again_and_its_answers_compared(serving: Fake, tmp_path: Path, speed: str) -> None:
    traffic = prepare_traffic(cursors(tmp_path), None, tmp_path / "home")
    told = replay(serving, traffic, tmp_path, speed)
    names = [next(iter(command)) for command in serving.asked]
    assert sorted(names) == ["count", "find", "getMore", "insert"]
    by_name = {next(iter(command)): command for command in serving.asked}
    assert by_name["getMore"]["getMore"] == 99
    assert by_name["getMore"]["lsid"] == by_name["find"]["lsid"]
    assert by_name["getMore"]["collection"] == "usertable"
    assert by_name["insert"]["writeConcern"] == {"w": 1, "j": False}
    answers = told["answers"]
    assert answers["compared"] == 5
    assert answers["unequal"] == {"GET-MORE": 2}  # it ended too early, so the second was not asked
    assert any("its cursor was not open" in one for one in answers["examples"])
    assert answers["documents_added"] == 1
    assert told["threads"] == {"asked": 2, "started": 2, "finished": 2, "died": []}


def test_a_real_recording_ends_whatever_is_answered(serving: Fake, tmp_path: Path) -> None:
    for name in ("find", "update", "delete", "findAndModify", "aggregate", "distinct"):
        serving.answers[name] = {"ok": 0.0, "code": 2, "errmsg": "no"}
    traffic = prepare_traffic(TRAFFIC, None, tmp_path / "home")
    told = replay(serving, traffic, tmp_path, "max")
    assert told["answers"]["compared"] == traffic.count
    assert sum(told["answers"]["unequal"].values()) > traffic.count / 2
