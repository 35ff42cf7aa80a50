"""What voids a replay, what is only flagged, and the metrics of one."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.stats.metrics import metric, operation_of, readings
from analysis.trial.records import Latency, Phase, Replayed
from analysis.trial.replayed import LATENESS, replay_caveats, replay_faults
from analysis.trial.validity import caveats, phase_faults
from tests.analysis.synthetic import SNAPPY, campaign
from tests.analysis.synthetic import phase as synthetic_phase


def phase(p99_us: float = 900.0, **told: Any) -> Phase:
    plain = synthetic_phase("traffic", "FIND+UPDATE", 100.0, 2_000, 100, 1000)
    late = plain.latencies[0].model_copy(update={"operation": LATENESS, "p99_us": p99_us, "kind": "actual"})
    replayed = Replayed(**{"compared": 1000, "not_recorded": 0, "unequal": {}, "documents_added": 5} | told)
    return plain.model_copy(update={"replayed": replayed, "latencies": (*plain.latencies, late)})


def test_equal_answers_and_documents_are_no_fault() -> None:
    assert list(replay_faults(phase(), 0, 100, 105)) == []
    (told,) = replay_caveats(phase())
    assert told.code == "replay-verified-by-answers"
    assert "1,000 answers" in told.message


@pytest.mark.parametrize(("most", "codes"), [(0, ["answers-differ"]), (2, ["answers-differ"]), (3, []), (None, [])])
def test_answers_may_differ_as_often_as_the_spec_says(most: int | None, codes: list[str]) -> None:
    found = list(replay_faults(phase(unequal={"FIND": 2, "UPDATE": 1}, examples=["FIND at 1.5 s"]), most, 100, 105))
    assert [one.code for one in found] == codes
    assert all("2 × FIND, 1 × UPDATE" in one.message and "FIND at 1.5 s" in one.message for one in found)


@pytest.mark.parametrize(("after", "code"), [(104, "documents-lost"), (106, "documents-surplus")])
def test_documents_are_as_many_as_the_answers_say(after: int, code: str) -> None:
    (fault,) = replay_faults(phase(), 0, 100, after)
    assert fault.code == code
    assert "100 became 105" in fault.message


def test_a_late_replay_and_unknown_answers_are_flagged() -> None:
    found = {one.code: one.message for one in replay_caveats(phase(8000.0, not_recorded=7, unequal={"FIND": 1}))}
    assert "began 8.0 ms and more after their time" in found["replay-late"]
    assert "of 7 the answer was not recorded" in found["replay-verified-by-answers"]
    assert "1 of 1,000 answers differ" in found["answers-differ"]


def test_recorded_idleness_is_neither_a_standstill_nor_unsteady() -> None:
    idle = phase().model_copy(update={"series_per_s": (100.0, *[0.0] * 30, 5.0, 5.0, 900.0)})
    assert list(phase_faults(idle, 0)) == []
    found = caveats([idle], [], None, {"traffic": (0, 0)})
    assert not {"stalled", "not-steady"} & {one.code for one in found}


def test_its_metrics_have_lateness_and_unequal_answers() -> None:
    record = campaign(blocks=1, arms=(SNAPPY,))[0]
    replayed = phase(unequal={"FIND": 5})
    record = record.model_copy(update={"phases": (record.phases[0], replayed)})
    found = {one.key: reading.value for one, _, reading in readings(record)}
    assert found["traffic.answers_unequal"] == 0.005
    assert found["traffic.lateness.p99"] == 900.0
    assert metric("traffic.find-and-modify.p99").workload == "traffic"
    assert operation_of("traffic.get-more.p50") == ("traffic", "get-more")


def test_other_phases_have_none_of_it() -> None:
    plain = synthetic_phase("rmw", "READ-MODIFY-WRITE", 100.0, 2_000, 100, 1000)
    assert isinstance(plain.latencies[0], Latency)
    assert list(replay_faults(plain, 0, 1, 2)) == []
    assert list(replay_caveats(plain)) == []
