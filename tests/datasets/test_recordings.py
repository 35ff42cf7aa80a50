"""Recordings: what is read of them, what is prepared, and what becomes of those that are cut off or damaged."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import bson
import cramjam
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from datasets import DatasetError
from datasets.recordings import Traffic, prepare_traffic
from datasets.recordings.exchanges import Exchange, exchanges
from datasets.recordings.prepare import MAGIC, OPERATIONS, RECORD
from datasets.recordings.records import Answer, Kind
from datasets.recordings.traffic import TrafficFile
from tests.conftest import TESTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

RECORDED = TESTS / "datasets" / "recorded"
TRAFFIC, PROFILE = RECORDED / "few.traffic.gz", RECORDED / "few.profile.bson.gz"
T0_MS = 1_700_000_000_000


def message(number: int, answers: int, body: dict[str, Any], **lists: Sequence[dict[str, Any]]) -> bytes:
    """An OP_MSG."""
    content = b"\0\0\0\0\0" + bson.encode(body)
    for name, documents in lists.items():
        inner = name.encode() + b"\0" + b"".join(map(bson.encode, documents))
        content += b"\1" + struct.pack("<i", len(inner) + 4) + inner
    return struct.pack("<iiii", 16 + len(content), number, answers, 2013) + content


def compressed(raw: bytes, codec: int, packed: bytes) -> bytes:
    """An OP_COMPRESSED."""
    content = struct.pack("<iiB", 2013, len(raw) - 16, codec) + packed
    _, number, answers, _ = struct.unpack_from("<iiii", raw)
    return struct.pack("<iiii", 16 + len(content), number, answers, 2012) + content


def packet(session: int, at_ms: int, raw: bytes) -> bytes:
    """A message as mongod records it."""
    rest = b"127.0.0.1:27017\x00127.0.0.1:50000\x00" + struct.pack("<QQ", T0_MS + at_ms, 0) + raw
    return struct.pack("<IQ", 12 + len(rest), session) + rest


def asked(session: int, at_ms: int, number: int, body: dict[str, Any], **lists: Sequence[dict[str, Any]]) -> bytes:
    return packet(session, at_ms, message(number, 0, {**body, "$db": "shop"}, **lists))


def answered(session: int, at_ms: int, number: int, body: dict[str, Any]) -> bytes:
    return packet(session, at_ms, message(1000 + number, number, body))


def find(session: int, at_ms: int, number: int = 1) -> bytes:
    reply = {"cursor": {"id": 0, "firstBatch": [{}]}, "ok": 1.0}
    return asked(session, at_ms, number, {"find": "orders"}) + answered(session, at_ms + 2, number, reply)


def written(folder: Path, *parts: bytes) -> Path:
    path = folder / "some.traffic"
    path.write_bytes(b"".join(parts))
    return path


def read(prepared: Traffic) -> Iterator[tuple[int, int, str, Answer, int, dict[str, Any]]]:
    """The records of a prepared file: lane, due time, operation, answer, cursor, command."""
    content = prepared.path.read_bytes()
    assert content.startswith(MAGIC)
    at = len(MAGIC)
    while at < len(content):
        length, lane, due, operation, kind, code, n, modified, cursor, _ = RECORD.unpack_from(content, at)
        command = bson.decode(content[at + RECORD.size : at + 4 + length])
        yield lane, due, OPERATIONS[operation], Answer(Kind(kind), code, n, modified), cursor, command
        at += 4 + length


def test_a_real_recording_is_read_whole(tmp_path: Path) -> None:
    prepared = prepare_traffic(TRAFFIC, None, tmp_path)
    assert prepared.kind == "traffic"
    assert prepared.collection == "shop.orders"
    assert prepared.collections["shop.others"] == 2
    assert set(prepared.operations) == set(OPERATIONS)
    assert prepared.answers == prepared.count
    assert prepared.left_out["aggregate with $out"] == 2
    assert prepared.left_out["operations of other collections"] == 2
    assert not prepared.ending
    kinds = Counter(answer.kind for _, _, _, answer, _, _ in read(prepared))
    assert kinds[Kind.WRITES_REFUSED] == 2  # a key that was there, once by each connection
    assert kinds[Kind.OPEN] >= 2
    for _, _, operation, _, cursor, command in read(prepared):
        assert command["collection" if operation == "GET-MORE" else next(iter(command))] == "usertable"
        assert not {"lsid", "$db", "writeConcern", "txnNumber"} & command.keys()
        assert bool(cursor) == (operation == "GET-MORE") or operation == "FIND"


def test_the_client_reads_what_is_prepared(tmp_path: Path) -> None:
    prepared = prepare_traffic(TRAFFIC, None, tmp_path)
    assert prepared.path.read_bytes() == (TESTS / "golden" / "few.traffic").read_bytes()


def test_a_profile_is_read_without_what_it_does_not_keep(tmp_path: Path) -> None:
    prepared = prepare_traffic(PROFILE, None, tmp_path)
    assert prepared.kind == "profile"
    assert prepared.collection == "shop.orders"
    assert {"FIND", "GET-MORE", "UPDATE", "DELETE", "FIND-AND-MODIFY", "AGGREGATE"} <= set(prepared.operations)
    assert "INSERT" not in prepared.operations
    assert prepared.left_out["insert (the profiler keeps no documents)"] >= 4
    by_operation = {operation: (answer, command) for _, _, operation, answer, _, command in read(prepared)}
    answer, command = by_operation["UPDATE"]
    assert answer.kind is Kind.DONE
    assert answer.n >= 0
    assert command["updates"][0].keys() >= {"q", "u"}


def test_the_prepared_file_is_kept_and_for_the_owner_alone(tmp_path: Path) -> None:
    first = prepare_traffic(TRAFFIC, None, tmp_path)
    before = first.path.stat()
    assert before.st_mode & 0o077 == 0
    assert prepare_traffic(TRAFFIC, None, tmp_path) == first
    assert first.path.stat().st_mtime_ns == before.st_mtime_ns


def test_sessions_at_once_have_lanes_of_their_own_and_leave_them(tmp_path: Path) -> None:
    path = written(tmp_path, find(1, 0), asked(2, 5, 1, {"find": "orders"}), find(3, 6), find(4, 20), find(1, 30, 2))
    prepared = prepare_traffic(path, None, tmp_path)
    assert (prepared.sessions, prepared.lanes) == (4, 3)
    assert [(lane, due) for lane, due, *_ in read(prepared)] == [
        (0, 0), (1, 5000), (2, 6000), (2, 20_000), (0, 30_000),
    ]  # fmt: skip
    assert prepared.answers == 4  # that of the second was not recorded


def test_a_batch_of_documents_becomes_a_list_of_the_command(tmp_path: Path) -> None:
    documents = [{"_id": 1}, {"_id": 2}]
    insert = asked(1, 0, 1, {"insert": "orders", "writeConcern": {"w": 3}}, documents=documents)
    path = written(tmp_path, insert, answered(1, 1, 1, {"n": 2, "ok": 1.0}))
    ((_, _, operation, answer, _, command),) = read(prepare_traffic(path, None, tmp_path))
    assert operation == "INSERT"
    assert answer == Answer(Kind.DONE, 0, 2)
    assert command == {"insert": "usertable", "documents": documents}


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"aggregate": "orders", "pipeline": [{"$lookup": {"from": "others"}}]}, "aggregate with $lookup"),
        ({"aggregate": "orders", "pipeline": [{"$facet": {"a": [{"$unionWith": "b"}]}}]}, "aggregate with $unionWith"),
        ({"aggregate": 1, "pipeline": []}, "aggregate of the server's own"),
        ({"find": "orders", "tailable": True}, "find that waits for documents to come"),
        ({"find": "orders", "txnNumber": 1, "autocommit": False}, "transactions"),
        ({"find": "system.views"}, "find of the server's own"),
        ({"find": "others"}, "operations of other collections"),
        ({"drop": "orders"}, "drop"),
        ({"getMore": bson.Int64(5), "collection": "orders"}, "getMore of cursors whose beginning is not replayed"),
    ],
)
def test_what_is_left_out_is_counted_by_why(tmp_path: Path, body: dict[str, Any], why: str) -> None:
    path = written(tmp_path, find(1, 0), find(1, 5, 2), asked(1, 10, 3, body))
    prepared = prepare_traffic(path, None, tmp_path)
    assert prepared.left_out == {why: 1}
    assert prepared.operations == {"FIND": 2}


@pytest.mark.parametrize("codec", [0, 1, 2, 3])
def test_compressed_messages_are_unpacked(tmp_path: Path, codec: int) -> None:
    raw = message(1, 0, {"find": "orders", "filter": {"text": "x" * 500}, "$db": "shop"})
    packs: list[Callable[[bytes], bytes]] = [
        bytes, lambda content: bytes(cramjam.snappy.compress_raw(content)), zlib.compress, zstandard.compress,
    ]  # fmt: skip
    path = written(tmp_path, packet(1, 0, compressed(raw, codec, packs[codec](raw[16:]))))
    assert prepare_traffic(path, None, tmp_path).operations == {"FIND": 1}


def test_what_unpacks_to_more_than_it_says_is_not_read(tmp_path: Path) -> None:
    raw = message(1, 0, {"find": "orders", "$db": "shop"})
    bomb = zstandard.compress(bytes(10**8))
    path = written(tmp_path, find(1, 0), packet(1, 1, compressed(raw, 3, bomb)))
    assert prepare_traffic(path, None, tmp_path).left_out == {"unreadable messages": 1}


def test_answers_that_come_too_late_are_not_waited_for(tmp_path: Path) -> None:
    unanswered = [asked(session, 0, 1, {"find": "orders", "filter": {"x": "x" * 400}}) for session in range(50)]
    recorded = TrafficFile(written(tmp_path, *unanswered))
    found = exchanges(recorded, "shop.orders", waiting_bytes=4000)
    assert [one.session for one in found if isinstance(one, Exchange)] == list(range(50))


def test_a_recording_cut_off_anywhere_is_read_up_to_there_and_says_so(tmp_path: Path) -> None:
    whole = find(1, 0) + find(2, 5) + find(1, 9, 2)
    first = len(find(1, 0))
    boundaries = _boundaries(whole)
    for end in range(first, len(whole)):
        prepared = prepare_traffic(written(tmp_path, whole[:end]), None, tmp_path / str(end))
        assert bool(prepared.ending) == (end not in boundaries), end
        assert 1 <= prepared.count <= 3
    assert "the file ends within this message" in prepared.ending


def _boundaries(whole: bytes) -> set[int]:
    at, found = 0, set()
    while at < len(whole):
        at += struct.unpack_from("<I", whole, at)[0]
        found.add(at)
    return found


@given(st.data())
def test_a_damaged_recording_is_refused_or_read(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    content = bytearray(gzip.decompress(TRAFFIC.read_bytes()))
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + 1] = data.draw(st.binary(min_size=0, max_size=4))
    folder = tmp_path_factory.mktemp("damaged")
    with suppress(DatasetError):
        prepared = prepare_traffic(written(folder, bytes(content)), None, folder)
        assert prepared.count == len(list(read(prepared)))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (find(1, 0) + b"\xff" * 40, "message 3, byte"),
        (find(1, 0) + find(1, 40 * 86_400_000, 2), "times jump by more than 30 days"),
        (
            packet(1, 0, message(1, 0, {"hello": 1, "$db": "admin"})),
            "holds no operation that can be replayed; it has 1 × hello",
        ),
        (b"", "is empty"),
        (b"no recording", "neither JSON"),
    ],
)
def test_what_can_not_be_replayed_is_told(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(DatasetError) as caught:
        prepare_traffic(written(tmp_path, content), None, tmp_path)
    assert said in str(caught.value)


def test_a_collection_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(
        DatasetError, match=r"no operation on shop\.none that can be replayed; it has \d+ × shop\.orders"
    ):
        prepare_traffic(TRAFFIC, "shop.none", tmp_path)
    with pytest.raises(DatasetError, match="cannot be read"):
        prepare_traffic(tmp_path / "nowhere", None, tmp_path)
