"""Finds the one collection that a path means."""

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from datasets.collections.appearing import is_unfinished
from datasets.collections.files.archive import MAGIC, ArchivedCollection, archived, archived_metadata
from datasets.collections.files.bson_file import BsonFile
from datasets.collections.files.json_file import JsonFile
from datasets.collections.files.metadata import LARGEST_BYTES, Metadata, parse_metadata
from datasets.collections.files.streams import opened
from datasets.collections.records import Collection
from datasets.collections.stored_sample import DOCUMENTS, Sample, is_sample
from datasets.errors import DatasetError

_BSON = (".bson", ".bson.gz")
_JSON = {".json", ".jsonl", ".ndjson"}
_UTF_16 = (BOM_UTF16_LE, BOM_UTF16_BE)
_MOST_ENTRIES = 10_000
_NAMED = 8


def find_collection(path: Path) -> Collection:
    """Find the collection: a file by its content, a mongodump folder's only one, or `<archive>/<db>.<collection>`.

    A sample's folder is found, too: its documents, with the name and the metadata of the collection they are from.

    Raises DatasetError: there is none, there are several and none is named, or it is none that could be loaded.
    """
    try:
        if path.is_dir():
            return _in_folder(path)
        if not path.exists() and path.parent.is_file():
            return _archive(path.parent, path.name)
        if not path.exists():
            raise DatasetError(f"dataset {path}: there is no such file or folder; check the path")
    except OSError as error:
        raise DatasetError(f"dataset {path}: cannot be read ({error.strerror}); check path and rights") from None
    head = _head(path)
    if head.startswith(MAGIC):
        return _archive(path, "")
    if head.startswith(_UTF_16):
        raise DatasetError(f"dataset {path}: is UTF-16; convert it, e.g. with iconv -f UTF-16 -t UTF-8")
    if 0 in head[:4]:  # the length of a document, and never text
        return _dumped(path, links=True)
    if head.removeprefix(BOM_UTF8).lstrip()[:1] in (b"{", b"[") or set(path.suffixes) & _JSON:
        return Collection(path, path.name, JsonFile(path), sizes_are_bson=False, metadata=Metadata())
    raise DatasetError(
        f"dataset {path}: holds neither JSON ({{ or [ comes first) nor what mongodump writes; see docs/own-data.md"
    )


def _in_folder(folder: Path) -> Collection:
    """Give what a sample's or a dump's folder holds."""
    if is_unfinished(folder.absolute()):
        raise DatasetError(f"dataset {folder}: is of a sample that was not taken to its end; take it again")
    if not is_sample(folder):
        return _dumped(_only(folder, list(islice(_bson_files(folder), _MOST_ENTRIES))), links=False)
    told, path = Sample.load(folder).manifest, folder / DOCUMENTS
    return Collection(path, told.source, BsonFile(path, links=False), sizes_are_bson=True, metadata=told.metadata)


def _head(path: Path) -> bytes:
    """Give the first bytes of a file's content. Raises DatasetError if it has none."""
    with opened(path, links=True) as stream:
        head = stream.peek(1)
    if not head.removeprefix(BOM_UTF8).strip():
        raise DatasetError(f"dataset {path}: is empty; give a file with at least one document")
    return head


def _bson_files(folder: Path) -> Iterator[Path]:
    """Give the collections of a dump's folder, or of the folders of its databases; not those of the server itself."""
    for entry in sorted(islice(folder.iterdir(), _MOST_ENTRIES)):
        if entry.is_dir() and not entry.is_symlink():
            yield from (inner for inner in sorted(islice(entry.iterdir(), _MOST_ENTRIES)) if _is_collection(inner))
        elif _is_collection(entry) and not entry.name.startswith("oplog.bson"):
            yield entry


def _is_collection(path: Path) -> bool:
    return path.name.endswith(_BSON) and not path.name.startswith("system.")


def _only(folder: Path, found: Sequence[Path]) -> Path:
    if not found:
        raise DatasetError(
            f"dataset {folder}: holds no collection (.bson or .bson.gz); give a folder that mongodump wrote, or a file"
        )
    if len(found) > 1:
        raise DatasetError(
            f"dataset {folder}: holds {len(found)} collections; name one of them: {_some([str(one) for one in found])}"
        )
    return found[0]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")


def _dumped(path: Path, *, links: bool) -> Collection:
    """Give a `.bson` file with what lies beside it."""
    if path.name.startswith("system.buckets."):
        raise DatasetError(f"dataset {path}: is of a time-series collection, which Pressgauge can't load; name another")
    name = path.name.removesuffix(".gz").removesuffix(".bson")
    return Collection(path, name, BsonFile(path, links), sizes_are_bson=True, metadata=_metadata_beside(path, name))


def _metadata_beside(path: Path, name: str) -> Metadata:
    """Read a collection's metadata; there is none where the file was copied alone."""
    for beside in (path.with_name(f"{name}.metadata.json"), path.with_name(f"{name}.metadata.json.gz")):
        if beside.is_symlink() or beside.exists():
            with opened(beside, links=False) as stream:
                text = stream.read(LARGEST_BYTES + 1)
            if len(text) > LARGEST_BYTES:
                raise DatasetError(f"dataset {beside}: is larger than 16 MiB, and no metadata of mongodump")
            return parse_metadata(text, f"dataset {beside}")
    return Metadata()


def _archive(path: Path, namespace: str) -> Collection:
    """Give a collection of an archive: the one that is named, or the only one."""
    found = archived(path)
    named = sorted(one for one in found if not one.partition(".")[2].startswith("system."))
    if not namespace and len(named) > 1:
        raise DatasetError(
            f"dataset {path}: holds {len(named)} collections; name one of them: "
            f"{_some([str(path / one) for one in named])}"
        )
    if not named or namespace not in ("", *found):
        what = f"no {namespace}" if namespace else "no collection"
        raise DatasetError(f"dataset {path}: holds {what}; it has: {_some(named) or 'none'}")
    chosen = namespace or named[0]
    return Collection(
        path,
        chosen,
        ArchivedCollection(path, chosen),
        sizes_are_bson=True,
        metadata=archived_metadata(path, chosen, found[chosen]),
    )
