"""Writes what mongodump would write."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import bson

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

TERMINATOR = b"\xff\xff\xff\xff"
METADATA = {
    "options": {"storageEngine": {"wiredTiger": {"configString": "block_compressor=zstd,leaf_page_max=16KB"}}},
    "indexes": [
        {"v": {"$numberInt": "2"}, "key": {"_id": {"$numberInt": "1"}}, "name": "_id_"},
        {
            "v": {"$numberInt": "2"},
            "key": {"b": {"$numberDouble": "-1.0"}, "a": {"$numberInt": "1"}},
            "name": "b_-1_a_1",
            "unique": True,
            "expireAfterSeconds": {"$numberInt": "60"},
        },
        {"v": {"$numberInt": "2"}, "key": {"t": "text"}, "name": "t_text"},
    ],
    "uuid": "00112233445566778899aabbccddeeff",
    "collectionName": "orders",
    "type": "collection",
}


def crc64(data: bytes) -> int:
    """CRC-64, ECMA-182, reflected: bit by bit, from its definition."""
    register = 2**64 - 1
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = (register >> 1) ^ (0xC96C5795D7870F42 if register & 1 else 0)
    return register ^ (2**64 - 1)


def write(path: Path, content: bytes, *, packed: bool = False) -> Path:
    """Write a file, gzip or not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path = path.with_name(path.name + ".gz" * packed)
    path.write_bytes(gzip.compress(content) if packed else content)
    return path


def dumped(folder: Path, name: str, documents: Iterable[bytes], *, packed: bool = False) -> Path:
    """Write a collection as `mongodump --out` does; give its `.bson` file."""
    write(folder / f"{name}.metadata.json", json.dumps(METADATA).encode(), packed=packed)
    return write(folder / f"{name}.bson", b"".join(documents), packed=packed)


def archive(
    collections: Mapping[str, Sequence[bytes]], *, segment: int = 2, metadata: Mapping[str, object] = METADATA
) -> bytes:
    """Make an archive as `mongodump --archive` does, its collections in segments that alternate."""
    written = [(0x8199E26D).to_bytes(4, "little")]
    header = {"concurrent_collections": 4, "version": "0.1", "server_version": "6.0.5", "tool_version": "100.7.0"}
    written.append(bson.encode(header))
    for name, documents in collections.items():
        about = {**_names(name), "metadata": json.dumps(metadata), "size": sum(map(len, documents)), "type": ""}
        written.append(bson.encode(about))
    written.append(TERMINATOR)
    longest = max(map(len, collections.values()))
    for at in range(0, longest, segment):
        for name, documents in collections.items():
            if part := documents[at : at + segment]:
                opening = bson.encode({**_names(name), "EOF": False, "CRC": bson.Int64(0)})
                written += [opening, *part, TERMINATOR]
    for name, documents in collections.items():
        checksum = crc64(b"".join(documents))
        signed = bson.Int64(checksum - 2**64 if checksum >= 2**63 else checksum)
        written += [bson.encode({**_names(name), "EOF": True, "CRC": signed}), TERMINATOR]
    return b"".join(written)


def _names(namespace: str) -> dict[str, str]:
    database, _, collection = namespace.partition(".")
    return {"db": database, "collection": collection}
