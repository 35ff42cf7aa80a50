"""How large neighbouring templates are at most, which their mean does not tell: some are far larger than others."""

from collections.abc import Sequence

import numpy as np

MOST = 2**14


def largest_sums(sizes: Sequence[int]) -> tuple[int, ...]:
    """Give the largest sums of 1, 2, 4, … `MOST` sizes in a row; after the last one the first one comes again."""
    ends = np.concatenate(([0], np.cumsum(np.asarray(sizes, dtype=np.int64))))
    twice = np.concatenate((ends, ends[-1] + ends[1:]))
    found = []
    for power in range(MOST.bit_length()):
        cycles, part = divmod(2**power, len(sizes))
        rows = twice[part : part + len(sizes)] - twice[: len(sizes)]
        found.append(cycles * int(ends[-1]) + int(rows.max()))
    return tuple(found)


def at_most(sums: Sequence[int], count: int) -> int:
    """Say what no row of `count` sizes exceeds, from 1 to `MOST`: exact for powers of two.

    A row is as large as its parts together, and not larger than a longer one.
    """
    parts = sum(one for power, one in enumerate(sums) if count >> power & 1)
    return min(parts, sums[(count - 1).bit_length()])
