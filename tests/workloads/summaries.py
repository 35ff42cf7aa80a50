"""YCSB's own summaries of the recorded phases."""

import json
from pathlib import Path

RECORDED = Path(__file__).parent / "recorded"


def summary_of(phase: str, series: str) -> dict[str, float]:
    """What YCSB says of one series of a phase, by the measurement's name."""
    rows = json.loads((RECORDED / f"{phase}.summary.json").read_text())
    return {row["measurement"]: row["value"] for row in rows if row["metric"] == series}
