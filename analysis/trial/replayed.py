"""What makes a replay void, and what is only a caveat: answers, documents, and how late operations began."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.trial.records import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analysis.trial.records import Phase

LATENESS = "LATENESS"
"""The series of how late operations began: no operation itself."""
_LATE_US = 5000.0


def replay_faults(phase: Phase, most_unequal: int | None, before: int, after: int) -> Iterator[Reason]:
    """Answers that differ from the recorded ones, and documents, `before` and `after` it, that no answer accounts for.

    Args:
        phase: Of a replay; another has no such faults.
        most_unequal: Answers that may differ; None: any number.
        before: Documents of the collection.
        after: Likewise.
    """
    replayed = phase.replayed
    if replayed is None:
        return
    if most_unequal is not None and replayed.all_unequal > most_unequal:
        kinds = ", ".join(f"{count:,} × {operation}" for operation, count in replayed.unequal.items())
        yield Reason(
            code="answers-differ",
            message=f"{phase.name}: {replayed.all_unequal:,} of {replayed.compared:,} answers differ from the recorded "
            f"ones in kind or count ({kinds}), and {most_unequal:,} may (replay.unequal_answers); first found: "
            + "; ".join(replayed.examples[:3]),
        )
    if after != before + replayed.documents_added:
        yield Reason(
            code="documents-lost" if after < before + replayed.documents_added else "documents-surplus",
            message=f"{phase.name}: the collection has {after:,} documents; by the answers {before:,} became "
            f"{before + replayed.documents_added:,}",
        )


def replay_caveats(phase: Phase) -> Iterator[Reason]:
    """What is verified instead of documents, answers that may differ, and operations that began late."""
    replayed = phase.replayed
    if replayed is None:
        return
    unknown = f"; of {replayed.not_recorded:,} the answer was not recorded" if replayed.not_recorded else ""
    yield Reason(
        code="replay-verified-by-answers",
        message=f"{phase.name}: documents were verified before the replay and counted after it; of what it wrote, the "
        f"answers were verified in kind and count: {replayed.compared:,} answers{unknown}",
    )
    if replayed.all_unequal:
        yield Reason(
            code="answers-differ",
            message=f"{phase.name}: {replayed.all_unequal:,} of {replayed.compared:,} answers differ from the recorded "
            f"ones; first found: {'; '.join(replayed.examples[:3])}",
        )
    late = next((one for one in phase.latencies if one.operation == LATENESS), None)
    if late is not None and late.p99_us > _LATE_US:
        yield Reason(
            code="replay-late",
            message=f"{phase.name}: 1 % of the operations began {late.p99_us / 1000:.1f} ms and more after their time "
            f"(p50 {late.p50_us / 1000:.1f} ms, at most {late.max_us / 1000:.0f} ms): the server, or the host, can't "
            "keep up with the recording at this speed",
        )
