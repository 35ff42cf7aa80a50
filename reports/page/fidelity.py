"""Whether what was measured is the deployment that the campaign mirrors: said before anything else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.decide import sentences
from analysis.decide.fidelity import State
from reports.page.answer import Check

if TYPE_CHECKING:
    from analysis.decide.decision import Decision

_GLYPHS = {State.LIKE: "✓", State.UNLIKE: "✗", State.UNKNOWN: "?"}
_STATES = {State.LIKE: "satisfied", State.UNLIKE: "violated", State.UNKNOWN: "undecided"}


@dataclass(frozen=True)
class FidelityPage:
    """The answer, and every figure behind it."""

    headline: str
    sentence: str
    lines: tuple[Check, ...]


def fidelity_page(decision: Decision) -> FidelityPage | None:
    """What the decision found; None where the campaign mirrors no deployment."""
    found = decision.fidelity
    if found is None:
        return None
    return FidelityPage(
        headline=sentences.likeness(found),
        sentence=sentences.capital(sentences.likeness_why(found, decision.baseline)),
        lines=tuple(
            Check(_GLYPHS[one.state], _STATES[one.state], sentences.compared(one, several=found.several))
            for one in found.compared
        ),
    )
