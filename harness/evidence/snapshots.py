"""What mongods held at the moments of a trial: sizes and counters, of each member, and what maintenance left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analysis.trial.engine import counters as engine_counters
from analysis.trial.read_back import read_in_force
from analysis.trial.records import DictionarySizes, Maintenance, Member, MemberMoment, Oplog, Sizes
from core.nested import inside
from harness.evidence.steps import read_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from analysis.trial.engine.counters import Counter
    from harness.plan.topology import Instance

Snapshot = dict[str, Any]


def read_sizes(snapshot: Snapshot, moment: str) -> Sizes:
    """The sizes of a snapshot."""
    stats, collection = snapshot["db_stats"], snapshot["coll_stats"]
    dictionary = _dictionary(snapshot["dictionary_stats"]) if "dictionary_stats" in snapshot else None
    both = [one for one in (collection, snapshot.get("dictionary_stats")) if one]
    free = [one.get("freeStorageSize") for one in both]
    free_of_indexes = [
        inside(index, "block-manager", "file bytes available for reuse")
        for one in both
        for index in one.get("indexDetails", {}).values()
    ]
    secondary = sum(int(size) for name, size in collection.get("indexSizes", {}).items() if name != "_id_")
    return Sizes(
        moment=moment,
        documents=int(stats["objects"]) - (dictionary.entries if dictionary else 0),
        data_size_bytes=int(stats["dataSize"]),
        storage_size_bytes=int(stats["storageSize"]),
        free_storage_size_bytes=None if None in free else sum(map(int, free)),
        index_size_bytes=int(stats["indexSize"]),
        free_index_size_bytes=None
        if None in free_of_indexes or not free_of_indexes
        else sum(map(int, free_of_indexes)),
        secondary_index_size_bytes=secondary + (dictionary.index_size_bytes if dictionary else 0),
        files_bytes={kind: int(size) for kind, size in snapshot["files"].items() if size is not None},
        pages=snapshot.get("pages"),
        oplog=_oplog(snapshot["oplog"]) if "oplog" in snapshot else None,
        dictionary=dictionary,
    )


def _dictionary(told: Snapshot) -> DictionarySizes:
    return DictionarySizes(
        entries=int(told["count"]),
        data_size_bytes=int(told["size"]),
        storage_size_bytes=int(told["storageSize"]),
        index_size_bytes=int(told["totalIndexSize"]),
    )


def _oplog(told: Snapshot) -> Oplog:
    return Oplog(
        data_size_bytes=int(told["size"]),
        storage_size_bytes=int(told["storageSize"]),
        free_storage_size_bytes=_whole(told.get("freeStorageSize")),
    )


def _whole(told: Any) -> int | None:
    return None if told is None else int(told)


def read_counters(snapshot: Snapshot) -> dict[str, float | None]:
    """The engine's counters of a snapshot, by names of our own."""
    return engine_counters.read(*_statistics(snapshot))


def lacking_counters(snapshot: Snapshot) -> Iterator[Counter]:
    """Those that the server does not have."""
    return engine_counters.missing(*_statistics(snapshot))


def _statistics(snapshot: Snapshot) -> tuple[Snapshot, Snapshot, str]:
    """The server's and the collection's, and the server's version."""
    status = snapshot["counters_after_checkpoint"]["server_status"]
    return status, snapshot["coll_stats"], status["version"]


def read_maintenance(
    folder: Path, instances: Sequence[Instance], workload: str, kind: str | None
) -> Iterator[Maintenance]:
    """What was done before a workload, to each mongod that it is done to; the last alone copies everything anew."""
    moment = f"before-{workload}"
    for instance in instances[-1:] if kind == "initial-sync" else instances:
        told = read_json(folder / instance.folder / f"maintenance.{workload}.json")
        left = read_json(folder / instance.folder / f"snapshot.{moment}.json")
        told.pop("format_version", None)
        yield Maintenance(workload=workload, member=_name(instance), sizes=read_sizes(left, moment), **told)


def read_members(
    folder: Path,
    instances: Sequence[Instance],
    moments: Sequence[str],
    maintenance: Sequence[Maintenance],
    each_tells: bool,  # noqa: FBT001 - as the evidence is
) -> Iterator[Member]:
    """What each member of a replica set left; one that was emptied begins to count anew.

    `each_tells`: the further members tell of their settings, too.
    """
    emptied = {(one.member, one.sizes.moment) for one in maintenance if one.kind == "initial-sync"}
    for number, instance in enumerate(instances):
        found, name = [], _name(instance)
        told = read_json(folder / instance.folder / "in_force.json") if number and each_tells else None
        before = read_counters(read_json(folder / instance.folder / "snapshot.empty.json"))
        for moment in moments:
            snapshot = read_json(folder / instance.folder / f"snapshot.{moment}.json")
            after = read_counters(snapshot)
            moved = engine_counters.change({} if (name, moment) in emptied else before, after)
            sizes = read_sizes(snapshot, moment)
            found.append(MemberMoment(moment=moment, **snapshot["replica"], sizes=sizes, counters=moved))
            before = after
        yield Member(name=name, in_force=told and read_in_force(told), moments=tuple(found))


def _name(instance: Instance) -> str:
    return f"{instance.address}:{instance.port}"
