"""What people look at: the report of a run, the index of runs, the decision in five lines, estimates, and profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.files import LinkedError
from reports.errors import TemplateFaultError
from reports.estimate_texts import lines as estimate_lines
from reports.profile_texts import lines as profile_lines
from reports.run import Run, RunSummary, Shift, by_campaign
from reports.terminal import summary_lines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from analysis.estimate.records import Estimate
    from analysis.profile.records import Profile

__all__ = [
    "LinkedError",
    "Run",
    "RunSummary",
    "Shift",
    "TemplateFaultError",
    "by_campaign",
    "estimate_lines",
    "profile_lines",
    "summary_lines",
    "write_estimate",
    "write_index",
    "write_profile",
    "write_report",
]


def write_report(run: Run, folder: Path, template_dir: Path | None = None) -> None:
    """Write the run's report into the folder.

    It gets index.html, report.md, decision.json, metrics.csv and figures/*.svg|png; each file appears whole or not at
    all, the page last. Templates in `template_dir` override ours (docs/templates.md).

    Raises:
        TemplateFaultError: a template of the user does not load or render.
        LinkedError: the folder, its figures' folder or a file in them is a symbolic link.
        OSError: the folder can't be written to.
    """
    from reports.output.write import write  # noqa: PLC0415 the chart libraries take a second to load: only when needed

    write(run, folder, template_dir)


def write_index(runs: Sequence[RunSummary], shifts: Sequence[Shift], path: Path) -> None:
    """Write the index of all runs (results/index.html): by campaign, the newest first, with trends and shifts.

    Raises:
        OSError: the file can't be written.
    """
    from reports.output.index import write  # noqa: PLC0415 as above

    write(runs, shifts, path)


def write_estimate(estimate: Estimate, path: Path) -> None:
    """Write the page of an estimate: one file that opens offline.

    Raises:
        OSError: it can't be written.
    """
    from reports.output.estimate import write  # noqa: PLC0415 as above

    write(estimate, path)


def write_profile(profile: Profile, path: Path) -> None:
    """Write the page of a profile: one file that opens offline.

    Raises:
        OSError: it can't be written.
    """
    from reports.output.profile import write  # noqa: PLC0415 as above

    write(profile, path)
