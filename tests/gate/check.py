"""Hold the gate over runs of the planted campaigns: each regression is found where it was planted, the copy passes.

`python -m tests.gate.check RESULTS`, the folder that has both runs; exit 1 when the gate missed a plant, or found
anything in the copy.
"""

from __future__ import annotations

import sys
from pathlib import Path

from analysis.gate.judge import GateVerdict
from analysis.gate.pairing import Selection
from harness.cli.gating import hold_gate
from harness.errors import Exit

EXPECTED: dict[tuple[str, str], set[str]] = {
    ("planted-writes", "copy"): set(),
    ("planted-writes", "often-checkpoints"): {"rmw.disk_written_bytes_per_operation"},
    ("planted-writes", "zstd-19"): {"rmw.mongod_cpu_us_per_operation"},
    ("planted-reads", "halved-cache"): {"read.mongod_cpu_us_per_operation"},
    ("planted-reads", "cpu-limit"): {"insert.throughput"},
}
"""By campaign and arm: what must have regressed, whatever else has. Nothing may have in the copy."""


def main(results: Path) -> int:
    """Print what each gate said; gives the number of arms whose gate was wrong."""
    wrong = 0
    for (campaign, arm), metrics in EXPECTED.items():
        run = results / campaign / "latest"
        judged = hold_gate([run], run, Selection(baseline_arm="reference", arm=arm), None)
        regressed = {check.metric for check in judged.found.of(GateVerdict.REGRESSED)}
        right = regressed >= metrics and (judged.exit_code is Exit.GATE_FAILED) == bool(metrics)
        wrong += not right
        asked = f"{', '.join(sorted(metrics))} must regress" if metrics else "nothing may regress"
        print(f"{'as planted' if right else 'WRONG'}: {arm} ({asked}): exit {judged.exit_code.value}")  # noqa: T201
        for line in judged.lines():
            print(f"    {line}")  # noqa: T201
    return wrong


if __name__ == "__main__":
    sys.exit(1 if main(Path(sys.argv[1])) else 0)
