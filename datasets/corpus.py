"""A corpus in memory, as the value function reads it."""

from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from datasets.errors import DatasetError


@dataclass(frozen=True)
class Corpus:
    """Text of many units, each followed by a space; `starts` are the byte offsets at which units begin."""

    text: bytes = field(repr=False)
    starts: tuple[int, ...] = field(repr=False)

    @classmethod
    def from_bytes(cls, data: bytes, where: str) -> "Corpus":
        """Read the bytes of a corpus file: UTF-8, one unit per line, a newline at each end, no empty line.

        Raises DatasetError, which names `where` the bytes came from.
        """
        try:
            data.decode()
        except UnicodeDecodeError as error:
            raise DatasetError(f"corpus {where}: byte {error.start} is not UTF-8; prepare it again") from None
        if not data.endswith(b"\n"):
            raise DatasetError(f"corpus {where}: does not end with a newline (cut off?); prepare it again")
        lines = data[:-1].split(b"\n")
        if b"" in lines:
            raise DatasetError(f"corpus {where}: line {lines.index(b'') + 1} is empty; prepare it again")
        ends = accumulate(len(line) + 1 for line in lines)
        return cls(data.replace(b"\n", b" "), (0, *ends)[:-1])

    @classmethod
    def load(cls, path: Path) -> "Corpus":
        """Read a corpus file. Raises DatasetError if it is missing or damaged."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise DatasetError(f"corpus {path}: cannot be read ({error.strerror}); prepare it again") from None
        return cls.from_bytes(data, str(path))

    def bytes_from(self, start: int, length: int) -> bytes:
        """Give `length` bytes from offset `start` on; the text begins anew at its end."""
        part = self.text[start : start + length]
        while len(part) < length:
            part += self.text[: length - len(part)]
        return part
