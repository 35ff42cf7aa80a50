"""Effects against the baseline as a forest plot: change and interval on a log scale, verdict by shape and word."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import altair as alt

from analysis.stats import quantities
from analysis.stats.metrics import metric
from analysis.stats.quantities import Better
from analysis.stats.rounds import round_ratios
from analysis.stats.verdicts import Verdict
from core.text import label
from reports.charts.base import Chart, chart_spec, rows, slug
from reports.charts.rounds import Rounds, spread_of, widened
from reports.tables import ABSENT, Table
from reports.theme import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.stats.effects import Group
    from analysis.stats.rounds import RoundRatio
    from analysis.stats.verdicts import Effect
    from reports.material import Material

ROW_PX = 24
ROW_PX_WITH_ROUNDS = 30
_FACTORS = (1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 4, 10, 20, 50, 100, 1000)


def forest(material: Material, group: Group, effects: Sequence[Effect]) -> Chart:
    """The given effects of one group, by metric; each metric has a line of its own above its arms."""
    metrics = list(dict.fromkeys(effect.metric for effect in effects))
    effects = sorted(effects, key=lambda effect: metrics.index(effect.metric))
    lines = _lines(effects)
    criteria = material.decision.criteria
    drawn = [line for line in lines if "value" in line]
    ratios = [round_ratios(material.counting, effect) for effect in effects]
    domain = widened(_range(drawn, criteria.equivalence_margin_percent), ratios)
    rounds = Rounds.of(effects, ratios, [line["place"] for line in lines if "heading" not in line], domain)
    x = _change_axis(domain, criteria.baseline)
    layer = alt.layer(
        *_background(lines, x, criteria.equivalence_margin_percent), *rounds.layers(x), *_marks(lines, drawn, x)
    ).resolve_axis(y="independent")
    return Chart(
        key=slug("effects", *material.names_of(group)),
        title="Primary metrics",
        caption=f"Mean of the ratios within each block with its {criteria.confidence_percent:g} % "
        f"interval. Inside the band of ±{criteria.equivalence_margin_percent:g} % a difference does not matter. "
        f"↑ higher is better, ↓ lower is better.{rounds.caption}",
        spec=chart_spec(layer, (ROW_PX_WITH_ROUNDS if rounds.dots else ROW_PX) * len(lines)),
        table=effects_table(effects, ratios if any(ratios) else None),
    )


def _change_axis(domain: tuple[float, float], baseline: str) -> alt.X:
    low, high = domain
    return alt.X(
        "value:Q",
        scale=alt.Scale(type="log", domain=[low, high], nice=False, clamp=True),
        axis=alt.Axis(
            title=f"times, or divided by, {baseline}'s (log scale)",
            values=_ticks(low, high),
            labelExpr="datum.value == 1 ? '×1' : datum.value > 1 ? '×' + format(datum.value, '.4~g') "
            ": '÷' + format(1 / datum.value, '.4~g')",
        ),
    )


def _background(lines: Sequence[dict[str, Any]], x: alt.X, margin_percent: float) -> list[alt.Chart]:
    """The equivalence margin, no change, and each metric's heading above its arms' names."""
    arms = alt.Axis(title=None, labelExpr=f"{_texts(lines, 'arm')}[datum.value]")
    places = alt.Scale(domain=[line["place"] for line in lines], paddingInner=0.2)
    band = rows([{"low": 1 / (1 + margin_percent / 100), "high": 1 + margin_percent / 100}])
    return [
        alt.Chart(band).mark_rect(color="var(--band)").encode(x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        alt.Chart(rows([{"value": 1}])).mark_rule(color="var(--ink-2)").encode(x=x),
        alt.Chart(rows(line for line in lines if "heading" in line))
        .mark_text(align="left", baseline="middle", fontWeight=600, x=0)
        .encode(y=alt.Y("place:O", scale=places, axis=arms), text=alt.Text("heading:N")),
    ]


def _marks(lines: Sequence[dict[str, Any]], drawn: Sequence[dict[str, Any]], x: alt.X) -> list[alt.Chart]:
    """Each effect's interval, and its mean by the shape of its verdict; what it says stands at the right."""
    data = rows(drawn)
    tips = [alt.Tooltip(f"{name}:N") for name in ("arm", "metric", "change", "verdict", "blocks")]
    said = alt.Axis(title=None, orient="right", labelExpr=f"{_texts(lines, 'said')}[datum.value]", labelLimit=130)
    interval = alt.Chart(data).mark_rule(strokeWidth=2)
    return [
        interval.encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=alt.Y("place:O", axis=None), tooltip=tips),
        alt.Chart(data)
        .mark_point(size=95, opacity=1, strokeWidth=2)
        .encode(
            x=x,
            y=alt.Y("place:O", axis=said),
            shape=alt.Shape("verdict:N", scale=_verdict_scale([one.shape for one in VERDICTS.values()])),
            stroke=alt.Stroke("verdict:N", scale=_verdict_scale([one.colour for one in VERDICTS.values()])),
            fill=alt.Fill("verdict:N", scale=_verdict_scale([_inside(verdict) for verdict in VERDICTS])),
            tooltip=tips,
        ),
    ]


