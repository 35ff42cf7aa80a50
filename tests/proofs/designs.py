"""Turns against separate trials, in the same sitting and the same total time: how much a block's ratio scatters.

    python -m tests.proofs.designs RESULTS        four campaigns of two blocks with each design, in turn (forty minutes)
    python -m tests.proofs.designs RESULTS --read the table of what is there

The arms are snappy, snappy again and zstd. The half-width is that of a 95 % interval from three blocks.
"""

from __future__ import annotations

import math
import subprocess
from typing import TYPE_CHECKING, Any

import pandas as pd
from scipy import stats

from analysis.stats import frames
from harness.ledger.ledger import Ledger
from harness.spec.load import ROOT
from tests.campaigns import small
from tests.proofs.tables import run_anew, show

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CAMPAIGNS, BLOCKS, SHOWN_BLOCKS = 4, 2, 3
ARMS = {
    "snappy": {"block_compressor": "snappy"},
    "again": {"block_compressor": "snappy"},
    "zstd": {"block_compressor": "zstd"},
}
METRICS = (
    "rmw.throughput", "rmw.p50", "rmw.p99", "rmw.mongod_cpu_us_per_operation",
    "rmw.mongod_cpu_us_per_operation_in_window", "insert.throughput", "storage_bytes_per_document",
)  # fmt: skip
# What each design needs: separate trials have the client's optimising compiler, and wait until it is done.
DESIGNS: dict[str, dict[str, Any]] = {
    "turns": {
        "turns": {"seconds": 2, "cut_s": 0.4},
        "load": {"threads": 4, "warmup_s": 2},
        "workloads": {"rmw": {"threads": 4, "warmup_s": 2, "measure_s": 19}},
    },
    "sequential": {
        "design": "sequential",
        "load": {"threads": 4, "warmup_s": 3},
        "workloads": {"rmw": {"threads": 4, "warmup_s": 12, "measure_s": 14}},
    },
}
SAME: dict[str, Any] = {
    "seed": 11,
    "blocks": BLOCKS,
    "arms": ARMS,
    "datasets": {"sentences": {"recipe": "faker-sentences"}},
    "records": 60_000,
    "cache_size": "1GiB",
    "limits": {"attempts": 2},
}


def run(results: Path) -> None:
    """Run the campaigns of both designs, in turn."""
    results.mkdir(parents=True, exist_ok=True)
    for _ in range(CAMPAIGNS):
        for name, design in DESIGNS.items():
            spec = small(results / f"{name}.yaml", 29117, **SAME, **design)
            subprocess.run(run_anew(spec, results), cwd=ROOT, check=False)


def log_ratios(folder: Path) -> pd.DataFrame:
    """A row per block of each run: the log-ratio of each arm and metric to snappy."""
    found = []
    for path in sorted(folder.glob("2*")):
        table = frames.measurements(Ledger(path).records())
        asked = table[table["counts"] & table["metric"].isin(METRICS)]
        values = asked.pivot_table(index=["metric", "block"], columns="arm", values="value")
        ratios: pd.DataFrame = values[["again", "zstd"]].div(values["snappy"], axis=0)
        logs: pd.DataFrame = ratios.map(math.log)
        found.append(logs.reset_index().assign(run=path.name))
    whole: pd.DataFrame = pd.concat(found)
    return whole


def lines(results: Path) -> Iterator[str]:
    """The table."""
    tables = {name: log_ratios(results / name) for name in DESIGNS}
    width = stats.t.ppf(0.975, SHOWN_BLOCKS - 1) / math.sqrt(SHOWN_BLOCKS)
    heads = [f"{name}: change, scatter, half-width" for name in tables]
    yield f"| metric | arm | {' | '.join(heads)} | turns ÷ sequential |"
    yield "|---|---|---|---|---|"
    for metric in METRICS:
        for arm in ("again", "zstd"):
            cells, scatters = [], []
            for table in tables.values():
                logs = table.loc[table["metric"] == metric, arm].dropna()
                scatters.append(float(logs.std()))
                cells.append(f"{math.expm1(logs.mean()):+.1%}, {logs.std():.3f}, ±{math.expm1(width * logs.std()):.0%}")
            yield f"| {metric} | {arm} | {' | '.join(cells)} | {scatters[0] / scatters[1]:.2f} |"


if __name__ == "__main__":
    show(__doc__, run, lines)
