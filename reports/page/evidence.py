"""The second half of the page: trials, settings read back, engine counters, ratios, hosts, corpora, versions."""

from __future__ import annotations

import json
from statistics import fmean
from typing import TYPE_CHECKING, Any

from analysis.stats.metrics import metric, workload_of
from analysis.stats.quantities import Unit, block_number, number, quantity, visible
from analysis.trial.engine.counters import COUNTERS
from analysis.trial.records import Regime
from analysis.trial.regimes import Reads, reads
from analysis.trial.settings import SETTINGS
from reports.charts.base import interval
from reports.plain import plain
from reports.tables import ABSENT, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from analysis.stats.effects import Group
    from analysis.trial.records import Phase, TrialRecord
    from reports.material import Material

_SPANS = _WINDOW, _WHOLE, _AT_END = "window", "whole phase", "its end"
_NOTHING_TO_DO = ("good", "unknown")
_REGIMES = {
    Regime.IN_CACHE: "in the cache",
    Regime.OUT_OF_CACHE: "out of the cache",
    Regime.ANY: "neither in the cache nor out of it",
}


def trials(material: Material) -> Table:
    """Every attempt in plan order, and planned trials that are missing."""
    factors = (*(["platform"] if any(material.run.platforms) else []), "engine", "arm", "dataset")
    body = [
        (
            record.trial,
            str(block_number(record.block)),
            *(getattr(record.cell, factor) for factor in factors),
            _time(record.started_at),
            _state(record),
        )
        for record in sorted(material.run.records, key=lambda record: (record.index, record.attempt))
    ]
    present = {(record.block, record.cell) for record in material.run.records}
    body += [
        (ABSENT, str(block_number(block)), *(getattr(cell, factor) for factor in factors), ABSENT, "✗ missing")
        for block, cell in material.run.planned_trials
        if (block, cell) not in present
    ]
    columns = ("trial", "block", *factors, "started (UTC)", "state")
    return Table(columns, tuple(body), labels=len(columns))


def _time(text: str) -> str:
    return text[:19].replace("T", " ")


def _state(record: TrialRecord) -> str:
    if record.void:
        return "✗ void: " + "; ".join(reason.message for reason in record.void)
    if record.flags:
        return "! counts, flagged: " + "; ".join(reason.message for reason in record.flags)
    return "✓ counts"


_IN_FORCE = {
    "version": "mongod", "git_version": "git version", "feature_compatibility_version": "FCV",
    **{one.found: one.label for one in SETTINGS if not one.verbatim},
    "write_concern": "write concern",
}  # fmt: skip
_VERBATIM = {one.found: one.label for one in SETTINGS if one.verbatim}
_SETTING = {one.found: one for one in SETTINGS}
_UNITS: dict[str | None, Callable[[Any], str]] = {
    None: str,
    "bytes": lambda value: quantity(value, Unit.BYTES),
    "s": lambda value: f"{value:g} s",
    "ms": lambda value: f"{value:g} ms",
    "CPU": lambda value: f"{value:g} CPU",
}


def settings(material: Material) -> tuple[Table, Table, Table]:
    """What the running servers said of themselves: the same throughout, differing by cell, and verbatim."""
    columns: dict[str, list[TrialRecord]] = {}
    levels = {"platform": material.run.platforms, "engine": material.run.engines}
    several = [factor for factor, names in levels.items() if len(names) > 1]
    for arm in material.styles:
        for record in (one for one in material.records if one.cell.arm == arm):
            name = ", ".join((*(getattr(record.cell, factor) for factor in several), arm))
            columns.setdefault(name, []).append(record)
    said = {label: tuple(_said(records, field) for records in columns.values()) for field, label in _IN_FORCE.items()}
    common = tuple((label, values[0]) for label, values in said.items() if len(set(values)) == 1)
    differing = tuple((label, *values) for label, values in said.items() if len(set(values)) > 1)
    return (
        Table(("setting", "every arm"), common, labels=2),
        Table(("setting", *columns), differing, labels=len(columns) + 1),
        Table(
            ("arm", *_VERBATIM.values()),
            tuple((name, *(_said(records, field) for field in _VERBATIM)) for name, records in columns.items()),
            labels=3,
        ),
    )


