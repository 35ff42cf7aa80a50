"""Small real objects for the harness's tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from analysis.decide.decision import decide
from analysis.stats.criteria import Criteria
from analysis.trial.records import Cell, Compressor, Settings, TrialRecord
from harness.ledger.ledger import DECISION_FILE, HOST_FILE, SPEC_FILE, VERSIONS_FILE
from harness.plan.told import Surveyed
from tests.analysis.synthetic import SNAPPY, ZSTD, Noise, campaign
from tests.campaigns import small
from tests.reports.sample import HOST

if TYPE_CHECKING:
    from pathlib import Path


def record(index: int = 0, arm: str = "snappy", **changes: object) -> TrialRecord:
    """A record without phases."""
    plain = TrialRecord(
        trial=f"{index:03d}-0-{arm}",
        index=index,
        block=0,
        cell=Cell(engine="6.0.5", arm=arm, dataset="sentences"),
        seed=1,
        started_at="2026-01-01T00:00:00+00:00",
        ended_at="2026-01-01T00:01:00+00:00",
        steps_s={"total": 60.0},
        asked=Settings(block_compressor=Compressor(arm), cache_size_bytes=2**30),
        in_force=None,
        corpus="0" * 64,
        sizes=(),
        phases=(),
        verification=None,
        artefacts=(),
    )
    return plain.model_copy(update=changes)


def surveyed(**changes: Any) -> Surveyed:
    """A host that neither runs mongods nor clients; a change that is no answer of the module's is one of the survey."""
    told: dict[str, Any] = {
        "database": False,
        "database_number": 0,
        "client_processes": 0,
        "client_number": 0,
        "platform": "",
        "address": "10.0.0.9",
        "writable": True,
        "busy_ports": [],
        "links": {},
    }
    survey = {
        "hostname": "host",
        "memory_total_bytes": 2**34,
        "cgroup_for_memory_limits": "/sys/fs/cgroup/x",
        "data": {"path": "/srv/data", "free_bytes": 2**40},
    }
    survey |= {name: value for name, value in changes.items() if name not in told}
    changed = {name: value for name, value in changes.items() if name in told}
    return Surveyed.model_validate(told | changed | {"survey": survey})


def keep_run(results: Path, day: int, *, engine: str = "6.0.5", kernel: str = "6.1", slower: float = 1.0) -> Path:
    """A run of the campaign `nightly` as it lies in a results folder, without its trials."""
    folder = results / f"nightly/202601{day:02d}T000000Z"
    (folder / "report").mkdir(parents=True)
    arms = {"snappy": {"block_compressor": "snappy"}, "zstd-6": {"block_compressor": "zstd", "zstd_level": 6}}
    small(folder / SPEC_FILE, 27999, engines={engine: {"source": "pypi", "version": engine}}, arms=arms)
    (folder / HOST_FILE).write_text(json.dumps({"localhost": HOST | {"kernel": kernel}}))
    (folder / VERSIONS_FILE).write_text(json.dumps({"Pressgauge": "abc"}))
    made = (SNAPPY, ZSTD.scaled("zstd-6", slower, zstd_level=6))
    decision = decide(
        campaign(arms=made, engines=(engine,), blocks=2, noise=Noise(0.01, 0.01), seed=day), Criteria(baseline="snappy")
    )
    (folder / DECISION_FILE).write_text(decision.model_dump_json())
    return folder
