"""How unevenly keys are used, from the keys of some of the operations, as tokens that tell only which are equal."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

SHARES = (0.001, 0.01, 0.1)
"""Of all keys, the hottest first."""
FEWEST = 1000
"""Operations below which nothing is said of the skew."""
_FOLDS = 10
_ALMOST_ALL = 0.9999
_UNIFORM = 0.02


class KeyUse:
    """Counts how often each key was used.

    The hottest keys of a sample look hotter than they are: some are among them by chance. So they are chosen by nine
    tenths of the operations, and their share is that among the other tenth; each tenth has its turn.
    """

    def __init__(self) -> None:
        """No operation yet."""
        self._counts: tuple[Counter[int], ...] = tuple(Counter() for _ in range(_FOLDS))
        self.operations = 0

    def add(self, token: int) -> None:
        """Count an operation on a key."""
        self._counts[self.operations % _FOLDS][token] += 1
        self.operations += 1

    def shares(self, keys: int) -> tuple[tuple[float, float], ...]:
        """Pairs of a share of the keys, the hottest ones, and their share of the operations.

        `keys` is how many there are, used or not. Empty where too few operations were seen to tell.
        """
        if self.operations < FEWEST or keys < 1:
            return ()
        every: Counter[int] = sum(self._counts, Counter())
        wanted = [share for share in SHARES if share * keys >= 1]
        found = [[_share(every, held, round(share * keys), keys) for held in self._counts] for share in wanted]
        highest, told = 0.0, []
        for share, each in zip(wanted, found, strict=True):
            highest = max(highest, share, sum(each) / _FOLDS)
            told.append((share, round(min(_ALMOST_ALL, highest), 4)))
        return tuple(told)


def is_uniform(shares: tuple[tuple[float, float], ...]) -> bool:
    """Whether keys are used about evenly."""
    return all(operations - keys < _UNIFORM for keys, operations in shares)


def _share(every: Counter[int], held: Counter[int], hottest: int, keys: int) -> float:
    """The share of a held-out tenth that the hottest keys by all others have.

    Of keys that were used equally often, all are as likely to be among the hottest; so are those that were not used.
    """
    others = {token: count - held.get(token, 0) for token, count in every.items()}
    left, got = hottest, 0.0
    used = {token: count for token, count in others.items() if count}
    for _, tied in groupby(sorted(used, key=used.__getitem__, reverse=True), key=used.__getitem__):
        tokens = list(tied)
        part = min(1.0, left / len(tokens))
        got += part * sum(held.get(token, 0) for token in tokens)
        left -= min(left, len(tokens))
        if not left:
            break
    unused = keys - len(used)
    if left and unused > 0:
        got += min(1.0, left / unused) * sum(count for token, count in held.items() if token not in used)
    whole = sum(held.values())
    return got / whole if whole else 0.0
