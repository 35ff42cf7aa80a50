"""Writes a run's report folder: page, Markdown, figures, tables and decision. Offline."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import vl_convert

from core.files import refuse_links, write_whole
from reports.material import Material
from reports.output.bundle import vega_bundle
from reports.output.rendering import render, script_policy
from reports.output.sheets import csv_text, numbered
from reports.page.context import page
from reports.plain import plain
from reports.theme import CONFIG, STATIC, with_light_colours

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from reports.charts.base import Chart
    from reports.page.context import Page
    from reports.run import Run

_FIGURES = "figures"
_FIGURE_WIDTH_PX = 680
_PNG_SCALE = 2
_TALLEST_PX = 8000


def write(run: Run, folder: Path, template_dir: Path | None) -> None:
    """See `reports.write_report`."""
    refuse_links(folder, folder / _FIGURES)
    with ThreadPoolExecutor(max_workers=2) as pool:
        vega = pool.submit(_start_drawing)  # it takes half a second: meanwhile, the page is made
        found = page(Material(run))
        figures = [pool.submit(_figure, chart) for chart in found.charts() if _exported(chart)]
        texts = render(given(found, vega.result()), template_dir)
    write_figures([figure.result() for figure in figures], folder / _FIGURES)
    write_whole(folder / "decision.json", run.decision.as_json)
    write_whole(folder / "metrics.csv", csv_text(numbered(run.measured)))
    for name, text in texts.items():
        write_whole(folder / name, text)


def _start_drawing() -> str:
    """Have vl-convert start its engine by drawing nothing; gives the page's script."""
    vl_convert.vegalite_to_svg({"data": {"values": []}, "mark": "point"})
    return vega_bundle()


def given(found: Page, vega: str) -> dict[str, Any]:
    """What the templates get, besides what lets a user's scripts run (docs/templates.md)."""
    script = (STATIC / "report.js").read_text(encoding="utf-8")
    costs = {group.cost.key: group.cost.data for group in found.groups if group.cost}
    return {
        "page": plain(found),
        "css": (STATIC / "report.css").read_text(encoding="utf-8"),
        "script": script,
        "vega": vega,
        "data": {
            "charts": {chart.key: chart.spec for chart in found.charts()},
            "config": CONFIG,
            "costs": plain(costs),
        },
        "policy": script_policy(vega, script),
    }


def _exported(chart: Chart) -> bool:
    """Whether it becomes a file: of hundreds of arms a picture would take minutes and gigabytes."""
    return chart.exported and chart.spec["height"] <= _TALLEST_PX


@dataclass(frozen=True)
class Figure:
    """An exported chart's files, in light colours."""

    key: str
    svg: str
    png: bytes


def _figure(chart: Chart) -> Figure:
    specification = with_light_colours(dict(chart.spec)) | {"width": _FIGURE_WIDTH_PX, "padding": 12}
    config = with_light_colours(CONFIG) | {"background": "white"}
    svg = vl_convert.vegalite_to_svg(specification, config=config)
    return Figure(chart.key, svg, vl_convert.svg_to_png(svg, scale=_PNG_SCALE))


def write_figures(figures: Sequence[Figure], folder: Path) -> None:
    """Write the figures' files; those of an earlier report that are no more go."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = {f"{one.key}.svg": one.svg.encode() for one in figures} | {f"{one.key}.png": one.png for one in figures}
    for name, content in contents.items():
        write_whole(folder / name, content)
    for stale in folder.iterdir():
        if stale.suffix in (".svg", ".png") and stale.name not in contents:
            stale.unlink()
