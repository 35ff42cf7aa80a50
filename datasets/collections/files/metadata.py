"""What a dump says about its collection: options and indexes, as `metadata.json` has them."""

import json
import re
from typing import Any

from bson import json_util
from pydantic import BaseModel, ConfigDict, Field

from datasets.collections.files.checks import DEEPEST, levels
from datasets.errors import DatasetError

LARGEST_BYTES = 2**24
_COMPRESSOR = re.compile(r"block_compressor=\"?([a-z0-9]+)")
_OF_ITS_OWN = {"key", "name", "unique", "v", "ns"}


class Index(BaseModel):
    """An index of the source."""

    model_config = ConfigDict(frozen=True)

    name: str = Field(description="Its name.")
    key: dict[str, int | float | str] = Field(description="Fields in their order, each with its direction or kind.")
    unique: bool = Field(description="Whether it refuses a second document with the same key.")
    options: dict[str, Any] = Field(description="All else about it, as canonical Extended JSON (sparse, …).")


class Metadata(BaseModel):
    """What is known of a collection beside its documents; nothing where the source is JSON."""

    model_config = ConfigDict(frozen=True)

    indexes: tuple[Index, ...] = Field((), description="Its indexes, the one on `_id` included.")
    options: dict[str, Any] = Field(default_factory=dict, description="Its options, as canonical Extended JSON.")
    block_compressor: str | None = Field(None, description="The compressor that its options name, if they do.")
    storage_bytes: int | None = Field(None, description="What it takes on its server's disk, if that was asked.")


def parse_metadata(text: bytes | str, where: str) -> Metadata:
    """Read the content of a `metadata.json`, `where` it came from. Raises DatasetError."""
    try:
        stored = json.loads(text, parse_constant=_no_number)
        if levels(stored) > DEEPEST:
            raise ValueError("nested too deeply")
        json.dumps(stored, ensure_ascii=False).encode()  # half a surrogate pair is no text
        kind = stored.get("type", "collection")
        options = dict(stored.get("options", {}))
        indexes = tuple(_index(index) for index in stored.get("indexes", ()))
        config = options.get("storageEngine", {}).get("wiredTiger", {}).get("configString", "")
        found = _COMPRESSOR.search(config)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise DatasetError(
            f"{where}: is not what mongodump writes about a collection ({error}); dump the collection again"
        ) from None
    if kind == "view" or "viewOn" in options:
        raise DatasetError(f"{where}: is of a view, which holds no documents; name the collection that it shows")
    if kind == "timeseries" or "timeseries" in options:
        raise DatasetError(f"{where}: is of a time-series collection, which Pressgauge can't load; name another one")
    return Metadata(indexes=indexes, options=options, block_compressor=found[1] if found else None)


def _index(stored: dict[str, Any]) -> Index:
    """Read an index; directions are numbers or kinds (`1`, `text`), written as Extended JSON."""
    key = {field: _plain(direction) for field, direction in stored["key"].items()}
    options = {name: value for name, value in stored.items() if name not in _OF_ITS_OWN}
    return Index(name=stored["name"], key=key, unique=stored.get("unique") is True, options=options)


def _plain(direction: Any) -> int | float | str:
    value = json_util.object_hook(direction) if isinstance(direction, dict) else direction
    if isinstance(value, str):
        return value
    return int(value) if value == int(value) else float(value)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
