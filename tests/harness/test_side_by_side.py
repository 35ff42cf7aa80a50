"""Works that take turns: all to their ends, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.hosts.playbooks import side_by_side

if TYPE_CHECKING:
    from collections.abc import Generator


def work(name: str, turns: int, diary: list[str], fails: bool = False) -> Generator[None, None, str]:  # noqa: FBT001
    try:
        for turn in range(turns):
            diary.append(f"{name}{turn}")
            yield
        if fails:
            raise KeyboardInterrupt
        return name
    finally:
        diary.append(f"{name} ended")


def test_works_take_turns_and_give_their_results_in_order() -> None:
    diary: list[str] = []
    assert side_by_side([work("a", 3, diary), work("b", 1, diary)]) == ["a", "b"]
    assert diary == ["a0", "b0", "a1", "b ended", "a2", "a ended"]


def test_what_one_raises_ends_the_others() -> None:
    diary: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        side_by_side([work("a", 9, diary), work("b", 1, diary, fails=True)])
    assert diary == ["a0", "b0", "a1", "b ended", "a ended"]
