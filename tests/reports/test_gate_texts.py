"""What a gate says of runs whose names mean harm: every name stays one line of text."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from analysis.gate.comparability import Difference
from analysis.gate.judge import Check, Gate, GateVerdict
from analysis.gate.tolerances import Regression
from reports import gate_texts as gate

CONTROLS = "".join(map(chr, (0, 8, 11, 13, 0x1B, 0x7F, 0x9B, 0x202E, 0xFFFE)))
NAME = f"a\n::error::made up\r\n##[error]made up{CONTROLS}|`<img src=x>[x](javascript:x) @someone %0A"


@pytest.fixture
def found() -> Gate:
    checks = [
        Check(
            pair=NAME,
            metric="rmw.throughput",
            verdict=verdict,
            ratio=None,
            tolerance_percent=3,
            regression=next(iter(Regression)),
            p_difference=None,
            p_unchanged=None,
            shows_percent=None,
            runs=1,
            blocks=(1, 1),
            problem=NAME,
        )
        for verdict in GateVerdict
    ]
    return Gate(
        baseline=NAME, candidate=NAME, method="paired", confidence_percent=95, checks=tuple(checks), notes=(NAME,)
    )


WARNINGS = [Difference(fact="host.kernel", baseline=NAME, candidate=None)]


def test_no_line_of_the_terminal_is_a_command_of_a_build_server(found: Gate) -> None:
    for line in gate.lines(found, WARNINGS):
        assert len(line.splitlines()) == 1
        assert not line.lstrip().startswith("::")
        assert "##[" not in line


def test_a_workflow_command_is_one(found: Gate) -> None:
    told = list(gate.workflow_commands(found, WARNINGS, strict=True))
    assert len(told) == 4
    for line in told:
        assert len(line.splitlines()) == 1
        assert re.match(r"::(error|warning) title=[^:,%]*::", line)
        assert "%0A" not in line.replace("%250A", "")


def test_markdown_shows_names_as_text(found: Gate) -> None:
    text = gate.markdown(found, WARNINGS)
    prose = re.sub(r"`` .*? ``", "", text)
    assert "<img" not in prose
    assert not re.search(r"(?<!\\)\]\(", prose)
    assert not re.search(r"(?<!\\)@someone", prose)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1
    assert not any(line.startswith("::") for line in text.splitlines())


def test_junit_stays_xml(found: Gate) -> None:
    suite = ElementTree.fromstring(gate.junit(found, strict=False).partition("\n")[2])[0]
    assert suite.get("tests") == str(len(found.checks))
    assert "made up" in (suite[0].get("classname") or "")
