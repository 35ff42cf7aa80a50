"""Which operations stand for what was seen, each with its weight and where that came from; and what none stands for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from analysis.mirror.commands import Shape
    from analysis.mirror.moments import Between

FEWEST_SEEN = 100
"""Commands of a collection that its profiler has to have shown, to tell what they are like."""
_LIKE = 0.02
"""Shapes that are rarer than this among those of their kind are told with the commonest one of it."""
_MOST_SHAPES = 6
_ID = "_id_"
_WITH_PATHS = {"update", "upsert", "replace", "read-modify-write"}


@dataclass(frozen=True)
class Operation:
    """One line of a mix."""

    kind: str
    share: float
    """Of all operations on the collection, those that are not mirrored included."""
    source: str
    """Where its share and its shape came from."""
    keys: Mapping[str, Any] = field(default_factory=dict)
    """What else is said of it."""


@dataclass(frozen=True)
class Unmirrored:
    """Something that was seen, and that no operation stands for."""

    what: str
    share: float | None
    """Of all operations on the collection; None where that is not known."""


@dataclass(frozen=True)
class Mixture:
    """What a collection is asked."""

    operations: tuple[Operation, ...]
    unmirrored: tuple[Unmirrored, ...]


def mixture(
    happened: Between, shapes: Sequence[Shape], indexes: Mapping[str, tuple[str, ...]], updatable: Sequence[str]
) -> Mixture:
    """What stands for the operations between two moments.

    `shapes` are of the commands that a profiler showed, possibly none; `indexes` the paths of each index by its name,
    `updatable` those that updates may write.
    """
    counts = {kind: count for kind, count in happened.served.operations.items() if count}
    whole = sum(counts.values())
    seen = shapes if len(shapes) >= FEWEST_SEEN else ()
    found: list[Operation | Unmirrored] = []
    for kind, count in counts.items():
        of_kind = [shape for shape in seen if shape.counted_as == kind]
        if of_kind:
            found += _as_seen(kind, count / whole, of_kind, updatable)
        else:
            found += _as_counted(kind, count, whole, happened, indexes, updatable)
    if inside := sum(shape.in_transaction for shape in seen):
        found.append(Unmirrored("operations within transactions, mirrored outside of one", inside / len(seen)))
    operations = sorted((one for one in found if isinstance(one, Operation)), key=lambda one: -one.share)
    return Mixture(tuple(operations), tuple(one for one in found if isinstance(one, Unmirrored)))


def _as_seen(
    kind: str, share: float, shapes: Sequence[Shape], updatable: Sequence[str]
) -> Iterator[Operation | Unmirrored]:
    """Operations by the shapes of a kind's commands, of which the server counted how many there were."""
    what = Counter(shape.what for shape in shapes if shape.kind == "other")
    for told, count in what.items():
        yield Unmirrored(told, share * count / len(shapes))
    common = _common([shape for shape in shapes if shape.kind != "other"])
    for shape, count in common:
        keys, lost = _keys(shape, updatable)
        part = share * count / len(shapes)
        source = f"top: {share:.1%} {kind} operations; profiler: {count} of the {len(shapes)} that it showed"
        yield Operation(shape.kind, part, source, keys)
        if lost:
            yield Unmirrored(f"writes of {', '.join(lost)} (by {shape.kind}), mirrored as writes of other paths", part)


def _common(shapes: Sequence[Shape]) -> list[tuple[Shape, int]]:
    """The commonest shapes of each kind; the rarer ones are counted with the commonest one of their kind."""
    by_kind: dict[tuple[Any, ...], Counter[Shape]] = {}
    for shape in shapes:
        plain = shape._replace(in_transaction=False, limit=0, documents=0)
        by_kind.setdefault((shape.kind, shape.index), Counter())[plain] += 1
    found = []
    for (kind, index), counted in by_kind.items():
        kept = [one for one, count in counted.most_common(_MOST_SHAPES) if count >= _LIKE * len(shapes)]
        kept = kept or [counted.most_common(1)[0][0]]
        rest = sum(counted.values()) - sum(counted[one] for one in kept)
        alike = [one for one in shapes if (one.kind, one.index) == (kind, index)]
        limit, documents = (_middle([getattr(one, name) for one in alike]) for name in ("limit", "documents"))
        for place, one in enumerate(kept):
            count = counted[one] + (rest if place == 0 else 0)
            found.append((one._replace(limit=limit, documents=documents), count))
    return found


