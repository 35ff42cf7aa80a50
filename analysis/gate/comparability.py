"""Whether two runs may be compared at all: what must be the same, and what may differ with a warning.

A fact is named `<subject>.<what>`, e.g. `host.cpu_model`. The engine and the arms' settings are no facts: they are what
a gate is there to judge.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

MAY_DIFFER = (
    "host*.hostname", "host*.kernel", "host*.os", "host*.thp_enabled", "host*.frequency_governor", "versions.*",
)  # fmt: skip
"""Reported, and compared all the same. Every other fact must match."""

MEMORY_TOLERANCE = 0.05
"""Two hosts of one kind report memory that differs by what their firmware keeps."""

_MEMORY = "host*.memory_total_bytes"


class Difference(Part):
    """A fact that differs; None: this side does not know it."""

    fact: str
    baseline: str | None
    candidate: str | None

    def __str__(self) -> str:
        return f"{self.fact}: {_shown(self.baseline)} in the baseline, {_shown(self.candidate)} in the candidate"


class Comparability(Part):
    """What differs between two sides, beyond what is under test."""

    forbidding: tuple[Difference, ...]
    warnings: tuple[Difference, ...]

    @property
    def comparable(self) -> bool:
        """Whether figures of the two sides may be set against each other."""
        return not self.forbidding

    @property
    def all(self) -> tuple[Difference, ...]:
        """Whatever differs, by name."""
        return tuple(sorted((*self.forbidding, *self.warnings), key=lambda one: one.fact))


def compare_facts(baseline: Mapping[str, JsonValue], candidate: Mapping[str, JsonValue]) -> Comparability:
    """Every fact that either side has."""
    forbidding: list[Difference] = []
    warnings: list[Difference] = []
    for fact in sorted({*baseline, *candidate}):
        ours, theirs = baseline.get(fact), candidate.get(fact)
        if ours == theirs or (fnmatchcase(fact, _MEMORY) and _near(ours, theirs)):
            continue
        found = Difference(fact=fact, baseline=_text(ours), candidate=_text(theirs))
        may = any(fnmatchcase(fact, pattern) for pattern in MAY_DIFFER)
        (warnings if may else forbidding).append(found)
    return Comparability(forbidding=tuple(forbidding), warnings=tuple(warnings))


def _near(ours: JsonValue, theirs: JsonValue) -> bool:
    if not isinstance(ours, int | float) or not isinstance(theirs, int | float):
        return False
    return abs(ours - theirs) <= MEMORY_TOLERANCE * max(ours, theirs)


def _text(value: JsonValue) -> str | None:
    return None if value is None else str(value)


def _shown(value: str | None) -> str:
    return "unknown" if value is None else value
