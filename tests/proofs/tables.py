"""What proofs share that run campaigns and make a table of them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.stats.quantities import change, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from analysis.decide.decision import Decision


def cells(decision: Decision, arms: Iterable[str], metric: str) -> str:
    """A row's cells: the baseline's mean, and of each other arm the change against it, with its interval."""
    means = {(one.arm, one.metric): one.figure.value for one in decision.estimates}
    ratios = {(one.candidate, one.metric): one.ratio for one in decision.effects}
    found = []
    for arm in arms:
        ratio = ratios.get((arm, metric))
        if ratio is None:
            found.append(number(means[arm, metric]) if (arm, metric) in means else "–")
        elif ratio.low is None or ratio.high is None:
            found.append(change(ratio.value))
        else:
            found.append(f"{change(ratio.value)} [{change(ratio.low)}, {change(ratio.high)}]")
    return " | ".join(found)


def run_anew(spec: Path, results: Path, view: str = "--quiet") -> list[str]:
    """The command that runs a campaign whether or not one of it is unfinished."""
    return [sys.executable, "-m", "harness", "run", str(spec), "--results", str(results), "--new", view]


def show(doc: str | None, run: Callable[[Path], None], lines: Callable[[Path], Iterable[str]]) -> None:
    """The command line of such a proof: run its campaigns into RESULTS, unless `--read` is given; print the table."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("results", type=Path)
    parser.add_argument("--read", action="store_true")
    asked = parser.parse_args()
    if not asked.read:
        run(asked.results)
    print(*lines(asked.results), sep="\n")  # noqa: T201
