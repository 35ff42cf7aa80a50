"""What each arm stored and did as it aged: the table of docs/results/ageing.md, from a run of campaigns/ageing.yaml.

    python -m tests.proofs.ageing RUN

Means over the blocks that count. Arms did the same operations; reads were done fresh, aged and compacted.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.stats import frames
from analysis.stats.arm_estimates import estimates
from analysis.stats.quantities import quantity
from harness.ledger.facts import read_campaign
from harness.ledger.runs import find_run

if TYPE_CHECKING:
    from collections.abc import Iterator

COMPACTED = "finds-compacted"
ROWS = (
    ("after the load", "storage_bytes_per_document"),
    ("… of these, secondary indexes", "secondary_index_bytes_per_document"),
    ("… of the collection's file, reusable", "storage_reusable_share"),
    ("aged", "storage_bytes_per_document_aged"),
    ("… of these, secondary indexes", "secondary_index_bytes_per_document_aged"),
    ("… of the collection's file, reusable", "storage_reusable_share_aged"),
    ("compacted", f"{COMPACTED}.storage_bytes_per_document_maintained"),
    ("time to compact", f"{COMPACTED}.maintenance_s"),
    ("operations that age", "ageing.throughput"),
    ("… mongod CPU for each", "ageing.mongod_cpu_us_per_operation"),
    ("… journal written for each", "ageing.journal_bytes_per_operation"),
    ("journal files in use, aged", "ageing.journal_bytes_after"),
    ("journal files set aside, aged", "ageing.journal_preallocated_bytes_after"),
    *((f"finds, {state}", f"finds-{state}.throughput") for state in ("fresh", "aged", "compacted")),
    *((f"time of a scan of all, {state}", f"scans-{state}.mean") for state in ("fresh", "aged", "compacted")),
    *((f"time of a `$group`, {state}", f"groups-{state}.mean") for state in ("fresh", "aged", "compacted")),
)


def lines(run: Path) -> Iterator[str]:
    """The table, in Markdown."""
    ledger = find_run(run)
    arms = list(read_campaign(ledger).arms)
    found = {(one.arm, one.metric): one.figure for one in estimates(frames.measurements(ledger.records()))}
    yield f"| | {' | '.join(arms)} |"
    yield "|---|" + "---:|" * len(arms)
    for label, key in ROWS:
        figures = [found.get((arm, key)) for arm in arms]
        cells = ["–" if one is None else quantity(one.value, one.unit) for one in figures]
        yield f"| {label} | {' | '.join(cells)} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    print(*lines(parser.parse_args().run), sep="\n")  # noqa: T201
