"""Hold the gate over a run of `planted.yaml`: each planted regression is found, and the copy passes.

`python -m tests.gate.check RUN`; exit 1 when the gate missed something, or found something in the copy.
"""

from __future__ import annotations

import sys
from pathlib import Path

from analysis.gate import GateVerdict
from analysis.pairing import Selection
from harness.gate import hold_gate

EXPECTED: dict[str, set[str]] = {
    "copy": set(),
    "halved-cache": {"rmw.throughput", "rmw.mongod_cpu_us_per_operation", "rmw.disk_written_bytes_per_operation"},
    "often-checkpoints": {"rmw.disk_written_bytes_per_operation", "rmw.throughput"},
    "zstd-19": {"insert.throughput", "rmw.mongod_cpu_us_per_operation", "rmw.throughput"},
    "cpu-limit": {"rmw.throughput", "rmw.p99", "insert.throughput"},
}
"""Any one of these must have regressed; nothing may have in the copy."""


def main(run: Path) -> int:
    """Print what each gate said; gives the number of arms whose gate was wrong."""
    wrong = 0
    for arm, metrics in EXPECTED.items():
        judged = hold_gate(run, run, Selection(baseline_arm="reference", arm=arm), None)
        regressed = {check.metric for check in judged.found.of(GateVerdict.REGRESSED)}
        right = bool(regressed & metrics) if metrics else not regressed
        wrong += not right
        print(f"{'as planted' if right else 'WRONG'}: {arm}: exit {judged.exit_code.value}")  # noqa: T201
        for line in judged.lines():
            print(f"    {line}")  # noqa: T201
    return wrong


if __name__ == "__main__":
    sys.exit(1 if main(Path(sys.argv[1])) else 0)
