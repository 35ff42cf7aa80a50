"""The bench's figures, from samples to medians."""

from __future__ import annotations

import pytest

from workloads.bench import WORK
from workloads.bench.figures import Cost, Samples, cost, summary
from workloads.errors import BenchError


def samples(begin_s: float, seconds: int, warm_us: float, per_s: int = 1000, cold_s: int = 3) -> Samples:
    """A client that needs ten times the CPU in its first seconds."""
    found, cpu_s = [[begin_s, 0.0, 0.0, 0.0]], 0.0
    for second in range(1, seconds + 1):
        cpu_s += per_s * warm_us * (10 if second <= cold_s else 1) / 1e6
        found.append([begin_s + second, float(per_s * second), cpu_s, 0.0])
    return found


def test_the_warm_up_is_left_out() -> None:
    measured = cost(samples(100, 20, 50), samples(100.5, 20, 40), warmup=3500)
    assert measured.cpu_us_per_op == pytest.approx(50)
    assert measured.floor_cpu_us_per_op == pytest.approx(40)
    assert measured.ratio == pytest.approx(1.25)


def test_a_warm_up_that_is_too_short_shows() -> None:
    assert cost(samples(100, 20, 50), samples(100, 20, 40), warmup=1000).cpu_us_per_op > 90


def test_both_are_measured_in_the_same_seconds() -> None:
    late = samples(110, 20, 40)
    for sample in late[15:]:  # when the other has ended
        sample[2] += 1.0
    assert cost(samples(100, 20, 50), late, warmup=3000).floor_cpu_us_per_op == pytest.approx(40)


@pytest.mark.parametrize(
    ("ours", "floor", "message"),
    [
        pytest.param(samples(100, 2, 50), samples(100, 20, 40), "a client did 2000 operations, of 3000", id="short"),
        pytest.param([], samples(100, 20, 40), "a client did 0 operations", id="none"),
        pytest.param(samples(100, 5, 50), samples(104, 20, 40), "before the other had warmed up", id="apart"),
    ],
)
def test_what_is_no_comparison_is_refused(ours: Samples, floor: Samples, message: str) -> None:
    with pytest.raises(BenchError, match=message):
        cost(ours, floor, warmup=3000)


def test_medians_of_each_figure_with_all_rounds() -> None:
    told = summary([Cost(60, 50), Cost(44, 40), Cost(130, 100)])
    assert (told["cpu_us_per_op"], told["floor_cpu_us_per_op"], told["ratio"]) == (60, 50, 1.2)
    assert [one["ratio"] for one in told["rounds"]] == [1.2, 1.1, 1.3]


def test_every_operation_is_measured_after_its_warm_up() -> None:
    assert set(WORK) == {"insert", "insert_batched", "rmw"}
    assert all(work.warmup < work.operations for work in WORK.values())
