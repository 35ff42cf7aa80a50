"""Words for words: of the same length and case, with letters as words of the same path have them, one to one."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from itertools import accumulate, chain, product

MOST_WORDS = 500_000
"""That are remembered: so no two of them become the same one."""
_LEAST_SEEN = 4
"""A letter follows others as it does in so many different words at least: no word's spelling is one model's own."""
_LEAST_WORDS = 100
"""Of a path with a model of its own."""
_TRIES, _MORE_TRIES = 24, 200
_SHORT = 3
_ALPHABETS = {
    (1, True): range(ord("a"), ord("z") + 1),
    (2, True): range(0x430, 0x450),
    (3, True): range(0x1E01, 0x1E96, 2),
    (4, True): range(0x10428, 0x10450),
    (2, False): range(0x621, 0x64B),
    (3, False): range(0x4E00, 0x4F00),
    (4, False): range(0x1F400, 0x1F500),
}
"""By bytes of UTF-8, and whether they have a capital of the same length. Used where words don't tell enough letters."""

Context = tuple[tuple[int, bool], str]
"""What kind of letter follows which."""


class _Model:
    """How often which letter follows which two."""

    def __init__(self) -> None:
        self._counts: dict[Context, Counter[str]] = {}
        self._seen = Counter[Context]()
        self._drawn: dict[Context, tuple[str, list[int]]] = {}
        self.words = 0

    def learn(self, word: str, times: int) -> None:
        """Learn a word that is there so many times."""
        self.words += 1
        before = "^^"
        for letter in word:
            kind = _kind(letter)
            for context in ((kind, before), (kind, before[1]), (kind, "")):
                self._counts.setdefault(context, Counter())[letter] += times
                self._seen[context] += 1
            before = before[1] + letter

    def draw(self, kind: tuple[int, bool], before: str, number: int) -> str | None:
        """Give a letter of a kind after two others, by 32 bits; None where too few words tell."""
        for context in ((kind, before), (kind, before[1]), (kind, "")):
            found = self._drawn.get(context)
            if found is None:
                counts = self._counts.get(context, Counter())
                found = self._drawn[context] = ("".join(counts), list(accumulate(counts.values())))
            letters, sums = found
            if self._seen[context] >= _LEAST_SEEN:
                return letters[bisect_right(sums, number * sums[-1] >> 32)]
        return None


class Words:
    """Maps words. First all of them are learned, then they are mapped."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._models: dict[bytes, _Model] = {}
        self._owner: dict[str, bytes] = {}
        self._times = Counter[str]()
        self._all = _Model()
        self._tokens: dict[str, str] = {}
        self._used = set[str]()

    def learn(self, word: str, path: bytes) -> None:
        """Learn a word from a value of a path; what was learned already belongs to the first path."""
        folded = _folded(word)
        if folded in self._owner:
            self._times[folded] += 1
        elif len(self._owner) < MOST_WORDS:
            self._owner[folded] = path
            self._times[folded] = 1

    def learned(self) -> None:
        """Make models of what was learned, before the first word is mapped."""
        for word, path in self._owner.items():
            for model in (self._models.setdefault(path, _Model()), self._all):
                model.learn(word, self._times[word])

    def token(self, word: str) -> str:
        """Give the word for a word."""
        folded = _folded(word)
        found = self._tokens.get(folded)
        if found is None:
            found = self._free(folded) if folded in self._owner else self._other(folded)
        if folded == word:
            return found
        return "".join(new if old == low else new.upper() for new, old, low in zip(found, word, folded, strict=True))

    def _other(self, folded: str) -> str:
        """Give another word for one that was not learned; more of these may become the same one."""
        candidates = self._candidates(folded, _MORE_TRIES)
        first = next(candidates)
        return first if first != folded else next((one for one in candidates if one != folded), first)

    def _free(self, folded: str) -> str:
        """Give a word that stands for no other one; not one of the source's own, but where they are too short."""
        short = len(folded) <= _SHORT
        for number, one in enumerate(self._candidates(folded, _MORE_TRIES)):
            own = one == folded or (not short and number < 2 * _TRIES and one in self._owner)
            if not own and one not in self._used:
                break
        else:
            one = next(one for one in self._every(folded) if one not in self._used)
        self._used.add(one)
        self._tokens[folded] = one
        return one

    def _candidates(self, folded: str, tries: int) -> Iterator[str]:
        """Draw words by the model of the path, then by all words', then with any letters."""
        model = self._models.get(self._owner.get(folded, b""), self._all)
        if model.words < _LEAST_WORDS:
            model = self._all
        kinds = [_kind(letter) for letter in folded]
        for number in range(tries):
            models = [model, self._all][number // _TRIES :]
            out, before = "", "^^"
            for kind, draw in zip(kinds, self._draws(folded, number), strict=False):
                told = (one.draw(kind, before, draw) for one in models)
                alphabet = _ALPHABETS[kind]
                letter = next(filter(None, told), chr(alphabet[draw * len(alphabet) >> 32]))
                out += letter
                before = before[1] + letter
            yield out

    def _draws(self, folded: str, number: int) -> Iterator[int]:
        """Draw 32 bits after the other, for a try of a word."""
        data, part = folded.encode(), 0
        while True:
            digest = blake2b(
                data, key=self._key, digest_size=64, salt=number.to_bytes(4, "big") + part.to_bytes(4, "big")
            ).digest()
            yield from (int.from_bytes(digest[at : at + 4], "big") for at in range(0, 64, 4))
            part += 1

    def _every(self, folded: str) -> Iterator[str]:
        """Give all words of the same length and kinds of letters, those that were learned among them; itself last."""
        kinds = [_kind(letter) for letter in folded]
        drawn = map("".join, product(*(map(chr, _ALPHABETS[kind]) for kind in kinds)))
        learned = (one for one in self._owner if len(one) == len(folded) and list(map(_kind, one)) == kinds)
        yield from (one for one in chain(drawn, learned) if one != folded)
        yield folded


def _folded(word: str) -> str:
    """Give a word with small letters, where each has a capital of the same length."""
    if word.isascii():
        return word.lower()
    return "".join(low if _is_cased(low := letter.lower(), letter) else letter for letter in word)


def _is_cased(low: str, letter: str) -> bool:
    return len(low) == 1 and low.upper() == letter and _bytes(low) == _bytes(letter)


def _kind(letter: str) -> tuple[int, bool]:
    """Tell a small letter's bytes of UTF-8, and whether it has a capital."""
    if letter.isascii():
        return 1, True
    capital = letter.upper()
    cased = capital != letter and len(capital) == 1 and capital.lower() == letter and _bytes(capital) == _bytes(letter)
    return _bytes(letter), cased


def _bytes(letter: str) -> int:
    return len(letter.encode())
