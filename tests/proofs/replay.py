"""Minutes of recorded mixed traffic of many sessions, replayed into two arms in turns: answers, lateness, memory.

    python -m tests.proofs.replay MONGOD RESULTS [--minutes 10] [--sessions 16] [--speed 1]
    python -m tests.proofs.replay MONGOD RESULTS --again  what was recorded there before

With 10 minutes it takes some 35. Beside other work on the host, lateness is that of the host, too.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from core.stored import read_stored
from harness.ledger.run_json import read_traffic
from harness.ledger.runs import find_run
from tests.campaigns import spec_of
from tests.datasets.recorder import OWN, record, recording_mongod

if TYPE_CHECKING:
    from collections.abc import Iterator

PORT, NAME = 27971, "replayed"
_PAUSE_S = 0.1


def recorded_anew(mongod: Path, results: Path, minutes: float, sessions: int) -> None:
    """Record the sessions' traffic into the results' folder."""
    folder = results / "recorded"
    shutil.rmtree(folder, ignore_errors=True)
    with recording_mongod(mongod, folder, PORT) as client:
        record(client, folder, PORT, sessions, 60 * minutes, _PAUSE_S)


def replayed(results: Path, sessions: int, speed: str) -> Iterator[str]:
    """Replay what was recorded, and give a table of what came of it."""
    folder = results / "recorded"
    changes: dict[str, Any] = {
        "question": "Are recorded answers given again?",
        "arms": {"snappy": {"block_compressor": "snappy"}, "zstd": {"block_compressor": "zstd"}},
        "datasets": {"orders": {"recipe": "documents", "path": str(folder / "dump/shop/orders.bson")}},
        "records": OWN * sessions,
        "limits": {"attempts": 2},
        "workloads": {"read": {"threads": 2}},  # which the replay takes the place of
    }
    spec = results / "base.yaml"
    spec.write_text(yaml.safe_dump(spec_of(PORT, **changes), sort_keys=False), encoding="utf-8")
    told = ("--campaign", spec, "--speed", speed, "--name", NAME, "--results", results, "--new", "--plain")
    command = [sys.executable, "-m", "harness", "replay", str(folder / "traffic/orders.traffic"), *map(str, told)]
    subprocess.run(command, check=False)
    yield from lines(results)


def lines(results: Path) -> Iterator[str]:
    """The table of a run."""
    ledger = find_run(results / NAME / "latest")
    traffic = read_traffic(ledger.folder, "traffic")
    operations = sum(traffic["operations"].values())
    yield (
        f"{operations:,} operations of {traffic['sessions']} sessions in {traffic['seconds']:.0f} s; "
        f"{json.dumps(traffic['operations'])}; left out: {json.dumps(traffic['left_out'])}"
    )
    yield "| arm | compared | unequal | lateness p50, p99, max in ms | client, largest RSS in MiB | void |"
    yield "|---|---|---|---|---|---|"
    for one in ledger.records():
        phase = next((phase for phase in one.phases if phase.replayed), None)
        if phase is None or phase.replayed is None:
            yield f"| {one.cell.arm} | – | – | – | – | {[reason.message for reason in one.void]} |"
            continue
        late = next((latency for latency in phase.latencies if latency.operation == "LATENESS"), None)
        times = "–" if late is None else ", ".join(f"{us / 1000:.2f}" for us in (late.p50_us, late.p99_us, late.max_us))
        used = json.loads(read_stored(ledger.trials_folder / one.trial / "traffic.process.json"))
        yield (
            f"| {one.cell.arm} | {phase.replayed.compared:,} | {phase.replayed.all_unequal:,} | {times} | "
            f"{used['max_rss_bytes'] / 2**20:.0f} | {[reason.message for reason in one.void] or ''} |"
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mongod", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--sessions", type=int, default=16)
    parser.add_argument("--speed", default="1")
    parser.add_argument("--again", action="store_true")
    asked = parser.parse_args()
    results = asked.results.resolve()
    if not asked.again:
        recorded_anew(asked.mongod, results, asked.minutes, asked.sessions)
    for line in replayed(results, asked.sessions, asked.speed):
        print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
