"""Looking after every block: how the accepted rate of false claims is spent over the looks.

A test that is looked at after each of several blocks, each time at the full level, errs at one of them far too often.
Here the look at n blocks may spend only its share of the level, and all shares together are 1. Whatever made somebody
stop at a look, a false claim there needed a p-value below that look's share: by Bonferroni's inequality all looks
together err at most as often as one look of a fixed design. That takes nothing for granted of how the looks depend on
each other, nor of the scatter, so it holds for t tests with few degrees of freedom. p-values divided by their share
stay p-values under any stopping, and Holm's correction over them stays valid; intervals at the level of their share
hold at all looks at once.
"""

from __future__ import annotations

from functools import lru_cache

from pydantic import Field

from core.model import Part

SPENDING_POWER = 1.5
"""Spent up to n of N blocks: (n/N) to this power (Kim and DeMets 1987). More keeps more for the last looks."""


class Looks(Part):
    """The numbers of blocks after which a campaign may be stopped: every one from `fewest` to `most`."""

    fewest: int = Field(ge=2, description="Blocks at the first look.")
    most: int = Field(ge=2, description="Blocks at the last one.")

    def share(self, n: int) -> float:
        """What the look at n blocks may spend of the level; 0 where there is no look."""
        return _share(self.fewest, self.most, n)


@lru_cache(maxsize=4096)
def _share(fewest: int, most: int, n: int) -> float:
    if not fewest <= n <= most:
        return 0.0
    before = (n - 1) / most if n > fewest else 0.0
    return float((n / most) ** SPENDING_POWER - before**SPENDING_POWER)
