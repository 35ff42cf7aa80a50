"""Tables of finished text: behind every chart, and in the page."""

from __future__ import annotations

from dataclasses import dataclass

ABSENT = "–"
"""Shown where there is no figure; never 0."""


@dataclass(frozen=True)
class Table:
    """Rows of finished text. The first `labels` columns name the row; the others hold figures, set to the right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int = 1
