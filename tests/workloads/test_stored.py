"""Files are read the same whether they are compressed or not; damage and size are told before they take memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import zstandard

from core.stored import pack, read_stored, stored_names

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
