"""Known vulnerabilities of the locked packages: `make audit`. Where no database answers, it fails."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from harness.cli.terminal import say
from harness.errors import Exit
from harness.spec.load import ROOT

LOCK = ROOT / "requirements/dev.lock"  # what a campaign needs is in it, too
DATABASE = "https://api.osv.dev/v1/query"
WITHIN_S = 600


def audit(lock: Path = LOCK, database: str = DATABASE) -> tuple[list[str], Exit]:
    """Ask an OSV database about each package of a lock; what to say of it, and the exit code."""
    here = [str(Path(sys.executable).with_name("pip-audit")), "--requirement", str(lock), "--require-hashes"]
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
            f"audit: {database} can't be asked about {lock.name}: {why}",
            "       → run `make audit` where it can be reached, or name a mirror: OSV=https://…/v1/query",
        ], Exit.DEPENDENCY_FAILED
    unknown = [f"{one['name']}: not looked up: {one['skip_reason']}" for one in packages if "skip_reason" in one]
    vulnerable = [
        f"{one['name']} {one['version']}: {fault['id']}, mended in {', '.join(fault['fix_versions']) or 'none yet'}"
        for one in packages
        for fault in one.get("vulns", [])
    ]
    told = [*vulnerable, *unknown, f"{len(packages) - len(unknown)} packages of {lock.name} looked up in {database}"]
    return told, Exit.GATE_FAILED if vulnerable else Exit.DEPENDENCY_FAILED if unknown else Exit.FINE


if __name__ == "__main__":
    lines, code = audit(database=sys.argv[1] if len(sys.argv) > 1 else DATABASE)
    say(lines)
    sys.exit(code)
