"""An estimate in words: the table of the terminal, and the steps to a setting."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from analysis.estimate.records import smallest
from core.sizes import show_size
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analysis.estimate.records import Dictionary, Estimate, Range, Row

KIB = 2**10
ONLY_SIZES = (
    "This is an estimate of size, from a sample. It says nothing of speed: what a setting costs in throughput and "
    "latency, under updates and reads that miss the cache, only a campaign measures."
)


def pages_name(row: Row) -> str:
    """Page settings in words: `32 KiB of up to 128 KiB`."""
    leaf, image = row.leaf_page_max // KIB, row.memory_page_image_max // KIB
    return f"{leaf} KiB" if leaf == image else f"{leaf} KiB of up to {image} KiB"


def codec_name(row: Row) -> str:
    """Compressor and level in words: `zstd 6`."""
    return str(row.compressor) if row.level is None else f"{row.compressor} {row.level}"


def today(rows: Sequence[Row]) -> Row:
    """What a collection has when nobody asks for anything: snappy with the engine's own pages."""
    return next(row for row in rows if row.default and row.compressor == "snappy")


def lines(estimate: Estimate) -> Iterator[str]:
    """What the terminal says."""
    source = estimate.source
    about = "about " if source.bytes_estimated else ""
    sample = f"a sample of {source.sample_documents:,} in {source.runs} runs of neighbours"
    if source.sample_documents == source.documents:
        sample = "taken whole"
    yield (
        f"{one_line(source.name)}: {source.documents:,} documents, {about}{show_size(source.bytes)} of BSON; {sample}; "
        f"mongod {estimate.engine}, {estimate.seconds:.0f} s"
    )
    yield ""
    cost = f"  {'a month':>10}" if estimate.price else ""
    yield f"{'compressor':<10} {'leaf page':<23} {'B/document':>10}  {'95 % interval':>17} {'collection':>11}{cost}"
    for row in estimate.rows:
        each = row.storage_bytes_per_document
        paid = f"  {row.monthly_cost.value:>10,.2f}" if row.monthly_cost else ""
        mark = "  default" if row.default else ""
        yield (
            f"{codec_name(row):<10} {pages_name(row):<23} {each.value:>10,.1f}  {interval(each):>17} "
            f"{show_size(row.storage_bytes.value):>11}{paid}{mark}"
        )
    yield ""
    yield f"Indexes: {show_size(sum(one.bytes for one in estimate.indexes))}, about, under every setting."
    yield best_sentence(estimate)
    if estimate.dictionary:
        yield dictionary_sentence(estimate.dictionary, "")
    yield ONLY_SIZES


def dictionary_sentence(found: Dictionary, beside: str) -> str:
    """Documents one by one, with and without a dictionary, and what else to compare that with."""
    return (
        f"zstd {found.level} with a trained dictionary, per document (not available in MongoDB): ratio "
        f"{found.ratio:.2f}; without one {found.ratio_without:.2f}{'; ' if beside else ''}{beside}. The dictionary of "
        f"{show_size(found.dictionary_bytes)} was trained on one half of the documents and is measured on the other, "
        f"{found.documents:,}."
    )


def best_sentence(estimate: Estimate) -> str:
    """The least storage, against what a collection has when nobody asks for anything."""
    best, now = smallest(estimate.rows), today(estimate.rows)
    share = best.storage_bytes_per_document.value / now.storage_bytes_per_document.value - 1
    return (
        f"{codec_name(best)} with leaf pages of {pages_name(best)} takes the least storage: {-100 * share:.0f} % less "
        f"than {codec_name(now)} with {pages_name(now)}, the engine's default."
    )


def steps(estimate: Estimate) -> list[str]:
    """How a collection gets the setting that takes the least storage, as commands of mongosh."""
    best = smallest(estimate.rows)
    name = one_line(estimate.source.name)
    old, new = (json.dumps(one, ensure_ascii=False) for one in (name, f"{name}_new"))
    engine = f'{{storageEngine: {{wiredTiger: {{configString: "{best.config}"}}}}}}'
    return [
        *([_level_step(best)] if best.level != _own_level(estimate, best) else []),
        f"db.createCollection({new}, {engine})",
        f"db.getCollection({new}).createIndex(…)   // each index that the collection has",
        f"db.getCollection({old}).aggregate([{{$merge: {new}}}])   // while nothing writes to it",
        f"db.getCollection({new}).renameCollection({old}, true)",
    ]


def _level_step(row: Row) -> str:
    """Levels are of a whole mongod, and of all its collections with that compressor."""
    if row.compressor == "zstd":
        return f"storage.wiredTiger.engineConfig.zstdCompressionLevel: {row.level}   # in mongod.conf"
    return (
        "storage.wiredTiger.engineConfig.configString: "
        f'"builtin_extension_config={{zlib={{compression_level={row.level}}},zstd={{compression_level=6}}}}"'
        "   # in mongod.conf"
    )


def _own_level(estimate: Estimate, row: Row) -> int | None:
    return next(one.level for one in estimate.rows if one.default and one.compressor == row.compressor)


def interval(found: Range) -> str:
    """Its 95 % interval: `1.0 to 2.0`."""
    return f"{found.low:,.1f} to {found.high:,.1f}"
