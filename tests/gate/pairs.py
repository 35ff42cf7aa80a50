"""Gate every pair of a campaign's newest runs, the older as the baseline: nothing was changed, so nothing may regress.

`python -m tests.gate.pairs FOLDER`, the folder of the campaign; exit 1 when more than one pair in twenty fails.
"""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

from analysis.gate.pairing import Selection
from harness.cli.gating import hold_gate
from harness.errors import Exit
from harness.ledger.ledger import Ledger

RUNS = 7
MOST_FAILING = 1 / 20


def main(campaign: Path) -> bool:
    """Print a line a pair; whether the gate stayed open often enough."""
    runs = [folder for folder in sorted(campaign.glob("[!.]*")) if not folder.is_symlink() and Ledger(folder).finished]
    pairs = list(combinations(runs[-RUNS:], 2))
    failed = 0
    for baseline, candidate in pairs:
        judged = hold_gate([baseline], candidate, Selection(), None)
        failed += judged.exit_code is Exit.GATE_FAILED
        print(f"{baseline.name} → {candidate.name}: exit {judged.exit_code.value}; {next(iter(judged.lines()))}")  # noqa: T201
    print(f"{len(pairs) - failed} of {len(pairs)} A/A pairs of {min(RUNS, len(runs))} runs: not failed")  # noqa: T201
    return len(pairs) > 0 and failed <= MOST_FAILING * len(pairs)


if __name__ == "__main__":
    sys.exit(0 if main(Path(sys.argv[1])) else 1)
