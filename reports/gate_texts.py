"""A gate's findings for people and machines: terminal lines, Markdown, JUnit XML and GitHub's annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from analysis.gate.judge import Check, Gate, GateVerdict
from analysis.stats import quantities
from analysis.stats.metrics import metric
from core.text import markdown_code, markdown_text, one_line, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from analysis.gate.comparability import Difference

_ORDER = (GateVerdict.REGRESSED, GateVerdict.UNDECIDED, GateVerdict.IMPROVED, GateVerdict.UNCHANGED)
_GLYPHS = {
    GateVerdict.REGRESSED: "▼",
    GateVerdict.IMPROVED: "▲",
    GateVerdict.UNCHANGED: "■",
    GateVerdict.UNDECIDED: "◇",
}
_METHODS = {
    "paired": "paired within the blocks of one run",
    "reference": "between runs, each cell by its ratio to the reference of its run",
    "levels": "between runs without a reference: levels, with an allowance for the host's drift between runs",
}


def headline(found: Gate) -> str:
    """What came of it, in one line: `2 regressed, 1 undecided, 4 unchanged of 7 checks`."""
    counts = [(len(found.of(verdict)), verdict) for verdict in _ORDER]
    said = ", ".join(f"{count} {verdict}" for count, verdict in counts if count)
    return f"{said} of {len(found.checks)} checks" if found.checks else "nothing to check"


def inconclusive(found: Gate) -> str:
    """What the gate could not have seen, in one line; empty where it could see all that it is there for."""
    many = len(found.blind)
    if not many:
        return ""
    return f"inconclusive: {many} of {len(found.checks)} checks could miss a change as large as their tolerance"


def context(found: Gate) -> str:
    """How the reference itself moved, in one line; empty without one."""
    if not found.levels:
        return ""
    several = len({(one.dataset, one.platform) for one in found.levels}) > 1
    moved = []
    for one in found.levels:
        place = f" ({', '.join(filter(None, (one.dataset, one.platform)))})" if several else ""
        moved.append(f"{metric(one.metric).label}{place} {quantities.change(one.ratio)}")
    return f"context, no verdict: the reference itself ({found.reference}) moved with the host: {', '.join(moved)}"


def lines(found: Gate, warnings: Sequence[Difference]) -> Iterator[str]:
    """The gate on a terminal: every check, those that need a look first."""
    yield f"gate: {headline(found)}"
    yield f"      {one_line(f'{found.candidate} against {found.baseline}')}; {_METHODS[found.method]}"
    for line in (inconclusive(found), context(found)):
        if line:
            yield f"      {one_line(line)}"
    for check in _sorted(found):
        yield f"  {_GLYPHS[check.verdict]} {one_line(sentence(check))}"
        if check.leads:
            yield f"      moved with it (leads, not causes): {one_line('; '.join(map(str, check.leads)))}"
    for warning in warnings:
        yield f"  ! differs: {one_line(str(warning))}"
    for note in found.notes:
        yield f"  ! {one_line(note)}"


def sentence(check: Check) -> str:
    """`rmw throughput (zstd): −12.0 % [−15.1 %, −8.7 %], n = 8, tolerance 3 %, shows 5.2 %: regressed`."""
    label = f"{metric(check.metric).label} ({check.pair})"
    if check.ratio is None:
        return f"{label}: {check.verdict}: {check.problem}"
    return (
        f"{label}: {_figures(check)}, tolerance {check.tolerance_percent:g} %, shows {_shows(check)}: {check.verdict}"
    )


def _shows(check: Check) -> str:
    """The smallest change that it would have found."""
    return "nothing" if check.shows_percent is None else f"{quantities.number(check.shows_percent, 2)} %"


def _figures(check: Check) -> str:
    ratio = check.ratio
    assert ratio is not None
    interval = ""
    if ratio.low is not None and ratio.high is not None:
        interval = f" [{quantities.change(ratio.low)}, {quantities.change(ratio.high)}]"
    ours, theirs = check.blocks[1], check.blocks[0]
    blocks = f"n = {ours}" if ours == theirs else f"n = {theirs} and {ours}"
    if check.runs > 1:
        blocks = f"n = {theirs} of {check.runs} runs, and {ours}"
    return f"{quantities.change(ratio.value)}{interval}, {blocks}"


def _sorted(found: Gate) -> list[Check]:
    return sorted(found.checks, key=lambda check: _ORDER.index(check.verdict))


def markdown(found: Gate, warnings: Sequence[Difference]) -> str:
    """A summary for a pull request."""
    text = [f"### Pressgauge: {headline(found)}", ""]
    sides = f"{markdown_code(found.candidate)} against {markdown_code(found.baseline)}"
    text += [f"{sides}; {_METHODS[found.method]}.", ""]
    text += [f"{markdown_text(line)}.\n" for line in (inconclusive(found), context(found)) if line]
    text += ["| | metric | cells | change | tolerance | shows | verdict |", "|---|---|---|---:|---:|---:|---|"]
    for check in _sorted(found):
        change = check.problem if check.ratio is None else _figures(check)
        cells = (
            _GLYPHS[check.verdict], metric(check.metric).label, check.pair, change,
            f"{check.tolerance_percent:g} %", _shows(check), check.verdict.value,
        )  # fmt: skip
        text.append(f"| {' | '.join(markdown_text(part) for part in cells)} |")
    led = [check for check in _sorted(found) if check.leads]
    text += ["", "*Shows*: the smallest change for the worse that the check finds in four of five cases."]
    if led:
        text += ["", "What moved with each regression, the largest change first: leads, not causes.", ""]
        leads = [f"{metric(one.metric).label} ({one.pair}): {'; '.join(map(str, one.leads))}" for one in led]
        text += [f"- {markdown_text(one)}" for one in leads]
    notes = [f"- {markdown_text(one)}" for one in (*(f"differs: {warning}" for warning in warnings), *found.notes)]
    if notes:
        text += ["", *notes]
    return "\n".join(text) + "\n"


def junit(found: Gate, *, strict: bool) -> str:
    """JUnit XML: each check is a test case. Undecided is skipped, or a failure where that fails the gate."""
    failing = {GateVerdict.REGRESSED, GateVerdict.UNDECIDED} if strict else {GateVerdict.REGRESSED}
    failed = [check for check in found.checks if check.verdict in failing]
    skipped = [check for check in found.of(GateVerdict.UNDECIDED) if check not in failed]
    suite = ET.Element(
        "testsuite",
        name=shown(f"pressgauge {found.candidate} against {found.baseline}"),
        tests=str(len(found.checks)),
        failures=str(len(failed)),
        skipped=str(len(skipped)),
        errors="0",
    )
    for check in found.checks:
        case = ET.SubElement(suite, "testcase", classname=shown(check.pair), name=shown(check.metric))
        if check in failed:
            failure = ET.SubElement(case, "failure", message=shown(sentence(check)), type=check.verdict.value)
            failure.text = shown("\n".join(f"moved with it: {lead}" for lead in check.leads))
        elif check in skipped:
            ET.SubElement(case, "skipped", message=shown(sentence(check)))
        else:
            ET.SubElement(case, "system-out").text = shown(sentence(check))
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root, " ")
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def workflow_commands(found: Gate, warnings: Iterable[Difference], *, strict: bool) -> Iterator[str]:
    """GitHub's workflow commands: an error for each regression, a warning for all else to look at."""
    for check in found.of(GateVerdict.REGRESSED):
        yield _command("error", f"regressed {check.metric}", sentence(check))
    for check in found.of(GateVerdict.UNDECIDED):
        yield _command("error" if strict else "warning", f"undecided {check.metric}", sentence(check))
    if blind := inconclusive(found):
        yield _command("warning", "inconclusive", blind)
    for warning in warnings:
        yield _command("warning", "runs differ", str(warning))


def _command(level: str, title: str, message: str) -> str:
    """As the runner reads it: on one line, with % and, in properties, separators as escapes."""
    escaped = one_line(message).replace("%", "%25")
    title = one_line(title).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={title}::{escaped}"
