"""Whether an arm's CPU per operation, against another's, changes with the length of the phase.

    python -m tests.proofs.lengths RESULTS        a campaign of two blocks (a quarter of an hour on two cores)
    python -m tests.proofs.lengths RESULTS --read the table of what is there

Each trial has three phases of the same mix. Checkpoints are a quarter as far apart as usual, so that the longest phase
holds three or four of them and the shortest none or one.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.stats import frames
from harness.ledger.ledger import Ledger
from harness.spec.load import ROOT
from tests.campaigns import small
from tests.proofs.tables import run_anew, show

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
    subprocess.run(run_anew(spec, results, "--plain"), cwd=ROOT, check=False)


if __name__ == "__main__":
    show(__doc__, run, lines)
