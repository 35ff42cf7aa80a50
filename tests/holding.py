"""Which files have a secret in them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def holding(secret: str, *folders: Path) -> list[Path]:
    """Files below the folders that have the secret in them; mongod's own data files apart, which are its to protect."""
    found = []
    for path in (path for folder in folders for path in _files(folder)):
        with suppress(FileNotFoundError):  # a running trial's files come and go
            if secret.encode() in path.read_bytes():
                found.append(path)
    return found


def _listed(folder: Path) -> list[Path]:
    with suppress(FileNotFoundError, NotADirectoryError):
        return list(folder.iterdir())
    return []


def _files(folder: Path) -> Iterator[Path]:
    skipped = {"engines", "datasets", "corpora", "setup"}  # large, and made before there was a secret
    skipped |= {"data", "beside"}  # mongod's; and the home of tests that run beside these
    for path in _listed(folder):
        if path.name not in skipped and not path.is_symlink():
            if path.is_dir():
                yield from _files(path)
            elif path.is_file():
                yield path
