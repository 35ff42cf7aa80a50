"""The campaign that measures what an estimate's settings cost: a spec as text. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.estimate.records import smallest
from core.sizes import exact_size
from core.text import flow, one_line
from harness.plan.estimating import OWN_IMAGE
from harness.plan.written.allowed_cost import allowed_cost, as_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from analysis.estimate.records import Estimate, Row

_LOADED_BYTES = 100_000_000


def campaign_text(estimate: Estimate, data: Path, update: Sequence[str]) -> str:
    """A spec with the engine's defaults, and what takes the least storage, of each compressor.

    Its documents are those of `data`, the source that was estimated; `update` are paths that it may write, and where
    there are none, it reads.
    """
    each = max(1, estimate.source.bytes // max(1, estimate.source.documents))
    arms = "\n".join(f"  {name}: {{{keys}}}" for name, keys in _arms(estimate))
    workload = "rmw" if update else "read"
    return f"""\
# What the settings cost in throughput and latency that an estimate for {one_line(estimate.source.name)} found.
# `update` are the paths that are written: name those that your application writes.
question: What do the estimate's settings cost?
engines:
  {estimate.engine}: {{source: pypi, version: {estimate.engine}}}
arms:
{arms}
datasets:
  documents:
    recipe: documents
    path: {flow(str(data))}
    update: {flow(list(update))}
records: {max(1000, _LOADED_BYTES // each)}
cache_size: 512MiB
blocks: 4
turns: {{seconds: 2, cut_s: 0.4}}
load: {{threads: 4, warmup_s: 2}}
workloads:
  {workload}: {{threads: 4, warmup_s: 2, measure_s: 11}}
decision:
  baseline: snappy
  objective: storage
{as_yaml(allowed_cost(workload, at_a_rate=False))}
"""


def _arms(estimate: Estimate) -> Iterator[tuple[str, str]]:
    """The baseline first, then each compressor's default and its smallest setting."""
    compressors = dict.fromkeys(row.compressor for row in estimate.rows)
    for compressor in sorted(compressors, key=lambda one: one != "snappy"):
        rows = [row for row in estimate.rows if row.compressor == compressor]
        default = next(row for row in rows if row.default)
        least = smallest(rows)
        yield compressor, f"block_compressor: {compressor}"
        if least != default:
            yield f"{compressor}-smallest", ", ".join(_keys(least, default))


def _keys(row: Row, default: Row) -> Iterator[str]:
    yield f"block_compressor: {row.compressor}"
    if row.level != default.level:
        yield f"{row.compressor}_level: {row.level}"
    if row.leaf_page_max != default.leaf_page_max:
        yield f"leaf_page_max: {exact_size(row.leaf_page_max)}"
    if row.memory_page_image_max != OWN_IMAGE * row.leaf_page_max:
        yield f"memory_page_image_max: {exact_size(row.memory_page_image_max)}"
