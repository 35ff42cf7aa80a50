"""Primary questions that recorded runs decide with each pair's own scatter, and with the moderated one.

    python -m tests.proofs.pooling FOLDER    a folder of runs of one campaign, such as results/nightly

What is true is taken from all the runs together: the mean of a question's log-ratios. A verdict is wrong that goes the
other way, or calls equivalent what lies beyond the margin. Exit 1 where a right verdict of the pair's own scatter
became a wrong one.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import numpy as np

from analysis.stats import scatter
from analysis.stats.quantities import Better
from analysis.stats.verdicts import Family, Verdict, log_margin
from harness.cli.outcome import decide_run
from harness.ledger.facts import read_campaign
from harness.ledger.runs import find_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from analysis.stats.verdicts import Effect
    from harness.ledger.ledger import Ledger

    Question = tuple[str, str]


def effects(ledger: Ledger, prior: float) -> dict[Question, Effect]:
    """A run's primary effects by candidate and metric, where a level outside the pair is worth so much."""
    with mock.patch.object(scatter, "PRIOR_PER_LEVEL", prior):
        decision = decide_run(ledger, read_campaign(ledger))
    return {(one.candidate, one.metric): one for one in decision.effects if one.family is Family.PRIMARY}


def is_right(effect: Effect, truth: float, margin: float) -> bool:
    """Whether the verdict is what the mean of all runs says."""
    if effect.verdict is Verdict.EQUIVALENT:
        return abs(truth) <= margin
    gains = truth > 0 if effect.better is Better.HIGHER else truth < 0
    return effect.verdict is Verdict.UNDECIDED or gains == (effect.verdict is Verdict.BETTER)


def count(runs: Iterable[Mapping[Question, tuple[Effect, Effect]]], margin: float) -> Counter[str]:
    """What became of the questions' verdicts, over all runs."""
    listed = list(runs)
    truths = {key: np.mean([run[key][0].mean_log for run in listed if key in run]) for run in listed for key in run}
    found: Counter[str] = Counter()
    for run in listed:
        for key, (own, moderated) in run.items():
            then, now = (one.verdict is not Verdict.UNDECIDED for one in (own, moderated))
            found["questions"] += 1
            found["decided by own scatter"] += then
            found["decided by moderated scatter"] += now
            found["gained"] += now and not then
            found["lost"] += then and not now
            found["another verdict"] += then and now and own.verdict is not moderated.verdict
            found["wrong by own scatter"] += not is_right(own, float(truths[key]), margin)
            found["wrong by moderated scatter"] += not is_right(moderated, float(truths[key]), margin)
    return found


def main(folder: Path) -> bool:
    """Print the counts; whether no right verdict became a wrong one."""
    ledgers = [find_run(run) for run in sorted(folder.glob("[!.]*")) if not run.is_symlink()]
    both = [tuple(effects(ledger, prior) for prior in (0.0, scatter.PRIOR_PER_LEVEL)) for ledger in ledgers]
    runs = [{key: (own[key], moderated[key]) for key in own} for own, moderated in both]
    found = count(runs, log_margin(read_campaign(ledgers[0]).decision.equivalence_margin_percent))
    for what, times in found.items():
        print(f"{what}: {times}")  # noqa: T201
    return found["wrong by moderated scatter"] <= found["wrong by own scatter"]


if __name__ == "__main__":
    sys.exit(0 if main(Path(sys.argv[1])) else 1)
