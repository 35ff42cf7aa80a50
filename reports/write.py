"""Writes a run's report folder: page, Markdown, figures, tables and decision. Offline."""

from __future__ import annotations

import hashlib
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import vl_convert
from jinja2 import TemplateError, TemplateSyntaxError

from reports.bundle import vega_bundle
from reports.context import page
from reports.environment import environment, script_json
from reports.errors import TemplateFaultError
from reports.files import write_whole
from reports.material import Material
from reports.theme import CONFIG, STATIC, with_light_colours

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.decision import Decision
    from reports.charts.base import Chart
    from reports.context import Page
    from reports.run import Run

_FIGURE_WIDTH_PX = 680
_PNG_SCALE = 2


def write(run: Run, folder: Path, template_dir: Path | None) -> Decision:
    """See `reports.write_report`."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        vega = pool.submit(_start_drawing)  # the drawing engine takes half a second to start: meanwhile, decide
        material = Material.of(run)
        found = page(material)
        figures = [pool.submit(_figure, chart) for chart in found.charts() if chart.exported]
        texts = render(found, vega.result(), template_dir)
    write_figures([figure.result() for figure in figures], folder / "figures")
    write_whole(folder / "decision.json", material.decision.as_json)
    write_whole(folder / "metrics.csv", material.measured.to_csv(index=False, lineterminator="\n"))
    for name, text in texts.items():
        write_whole(folder / name, text)
    return material.decision


def _start_drawing() -> str:
    """Have vl-convert start its engine by drawing nothing; gives the page's script."""
    vl_convert.vegalite_to_svg({"data": {"values": []}, "mark": "point"})
    return vega_bundle()


def render(found: Page, vega: str, template_dir: Path | None) -> dict[str, str]:
    """The page and its Markdown, by file name. Raises TemplateFaultError where a user's template is wrong."""
    made = environment(template_dir)
    charts = {chart.key: chart.spec for chart in found.charts()}
    data = {"charts": charts, "config": CONFIG, "costs": {g.cost.key: g.cost.data for g in found.groups if g.cost}}
    common: dict[str, Any] = {
        "page": found,
        "css": (STATIC / "report.css").read_text(encoding="utf-8"),
        "script": (STATIC / "report.js").read_text(encoding="utf-8"),
        "vega": vega,
        "data": data,
        "nonce": nonce_of(data),
    }
    try:
        return {
            "index.html": made.get_template("report.html").render(common),
            "report.md": made.get_template("report.md").render(common),
        }
    except (TemplateError, TypeError, ValueError, LookupError, ArithmeticError) as error:
        if template_dir is None:
            raise
        raise TemplateFaultError(f"{_place(error, template_dir)}: {error}") from error


def _place(error: Exception, template_dir: Path) -> str:
    """Where in the user's templates it went wrong: syntax errors say so, for others Jinja2 writes it into the trace."""
    if isinstance(error, TemplateSyntaxError):
        return f"{error.filename or error.name}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if Path(frame.filename).is_relative_to(template_dir)]
    return f"{theirs[-1].filename}:{theirs[-1].lineno}" if theirs else str(template_dir)


def nonce_of(data: Any) -> str:
    """A token for the page's scripts: its policy lets no other run, so what slips through escaping stays dead text.

    It is made from the page's data, so that rendering twice gives the same bytes; no text can hold its own digest.
    """
    return hashlib.sha256(script_json(data).encode()).hexdigest()[:32]


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
