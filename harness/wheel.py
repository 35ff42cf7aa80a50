"""What a wheel of Pressgauge holds beside the package `pressgauge`: its rooms, and the load generator's jar."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_ROOMS = ("analysis", "ansible", "campaigns", "core", "datasets", "harness", "reports", "workloads")
_LEFT_OUT = {"__pycache__", ".ansible", "java", "bench"}
_JAR, _POM = "workloads/java/target/pressgauge-ycsb.jar", "workloads/java/pom.xml"


class RoomsInWheel(BuildHookInterface):  # type: ignore[misc] # hatchling is there while a wheel is built, and only then
    """Called by hatchling."""

    def initialize(self, _version: str, build_data: dict[str, Any]) -> None:
        """Name every file of the rooms; build the jar where there is none.

        Raises:
            SystemExit: there is no jar, and no Maven to build it.
        """
        root = Path(self.root)
        if not (root / _JAR).exists():
            if not shutil.which("mvn"):
                raise SystemExit("the load generator is not built: type `make setup` first, or install a JDK and Maven")
            subprocess.run(["mvn", "-q", "-f", root / _POM, "-DskipTests", "package"], check=True)
        files = [file for room in _ROOMS for file in (root / room).rglob("*") if file.is_file()]
        kept = [file.relative_to(root) for file in files if not _LEFT_OUT & set(file.relative_to(root).parts)]
        for path in (*map(str, kept), _JAR, _POM):
            build_data["force_include"][str(root / path)] = f"pressgauge/house/{path}"