def _middle(values: Sequence[int]) -> int:
    return max(1, round(sum(values) / len(values)))


def _keys(shape: Shape, updatable: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """What a mix says of an operation of this shape, and the paths that it can't write."""
    lost: list[str] = []
    if shape.kind == "find":
        return ({"fields": list(shape.fields)} if shape.fields else {}), lost
    if shape.kind == "find-by-index":
        keys: dict[str, Any] = {"index": list(shape.index), "equal": shape.equal, "range": shape.range}
        if shape.sort:
            keys["sort"] = 1 if shape.sort > 0 else -1
        return {**keys, "limit": shape.limit}, lost
    if shape.kind in {"count", "aggregate"}:
        return {"index": list(shape.index)}, lost
    if shape.kind in {"scan", "insert"}:
        return ({"limit": shape.limit} if shape.kind == "scan" else {"documents": shape.documents}), lost
    if shape.kind == "update":
        lost = sorted({path for _, path in shape.written if path not in updatable})
        paths = {how: [path for one, path in shape.written if one == how and path in updatable] for how in _HOWS}
        told = {how: found for how, found in paths.items() if found}
        return told or {"set": list(updatable[:1])}, lost
    return {}, lost


_HOWS = ("set", "inc", "push")


def _as_counted(
    kind: str,
    count: int,
    whole: int,
    happened: Between,
    indexes: Mapping[str, tuple[str, ...]],
    updatable: Sequence[str],
) -> Iterator[Operation | Unmirrored]:
    """Operations where no profiler shows any: finds by the indexes that were used, all else by the key."""
    share, source = count / whole, f"top: {count:,} of {whole:,} operations"
    if kind == "find":
        yield from _finds(count, whole, happened, indexes)
    elif kind == "insert":
        deleted = happened.served.operations.get("delete", 0)
        each = max(1, round((happened.inserted_documents + deleted) / count))
        yield Operation("insert", share, f"{source}; documents by the collection's growth", {"documents": each})
    elif kind == "update":
        told = f"{source}; which paths are written is not known"
        yield Operation("update", share, told, {"set": list(updatable[:1])})
    elif kind == "delete":
        yield Operation("delete", share, source)
    else:
        yield Unmirrored("commands such as counts and aggregations, which only a profiler tells apart", share)


def _finds(
    count: int, whole: int, happened: Between, indexes: Mapping[str, tuple[str, ...]]
) -> Iterator[Operation | Unmirrored]:
    """Finds by each index as often as it was used; those that are left go by the key."""
    used = {name: uses for name, uses in happened.index_uses.items() if name != _ID and uses and name in indexes}
    scans = min(happened.scans or 0, count)
    every = sum(used.values()) + scans
    fits = min(1.0, count / every) if every else 1.0
    limit = max(1, round(happened.returned or 1))
    for name, uses in used.items():
        keys = {"index": list(indexes[name]), "equal": 1, "range": False, "limit": limit}
        source = f"$indexStats: {name} was used {uses:,} times; equal, range and limit are not known"
        yield Operation("find-by-index", fits * uses / whole, source, keys)
    if scans:
        yield Unmirrored("finds that read the whole collection", fits * scans / whole)
    left = count - fits * every
    if left >= 1:
        told = f"top: {count:,} finds, less those by other indexes; $indexStats: _id_ was used"
        yield Operation("find", left / whole, f"{told} {happened.index_uses.get(_ID, 0):,} times")
