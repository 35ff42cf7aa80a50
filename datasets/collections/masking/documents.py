"""Masks documents: every value by one of its type and length. Field names, order, booleans and nulls stay."""

import re
import secrets
import struct
from collections.abc import Callable, Iterable
from hashlib import blake2b

import bson

from datasets.collections.elements import TYPES, elements
from datasets.collections.masking.digits import Digits
from datasets.collections.masking.words import Words
from datasets.errors import DatasetError

_RUN = re.compile("[0-9A-Za-z\x80-\U0010ffff]+")
_PART = re.compile("[0-9]+|[^0-9]+")
_STRINGS = {0x02, 0x0D, 0x0E}
_REGEX = 0x0B
_AS_IT_IS = {0x03, 0x04, 0x06, 0x08, 0x0A, 0x7F, 0xFF}
"""Types without a content of their own, and booleans."""
_BOUNDS = {"<i": (-(2**31), 2**31 - 1), "<q": (-(2**63), 2**63 - 1), "<II": (0, 2**32 - 1)}
_OLD_BINARY = 2
_LONG_BINARY_BYTES = 64
_MOST_REMEMBERED, _LONGEST_REMEMBERED = 100_000, 200


class Mask:
    """Masks documents under a key of its own, which is never stored. First all are learned, then they are masked."""

    def __init__(self, paths: Iterable[str] = (), in_clear: Iterable[str] = (), key: bytes | None = None) -> None:
        """Mask the values of some paths and below them, or of all; but not those left in clear, nor below them."""
        self._key = key or secrets.token_bytes(32)
        self._digits = Digits(self._key)
        self._words = Words(self._key)
        self._paths = tuple(map(_plain, paths))
        self._in_clear = tuple(map(_plain, in_clear))
        self._chosen: dict[bytes, bool] = {}
        self._missed = {*self._paths, *self._in_clear}
        self._texts: dict[str, str] = {}
        self._of: dict[int, Callable[[bytes], bytes]] = {
            0x01: self._double,
            0x05: self._binary,
            0x07: self._identity,
            0x09: lambda value: self._integers(value, "<q"),
            _REGEX: self._regex,
            0x10: lambda value: self._integers(value, "<i"),
            0x11: lambda value: self._integers(value, "<II"),
            0x12: lambda value: self._integers(value, "<q"),
            0x13: self._decimal,
            **dict.fromkeys(_STRINGS, self._string),
        }

    def learn(self, document: bytes) -> None:
        """Learn from a document, before the first one is masked. Raises DatasetError for what can't be masked."""
        for path, kind, value, _ in elements(document):
            if not self._is_chosen(path) or kind in _AS_IT_IS:
                continue
            if kind not in self._of:
                raise DatasetError(
                    f"holds a value of the type {TYPES[kind]} under {path.decode()!r}, which can't be anonymised; "
                    "leave it out, or this path in clear"
                )
            if kind in _STRINGS or kind == _REGEX:
                text = value[4:-1] if kind in _STRINGS else value
                for run in _RUN.findall(text.decode()):
                    for part in _parts(run):
                        if _is_word(part):
                            self._words.learn(part, path)

    def learned(self) -> None:
        """All documents were learned; now they can be masked."""
        self._words.learned()

    def mask(self, document: bytes) -> bytes:
        """Give a document that was learned with other values, as long as it was."""
        out = bytearray(document)
        for path, kind, value, at in elements(document):
            if kind not in _AS_IT_IS and self._is_chosen(path):
                out[at : at + len(value)] = self._of[kind](value)
        return bytes(out)

    def unseen(self) -> list[str]:
        """Give the paths that were named, and of which no document that was learned has a value."""
        return sorted(self._missed)

    def _is_chosen(self, path: bytes) -> bool:
        known = self._chosen.get(path)
        if known is None:
            if len(self._chosen) >= _MOST_REMEMBERED:
                self._chosen.clear()
            plain = _plain(path.decode())
            named, kept = (_above(plain, some) for some in (self._paths, self._in_clear))
            self._missed -= {*named, *kept}
            known = self._chosen[path] = (not self._paths or bool(named)) and not kept
        return known

    def _text(self, text: str) -> str:
        known = self._texts.get(text)
        if known is None:
            known = _RUN.sub(lambda found: self._run(found[0]), text)
            if len(text) <= _LONGEST_REMEMBERED:
                if len(self._texts) >= _MOST_REMEMBERED:
                    self._texts.clear()
                self._texts[text] = known
        return known

    def _run(self, run: str) -> str:
        return "".join(self._part(part) for part in _parts(run))

    def _part(self, part: str) -> str:
        if _is_word(part):
            return self._words.token(part)
        return self._digits.number(part) if part.isdecimal() else self._digits.code(part)

    def _string(self, value: bytes) -> bytes:
        return value[:4] + self._text(value[4:-1].decode()).encode() + b"\x00"

    def _regex(self, value: bytes) -> bytes:
        pattern, options, _ = value.split(b"\x00")
        return self._text(pattern.decode()).encode() + b"\x00" + options + b"\x00"

    def _binary(self, value: bytes) -> bytes:
        head = 9 if value[4] == _OLD_BINARY else 5  # which says its length twice
        content = value[head:]
        if len(content) <= _LONG_BINARY_BYTES:
            return value[:head] + self._digits.bytes(content)
        return value[:head] + self._stream(content)

    def _stream(self, content: bytes) -> bytes:
        """Give as many bytes that nothing but the content and the key decides."""
        seed, out, part = blake2b(content, key=self._key).digest(), bytearray(), 0
        while len(out) < len(content):
            out += blake2b(seed + part.to_bytes(4, "big"), key=self._key).digest()
            part += 1
        return bytes(out[: len(content)])

    def _integers(self, value: bytes, layout: str) -> bytes:
        """Map numbers: an increment and seconds of a timestamp, milliseconds of a date, or what they are."""
        low, high = _BOUNDS[layout]
        return struct.pack(layout, *(self._digits.integer(one, low, high) for one in struct.unpack(layout, value)))

    def _double(self, value: bytes) -> bytes:
        return struct.pack("<d", self._digits.double(struct.unpack("<d", value)[0]))

    def _identity(self, value: bytes) -> bytes:
        """Map an ObjectId's process and counter; its time stays."""
        return value[:4] + self._digits.bytes(value[4:])

    def _decimal(self, value: bytes) -> bytes:
        text = str(bson.Decimal128.from_bid(value))
        number = text.removeprefix("-")
        if not number[0].isdecimal():  # NaN, Infinity
            return value
        mantissa, letter, exponent = number.partition("E")
        sign = text[: len(text) - len(number)]
        return bson.Decimal128(f"{sign}{self._digits.decimal(mantissa)}{letter}{exponent}").bid


def _parts(run: str) -> list[str]:
    """Cut a run into words and numbers; letters and digits that are mixed, all ASCII, are one code."""
    return [run] if run.isascii() else _PART.findall(run)


def _is_word(part: str) -> bool:
    """Tell whether there are no digits in a part; all that is not ASCII counts as letters."""
    return not part.isascii() or part.isalpha()


def _plain(path: str) -> str:
    """Give a path as people write it, without the marks of lists."""
    return path.strip().replace("[]", "")


def _above(path: str, some: Iterable[str]) -> list[str]:
    """Give those of some paths that are this one or lead to it."""
    return [one for one in some if path == one or path.startswith(f"{one}.")]
