"""Small real objects for the harness's tests."""

from __future__ import annotations

from analysis.records import Cell, Compressor, Settings, TrialRecord


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
