"""YCSB's status lines (`-s`, on stderr): how far a client is and how fast, for a person who waits."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_STATUS = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d:\d{3} (\d{1,10}) sec: (\d{1,18}) operations; (.{0,20000})")
_RATE = re.compile(r"(\d{1,12}(?:[.,]\d{1,2})?) current ops/sec; ")  # a decimal comma in some languages
# while nothing moves YCSB guesses 106751991167300 days: more digits than are believed here
_LEFT = re.compile(r"est completion in ((?:\d{1,9} (?:day|hour|minute|second)s? ){1,3})")
_SERIES = re.compile(r"\[([^\[\]:]{1,100}): Count=(\d{1,18}), [^\]]{0,500}?, 99=(\d{1,12}(?:[.,]\d{1,2})?), ")
_UNIT_S = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}


@dataclass(frozen=True)
class Status:
    """A client's state: figures of the last interval, and its own coarse guess of the time left, if it has one."""

    elapsed_s: int
    operations: int
    current_ops_per_s: float
    left_s: int | None
    p99_us: dict[str, float]

    @classmethod
    def of_all(cls, clients: "Iterable[Status]") -> "Status":
        """Several clients' states as one: sums, and of times the longest."""
        every = list(clients)
        left = [one.left_s for one in every if one.left_s is not None]
        names = {name for one in every for name in one.p99_us}
        return cls(
            elapsed_s=max(one.elapsed_s for one in every),
            operations=sum(one.operations for one in every),
            current_ops_per_s=sum(one.current_ops_per_s for one in every),
            left_s=max(left, default=None),
            p99_us={name: max(one.p99_us.get(name, 0.0) for one in every) for name in names},
        )


def read_status_line(line: str) -> Status | None:
    """Read a status line; None for any other line. `p99_us` holds the operations seen in the last interval."""
    match = _STATUS.search(line)
    if match is None:
        return None
    rest = match[3]
    rate, left = _RATE.match(rest), _LEFT.search(rest)
    return Status(
        elapsed_s=int(match[1]),
        operations=int(match[2]),
        current_ops_per_s=_number(rate[1]) if rate else 0.0,
        left_s=_seconds(left[1]) if left else None,
        p99_us={name: _number(p99) for name, count, p99 in _SERIES.findall(rest) if int(count)},
    )


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def _seconds(text: str) -> int:
    parts = re.findall(r"(\d+) (day|hour|minute|second)", text)
    return sum(int(number) * _UNIT_S[unit] for number, unit in parts)
