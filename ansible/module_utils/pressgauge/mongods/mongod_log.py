"""mongod's own log, made readable: structured JSON lines since 4.4."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.host.processes import Process

if TYPE_CHECKING:
    from pathlib import Path

_OPENING_WIREDTIGER = 22315
_LINE_LENGTH = 500


def opening_wiredtiger(log: Path) -> str | None:
    """The configuration string WiredTiger was opened with last, or None if the log does not say."""
    found = None
    with log.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            entry = _entry(line)
            if entry.get("id") == _OPENING_WIREDTIGER:
                found = str(entry["attr"]["config"])
    return found


def living_mongod(directory: Path) -> Process:
    """The mongod of an instance directory. Raises Failure (engine) where it has ended, with the last that it said."""
    process = Process.recorded(directory / "mongod.pid")
    if process is None:
        said = last_words(directory / "mongod.log", directory / "console.log")
        raise Failure("engine", f"mongod of instance {directory.name} is gone. Its last output:\n{said}")
    return process


def last_words(log: Path, console: Path, count: int = 6) -> str:
    """What mongod said last, one readable line each: its errors where there are any, else the end of the log."""
    lines = [line for line in _lines(log) if _entry(line).get("c") != "NETWORK"]
    errors = [line for line in lines if _entry(line).get("s") in ("E", "F")]
    chosen = (errors or lines)[-count:] + _lines(console)[-count:]
    return "\n".join(f"  {readable(line)}" for line in chosen) or "  (it wrote nothing)"


def readable(line: str) -> str:
    """One log line for a person: severity, component, message and its attributes; other text as it is."""
    entry = _entry(line)
    if "msg" not in entry:
        return line.strip()
    attributes = "; ".join(f"{name}: {_plain(value)}" for name, value in entry.get("attr", {}).items())
    said = f"{entry.get('s', '?')} {entry.get('c', '-')}: {entry['msg']}"
    return (f"{said} ({attributes})" if attributes else said)[:_LINE_LENGTH]


def _plain(value: Any) -> str:
    return value.strip() if isinstance(value, str) else json.dumps(value)


def _entry(line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) else {}


def _lines(path: Path) -> list[str]:
    try:
        return [line for line in path.read_text("utf-8", errors="replace").splitlines() if line.strip()]
    except OSError:
        return []