def _said(records: Iterable[TrialRecord], field: str) -> str:
    values: dict[str, None] = {}
    for record in records:
        if record.in_force is not None:
            values[_told(field, getattr(record.in_force, field))] = None
    return " | ".join(values) or "not read back"


def _told(field: str, value: Any) -> str:
    setting = _SETTING.get(field)
    if setting is None:
        return _shown(field, value)
    return setting.unset if value is None else _UNITS[setting.unit](value)


def _shown(name: str, value: Any) -> str:
    """A surveyed or read-back value for people, by the unit in its name."""
    if isinstance(value, bool) or value is None:
        return {None: "not known", True: "yes", False: "no"}[value]
    if isinstance(value, int | float):
        unit = Unit.BYTES if name.endswith("_bytes") else Unit.SHARE if name.endswith("_share") else None
        return quantity(value, unit) if unit else number(value) if isinstance(value, float) else str(value)
    if isinstance(value, list | tuple):
        return ", ".join(_shown("", part) for part in value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)


def ratios(material: Material, group: Group) -> Table:
    """The ratio that the corpus should give, and the one there was, before and after each run phase."""
    runs = [workload for workload, phase in material.phases.items() if phase.kind == "run"]
    body = []
    for arm in material.styles:
        expected = {record.expected_ratio for record in material.counting_in(group) if record.cell.arm == arm}
        known = sorted(ratio for ratio in expected if ratio is not None)
        keys = ["compression_ratio", "achieved_over_expected", "compression_ratio_without_free"]
        keys += ["compression_ratio_against_none", *(f"{run}.compression_ratio_after" for run in runs)]
        keys.append("storage_reusable_share_aged")
        cells = [interval(material.figures.get((group, arm, key))) for key in keys]
        body.append((arm, ", ".join(f"{number(ratio)} ×" for ratio in known) or ABSENT, *cells))
    labels = ("arm", "expected", "achieved", "achieved ÷ expected", "without free space", "against no compression")
    return Table((*labels, *(f"after {run}" for run in runs), "of that free for reuse"), tuple(body))


def counters(material: Material, group: Group, workload: str) -> Table:
    """What the engine did in one phase: the mean of each counter over the trials that count, a column an arm."""
    moved: dict[tuple[str, str, str], list[float]] = {}
    for record in material.counting_in(group):
        for phase in record.phases:
            if workload_of(phase) == workload:
                for key, over, value in _moved(phase):
                    moved.setdefault((key, over, record.cell.arm), []).append(value)
    arms = list(material.styles)
    units = {"bytes": Unit.BYTES, "us": Unit.US, "count": None, "ms": None}

    def cell(key: tuple[str, str, str], unit: str) -> str:
        if key not in moved:
            return ABSENT
        mean = fmean(moved[key])
        known = units[unit]
        return quantity(mean, known) if known else number(mean) + (" ms" if unit == "ms" else "")

    body = tuple(
        (counter.label, over, *(cell((counter.key, over, arm), counter.unit) for arm in arms))
        for counter in COUNTERS
        for over in _SPANS
        if any((counter.key, over, arm) in moved for arm in arms)
    )
    return Table(("counter", "of", *arms), body, labels=2)


def _moved(phase: Phase) -> Iterator[tuple[str, str, float]]:
    """Counter, what span it is of, and its value: of the measured window wherever that is known."""
    in_window = phase.window.counters if phase.window else {}
    for counter in COUNTERS:
        value, over = in_window.get(counter.key), _WINDOW
        if value is None:
            value, over = phase.counters.get(counter.key), _AT_END if counter.gauge else _WHOLE
        if value or (value is not None and counter.source != "network"):  # most wire compressors are never used
            yield counter.key, over, value


def regime(material: Material, group: Group, workload: str) -> str | None:
    """Which regime the reads of a run phase prove, over the trials that count; None where no trial says."""
    found = [
        told
        for record in material.counting_in(group)
        for phase in record.phases
        if phase.kind == "run" and workload_of(phase) == workload and (told := _reads(phase)) is not None
    ]
    if not found:
        return None
    kinds = {one.regime for one in found}
    kind = _REGIMES[kinds.pop()] if len(kinds) == 1 else "not the same in all trials"
    pages = sorted(one.pages for one in found)
    low, high = number(pages[0]), number(pages[-1])
    spread = low if low == high else f"{low} to {high}"
    return f"{workload}: {kind} ({spread} pages read per operation in the window)"


