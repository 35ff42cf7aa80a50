"""What the running server says of itself, from the raw read-back, and where that differs from what was asked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from analysis.trial.counters import wire_counter
from analysis.trial.records import Compressor, InForce, Reason
from analysis.trial.settings import SETTINGS
from core.cpus import cores_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from analysis.trial.records import ClientPart, Phase, Settings


def read_in_force(raw: Mapping[str, Any]) -> InForce:
    """Interpret `in_force.json` of a trial.

    The collection's compressor and page size come from its creationString, which WiredTiger stored with the
    file; the levels of zstd and zlib and the journal's compressor from log line 22315 "Opening WiredTiger", the
    configuration that mongod opened the engine with. The write concern is the clients' to tell, when they have run.
    """
    return InForce(
        version=str(raw.get("version") or "unknown"),
        git_version=_text(raw.get("git_version")),
        feature_compatibility_version=_text(raw.get("fcv")),
        **{setting.found: setting.read(raw) for setting in SETTINGS},
    )


def mismatches(asked: Settings, found: InForce, engine_version: str) -> Iterator[Reason]:
    """Every setting that differs from what was asked, or could not be read back: each voids the trial."""
    yield from _compare("engine-mismatch", "mongod's version", engine_version, found.version)
    for one in SETTINGS:
        expected, there = one.expected(getattr(asked, one.key)), getattr(found, one.found)
        read = there not in {None, ""}
        if expected is not None and not (read and one.same(expected, there)):
            yield _mismatch(one.code, one.subject, expected, one.told(expected, there) if read else None)


def concern_faults(phase: str, asked: Mapping[str, Any], sent: str | None) -> Iterator[Reason]:
    """The write concern that a phase's clients sent, as JSON, where it is not the one asked for."""
    yield from _compare("write-concern-mismatch", f"{phase}: the clients' write concern", json.dumps(asked), sent)


def compression_faults(phase: str, asked: str | None, told: str | None) -> Iterator[Reason]:
    """The wire compressor and level that a phase's clients asked for, where it is not the one asked of them."""
    what = f"{phase}: what clients asked for as wire compressor"
    yield from _compare("client-compression-mismatch", what, asked or "none", told or "none")


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
