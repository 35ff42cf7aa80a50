"""Directories that belong to an instance, and JSON files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible.module_utils.pressgauge.failures import Failure

if TYPE_CHECKING:
    from collections.abc import Mapping

MARKER = ".pressgauge-instance"
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def write_json(path: Path, value: Any) -> None:
    """Write `value` so that a reader sees the old file or the new one, never half of it."""
    write_text(path, json.dumps(value, indent=1, sort_keys=True) + "\n")


def write_text(path: Path, text: str, mode: int = 0o644) -> None:
    """Write `text` atomically; the file never exists with wider rights than `mode`.

    Not synced: a trial does not outlive its host, and waiting for the disk that mongod writes to would lengthen steps.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.unlink(missing_ok=True)
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
        file.write(text)
    beside.replace(path)


def create_owned(path: Path, facts: Mapping[str, Any]) -> None:
    """Make `path` a fresh private directory with our marker in it; one we own already is replaced.

    Raises Failure (host) when something stands there that is not ours.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(path):
        remove_owned(path)
    unmarked = path.with_name(f".{path.name}.{os.getpid()}")  # what lacks its marker would be no one's, and in the way
    unmarked.mkdir(mode=0o700)
    write_json(unmarked / MARKER, {"format_version": 1, "created_at_s": time.time(), **facts})
    unmarked.rename(path)


def owner_facts(path: Path) -> dict[str, Any]:
    """What the marker of a directory of ours says; nothing where it was damaged, which makes it no less ours.

    Raises Failure (host) for anything else: a directory without the marker, or one reached through a symbolic
    link. A wrong variable must never cost anyone a directory.
    """
    if not is_owned(path):
        raise Failure(
            "host",
            f"{path} is left as it is: it is a symbolic link, or has no {MARKER} file, so pressgauge did not make "
            "it; move it away, or name another directory",
        )
    try:
        facts = json.loads((path / MARKER).read_bytes())
    except ValueError:
        return {}
    return facts if isinstance(facts, dict) else {}


def remove_owned(path: Path) -> bool:
    """Delete a directory that carries our marker; False when there is none. Raises as `owner_facts` does.

    The marker goes last, so that what a killed process leaves half-deleted is still known as ours; and the client that
    a directory belongs to may be deleting it at the same time.
    """
    if not os.path.lexists(path):
        return False
    owner_facts(path)
    with contextlib.suppress(FileNotFoundError):
        for child in path.iterdir():
            if child.is_dir() and not child.is_symlink():
                shutil.rmtree(child, ignore_errors=True)
            elif child.name != MARKER:
                child.unlink(missing_ok=True)
        shutil.rmtree(path)
    return True


def is_owned(path: Path) -> bool:
    """Whether `path` is a real directory, reached without a link in its own name, with our marker in it."""
    marker = path / MARKER
    return (
        ".." not in path.parts
        and path.is_dir()
        and not path.is_symlink()
        and marker.is_file()
        and not marker.is_symlink()
    )


def drop_file_cache(root: Path) -> None:
    """Let the system forget the pages of all files below `root` that are on disk; dirty ones stay."""
    for path in root.rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # journal and diagnostic files come and go
            if path.is_file():
                with path.open("rb") as file:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def owned_below(root: Path) -> list[Path]:
    """The directories of ours directly below `root`, in order of name."""
    return sorted(path for path in root.iterdir() if is_owned(path)) if root.is_dir() else []


def identity(path: Path) -> str | None:
    """What a file is, on which machine since which start: the same for all who share it; None where it is not."""
    try:
        found = path.stat()
        boot = BOOT_ID.read_text("ascii").strip()
    except OSError:
        return None
    return f"{boot}:{found.st_dev}:{found.st_ino}"
