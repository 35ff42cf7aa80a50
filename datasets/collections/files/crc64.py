"""The checksum that an archive has of each collection, at the speed of a library."""

import lzma
import zlib

_LARGEST_CHUNK_BYTES = 2**16
_FLAGS = b"\x00\x04"  # a stream whose blocks end with a CRC-64
_STREAM_HEADER = b"\xfd7zXZ\x00" + _FLAGS + zlib.crc32(_FLAGS).to_bytes(4, "little")
_BLOCK = b"\x02\x00\x21\x01\x08\x00\x00\x00"  # twelve bytes with its checksum: one filter, LZMA2, no sizes
_BLOCK_HEADER = _BLOCK + zlib.crc32(_BLOCK).to_bytes(4, "little")


class Crc64:
    """A running CRC-64 (ECMA-182, reflected), which can only be compared.

    Python computes none, but its xz decoder checks one: it is given the data as blocks that aren't compressed.
    """

    def __init__(self) -> None:
        self._decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ)
        self._decoder.decompress(_STREAM_HEADER + _BLOCK_HEADER)
        self._waiting = bytearray()
        self._written_bytes = 0

    def update(self, data: bytes) -> None:
        """Take more data."""
        self._waiting += data
        while len(self._waiting) >= _LARGEST_CHUNK_BYTES:
            self._chunk(_LARGEST_CHUNK_BYTES)

    def agrees(self, expected: int) -> bool:
        """Tell whether the data has this checksum (a signed or unsigned 64-bit number). Takes no data afterwards."""
        if self._waiting:
            self._chunk(len(self._waiting))
        padding = b"\x00" * (-(self._written_bytes + 1) % 4)
        try:
            self._decoder.decompress(b"\x00" + padding + (expected % 2**64).to_bytes(8, "little"))
        except lzma.LZMAError:
            return False
        return True

    def _chunk(self, size_bytes: int) -> None:
        control = b"\x02" if self._written_bytes else b"\x01"  # the first one also begins a dictionary
        self._decoder.decompress(control + (size_bytes - 1).to_bytes(2, "big") + self._waiting[:size_bytes])
        self._written_bytes += 3 + size_bytes
        del self._waiting[:size_bytes]
