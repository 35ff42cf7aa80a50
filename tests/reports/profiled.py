"""A profile to show: a copy, two codecs and a level, at two sizes of blocks, by one and two processes."""

from __future__ import annotations

from analysis.estimate.records import Dictionary
from analysis.profile.records import Profile, Row, Source, Speed
from core.machine import Machine

_RATIOS = {
    ("none", None): (1.0, 1.0), ("snappy", None): (1.6, 1.8), ("zstd", 1): (2.2, 2.5), ("zstd", 6): (2.5, 2.9),
}  # fmt: skip
_SPEEDS = {("none", None): 10_000e6, ("snappy", None): 300e6, ("zstd", 1): 150e6, ("zstd", 6): 40e6}


def profiled(
    name: str = "orders", source: str = "orders.bson", *, share: float = 1.0, dictionary: bool = True
) -> Profile:
    """The profile."""
    return Profile(
        name=name,
        made_at="2026-01-01T00:00:00+00:00",
        machine=Machine(cpu="Fast CPU", cores=2, kernel="6.1"),
        load=0.2,
        libraries={"zstd": "1.5.7"},
        source=Source(
            name=source, kind="documents", bytes=10**9, bytes_estimated=False, documents=1_000_000,
            profiled_bytes=2**24, digest="0" * 64, corpus=None,
        ),
        seconds_each=0.1,
        rows=tuple(_row(*codec, place, share) for codec in _RATIOS for place in (0, 1)),
        dictionary=Dictionary(level=6, documents=8000, dictionary_bytes=112_640, ratio=3.1, ratio_without=1.4)
        if dictionary else None,
        seconds=80.0,
    )  # fmt: skip


def _row(codec: str, level: int | None, place: int, share: float) -> Row:
    ratio, fast = _RATIOS[codec, level][place], _SPEEDS[codec, level]
    return Row(
        codec=codec,
        level=level,
        block_bytes=2 ** (15 + 2 * place),
        ratio=ratio,
        stored_ratio=ratio * 0.9,
        achieved_ratio=2.13 if (level, place) == (6, 0) else None,
        speeds=tuple(
            Speed(
                processes=count, compress_bytes_per_s=count * 0.9 * fast, decompress_bytes_per_s=4 * count * fast,
                spread=0.05, cpu_share=share,
            )
            for count in (1, 2)
        ),
    )  # fmt: skip
