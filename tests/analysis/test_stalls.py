"""Arms that stall now and then: found where turns show it, and not where all arms are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from analysis.decide.decision import decide
from analysis.stats.criteria import Criteria
from analysis.stats.stalls import unsteady_arms
from analysis.trial.records import Reason
from tests.analysis.simulate_stalls import Stalls, coverage, seen
from tests.analysis.synthetic import campaign
from tests.reports.sample import in_turns

if TYPE_CHECKING:
    from collections.abc import Callable

    from analysis.trial.records import TrialRecord, Turn


def with_turns(records: list[TrialRecord], change: Callable[[TrialRecord, Turn], Turn]) -> list[TrialRecord]:
    return [
        record.model_copy(
            update={
                "phases": tuple(
                    phase.model_copy(update={"turns": tuple(change(record, turn) for turn in phase.turns)})
                    for phase in record.phases
                )
            }
        )
        for record in records
    ]


def slowed(turn: Turn, factor: float) -> Turn:
    return turn.model_copy(update={"operations": int(turn.operations / factor)})


def test_an_arm_that_stalls_in_one_turn_of_five_is_a_caveat_in_one_line() -> None:
    rng = np.random.default_rng(2)

    def stall(record: TrialRecord, turn: Turn) -> Turn:
        return slowed(turn, 2.5) if record.cell.arm == "zlib" and rng.random() < 0.2 else turn

    records = with_turns(in_turns(campaign(blocks=4)), stall)
    caveats = [
        one.message for one in decide(records, Criteria(baseline="snappy")).caveats if one.code == "unsteady-arm"
    ]
    assert len(caveats) == 1
    assert caveats[0].startswith("zlib (6.0.5, sentences) stalls now and then: ")
    assert " times in 64 turns; all other arms: " in caveats[0]
    assert caveats[0].count(". ") == 1


@pytest.mark.parametrize("blocks", [3, 4, 8])
def test_arms_alike_are_not_named(blocks: int) -> None:
    """zlib, too, whose turns scatter more, and blocks in which the whole machine stood."""

    def moody(record: TrialRecord, turn: Turn) -> Turn:
        return slowed(turn, 4) if (record.block + turn.round) % 5 == 0 else turn

    records = in_turns(campaign(blocks=blocks))
    assert not list(unsteady_arms(records))
    assert not list(unsteady_arms(with_turns(records, moody)))


def test_one_bad_trial_is_no_habit() -> None:
    def bad(record: TrialRecord, turn: Turn) -> Turn:
        return slowed(turn, 3) if (record.cell.arm, record.block) == ("zlib", 1) and turn.round % 2 else turn

    assert not list(unsteady_arms(with_turns(in_turns(campaign(blocks=4)), bad)))


def test_trials_that_stood_still_count_where_there_are_no_turns() -> None:
    flag = Reason(
        code="stalled", message="rmw: from second 3 of the phase on, the database acknowledged nothing for 4 s"
    )
    records = [
        record.model_copy(update={"flags": (flag,)}) if record.cell.arm == "zlib" else record
        for record in campaign(blocks=6)
    ]
    (found,) = unsteady_arms(records)
    assert (found.arm, found.spells, found.looks, found.in_turns) == ("zlib", 6, 12, False)
    assert found.other_spells == 0


def test_wild_and_lonely_records_name_nobody() -> None:
    assert not list(unsteady_arms([]))
    assert not list(unsteady_arms(campaign(blocks=1)[:1]))
    stopped = with_turns(in_turns(campaign(blocks=2)), lambda _, turn: turn.model_copy(update={"operations": 0}))
    assert not list(unsteady_arms(stopped))


def test_intervals_do_not_hold_stalls_that_have_not_happened() -> None:
    """As docs/method.md says; should this change, it has to."""
    every, struck = coverage(4, Stalls(0.1, 3.0), 1_000)
    assert every < 0.7
    assert struck > 0.9
    assert coverage(4, Stalls(0.1, 2.5, "turns"), 1_000)[0] > 0.93


def test_an_arm_that_stalls_by_turns_is_mostly_named_and_bad_trials_of_any_arm_rarely() -> None:
    assert seen(4, Stalls(0.2, 2.5, "turns"), 60)[0] > 0.7
    assert sum(seen(4, Stalls(0.1, 2.5, "bad trials", alike=True), 60)) <= 0.1
