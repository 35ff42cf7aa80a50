"""The decision in five lines, for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.decide.sentences import likeness_sentence
from core.text import one_line

if TYPE_CHECKING:
    from analysis.decide.decision import Decision

MOST_LINES = 5


def summary_lines(decision: Decision) -> list[str]:
    """At most five lines: whether it is the deployment that is mirrored, what to run, what is open, what is void."""
    counts = decision.counts
    sentences = [one.sentence for one in decision.recommendations] or ["No recommendation: there are no trials."]
    if len(decision.recommendations) > 1:
        groups = [one.choice.group.label for one in decision.recommendations]
        sentences = [f"{label}: {sentence}" for label, sentence in zip(groups, sentences, strict=True)]
    sentences = [*(one.sentence for one in (*decision.platforms, *decision.upgrades)), *sentences]
    if decision.fidelity:
        sentences.insert(0, likeness_sentence(decision.fidelity, decision.baseline))
    blocks = "block" if counts.blocks == 1 else "blocks"
    tail = [f"{counts.trials - counts.void} of {counts.trials} trials count, in {counts.blocks} {blocks}."]
    if decision.undecided:
        tail.append(f"Undecided: {len(decision.undecided)} primary comparisons, e.g. {decision.undecided[0]}")
    if decision.caveats:
        more = f" (and {len(decision.caveats) - 1} more caveats)" if len(decision.caveats) > 1 else ""
        tail.append(decision.caveats[0].message + more)
    room = MOST_LINES - len(tail)
    if len(sentences) > room:
        sentences = [*sentences[: room - 1], f"… and {len(sentences) - room + 1} more answers in the report."]
    return [one_line(line) for line in (*sentences, *tail)]
