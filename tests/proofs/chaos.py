"""A small campaign, killed at random moments: `make chaos`.

The harness, Ansible, mongod or the load client is killed, or the machine loses its power: all of them at once, and the
work goes on from a copy of the results as they were. The same command is given again until the run is finished; then
its trials must be those of the plan and of a run that nobody disturbed, each counted once, and nothing may be left.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.stats.frames import once_per_cell
from harness.cli.terminal import say
from harness.evidence.verify import evidence_faults
from harness.ledger.artefacts import RECORD_FILE, file_digest
from harness.ledger.digests import FILE as DIGESTS
from harness.ledger.runs import find_run
from harness.plan.trials import plan
from harness.spec.load import load_campaign
from tests.campaigns import small
from tests.harness.commands import HOME, start

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterable, Iterator

    from analysis.trial.records import TrialRecord
    from harness.ledger.ledger import Ledger

VICTIMS = ("harness", "Ansible", "mongod", "client", "power")
ENDS_WELL = {0, 3}
"""What a command that was not killed may end with: the run is finished, or a host failed it."""
ENDS_WITHIN_S = 300
MOST_COMMANDS = 100
"""Of one run, before it is taken for one that never ends."""


@dataclass
class Site:
    """A place that is nobody else's: all that the campaigns leave is in it, all that they start bears its name."""

    folder: Path
    port: int
    cpu_limit: float | None = None
    """Of the zstd arm's mongod: it then runs in a control group, which must go with it."""
    runs: int = 0

    def __post_init__(self) -> None:
        for name in ("tmp", "home"):
            (self.folder / name).mkdir(parents=True)
        (self.home / "engines").symlink_to(HOME / "engines")  # not fetched again
        zstd = {"block_compressor": "zstd", "cpu_limit": self.cpu_limit}
        arms = {"snappy": {"block_compressor": "snappy"}, "zstd": zstd}
        small(self.spec, self.port, arms=arms, limits={"attempts": 10, "free_disk": "64MiB"})

    @property
    def spec(self) -> Path:
        return self.folder / "chaos.yaml"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def results(self) -> Path:
        return self.folder / f"results-{self.runs}"

    @property
    def ledger(self) -> Ledger | None:
        """The present run's, once it has begun."""
        latest = self.results / "chaos/latest"
        return find_run(latest) if latest.exists() else None

    def records(self) -> list[TrialRecord]:
        return self.ledger.records() if self.ledger else []

    def command(self) -> subprocess.Popen[str]:
        """The one command that begins the run, and goes on with it."""
        own = {"TMPDIR": str(self.folder / "tmp"), "ANSIBLE_HOME": str(self.folder / "ansible")}
        return start("run", self.spec, "--results", self.results, "--home", self.home, "--plain", **own)

    def processes(self, *kinds: str) -> list[int]:
        """Of Ansible, mongod and client, those of these kinds that run here."""
        mark, found = f"PRESSGAUGE_PLAYBOOK={self.folder}/".encode(), []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it has ended, or is another user's
                if mark in (process / "environ").read_bytes():
                    line = (process / "cmdline").read_bytes()
                    kind = "client" if b"site.ycsb.Client" in line else "mongod" if b"/mongod\0" in line else "Ansible"
                    found += [int(process.name)] if kind in kinds else []
        return found

    def lose_power(self, command: subprocess.Popen[str]) -> None:
        """End everything at once; the results are from now on a copy, made while they were written."""
        copy, moment = self.folder / "copy", None
        while moment != (moment := self._moment()):  # a copy in which a run's digests and its trials are of one moment
            shutil.rmtree(copy, ignore_errors=True)
            with suppress(shutil.Error, FileNotFoundError):  # what was renamed or deleted before its turn came
                shutil.copytree(self.results, copy, symlinks=True)
        command.kill()
        while left := self.processes("Ansible", "mongod", "client"):
            for pid in left:
                kill(pid)
        shutil.rmtree(self.results, ignore_errors=True)
        if copy.exists():
            copy.rename(self.results)

    def _moment(self) -> dict[Path, int]:
        """What tells whether a trial appeared, or anything was announced."""
        kept = (*self.results.glob(f"*/*/{DIGESTS}"), *self.results.glob("*/*/trials"), *self.results.glob("*/latest"))
        return {path: path.stat().st_mtime_ns for path in kept}

    def left(self) -> Iterator[str]:
        """All that a finished run should not have left."""
        yield from (f"process {pid}" for pid in self.processes("Ansible", "mongod", "client"))
        for name in ("home/instances", "home/clients", "tmp", "ansible/tmp"):
            yield from map(str, (self.folder / name).glob("*"))
        for folder in (self.home, self.results):
            yield from (str(path) for path in folder.rglob(".*") if path.name != ".lock")
        yield from map(str, Path("/sys/fs/cgroup").rglob(f"pressgauge-t{self.port}"))


