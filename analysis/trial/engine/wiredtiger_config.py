"""WiredTiger's configuration strings: `leaf_page_max=32KB,log=(enabled=true),verbose=[]`."""

from __future__ import annotations

import re

# As mongod 4.4 to 6.0 name them in a collection's creationString; no release up to 8.1 has another one.
_NAMES = """
    access_pattern_hint allocation_size app_metadata assert block_allocation block_compressor cache_resident checksum
    colgroups collator columns dictionary encryption exclusive extractor format huffman_key huffman_value
    ignore_in_memory_cache_size immutable import internal_item_max internal_key_max internal_key_truncate
    internal_page_max key_format key_gap leaf_item_max leaf_key_max leaf_page_max leaf_value_max log lsm
    memory_page_image_max memory_page_max os_cache_dirty_max os_cache_max prefix_compression prefix_compression_min
    readonly source split_deepen_min_child split_deepen_per_child split_pct tiered_object tiered_storage type
    value_format verbose write_timestamp_usage
"""
_NAMED_BEFORE = (8, 2)
_GONE = {(7, 0): {"readonly", "tiered_object"}, (8, 1): {"extractor", "lsm"}}
"""What a release no longer has."""
_PART = re.compile(r'"[^"]*"|[()\[\]{},=:]|[^()\[\]{},=:"\s]+')
_NUMBER = re.compile(r"([0-9]{1,19})([KMGTP]?)B?", re.IGNORECASE | re.ASCII)
_DEEPEST = 10  # WiredTiger's own groups lie two deep; what is damaged may open any number
_FACTORS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50}


def options(text: str) -> dict[str, str]:
    """The values by their options' dotted names, as in `log.enabled`; empty for an option or group without a value.

    As in WiredTiger the last of repeated options wins, what repeated groups hold adds up, all kinds of brackets are
    alike, and so are `=` and `:`.
    """
    found: dict[str, str] = {}
    groups: list[str] = []
    name, is_value = "", False
    for part in _PART.findall(text):
        if len(groups) > _DEEPEST:
            break
        if part in "([{":
            groups.append(name)
        elif part in ")]}" and groups:
            groups.pop()
        if part in "([{)]},":
            is_value = False
        elif part in "=:":
            is_value = True
        elif is_value:
            found[".".join((*groups, name))] = part.strip('"')
        else:
            name = part.strip('"')
            found[".".join((*groups, name))] = ""
    return found


def unknown_options(text: str, version: tuple[int, ...]) -> list[str]:
    """The options of a collection that mongod of this release does not have; none of a release newer than the list."""
    if version >= _NAMED_BEFORE:
        return []
    gone = {name for since, names in _GONE.items() if version >= since for name in names}
    return sorted({name.partition(".")[0] for name in options(text)} - (set(option_names()) - gone))


def option_names() -> list[str]:
    """What a collection's configuration may say."""
    return _NAMES.split()


def meaning(value: str) -> int | str:
    """A number or size as WiredTiger counts it, so that `16KB`, `16k` and `16384` are one; any other value as it is."""
    number = _NUMBER.fullmatch(value)
    return int(number[1]) * _FACTORS[number[2].upper()] if number else value


def differing(asked: str, found: str) -> str | None:
    """The options of `asked` that stand otherwise in `found`, as found; None where each stands there."""
    there = options(found)
    others = (
        f"{name}={there[name]}" if name in there else f"without {name}"
        for name, value in options(asked).items()
        if name not in there or meaning(there[name]) != meaning(value)
    )
    return ", ".join(others) or None
