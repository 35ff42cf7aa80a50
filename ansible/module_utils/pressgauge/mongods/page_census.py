"""The pages of a collection, read from its file: what each holds before compression, and what it takes on disk.

WiredTiger tells of a page's sizes in no statistic, but in the page's header. The tree of the newest checkpoint is
walked from its root, so that pages which it replaced, and which may still stand in the file, are left out.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ALLOCATION_BYTES = 4096
# recno, write generation, size before compression, entries, type, flags, unused, version; then the block's size on
# disk, checksum and flags
_HEADER = struct.Struct("<QQIIBBBBIIB3x")
_INTERNAL, _LEAF = 6, 7
_SHORT_CELL, _SHORT_KEY_PREFIXED = 0x03, 0x02
_HAS_TIMES, _HAS_NUMBER = 0x08, 0x04
_TIMES = 0x7E
_ADDRESSES = {0x10: _INTERNAL, 0x20: _LEAF, 0x30: _LEAF}
_LONG_KEY = 0x50
_LONG_IS_MORE_THAN = 64
_ROOTS_TRIED = 64
_LARGEST_BYTES = 2**30
_CELLS_PER_DOCUMENT = 2  # its record's number, and itself


class NotReadableError(Exception):
    """The file holds no tree that can be walked."""


@dataclass(frozen=True)
class Block:
    """A page as it stands in the file."""

    offset: int
    kind: int
    generation: int
    memory_bytes: int
    entries: int
    disk_bytes: int
    checksum: int


@dataclass(frozen=True)
class Census:
    """The pages of a collection, sizes in bytes."""

    leaves: list[list[int]]
    """Of each leaf page, in stored order: memory, disk and documents."""
    internal_bytes: int
    """On disk, of all other pages."""


def census(path: Path) -> Census:
    """Read the pages of a collection's file, after a checkpoint; mongod may be running.

    Raises:
        NotReadableError: the file has no checkpoint, or is no collection of MongoDB's.
    """
    if path.stat().st_size <= ALLOCATION_BYTES:
        raise NotReadableError(f"{path.name}: no page is in it")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        roots = sorted(_internal_pages(content), key=lambda page: page.generation, reverse=True)
        for root in roots[:_ROOTS_TRIED]:
            try:
                return _walked(content, root)
            except (NotReadableError, IndexError):
                continue  # was never whole, or parts of it have been overwritten since
    raise NotReadableError(f"{path.name}: no checkpoint of a collection is in it")


def page_sizes(path: Path) -> dict[str, int] | None:
    """What the leaf pages of a collection are, all together, and the tenth and the ninetieth in a hundred of them.

    None where they can't be read, or the file is so large that reading it would take its time from what is measured.
    """
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            return None
        leaves = census(path).leaves
    except (NotReadableError, OSError, ValueError):
        return None
    memory = sorted(page[0] for page in leaves)
    if not memory:
        return None
    return {
        "leaf_pages": len(leaves),
        "memory_bytes": sum(memory),
        "disk_bytes": sum(page[1] for page in leaves),
        "memory_bytes_p10": memory[len(memory) // 10],
        "memory_bytes_p90": memory[len(memory) * 9 // 10],
    }


def _walked(content: mmap.mmap, root: Block) -> Census:
    leaves: list[list[int]] = []
    internal, waiting = 0, [root]
    while waiting:
        if len(leaves) + len(waiting) > len(content) // ALLOCATION_BYTES:
            raise NotReadableError("more pages than the file has room for")
        page = waiting.pop()
        if page.kind == _LEAF:
            leaves.append([page.memory_bytes, page.disk_bytes, page.entries // _CELLS_PER_DOCUMENT])
        else:
            internal += page.disk_bytes
            waiting.extend(reversed(list(_children(content, page))))
    return Census(leaves, internal)


def _internal_pages(content: mmap.mmap) -> Iterator[Block]:
    for offset in range(ALLOCATION_BYTES, len(content) - ALLOCATION_BYTES + 1, ALLOCATION_BYTES):
        if content[offset + 24] == _INTERNAL:
            block = _block(content, offset)
            if block is not None:
                yield block


def _block(content: mmap.mmap, offset: int) -> Block | None:
    """What the header at this place says; None where it can be no page's."""
    if offset < ALLOCATION_BYTES or offset + ALLOCATION_BYTES > len(content):
        return None
    _, generation, memory, entries, kind, _, _, _, disk, checksum, _ = _HEADER.unpack_from(content, offset)
    if kind not in {_INTERNAL, _LEAF} or disk % ALLOCATION_BYTES or not 0 < disk <= len(content) - offset:
        return None
    return Block(offset, kind, generation, memory, entries, disk, checksum)


def _children(content: mmap.mmap, page: Block) -> Iterator[Block]:
    """The pages that an internal one points to, each known by the checksum that it is pointed to with."""
    at, end = page.offset + _HEADER.size, page.offset + min(page.memory_bytes, page.disk_bytes)
    for _ in range(page.entries):
        kind, cell, at = _cell(content, at, end)
        if kind is None:
            continue
        place, size, checksum = _address(cell)
        child = _block(content, place)
        if child is None or (child.disk_bytes, child.checksum, child.kind) != (size, checksum, kind):
            raise NotReadableError(f"the page at {page.offset} points to none at {place}")
        yield child


def _cell(content: mmap.mmap, at: int, end: int) -> tuple[int | None, bytes, int]:
    """The kind of page that a cell points to (None: it is a key), what it holds, and where the next one begins."""
    first = content[at]
    if first & _SHORT_CELL:
        prefix = 1 if first & _SHORT_CELL == _SHORT_KEY_PREFIXED else 0
        begin, size, kind = at + 1 + prefix, first >> 2, None
    else:
        kind, begin = _ADDRESSES.get(first & 0xF0), at + 1
        if kind is None and first & 0xF0 != _LONG_KEY:
            raise NotReadableError(f"an unknown cell, {first:#04x}")
        times = 0
        if first & _HAS_TIMES:
            times, begin = bin(content[begin] & _TIMES).count("1"), begin + 1
        for _ in range(times + bool(first & _HAS_NUMBER)):
            _, begin = _number(content, begin)
        size, begin = _number(content, begin)
        size += 0 if kind else _LONG_IS_MORE_THAN
    if begin + size > end:
        raise NotReadableError("a cell beyond its page")
    return kind, content[begin : begin + size], begin + size


def _address(cell: bytes) -> tuple[int, int, int]:
    """Place and size on disk in bytes, and checksum, of the page that a cell points to."""
    place, at = _number(cell, 0)
    size, at = _number(cell, at)
    checksum, _ = _number(cell, at)
    return (place + 1) * ALLOCATION_BYTES, size * ALLOCATION_BYTES, checksum


def _number(data: bytes | mmap.mmap, at: int) -> tuple[int, int]:
    """A number as WiredTiger packs it, and where it ends."""
    if at >= len(data) or data[at] < 0x80:
        raise NotReadableError("no number where there should be one")
    first = data[at]
    if first < 0xC0:
        return first & 0x3F, at + 1
    if first < 0xE0:
        return ((first & 0x1F) << 8 | data[at + 1]) + 64, at + 2
    length = first & 0x0F
    return int.from_bytes(data[at + 1 : at + 1 + length], "big") + 64 + 8192, at + 1 + length