def _verdict_scale(looks: Sequence[str]) -> alt.Scale:
    return alt.Scale(domain=[verdict.value for verdict in VERDICTS], range=list(looks))


def _inside(verdict: Verdict) -> str:
    """What is undecided stays hollow."""
    return "var(--ground)" if verdict is Verdict.UNDECIDED else VERDICTS[verdict].colour


def _lines(effects: Sequence[Effect]) -> list[dict[str, Any]]:
    """A heading a metric and a line an effect, in drawing order; effects without a ratio have no value."""
    lines: list[dict[str, Any]] = []
    for key in dict.fromkeys(effect.metric for effect in effects):
        found = metric(key)
        arrow = "↑" if found.better is Better.HIGHER else "↓"
        lines.append({"place": len(lines), "arm": "", "said": "", "heading": f"{found.label} {arrow}"})
        for effect in (one for one in effects if one.metric == key):
            lines.append({"place": len(lines), **_line(effect)})
    return lines


def _line(effect: Effect) -> dict[str, Any]:
    style = VERDICTS[effect.verdict]
    line = {"arm": effect.candidate, "metric": metric(effect.metric).label, "verdict": effect.verdict.value}
    if effect.ratio is None:
        return {**line, "said": "no pair of trials"}
    ratio = effect.ratio
    return {
        **line,
        "value": ratio.value,
        "low": ratio.value if ratio.low is None else ratio.low,
        "high": ratio.value if ratio.high is None else ratio.high,
        "said": f"{quantities.change(ratio.value)} {style.glyph}",
        "change": quantities.effect(ratio),
        "blocks": effect.n,
    }


def _texts(lines: Sequence[dict[str, Any]], field: str) -> str:
    """A Vega expression: the lines' texts as an array of string literals."""
    return json.dumps([label(line[field]) for line in lines])


def _range(drawn: Sequence[dict[str, Any]], margin_percent: float) -> tuple[float, float]:
    """A domain that holds every mean, and every interval within a hundredfold; wider ones run off the edge."""
    lows = [max(line["low"], line["value"] / 100, 1e-6) for line in drawn]
    highs = [min(line["high"], line["value"] * 100, 1e6) for line in drawn]
    edge = 1 + 2 * margin_percent / 100
    low, high = min([1 / edge, *lows]), max([edge, *highs])
    room = (math.log(high) - math.log(low)) * 0.04
    return low * math.exp(-room), high * math.exp(room)


def _ticks(low: float, high: float) -> list[float]:
    """No change and round factors to both sides, far enough from each other for their labels on a phone."""
    apart = (math.log(high) - math.log(low)) / 9
    found = [1.0]
    for sign in (1, -1):
        last = 1.0
        for tick in (factor**sign for factor in _FACTORS):
            if low <= tick <= high and abs(math.log(tick / last)) >= apart:
                found.append(tick)
                last = tick
    return sorted(found)


def effects_table(effects: Sequence[Effect], ratios: Sequence[Sequence[RoundRatio]] | None = None) -> Table:
    """One row an effect, with all that the plot shows and the p-values behind the verdict."""
    columns = ("metric", "arm", "change", "interval", "blocks", "verdict", "p (different)", "p (equivalent)")
    body = tuple(_row(effect) for effect in effects)
    if ratios is None:
        return Table(columns, body, labels=2)
    with_rounds = tuple((*row, *said) for row, said in zip(body, map(spread_of, ratios), strict=True))
    return Table((*columns, "rounds", "middle half of the rounds"), with_rounds, labels=2)


def _row(effect: Effect) -> tuple[str, ...]:
    ratio = effect.ratio
    spread = (ratio and quantities.spread(ratio)) or ABSENT
    change = quantities.change(ratio.value) if ratio else ABSENT
    p_values = (_p(effect.p_difference), _p(effect.p_equivalence))
    verdict = f"{VERDICTS[effect.verdict].glyph} {effect.verdict.value}"
    return (metric(effect.metric).label, effect.candidate, change, spread, str(effect.n), verdict, *p_values)


def _p(value: float | None) -> str:
    if value is None:
        return ABSENT
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
