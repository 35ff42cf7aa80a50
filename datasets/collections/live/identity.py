"""What a server compares of `_id`s: numbers by their value, whatever their type, wherever they are nested."""

import struct
from decimal import Decimal
from typing import Any

from bson import Decimal128

from datasets.collections.elements import DOCUMENT, LIST, Field, fields

_LAYOUTS = {0x01: "<d", 0x10: "<i", 0x12: "<q"}
_DECIMAL = 0x13


def identity(document: bytes) -> int | None:
    """Give a number that documents share whose `_id` is the same for a server; None where the first field is no `_id`.

    The document is known to be valid.
    """
    first = next(fields(document), None)
    return hash(repr(_compared(document, first))) if first and first.name == b"_id" else None


def _compared(document: bytes, one: Field) -> tuple[Any, ...]:
    """Give what is equal for equal values. A number's own hash would not do: -1 and -2 have the same one."""
    value = document[one.start : one.end]
    if one.kind in (DOCUMENT, LIST):
        return one.kind, [(inner.name, _compared(document, inner)) for inner in fields(document, one.start)]
    if one.kind in _LAYOUTS:
        return "number", *_ratio(struct.unpack(_LAYOUTS[one.kind], value)[0])
    if one.kind == _DECIMAL:
        return "number", *_ratio(Decimal128.from_bid(value).to_decimal())
    return one.kind, value


def _ratio(number: float | Decimal) -> tuple[str, ...]:
    """Give numerator and denominator, in hexadecimal, which is never too long; or which number without these it is."""
    try:
        return tuple(map(hex, number.as_integer_ratio()))
    except OverflowError:
        return ("infinity" if number > 0 else "-infinity",)
    except ValueError:
        return ("NaN",)
