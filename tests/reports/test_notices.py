"""What limits a run is said in one line each, the full words behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest

from analysis.decide.caveats import Caveat
from analysis.trial.canaries import Moved
from reports.material import Material
from reports.page.notices import LONGEST, notices
from tests.analysis.synthetic import campaign
from tests.reports.sample import run

if TYPE_CHECKING:
    from analysis.trial.records import TrialRecord

CODES = get_args(Caveat.model_fields["code"].annotation)
LONG = "This is a sentence that explains at some length what happened, why it did, and what it means for the reader."


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("code", CODES)
def test_every_caveat_has_a_line_that_fits_and_its_words_behind_it(code: str, count: int) -> None:
    told = run(campaign(blocks=2))
    messages = [f"{LONG} ({number})" for number in range(count)]
    caveats = tuple(Caveat.model_validate({"code": code, "message": message}) for message in messages)
    object.__setattr__(told, "decision", told.decision.model_copy(update={"caveats": caveats}))
    (found,) = notices(Material(told))
    if code not in {"no-trials", "moved-block"}:  # said in so many words, or from the canaries themselves
        assert len(found.text) <= LONGEST
    assert found.details == tuple(messages)


@pytest.mark.parametrize(
    ("percents", "said"),
    [
        ((-42.0, -20.0), "The machine was slower than usual around blocks 1 and 2"),
        ((20.0,), "The machine was faster than usual around block 1"),
        ((-20.0, 30.0), "The machine's speed changed around blocks 1 and 2"),
    ],
)
def test_moved_canaries_are_said_as_the_machines_speed(percents: tuple[float, ...], said: str) -> None:
    moved = tuple(Moved(block, "before", "bench-1", "disk", percent) for block, percent in enumerate(percents))
    records: list[TrialRecord] = campaign()
    found = {notice.text: notice.details for notice in notices(Material(run(records, moved=moved)))}
    assert len(found[said]) == len(percents)
    assert "bench-1's disk was" in found[said][0]
