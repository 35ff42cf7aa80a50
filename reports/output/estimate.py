"""The page of an estimate: what each setting would take as a heatmap, the whole collection, and how to get there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.estimate.records import smallest
from core.files import write_whole
from core.sizes import show_size
from reports.estimate_texts import (
    KIB,
    ONLY_SIZES,
    best_sentence,
    codec_name,
    dictionary_sentence,
    interval,
    lines,
    pages_name,
    steps,
    today,
)
from reports.output.environment import environment
from reports.output.heat import shade
from reports.output.rendering import script_policy
from reports.plain import plain
from reports.theme import STATIC

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from analysis.estimate.records import Estimate, Row


@dataclass(frozen=True)
class Cell:
    """One setting in the heatmap."""

    text: str
    interval: str
    change: str
    shade: int
    """From 0, the least storage, to 5."""
    best: bool
    default: bool


@dataclass(frozen=True)
class Line:
    """One compressor and level in the heatmap."""

    name: str
    cells: tuple[Cell, ...]
    cpu: str


def write(estimate: Estimate, path: Path) -> None:
    """See `reports.write_estimate`."""
    columns = list(dict.fromkeys((row.leaf_page_max, row.memory_page_image_max) for row in estimate.rows))
    values = [row.storage_bytes_per_document.value for row in estimate.rows]
    codecs = list(dict.fromkeys(map(codec_name, estimate.rows)))
    text = (
        environment()
        .get_template("estimate.html")
        .render(
            estimate=plain(estimate),
            columns=[pages_name(_row(estimate.rows, codecs[0], column)) for column in columns],
            lines=plain([_line(estimate.rows, codec, columns, values) for codec in codecs]),
            headline=f"{codec_name(smallest(estimate.rows))}, pages of {pages_name(smallest(estimate.rows))}",
            best=best_sentence(estimate),
            whole=_whole(estimate),
            dictionary=dictionary_sentence(estimate.dictionary, "") if estimate.dictionary else "",
            only_sizes=ONLY_SIZES,
            steps=steps(estimate),
            facts=next(lines(estimate)),
            rows=plain([_details(row) for row in estimate.rows]),
            indexes=[(one.name, show_size(one.bytes)) for one in estimate.indexes],
            css=(STATIC / "report.css").read_text(encoding="utf-8"),
            policy=script_policy(""),
        )
    )
    write_whole(path, text)


def _row(rows: Sequence[Row], codec: str, sizes: tuple[int, int]) -> Row:
    of_codec = (row for row in rows if codec_name(row) == codec)
    return next(row for row in of_codec if (row.leaf_page_max, row.memory_page_image_max) == sizes)


def _line(rows: Sequence[Row], codec: str, columns: Sequence[tuple[int, int]], values: Sequence[float]) -> Line:
    found = [_row(rows, codec, column) for column in columns]
    even = next(row for row in found if row.leaf_page_max == row.memory_page_image_max)
    cpu = "" if even.load_cpu_s_per_gb is None else f"{even.load_cpu_s_per_gb:.0f} s"
    return Line(codec, tuple(_cell(row, rows, values) for row in found), cpu)


def _cell(row: Row, rows: Sequence[Row], values: Sequence[float]) -> Cell:
    each, now = row.storage_bytes_per_document, today(rows).storage_bytes_per_document.value
    return Cell(
        text=f"{each.value:,.1f}",
        interval=interval(each),
        change=f"{100 * (each.value / now - 1):+.0f} %".replace("-", "−"),
        shade=shade(each.value, min(values), max(values)),
        best=row == smallest(rows),
        default=row.default,
    )


def _whole(estimate: Estimate) -> str:
    """What the collection takes under the engine's default and under the smallest setting."""
    parts = []
    for row in (today(estimate.rows), smallest(estimate.rows)):
        paid = row.monthly_cost
        cost = f", {paid.value:,.2f} {estimate.price.currency} a month" if paid and estimate.price else ""
        size = row.storage_bytes
        parts.append(
            f"{codec_name(row)}, pages of {pages_name(row)}: {show_size(size.value)} ({show_size(size.low)} to "
            f"{show_size(size.high)}){cost}"
        )
    return ". ".join(dict.fromkeys(parts)) + "."


def _details(row: Row) -> list[str]:
    paid = row.monthly_cost
    cost = f"{paid.value:,.2f} ({paid.low:,.2f} to {paid.high:,.2f})" if paid else ""
    return [
        f"{codec_name(row)}, {pages_name(row)}",
        show_size(row.storage_bytes.value),
        f"{show_size(row.storage_bytes.low)} to {show_size(row.storage_bytes.high)}",
        cost,
        f"{row.page_memory_bytes / KIB:.0f} KiB on {row.page_disk_bytes / KIB:.0f} KiB",
        row.config,
    ]
