"""What server and clients say of a setting, read as a value, and compared with what was asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from analysis.trial.engine.wiredtiger_config import meaning, options
from analysis.trial.records import DiskLimit
from core.nested import inside

Reader = Callable[[Mapping[str, Any]], Any]
"""From what the server (`in_force.json`) or a client said to the value in force; None where it did not say."""

NO_TLS = "disabled"
"""mongod's own TLS mode."""
NONE_NAMED = "none named"
"""The read concern of clients that leave it to the server."""
NO_COMPRESSION = "none"
"""The wire compression of clients that ask for none."""
NO_WIRE_COMPRESSOR = "disabled"
"""What mongod calls no wire compressor at all."""
CREATION, OPENING = "creation_string", "opening_wiredtiger"
"""The collection's configuration in `in_force.json`, and the engine's."""
OF_DICTIONARY = "dictionary_creation_string"
"""That of the collection with the values of normalised documents."""
CLIENTS = "clients"
"""Under this key of what is read back, what the clients told of themselves."""


# ---- readers -------------------------------------------------------------------------------------------------------


def text_of(raw: Mapping[str, Any], key: str) -> str:
    """A text of `in_force.json`; empty where it is missing."""
    return str(raw.get(key) or "")


def matching(key: str, pattern: str, empty: str | None = None) -> Reader:
    """The last match in a text, because WiredTiger lets the last of repeated options win."""

    def read(raw: Mapping[str, Any]) -> str | None:
        found = re.findall(pattern, text_of(raw, key))
        return (found[-1] or empty) if found else None

    return read


def level(codec: str) -> Reader:
    """A codec's level, as WiredTiger was opened with it."""

    def read(raw: Mapping[str, Any]) -> int | None:
        found = re.findall(rf"{codec}=\(?\{{?compression_level=(-?\d+)", text_of(raw, OPENING))
        return int(found[-1]) if found else None

    return read


def of_collections(pattern: str, empty: str | None = None) -> Reader:
    """As `matching`, of the collection's creationString, and of its dictionary's where that has another."""

    def read(raw: Mapping[str, Any]) -> str | None:
        keys = [CREATION, OF_DICTIONARY] if raw.get(OF_DICTIONARY) else [CREATION]
        found = dict.fromkeys(matching(key, pattern, empty)(raw) for key in keys)
        return " | ".join(map(str, found)) if len(found) > 1 else next(iter(found))

    return read


def of_indexes(option: str) -> Reader:
    """An option that WiredTiger stored with each of the collection's indexes; where they differ, each value."""

    def read(raw: Mapping[str, Any]) -> str | None:
        found = raw.get("index_creation_strings")
        texts = found.values() if isinstance(found, dict) else ()
        values = dict.fromkeys(options(str(text)).get(option, "") for text in texts)
        return " | ".join(values) or None

    return read


def eviction_options(config: str) -> str | None:
    """What a configuration says of eviction, groups by dotted names: `eviction.threads_max=4,…`; None: nothing."""
    found = sorted((name, value) for name, value in options(config).items() if name.startswith("eviction") and value)
    return ",".join(f"{name}={value}" for name, value in found) or None


def disk_limit(raw: Mapping[str, Any]) -> DiskLimit | None:
    """What the control group lets mongod ask of its data's disk; None: no limit."""
    found = raw.get("disk_limit")
    return DiskLimit.model_validate(found) if found else None


def amount(*keys: str) -> Reader:
    """A number with a fraction."""

    def read(raw: Mapping[str, Any]) -> float | None:
        found = inside(raw, *keys)
        return float(found) if isinstance(found, int | float) else None

    return read


def whole(key: str) -> Reader:
    """A whole number."""
    return lambda raw: int(raw[key]) if isinstance(raw.get(key), int | float) else None


def parameters(raw: Mapping[str, Any]) -> str | None:
    """The server parameters that were asked for, as JSON; None where there are none."""
    found = raw.get("asked_parameters")
    return json.dumps(found, sort_keys=True) if isinstance(found, dict) and found else None


def indexes(raw: Mapping[str, Any]) -> str | None:
    """The indexes but that on `_id`, as JSON, keys as pairs in their order; None where none were asked for."""
    found = raw.get("indexes")
    if not isinstance(found, list):
        return None
    return json.dumps([one for one in found if isinstance(one, dict) and one.get("name") != "_id_"])


