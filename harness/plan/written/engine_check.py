"""The campaign by which a mongod that somebody has is checked: everything that is asked of one, at smoke size. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from analysis.trial.engine.counters import release

if TYPE_CHECKING:
    from pathlib import Path

NAME = "check-engine"
_LEVELS_SINCE = (5, 0)


def campaign_text(mongod: Path, version: str) -> str:
    """A spec with each compressor and, divided among the arms, the settings that a server is asked for."""
    level = ", zstd_level: 3" if release(version) >= _LEVELS_SINCE else ""
    return f"""\
# Made by check-engine. Its figures mean nothing.
question: Does this mongod do what it is asked to?
seed: 1
blocks: 1
engines:
  mongod: {{source: binary, version: {version}, path: {json.dumps(str(mongod), ensure_ascii=False)}}}
arms:
  none:
    {{block_compressor: none, journal_compressor: none, allocation_size: 8KiB, internal_page_max: 16KiB,
      journal_commit_interval_ms: 30, connection: {{compressors: none}}}}
  snappy:
    {{block_compressor: snappy, leaf_page_max: 16KiB, memory_page_image_max: 32KiB, memory_page_max: 2MiB,
      sync_period_s: 20, connection: {{compressors: snappy}}}}
  zlib:
    {{block_compressor: zlib, zlib_level: 2, journal_compressor: zlib, collection_config: "split_pct=80",
      index_leaf_page_max: 8KiB, index_prefix_compression: true, eviction: {{dirty_target: 4, threads_max: 5}},
      connection: {{compressors: zlib, zlib_level: 1}}}}
  zstd:
    {{block_compressor: zstd, journal_compressor: zstd, connection: {{compressors: zstd}},
      engine_config: "eviction=(threads_max=8)", parameters: {{ttlMonitorEnabled: false}}{level}}}
datasets:
  sentences: {{recipe: faker-sentences, sentences: 1000}}
records: 2000
cache_size: 256MiB
turns: {{seconds: 1, cut_s: 0.2}}
load: {{threads: 2, warmup_s: 0}}
workloads:
  rmw: {{threads: 2, warmup_s: 0, measure_s: null, operations: 2000}}
instance: {{port: 27217}}
limits: {{attempts: 1}}
decision:
  baseline: snappy
"""
