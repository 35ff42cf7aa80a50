"""Known vulnerabilities of the locked packages: `make audit`. Where no database answers, it fails."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.terminal import say
from harness.errors import Exit
from harness.spec.load import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

LOCKS = (ROOT / "requirements/run.lock", ROOT / "requirements/dev.lock")
DATABASE = "https://api.osv.dev/v1/query"
WITHIN_S = 600


def audit(locks: Sequence[Path] = LOCKS, database: str = DATABASE) -> tuple[list[str], Exit]:
    """Ask an OSV database about each package of some locks; what to say of them, and the exit code."""
    named = " and ".join(lock.name for lock in locks)
    here = [str(Path(sys.executable).with_name("pip-audit")), "--require-hashes"]
    here += [word for lock in locks for word in ("--requirement", str(lock))]
    ask = ["--disable-pip", "--vulnerability-service", "osv", "--osv-url", database]
    ran = subprocess.run(
        [*here, *ask, "--format", "json", "--progress-spinner", "off"],
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    try:
        packages = json.loads(ran.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        why = (ran.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return [
            f"audit: {database} can't be asked about {named}: {why}",
            "       → run `make audit` where it can be reached, or name a mirror: OSV=https://…/v1/query",
        ], Exit.DEPENDENCY_FAILED
    unknown = [f"{one['name']}: not looked up: {one['skip_reason']}" for one in packages if "skip_reason" in one]
    vulnerable = [
        f"{one['name']} {one['version']}: {fault['id']}, mended in {', '.join(fault['fix_versions']) or 'none yet'}"
        for one in packages
        for fault in one.get("vulns", [])
    ]
    told = [*vulnerable, *unknown, f"{len(packages) - len(unknown)} packages of {named} looked up in {database}"]
    return told, Exit.GATE_FAILED if vulnerable else Exit.DEPENDENCY_FAILED if unknown else Exit.FINE


if __name__ == "__main__":
    lines, code = audit(database=sys.argv[1] if len(sys.argv) > 1 else DATABASE)
    say(lines)
    sys.exit(code)
