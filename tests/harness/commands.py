"""Running the real command line in a process of its own, as a user would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from workloads.ycsb_status import read_status_line

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
HOME = Path(os.environ.get("PRESSGAUGE_HOME", ROOT / ".pressgauge"))  # as the command line has it


@dataclass(frozen=True)
class Ran:
    """What a command left on the terminal."""

    code: int
    out: str
    err: str


def environment() -> dict[str, str]:
    """The test's environment, with the virtual environment's commands first."""
    return os.environ | {"PATH": f"{ROOT / '.venv/bin'}{os.pathsep}{os.environ['PATH']}"}


def start(*arguments: str | Path, **own: str) -> subprocess.Popen[str]:
    """`python -m harness …` in the background, with variables of its own in its environment."""
    return subprocess.Popen(
        [sys.executable, "-m", "harness", *map(str, arguments)],
        cwd=ROOT,
        env=environment() | own,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def await_files(running: subprocess.Popen[str], folder: Path, *patterns: str) -> None:
    """Return when the folder holds a file of each pattern, while the command runs; in five minutes at most."""
    _await(running, lambda: all(list(folder.glob(pattern)) for pattern in patterns), f"no {patterns} in {folder}")


def await_operations(running: subprocess.Popen[str], folder: Path, pattern: str) -> None:
    """Return when a status log of this pattern tells of operations: the client works, and not just exists."""
    _await(running, lambda: any(map(_works, folder.glob(pattern))), f"no operations in {pattern} of {folder}")


def _works(status_log: Path) -> bool:
    lines = status_log.read_text(encoding="utf-8", errors="replace").splitlines()
    return any(status.operations for status in map(read_status_line, lines) if status)


def _await(running: subprocess.Popen[str], condition: Callable[[], bool], otherwise: str) -> None:
    deadline = time.monotonic() + 300
    while not condition():
        assert running.poll() is None, running.communicate()
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.1)


def harness(*arguments: str | Path) -> Ran:
    """`python -m harness …` to its end, in a fork of a process that has loaded it: tests.harness.warm."""
    with tempfile.TemporaryDirectory(prefix="pressgauge-command-") as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        asked = {
            "arguments": [*map(str, arguments)],
            "environment": environment(),
            "out": str(out),
            "err": str(err),
        }
        warm = _warm()
        assert warm.stdin
        assert warm.stdout
        warm.stdin.write(json.dumps(asked) + "\n")
        warm.stdin.flush()
        code = warm.stdout.readline()
        assert code, "the process that runs commands has ended"
        return Ran(int(code), out.read_text("utf-8"), err.read_text("utf-8"))


@cache
def _warm() -> subprocess.Popen[str]:
    """Ends with this process, whose end of the pipe is its input."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.harness.warm"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def left_running(home: Path) -> list[str]:
    """Command lines of instances and clients below Pressgauge's folder: there should be none."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if (
            f"{home}/instances" in line
            or f"{home}/clients" in line
            or ("site.ycsb.Client" in line and f"{home}/ycsb/" in line)
        ):
            found.append(line)
    return found
