"""An estimate to show: three compressors, one of them with another level."""

from __future__ import annotations

from analysis.estimate.records import Estimate, Index, Price, Range, Row, Source
from analysis.trial.records import Compressor

KIB = 2**10
_EACH = {
    (Compressor.NONE, None, 32, 128): 1050.0, (Compressor.NONE, None, 128, 128): 1040.0,
    (Compressor.SNAPPY, None, 32, 128): 435.0, (Compressor.SNAPPY, None, 128, 128): 415.0,
    (Compressor.ZSTD, 6, 32, 128): 265.0, (Compressor.ZSTD, 6, 128, 128): 264.0,
    (Compressor.ZSTD, 15, 32, 128): 260.0, (Compressor.ZSTD, 15, 128, 128): 240.0,
}  # fmt: skip
_DOCUMENTS = 1_000_000


def estimated(name: str = "orders", source: str = "shop.orders") -> Estimate:
    """The estimate."""
    return Estimate(
        name=name,
        made_at="2026-01-01T00:00:00+00:00",
        engine="6.0.5",
        source=Source(
            name=source, documents=_DOCUMENTS, bytes=_DOCUMENTS * 1000, bytes_estimated=False,
            sample_documents=12_000, sample_bytes=12_000_000, runs=46,
        ),
        price=Price(per_gb_month=0.08, replicas=3, currency="USD"),
        indexes=(Index(name="_id_", bytes=12_000_000),),
        rows=tuple(_row(*key, each) for key, each in _EACH.items()),
        seconds=42.0,
    )  # fmt: skip


def _row(compressor: Compressor, level: int | None, leaf: int, image: int, each: float) -> Row:
    found = Range(value=each, low=each * 0.99, high=each * 1.01)
    return Row(
        compressor=compressor,
        level=level,
        leaf_page_max=leaf * KIB,
        memory_page_image_max=image * KIB,
        default=level != 15 and image != leaf,
        storage_bytes_per_document=found,
        storage_bytes=found.times(_DOCUMENTS),
        index_bytes=12_000_000,
        monthly_cost=found.times(_DOCUMENTS * 0.24 / 1e9),
        load_cpu_s_per_gb=20.0,
        page_memory_bytes=leaf * 0.9 * KIB,
        page_disk_bytes=12 * KIB,
        config=f"block_compressor={compressor},leaf_page_max={leaf * KIB},memory_page_image_max={image * KIB}",
    )
