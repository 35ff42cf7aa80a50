"""`results/index.html`: every run below a results folder that has a report, from what each run's folder holds."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pydantic import ValidationError

from analysis.decision import Decision
from harness.ledger import HOST_FILE
from reports import RunSummary, write_index

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RUN_ID_FORMAT = "%Y%m%dT%H%M%SZ"


def write_results_index(results: Path) -> None:
    """Write the index over all runs; a decision of an unknown version is left out, its report still opens."""
    write_index(list(_summaries(results)), results / "index.html")


def _summaries(results: Path) -> Iterator[RunSummary]:
    for path in sorted(results.glob("*/*/report/decision.json")):
        folder = path.parent.parent
        if folder.is_symlink():  # `latest` is one of the others
            continue
        try:
            decision = Decision.model_validate_json(path.read_bytes())
            hosts = json.loads((folder / HOST_FILE).read_text(encoding="utf-8"))
            began = datetime.strptime(folder.name, RUN_ID_FORMAT).replace(tzinfo=UTC)
        except (OSError, ValueError, ValidationError):
            continue
        yield RunSummary(
            campaign=folder.parent.name,
            run_id=folder.name,
            started_at=began.isoformat(),
            host=", ".join(f"{host}: {survey.get('cpu_model')}" for host, survey in hosts.items()),
            engines=tuple(dict.fromkeys(one.choice.group.engine or "several" for one in decision.recommendations)),
            decision=decision,
            link=f"{folder.relative_to(results)}/report/index.html",
        )
