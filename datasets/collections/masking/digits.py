"""Digits for digits: under a secret key, one to one, and numbers that begin alike do so afterwards."""

from hashlib import blake2b

_MOST_REMEMBERED = 200_000
_SOME = 4096
_DECIMAL, _SIXTEEN = "0123456789", "0123456789abcdef"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_HEXADECIMAL = frozenset(_SIXTEEN)
_CHOSEN, _BLOCK = 16, 8


class _Permutations:
    """Permutations of some characters, for each prefix one of a few thousand that the key draws."""

    def __init__(self, key: bytes, name: str, of: str) -> None:
        self._key = blake2b(name.encode(), key=key).digest()
        self._of = of
        self._some: dict[int, str] = {}
        self._known: dict[str, str] = {}

    def after(self, prefix: str) -> str:
        """Give the permutation of what follows a prefix."""
        known = self._known.get(prefix)
        if known is None:
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            digest = blake2b(prefix.encode(), key=self._key, digest_size=2).digest()
            known = self._known[prefix] = self._one(digest)
        return known

    def deep(self, prefix: str) -> list[str]:
        """Give the permutations of the next characters, all of which what is before the first of them chooses."""
        digest = blake2b(prefix.encode(), key=self._key, digest_size=2 * _BLOCK, person=b"deep").digest()
        return [self._one(digest[at : at + 2]) for at in range(0, 2 * _BLOCK, 2)]

    def _one(self, digest: bytes) -> str:
        number = int.from_bytes(digest, "big") % _SOME
        known = self._some.get(number)
        if known is None:
            known = self._some[number] = self._drawn(number)
        return known

    def _drawn(self, number: int) -> str:
        digest = blake2b(number.to_bytes(4, "big"), key=self._key, digest_size=48, person=b"permutation").digest()
        rest, left, out = int.from_bytes(digest, "big"), list(self._of), ""
        while left:
            rest, one = divmod(rest, len(left))
            out += left.pop(one)
        return out


_Places = dict[str, tuple[_Permutations, int]]
"""What permutes a character, and which of its characters it is."""


class Digits:
    """Maps digits, each by a permutation that those before it choose.

    After Crypto-PAn (Xu, Fan, Ammar, Moon 2002), by digits instead of bits.
    """

    def __init__(self, key: bytes) -> None:
        self._ends = _Permutations(key, "ends", _DECIMAL[1:])
        self._inner = _Permutations(key, "inner", _DECIMAL)
        digits = _Permutations(key, "digits", _DECIMAL), _DECIMAL
        self._bytes = _places((_Permutations(key, "bytes", _SIXTEEN), _SIXTEEN))
        self._hexadecimal = _places(digits, (_Permutations(key, "hexadecimal", _LETTERS[:6]), _LETTERS[:6]))
        self._alphanumeric = _places(digits, (_Permutations(key, "letters", _LETTERS), _LETTERS))
        self._numbers: dict[tuple[str, int], str] = {}

    def number(self, digits: str, whole: int | None = None) -> str:
        """Map decimal digits, `whole` of them before the point. Zeros at both ends stay, and no others come there.

        So a number keeps its magnitude and its last place. Only numbers of the same magnitude begin alike.
        """
        core = digits.strip("0")
        if not core:
            return digits
        leading = len(digits) - len(digits.lstrip("0"))
        magnitude = (len(digits) if whole is None else whole) - leading
        known = self._numbers.get((core, magnitude))
        if known is None:
            if len(self._numbers) >= _MOST_REMEMBERED:
                self._numbers.clear()
            known = self._numbers[core, magnitude] = self._core(core, f"{magnitude}:")
        return digits[:leading] + known + digits[leading + len(core) :]

    def _core(self, core: str, prefix: str) -> str:
        out = self._ends.after(prefix)[int(core[0]) - 1]
        prefix += core[0]
        for digit in core[1:-1]:
            out += self._inner.after(prefix)[int(digit)]
            prefix += digit
        if len(core) > 1:
            out += self._ends.after(prefix)[int(core[-1]) - 1]
        return out

    def integer(self, value: int, low: int, high: int) -> int:
        """Map an integer to one of as many digits and its sign, between two bounds."""
        sign, digits = (-1, str(-value)) if value < 0 else (1, str(value))
        while True:  # a walk along a cycle, which comes back to where it began: so it is one to one
            digits = self.number(digits)
            if low <= sign * int(digits) <= high:
                return sign * int(digits)

    def double(self, value: float) -> float:
        """Map a double to one of its sign and magnitude, with as many decimal places.

        One to one up to 15 digits; of more digits, two can be those of one double.
        """
        text = repr(value)
        if not text.strip("-0.") or "n" in text:  # zeros, and what is no finite number
            return value
        sign, number = ("-", text[1:]) if text[0] == "-" else ("", text)
        mantissa, _, exponent = number.partition("e")
        while True:
            mantissa = self.decimal(mantissa)
            found = float(f"{sign}{mantissa}e{exponent or 0}")
            if found and abs(found) != float("inf"):
                return found

    def decimal(self, text: str) -> str:
        """Map the digits of a decimal number without sign and exponent."""
        whole, point, fraction = text.partition(".")
        mapped = self.number(whole + fraction, len(whole))
        return mapped[: len(whole)] + point + mapped[len(whole) :]

    def bytes(self, data: bytes) -> bytes:
        """Map bytes, half a byte after the other."""
        return bytes.fromhex(_mapped(data.hex(), self._bytes))

    def code(self, text: str) -> str:
        """Map ASCII letters and digits that are mixed: letters to letters of their case, digits to digits.

        Where all letters are hexadecimal, they stay so.
        """
        folded = text.lower()
        hexadecimal = _HEXADECIMAL.issuperset(folded)
        while True:
            folded = _mapped(folded, self._hexadecimal if hexadecimal else self._alphanumeric)
            if hexadecimal or not _HEXADECIMAL.issuperset(folded):
                return "".join(new.upper() if old.isupper() else new for new, old in zip(folded, text, strict=True))


def _mapped(text: str, places: _Places) -> str:
    """Map each character by a permutation that those before it choose; from the 17th on, those before its eight."""
    out = ""
    for at, character in enumerate(text[:_CHOSEN]):
        permutations, place = places[character]
        out += permutations.after(text[:at])[place]
    for begin in range(_CHOSEN, len(text), _BLOCK):
        chosen: dict[int, list[str]] = {}
        for at, character in enumerate(text[begin : begin + _BLOCK]):
            permutations, place = places[character]
            if id(permutations) not in chosen:
                chosen[id(permutations)] = permutations.deep(text[:begin])
            out += chosen[id(permutations)][at][place]
    return out


def _places(*some: tuple[_Permutations, str]) -> _Places:
    return {character: (permutations, place) for permutations, of in some for place, character in enumerate(of)}