def _reads(phase: Phase) -> Reads | None:
    try:
        return reads(phase)
    except LookupError:
        return None


def hosts(material: Material) -> Table:
    """The survey, a column a host."""
    flat = {host: dict(_flattened(survey)) for host, survey in plain(material.run.hosts).items()}
    fields = dict.fromkeys(field for survey in flat.values() for field in survey if field != "format_version")
    body = tuple(
        (
            field.removesuffix("_bytes").removesuffix("_share").replace("_", " ").replace(".", ": "),
            *(_shown(field, survey.get(field)) for survey in flat.values()),
        )
        for field in fields
    )
    return Table(("property", *flat), body, labels=len(flat) + 1)


def _flattened(values: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flattened(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def hosts_said(material: Material) -> str:
    """Each host in a line: name, processor, cores, memory, system."""
    return " ".join(f"{host}: {_in_a_line(survey)}." for host, survey in plain(material.run.hosts).items())


def _in_a_line(survey: Mapping[str, Any]) -> str:
    memory = survey.get("memory_total_bytes")
    parts = (
        survey.get("cpu_model"),
        f"{cores} cores" if (cores := survey.get("cores_allowed") or survey.get("cores")) else None,
        f"{quantity(memory, Unit.BYTES)} of memory" if isinstance(memory, int | float) else None,
        survey.get("os"),
        survey.get("kernel"),
    )
    return ", ".join(str(part) for part in parts if part) or "nothing is known of it"


def findings(material: Material, *, to_do: bool) -> Table:
    """What the doctor says of the hosts: what it advises on, or what is good or not told."""
    body = tuple((host, level, subject, found, advice)
                 for host, told in material.run.findings.items()
                 for subject, found, level, advice in told if (level not in _NOTHING_TO_DO) is to_do)  # fmt: skip
    return Table(("host", "level", "subject", "found", "advice"), body, labels=5)


_BRIEFLY: dict[str, Callable[[list[Any]], Any]] = {"paths": len, "largest_bytes": lambda most: next(iter(most), None)}


def corpora(material: Material) -> Table:
    """The manifests, a column a dataset; of documents of one's own, how many paths they have and the largest one."""
    shown = {
        name: {
            key: _BRIEFLY[key](value) if key in _BRIEFLY and isinstance(value, list) else value
            for key, value in manifest.items()
            if key not in ("format_version", "expected_ratios")
        }
        for name, manifest in plain(material.run.manifests).items()
    }
    fields = dict.fromkeys(field for manifest in shown.values() for field in manifest)
    body = tuple(
        (
            "size" if field == "bytes" else field.replace("_", " "),
            *(_shown("size_bytes" if field == "bytes" else field, m.get(field)) for m in shown.values()),
        )
        for field in fields
    )
    return Table(("manifest", *shown), body, labels=len(shown) + 1)


def versions(material: Material) -> Table:
    """Tools and their versions."""
    return Table(("tool", "version"), tuple(material.run.versions.items()), labels=2)


def noise(material: Material) -> Table:
    """What this run could see."""
    body = []
    for floor in material.decision.noise_floor:
        controls = ", ".join(f"{one.arm} {interval(one.ratio)}" for one in floor.controls) or "no A/A arm"
        body.append(
            (
                f"{floor.group.factor}s",
                floor.group.label,
                metric(floor.metric).label,
                *(
                    ABSENT if percent is None else f"{number(percent)} %"
                    for percent in (floor.scatter_percent, floor.round_scatter_percent, floor.load_scatter_percent)
                ),
                visible(floor.detectable_percent),
                controls,
            )
        )
    columns = (
        "between", "group", "metric", "scatter of a block's ratio", "of a round's", "of loads, beyond their rounds",
        "smallest effect it could see", "A/A arms",
    )  # fmt: skip
    return Table(columns, tuple(body), labels=3)
