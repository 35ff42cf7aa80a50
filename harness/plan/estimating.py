"""Which loads an estimate is made of, and which settings they tell about. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from analysis.trial.engine.counters import release
from analysis.trial.engine.wiredtiger_config import differing
from analysis.trial.read_back import mismatches, read_in_force
from analysis.trial.records import Compressor, Settings
from analysis.trial.settings import LEAF_PAGE_BYTES
from core.bounds import Amount, Bytes, Seconds, Text
from datasets import CODECS, indexes_of_source
from harness.plan.told import Told
from harness.plan.trial_vars import engine_vars

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from datasets.collections import Index
    from harness.spec.engines import Engine

KIB = 2**10
OWN_IMAGE = 4
"""The engine's own memory_page_image_max is so many times leaf_page_max."""
IMAGE = OWN_IMAGE * LEAF_PAGE_BYTES
EVEN_PAGES = (LEAF_PAGE_BYTES, 64 * KIB, 128 * KIB)
"""Pages that are filled alike: both settings are this."""
OWN_LEVEL = {Compressor(name): codec.default_level for name, codec in CODECS.items() if codec.levels}
OTHER_LEVELS = ({Compressor.ZSTD: 1}, {Compressor.ZSTD: 15, Compressor.ZLIB: 9})
"""By mongod: each has one level of a compressor."""
SAMPLE_BYTES, SAMPLE_DOCUMENTS = 12_000_000, 120_000
"""Whichever is less; of small documents each takes as long to load as one of some hundred bytes."""
TIMES, MOST_SECONDS = 8, 3.0
"""How often the sample is loaded where pages swing, and after which time no more."""
OTHER_TIMES = 4
"""How often under a level that is not the engine's own: the highest ones compress a few megabytes a second, and they do
so only at the checkpoint, which `MOST_SECONDS` doesn't see."""
INDEXES = "indexes"
_CACHE_BYTES = 2**30  # pages in memory are smaller where the cache is below half of that
_LEVELS_SINCE = (5, 0)
_NOTHING_DELETED = json.dumps({"ttlMonitorEnabled": False})
_READY_S, _STOP_S = 60, 120


_Some = Annotated[int, Field(ge=1)]
_Pages = Annotated[tuple[_Some, _Some, _Some, _Some], Field(strict=False)]  # JSON has no tuples
"""Of a leaf page, or a few neighbours: bytes in memory and on disk, documents, pages."""


@dataclass(frozen=True)
class Shape:
    """A setting that a collection is estimated under."""

    compressor: Compressor
    level: int | None
    leaf_page_max: int
    memory_page_image_max: int

    @property
    def even(self) -> bool:
        """Whether its pages are filled alike: pages of what is not compressed are, too."""
        return self.compressor is Compressor.NONE or self.memory_page_image_max == self.leaf_page_max

    @property
    def default(self) -> bool:
        """Whether page settings and level are the engine's own."""
        own = self.level == OWN_LEVEL.get(self.compressor)
        return own and (self.leaf_page_max, self.memory_page_image_max) == (LEAF_PAGE_BYTES, IMAGE)

    @property
    def name(self) -> str:
        """Of the load that tells about it."""
        level = "" if self.level is None else f"-{self.level}"
        return f"{self.compressor}{level}-{self.leaf_page_max // KIB}-{self.memory_page_image_max // KIB}"

    @property
    def config(self) -> str:
        """WiredTiger's configuration string of a collection; a level is mongod's."""
        codec = "" if self.compressor is Compressor.NONE else self.compressor
        sizes = f"leaf_page_max={self.leaf_page_max},memory_page_image_max={self.memory_page_image_max}"
        return f"block_compressor={codec},{sizes}"


class Loaded(Told):
    """What `mongod_loads` tells of one load."""

    name: Text
    creation_string: Text
    documents: Annotated[int, Field(ge=1)]
    document_bytes: Bytes
    storage_bytes: Bytes
    free_bytes: Bytes
    index_bytes: dict[Text, Bytes]
    seconds: Seconds
    cpu_s: Amount
    internal_bytes: Bytes
    pages: Annotated[list[_Pages], Field(min_length=1)]
    """In stored order."""


class AllLoaded(Told):
    """What `mongod_loads` gives back."""

    opening_wiredtiger: Text
    loads: list[Loaded]

    def faults(self, asked: Settings, found: Mapping[str, Shape]) -> Iterator[str]:
        """What is in force otherwise than asked, of the mongod's levels and of each collection."""
        for one in self.loads:
            wrong = differing(found[one.name].config, one.creation_string) if one.name in found else None
            if wrong and wrong != "block_compressor=":  # which WiredTiger writes out where none is asked for
                yield f"collection {one.name} is created with {wrong}; expected {found[one.name].config}"
        told = {"opening_wiredtiger": self.opening_wiredtiger}
        yield from (one.message for one in mismatches(asked, read_in_force(told), "") if one.code == "level-mismatch")


def shapes(version: str) -> list[list[Shape]]:
    """The settings to be estimated with this mongod, by the mongod that loads them."""
    levels: list[dict[Compressor, int | None]] = [{one: OWN_LEVEL.get(one) for one in Compressor}]
    if release(version) >= _LEVELS_SINCE:
        levels += [dict(other) for other in OTHER_LEVELS]
    sizes = ((LEAF_PAGE_BYTES, IMAGE), *((size, size) for size in EVEN_PAGES))
    return [[Shape(codec, level, *size) for codec, level in mongod.items() for size in sizes] for mongod in levels]


def estimate_vars(
    engine: Engine, folder: Path, documents: Path, indexes: Sequence[Index], *, port: int, identity: str
) -> dict[str, Any]:
    """The `estimate` dictionary; the header of `ansible/estimate.yml` describes it."""
    mongods = [
        {
            "name": f"mongod-{number}",
            "settings": _settings(found).model_dump(mode="json"),
            "loads": [*_loads(found), *([_with_indexes(indexes)] if number == 0 else [])],
        }
        for number, found in enumerate(shapes(engine.version))
    ]
    return {
        "id": identity,
        "evidence_dir": str(folder.resolve()),
        "engine": engine_vars(engine),
        "documents": str(documents.resolve()),
        "most_seconds": MOST_SECONDS,
        "mongods": mongods,
        "port": port,
        "ready_timeout_s": _READY_S,
        "stop_timeout_s": _STOP_S,
    }


def _loads(found: Sequence[Shape]) -> Iterator[dict[str, Any]]:
    for shape in found:
        times = TIMES if shape.level == OWN_LEVEL.get(shape.compressor) else OTHER_TIMES
        yield {"name": shape.name, "config": shape.config, "times": 1 if shape.even else times}


def _with_indexes(indexes: Sequence[Index]) -> dict[str, Any]:
    """A load with the source's indexes; that on `_id` is made by itself."""
    config = Shape(Compressor.SNAPPY, None, LEAF_PAGE_BYTES, IMAGE).config
    return {"name": INDEXES, "config": config, "times": 1, "indexes": json.dumps(list(indexes_of_source(indexes)))}


def _settings(found: Sequence[Shape]) -> Settings:
    """What the mongod of these shapes has in common."""
    levels = {one.compressor: one.level for one in found if one.level != OWN_LEVEL.get(one.compressor)}
    return Settings(
        block_compressor=Compressor.SNAPPY,
        zstd_level=levels.get(Compressor.ZSTD),
        zlib_level=levels.get(Compressor.ZLIB),
        cache_size_bytes=_CACHE_BYTES,
        parameters=_NOTHING_DELETED,
    )