@dataclass
class Chaos:
    """Kills, one after the other, in as many runs as they take."""

    site: Site
    draw: random.Random
    within_s: float
    """The longest time from a command's start, or the kill before, to the next kill."""
    undisturbed: list[dict[str, Any]] | None = None
    """What a run that nobody disturbs comes to; without it only the plan is looked at."""

    def run(self, victims: Iterable[str]) -> Iterator[str]:
        """Kill the victims in this order, and let the last run come to its end. Tells of each kill, and each run.

        Raises:
            AssertionError: something was lost, counted twice, or left.
        """
        waiting = list(victims)
        while waiting:
            self.site.runs += 1
            kept: dict[str, str] = {}
            for _ in range(MOST_COMMANDS):
                command = self.site.command()
                while waiting and (struck := self._strike(waiting[0], command)):
                    del waiting[0]
                    yield struck
                self._examine_end(command)
                kept = self._examine_records(kept)
                if self.site.ledger and self.site.ledger.finished:
                    break
            yield self._examine_run()

    def _strike(self, victim: str, command: subprocess.Popen[str]) -> str | None:
        """Kill the victim at a random moment, or once there is one after it; None when the command ended first."""
        began, wait_s = time.monotonic(), self.draw.triangular(0, self.within_s, 0)  # a third of it in the mean
        while command.poll() is None:
            time.sleep(0.05)
            if time.monotonic() < began + wait_s:
                continue
            there = self.site.processes(victim)
            if victim == "power":
                self.site.lose_power(command)
            elif victim == "harness":
                command.kill()
            elif there:
                kill(self.draw.choice(there))
            else:
                continue
            seconds, done = time.monotonic() - began, sum(record.counts for record in self.site.records())
            return f"{victim} after {seconds:.1f} s, {done} trials finished"
        return None

    def _examine_end(self, command: subprocess.Popen[str]) -> None:
        out, err = command.communicate(timeout=ENDS_WITHIN_S)
        assert command.returncode in ENDS_WELL | {-signal.SIGKILL}, out + err
        assert "Traceback" not in out + err, out + err

    def _examine_records(self, kept: dict[str, str]) -> dict[str, str]:
        """Every record is as it was and whole; their digests."""
        ledger = self.site.ledger
        if not ledger:
            assert not kept
            return kept
        assert list(evidence_faults(ledger)) == []
        found = {path.parent.name: file_digest(path) for path in ledger.trials_folder.glob(f"[!.]*/{RECORD_FILE}")}
        assert kept.items() <= found.items()
        return found

    def _examine_run(self) -> str:
        records = self.site.records()
        counting = [record for record in once_per_cell(records) if record.counts]
        planned = plan(load_campaign(self.site.spec), 1)
        assert [(one.index, one.block, one.cell) for one in counting] == [
            (one.index, one.block, one.cell) for one in planned
        ]
        assert self.undisturbed in (None, essence(counting))
        assert len(list((self.site.results / "chaos").glob("[!.]*"))) == 2  # the run, and `latest`
        assert list(self.site.left()) == []
        return f"run {self.site.runs}: {len(counting)} trials as planned, {len(records) - len(counting)} void attempts"


def essence(records: Iterable[TrialRecord]) -> list[dict[str, Any]]:
    """What of a run's trials may not depend on what happened to them."""
    return [
        record.model_dump(mode="json", include={"index", "block", "cell", "seed", "asked", "corpus", "expected_ratio"})
        | {"loaded": record.sizes[0].model_dump(mode="json", include={"documents", "data_size_bytes"})}
        for record in records
    ]


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def main() -> None:
    """Kill as often as asked, and say what happened."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--within", type=float, default=40, help="seconds; as long as the whole run, best")
    parser.add_argument("--cpu-limit", type=float, help="of one arm's mongod; the host must allow control groups")
    asked = parser.parse_args()
    say(f"{asked.kills} kills, seed {asked.seed}")
    folder = Path(tempfile.mkdtemp(prefix="pressgauge-chaos-"))  # stays where something is found wrong
    site = Site(folder, 27391, asked.cpu_limit)
    began = time.monotonic()
    out, err = site.command().communicate(timeout=ENDS_WITHIN_S)
    assert site.ledger, out + err
    assert site.ledger.finished, out + err
    say(f"undisturbed: {len(site.records())} trials in {time.monotonic() - began:.0f} s")
    draw = random.Random(asked.seed)
    chaos = Chaos(site, draw, asked.within, essence(site.records()))
    for told in chaos.run([draw.choice(VICTIMS) for _ in range(asked.kills)]):
        say(f"{time.monotonic() - began:6.0f} s  {told}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
