"""What a deployment shows: shapes of commands, how unevenly keys are used, and which operations stand for all that."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.mirror.commands import Shape, of_oplog, of_profile
from analysis.mirror.mixture import FEWEST_SEEN, Possible, mixture
from analysis.mirror.moments import Between, CollectionMoment, Moment, busy_share, elsewhere, happened, stored
from analysis.mirror.skew import FEWEST, KeyUse, is_uniform
from analysis.trial.records import Served

POSSIBLE = Possible(
    indexes={"by_customer": ("customer", "placed")},
    paths=frozenset({"customer", "placed", "status", "n"}),
    ways={"status": "set", "n": "inc"},
)
IXSCAN = "IXSCAN { customer: 1, placed: -1 }"


def token(key: Any) -> int:
    return hash(repr(key))


def profiled(op: str, command: dict[str, Any], plan: str = "IDHACK", **further: Any) -> Shape:
    seen = of_profile({"op": op, "command": command, "planSummary": plan, **further}, token)
    assert seen is not None
    return seen.shape


def test_shapes_of_finds() -> None:
    by_id = profiled("query", {"find": "orders", "filter": {"_id": 5}, "projection": {"status": 1, "total": True}})
    assert (by_id.kind, by_id.fields) == ("find", ("status", "total"))
    asked = {"customer": 7, "placed": {"$gte": 3}}
    shape = profiled("query", {"filter": asked, "sort": {"placed": -1}, "limit": 20}, IXSCAN, nreturned=4)
    assert shape[:7] == ("find-by-index", "find", ("customer", "placed"), 1, True, -1, 20)
    shape = profiled("query", {"filter": {"customer": {"$in": [7, 8]}}}, IXSCAN, nreturned=4)
    assert shape[:7] == ("find-by-index", "find", ("customer", "placed"), 1, False, 0, 4)
    assert profiled("query", {"filter": {}}, "COLLSCAN", nreturned=50)[:7] == ("scan", "find", (), 0, False, 0, 50)
    assert profiled("query", {"filter": {"_id": {"$gt": 5}}, "limit": 9}, "IXSCAN { _id: 1 }").kind == "scan"
    assert profiled("query", {"filter": {"note": "x"}}, "COLLSCAN").what == "finds that read the whole collection"
    assert profiled("query", {"filter": {"placed": 1}}, IXSCAN).kind == "other"


def test_shapes_of_writes() -> None:
    update = profiled("update", {"q": {"_id": 5}, "u": {"$set": {"status": 1}, "$inc": {"n": 1}, "$push": {"l": 2}}})
    assert (update.kind, update.written) == ("update", (("set", "status"), ("inc", "n"), ("push", "l")))
    assert profiled("update", {"q": {"_id": 5}, "u": {"$set": {"a": 1}}, "upsert": True}).kind == "upsert"
    assert profiled("update", {"q": {"_id": 5}, "u": {"status": 1}}).kind == "replace"
    assert profiled("remove", {"q": {"_id": 5}, "limit": 1}).kind == "delete"
    assert profiled("insert", {"insert": "orders"}, "", ninserted=40).documents == 40


def test_shapes_of_commands() -> None:
    assert profiled("command", {"count": "orders", "query": {"customer": 1}}, "COUNT_SCAN { customer: 1 }").kind == (
        "count"
    )
    pipeline = [{"$match": {"customer": 1}}, {"$group": {"_id": "$status", "n": {"$sum": 1}}}]
    grouped = profiled("command", {"aggregate": "orders", "pipeline": pipeline}, IXSCAN)
    assert (grouped.kind, grouped.paths, grouped.group) == ("aggregate", ("customer",), "status")
    whole = profiled("command", {"aggregate": "orders", "pipeline": pipeline[1:]}, "COLLSCAN")
    assert (whole.kind, whole.paths, whole.group) == ("aggregate", (), "status")
    for odd in (pipeline[:1], [{"$group": {"_id": None}}], [*pipeline, {"$out": "x"}], None, [1]):
        told = profiled("command", {"aggregate": "orders", "pipeline": odd}, IXSCAN)
        assert told.what == "the command aggregate"
    changed = profiled("command", {"findAndModify": "orders", "query": {"_id": 1}, "update": {"$set": {"a": 1}}})
    assert changed.kind == "read-modify-write"
    assert changed.counted_as == "command"
    assert of_profile({"op": "command", "command": {"createIndexes": "orders"}}, token) is None
    assert of_profile({"op": "getmore", "command": {"getMore": 1}}, token) is None


def test_keys_are_told_by_their_tokens_alone() -> None:
    def keys(asked: Any) -> tuple[int, ...]:
        seen = of_profile({"op": "query", "command": {"filter": {"_id": asked}}, "planSummary": "IDHACK"}, token)
        assert seen is not None
        return seen.keys

    assert keys("a") == keys({"$eq": "a"}) == (token("a"),)
    assert keys({"$in": [1, 2]}) == (token(1), token(2))
    assert keys({"$gt": 1}) == ()
    assert keys({"shop": 1, "number": 2}) == (token({"shop": 1, "number": 2}),)


def test_the_oplog_tells_paths_of_updates() -> None:
    change = {"$v": 2, "diff": {"u": {"status": 1}, "sshipping": {"i": {"city": 2}}, "sitems": {"a": True, "u0": 1}}}
    seen = of_oplog({"op": "u", "o": change, "o2": {"_id": 5}}, token)
    assert seen is not None
    assert seen.shape.written == (("set", "status"), ("set", "shipping.city"), ("set", "items"))
    assert seen.keys == (token(5),)
    older = of_oplog({"op": "u", "o": {"$v": 1, "$set": {"status": 1}}, "o2": {"_id": 5}}, token)
    assert older is not None
    assert older.shape.written == (("set", "status"),)
    assert of_oplog({"op": "i", "o": {"_id": 5}}, token) is None


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=8), part, max_size=3),
    max_leaves=10,
)
_NAMES = st.sampled_from(
    [
        "find",
        "aggregate",
        "pipeline",
        "filter",
        "q",
        "u",
        "projection",
        "sort",
        "count",
        "update",
        "query",
        "upsert",
        "x",
    ]
)


@given(
    st.sampled_from(["query", "update", "remove", "insert", "command", "none"]),
    st.dictionaries(_NAMES, _JSON, max_size=5) | _JSON,
    st.text(max_size=20) | st.sampled_from(["IDHACK", IXSCAN, "COLLSCAN"]),
)
def test_no_command_is_too_odd(op: str, command: Any, plan: str) -> None:
    seen = of_profile({"op": op, "command": command, "planSummary": plan}, token)
    assert seen is None or isinstance(seen.shape, Shape)
    of_oplog({"op": "u", "o": command, "o2": command}, token)


def used(keys: int, weights: list[float], operations: int) -> KeyUse:
    use = KeyUse()
    for key in random.Random(5).choices(range(keys), cum_weights=list(itertools.accumulate(weights)), k=operations):
        use.add(key)
    return use


def test_skew_of_zipfian_keys() -> None:
    keys = 20_000
    weights = [1 / (rank + 1) ** 0.99 for rank in range(keys)]
    found = dict(used(keys, weights, 20_000).shares(keys))
    for share in (0.001, 0.01):
        assert found[share] == pytest.approx(sum(weights[: int(share * keys)]) / sum(weights), abs=0.01)
    assert list(found) == [0.001, 0.01, 0.1]
    assert list(found.values()) == sorted(found.values())


def test_chance_makes_no_key_hot() -> None:
    keys = 20_000
    found = used(keys, [1.0] * keys, 5_000).shares(keys)
    assert is_uniform(found)
    assert dict(found)[0.01] == pytest.approx(0.01, abs=0.005)


def test_few_operations_tell_no_skew() -> None:
    assert used(10, [1.0] * 10, FEWEST - 1).shares(10) == ()
    assert dict(used(10, [1.0] * 10, FEWEST).shares(10)) == {0.1: pytest.approx(0.1, abs=0.03)}


def between(uses: dict[str, int], scans: int | None = 0, **operations: int) -> Between:
    return Between(
        seconds=10.0, served=Served(operations=operations, latency_us={}), index_uses=uses, scans=scans,
        pages_read=0.0, inserted_documents=100.0, returned=12.4,
    )  # fmt: skip


def test_without_a_profiler_finds_are_told_by_their_indexes() -> None:
    counted = between({"_id_": 900, "by_customer": 200}, 50, find=700, update=200, insert=50, command=50)
    found = mixture(counted, (), POSSIBLE)
    told = {one.kind: (round(one.share, 3), one.keys) for one in found.operations}
    assert told == {
        "find": (0.45, {}),
        "find-by-index": (0.2, {"index": ["customer", "placed"], "equal": 1, "range": False, "limit": 12}),
        "update": (0.2, {"set": ["status"]}),
        "insert": (0.05, {"documents": 2}),
    }
    assert [round(one.share or 0, 3) for one in found.unmirrored] == [0.05, 0.05]


def test_a_profiler_tells_what_counters_do_not() -> None:
    """The counters say how many, and the profiler, which saw some of them, what they are like."""
    by_customer = Shape("find-by-index", "find", ("customer", "placed"), 1, range=True, sort=-1, limit=20)
    shapes = [
        *[Shape("find", "find", fields=("status",))] * (FEWEST_SEEN * 3),
        *[by_customer] * FEWEST_SEEN,
        *[Shape("update", "update", written=(("set", "status"), ("inc", "n")))] * 10,
        *[Shape("delete", "delete")] * 5,
        *[Shape("other", "command", what="the command distinct")] * 5,
    ]
    counted = between({"by_customer": 5}, find=800, update=100, delete=50, command=50)
    found = mixture(counted, shapes, POSSIBLE)
    told = {one.kind: (round(one.share, 3), one.keys) for one in found.operations}
    assert told == {
        "find": (0.6, {"fields": ["status"]}),
        "find-by-index": (
            0.2, {"index": ["customer", "placed"], "equal": 1, "range": True, "sort": -1, "limit": 20},
        ),
        "update": (0.1, {"set": ["status"], "inc": ["n"]}),
        "delete": (0.05, {}),
    }  # fmt: skip
    assert {one.what: round(one.share or 0, 3) for one in found.unmirrored} == {"the command distinct": 0.05}


def test_what_cannot_be_named_is_not_mirrored_and_said() -> None:
    shapes = [
        *[Shape("find-by-index", "find", ("elsewhere",), 1)] * FEWEST_SEEN,
        *[Shape("update", "update", written=(("push", "status"), ("set", "gone")))] * 10,
        *[Shape("aggregate", "command", ("customer",), group="gone")] * 10,
        *[Shape("read-modify-write", "command")] * 10,
    ]
    counted = between({}, find=50, update=30, command=20)
    found = mixture(counted, shapes, POSSIBLE)
    assert {one.kind: (one.share, one.keys) for one in found.operations} == {
        "update": (0.3, {"set": ["status"]}),
        "read-modify-write": (0.1, {}),
    }
    assert {one.what: one.share for one in found.unmirrored} == {
        "find-by-index operations by an index on elsewhere that is not mirrored": 0.5,
        "how gone, status is written, mirrored as a write of another kind or path": 0.3,
        "aggregations in groups by gone": 0.1,
        "the command findAndModify, mirrored as a find and an update": 0.1,
    }
    nothing = mixture(counted, shapes, Possible({}, frozenset(), {}))
    assert nothing.operations == ()


@given(st.lists(st.integers(0, 10_000), min_size=3, max_size=3), st.integers(0, 10_000), st.integers(0, 500))
def test_shares_never_exceed_what_was_counted(counts: list[int], uses: int, scans: int) -> None:
    find, update, command = counts
    found = mixture(between({"by_customer": uses}, scans, find=find, update=update, command=command), (), POSSIBLE)
    shares = [one.share for one in found.operations] + [one.share or 0.0 for one in found.unmirrored]
    assert all(share >= 0 for share in shares)
    assert sum(shares) <= 1 + 1e-9
    assert sum(shares) >= (1 - 1 / sum(counts) if sum(counts) else 0) - 1e-9


def moment(at_s: float, finds: int, *, others: int = 0, cpu_us: int = 0) -> Moment:
    top = {"total": {"time": finds, "count": finds}, "queries": {"time": finds, "count": finds}}
    cache = {"pages read into cache": finds // 10}
    storage = {
        "count": 10, "size": 1000, "storageSize": 600, "freeStorageSize": 100, "totalIndexSize": 340,
        "wiredTiger": {"cache": cache, "creationString": 'block_compressor="zstd",leaf_page_max=64KB'},
        "indexDetails": {
            "_id_": {
                "cache": {"pages read into cache": finds // 100},
                "block-manager": {"file bytes available for reuse": 40},
            },
        },
    }  # fmt: skip
    part = CollectionMoment(top, {}, storage, scans=finds / 5, indexes={"_id_": finds})
    totals = {"shop.orders": top, "shop.carts": {"total": {"time": others}}, "local.oplog.rs": {"total": {"time": 9}}}
    status = {"extra_info": {"user_time_us": cpu_us, "system_time_us": cpu_us}}
    return Moment(at_s, status, totals, {"shop.orders": part})


def test_what_happened_is_what_grew() -> None:
    before, after = moment(0, 100), moment(20, 1100, others=500, cpu_us=8_000_000)
    found = happened(before, after, "shop.orders")
    assert found is not None
    assert found.served.operations["find"] == 1000
    assert (found.seconds, found.scans, found.pages_read, found.index_uses) == (20, 200, 110, {"_id_": 1000})
    assert happened(after, before, "shop.orders") is None
    assert elsewhere(before, after, {"shop.orders"}) == {"shop.carts": pytest.approx(500 / 1500)}
    assert busy_share(before, after, 2) == pytest.approx(0.4)
    assert busy_share(before, after, None) is None


def test_what_is_stored() -> None:
    found = stored(moment(0, 1).collections["shop.orders"])
    assert (found.documents, found.bytes, found.used_bytes) == (10, 1000, 500)
    assert (found.index_bytes, found.compressor, found.leaf_page_max) == (300, "zstd", "64KB")
