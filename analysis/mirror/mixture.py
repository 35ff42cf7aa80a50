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

    @property
    def told(self) -> str:
        """What it is, and its share."""
        return self.what if self.share is None else f"{self.what} ({self.share:.1%})"


@dataclass(frozen=True)
class Mixture:
    """What a collection is asked."""

    operations: tuple[Operation, ...]
    unmirrored: tuple[Unmirrored, ...]


@dataclass(frozen=True)
class Possible:
    """What a campaign's operations may name."""

    indexes: Mapping[str, tuple[str, ...]]
    """Paths of each index that answers every query, by its name."""
    paths: frozenset[str]
    """Those that documents have."""
    ways: Mapping[str, str]
    """Paths that updates may write, and how: `set`, `inc` or `push`; one way in all operations. The likeliest first."""

    @property
    def settable(self) -> tuple[str, ...]:
        """Paths that may be set."""
        return tuple(path for path, way in self.ways.items() if way == "set")


def mixture(happened: Between, shapes: Sequence[Shape], possible: Possible) -> Mixture:
    """What stands for the operations between two moments; `shapes` are of commands that a profiler showed, if any."""
    counts = {kind: count for kind, count in happened.served.operations.items() if count}
    whole = sum(counts.values())
    seen = shapes if len(shapes) >= FEWEST_SEEN else ()
    found: list[Operation | Unmirrored] = []
    for kind, count in counts.items():
        of_kind = [shape for shape in seen if shape.counted_as == kind]
        if of_kind:
            found += _as_seen(kind, count / whole, of_kind, possible)
        else:
            found += _as_counted(kind, count, whole, happened, possible)
    if inside := sum(shape.in_transaction for shape in seen):
        found.append(Unmirrored("operations within transactions, mirrored outside of one", inside / len(seen)))
    operations = sorted((one for one in found if isinstance(one, Operation)), key=lambda one: -one.share)
    return Mixture(tuple(operations), tuple(one for one in found if isinstance(one, Unmirrored)))


def _as_seen(kind: str, share: float, shapes: Sequence[Shape], possible: Possible) -> Iterator[Operation | Unmirrored]:
    """Operations by the shapes of a kind's commands, of which the server counted how many there were."""
    for told, count in Counter(shape.what for shape in shapes if shape.kind == "other").items():
        yield Unmirrored(told, share * count / len(shapes))
    for shape, count in _common([shape for shape in shapes if shape.kind != "other"]):
        part = share * count / len(shapes)
        if not _is_possible(shape, possible):
            yield Unmirrored(_cannot(shape), part)
            continue
        source = f"top: {share:.1%} {kind} operations; profiler: {count} of the {len(shapes)} that it showed"
        yield Operation(shape.kind, part, source, _keys(shape, possible))
        if otherwise := _otherwise(shape, possible):
            yield Unmirrored(otherwise, part)


def _common(shapes: Sequence[Shape]) -> list[tuple[Shape, int]]:
    """The commonest shapes of each kind; the rarer ones are counted with the commonest one of their kind."""
    by_kind: dict[tuple[Any, ...], Counter[Shape]] = {}
    for shape in shapes:
        plain = shape._replace(in_transaction=False, limit=0, documents=0)
        by_kind.setdefault((shape.kind, shape.paths), Counter())[plain] += 1
    found = []
    for (kind, index), counted in by_kind.items():
        kept = [one for one, count in counted.most_common(_MOST_SHAPES) if count >= _LIKE * len(shapes)]
        kept = kept or [counted.most_common(1)[0][0]]
        rest = sum(counted.values()) - sum(counted[one] for one in kept)
        alike = [one for one in shapes if (one.kind, one.paths) == (kind, index)]
        limit, documents = (_middle([getattr(one, name) for one in alike]) for name in ("limit", "documents"))
        for place, one in enumerate(kept):
            count = counted[one] + (rest if place == 0 else 0)
            found.append((one._replace(limit=limit, documents=documents), count))
    return found


def _middle(values: Sequence[int]) -> int:
    return max(1, round(sum(values) / len(values)))


def _keys(shape: Shape, possible: Possible) -> dict[str, Any]:
    """What a mix says of an operation of this shape."""
    keys: dict[str, Any] = {}
    if fields := [path for path in shape.fields if path in possible.paths]:
        keys["fields"] = fields
    match shape.kind:
        case "find-by-index":
            keys = {"index": list(shape.paths), "equal": shape.equal, "range": shape.range, **keys}
            keys |= {"sort": shape.sort} if shape.sort else {}
            keys["limit"] = shape.limit
        case "scan":
            keys["limit"] = shape.limit
        case "insert":
            keys["documents"] = shape.documents
        case "count" | "aggregate":
            keys = {"index": list(shape.paths)} if shape.paths else {}
            keys |= {"group": shape.group} if shape.group else {}
        case "update":
            keys = _written(shape, possible)
    return keys


def _is_possible(shape: Shape, possible: Possible) -> bool:
    """Whether a mix can say it: by an index that is there, grouped by a path that is there, writing what may be."""
    if shape.paths and not any(index[: len(shape.paths)] == shape.paths for index in possible.indexes.values()):
        return False
    if shape.group and shape.group not in possible.paths:
        return False
    if shape.kind == "update":
        return bool(_written(shape, possible))
    return shape.kind != "read-modify-write" or bool(possible.settable)


def _written(shape: Shape, possible: Possible) -> dict[str, Any]:
    """The paths that an update writes, each in its one way; another one where it may write none of its own."""
    paths: dict[str, list[str]] = {}
    for path in dict.fromkeys(path for _, path in shape.written):
        if way := possible.ways.get(path):
            paths.setdefault(way, []).append(path)
    return paths or ({"set": list(possible.settable[:1])} if possible.settable else {})


def _cannot(shape: Shape) -> str:
    if shape.kind == "aggregate":
        return f"aggregations in groups by {shape.group}"
    if shape.paths:
        return f"{shape.kind} operations by an index on {', '.join(shape.paths)} that is not mirrored"
    return f"{shape.kind} operations, for want of a path that every document has"


def _otherwise(shape: Shape, possible: Possible) -> str:
    """What is mirrored, but not as it is."""
    if shape.kind == "read-modify-write":
        return "the command findAndModify, mirrored as a find and an update"
    others = sorted({path for way, path in shape.written if possible.ways.get(path) != way})
    if shape.kind == "update" and others:
        return f"how {', '.join(others)} is written, mirrored as a write of another kind or path"
    return ""


def _as_counted(
    kind: str, count: int, whole: int, happened: Between, possible: Possible
) -> Iterator[Operation | Unmirrored]:
    """Operations where no profiler shows any: finds by the indexes that were used, all else by the key."""
    share, source = count / whole, f"top: {count:,} of {whole:,} operations"
    if kind == "find":
        yield from _finds(count, whole, happened, possible.indexes)
    elif kind == "insert":
        deleted = happened.served.operations.get("delete", 0)
        each = max(1, round((happened.inserted_documents + deleted) / count))
        yield Operation("insert", share, f"{source}; documents by the collection's growth", {"documents": each})
    elif kind == "update" and possible.ways:
        path, way = next(iter(possible.ways.items()))
        yield Operation("update", share, f"{source}; which paths each writes is not known", {way: [path]})
    elif kind == "delete":
        yield Operation("delete", share, source)
    elif kind == "command":
        yield Unmirrored("commands such as counts and aggregations, which only a profiler tells apart", share)
    else:
        yield Unmirrored("updates, for want of a path that every document has", share)


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
