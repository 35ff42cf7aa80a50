"""A Java program of the load client, run to its end, with a record of what it used."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ansible.module_utils.pressgauge.clients.gates import NAME, Gate
from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.files import create_owned, remove_owned, write_json, write_text
from ansible.module_utils.pressgauge.host.limits import CPU
from ansible.module_utils.pressgauge.host.processes import (
    POLL_S,
    Process,
    cpus_allowed,
    kill_group,
    on_cpus,
    plain_environment,
    record_started,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# What every client module takes; see the modules' documentation.
CLIENT_ARGUMENTS: dict[str, Any] = {
    "directory": {"type": "path", "required": True},
    "evidence_dir": {"type": "path", "required": True},
    "java": {"type": "str", "default": "java"},
    "jar": {"type": "path", "required": True},
    "jvm_options": {"type": "list", "elements": "str", "default": []},
    "corpus": {"type": "path", "required": True},
    "uri": {"type": "str", "required": True, "no_log": True},
    "authority": {"type": "str"},
    "properties": {"type": "dict", "default": {}},
    "timeout_s": {"type": "int", "required": True},
}
_LOG_LINES = 8
_STATUS_LINE = re.compile(r"\S+ \S+ \d+ sec: ")


@dataclass(frozen=True)
class JavaRun:
    """One run of a main class in the client jar: `name` prefixes its evidence files.

    `result` is the file it must leave: YCSB ends with exit code 0 even when it could do nothing at all.
    """

    name: str
    main_class: str
    result: Path
    arguments: tuple[str, ...]
    properties: Mapping[str, Any]
    params: Mapping[str, Any]

    def run(self) -> dict[str, Any]:
        """Run to the end, alone; as `run_together` says."""
        return run_together([self])[0]

    @contextlib.contextmanager
    def started(self, *, gated: bool = False) -> Iterator[Child]:
        """The running program, in a private directory of its own; nothing of either is left afterwards.

        `gated`: it does nothing until its gate is opened.
        """
        directory, evidence = Path(self.params["directory"]), Path(self.params["evidence_dir"])
        evidence.mkdir(parents=True, exist_ok=True)
        for path in (Path(self.params["jar"]), Path(self.params["corpus"])):
            if not path.is_file():
                raise Failure("host", f"{self.name}: no file {path}; run ansible/provision.yml first")
        self.result.unlink(missing_ok=True)
        running = Process.recorded(directory / "client.pid")
        if running:
            raise Failure(
                "host", f"a client of {directory.name} still runs (pid {running.pid}); `make tear-down` ends it"
            )
        create_owned(directory, {"client": self.name})
        try:
            write_text(directory / "uri", self.params["uri"], mode=0o600)
            settings = {
                "workload": "pressgauge.TextWorkload",
                **self.properties,
                "pressgauge.corpus": self.params["corpus"],
                "mongodb.uri.file": directory / "uri",
            }
            if self.params["authority"]:
                write_text(directory / "authority.pem", self.params["authority"])
                settings["mongodb.authority.file"] = directory / "authority.pem"
            gate = Gate(directory) if gated else None
            if gate:
                settings["pressgauge.gate"] = NAME
            write_text(evidence / f"{self.name}.properties", properties_text(settings))
            child = self._launch(directory, evidence)
            child.gate = gate
            try:
                yield child
            finally:
                child.kill()
                if gate:
                    gate.close()
        finally:
            remove_owned(directory)

    def _launch(self, directory: Path, evidence: Path) -> Child:
        argv = [
            self.params["java"],
            *self.params["jvm_options"],
            f"-Djava.io.tmpdir={directory}",  # where codecs of the wire unpack their libraries: gone with it
            *("-cp", self.params["jar"], self.main_class),
            *("-P", str(evidence / f"{self.name}.properties")),
            *self.arguments,
        ]
        log = evidence / f"{self.name}.status.log"
        started_at_s = time.time()
        try:
            on = on_cpus(self.params.get("cpus"), self.params.get("cpus_but_not"))
            with on, log.open("wb") as output:
                popen = subprocess.Popen(
                    argv,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    cwd=directory,  # the gate is named from here: a socket's name must be short
                    env=plain_environment(),
                )
        except FileNotFoundError as error:
            raise Failure(
                "host", f"there is no {argv[0]} on this host; ansible/provision.yml installs a JRE"
            ) from error
        allowed = cpus_allowed(popen.pid)
        record_started(popen.pid, directory / "client.pid")
        return Child(self, popen, log, started_at_s, allowed, deadline=time.monotonic() + self.params["timeout_s"])

    def judge(self, log: Path, record: Mapping[str, Any]) -> None:
        """Raise Failure (client) unless the program came to its end and left its result."""
        if record["timed_out"]:
            self._fail(log, f"took longer than {self.params['timeout_s']} s and was killed")
        if record["exit_code"] != 0:
            self._fail(log, f"ended with exit code {record['exit_code']}")
        if not self.result.is_file():
            self._fail(log, f"ended without leaving {self.result.name}")

    def _fail(self, log: Path, how: str) -> NoReturn:
        lines = [line for line in log.read_text("utf-8", errors="replace").splitlines() if line.strip()]
        chosen = [line for line in lines if not _STATUS_LINE.match(line)] or lines[-1:]
        said = "\n".join(f"  {line[:300]}" for line in chosen[-_LOG_LINES:]) or "  (it wrote nothing)"
        raise Failure("client", f"the client {how} in phase {self.name}. Its last output ({log}):\n{said}")


@dataclass
class Child:
    """A program that was started, in a process group of its own; with its gate where it has one."""

    run: JavaRun
    popen: subprocess.Popen[bytes]
    log: Path
    started_at_s: float
    cpus_allowed: str | None
    deadline: float
    timed_out: bool = False
    record: dict[str, Any] | None = None
    gate: Gate | None = None
    judged: bool = False

    def poll(self) -> bool:
        """Whether it has ended; it is killed at its deadline. The first time, <name>.process.json is written."""
        if self.record is not None:
            return True
        pid, status, used = os.wait4(self.popen.pid, os.WNOHANG)
        if not pid:
            if not self.timed_out and time.monotonic() > self.deadline:
                self.timed_out = True
                kill_group(self.popen.pid)
            return False
        self.popen.returncode = os.waitstatus_to_exitcode(status)
        self.record = {
            "argv": self.popen.args,
            "started_at_s": self.started_at_s,
            "ended_at_s": time.time(),
            "exit_code": self.popen.returncode,
            "timed_out": self.timed_out,
            "user_cpu_s": used.ru_utime,
            "system_cpu_s": used.ru_stime,
            "max_rss_bytes": used.ru_maxrss * 1024,
            "cpu_limit": CPU.of(),
            "cpus_allowed": self.cpus_allowed,
        }
        write_json(self.log.with_name(f"{self.run.name}.process.json"), self.record)
        return True

    def is_at_work(self) -> bool:
        """Whether it has not ended yet."""
        return not self.poll()

    def kill(self) -> None:
        """End it where it still runs."""
        if self.popen.returncode is None:
            kill_group(self.popen.pid)
            self.popen.wait()


def run_together(runs: Sequence[JavaRun]) -> list[dict[str, Any]]:
    """Run programs side by side to the end, and return the content of each one's <name>.process.json.

    Raises Failure (client) as soon as one fails or takes longer than its timeout; nothing stays running, and the
    files with the connection string are gone, either way.
    """
    with started_together(runs) as children:
        return await_ends(children)


@contextlib.contextmanager
def started_together(runs: Sequence[JavaRun], *, gated: bool = False) -> Iterator[list[Child]]:
    """Programs started side by side; none outlives the block, or this process where it is asked to end."""
    with contextlib.ExitStack() as stack:
        children: list[Child] = []

        def end_all(*_: object) -> None:
            for child in children:
                kill_group(child.popen.pid)

        before = signal.signal(signal.SIGTERM, end_all)
        stack.callback(signal.signal, signal.SIGTERM, before)
        for run in runs:
            children.append(stack.enter_context(run.started(gated=gated)))
        yield children


def await_ends(children: Sequence[Child]) -> list[dict[str, Any]]:
    """Wait until all have ended; raises Failure (client) as soon as one fails or takes longer than its timeout."""
    while waiting := [child for child in children if not child.judged]:
        for child in waiting:
            if child.poll() and child.record is not None:
                child.run.judge(child.log, child.record)
                child.judged = True
        time.sleep(POLL_S)
    return [child.record or {} for child in children]


def properties_text(properties: Mapping[str, Any]) -> str:
    """A java.util.Properties file, in order of name; true and false as Java spells them."""
    lines = []
    for name, value in sorted(properties.items()):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        lines.append(f"{_escaped(name, ' :=#!')}={_escaped(text, '')}")
    return "\n".join(lines) + "\n"


def _escaped(text: str, special: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    for character in special:
        escaped = escaped.replace(character, "\\" + character)
    if escaped.startswith(" "):
        escaped = "\\" + escaped
    units = escaped.encode("utf-16-be")
    codes = [int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2)]
    return "".join(chr(code) if 0x20 <= code < 0x7F else f"\\u{code:04x}" for code in codes)
