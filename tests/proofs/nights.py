"""Nights of one campaign, half of them on a slower host, and in the last one a level of zstd that was changed.

    python -m tests.proofs.nights RESULTS [NIGHTS]    run that many (10 if left out; five minutes each), and look
    python -m tests.proofs.nights RESULTS --read      look at what is there

The gate holds each night against all before it. It must name no arm but in the last night, and there the one that was
changed; the history must name the host where it became slower and faster again, and of arms only that one. Exit 1 when
either does not. The host is made slower by a control group with a CPU quota around the harness and all that it starts;
its period is short, so that no operation waits for long.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

import ansible.module_utils
from analysis.gate.judge import GateVerdict
from analysis.gate.pairing import Selection
from harness.cli.gating import hold_gate
from harness.ledger.ledger import Ledger
from harness.ledger.results_index import find_shifts, run_summaries
from harness.spec.load import ROOT, find_campaign
from tests.harness.commands import environment
from tests.proofs.tables import run_anew

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CAMPAIGN = "nights"
CHANGED_ARM, LEVELS = "zstd", (6, 15)
"""The arm, and its level before and in the last night."""
QUOTA_CPUS, PERIOD_US = 1.1, 10_000
SMALLER: dict[str, Any] = {
    "engines": {"pinned": {"source": "pypi", "version": "6.0.5"}},
    "blocks": 3,
    "records": 15_000,
    "instance": {"port": 29317},
}
"""What `campaigns/nightly.yaml` is made smaller by: the engine is not what changes here."""
RUN_FAILED = 1


def slow_nights(nights: int) -> range:
    """Half of them, in the middle: the last is as fast as the first."""
    first = nights // 3
    return range(first, first + nights // 2)


def spec(level: int) -> str:
    """The campaign, with a level of zstd."""
    nightly = yaml.safe_load(find_campaign("nightly").read_text(encoding="utf-8"))
    arms = {
        "snappy": {"block_compressor": "snappy"},
        "zlib": {"block_compressor": "zlib"},
        CHANGED_ARM: {"block_compressor": "zstd", "zstd_level": level},
    }
    decision = {key: value for key, value in nightly["decision"].items() if key != "baseline_engine"}
    return yaml.safe_dump(nightly | SMALLER | {"arms": arms, "decision": decision}, sort_keys=False)


@contextmanager
def slower_host() -> Iterator[Path]:
    """A control group in which everything together may use so many CPUs."""
    ansible.module_utils.__path__.append(str(ROOT / "ansible/module_utils"))  # where Ansible looks for them
    from ansible.module_utils.pressgauge.host import control_groups, limits  # noqa: PLC0415 - there from now on

    parent = limits.CPU.parent_group()
    if parent is None:
        raise SystemExit("this host allows no control group with a CPU quota")
    group = parent / "pressgauge-nights"
    group.mkdir(exist_ok=True)
    try:
        limits.write_cpus(group, QUOTA_CPUS, PERIOD_US)
        yield group
    finally:
        control_groups.remove(group)


def run(results: Path, nights: int) -> None:
    """Run the campaign so many times."""
    results.mkdir(parents=True, exist_ok=True)
    path = results / f"{CAMPAIGN}.yaml"
    command = run_anew(path, results)
    for night in range(nights):
        path.write_text(spec(LEVELS[night == nights - 1]), encoding="utf-8")
        slow = night in slow_nights(nights)
        print(f"night {night + 1} of {nights}{', on a slower host' if slow else ''}", flush=True)  # noqa: T201
        if slow:
            with slower_host() as group:
                _run(["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(group / "cgroup.procs"), *command])
        else:
            _run(command)


def _run(command: Sequence[str]) -> None:
    code = subprocess.run(command, cwd=ROOT, env=environment(), check=False).returncode
    if code > RUN_FAILED:  # 1: a constraint is not met, which is none of ours
        raise SystemExit(f"the run ended with exit code {code}")


def look(results: Path) -> bool:
    """Print what gate and history say of the nights; whether both are right."""
    home = results / CAMPAIGN
    runs = [folder for folder in sorted(home.glob("[!.]*")) if not folder.is_symlink() and Ledger(folder).finished]
    right = True
    for before, night in pairwise(runs):
        judged = hold_gate([home], night, Selection(), None)
        named = {check.pair.split(", ")[1] for check in judged.found.of(GateVerdict.REGRESSED)}
        expected = {CHANGED_ARM} if night == runs[-1] else set()
        right &= named == expected
        said = "right" if named == expected else "WRONG"
        print(f"{said}: {night.name} (after {before.name}): exit {judged.exit_code}")  # noqa: T201
        for line in judged.lines():
            print(f"    {line}")  # noqa: T201
    return right & _look_at_history(results, [run.name for run in runs])


def _look_at_history(results: Path, names: Sequence[str]) -> bool:
    slow = slow_nights(len(names))
    moved = {names[at] for at in (slow.start, slow.stop) if 0 < at < len(names)}
    shifts = find_shifts(list(run_summaries(results)), lambda *_: {})
    changes = [change for shift in shifts for change in shift.step.changes]
    for change in changes:
        print(f"history: with {change.run_id}: {change.sentence}")  # noqa: T201
    hosts = {change.run_id for change in changes if change.series.host}
    arms = {(change.run_id, change.series.arm) for change in changes if not change.series.host}
    right = hosts == moved and arms <= {(names[-1], CHANGED_ARM)}
    print(f"{'right' if right else 'WRONG'}: the host moved with {', '.join(sorted(moved))}")  # noqa: T201
    return right


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("nights", type=int, nargs="?", default=10)
    parser.add_argument("--read", action="store_true")
    asked = parser.parse_args()
    if not asked.read:
        run(asked.results.resolve(), asked.nights)
    sys.exit(0 if look(asked.results.resolve()) else 1)
