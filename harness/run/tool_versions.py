"""The versions that stand behind a run's figures, taken when it starts."""

from __future__ import annotations

import platform
import re
import subprocess
from importlib.metadata import version
from typing import TYPE_CHECKING

from harness.errors import HostError
from harness.ledger.artefacts import file_digest
from harness.spec.load import IS_CHECKOUT, ROOT

if TYPE_CHECKING:
    from pathlib import Path

_PACKAGES = ("ansible-core", "pymongo", "Faker", "pandas", "scipy")


def tool_versions(jar: Path) -> dict[str, str]:
    """Tool -> version: Pressgauge's commit, the load generator's jar by digest, YCSB, Python and its packages.

    Raises HostError where the jar was never built.
    """
    if not jar.exists():
        raise HostError(f"{jar}: the load generator is not there", do="run `make setup`, which builds it")
    pom = (ROOT / "workloads/java/pom.xml").read_text(encoding="utf-8")
    ycsb = re.search(r"<ycsb\.version>([^<]+)<", pom)
    return {
        "Pressgauge": _commit(),
        "load generator": f"BLAKE3 {file_digest(jar)[:16]}",
        "YCSB core": ycsb[1] if ycsb else "unknown",
        "Python": platform.python_version(),
        **{name: version(name) for name in _PACKAGES},
    }


def _commit() -> str:
    """The checkout's commit, with a + where files differ from it; the version where it is installed."""
    if not IS_CHECKOUT:
        return version("pressgauge")
    command = ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), "describe", "--always", "--dirty=+"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return told.stdout.strip() or "unknown"
