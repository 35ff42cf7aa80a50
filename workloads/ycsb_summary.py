"""YCSB's summary of a phase (`<phase>.summary.json`), as its JSONArrayMeasurementsExporter writes it.

It covers the whole phase, warm-up and failed operations included: good for counts and statuses. Latencies and
rates that count come from the interval logs.
"""

import json
import math
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.stored import read_stored
from workloads.errors import YcsbOutputError

_LARGEST_FILE_BYTES = 16 * 2**20
_PERCENTILE = re.compile(r"(\d{1,3}(?:\.\d{1,9})?)(?:st|nd|rd|th)?PercentileLatency\(us\)")
_OK = frozenset({"OK", "BATCHED_OK"})

_Figures = dict[str, float | None]


@dataclass(frozen=True)
class OperationSummary:
    """One operation over the whole phase; its latencies in microseconds, None where nothing succeeded."""

    operations: int
    """With a latency: YCSB counts those that failed under `…-FAILED`, and by status."""
    statuses: dict[str, int]
    mean_us: float | None
    min_us: float | None
    max_us: float | None
    percentiles_us: dict[float, float]

    @property
    def failed(self) -> int:
        """Operations that returned anything but OK."""
        return sum(count for status, count in self.statuses.items() if status not in _OK)


@dataclass(frozen=True)
class Summary:
    """A phase as YCSB sums it up; `operations` by name, with series of their own for `Intended-…` and `…-FAILED`."""

    run_time_s: float
    throughput_per_s: float | None
    gc_count: int | None
    gc_time_s: float | None
    operations: dict[str, OperationSummary]


def read_summary(path: Path) -> Summary:
    """Read a summary. Raises YcsbOutputError if it is missing, cut off or not YCSB's."""
    try:
        rows = json.loads(read_stored(path, _LARGEST_FILE_BYTES))
    except OSError as error:
        raise _fault(path, f"cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise _fault(path, f"cut off or damaged ({error})") from None
    metrics = _metrics(path, rows)
    run_time_ms = metrics["OVERALL"].get("RunTime(ms)")
    if run_time_ms is None:
        raise _fault(path, "lacks the overall run time")
    gc_time_ms = metrics["TOTAL_GC_TIME"].get("Time(ms)")
    return Summary(
        run_time_s=run_time_ms / 1000,
        throughput_per_s=metrics["OVERALL"].get("Throughput(ops/sec)"),
        gc_count=_whole(metrics["TOTAL_GCs"].get("Count")),
        gc_time_s=None if gc_time_ms is None else gc_time_ms / 1000,
        operations={name: _operation(figures) for name, figures in metrics.items() if "Operations" in figures},
    )


def _metrics(path: Path, rows: Any) -> defaultdict[str, _Figures]:
    """Sort rows of (metric, measurement, value) by metric."""
    metrics: defaultdict[str, _Figures] = defaultdict(dict)
    if not isinstance(rows, list):
        raise _fault(path, "not a JSON array")
    for number, row in enumerate(rows, 1):
        match row:
            case {"metric": str(metric), "measurement": str(measurement), "value": int() | float() | str() as value}:
                metrics[metric][measurement] = _figure(value)
            case _:
                raise _fault(path, f"row {number} is no measurement")
    return metrics


def _figure(value: float | str) -> float | None:
    """Give a figure, or None for what YCSB writes where it has none: "NaN", or the largest 64-bit number."""
    if isinstance(value, str) or not 0 <= value < 2**63 - 1 or math.isnan(value):
        return None
    return value


def _operation(figures: _Figures) -> OperationSummary:
    operations = _whole(figures["Operations"]) or 0
    # of no operations YCSB writes 0, "NaN" or the largest number, as its version of HdrHistogram has it
    latencies = figures if operations else {}
    return OperationSummary(
        operations=operations,
        statuses={
            name.removeprefix("Return="): _whole(value) or 0
            for name, value in figures.items()
            if name.startswith("Return=")
        },
        mean_us=latencies.get("AverageLatency(us)"),
        min_us=latencies.get("MinLatency(us)"),
        max_us=latencies.get("MaxLatency(us)"),
        percentiles_us={
            float(match[1]): value
            for name, value in latencies.items()
            if (match := _PERCENTILE.fullmatch(name)) and value is not None
        },
    )


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _fault(path: Path, why: str) -> YcsbOutputError:
    return YcsbOutputError(f"YCSB summary {path}: {why}; see the client's status log beside it and run again")
