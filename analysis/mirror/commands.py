"""What a command asks for, from a server's profiler or oplog: its shape, never its values, but for a key's token."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from analysis.stats.mirrored import OperationKind

Kind = Literal[
    "find", "find-by-index", "scan", "insert", "update", "replace", "upsert", "delete", "count", "aggregate",
    "read-modify-write", "other",
]  # fmt: skip
Token = Callable[[Any], int]
"""A key as a number that tells only whether two are equal."""

COUNTED_AS: dict[str, OperationKind] = {
    "query": "find", "insert": "insert", "update": "update", "remove": "delete", "command": "command",
}  # fmt: skip
"""Kinds of operations by what the profiler calls them."""
_COMMANDS = ("count", "aggregate", "findAndModify", "findandmodify", "distinct")
_INDEX = re.compile(r"(?:IXSCAN|COUNT_SCAN|DISTINCT_SCAN|EXPRESS_IXSCAN) \{ (.*?) \}")
_KEY = re.compile(r"(.+?): (-?\d+(?:\.\d+)?|\"\w+\")(?:, |$)")
_BY_ID = ("IDHACK", "EXPRESS_IXSCAN { _id: 1 }", "CLUSTERED_IXSCAN")
_RANGE = {"$gt", "$gte", "$lt", "$lte"}
_GROUPING = {"$match", "$group", "$sort", "$limit"}
_WRITTEN = {"$set": "set", "$inc": "inc", "$push": "push"}
_MOST_PATHS = 16


class Shape(NamedTuple):
    """What commands have in common; all else is their values."""

    kind: Kind
    counted_as: OperationKind
    paths: tuple[str, ...] = ()
    """Of the index that it goes by."""
    equal: int = 0
    """How many of them it asks for a value of."""
    range: bool = False
    """Whether it asks for a range of the next one."""
    sort: int = 0
    limit: int = 0
    documents: int = 1
    fields: tuple[str, ...] = ()
    group: str = ""
    """The path whose values make an aggregation's groups."""
    written: tuple[tuple[str, str], ...] = ()
    """`set`, `inc` or `push`, and a path."""
    in_transaction: bool = False
    what: str = ""
    """In words, where nothing of the kind can be mirrored."""


class Seen(NamedTuple):
    """One command."""

    shape: Shape
    keys: tuple[int, ...]
    """Tokens of the `_id`s that it asks for."""


def of_profile(entry: Mapping[str, Any], token: Token) -> Seen | None:
    """What an entry of `system.profile` is of; None for what is counted with another command, or is no operation."""
    told, command = str(entry.get("op", "")), entry.get("command")
    if told not in COUNTED_AS or not isinstance(command, Mapping):
        return None
    plan = str(entry.get("planSummary", ""))
    read = {"query": _find, "insert": _insert, "update": _update, "remove": _remove, "command": _command}[told]
    shape = read(command, plan, entry)
    if shape is None:
        return None
    asked = _mapping(command, "filter", "q", "query")
    transaction = command.get("autocommit") is False
    return Seen(shape._replace(in_transaction=transaction), _tokens(asked.get("_id"), token))


def of_oplog(entry: Mapping[str, Any], token: Token) -> Seen | None:
    """What an entry of the oplog says of an update; None for other entries."""
    if entry.get("op") != "u":
        return None
    written = _of_change(entry.get("o"))
    shape = Shape("update" if written else "replace", "update", written=written)
    return Seen(shape, _tokens(_mapping(entry, "o2").get("_id"), token))


def _find(command: Mapping[str, Any], plan: str, entry: Mapping[str, Any]) -> Shape | None:
    asked, sort = _mapping(command, "filter"), _mapping(command, "sort")
    limit = _count(command.get("limit")) or _count(entry.get("nreturned")) or 1
    fields = _included(_mapping(command, "projection"))
    if plan.startswith(_BY_ID):
        return Shape("find", "find", fields=fields)
    paths = _paths(plan)
    if not paths and asked:
        return Shape("other", "find", what=f"finds that {'read the whole collection' if plan else 'have no plan'}")
    if not paths or paths == ("_id",):
        return Shape("scan", "find", limit=limit)
    equal = _equal(asked, paths)
    following = paths[equal] if equal < len(paths) else ""
    ranged, direction = _is_range(asked.get(following)), _direction(sort, following)
    if not equal and not ranged and not direction:
        return Shape("other", "find", what="finds by an index in a way of their own")
    return Shape("find-by-index", "find", paths, equal, ranged, direction, limit, fields=fields)


def _insert(_command: Mapping[str, Any], _plan: str, entry: Mapping[str, Any]) -> Shape:
    return Shape("insert", "insert", documents=_count(entry.get("ninserted")) or 1)


def _update(command: Mapping[str, Any], _plan: str, _entry: Mapping[str, Any]) -> Shape:
    if command.get("upsert"):
        return Shape("upsert", "update", written=_written(command.get("u")))
    return _changing(command.get("u"), "update")


def _remove(_command: Mapping[str, Any], _plan: str, _entry: Mapping[str, Any]) -> Shape:
    return Shape("delete", "delete")


