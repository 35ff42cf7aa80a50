"""Made-up trial records with realistic figures and known truths, for the tests of the analysis and of the reports.

A figure is its arm's true value × a factor common to the block × a log-normal residual of its own. Sizes scatter by
allocation units, and by as much as `Noise.load` says.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from hdrh.histogram import HdrHistogram

from analysis.trial.records import (
    Artefact,
    Cell,
    Compressor,
    Cost,
    InForce,
    Latency,
    Phase,
    Reason,
    Settings,
    Sizes,
    TrialRecord,
    Verification,
    Window,
)

DOCUMENTS = 100_000
DOCUMENT_BYTES = 1_140
PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9, 99.99)


@dataclass(frozen=True)
class Arm:
    """An arm's true values. Rates are per second, CPU and latency in microseconds."""

    name: str
    compressor: Compressor
    ratio: float
    insert_per_s: float
    rmw_per_s: float
    rmw_cpu_us: float
    rmw_p99_us: float
    zstd_level: int | None = None

    def called(self, name: str) -> Arm:
        """The same settings and values under another name (an A/A arm)."""
        return replace(self, name=name)

    def scaled(self, name: str, factor: float, zstd_level: int = 1) -> Arm:
        """Another arm whose every rate is `factor` times as high, and every cost and latency as low."""
        return replace(
            self,
            name=name,
            compressor=Compressor.ZSTD,
            zstd_level=zstd_level,
            ratio=self.ratio * factor,
            insert_per_s=self.insert_per_s * factor,
            rmw_per_s=self.rmw_per_s * factor,
            rmw_cpu_us=self.rmw_cpu_us / factor,
            rmw_p99_us=self.rmw_p99_us / factor,
        )


NONE = Arm("none", Compressor.NONE, 0.976, 7_100, 3_400, 300, 5_500)
SNAPPY = Arm("snappy", Compressor.SNAPPY, 1.56, 7_100, 3_050, 335, 7_600)
ZSTD = Arm("zstd-6", Compressor.ZSTD, 2.42, 6_650, 2_450, 530, 14_900, zstd_level=6)
ZLIB = Arm("zlib", Compressor.ZLIB, 2.45, 6_800, 1_800, 840, 16_100)
ARTICLE = (NONE, SNAPPY, ZSTD, ZLIB)
"""Measured on mongod 6.0.5 with Faker text, rounded."""


@dataclass(frozen=True)
class Noise:
    """How figures scatter, as standard deviations of logarithms, and how often a trial stalls to half its speed."""

    residual: float = 0.03
    block: float = 0.25
    stall_probability: float = 0.0
    load: float = 0.0
    """Of stored sizes, from load to load; real ones scatter by 0.011 to 0.028."""


QUIET = Noise(residual=0.002)


def campaign(
    *,
    arms: Sequence[Arm] = ARTICLE,
    blocks: int = 3,
    engines: Sequence[str] = ("6.0.5",),
    platforms: Sequence[str] = ("",),
    datasets: Sequence[str] = ("sentences",),
    workloads: Sequence[str] = ("rmw",),
    noise: Noise = Noise(),
    void: Collection[tuple[int, str]] = (),
    missing: Collection[tuple[int, str]] = (),
    seed: int = 1,
    documents: int = DOCUMENTS,
) -> list[TrialRecord]:
    """The records of a whole campaign in plan order; `void` and `missing` name (block, arm)."""
    rng = np.random.default_rng(seed)
    records: list[TrialRecord] = []
    for block in range(blocks):
        common = float(np.exp(rng.normal(0, noise.block)))
        cells = [(engine, dataset, arm) for engine in engines for dataset in datasets for arm in arms]
        order = [(platform, *cells[place]) for platform in platforms for place in rng.permutation(len(cells))]
        for platform, engine, dataset, arm in order:
            stall = 0.5 if rng.random() < noise.stall_probability else 1.0

            def draw(value: float, power: float, common: float = common * stall) -> float:
                return float(value * common**power * np.exp(rng.normal(0, noise.residual)))

            if (block, arm.name) in missing:
                continue
            cell = Cell(engine=engine, arm=arm.name, dataset=dataset, platform=platform)
            stored = replace(arm, ratio=arm.ratio * float(np.exp(rng.normal(0, noise.load)))) if noise.load else arm
            record = trial(stored, block, len(records), cell, draw, workloads=workloads, documents=documents, rng=rng)
            if (block, arm.name) in void:
                record = voided(record)
            records.append(record)
    return records


def voided(record: TrialRecord) -> TrialRecord:
    """The record with a reason not to count it."""
    reason = Reason(code="compressor-mismatch", message=f"{record.trial}: asked for zstd, in force is snappy")
    return record.model_copy(update={"void": (reason,)})


Draw = Callable[[float, float], float]


