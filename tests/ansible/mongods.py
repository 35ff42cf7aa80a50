"""Bare mongods for tests of what is said to them."""

from __future__ import annotations

import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ansible.module_utils.pressgauge.mongods.servers import Server


@contextmanager
def serving(engine: Path, folder: Path, port: int, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """A mongod on fresh files; it may not listen yet."""
    folder.mkdir()
    command = [str(engine), "--dbpath", str(folder), "--port", str(port), *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as mongod:
        try:
            yield mongod
        finally:
            mongod.kill()


def connected(port: int, timeout_s: float = 30) -> Server:
    """A connection, as soon as one can be had."""
    from ansible.module_utils.pressgauge.mongods.servers import Server  # noqa: PLC0415 a mongod alone needs no playbooks

    deadline = time.monotonic() + 60
    while True:
        try:
            return Server(port, timeout_s=timeout_s)
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.1)
