"""The stages of trials that take turns, their order, and who has the floor."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible.module_utils.pressgauge.clients.turns import Turns
from ansible.module_utils.pressgauge.failures import Failure
from harness.plan.trials import plan_block
from harness.plan.turns import LEAVE, Stage, order, stages
from harness.run.turn_keeper import Floor, TurnKeeper
from harness.spec.campaign import Campaign
from harness.spec.phases import Pace
from tests.campaigns import spec_of

if TYPE_CHECKING:
    from pathlib import Path

TRIALS = ["a", "b", "c"]
STEP, LOAD = Stage("empty"), Stage("load", 2.0, 0.5, warm_ups=1, rounds=None)
STAGES = (STEP, LOAD, Stage("loaded"), Stage("upgrade"), Stage("verify", together=True))
FOUR = {name: {"block_compressor": name} for name in ("none", "snappy", "zlib", "zstd")}


def campaign(**changes: object) -> Campaign:
    return Campaign.model_validate(spec_of(27117, arms=FOUR, **changes))


def test_stages_of_a_campaign() -> None:
    workloads = {
        "rmw": {"warmup_s": 5, "measure_s": 10},
        "counted": {"warmup_s": 0, "measure_s": None, "operations": 500},
        "paced": {"warmup_s": 2, "measure_s": 4, "pace": {"of": "rmw"}, "maintenance": "compact"},
    }
    spec = campaign(workloads=workloads, turns={"seconds": 3, "cut_s": 0.5}, load={"warmup_s": 3})
    found = stages(spec, spec.workloads, clients=1)
    assert [stage.name for stage in found] == [
        "empty", "load", "loaded", "upgrade", "rmw", "after-rmw", "counted", "after-counted", "before-paced",
        "paced", "after-paced", "verify",
    ]  # fmt: skip
    by_name = {stage.name: stage for stage in found}
    assert (by_name["load"].warm_ups, by_name["load"].rounds) == (1, None)
    assert (by_name["rmw"].warm_ups, by_name["rmw"].rounds) == (2, 4)  # four times 2.5 s are measured
    assert (by_name["load"].warm_operations, by_name["load"].most_warm_ups) == (1_000, 20)  # half of 2,000 documents
    assert (by_name["rmw"].warm_operations, by_name["counted"].warm_operations) == (3_000, 0)
    assert stages(spec, spec.workloads, clients=2)[4].warm_operations == 6_000  # each has a compiler of its own
    assert by_name["counted"].rounds is None
    assert by_name["paced"].pace == Pace(of="rmw")
    assert by_name["after-rmw"].seconds is by_name["before-paced"].seconds is None


def test_each_cell_has_each_place_and_each_neighbour_equally_often() -> None:
    spec = campaign()
    trials = plan_block(spec, 0)
    rows = [[trial.cell.arm for trial in order(spec, trials, 3, round_)] for round_ in range(8)]
    for place in range(4):
        assert Counter(row[place] for row in rows) == dict.fromkeys(FOUR, 2)
    behind = Counter(pair for row in rows for pair in itertools.pairwise(row))
    assert set(behind.values()) == {2}
    assert len(behind) == 12


@pytest.mark.parametrize("round_", [0, 1, 5])
def test_over_as_many_blocks_as_trials_each_round_is_balanced_too(round_: int) -> None:
    """What has one round only, such as a start, would else favour whoever the draw puts first."""
    spec = campaign()
    rows = [[one.cell.arm for one in order(spec, plan_block(spec, block), 2, round_)] for block in range(4, 8)]
    assert all(len(set(column)) == 4 for column in zip(*rows, strict=True))
    behind = Counter(pair for row in rows for pair in itertools.pairwise(row))
    assert (set(behind.values()), len(behind)) == ({1}, 12)


class Played:
    """Trials that do as they are told, but for those that fail at some turn of theirs."""

    def __init__(self, floor: Floor, loads: dict[str, int], fails: dict[str, int]) -> None:
        self.floor, self.left, self.fails = floor, dict(loads), fails
        self.script = {trial: iter(["empty", "load", "loaded", "verify"]) for trial in floor.trials}
        self.turns: list[tuple[str, str, int]] = []
        self.together: list[tuple[str, set[str]]] = []
        """Who was let in to verify, and who waited then."""
        self.taken: Counter[str] = Counter()

    def play(self) -> None:
        for trial in self.floor.trials:
            self.floor.ask(trial, next(self.script[trial]))
        while given := self.floor.next():
            trial, stage, round_ = given
            self.turns.append((trial, stage.name if stage else LEAVE, round_))
            if stage and stage.together:
                self.together.append((trial, set(self.floor.waiting)))
                self.floor.ask(trial, LEAVE)
                continue
            assert self.floor.next() is None, "the floor is given to two"
            if stage is None:
                self.floor.over(trial, LEAVE, finished=True, operations=0, seconds=0)
                continue
            self.taken[trial] += 1
            if self.taken[trial] == self.fails.get(trial):
                self.floor.ask(trial, LEAVE)
                continue
            self._work(trial, stage)

    def _work(self, trial: str, stage: Stage) -> None:
        if stage.name == "load":
            self.left[trial] -= 1
        finished = stage.name != "load" or self.left[trial] == 0
        self.floor.over(trial, stage.name, finished=finished, operations=10, seconds=1.5)
        self.floor.ask(trial, next(self.script[trial]) if finished else "load")


@given(
    st.fixed_dictionaries({trial: st.integers(1, 5) for trial in TRIALS}),
    st.dictionaries(st.sampled_from(TRIALS), st.integers(1, 6)),
)
def test_all_come_to_their_end_stage_by_stage(loads: dict[str, int], fails: dict[str, int]) -> None:
    floor = Floor(STAGES, TRIALS, lambda stage, round_: TRIALS if (stage + round_) % 2 else TRIALS[::-1])
    played = Played(floor, loads, fails)
    played.play()
    assert {trial for trial, stage, _ in played.turns if stage == LEAVE} == set(TRIALS)
    assert floor.holder is None
    assert not floor.waiting
    names = [stage.name for stage in STAGES]
    regular = [names.index(stage) for _, stage, _ in played.turns if stage != LEAVE]
    assert regular == sorted(regular), "no trial begins a stage before all others are done with the one before"
    well = [
        trial for trial in TRIALS if fails.get(trial, 99) > loads[trial] + 2
    ]  # those with no such turn come through
    assert Counter(trial for trial, _ in played.together) == Counter(well)
    for trial in well:
        rounds = [round_ for one, stage, round_ in played.turns if (one, stage) == (trial, "load")]
        assert rounds == list(range(loads[trial]))


def test_operations_of_warm_ups_are_no_rate_and_the_slowest_sets_the_pace() -> None:
    paced = Stage("paced", 2.0, pace=Pace(of="load", fraction=0.5), threads=2)
    floor = Floor((LOAD, paced), ["a", "b"], lambda *_: ["a", "b"])
    for round_, (fast, slow) in enumerate([(9_000, 9_000), (100, 40), (110, 50)]):
        for trial, operations in (("a", fast), ("b", slow)):
            floor.ask(trial, "load")
            assert floor.next() == (trial, LOAD, round_)
            floor.over(trial, "load", finished=round_ == 2, operations=operations, seconds=1.5)
    assert floor.done["load"] == {"a": (210, 3.0), "b": (90, 3.0)}
    assert floor.pace_per_s(paced) == 15


def test_none_is_measured_before_all_are_warm() -> None:
    rmw = Stage("rmw", 2.0, warm_ups=1, warm_operations=1_000, most_warm_ups=9, rounds=2)
    assert measured_rounds(rmw, a=600, b=2_000) == [2, 3]  # a has done 1,200 after two rounds
    assert measured_rounds(rmw, a=5_000, b=5_000) == [1, 2]  # seconds, too
    assert measured_rounds(rmw, a=1, b=5_000) == [9, 10]  # no longer than that


def measured_rounds(stage: Stage, **rates: int) -> list[int]:
    """The rounds in which trials that do so many operations a turn are measured."""
    floor, measured = Floor((stage,), list(rates), lambda *_: list(rates)), []
    for trial in rates:
        floor.ask(trial, stage.name)
    while given := floor.next():
        trial, _, round_ = given
        if floor.measured_from is not None:
            measured.append(round_)
        last = stage.is_last(round_, floor.measured_from)
        floor.over(trial, stage.name, finished=last, operations=rates[trial], seconds=2.0)
        if not last:
            floor.ask(trial, stage.name)
    return sorted(set(measured))


def test_a_trial_that_is_no_more_is_not_waited_for() -> None:
    floor = Floor(STAGES[:1], TRIALS, lambda *_: TRIALS)
    floor.ask("b", "empty")
    floor.ask("c", "empty")
    assert floor.next() is None  # a comes first
    floor.leave("a")
    assert floor.next() == ("b", STEP, 0)
    floor.leave("b")  # it had the floor
    assert floor.next() == ("c", STEP, 0)


def test_over_a_socket(tmp_path: Path) -> None:
    """Two trials' tasks at the same time, in a folder with a name longer than a socket may have."""
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    heard: list[str] = []

    def tasks(trial: str) -> None:
        turns = Turns(folder / "floor", trial)
        for stage in STAGES[:3]:
            finished = False
            while not finished:
                grant = turns.ask(stage.name)
                heard.append(f"{trial} {stage.name} {grant.round} {'measured' if grant.measured else ''}")
                finished = stage.seconds is None or grant.round == 1
                turns.over(stage.name, finished=finished, operations=5, seconds=1.5)

    with TurnKeeper(folder / "floor", Floor(STAGES, ["a", "b"], lambda *_: ["b", "a"])) as keeper:
        threads = [threading.Thread(target=tasks, args=(trial,)) for trial in ("a", "b")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert keeper.floor.done == {"load": {"a": (5, 1.5), "b": (5, 1.5)}}
    assert [line.strip() for line in heard] == [
        "b empty 0", "a empty 0", "b load 0", "a load 0", "b load 1 measured", "a load 1 measured", "b loaded 0",
        "a loaded 0",
    ]  # fmt: skip
    with pytest.raises(Failure, match="the turn keeper is gone"):
        Turns(folder / "floor", "a").ask("loaded")


def test_a_stage_that_there_is_not_is_not_waited_for(tmp_path: Path) -> None:
    with (
        TurnKeeper(tmp_path / "floor", Floor(STAGES, ["a"], lambda *_: ["a"])),
        pytest.raises(Failure, match="the turn keeper is gone"),
    ):
        Turns(tmp_path / "floor", "a").ask("after rmw")


def test_a_task_that_is_gone_gets_no_turn(tmp_path: Path) -> None:
    with TurnKeeper(tmp_path / "floor", Floor(STAGES[:1], ["a", "b"], lambda *_: ["a", "b"])) as keeper:
        waiting = threading.Thread(target=lambda: Turns(tmp_path / "floor", "b").ask("empty"))
        waiting.start()
        keeper.gone("a")
        waiting.join(60)
        assert not waiting.is_alive()
        assert keeper.floor.holder == "b"


def test_what_all_do_together_begins_when_all_have_come_to_it(tmp_path: Path) -> None:
    """And nobody has to give it back, or to do what comes before it."""
    floor = Floor((STEP, Stage("upgrade"), Stage("verify", together=True)), ["a", "b"], lambda *_: ["a", "b"])
    floor.ask("a", "empty")
    floor.ask("b", "upgrade")
    assert floor.next() == ("a", STEP, 0)
    floor.over("a", "empty", finished=True, operations=0, seconds=0)
    floor.ask("a", "verify")
    assert floor.next() == ("b", Stage("upgrade"), 0)
    floor.over("b", "upgrade", finished=True, operations=0, seconds=0)
    assert floor.next() is None
    floor.ask("b", "verify")
    assert [given[0] for given in (floor.next(), floor.next()) if given] == ["a", "b"]
    assert floor.holder is None
    assert floor.next() is None
    floor.ask("a", LEAVE)
    assert floor.next() == ("a", None, -1)
    floor.over("a", LEAVE, finished=True, operations=0, seconds=0)  # when there is no stage any more
    with TurnKeeper(tmp_path / "floor", Floor(STAGES[-1:], ["a", "b"], lambda *_: ["a", "b"])) as keeper:
        asking = [Turns(tmp_path / "floor", trial) for trial in ("a", "b")]
        threads = [threading.Thread(target=turns.ask, args=("verify",)) for turns in asking]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
        assert not keeper.floor.waiting
