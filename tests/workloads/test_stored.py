"""Files are read the same whether they are compressed or not; damage and size are told before they take memory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
import zstandard

from core.stored import pack, read_regular, read_stored, stored_names

if TYPE_CHECKING:
    from pathlib import Path

CONTENT = b"an evidence file, line after line\n" * 1000


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """The compressed form of the file `log`."""
    (tmp_path / "log").write_bytes(CONTENT)
    pack(tmp_path / "log")
    return tmp_path / "log.zst"


def test_a_compressed_file_reads_as_it_was(packed: Path) -> None:
    assert stored_names(packed.parent) == ["log"]
    assert not packed.with_suffix("").exists()
    assert packed.stat().st_size < len(CONTENT) / 10
    assert read_stored(packed.with_suffix("")) == CONTENT


def test_what_gains_nothing_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "small").write_bytes(b"x")
    pack(tmp_path / "small")
    assert stored_names(tmp_path) == ["small"]
    assert read_stored(tmp_path / "small") == b"x"


@pytest.mark.parametrize("length", [0, 3, 20, -5, -1])
def test_a_cut_one_is_refused(packed: Path, length: int) -> None:
    packed.write_bytes(packed.read_bytes()[:length])
    with pytest.raises(OSError, match="damaged"):
        read_stored(packed.with_suffix(""))


def test_a_flipped_bit_is_refused(packed: Path) -> None:
    content = bytearray(packed.read_bytes())
    content[len(content) // 2] ^= 4
    packed.write_bytes(content)
    with pytest.raises(OSError, match="damaged"):
        read_stored(packed.with_suffix(""))


def test_a_bomb_is_refused_unopened(packed: Path) -> None:
    packed.write_bytes(zstandard.compress(bytes(300_000_000)))
    with pytest.raises(OSError, match="larger than 1000 bytes"):
        read_stored(packed.with_suffix(""), 1000)


@pytest.mark.parametrize("suffix", ["", ".zst"])
def test_only_regular_files_are_read_and_no_link_is_followed(tmp_path: Path, suffix: str) -> None:
    (tmp_path / "elsewhere").write_bytes(b"x")
    (tmp_path / f"link{suffix}").symlink_to(tmp_path / "elsewhere")
    (tmp_path / f"dangling{suffix}").symlink_to(tmp_path / "nowhere")
    (tmp_path / f"device{suffix}").symlink_to("/dev/zero")
    (tmp_path / f"folder{suffix}").mkdir()
    os.mkfifo(tmp_path / f"pipe{suffix}")  # nobody ever writes to it
    for name in ("link", "dangling", "device"):
        with pytest.raises(OSError, match="a link, which is not followed here"):
            read_stored(tmp_path / name)
    for name in ("folder", "pipe"):
        with pytest.raises(OSError, match="not a regular file"):
            read_stored(tmp_path / name)
    assert stored_names(tmp_path) == ["elsewhere"]


def test_a_users_own_file_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("file")
    assert read_regular(tmp_path / "link", links=True) == b"x"
    (tmp_path / "device").symlink_to("/dev/zero")
    with pytest.raises(OSError, match="not a regular file"):
        read_regular(tmp_path / "device", links=True)
    with pytest.raises(OSError, match="larger than 0 bytes"):
        read_regular(tmp_path / "file", 0)
