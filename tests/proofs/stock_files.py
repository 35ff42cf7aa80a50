"""The property files that come with YCSB, imported and run once each at smoke size.

    python -m tests.proofs.stock_files WORKLOADS RESULTS         import and run every file of YCSB's folder workloads
    python -m tests.proofs.stock_files WORKLOADS RESULTS --read  the table of what is there

What each is asked to do is what it says but for three things: at most 2,000 records and operations, one block, one arm.
A file that is refused has its reason in the table.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from harness.ledger.runs import find_run
from tests.harness.commands import ROOT
from tests.proofs.tables import run_anew

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analysis.trial.records import TrialRecord

_MOST, _PORT = 2000, 27391
_SPECS = "specs"


def run(workloads: Path, results: Path) -> None:
    """Import each file into a folder of the results, and run what was made of it."""
    specs = results / _SPECS
    specs.mkdir(parents=True, exist_ok=True)
    for file in sorted(workloads.iterdir()):
        for old in specs.glob(f"{file.name}.*"):
            old.unlink()
        command = [sys.executable, "-m", "harness", "import-ycsb", str(file), "--into", str(specs)]
        imported = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        spec = specs / f"{file.name}.yaml"
        if imported.returncode:
            spec.with_suffix(".refused").write_text(imported.stderr, encoding="utf-8")
            continue
        spec.write_text(yaml.safe_dump(_small(spec), sort_keys=False), encoding="utf-8")
        subprocess.run(run_anew(spec, results), check=False, cwd=ROOT)


def _small(spec: Path) -> dict[str, object]:
    campaign: dict[str, object] = yaml.safe_load(spec.read_text(encoding="utf-8"))
    ((name, workload),) = campaign["workloads"].items()  # type: ignore[attr-defined] # an imported one has one
    bounded = workload | {"operations": min(_MOST, workload["operations"]), "warmup_s": 0}
    return campaign | {
        "blocks": 1,
        "arms": {"snappy": {"block_compressor": "snappy"}},
        "records": min(_MOST, int(str(campaign["records"]))),
        "workloads": {name: bounded},
        "instance": {"port": _PORT},
    }


def table(workloads: Path, results: Path) -> Iterator[str]:
    """A row for each file, in Markdown: what ran, and whether it counts."""
    yield "| file | records | acknowledged, by kind | failed | documents as written | counts |"
    yield "|---|---:|---|---:|---|---|"
    for file in sorted(workloads.iterdir()):
        if (refused := results / _SPECS / f"{file.name}.refused").exists():
            why = " ".join(refused.read_text(encoding="utf-8").split())
            yield f"| {file.name} | refused: {why.partition(f'{file.name}:')[2][:120]} | | | | |"
            continue
        for record in find_run(results / file.name / "latest").records():
            yield _row(file.name, record)


def _row(name: str, record: TrialRecord) -> str:
    phase, verification = record.phases[-1], record.verification
    kinds = ", ".join(f"{sum(by.values())} {kind}" for kind, by in sorted(phase.statuses.items()))
    right = "not verified"
    if verification:
        wrong = verification.missing + verification.altered + verification.surplus
        right = f"{verification.checked - wrong} of {verification.counted}"
    counts = "yes" if record.counts else "; ".join(one.message for one in record.void)
    return f"| {name} | {record.phases[0].acknowledged} | {kinds} | {phase.failed} | {right} | {counts} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--read", action="store_true")
    asked = parser.parse_args()
    if not asked.read:
        run(asked.workloads.resolve(), asked.results.resolve())
    print(*table(asked.workloads.resolve(), asked.results.resolve()), sep="\n")  # noqa: T201
