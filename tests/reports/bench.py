"""How long a report takes: a fresh process, from the command to the last file. Not a test, since hosts differ.

    python -m tests.reports.bench [run's folder]

Without a folder it renders made-up runs of 12 and of 1,000 trials; they hold all that real ones do but the engine's
own seconds. Each is rendered three times, and the quickest is shown: everything slower is the host's business.
"""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from core.machine import this_machine
from harness.cli.terminal import say
from harness.ledger.ledger import HOST_FILE, Ledger
from harness.ledger.runs import open_run
from harness.spec.load import CAMPAIGNS, ROOT
from tests.analysis.synthetic import campaign
from tests.reports.sample import HOST

_TIMES = 3


def made_up_run(results: Path, blocks: int) -> Ledger:
    """A run of the quick campaign's four arms, with records as from so many blocks."""
    spec = (CAMPAIGNS / "quick.yaml").read_text(encoding="utf-8").replace("blocks: 4", f"blocks: {blocks}")
    ledger = open_run(results, "quick", spec, "20260101T000000Z", anew=True)
    ledger.keep(HOST_FILE, {"localhost": HOST})
    for record in campaign(blocks=blocks):
        ledger.commit(record, ledger.workspace(record.trial))
    return ledger


def rendered_in(folder: Path) -> tuple[float, float]:
    """Seconds by the clock and of CPU, children's threads included, of one fresh process."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([sys.executable, "-m", "harness", "report", folder], cwd=ROOT, check=True, capture_output=True)
    took, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure, and print a line a run."""
    machine = this_machine()
    where = f"{machine.cpu}, {machine.cores} cores, load {os.getloadavg()[0]:.1f}"
    say(f"{where}, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as scratch:
        folders = [Path(argument) for argument in sys.argv[1:]]
        folders = folders or [made_up_run(Path(scratch, str(blocks)), blocks).folder for blocks in (3, 250)]
        for folder in folders:
            rendered_in(folder)  # the first one may have to compile, and to make the page's script
            took = [rendered_in(folder) for _ in range(_TIMES)]
            trials = len(list((folder / "trials").glob("[!.]*")))
            clock, cpu = (min(figures) for figures in zip(*took, strict=True))
            say(f"{trials:5} trials: {clock:.1f} s, CPU {cpu:.1f} s")


if __name__ == "__main__":
    main()
