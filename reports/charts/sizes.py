"""Where the bytes are: sizes on disk by class of file."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

import altair as alt

from analysis.stats.quantities import Unit, quantity
from reports.charts.base import ROW_PX, Chart, arm_rows, chart_spec, rows, slug
from reports.tables import ABSENT, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.stats.effects import Group
    from analysis.trial.records import TrialRecord
    from reports.material import Material

CLASSES = ("collection", "index", "history_store", "journal", "journal_preallocated", "diagnostic", "other")
_OF_DATA = ("collection", "index", "history_store")
"""What grows with the data. A journal's files are set aside whole, far larger than what small campaigns store."""


def files(material: Material, group: Group, moment: str) -> Chart | None:
    """Mean bytes by class of file at one moment; None where no counting trial has them."""
    means = _means(material.counting_in(group), moment)
    if not means:
        return None
    names = [*(one for one in CLASSES if any(one == found for _, found in means))]
    names += sorted({found for _, found in means} - set(names))
    drawn = [name for name in names if name in _OF_DATA] or names
    data = [
        {
            "arm": arm,
            "class": name.replace("_", " "),
            "order": drawn.index(name),
            "mib": size / 2**20,
            "size": quantity(size, Unit.BYTES),
        }
        for (arm, name), size in means.items()
        if name in drawn
    ]
    classes = alt.Scale(
        domain=[name.replace("_", " ") for name in drawn],
        range=[f"var(--file-{place % 6})" for place in range(len(drawn))],
    )
    chart = (
        alt.Chart(rows(data))
        .mark_bar(stroke="var(--ground)", strokeWidth=1, height={"band": 0.55})
        .encode(
            y=arm_rows(list(material.styles.values())),
            x=alt.X("sum(mib):Q", title="mean size on disk, MiB"),
            color=alt.Color("class:N", title="class of file", scale=classes),
            order=alt.Order("order:Q"),
            tooltip=[alt.Tooltip("arm:N"), alt.Tooltip("class:N", title="class of file"), alt.Tooltip("size:N")],
        )
    )
    return Chart(
        key=slug("files", moment, *material.names_of(group)),
        title=f"Data files, {moment.replace('-', ' ')}",
        caption="After two forced checkpoints; means over the valid trials. The table has journal and logs, too.",
        spec=chart_spec(chart, ROW_PX * len(material.styles)),
        table=_table(material, means, names),
    )


def raw(material: Material, group: Group) -> Table:
    """What each valid trial's sizes were, a row a moment."""
    body = [
        (
            record.trial, record.cell.arm, one.moment.replace("-", " "), f"{one.documents:,}",
            *(
                ABSENT if size is None else f"{size:,}"
                for size in (
                    one.data_size_bytes, one.storage_size_bytes, one.free_storage_size_bytes, one.index_size_bytes
                )
            ),
        )
        for record in material.counting_in(group) for one in record.sizes
    ]  # fmt: skip
    columns = (
        "trial",
        "arm",
        "moment",
        "documents",
        "data, bytes",
        "stored, bytes",
        "of that reusable",
        "indexes, bytes",
    )
    return Table(columns, tuple(body), labels=3)


def _means(records: Sequence[TrialRecord], moment: str) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], list[int]] = {}
    for record in records:
        for sizes in record.sizes:
            if sizes.moment == moment:
                for name, size in sizes.files_bytes.items():
                    found.setdefault((record.cell.arm, name), []).append(size)
    return {key: fmean(values) for key, values in found.items()}


def _table(material: Material, means: dict[tuple[str, str], float], names: Sequence[str]) -> Table:
    def cell(arm: str, name: str) -> str:
        return quantity(means[arm, name], Unit.BYTES) if (arm, name) in means else ABSENT

    body: list[tuple[Any, ...]] = []
    for arm in material.styles:
        total = sum(size for (owner, _), size in means.items() if owner == arm)
        body.append((arm, *(cell(arm, name) for name in names), quantity(total, Unit.BYTES) if total else ABSENT))
    return Table(("arm", *(name.replace("_", " ") for name in names), "all"), tuple(body))
