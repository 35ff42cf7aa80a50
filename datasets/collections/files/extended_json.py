"""Turns the text of one document into BSON: plain JSON, or MongoDB's Extended JSON in any of its versions."""

import json
import math
from typing import Any

import bson
from bson import ObjectId, json_util
from bson.codec_options import DatetimeConversion
from bson.errors import BSONError

from datasets.collections.files.checks import check, too_deep
from datasets.errors import DatasetError

_OPTIONS = json_util.JSONOptions(datetime_conversion=DatetimeConversion.DATETIME_MS)
_REFUSED = {"$undefined", "$symbol", "$dbPointer"}
_INT32 = range(-(2**31), 2**31)
_FIRST_SECOND = 1_577_836_800  # 2020-01-01
_PER_SECOND = 1000
_PROCESS = b"press"


class _Fault(ValueError):
    """What is wrong with a text that parses as JSON."""


def parse(text: bytes, where: str, line: int, number: int) -> bytes:
    """Give the BSON of a document's text, which begins on a `line` of `where` and is the source's `number`th.

    Types are kept. A plain number with a fraction or an exponent becomes a double; another becomes an int32 where it
    fits and else an int64, as mongoimport and every driver read relaxed Extended JSON. `_id` comes first, where the
    server would put it; a document without one gets an ObjectId that follows from `number` and ascends with it, as
    those of one inserting process do. All other fields keep their order.

    Raises DatasetError: no JSON, no UTF-8, a key twice in one document, NaN and its like unless written as Extended
    JSON, types that are deprecated and can't be written any more, numbers that no BSON type holds, too deep, too large.
    """
    try:
        parsed = _decoder.decode(text.decode().rstrip())
        if not isinstance(parsed, dict):
            raise _Fault(f"{_called(parsed)}, and no document; write an object ({{…}}) for each document")
        if "_id" not in parsed:
            parsed = {"_id": _object_id(number), **parsed}
        document = bson.encode(parsed)
    except json.JSONDecodeError as error:
        place = f"{where}, line {line + error.lineno - 1}, column {error.colno}"
        raise DatasetError(f"{place}: no JSON ({error.msg}); give one document per line, or one JSON array") from None
    except UnicodeDecodeError as error:
        place = f"{where}, line {line}, byte {error.start} of the line"
        raise DatasetError(f"{place}: not UTF-8; convert the file, e.g. with iconv -t UTF-8") from None
    except UnicodeEncodeError:
        raise DatasetError(f"{where}, line {line}: holds half a surrogate pair, which is no text; mend it") from None
    except RecursionError:
        raise too_deep(f"{where}, line {line}") from None
    except (_Fault, BSONError, ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise DatasetError(f"{where}, line {line}: {_why(error)}") from None
    check(document, f"{where}, line {line}")
    return document


def _why(error: Exception) -> str:
    if isinstance(error, _Fault):
        return str(error)
    if isinstance(error, OverflowError) or "integer string conversion" in str(error):  # thousands of digits
        return 'a number is beyond 64 bits; write it as {"$numberDouble": "…"} or {"$numberDecimal": "…"}'
    return f"no Extended JSON ({error}); see docs/own-data.md"


def _object_id(number: int) -> ObjectId:
    """Give what one process that inserts a thousand documents per second would have drawn."""
    second = _FIRST_SECOND + number // _PER_SECOND
    return ObjectId(second.to_bytes(4, "big") + _PROCESS + (number % 2**24).to_bytes(3, "big"))


def _object(pairs: list[tuple[str, Any]]) -> Any:
    """Make a document, or the value that one stands for in Extended JSON."""
    made = dict(pairs)
    if len(made) < len(pairs):
        seen = set[str]()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _Fault(f"the key {twice!r} is twice in one document; MongoDB's tools would keep one of them: mend it")
    return _typed(made) if pairs and pairs[0][0].startswith("$") else made


def _typed(made: dict[str, Any]) -> Any:
    """Give the value of a wrapper such as `{"$oid": …}`; references and operators stay documents."""
    if refused := made.keys() & _REFUSED:
        raise _Fault(f"{refused.pop()} is a deprecated type that no driver writes any more; give a mongodump instead")
    if "$ref" in made:
        return made
    value = json_util.object_hook(made, _OPTIONS)
    if "$numberInt" in made and value not in _INT32:
        raise _Fault(f"$numberInt {value} is beyond 32 bits; write it as $numberLong")
    return value


def _no_number(name: str) -> None:
    raise _Fault(f'{name} is no JSON; Extended JSON writes {{"$numberDouble": "{name}"}}')


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _Fault(f"{text[:40]} is beyond a double; write it as $numberDecimal")
    return number


def _called(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    return "a value of Extended JSON" if not isinstance(value, str | int | float | None) else "a single value"


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_float=_finite, parse_constant=_no_number)
