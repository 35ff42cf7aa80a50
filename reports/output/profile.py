"""The page of a profile: heatmaps of ratios and speeds by block size, and speeds by number of processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.profile.records import processes
from core.files import write_whole
from reports.output.environment import environment
from reports.output.heat import SHADES, shade
from reports.output.rendering import script_policy
from reports.plain import plain
from reports.profile_texts import (
    NO_SERVER,
    about,
    block_name,
    blocks,
    codecs,
    notes,
    speed,
    usual_block,
)
from reports.theme import STATIC

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from analysis.profile.records import Profile, Row, Speed

_CEILING = "none"


@dataclass(frozen=True)
class Cell:
    """One figure of a heatmap."""

    text: str
    small: str
    shade: int
    """From 0, the best, to 5."""


@dataclass(frozen=True)
class Heatmap:
    """A table of a figure by codec."""

    title: str
    caption: str
    columns: tuple[str, ...]
    lines: tuple[tuple[str, tuple[Cell, ...]], ...]


def write(profile: Profile, path: Path) -> None:
    """See `reports.write_profile`."""
    text = (
        environment()
        .get_template("profile.html")
        .render(
            profile=plain(profile),
            about=about(profile),
            notes=[one for one in notes(profile) if one != NO_SERVER],
            no_server=NO_SERVER,
            heatmaps=plain([*_by_block(profile), *_by_processes(profile)]),
            css=(STATIC / "report.css").read_text(encoding="utf-8"),
            policy=script_policy(""),
        )
    )
    write_whole(path, text)


def _by_block(profile: Profile) -> list[Heatmap]:
    achieved = any(row.achieved_ratio for row in profile.rows)
    beneath = " Beneath it, what mongod's own pages of this size came to in the estimate." if achieved else ""
    figures: list[tuple[str, str, Callable[[Row], float], Callable[[Row], tuple[str, str]]]] = [
        (
            "Ratio", "Bytes before ÷ after, by size of blocks. More is better.",
            lambda row: row.ratio, lambda row: (f"{row.ratio:.2f}", ""),
        ),
        (
            "Ratio as stored",
            f"The same in whole units of 4 KiB, as WiredTiger stores pages that hold this much before.{beneath}",
            lambda row: row.stored_ratio,
            lambda row: (f"{row.stored_ratio:.2f}", f"mongod {row.achieved_ratio:.2f}" if row.achieved_ratio else ""),
        ),
        (
            "Compression by one process", "MB (10⁶ bytes before compression) a second. none is a copy in memory.",
            lambda row: row.speeds[0].compress_bytes_per_s,
            lambda row: (speed(row.speeds[0].compress_bytes_per_s), ""),
        ),
        (
            "Decompression by one process", "MB (10⁶ bytes after decompression) a second.",
            lambda row: row.speeds[0].decompress_bytes_per_s,
            lambda row: (speed(row.speeds[0].decompress_bytes_per_s), ""),
        ),
    ]  # fmt: skip
    columns, every = blocks(profile.rows), codecs(profile.rows)
    return [
        Heatmap(
            title,
            caption,
            tuple(map(block_name, columns)),
            _lines(
                {name: [figure(found[size]) for size in columns] for name, found in every.items()},
                {name: [text(found[size]) for size in columns] for name, found in every.items()},
            ),
        )
        for title, caption, figure, text in figures
    ]


def _by_processes(profile: Profile) -> list[Heatmap]:
    """What several processes reach together, beside so many times what one does alone."""
    size, numbers = usual_block(profile.rows), processes(profile.rows)
    speeds = {name: found[size].speeds for name, found in codecs(profile.rows).items()}
    columns = tuple(f"{number} process{'es' if number > 1 else ''}" for number in numbers)
    caption = f"MB a second of all together, blocks of {block_name(size)}."
    figures: list[tuple[str, Callable[[Speed], float]]] = [
        ("Compression by several processes", lambda one: one.compress_bytes_per_s),
        ("Decompression by several processes", lambda one: one.decompress_bytes_per_s),
    ]
    return [
        Heatmap(title, caption, columns, _lines(found, {name: list(_scaled(one)) for name, one in found.items()}))
        for title, figure in figures
        for found in [{name: [figure(one) for one in each] for name, each in speeds.items()}]
    ]


def _scaled(values: Sequence[float]) -> Iterator[tuple[str, str]]:
    for place, value in enumerate(values):
        yield speed(value), f"{value / values[0]:.2f} × one" if place else ""


def _lines(
    figures: Mapping[str, Sequence[float]], texts: Mapping[str, Sequence[tuple[str, str]]]
) -> tuple[tuple[str, tuple[Cell, ...]], ...]:
    """Cells shaded by where their figures lie among all but the ceiling's."""
    values = [value for name, row in figures.items() for value in row if name != _CEILING] or [1.0]
    low, high = min(values), max(values)
    return tuple(
        (
            name,
            tuple(
                Cell(*text, shade=SHADES - 1 if name == _CEILING else shade(value, high, low))
                for value, text in zip(row, texts[name], strict=True)
            ),
        )
        for name, row in figures.items()
    )
