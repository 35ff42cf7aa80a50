"""What a mix of one's own may say: how often each key is used, and the operations. `docs/spec.md` is made of this."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator

from core.model import Part

_LONGEST_PATH = 300


def _dotted(path: str) -> str:
    names = path.split(".")
    if "," in path or not all(name and not name.startswith("$") and name.isprintable() for name in names):
        raise ValueError(f"{path[:80]!r} is no path: names joined by dots, without commas, none begins with $")
    return path


def _each_once(paths: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(paths)) < len(paths):
        raise ValueError("name each path once")
    return paths


Path = Annotated[str, StringConstraints(min_length=1, max_length=_LONGEST_PATH), AfterValidator(_dotted)]
Paths = Annotated[tuple[Path, ...], Field(max_length=50), AfterValidator(_each_once)]
IndexPaths = Annotated[tuple[Path, ...], Field(min_length=1, max_length=32), AfterValidator(_each_once)]
Share = Annotated[float, Field(gt=0, lt=1)]
_Distribution = Literal["uniform", "zipfian", "latest", "hotspot", "measured"]
_KEYS_OF = {"zipfian": {"exponent"}, "latest": {"exponent"}, "hotspot": {"data", "operations"}, "measured": {"shares"}}


class Keys(Part):
    """How often each document is used. The name of a distribution alone takes its defaults."""

    distribution: _Distribution = Field(
        description="`uniform`, or skewed: `zipfian` and `hotspot` as in YCSB, `latest` with the newest documents "
        "first, `measured` as its `shares` say. Which documents are hot is drawn, the same ones in each arm and phase."
    )
    exponent: Annotated[float, Field(gt=0, le=10)] = Field(
        0.99, description="`zipfian`, `latest`: the share of the n-th most used key is as 1 ÷ n to this power."
    )
    data: Share = Field(0.2, description="`hotspot`: share of the documents that are hot.")
    operations: Share = Field(0.8, description="`hotspot`: share of the operations that use the hot documents.")
    shares: Annotated[tuple[tuple[Share, Share], ...], Field(max_length=100)] = Field(
        (),
        description="`measured`: pairs such as `[0.001, 0.31]`: the most used 0.1 % of the documents get 31 % of the "
        "operations. Both numbers rise from pair to pair.",
    )

    @model_validator(mode="after")
    def _what_it_takes(self) -> Self:
        wrong = self.model_fields_set - {"distribution"} - _KEYS_OF.get(self.distribution, set())
        if wrong:
            raise ValueError(f"{sorted(wrong)[0]} does not go with the distribution {self.distribution}")
        if self.distribution == "measured" and not self.shares:
            raise ValueError("the distribution measured needs shares, e.g. [[0.01, 0.5], [0.1, 0.8]]")
        if any(not (a < c and b <= d) for (a, b), (c, d) in pairwise(self.shares)):
            raise ValueError("shares must rise from pair to pair")
        if any(operations < data for data, operations in self.shares):
            raise ValueError("shares: the most used documents can't have less than their share of the operations")
        return self

    def properties(self) -> dict[str, Any]:
        """What the client is told of it."""
        told = {name: getattr(self, name) for name in _KEYS_OF.get(self.distribution, set()) - {"shares"}}
        shares = {"shares": ",".join(f"{data!r}:{used!r}" for data, used in self.shares)} if self.shares else {}
        return {"distribution": self.distribution, **dict(sorted(told.items())), **shares}


class Operation(Part):
    """A kind of operation, and how often it is done."""

    weight: Annotated[float, Field(gt=0, le=1_000_000)] = Field(
        1.0, description="How often, in relation to the other operations' weights."
    )

    def properties(self) -> dict[str, Any]:
        """What the client is told of it: lists with commas, nothing of what is left out."""
        told = self.model_dump()
        return {
            name: ",".join(value) if isinstance(value, tuple) else value
            for name, value in told.items()
            if value is not None and value != ()
        }

    @property
    def paths(self) -> dict[str, tuple[str, ...]]:
        """The paths that it names, by key."""
        named = {name: getattr(self, name) for name in ("fields", "index", "set", "inc", "push") if hasattr(self, name)}
        return {name: paths for name, paths in named.items() if paths}

    @property
    def documents_held(self) -> int:
        """How many documents a thread holds at once."""
        return 1


_FIELDS = Field((), description="Dotted paths to return; left out: whole documents.")
_EQUAL = "Documents that equal a chosen one in these paths of an index, its first ones."


class Find(Operation):
    """Finds a document by its `_id`."""

    kind: Literal["find"] = Field("find", description="Find by `_id`.")
    fields: Paths = _FIELDS


class FindByIndex(Operation):
    """Finds the documents that have a chosen one's values in an index."""

    kind: Literal["find-by-index"] = Field("find-by-index", description="Find by a secondary index.")
    index: IndexPaths = Field(description="The index's paths, all or its first ones.")
    equal: Annotated[int, Field(ge=0, le=32)] = Field(
        1, description="So many of them are matched for equality with the values of a chosen document."
    )
    range: bool = Field(
        default=False, description="Whether the next one is matched from the chosen document's value on, as sorted."
    )
    sort: Literal[1, -1] | None = Field(None, description="Sorts by the next path: `1` rising, `-1` falling.")
    limit: Annotated[int, Field(ge=1, le=1_000_000)] = Field(100, description="Most documents to return.")
    fields: Paths = _FIELDS

    @model_validator(mode="after")
    def _has_a_next_path(self) -> Self:
        if self.equal > len(self.index):
            raise ValueError(f"equal: {self.equal} paths, and index has {len(self.index)}")
        if self.equal == len(self.index) and (self.range or self.sort):
            raise ValueError("range and sort take the path after the equal ones, and there is none; lower equal")
        return self

    @property
    def documents_held(self) -> int:
        """What comes at once."""
        return min(self.limit, _AT_ONCE)


