"""What wire compression is worth between two hosts, over a slow link and a fast one: five minutes each.

    python -m tests.proofs.wire RESULTS               campaigns/wire.yaml over a link as fast as the machine
    python -m tests.proofs.wire RESULTS --rate 20mbit the same, and neither host sends faster than that
    python -m tests.proofs.wire RESULTS --read        the table of what is there

Both hosts are network namespaces, which needs root and `ip` and `tc` of iproute2. They share this machine's cores.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pressgauge
from harness.spec.load import ROOT
from tests.campaigns import default_engine
from tests.harness.commands import environment
from tests.proofs.tables import cells, run_anew
from tests.remote_hosts import inventory, remote_hosts

if TYPE_CHECKING:
    from collections.abc import Iterator

METRICS = {
    "throughput": "operations per second",
    "wire_in_bytes_per_operation": "bytes to mongod",
    "wire_out_bytes_per_operation": "bytes from mongod",
    "mongod_cpu_us_per_operation_in_window": "mongod CPU, µs",
    "client_cpu_us_per_operation": "client CPU, µs",
}
WORKLOADS = {"insert": "insert, 100 in a message", "read": "read of a document", "scan": "scan of 1 to 100"}


def run(results: Path, rate: str | None) -> int:
    """Run the campaign anew on two hosts of its own; its exit code."""
    default_engine()  # no namespace has a way to a package index
    with (
        tempfile.TemporaryDirectory(prefix="pressgauge-wire-") as folder,
        remote_hosts(Path(folder), ["database", "client"]) as hosts,
    ):
        if rate:
            for host in hosts.values():
                host.limit(rate)
        where = inventory(Path(folder), [hosts["database"]], [hosts["client"]])
        command = run_anew(ROOT / "campaigns/wire.yaml", results, "--plain")
        ended = subprocess.run([*command, "--inventory", str(where)], cwd=ROOT, env=environment(), check=False)
        return ended.returncode


def lines(results: Path) -> Iterator[str]:
    """The table: a row for each metric of each workload, the baseline's mean and each arm's change against it."""
    found = pressgauge.open_run(results / "wire/latest")
    decision, arms = found.decision, list(found.campaign.arms)
    yield f"| of an operation | | {' | '.join(arms)} |"
    yield f"|---|---|{'---:|' * len(arms)}"
    for workload, of in WORKLOADS.items():
        for name, label in METRICS.items():
            yield f"| {of} | {label} | {cells(decision, arms, f'{workload}.{name}')} |"
    yield f"{decision.counts.trials} trials, {decision.counts.void} void, {decision.counts.blocks} blocks"


def main() -> None:
    """Run it unless `--read` is given, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--rate", help="what each host sends at most a second, as tc has it: 20mbit")
    parser.add_argument("--read", action="store_true")
    asked = parser.parse_args()
    if not asked.read:
        missing = [name for name in ("ip", *(("tc",) if asked.rate else ())) if shutil.which(name) is None]
        if missing:
            sys.exit(f"missing: {', '.join(missing)}; install iproute2")
        code = run(asked.results, asked.rate)
        if code not in {0, 1}:  # with 1 it has a decision, which may be that no arm is known to be better
            sys.exit(code)
    print(*lines(asked.results), sep="\n")  # noqa: T201


if __name__ == "__main__":
    main()
