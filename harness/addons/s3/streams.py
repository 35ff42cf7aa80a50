"""Files as streams: hashed and compressed on their way out, unpacked and hashed on their way in, in little memory."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Protocol, cast

import blake3
import zstandard

from harness.addons.s3.manifest import Codec
from harness.errors import HostError, InputError, Interrupted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from harness.addons.s3.manifest import StoredFile

_CHUNK_BYTES = 2**18
_LEVEL = 3
_WINDOW_BYTES = 8 * 2**20  # more than our level ever asks a reader to hold in memory
LEAST_PART_BYTES = 8 * 2**20
_MOST_PARTS = 9000  # S3 takes 10,000


class Readable(Protocol):
    """Something that is read piece by piece, such as an object's body."""

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes, none at the end."""
        ...


def digest_of(path: Path) -> str:
    """BLAKE3 of a file in hex, read piece by piece: a mapped file would count as our memory."""
    digest = blake3.blake3()
    for chunk in _chunks(path):
        digest.update(chunk)
    return digest.hexdigest()


def part_bytes(file: StoredFile) -> int:
    """How long each part of a file's stored form is; of the size alone, so that a second push cuts it alike."""
    return max(LEAST_PART_BYTES, -(-file.size_bytes // _MOST_PARTS))


def parts(path: Path, file: StoredFile) -> Iterator[bytearray]:
    """The file's stored form in parts of equal length, the last one shorter; at least one, though it be empty.

    Raises:
        InputError: the content is not what `file` says; told before the last part is handed out.
    """
    size, part, digest = part_bytes(file), bytearray(), blake3.blake3()
    try:
        for packed in _packed(path, file, digest):
            rest = memoryview(packed)
            while rest:
                if len(part) == size:
                    yield part
                    part = bytearray()  # not cut from a longer one: a part in memory is all there should be
                room = size - len(part)
                part += rest[:room]
                rest = rest[room:]
    except zstandard.ZstdError as error:  # more or fewer bytes than announced
        raise _changed(path) from error
    if digest.hexdigest() != file.blake3:
        raise _changed(path)
    yield part


def _packed(path: Path, file: StoredFile, digest: blake3.blake3) -> Iterator[bytes]:
    codec = (
        zstandard.ZstdCompressor(level=_LEVEL).compressobj(size=file.size_bytes) if file.codec is Codec.ZSTD else None
    )
    for chunk in _chunks(path):
        digest.update(chunk)
        yield codec.compress(chunk) if codec else chunk
    yield codec.flush() if codec else b""


def unpack(source: Readable, file: StoredFile, path: Path, stopped: Callable[[], bool] = lambda: False) -> None:
    """Write a file from its stored form, and check it; what was at `path` is replaced, and no link there followed.

    Raises:
        Interrupted: `stopped` says so.
        HostError: what the store holds is not what its manifest says; `path` is then gone.
    """
    digest, written = blake3.blake3(), 0
    reader: Readable = source
    if file.codec is Codec.ZSTD:
        unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES)
        reader = unpacker.stream_reader(cast("IO[bytes]", source))  # of which it uses read alone
    path.unlink(missing_ok=True)
    try:
        with path.open("xb") as out:
            while chunk := reader.read(_CHUNK_BYTES):
                written += len(chunk)
                if written > file.size_bytes:  # whatever it would unpack to
                    break
                digest.update(chunk)
                out.write(chunk)
                if stopped():
                    raise Interrupted("the pull was stopped", do="the same command resumes it")
    except zstandard.ZstdError as error:
        path.unlink(missing_ok=True)
        raise _spoilt(file) from error
    if written != file.size_bytes or digest.hexdigest() != file.blake3:
        path.unlink(missing_ok=True)
        raise _spoilt(file)


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk


def _changed(path: Path) -> InputError:
    return InputError(
        f"{path}: its content is not what the run recorded", do="`make verify` says more; restore the file, push again"
    )


def _spoilt(file: StoredFile) -> HostError:
    return HostError(
        f"{file.path}: the store's copy is not what its manifest says", do="push the run again from where it is whole"
    )
