"""Imports point downwards only: between rooms, and between the floors within a room."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = {
    "pressgauge": {"analysis", "core", "datasets", "harness", "reports", "workloads"},
    "harness": {"analysis", "core", "datasets", "reports", "workloads"},
    "reports": {"analysis", "core"},
    "analysis": {"core"},
    "datasets": {"core"},
    "workloads": {"core"},
    "core": set[str](),
}
"""Which rooms each may import."""
FLOORS = {
    "analysis": ("trial", "stats", "estimate", "profile", "mirror", "decide", "gate"),
    "harness": ("errors", "spec", "plan", "ledger", "evidence", "hosts", "run", "addons", "cli", "__main__"),
    "reports": ("charts", "page", "output"),
}
"""A room's packages from the ground up. What is in none of them is below all, but for the room's own `__init__`."""
ADDONS = "harness.addons"
JUDGES = {
    "analysis.decide.caveats.caveats",
    "analysis.decide.contrasts.contrast",
    "analysis.decide.decision.decide",
    "analysis.decide.decision.decide_study",
    "analysis.decide.recommendation.choose",
    "analysis.decide.study.study",
    "analysis.stats.effects.compare",
    "analysis.stats.verdicts.judge",
}
"""What decides. A report is handed what it found."""
MAY_USE_ADDONS = ("harness.addons", "harness.cli.remote")


def imports(path: Path) -> set[str]:
    """The modules and packages that a module imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def modules(room: str) -> dict[str, Path]:
    """The modules of a room by their dotted names."""
    found = sorted((ROOT / room).rglob("*.py"))
    assert found
    return {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in found}


def floor(module: str) -> int:
    """How high up a module stands in its room."""
    room, name, *_ = [*module.split("."), ""]
    floors = FLOORS.get(room, ())
    if name == "__init__":
        return len(floors)
    return floors.index(name) if name in floors else -1


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_import_downwards(room: str) -> None:
    for module, path in modules(room).items():
        others = {one.partition(".")[0] for one in imports(path)} & (ROOMS.keys() | {"tests"})
        assert others <= ROOMS[room] | {room}, module


@pytest.mark.parametrize("room", FLOORS)
def test_floors_import_downwards(room: str) -> None:
    for module, path in modules(room).items():
        above = {one for one in imports(path) if one.startswith(f"{room}.") and floor(one) > floor(module)}
        assert not above, f"{module} imports {', '.join(sorted(above))}"


def test_every_package_has_its_floor() -> None:
    for room, floors in FLOORS.items():
        packages = {path.parent.name for path in (ROOT / room).glob("*/__init__.py")}
        assert packages <= set(floors), room


def test_reports_decide_nothing() -> None:
    for module, path in modules("reports").items():
        assert not imports(path) & JUDGES, module
    assert imports(ROOT / "harness/cli/outcome.py") & JUDGES, "the names are those that decide"


def test_the_core_does_without_addons() -> None:
    for module, path in modules("harness").items():
        if not module.startswith(MAY_USE_ADDONS):
            assert not [one for one in imports(path) if one.startswith(ADDONS)], module


def test_an_import_upwards_is_seen_wherever_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("import numpy\n\ndef late():\n    from harness.errors import Exit\n    from harness import cli\n")
    assert imports(path) == {"numpy", "harness", "harness.errors", "harness.errors.Exit", "harness.cli"}
    assert floor("harness.cli") > floor("harness.plan.trials") > floor("harness.errors") > -1
    assert floor("reports.run") == -1
