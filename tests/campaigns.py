"""Small real campaigns for the tests that run mongods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from pathlib import Path


def small(path: Path, port: int, **changes: Any) -> Path:
    """A one-arm campaign of seconds, written to `path`; `changes` replace whole sections of the spec."""
    spec: dict[str, Any] = {
        "question": "a test",
        "seed": 5,
        "blocks": 1,
        "engines": {"6.0.5": {"source": "pypi", "version": "6.0.5"}},
        "arms": {"snappy": {"block_compressor": "snappy"}},
        "datasets": {"sentences": {"recipe": "faker-sentences", "sentences": 1000}},
        "records": 2000,
        "cache_size": "256MiB",
        "load": {"threads": 2, "batch": 100, "warmup_s": 0},
        "workloads": {"rmw": {"threads": 2, "warmup_s": 1, "measure_s": 2}},
        "limits": {"attempts": 1},
        "instance": {"port": port},
        "decision": {"baseline": "snappy"},
    }
    path.write_text(yaml.safe_dump(spec | changes, sort_keys=False), encoding="utf-8")
    return path
