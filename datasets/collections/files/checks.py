"""Checks of a document's BSON, before anything is stored or measured."""

from collections.abc import Mapping
from typing import Any

import bson
from bson.codec_options import CodecOptions, DatetimeConversion
from bson.errors import BSONError

from datasets.errors import DatasetError

LARGEST_DOCUMENT_BYTES = 16 * 2**20  # MongoDB's limit
DEEPEST = 180
"""Levels of nesting below a document that mongod 6.0.5 stores; its limit of 200 leaves room for what is around one."""
# Dates that Python can't show are MongoDB's all the same.
OPTIONS: CodecOptions[dict[str, Any]] = CodecOptions(datetime_conversion=DatetimeConversion.DATETIME_MS)
_CONTAINERS = (b"\x03", b"\x04", b"\x0f")  # the types' bytes: a document, a list, code with its scope


def check(document: bytes, where: str) -> None:
    """See to it that a server would take the document. Raises DatasetError, which names `where` it is."""
    if len(document) > LARGEST_DOCUMENT_BYTES:
        raise DatasetError(f"{where}: {len(document):,} bytes of BSON, and MongoDB's limit is 16 MiB; leave it out")
    try:
        decoded = bson.decode(document, OPTIONS)
        # Each level has a byte that names its type: with fewer of them, a document can't be too deep.
        deep = sum(map(document.count, _CONTAINERS)) > DEEPEST and levels(decoded) - 1 > DEEPEST
    except (BSONError, ValueError, TypeError, OverflowError, RecursionError) as error:
        if "recursion" in str(error):  # which the driver wraps in an error of its own
            raise too_deep(where) from None
        raise DatasetError(f"{where}: no valid BSON ({error}); mend it at its source, or leave it out") from None
    if deep:
        raise too_deep(where)
    if isinstance(decoded.get("_id"), list | bson.Regex):
        raise DatasetError(f"{where}: MongoDB takes no list and no regular expression as `_id`; mend it")


def too_deep(where: str) -> DatasetError:
    """Say that a document is nested too deeply."""
    return DatasetError(
        f"{where}: nested in more than {DEEPEST} levels, which MongoDB doesn't store; flatten it, or leave it out"
    )


def levels(value: object) -> int:
    """Count the levels of a decoded document, itself included."""
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else None
    if isinstance(value, bson.Code) and value.scope is not None:
        inner = value.scope.values()
    return 0 if inner is None else 1 + max(map(levels, inner), default=0)
