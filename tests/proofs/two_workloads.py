"""Whether the workload decides which compressor to run: one deployment, mirrored as it is read and as it is updated.

    python -m tests.proofs.two_workloads RESULTS        half an hour; the engine 6.0.5 has to be installed
    python -m tests.proofs.two_workloads RESULTS --read the tables of what is there

The same mongod with the same events is used twice: by clients that read, and by clients that update. Each time
`make mirror` looks at it and leaves a campaign. Both run as they were written, but for the arms, which are two, and
for warm-up and measured time, which are shorter.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

import pressgauge
from tests.harness.commands import harness
from tests.proofs.deployment import deployment
from tests.proofs.round_trip import ENGINE, EVENTS, PORT, mirror
from tests.proofs.tables import cells, show

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS, MEASURED_S, WARM_UP, BLOCKS = 60.0, 30, 500, 4
ARMS = ("snappy", "zstd")
WORKLOADS: dict[str, tuple[dict[str, float], float]] = {
    "reading": ({"find": 85.0, "find-by-index": 15.0}, 1000.0),
    "updating": ({"find": 25.0, "update": 75.0}, 1000.0),
}
"""Each mix, and operations per second."""
METRICS = {
    "storage_bytes_per_document": "bytes per document, with indexes",
    "mirror.mongod_cpu_us_per_operation": "mongod CPU of an operation, µs",
    "mirror.p99": "p99, µs",
}


def run(results: Path) -> None:
    """Mirror both workloads, then run both campaigns."""
    results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, deployment(ENGINE, Path(scratch), PORT, EVENTS) as known:
        for name, (mix, per_s) in WORKLOADS.items():
            known.owner.shop.command("profile", 2)
            with known.in_use(mix, per_s=per_s):
                ran = mirror(known, results, SECONDS, name=name)
            known.owner.shop.command("profile", 0)
            assert ran.code == 0, ran.out + ran.err
            shorten(results / f"{name}.yaml")
    for name in WORKLOADS:
        ran = harness("run", results / f"{name}.yaml", "--results", results, "--new", "--plain")
        assert ran.code in {0, 1}, ran.out + ran.err


def shorten(campaign: Path) -> None:
    """The same campaign in less time."""
    spec = yaml.safe_load(campaign.read_text(encoding="utf-8"))
    spec["arms"] = {name: spec["arms"][name] for name in ARMS}
    spec["workloads"]["mirror"] |= {"measure_s": MEASURED_S, "warmup_operations": WARM_UP}
    spec["blocks"] = BLOCKS
    spec["instance"] = {"port": PORT + 1}
    campaign.write_text(yaml.safe_dump(spec, sort_keys=False), encoding="utf-8")


def lines(results: Path) -> Iterator[str]:
    """What each campaign says, and by which figures."""
    for name in WORKLOADS:
        found = pressgauge.open_run(results / f"{name}/latest")
        decision, arms = found.decision, list(found.campaign.arms)
        yield f"{name}: {decision.recommendations[0].sentence}"
        yield from (f"- {reason}" for reason in decision.recommendations[0].reasons)
        state = decision.fidelity.state if decision.fidelity else None
        yield f"{decision.counts.trials} trials, {decision.counts.void} void, {decision.counts.blocks} blocks; {state}"
        yield ""
        yield f"| {name} | {' | '.join(arms)} |"
        yield f"|---|{'---:|' * len(arms)}"
        for metric, label in METRICS.items():
            yield f"| {label} | {cells(decision, arms, metric)} |"
        yield ""


if __name__ == "__main__":
    show(__doc__, run, lines)