class Insert(Operation):
    """Inserts documents."""

    kind: Literal["insert"] = Field("insert", description="Insert.")
    documents: Annotated[int, Field(ge=1, le=10_000)] = Field(1, description="Documents per insert command.")
    deleted: bool = Field(
        default=False, description="Whether deleted documents come back, while there are any, instead of new ones."
    )

    @property
    def documents_held(self) -> int:
        """Those of one command."""
        return self.documents


class Update(Operation):
    """Writes paths of a document that it has not read, of those that the dataset's `update` names; of text, fields."""

    kind: Literal["update"] = Field("update", description="Update by `_id`.")
    set: Paths = Field((), description="Paths that `$set` gives the value that they have in another document.")
    inc: Paths = Field((), description="Paths of numbers, to which `$inc` adds 1.")
    push: Paths = Field(
        (),
        description="Paths of lists, to which `$push` appends an entry of the same list in another document. A list "
        "keeps its newest 1,000 entries.",
    )

    @model_validator(mode="after")
    def _writes_each_once(self) -> Self:
        written = (*self.set, *self.inc, *self.push)
        if not written:
            raise ValueError("name the paths that it writes, in set, inc or push")
        if len(set(written)) < len(written):
            raise ValueError("a path is written in one way, once")
        return self


class Replace(Operation):
    """Replaces a document; in the new one, the paths that are set have other values."""

    kind: Literal["replace"] = Field("replace", description="Replace by `_id`.")


class Delete(Operation):
    """Deletes documents in a drawn order, each of the loaded ones once before any a second time; half at most."""

    kind: Literal["delete"] = Field("delete", description="Delete by `_id`.")


class Upsert(Operation):
    """Replaces a document, or inserts it: a deleted one while there are any."""

    kind: Literal["upsert"] = Field("upsert", description="Replace by `_id`, with `upsert`.")


class Count(Operation):
    """Counts documents by an index."""

    kind: Literal["count"] = Field("count", description="Count.")
    index: IndexPaths = Field(description=_EQUAL)


class Aggregate(Operation):
    """Counts documents in groups, with `$match` and `$group`."""

    kind: Literal["aggregate"] = Field("aggregate", description="Aggregate.")
    index: Paths = Field((), description=f"{_EQUAL} Left out: all documents.")
    group: Path = Field(description="The path whose values make the groups.")


class Scan(Operation):
    """Finds documents in the order of their `_id`, from a chosen one on."""

    kind: Literal["scan"] = Field("scan", description="Scan by `_id`.")
    limit: Annotated[int, Field(ge=1, le=1_000_000)] = Field(100, description="Documents to return.")
    fields: Paths = _FIELDS

    @property
    def documents_held(self) -> int:
        """What comes at once."""
        return min(self.limit, _AT_ONCE)


class ScanAll(Operation):
    """Reads the whole collection, in the order in which it lies."""

    kind: Literal["scan-all"] = Field("scan-all", description="Scan of the collection.")
    fields: Paths = _FIELDS

    @property
    def documents_held(self) -> int:
        """What comes at once."""
        return _AT_ONCE


class Transaction(Operation):
    """Finds documents by `_id` and updates others, in one transaction. Needs a replica set."""

    kind: Literal["transaction"] = Field("transaction", description="Transaction.")
    reads: Annotated[int, Field(ge=0, le=1000)] = Field(1, description="Documents that it finds.")
    updates: Annotated[int, Field(ge=1, le=1000)] = Field(
        1, description="Documents that it updates, in one path each, of those that are set."
    )

    @property
    def documents_held(self) -> int:
        """Its messages."""
        return self.reads + self.updates


class ReadModifyWrite(Operation):
    """Finds a path of a document and writes the version after the one that it found."""

    kind: Literal["read-modify-write"] = Field("read-modify-write", description="Read-modify-write.")


_AT_ONCE = 1000
"""Documents that the client takes from a cursor at once."""

AnyOperation = Annotated[
    Find
    | FindByIndex
    | Insert
    | Update
    | Replace
    | Delete
    | Upsert
    | Count
    | Aggregate
    | Scan
    | ScanAll
    | Transaction
    | ReadModifyWrite,
    Field(discriminator="kind"),
]
KINDS = (
    Find, FindByIndex, Insert, Update, Replace, Delete, Upsert, Count, Aggregate, Scan, ScanAll, Transaction,
    ReadModifyWrite,
)  # fmt: skip
SETTERS = (Transaction, ReadModifyWrite, Replace)
"""Kinds that write paths which they don't name: those that are set."""


def _some(operations: tuple[Operation, ...]) -> tuple[Operation, ...]:
    if not operations:  # min_length would be told of one that is wrong, too
        raise ValueError("at least 1 required")
    return operations


def _named(keys: object) -> object:
    return {"distribution": keys} if isinstance(keys, str) else keys


class MixFile(Part):
    """A mix of your own, `<mix>.mix.yaml`: which operations a workload is made of, and on which keys."""

    keys: Annotated[Keys, BeforeValidator(_named)] = Field(
        Keys(distribution="uniform"), description="How often each document is used; a distribution's name is enough."
    )
    operations: Annotated[tuple[AnyOperation, ...], Field(max_length=100), AfterValidator(_some)] = Field(
        description="The operations, each as often as its weight says."
    )
