"""Whether an arm's CPU per operation, against another's, changes with the length of the phase.

    python -m tests.proofs.lengths RESULTS        a campaign of two blocks (a quarter of an hour on two cores)
    python -m tests.proofs.lengths RESULTS --read the table of what is there

Each trial has three phases of the same mix. Checkpoints are a quarter as far apart as usual, so that the longest phase
holds three or four of them and the shortest none or one.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.stats import frames
from harness.ledger.ledger import Ledger
from harness.spec.load import ROOT
from tests.campaigns import small

if TYPE_CHECKING:
    from collections.abc import Iterator

BASELINE = "snappy"
LENGTHS_S = {"short": 5, "middle": 14, "long": 45}
METRICS = {
    "as if it went on for ever": "mongod_cpu_us_per_operation",
    "with all of the closing checkpoints": "mongod_cpu_us_per_operation_of_phase",
    "in the window alone": "mongod_cpu_us_per_operation_in_window",
}
SPEC: dict[str, Any] = {
    "seed": 20220215,
    "blocks": 2,
    "arms": {name: {"block_compressor": name, "sync_period_s": 15} for name in (BASELINE, "zlib", "zstd")},
    "datasets": {"sentences": {"recipe": "faker-sentences"}},
    "records": 60_000,
    "cache_size": "1GiB",
    "turns": {"seconds": 2, "cut_s": 0.4},
    "load": {"threads": 4, "warmup_s": 2},
    "workloads": {
        name: {"mix": "rmw", "threads": 4, "warmup_s": 2, "measure_s": seconds} for name, seconds in LENGTHS_S.items()
    },
}


def lines(results: Path) -> Iterator[str]:
    """The table."""
    found = frames.measurements(Ledger(results / "lengths/latest").records())
    counted = found[found["counts"]]
    yield f"| CPU per operation against {BASELINE} | arm | {' | '.join(f'{s} s' for s in LENGTHS_S.values())} |"
    yield f"|---|---|{'---|' * len(LENGTHS_S)}"
    for label, name in METRICS.items():
        for arm in SPEC["arms"]:
            if arm != BASELINE:
                cells = []
                for phase in LENGTHS_S:
                    rows = counted[counted["metric"] == f"{phase}.{name}"]
                    values = rows.pivot_table(index="block", columns="arm", values="value")
                    cells.append(f"{np.exp(np.log(values[arm] / values[BASELINE]).mean()):.2f}")
                yield f"| {label} | {arm} | {' | '.join(cells)} |"


def run(results: Path) -> None:
    """Run the campaign anew."""
    results.mkdir(parents=True, exist_ok=True)
    spec = small(results / "lengths.yaml", 29117, **SPEC)
    command = [sys.executable, "-m", "harness", "run", str(spec), "--results", str(results), "--new", "--plain"]
    subprocess.run(command, cwd=ROOT, check=False)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--read", action="store_true")
    asked = parser.parse_args()
    if not asked.read:
        run(asked.results)
    print(*lines(asked.results), sep="\n")  # noqa: T201
