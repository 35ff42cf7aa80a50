"""Processes on the host: who they are, so that only our own are ever signalled, and what they used."""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.files import write_json

if TYPE_CHECKING:
    from collections.abc import Iterator

POLL_S = 0.02
_KILLED_WITHIN_S = 10.0
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
# Programs and files by their names, and the mark by which the harness ends what a killed playbook left
_KEPT = ("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "PRESSGAUGE_PLAYBOOK")
TUNABLES = "GLIBC_TUNABLES"
_RSEQ_OFF, _RSEQ_OFF_SINCE = "glibc.pthread.rseq=0", 8


def plain_environment() -> dict[str, str]:
    """The environment of what is measured: nothing by which whoever starts a campaign would change it unseen.

    JAVA_TOOL_OPTIONS and its kind, GLIBC_TUNABLES, LD_PRELOAD and the like are no conditions of a campaign.
    """
    return {name: os.environ[name] for name in _KEPT if name in os.environ}


def mongod_environment(version: str) -> dict[str, str]:
    """The environment of a mongod, with what MongoDB's own units and images set for its version.

    From 8.0 on its allocator has caches of its own for each CPU, if glibc leaves restartable sequences to it.
    """
    ours = {TUNABLES: _RSEQ_OFF} if int(version.partition(".")[0]) >= _RSEQ_OFF_SINCE else {}
    return plain_environment() | ours


def environment_variable(pid: int, name: str) -> str | None:
    """What a process was started with; None where it has no such variable, or doesn't let us see."""
    try:
        entries = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return None
    found = (entry.partition(b"=")[2] for entry in entries if entry.startswith(f"{name}=".encode()))
    return next((value.decode("utf-8", "replace") for value in found), None)


@dataclass(frozen=True)
class Process:
    """A process that can't be mistaken for a later one with the same number: when it started, and in which boot.

    What it executes is no part of this: a wrapper such as `exec numactl … mongod` becomes its mongod.
    """

    pid: int
    start_ticks: int
    boot: str

    @classmethod
    def of(cls, pid: int) -> Process | None:
        """The living process `pid`, or None; a zombie has ended, even where nothing reaps it."""
        try:
            fields = _stat_fields(pid)
            boot = _BOOT.read_text("ascii").strip()
        except OSError:
            return None
        if fields[0] in ("Z", "X"):
            return None
        return cls(pid, int(fields[19]), boot)

    @classmethod
    def recorded(cls, path: Path) -> Process | None:
        """The process a pid file names, if it lives and is the same one; None otherwise."""
        try:
            known = cls(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None
        return known if cls.of(known.pid) == known else None

    def record(self, path: Path) -> None:
        """Write the pid file."""
        write_json(path, asdict(self))

    def is_alive(self) -> bool:
        """Whether this very process still runs."""
        return Process.of(self.pid) == self

    def stop(self, grace_s: float) -> bool:
        """Ask the process to end, then kill its whole group; True if it had to be killed.

        It must lead a process group of its own (started with a new session). A frozen one is thawed to hear it.
        """
        _signal(os.kill, self.pid, signal.SIGTERM)
        _signal(os.kill, self.pid, signal.SIGCONT)
        if self.wait(grace_s):
            return False
        self.kill()
        return True

    def kill(self) -> None:
        """Kill the process's whole group, which it must lead, and wait for its end."""
        kill_group(self.pid)
        self.wait(_KILLED_WITHIN_S)

    def wait(self, timeout_s: float) -> bool:
        """Wait until the process has ended; False when it still runs after `timeout_s`."""
        deadline = time.monotonic() + timeout_s
        while self.is_alive():
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_S)
        return True

    def counters(self) -> dict[str, Any]:
        """CPU seconds, bytes to and from disk and resident bytes so far; null where they can't be read."""
        counters: dict[str, Any] = dict.fromkeys(
            ("user_cpu_s", "system_cpu_s", "read_bytes", "written_bytes", "rss_bytes")
        )
        try:
            fields = _stat_fields(self.pid)
            counters["user_cpu_s"] = int(fields[11]) / _TICKS_PER_S
            counters["system_cpu_s"] = int(fields[12]) / _TICKS_PER_S
            counters["rss_bytes"] = int(fields[21]) * _PAGE_BYTES
            io = dict(line.split(": ") for line in Path(f"/proc/{self.pid}/io").read_text("ascii").splitlines())
            counters["read_bytes"] = int(io["read_bytes"])
            counters["written_bytes"] = int(io["write_bytes"])
        except (OSError, KeyError, ValueError):
            pass  # not every kernel shows /proc/<pid>/io to every user; what was read stays
        return counters


def record_started(pid: int, path: Path) -> None:
    """Write the pid file of a process that was just started as the leader of a group.

    Raises OSError, with the group killed, when it can't be written: nobody would find the process.
    """
    started = Process.of(pid)
    try:
        if started:
            started.record(path)
    except OSError:  # the directory was torn down meanwhile
        kill_group(pid)
        raise


def kill_group(pid: int) -> None:
    """Kill the group that this process leads."""
    _signal(os.killpg, pid, signal.SIGKILL)


@contextmanager
def on_cpus(cpus: str | None, but_not: str | None = None) -> Iterator[None]:
    """Within the block, this process and all it starts run on `cpus` ("0,2-3") only; without, on all `but_not` those.

    None of both changes nothing. Raises Failure (spec) when that is no CPU list, or not of this host's.
    """
    given = but_not if cpus is None else cpus
    if given is None:
        yield
        return
    before = os.sched_getaffinity(0)
    try:
        chosen = cpu_set(given)
    except ValueError as error:
        raise Failure("spec", f"cpus: {given!r} is no CPU list such as 0,2-3") from error
    if cpus is None:
        chosen = before - chosen
        if not chosen:
            raise Failure("spec", f"instance.cpus: {but_not} leaves no core to a client here: {sorted(before)}")
    if not chosen <= before:
        raise Failure("spec", f"cpus: {cpus!r} asks for more than this host gives: {sorted(before)}")
    os.sched_setaffinity(0, chosen)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def cpus_allowed(pid: int) -> str | None:
    """The cores that the kernel lets a process run on, as it writes them; None where it doesn't say."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    return next((line.split()[1] for line in lines if line.startswith("Cpus_allowed_list:")), None)


def cpu_set(cpus: str) -> set[int]:
    """The numbers in a CPU list such as "0,2-3"; raises ValueError when it is none."""
    chosen: set[int] = set()
    for part in cpus.split(","):
        first, dash, last = part.partition("-")
        chosen.update(range(int(first), int(last if dash else first) + 1))
    if not chosen:
        raise ValueError(cpus)
    return chosen


def listens(pid: int, port: int) -> bool:
    """Whether process `pid` listens on a TCP port."""
    try:
        return _holds(Path(f"/proc/{pid}/fd"), {f"socket:[{inode}]" for inode in _listening_inodes(port)})
    except OSError:
        return False  # it has just ended


def port_holder(port: int) -> str | None:
    """Who listens on a TCP port: "name (pid N)", "another process" when it can't be known, None when free."""
    inodes = _listening_inodes(port)
    if not inodes:
        return None
    sockets = {f"socket:[{inode}]" for inode in inodes}
    for descriptors in Path("/proc").glob("[0-9]*/fd"):
        try:
            if _holds(descriptors, sockets):
                name = (descriptors.parent / "comm").read_text("utf-8").strip()
                return f"{name} (pid {descriptors.parent.name})"
        except OSError:
            continue  # another user's process, or one that just ended
    return "another process"


def _holds(descriptors: Path, sockets: set[str]) -> bool:
    for descriptor in descriptors.iterdir():
        with suppress(FileNotFoundError):  # closed in between
            if str(descriptor.readlink()) in sockets:
                return True
    return False


def _listening_inodes(port: int) -> set[str]:
    inodes = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            rows = Path(table).read_text("ascii").splitlines()[1:]
        except OSError:
            continue
        for row in rows:
            columns = row.split()
            if columns[3] == "0A" and int(columns[1].rpartition(":")[2], 16) == port:
                inodes.add(columns[9])
    return inodes


def _stat_fields(pid: int) -> list[str]:
    """/proc/<pid>/stat from the state on; the name before it may hold anything, even spaces and brackets."""
    return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()


def _signal(send: Any, pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):  # it ended by itself in between
        send(pid, number)
