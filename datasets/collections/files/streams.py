"""Opens what a user names as a source: a regular file, unpacked where it is gzip, in bounded memory."""

import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from datasets.errors import DatasetError

_GZIP_MAGIC = b"\x1f\x8b"
_BUFFER_BYTES = 2**18


@contextmanager
def opened(path: Path, *, links: bool) -> Iterator[io.BufferedReader]:
    """Open a regular file for reading; through a link only where `links` may.

    Faults of reading that arise in the block become DatasetErrors, which name the file.
    """
    try:
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if links else os.O_NOFOLLOW)
        with io.BufferedReader(io.FileIO(os.open(path, flags)), _BUFFER_BYTES) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise DatasetError(f"dataset {path}: is no regular file; give a file, or a mongodump folder")
            if file.peek(2)[:2] != _GZIP_MAGIC:
                yield cast("io.BufferedReader", file)
                return
            with gzip.GzipFile(fileobj=file) as unpacked, io.BufferedReader(unpacked, _BUFFER_BYTES) as reader:
                yield cast("io.BufferedReader", reader)
    except EOFError:
        raise DatasetError(f"dataset {path}: its gzip data is cut off; copy or dump it again") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise DatasetError(f"dataset {path}: its gzip data is damaged ({error}); copy or dump it again") from None
    except OSError as error:
        link = not links and path.is_symlink()
        why = "is a link, and in a dump's folder none is followed" if link else f"cannot be read ({error.strerror})"
        raise DatasetError(f"dataset {path}: {why}; check path and rights") from None
