"""Runs for the tests of the report, around synthetic records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.decide.decision import decide_study
from analysis.decide.study import study
from analysis.stats.criteria import Constraint, Criteria
from analysis.trial.engine.counters import COUNTERS
from analysis.trial.records import Cell, TrialRecord, Turn
from reports import Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.trial.records import Phase

CRITERIA = Criteria(
    baseline="snappy",
    constraints=(
        Constraint(metric="rmw.throughput", at_least=0.7),
        Constraint(metric="rmw.p99", at_most=2.5),
    ),
)

HOST = {
    "format_version": 1, "hostname": "bench-1", "architecture": "x86_64", "kernel": "6.1.0-18-amd64",
    "os": "Debian GNU/Linux 12 (bookworm)", "cpu_model": "Example CPU @ 3.0GHz", "cores": 2, "cores_allowed": 2,
    "steal_share": 0.0012, "load_average": [0.1, 0.2, 0.3], "memory_total_bytes": 24 * 2**30, "swap_total_bytes": 0,
    "thp_enabled": "always", "frequency_governor": None,
    "data": {"path": "/var/lib/pressgauge", "filesystem": "ext4", "free_bytes": 90 * 2**30, "rotational": False},
}  # fmt: skip

MANIFEST = {
    "format_version": 1, "recipe": "faker-sentences", "parameters": {"count": 10_000}, "seed": 20220215,
    "faker_version": "40.1.0", "locales": ["en_US"], "units": 10_000, "bytes": 1_234_567, "digest": "ab" * 32,
}  # fmt: skip


def run(records: Sequence[TrialRecord], **changes: Any) -> Run:
    """A run of these records; what it was planned from follows from them unless it is given."""
    names: dict[str, dict[str, None]] = {"arm": {}, "engine": {}, "dataset": {}, "platform": {}}
    for record in sorted(records, key=lambda record: record.index):
        for factor, found in names.items():
            found[getattr(record.cell, factor)] = None
    arms: list[str] = [arm for arm in ("none", "snappy", "zlib", "zstd-6") if arm in names["arm"]]
    arms += [arm for arm in names["arm"] if arm not in arms]
    engines, datasets = tuple(names["engine"]) or ("6.0.5",), tuple(names["dataset"]) or ("sentences",)
    blocks = sorted({record.block for record in records})
    planned = [  # unchecked: the page must be safe from names that no reader lets through
        (block, Cell.model_construct(engine=engine, arm=arm, dataset=dataset, platform=platform))
        for block in blocks for platform in names["platform"] for engine in engines for dataset in datasets
        for arm in changes.get("arms", arms)
    ]  # fmt: skip
    judged = study(records, changes.pop("criteria", CRITERIA))
    question = changes.pop("question", "Which block compressor should a text workload run?")
    known: dict[str, Any] = {
        "campaign": "quick",
        "run_id": "20260101T000000Z",
        "spec_text": "question: Which block compressor should a text workload run?\nblocks: 3\n",
        "command": "make run-campaign CAMPAIGN=quick",
        "records": tuple(records),
        "decision": decide_study(judged, question, changes.get("moved", ())),
        "measured": judged.measurements,
        "planned_trials": tuple(planned),
        "arms": tuple(arms),
        "engines": engines,
        "datasets": datasets,
        "platforms": tuple(names["platform"]) or ("",),
        "hosts": {"localhost": HOST},
        "manifests": dict.fromkeys(datasets, MANIFEST),
        "versions": {"Pressgauge": "0.1.0", "mongod": "6.0.5", "YCSB core": "0.17.0"},
        "findings": {
            "localhost": [
                ("transparent huge pages", "always", "warn", "set them to madvise"),
                ("swap", "none", "good", ""),
            ]
        },
        "moved": (),
        "time_series": {},
    }
    return Run(**(known | changes))


TURN_S, CUT_S = 4.0, 0.6


def in_turns(records: Sequence[TrialRecord], rounds: int = 8, scatter: float = 0.15) -> list[TrialRecord]:
    """The records as of trials that took turns, a block's arms in rotating order; rates scatter from turn to turn.

    Round 0 is a warm-up. One pause in eight let a tick of the clock through.
    """
    rng = np.random.default_rng(5)
    blocks: dict[int, list[TrialRecord]] = {}
    for record in records:
        blocks.setdefault(record.block, []).append(record)

    def turn(phase: Phase, began_s: float, beside: int, place: int, round_: int) -> Turn:
        assert phase.window is not None
        assert phase.window.mongod_cpu_s is not None
        measured_s = TURN_S - CUT_S
        operations = int(phase.throughput_per_s * float(np.exp(rng.normal(0, scatter))) * measured_s)
        cpu_s = operations * phase.window.mongod_cpu_s / phase.measured_operations
        behind = round_ * beside + (place + round_) % beside
        return Turn(
            round=round_, started_at_s=began_s + behind * TURN_S + CUT_S, measured_s=measured_s,
            operations=operations, mongod_cpu_s=cpu_s, frozen_cpu_s=0.0 if behind % 8 else 0.01,
        )  # fmt: skip

    def taken(record: TrialRecord, beside: int, place: int) -> TrialRecord:
        phases = []
        for number, phase in enumerate(record.phases):
            began_s = 1.8e9 + 10_000 * record.block + 1_000 * number
            turns = tuple(turn(phase, began_s, beside, place, round_) for round_ in range(1, rounds + 1))
            phases.append(phase.model_copy(update={"turns": turns}))
        return record.model_copy(update={"sharing": beside, "phases": tuple(phases)})

    return [taken(record, len(block), place) for block in blocks.values() for place, record in enumerate(block)]


def with_counters(records: Sequence[TrialRecord]) -> list[TrialRecord]:
    """The records with a figure for every counter but the last."""
    moved = {counter.key: 1000.0 * (place + 1) for place, counter in enumerate(COUNTERS[:-1])}
    return [
        record.model_copy(
            update={"phases": tuple(phase.model_copy(update={"counters": moved}) for phase in record.phases)}
        )
        for record in records
    ]
