"""What TCP on this host counts of lost segments: the trace that a link leaves when it fails and comes back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_TABLES = (Path("/proc/net/snmp"), Path("/proc/net/netstat"))
# Segments sent again for any reason, and waits for an answer that ended without one.
_COUNTERS = {"Tcp:RetransSegs": "retransmitted_segments", "TcpExt:TCPTimeouts": "retransmission_timeouts"}


def network_counters() -> dict[str, int | None]:
    """The counters since the host's start, of this network namespace; None where the kernel does not tell."""
    found: dict[str, int] = {}
    for table in _TABLES:
        try:
            lines = table.read_text("ascii").splitlines()
        except OSError:
            continue
        for names, values in zip(lines[::2], lines[1::2], strict=False):
            kind = names.split(":")[0]
            pairs = zip(names.split()[1:], values.split()[1:], strict=False)
            found.update({f"{kind}:{name}": int(value) for name, value in pairs})
    return {name: found.get(counter) for counter, name in _COUNTERS.items()}


def network_change(before: Mapping[str, int | None], after: Mapping[str, int | None]) -> dict[str, int | None]:
    """How far each counter moved; None where it was not told."""
    change: dict[str, int | None] = {}
    for name, start in before.items():
        end = after.get(name)
        change[name] = None if start is None or end is None else end - start
    return change