def _command(command: Mapping[str, Any], plan: str, _entry: Mapping[str, Any]) -> Shape | None:
    name = next((one for one in _COMMANDS if one in command), None)
    paths = _paths(plan)
    if name is None:
        return None
    if name == "count" and (equal := _equal(_mapping(command, "query"), paths)):
        return Shape("count", "command", paths[:equal])
    if name == "aggregate" and (grouped := _grouped(command.get("pipeline"))):
        asked, group = grouped
        if not asked or (equal := _equal(asked, paths)):
            return Shape("aggregate", "command", paths[:equal] if asked else (), group=group)
    if name.lower() == "findandmodify" and not command.get("remove"):
        shape = _changing(command.get("update"), "command")
        return shape._replace(kind="read-modify-write")
    return Shape("other", "command", what=f"the command {name}")


def _changing(change: Any, counted_as: OperationKind) -> Shape:
    written = _written(change)
    replaces = isinstance(change, Mapping) and not any(str(name).startswith("$") for name in change)
    return Shape("replace" if replaces else "update", counted_as, written=written)


def _written(change: Any) -> tuple[tuple[str, str], ...]:
    """The paths that a command writes, and how; operators that are not told apart count as `set`."""
    if not isinstance(change, Mapping):
        return ()
    found = [
        (_WRITTEN.get(str(operator), "set"), str(path))
        for operator, paths in change.items()
        if str(operator).startswith("$") and isinstance(paths, Mapping)
        for path in paths
    ]
    return tuple(found[:_MOST_PATHS])


def _of_change(change: Any) -> tuple[tuple[str, str], ...]:
    """The paths that an entry of the oplog writes, in either of its forms."""
    if not isinstance(change, Mapping):
        return ()
    difference = change.get("diff")
    if isinstance(difference, Mapping):
        return tuple(("set", path) for path in _in_difference(difference, ""))[:_MOST_PATHS]
    return _written(change)


def _in_difference(difference: Mapping[str, Any], prefix: str) -> Iterable[str]:
    for name, value in difference.items():
        if name in {"u", "i"} and isinstance(value, Mapping):
            yield from (f"{prefix}{path}" for path in value)
        elif name.startswith("s") and isinstance(value, Mapping):
            if value.get("a") is True:
                yield f"{prefix}{name[1:]}"
            else:
                yield from _in_difference(value, f"{prefix}{name[1:]}.")


def _paths(plan: str) -> tuple[str, ...]:
    """The paths of the one index that a plan goes by; none where it goes by none or by several."""
    found = _INDEX.findall(plan)
    return tuple(path for path, _ in _KEY.findall(found[0])) if len(found) == 1 else ()


def _equal(asked: Mapping[str, Any], paths: tuple[str, ...]) -> int:
    """How many of an index's paths, the first ones, are asked for a value."""
    return next((number for number, path in enumerate(paths) if not _is_equal(asked, path)), len(paths))


def _count(told: Any) -> int:
    """A number of documents; 0 where none is told."""
    return max(0, int(told)) if isinstance(told, int | float) else 0


def _direction(sort: Mapping[str, Any], path: str) -> int:
    """How the path after the equal ones is sorted; 0 where it isn't."""
    told = sort.get(path)
    return 0 if not isinstance(told, int | float) or not told else 1 if told > 0 else -1


def _grouped(pipeline: Any) -> tuple[Mapping[str, Any], str] | None:
    """What an aggregation matches, and the path that it groups by; None for one that does more."""
    stages = pipeline if isinstance(pipeline, list) and all(isinstance(one, Mapping) for one in pipeline) else []
    names = [next(iter(stage), "") for stage in stages]
    if "$group" not in names or not set(names) <= _GROUPING or names.index("$group") > 1:
        return None
    group = _mapping(stages[names.index("$group")], "$group").get("_id")
    if not isinstance(group, str) or not group.startswith("$") or group.startswith("$$"):
        return None
    return (_mapping(stages[0], "$match") if names[0] == "$match" else {}), group[1:]


def _is_equal(asked: Mapping[str, Any], path: str) -> bool:
    condition = asked.get(path, ...)
    if condition is ... or not isinstance(condition, Mapping):
        return condition is not ...
    operators = {str(name) for name in condition}
    return operators <= {"$eq", "$in"} or not any(name.startswith("$") for name in operators)


def _is_range(condition: Any) -> bool:
    return isinstance(condition, Mapping) and bool(_RANGE & set(condition))


def _included(projection: Mapping[str, Any]) -> tuple[str, ...]:
    found = [str(path) for path, value in projection.items() if value in (1, True) and path != "_id"]
    return tuple(found[:_MOST_PATHS])


def _mapping(command: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    return next((found for name in names if isinstance(found := command.get(name), Mapping)), {})


def _tokens(asked: Any, token: Token) -> tuple[int, ...]:
    """Of the keys that are asked for by their values."""
    if isinstance(asked, Mapping) and any(str(name).startswith("$") for name in asked):
        if "$eq" in asked:
            return (token(asked["$eq"]),)
        listed = asked.get("$in")
        return tuple(map(token, listed)) if isinstance(listed, list) else ()
    return () if asked is None else (token(asked),)
