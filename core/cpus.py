"""Lists of cores as Linux writes them, such as `0,2-3`."""

from __future__ import annotations

import re

HIGHEST_CORE = 8191  # Linux counts no further
_RANGE = re.compile(r"([0-9]{1,4})(?:-([0-9]{1,4}))?")


def cores_of(cpus: str) -> set[int]:
    """The numbers in a list of cores and ranges of cores, comma between them, each from the lower to the higher.

    Raises:
        ValueError: it is no such list; says why.
    """
    found: set[int] = set()
    for part in cpus.split(","):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise ValueError(f"{part[:40]!r} is not a core or range of cores such as 0-3")
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last <= HIGHEST_CORE:
            raise ValueError(f"{part!r} is not a range of cores: it goes from lower to higher, up to {HIGHEST_CORE}")
        found.update(range(first, last + 1))
    return found
