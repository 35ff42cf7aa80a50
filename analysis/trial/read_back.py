"""What the running server says of itself, from the raw read-back, and where that differs from what was asked."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from analysis.trial.engine.counters import Counter, is_checked, release, wire_counter
from analysis.trial.records import Compressor, InForce, Reason, Settings
from analysis.trial.settings import SETTINGS
from core.cpus import cores_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from analysis.trial.records import ClientPart, Member, Phase


_CACHES_PER_CPU_SINCE = (8, 0)
_NUMBERED = re.compile(r"\d{1,6}\.\d{1,6}(\.\d{1,6})?(-|$)", re.ASCII)
"""A version as a server tells it; what a damaged file tells may be anything."""


def read_in_force(raw: Mapping[str, Any]) -> InForce:
    """Interpret `in_force.json` of a trial.

    The collection's compressor and page size come from its creationString, which WiredTiger stored with the
    file; the levels of zstd and zlib and the journal's compressor from log line 22315 "Opening WiredTiger", the
    configuration that mongod opened the engine with. The write concern, and the model of the
    documents, are the clients' to tell, when they have run.
    """
    return InForce(
        version=str(raw.get("version") or "unknown"),
        git_version=_text(raw.get("git_version")),
        feature_compatibility_version=_text(raw.get("fcv")),
        allocator=_text(raw.get("allocator")),
        per_cpu_caches=raw.get("per_cpu_caches"),
        glibc_tunables=_text(raw.get("glibc_tunables")),
        **{setting.found: setting.read(raw) for setting in SETTINGS},
    )


def mismatches(asked: Settings, found: InForce, engine_version: str) -> Iterator[Reason]:
    """Every setting of the server that differs from what was asked, or could not be read back: each voids the trial."""
    yield from _compare("engine-mismatch", "mongod's version", engine_version, found.version)
    yield from _differing(asked, found, by_clients=False)


def member_faults(asked: Settings, members: Sequence[Member], engine_version: str) -> Iterator[Reason]:
    """The same of a replica set's further members: one with other settings slows or loads the others by them."""
    for member in members:
        for fault in mismatches(asked, member.in_force, engine_version) if member.in_force else ():
            yield fault.model_copy(update={"message": f"{member.name}: {fault.message}"})


def client_mismatches(asked: Settings, found: InForce) -> Iterator[Reason]:
    """The same of the settings that clients tell when they have run.

    Clients of before did not tell all of them, and did what is asked for where a campaign says nothing.
    """
    yield from _differing(asked, found, by_clients=True)


def _differing(asked: Settings, found: InForce, *, by_clients: bool) -> Iterator[Reason]:
    for one in (setting for setting in SETTINGS if setting.by_clients is by_clients):
        wanted, there = getattr(asked, one.key), getattr(found, one.found)
        expected, read = one.expected(wanted), there not in {None, ""}
        if by_clients and not read and wanted == Settings.model_fields[one.key].default:
            continue
        if expected is not None and not (read and one.same(expected, there)):
            yield _mismatch(one.code, one.subject, expected, one.told(expected, there) if read else None)


def allocator_doubts(found: InForce) -> Iterator[Reason]:
    """A mongod whose allocator has no caches for each CPU, as it has in MongoDB's packages and images."""
    is_older = not _NUMBERED.match(found.version) or release(found.version) < _CACHES_PER_CPU_SINCE
    if is_older or found.per_cpu_caches:
        return
    said = "does not say whether its allocator has" if found.per_cpu_caches is None else "has no"
    yield Reason(
        code="allocator-unlike-packages",
        message=f"mongod {found.version} {said} caches for each CPU, as MongoDB's packages do "
        f"(allocator {found.allocator or 'not known'}, GLIBC_TUNABLES {found.glibc_tunables or 'not set'}): an "
        "installed one may be faster; use MongoDB's own build, on a kernel of 4.18 or newer",
    )


def counter_faults(version: str, lacking: Collection[Counter]) -> Iterator[Reason]:
    """Counters that this version has by its source, and the server lacks."""
    if lacking and _NUMBERED.match(version) and is_checked(version):
        yield Reason(code="counter-missing", message=f"mongod {version} has no {_listed(version, lacking)}")


def counter_doubts(version: str, lacking: Collection[Counter]) -> Iterator[Reason]:
    """Counters that the server lacks, of a version whose names nobody has looked up."""
    if lacking and _NUMBERED.match(version) and not is_checked(version):
        yield Reason(
            code="counter-not-known",
            message=f"mongod {version} has no {_listed(version, lacking)}: this version is newer than those that were "
            "checked, and may call them otherwise; figures from them are missing",
        )


def _listed(version: str, counters: Collection[Counter]) -> str:
    return ", no ".join(" + ".join(counter.expected(version).paths) for counter in counters)


def concern_faults(phase: str, asked: Mapping[str, Any], sent: str | None) -> Iterator[Reason]:
    """The write concern that a phase's clients sent, as JSON, where it is not the one asked for."""
    yield from _compare("write-concern-mismatch", f"{phase}: the clients' write concern", json.dumps(asked), sent)


def wire_faults(phase: Phase, asked: Compressor | None) -> Iterator[Reason]:
    """A wire compressor that did not carry a phase's bytes both ways, or another one that carried any.

    The server counts what it compressed and decompressed; messages of the harness are never compressed. `asked` None:
    nothing was asked.
    """
    if asked is None:
        return
    for one in Compressor:
        if one is Compressor.NONE:
            continue
        received, sent = (phase.counters.get(wire_counter(one, way)) or 0 for way in ("in", "out"))
        carried = f"{received:.0f} bytes to mongod and {sent:.0f} from it"
        if one is asked and not (received and sent):
            yield Reason(
                code="wire-compressor-unused",
                message=f"{phase.name}: the wire compressor {one} was asked for, and carried {carried}: the server or "
                "the client's driver refused it",
            )
        elif one is not asked and (received or sent):
            yield Reason(
                code="wire-compressor-mismatch",
                message=f"{phase.name}: the wire compressor {one} carried {carried}; expected {asked}",
            )


def cpus_faults(phase: str, client: ClientPart, asked: str | None, taken: str | None) -> Iterator[Reason]:
    """A client that may not use just the cores `asked`, or may use those `taken` by mongod; None: nothing was asked."""
    what = f"{phase}: the cores of {client.name}"
    if asked is not None:
        if client.cpus is None or cores_of(client.cpus) != cores_of(asked):
            yield _mismatch("client-cpus-mismatch", what, asked, client.cpus)
    elif taken is not None and client.cpus is not None and cores_of(client.cpus) & cores_of(taken):
        yield _mismatch("client-cpus-mismatch", what, f"none of mongod's, {taken}", client.cpus)


def _compare(code: str, what: str, asked: object, found: object) -> Iterator[Reason]:
    if asked != found:
        yield _mismatch(code, what, asked, found)


def _mismatch(code: str, what: str, asked: object, found: object) -> Reason:
    said = "could not be read back" if found is None else f"is {found}"
    return Reason(code=code, message=f"{what} {said}; expected {asked}")


def _text(value: object) -> str | None:
    return None if value is None else str(value)
