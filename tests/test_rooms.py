"""Imports between rooms point downwards only."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAY_IMPORT = {
    "harness": {"analysis", "datasets", "reports", "workloads"},
    "reports": {"analysis"},
    "analysis": set(),
    "datasets": set(),
    "workloads": set(),
}


def imported_rooms(path: Path) -> set[str]:
    """The rooms a module imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found & (MAY_IMPORT.keys() | {"tests"})


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_imports_point_downwards(room: str) -> None:
    modules = list((ROOT / room).rglob("*.py"))
    assert modules
    for module in modules:
        upwards = imported_rooms(module) - MAY_IMPORT[room] - {room}
        assert not upwards, f"{module.relative_to(ROOT)} imports {', '.join(sorted(upwards))}"


def test_an_import_upwards_is_seen_wherever_it_stands(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("import numpy\n\ndef late():\n    from harness.errors import Exit\n    import reports.gate\n")
    assert imported_rooms(module) == {"harness", "reports"}
