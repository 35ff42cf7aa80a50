"""Whether the hosts stayed as they were: canaries before and after each block, held against the run's median.

Those before blocks are held against those before the others, and those after likewise: a block leaves its host with
dirty pages and a filled cache, so that its disk canary is slower after it than before it in any run.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Literal, get_args

from pydantic import Field

from core.bounds import Block, Positive, Word
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Work = Literal["CPU", "disk"]


class Canary(Part):
    """One host's speed at one moment, by a short fixed piece of work."""

    block: Block
    moment: Literal["before", "after"]
    host: Word
    cpu_bytes_per_s: Positive = Field(description="Bytes per second compressed by one core.")
    disk_bytes_per_s: Positive | None = Field(
        description="Bytes per second written and synced; None for a host that only runs clients."
    )
    at: Word = Field(description="UTC, ISO 8601.")

    def rate(self, work: Work) -> float | None:
        """Its figure for one kind of work."""
        return self.cpu_bytes_per_s if work == "CPU" else self.disk_bytes_per_s


@dataclass(frozen=True)
class Moved:
    """A canary beyond the limit: its block may have run on a faster or slower host than the other blocks."""

    block: int
    moment: str
    host: str
    work: Work
    percent: float
    """Against the run's median; negative is slower."""

    def __str__(self) -> str:
        speed = "faster" if self.percent > 0 else "slower"
        return (
            f"{self.moment} it, {self.host}'s {self.work} was {abs(self.percent):.0f} % {speed} "
            f"than its median {self.moment} a block"
        )


def moved(canaries: Sequence[Canary], limit_percent: float) -> Iterator[Moved]:
    """The canaries that differ by more than `limit_percent` from their host's median at that moment, by block."""
    by_kind: dict[tuple[str, Work, str], list[tuple[Canary, float]]] = {}
    for canary in canaries:
        for work in get_args(Work):
            if (rate := canary.rate(work)) is not None:
                by_kind.setdefault((canary.host, work, canary.moment), []).append((canary, rate))
    found = [one for (_, work, _), rates in by_kind.items() for one in _moved(rates, work, limit_percent)]
    yield from sorted(found, key=lambda one: (one.block, one.host))


def _moved(rates: Sequence[tuple[Canary, float]], work: Work, limit_percent: float) -> Iterator[Moved]:
    usual = median(rate for _, rate in rates)
    for canary, rate in rates:
        percent = 100 * (rate / usual - 1)
        if abs(percent) > limit_percent:
            yield Moved(canary.block, canary.moment, canary.host, work, percent)