def tls_mode(raw: Mapping[str, Any]) -> str | None:
    """From the options as the server parsed them."""
    found = raw.get("cmd_line_opts")
    if not isinstance(found, dict):
        return None
    return str(inside(found, "net", "tls", "mode") or NO_TLS)


def wire_compressors(raw: Mapping[str, Any]) -> str | None:
    """From the options as the server parsed them; None: it offers its own."""
    found = inside(raw, "cmd_line_opts", "net", "compression", "compressors")
    return None if found is None else str(found)


def of_clients(key: str) -> Reader:
    """What each phase's clients told, where all told the same; None where there was nothing to tell."""

    def read(raw: Mapping[str, Any]) -> Any:
        told = {one.get(key) for one in raw.get(CLIENTS) or ()}
        return told.pop() if len(told) == 1 else None

    return read


def each_client(word: Reader) -> Reader:
    """A word of each client; where they differ, each. None where none told it, as those of before."""

    def read(raw: Mapping[str, Any]) -> str | None:
        words = dict.fromkeys(word(one) for one in raw.get(CLIENTS) or ())
        return " | ".join(filter(None, words)) or None

    return read


def retry_writes(client: Mapping[str, Any]) -> str | None:
    """Whether a client's driver retries writes."""
    return flag(client["retry_writes"]) if isinstance(client.get("retry_writes"), bool) else None


def read_concern(client: Mapping[str, Any]) -> str | None:
    """Of a client's reads."""
    return str(client["read_concern"] or NONE_NAMED) if "read_concern" in client else None


def read_preference(client: Mapping[str, Any]) -> str | None:
    """Of a client's reads."""
    return text_of(client, "read_preference") or None


def wire_compression(client: Mapping[str, Any]) -> str | None:
    """The wire compressor that a client's driver asks for, with its level if it was told one."""
    return str(client["compression"] or NO_COMPRESSION) if "compression" in client else None


def flag(value: bool) -> str:  # noqa: FBT001 - the value itself
    """A flag in words."""
    return "yes" if value else "no"


# ---- comparators ---------------------------------------------------------------------------------------------------


def within(tolerance: float) -> Callable[[Any, Any], bool]:
    """Whether two numbers differ by no more than this."""
    return lambda expected, found: abs(found - expected) <= tolerance


def as_meant(expected: int, found: str) -> bool:
    """Whether WiredTiger's word for a number or size is the one expected."""
    return meaning(found) == expected


def other_parameters(expected: str, found: str) -> str | None:
    """The server parameters that are in force otherwise than asked, as found; None where each is as asked."""
    there = json.loads(found)
    others = (
        f"{name}={json.dumps(there[name])}" if there.get(name) is not None else f"without {name}"
        for name, value in json.loads(expected).items()
        if not _is_same(value, there.get(name))
    )
    return ", ".join(others) or None


def _is_same(asked: object, found: object) -> bool:
    """Whether the server holds a parameter as it was asked for; what it is asked as is of the type of its answer."""
    if isinstance(found, bool):
        return str(asked).lower() in (("true", "1") if found else ("false", "0"))
    if isinstance(asked, bool):
        return False
    if isinstance(found, int | float):
        return asked == found or _number(asked) == found
    return asked == found or str(asked) == str(found)


def _number(asked: object) -> float | None:
    try:
        return float(str(asked))
    except ValueError:
        return None


def other_indexes(expected: str, found: str) -> str | None:
    """The indexes that are missing, are there beside those asked for, or are otherwise; None where each is as asked.

    What a server adds to an index by itself, such as its version, is no difference.
    """
    asked, there = ({str(one.get("name")): one for one in json.loads(text)} for text in (expected, found))
    wrong = [f"without {name}" for name in asked.keys() - there.keys()]
    wrong += [f"with {name}" for name in there.keys() - asked.keys()]
    for name in asked.keys() & there.keys():
        wanted = {**asked[name], "key": [list(pair) for pair in asked[name]["key"].items()]}
        if any(there[name].get(what) != value for what, value in wanted.items()):
            wrong.append(json.dumps(there[name]))
    return ", ".join(sorted(wrong)) or None
