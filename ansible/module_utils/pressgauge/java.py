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

from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.files import create_owned, remove_owned, write_json, write_text
from ansible.module_utils.pressgauge.processes import POLL_S, Process

if TYPE_CHECKING:
    import resource
    from collections.abc import Mapping

# What every client module takes; see the modules' documentation.
CLIENT_ARGUMENTS: dict[str, Any] = {
    "directory": {"type": "path", "required": True},
    "evidence_dir": {"type": "path", "required": True},
    "java": {"type": "str", "default": "java"},
    "jar": {"type": "path", "required": True},
    "jvm_options": {"type": "list", "elements": "str", "default": []},
    "corpus": {"type": "path", "required": True},
    "uri": {"type": "str", "required": True, "no_log": True},
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
        """Run to the end and return the content of <name>.process.json.

        Raises Failure (client) when the program fails or takes longer than its timeout; nothing stays running,
        and the file with the connection string is gone, either way.
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
                "host", f"a client of {directory.name} still runs (pid {running.pid}); run teardown.yml first"
            )
        create_owned(directory, {"client": self.name})
        try:
            write_text(directory / "uri", self.params["uri"], mode=0o600)
            settings = {
                **self.properties,
                "workload": "pressgauge.TextWorkload",
                "pressgauge.corpus": self.params["corpus"],
                "mongodb.uri.file": directory / "uri",
            }
            write_text(evidence / f"{self.name}.properties", properties_text(settings))
            return self._execute(directory, evidence)
        finally:
            remove_owned(directory)

    def _execute(self, directory: Path, evidence: Path) -> dict[str, Any]:
        argv = [
            self.params["java"],
            *self.params["jvm_options"],
            *("-cp", self.params["jar"], self.main_class),
            *("-P", str(evidence / f"{self.name}.properties")),
            *self.arguments,
        ]
        log = evidence / f"{self.name}.status.log"
        started_at_s = time.time()
        with log.open("wb") as output:
            exit_code, timed_out, used = _run_group(argv, output, directory, self.params["timeout_s"])
        record = {
            "argv": argv,
            "started_at_s": started_at_s,
            "ended_at_s": time.time(),
            "exit_code": exit_code,
            "timed_out": timed_out,
            "user_cpu_s": used.ru_utime,
            "system_cpu_s": used.ru_stime,
            "max_rss_bytes": used.ru_maxrss * 1024,
        }
        write_json(evidence / f"{self.name}.process.json", record)
        if timed_out:
            self._fail(log, f"took longer than {self.params['timeout_s']} s and was killed")
        if exit_code != 0:
            self._fail(log, f"ended with exit code {exit_code}")
        if not self.result.is_file():
            self._fail(log, f"ended without leaving {self.result.name}")
        return record

    def _fail(self, log: Path, how: str) -> NoReturn:
        lines = [line for line in log.read_text("utf-8", errors="replace").splitlines() if line.strip()]
        chosen = [line for line in lines if not _STATUS_LINE.match(line)] or lines[-1:]
        said = "\n".join(f"  {line[:300]}" for line in chosen[-_LOG_LINES:]) or "  (it wrote nothing)"
        raise Failure("client", f"the client {how} in phase {self.name}. The last it said ({log}):\n{said}")


def _run_group(
    argv: list[str], output: Any, directory: Path, timeout_s: float
) -> tuple[int, bool, resource.struct_rusage]:
    """Run `argv` in a process group of its own; (exit code, whether it was killed for time, what it used)."""
    try:
        child = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    except FileNotFoundError as error:
        raise Failure("host", f"there is no {argv[0]} on this host; ansible/provision.yml installs a JRE") from error
    before = signal.signal(signal.SIGTERM, lambda *_: _kill_group(child.pid))
    try:
        identity = Process.of(child.pid)
        if identity:
            identity.record(directory / "client.pid")
        deadline = time.monotonic() + timeout_s
        timed_out = False
        while True:
            pid, status, used = os.wait4(child.pid, os.WNOHANG)
            if pid:
                child.returncode = os.waitstatus_to_exitcode(status)
                return child.returncode, timed_out, used
            if not timed_out and time.monotonic() > deadline:
                timed_out = True
                _kill_group(child.pid)
            time.sleep(POLL_S)
    finally:
        if child.returncode is None:
            _kill_group(child.pid)
        signal.signal(signal.SIGTERM, before)


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):  # it ended by itself in between
        os.killpg(pid, signal.SIGKILL)


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
