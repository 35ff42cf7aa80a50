"""A profile in words: the table of the terminal, and the sentences that the page shares with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.profile.records import codec_name, cpu_share, processes
from core.sizes import show_size
from core.text import one_line
from reports.estimate_texts import KIB, dictionary_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analysis.estimate.records import Dictionary
    from analysis.profile.records import Profile, Row

_USUAL_BLOCK = 32 * KIB
_MEGA = 1e6
_UNDISTURBED = 0.95
NO_SERVER = (
    "No server ran. mongod compresses pages of its own making, beside its other work; what a codec costs a workload, "
    "only a campaign measures."
)


def block_name(size: int) -> str:
    """A block's size: `32 KiB`."""
    return f"{size // KIB} KiB"


def blocks(rows: Sequence[Row]) -> tuple[int, ...]:
    """The sizes of blocks that were measured, in their order."""
    return tuple(dict.fromkeys(row.block_bytes for row in rows))


def usual_block(rows: Sequence[Row]) -> int:
    """The size of blocks at which numbers of processes are compared: WiredTiger's own leaf page, or the largest."""
    found = blocks(rows)
    return _USUAL_BLOCK if _USUAL_BLOCK in found else max(found)


def codecs(rows: Sequence[Row]) -> dict[str, dict[int, Row]]:
    """The rows by codec and size of blocks."""
    found: dict[str, dict[int, Row]] = {}
    for row in rows:
        found.setdefault(codec_name(row), {})[row.block_bytes] = row
    return found


def speed(bytes_per_s: float) -> str:
    """In 10⁶ bytes a second: `1,234`, or `3.2` where it is slow."""
    value = bytes_per_s / _MEGA
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def lines(profile: Profile) -> Iterator[str]:
    """What the terminal says."""
    every, sizes, usual = codecs(profile.rows), blocks(profile.rows), usual_block(profile.rows)
    numbers = processes(profile.rows)
    yield about(profile)
    yield ""
    yield f"{'ratio':<10}" + "".join(f"{block_name(size):>9}" for size in sizes)
    for name, found in every.items():
        yield f"{name:<10}" + "".join(f"{found[size].ratio:>9.2f}" for size in sizes)
    yield ""
    width = 8 * len(numbers)
    yield f"{block_name(usual):<10}{'compress, MB/s':>{width + 8}}{'decompress, MB/s':>{width + 10}}"
    counted = "".join(f"{number:>8}" for number in numbers)
    yield f"{'processes':<10}{'':8}{counted}{'':10}{counted}"
    for name, found in every.items():
        speeds = found[usual].speeds
        compress = "".join(f"{speed(one.compress_bytes_per_s):>8}" for one in speeds)
        decompress = "".join(f"{speed(one.decompress_bytes_per_s):>8}" for one in speeds)
        yield f"{name:<10}{'':8}{compress}{'':10}{decompress}"
    yield ""
    yield from notes(profile)


def about(profile: Profile) -> str:
    """What was profiled, where and when."""
    source = profile.source
    size = ("about " if source.bytes_estimated else "") + show_size(source.bytes)
    what = f"{source.documents:,} documents, {size} of BSON" if source.documents is not None else f"{size} of bytes"
    part = "all of it" if source.profiled_bytes == source.bytes else f"{show_size(source.profiled_bytes)} of it"
    corpus = f", the {source.corpus} corpus" if source.corpus else ""
    machine = profile.machine
    return (
        f"{one_line(source.name)}: {what}{corpus}; {part}, in {profile.seconds:.0f} s on {machine.cores} "
        f"core{'s' if machine.cores != 1 else ''} ({one_line(machine.cpu)}), load {profile.load:.1f} before"
    )


def notes(profile: Profile) -> Iterator[str]:
    """What is to be known beside the tables."""
    if profile.dictionary:
        yield _dictionary(profile, profile.dictionary)
    share = cpu_share(profile)
    if share < _UNDISTURBED:
        yield (
            f"Other work was on the machine: the processes had their cores for {100 * share:.0f} % of the time, so "
            "speeds are too low. Measure again when it is idle."
        )
    yield NO_SERVER


def _dictionary(profile: Profile, found: Dictionary) -> str:
    """Documents one by one, with and without a dictionary, beside blocks of neighbours."""
    pages = codecs(profile.rows).get(f"zstd {found.level}", {}).get(usual_block(profile.rows))
    beside = f"blocks of {block_name(pages.block_bytes)}, which hold neighbours, {pages.ratio:.2f}" if pages else ""
    return dictionary_sentence(found, beside)
