"""Pressgauge from Python: open a run, take its tables, its decision, and hold the gate.

    import pressgauge

    run = pressgauge.open_run("results/quick/latest")
    run.decision.recommendations[0].sentence
    run.measurements.query("metric == 'rmw.throughput' and counts")
    pressgauge.gate(["results/upgrade/before"], "results/upgrade/latest").exit_code

Its rooms (`analysis`, `core`, `datasets`, `harness`, `reports`, `workloads`) are packages of their own, beside this one
in a checkout and within it where it is installed. Whatever they raise for a file or a run is a `PressgaugeError`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from analysis.decide.decision import Decision
    from analysis.trial.records import TrialRecord
    from harness.cli.gating import Judged
    from harness.ledger.ledger import Ledger
    from harness.spec.campaign import Campaign

_INSTALLED = Path(__file__).parent / "house"
HOUSE = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parents[1]
"""Where the rooms are."""
if str(HOUSE) not in sys.path:
    sys.path.append(str(HOUSE))

from harness.errors import PressgaugeError  # noqa: E402 - the rooms can be found from here on

__all__ = ["PressgaugeError", "Run", "gate", "open_run"]


@dataclass(frozen=True)
class Run:
    """One run, finished or not. What it has is read when it is asked for."""

    _ledger: Ledger

    @property
    def name(self) -> str:
        """The run's name, which begins with the time of its start (UTC)."""
        return self._ledger.run_id

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return self._ledger.folder

    @cached_property
    def campaign(self) -> Campaign:
        """The spec that it was run by."""
        from harness.ledger.facts import read_campaign

        return read_campaign(self._ledger)

    @cached_property
    def records(self) -> tuple[TrialRecord, ...]:
        """A record per attempt, void ones included, in the order of the plan."""
        return tuple(self._ledger.records())

    @property
    def trials(self) -> pd.DataFrame:
        """A row per trial: its place in the plan, what was asked, whether it counts. Blocks count from 1."""
        return self._tables["trials"]

    @property
    def measurements(self) -> pd.DataFrame:
        """A row per figure of a trial: `metric`, `value`, `unit`. docs/tables.md has all columns."""
        return self._tables["measurements"]

    @cached_property
    def _tables(self) -> dict[str, pd.DataFrame]:
        from harness.cli.outcome import tables

        return tables(self.campaign.name, self.name, self.records)

    @cached_property
    def decision(self) -> Decision:
        """What this version of Pressgauge decides from the records; writes nothing."""
        from harness.cli.outcome import decide_run

        return decide_run(self._ledger, self.campaign)


def open_run(folder: str | Path) -> Run:
    """The run in a folder such as `results/quick/latest`.

    Raises:
        PressgaugeError: there is none.
    """
    from harness.ledger.runs import find_run

    return Run(find_run(Path(folder)))


def gate(
    baselines: Sequence[str | Path],
    candidate: str | Path,
    tolerances: str | Path | None = None,
    *,
    strict: bool = False,
) -> Judged:
    """Whether a run has become worse than earlier ones: each a run, a baseline file, or a folder of such.

    Its `exit_code` is that of `make check-regression`, its `found` has every check, its `lines()` say it in words.

    Raises:
        PressgaugeError: a side can't be read, or the sides can't be compared.
    """
    from analysis.gate.pairing import Selection
    from harness.cli.gating import hold_gate

    allowed = Path(tolerances) if tolerances else None
    return hold_gate([Path(one) for one in baselines], Path(candidate), Selection(), allowed, strict=strict)
