"""Processes of the load generator's jar, for proofs that begin and end them by themselves."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from workloads.jvm import JVM_OPTIONS_FOR_SHORT_PHASES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def begin(jar: Path, main: str, arguments: Sequence[str], properties: Mapping[str, object]) -> subprocess.Popen[str]:
    """Start a main class of the jar, YCSB's client on MongoDB where it has arguments."""
    given = [part for name, value in properties.items() for part in ("-p", f"{name}={value}")]
    binding = ["-db", "pressgauge.MongoBinding"] if arguments else []
    command = ["java", *JVM_OPTIONS_FOR_SHORT_PHASES, "-cp", str(jar), main, *arguments, *binding, *given]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def end(client: subprocess.Popen[str]) -> None:
    """Await its end, which has to be a good one."""
    _, told = client.communicate(timeout=300)
    assert client.returncode == 0, told[-1000:]