def trial(
    arm: Arm,
    block: int,
    index: int,
    cell: Cell,
    draw: Draw,
    *,
    workloads: Sequence[str],
    documents: int,
    rng: np.random.Generator,
) -> TrialRecord:
    """One trial. `draw(value, power)` scatters a value that goes with the block's speed to that power."""
    data_bytes = documents * DOCUMENT_BYTES
    stored = int(data_bytes / arm.ratio // 4096 + rng.integers(-2, 3)) * 4096
    load = phase("load", "INSERT", draw(arm.insert_per_s, 1), draw(1_900, -1), draw(125, -0.1), documents)
    runs = [
        phase(name, "READ-MODIFY-WRITE" if name == "rmw" else "READ", draw(arm.rmw_per_s, 1),
              draw(arm.rmw_p99_us, -1), draw(arm.rmw_cpu_us, -0.1), 3 * documents)
        for name in workloads
    ]  # fmt: skip
    acknowledged = sum(run.acknowledged for run in runs)
    return TrialRecord(
        trial=f"{index:03d}-{block}-{arm.name}",
        index=index,
        block=block,
        cell=cell,
        seed=7,
        started_at=f"2026-01-01T{block % 24:02d}:{index % 60:02d}:00Z",
        ended_at=f"2026-01-01T{block % 24:02d}:{index % 60:02d}:59Z",
        steps_s={"start": 1.2, "load": load.measured_s, "verify": 2.0, "total": load.measured_s + 30},
        asked=Settings(
            block_compressor=arm.compressor, zstd_level=arm.zstd_level, cache_size_bytes=2**30,
        ),
        in_force=InForce(
            version=cell.engine, git_version="0" * 40, feature_compatibility_version="6.0",
            block_compressor=arm.compressor.value, zstd_level=arm.zstd_level or 6, zlib_level=None,
            opening_config="create,cache_size=1024M", journal_compressor="snappy",
            cache_size_bytes=2**30, leaf_page_max="32KB",
            creation_string=f"access_pattern_hint=none,block_compressor={arm.compressor.value},leaf_page_max=32KB",
            sync_period_s=60, write_concern='{"w": 1, "j": false}',
        ),
        corpus="ab" * 32,
        expected_ratio=round(arm.ratio * 1.06, 3),
        sizes=(
            sizes("loaded", documents, data_bytes, stored),
            *(sizes(f"after-{run.name}", documents, data_bytes, int(stored * 1.12) // 4096 * 4096) for run in runs),
        ),
        phases=(load, *runs),
        verification=Verification(
            expected=documents, counted=documents, checked=documents, missing=0, altered=0, surplus=0,
            version_sum=acknowledged, content_hash="cd" * 32,
        ),
        artefacts=(Artefact(path="mongod.log", size_bytes=120_000, blake3="ef" * 32),),
    )  # fmt: skip


def sizes(moment: str, documents: int, data_bytes: int, stored: int) -> Sizes:
    """Sizes at one moment, for a collection file of `stored` bytes."""
    index = documents * 34 // 4096 * 4096
    return Sizes(
        moment=moment, documents=documents, data_size_bytes=data_bytes, storage_size_bytes=stored,
        free_storage_size_bytes=stored // 50 // 4096 * 4096, index_size_bytes=index,
        free_index_size_bytes=0,
        files_bytes={"collection": stored, "index": index, "history_store": 4096, "journal": 100 * 2**20},
    )  # fmt: skip


def phase(name: str, operation: str, per_s: float, p99_us: float, cpu_us: float, operations: int) -> Phase:
    """A phase of so many acknowledged operations, a tenth of them in the warm-up."""
    measured = operations - operations // 10
    duration = measured / per_s
    seconds = max(1, round(operations / per_s))
    begun, closing_s = duration // 60, 0.2
    return Phase(
        name=name,
        kind="load" if name == "load" else "run",
        operation=operation,
        warmup_s=duration / 9,
        measured_s=duration,
        measured_operations=measured,
        throughput_per_s=per_s,
        series_per_s=tuple(per_s * (0.8 if second % 15 == 14 else 1.0) for second in range(seconds)),
        p99_series_us=tuple(p99_us * (3.0 if second % 15 == 14 else 1.0) for second in range(seconds)),
        acknowledged=operations,
        failed=0,
        statuses={operation: {"OK": operations}},
        latencies=(latency(operation, p99_us, measured),),
        cost=Cost(
            mongod_cpu_s=operations * cpu_us / 1e6,
            closing_cpu_s=closing_s,
            client_cpu_s=operations * 120 / 1e6,
            disk_read_bytes=0,
            disk_written_bytes=operations * 2_400,
        ),
        counters={"cache.modified_pages_evicted_by_application_threads": 12.0, "log.bytes_written": None},
        target_per_s=None,
        client_cpu_share=0.4,
        client_gc_pause_s=0.05,
        window=Window(
            client_cpu_s=measured * 120 / 1e6,
            mongod_cpu_s=measured * cpu_us / 1e6 - (duration / 60 - begun) * closing_s,
            host_cpu_s=measured * (cpu_us + 120) / 1e6,
            host_idle_s=duration,
            pages_read=0,
            disk_read_bytes=0,
            checkpoints=begun,
        ),
    )


def latency(operation: str, p99_us: float, count: int) -> Latency:
    """A log-normal distribution with this p99."""
    scale = float(f"{p99_us:.3g}")
    values, histogram = _distribution(scale)
    p50, p90, p95, p99, p999, p9999 = (value * p99_us / scale for value in values)
    return Latency(
        operation=operation, kind="actual", count=count, mean_us=p50 * 1.2, p50_us=p50, p90_us=p90, p95_us=p95,
        p99_us=p99, p999_us=p999, p9999_us=p9999, max_us=p9999 * 1.5, histogram=histogram,
    )  # fmt: skip


@lru_cache(maxsize=4096)
def _distribution(p99_us: float) -> tuple[tuple[float, ...], str]:
    sigma = 0.9
    histogram = HdrHistogram(1, 3_600_000_000, 3)
    for z in np.linspace(-3.5, 3.9, 150):
        histogram.record_value(int(p99_us * np.exp(sigma * (z - 2.3263))) + 1, int(20_000 * np.exp(-z * z / 2)) + 1)
    at = np.array([0.0, 1.2816, 1.6449, 2.3263, 3.0902, 3.7190])
    return tuple(float(v) for v in p99_us * np.exp(sigma * (at - 2.3263))), histogram.encode().decode()
