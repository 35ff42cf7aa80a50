"""Anonymises a sample on its way to the disk, and sees what that does to its compression."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from datasets.collections.files.metadata import Index, Metadata
from datasets.collections.masking.documents import Mask
from datasets.collections.spool import Spool, split
from datasets.collections.stored_sample import Anonymised, RatioChange
from datasets.errors import DatasetError
from datasets.ratios import CODECS, codec_name

MOST_CHANGE = 0.03
"""Of a codec's ratio, as a share: beyond it a sample would no longer tell what its collection compresses to."""
_PAGE_BYTES = 2**16
_MOST_COMPRESSED_BYTES = 2**25
_WITHOUT_VALUES = {"storageEngine", "collation", "capped", "size", "max"}
_OF_VALUES = {"text", "2dsphere", "2d", "geoHaystack"}


@dataclass(frozen=True)
class Anonymise:
    """What is to be anonymised."""

    paths: tuple[str, ...] = ()
    """With all below them; all, if none is named."""
    in_clear: tuple[str, ...] = ()
    """Left as they are, with all below them."""
    most_change: float = MOST_CHANGE
    """Of any codec's ratio, as a share; beyond it there is no sample."""


def anonymise_runs(spool: Spool, path: Path, name: str, wanted: Anonymise) -> Anonymised:
    """Write the runs of a spool to a file, their values masked, and tell how.

    Raises DatasetError, which names the source as `name`: a value can't be masked, no document has a path that was
    named, and a ratio that changes by more than is wanted.
    """
    mask = Mask(wanted.paths, wanted.in_clear)
    try:
        for document in spool.documents():
            mask.learn(document)
        mask.learned()
    except DatasetError as error:
        raise DatasetError(f"dataset {name}: {error}") from None
    if unseen := mask.unseen():
        raise DatasetError(
            f"dataset {name}: no document of the sample has a value under {', '.join(map(repr, unseen))}; "
            "name paths as the manifest of a sample does"
        )
    ratios = _Ratios(spool.size_bytes)
    with path.open("xb") as file:
        for run in spool.runs():
            before = list(split(run))
            after = list(map(mask.mask, before))
            file.writelines(after)
            ratios.add(before, after)
    found = Anonymised(paths=wanted.paths, in_clear=wanted.in_clear, ratios=ratios.changes())
    if any(abs(one.share) > wanted.most_change for one in found.ratios):
        raise DatasetError(
            f"dataset {name}: anonymised, it would compress otherwise ({found.changes}), by more than "
            f"{wanted.most_change:.0%}; leave a path in clear, or allow for more"
        )
    return found


def without_values(metadata: Metadata) -> Metadata:
    """Give what is known of a collection without what might hold a value of it.

    Indexes that depend on values are left out: partial, text and geospatial ones.
    """
    indexes = (one for one in metadata.indexes if not _depends_on_values(one))
    options = {name: value for name, value in metadata.options.items() if name in _WITHOUT_VALUES}
    return metadata.model_copy(update={"indexes": tuple(indexes), "options": options})


def _depends_on_values(index: Index) -> bool:
    return "partialFilterExpression" in index.options or not _OF_VALUES.isdisjoint(map(str, index.key.values()))


@dataclass
class _Ratios:
    """Compresses pages of neighbours as they were and as they are: all, or evenly some of many."""

    sample_bytes: int
    _raw_bytes: int = 0
    _pages: int = 0
    _compressed: dict[str, list[int]] = field(default_factory=dict)

    def add(self, before: Sequence[bytes], after: Sequence[bytes]) -> None:
        """Take a run."""
        step = -(-self.sample_bytes // _MOST_COMPRESSED_BYTES)
        for begin, end in _pages(before):
            self._pages += 1
            if self._pages % step:
                continue
            raw, masked = b"".join(before[begin:end]), b"".join(after[begin:end])
            self._raw_bytes += len(raw)
            for name, compressed in _codecs():
                sums = self._compressed.setdefault(name, [0, 0])
                sums[0] += compressed(raw)
                sums[1] += compressed(masked)

    def changes(self) -> tuple[RatioChange, ...]:
        """Give the ratios before and after."""
        return tuple(
            RatioChange(codec=name, before=self._raw_bytes / before, after=self._raw_bytes / after)
            for name, (before, after) in self._compressed.items()
        )


def _pages(documents: Iterable[bytes]) -> Iterator[tuple[int, int]]:
    """Cut neighbours into pages, which are full with the document that fills them."""
    begin = size = end = 0
    for end, document in enumerate(documents, 1):
        size += len(document)
        if size >= _PAGE_BYTES:
            yield begin, end
            begin, size = end, 0
    if size:
        yield begin, end


def _codecs() -> Iterator[tuple[str, Callable[[bytes], int]]]:
    """Give what compresses, at mongod's own levels."""
    for name, codec in CODECS.items():
        if name != "none":
            yield codec_name(name), lambda page, codec=codec: codec.compressed_bytes(page, codec.default_level)  # type: ignore[misc]
