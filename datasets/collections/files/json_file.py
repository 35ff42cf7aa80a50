"""Documents as text: JSON Lines, or one JSON array."""

import codecs
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from datasets.collections.files.checks import too_deep
from datasets.collections.files.extended_json import parse
from datasets.collections.files.streams import opened
from datasets.collections.records import Record
from datasets.errors import DatasetError

LONGEST_TEXT = 2**27
"""Of one document: what holds 16 MiB of BSON, each byte of it as `\\u0000`, and to spare."""
_CHUNK_BYTES = 2**18
_NEAR_THE_END = 32
_SPACE = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True)
class JsonFile:
    """A file of JSON, gzip or not."""

    path: Path

    def __iter__(self) -> Iterator[Record]:
        """Give the documents' texts in their order."""
        with opened(self.path, links=True) as stream:
            if stream.peek(3)[:3] == codecs.BOM_UTF8:
                stream.read(3)
            if stream.peek(1).lstrip()[:1] == b"[":
                yield from _Array(stream, self.path)
            else:
                yield from _lines(stream, self.path)

    def document(self, record: Record) -> bytes:
        """Give a document's BSON."""
        return parse(record.raw, f"dataset {self.path}", record.at, record.number)


def _lines(stream: io.BufferedReader, path: Path) -> Iterator[Record]:
    """Give the lines that hold something."""
    number = line = 0
    while text := stream.readline(LONGEST_TEXT + 1):
        line += 1
        if len(text) > LONGEST_TEXT:
            raise _too_long(path, line)
        if not text.isspace():
            number += 1
            yield Record(number, line, text)


def _too_long(path: Path, line: int) -> DatasetError:
    return DatasetError(
        f"dataset {path}, line {line}: goes on for more than 128 MiB, and MongoDB's documents end at 16 MiB; "
        "give one document per line, or one JSON array"
    )


class _Array:
    """The documents of an array, found one after the other in a window on the text."""

    def __init__(self, stream: io.BufferedReader, path: Path) -> None:
        self._stream = stream
        self._path = path
        self._characters = codecs.getincrementaldecoder("utf-8")()
        self._window = ""
        self._at = 0
        self._line = 1
        self._scan = json.JSONDecoder(parse_int=str, parse_float=str).raw_decode  # its end is all that matters

    def __iter__(self) -> Iterator[Record]:
        """Give the texts of the array's elements."""
        number = 0
        self._expect("[")
        following = self._next()
        while following != "]":
            number += 1
            line, text = self._line, self._element()
            yield Record(number, line, text.encode())
            following = self._next()
            if following == ",":
                self._step()
                following = self._next()
                if following == "]":
                    raise self._fault("a comma before the end of the array")
            elif following != "]":
                raise self._fault("no comma between two documents")
        self._step()
        if self._next(may_end=True):
            raise self._fault("text after the end of the array")

    def _expect(self, character: str) -> None:
        if self._next() != character:
            raise self._fault(f"{character} was expected")
        self._step()

    def _step(self) -> None:
        self._at += 1

    def _next(self, *, may_end: bool = False) -> str:
        """Give the next character that is no space, without taking it; nothing at the end of the file."""
        while True:
            found = _SPACE.match(self._window, self._at)
            end = found.end() if found else self._at
            self._line += self._window.count("\n", self._at, end)
            self._at = end
            if end < len(self._window):
                return self._window[end]
            if not self._more():
                if may_end:
                    return ""
                raise self._fault("the file ends within the array (cut off?)")

    def _element(self) -> str:
        """Take an element's text, whatever it is: what it has to be is the parser's to say."""
        while True:
            begins = self._at
            try:
                _, end = self._scan(self._window, begins)
            except json.JSONDecodeError as error:
                lines = self._window.count("\n", begins, error.pos)
                cut = error.pos > len(self._window) - _NEAR_THE_END or error.msg.startswith("Unterminated")
                if len(self._window) - begins <= LONGEST_TEXT and cut and self._more():
                    continue
                if cut and len(self._window) > LONGEST_TEXT:
                    raise _too_long(self._path, self._line) from None
                self._line += lines
                raise self._fault(error.msg) from None
            except RecursionError:
                raise too_deep(f"dataset {self._path}, line {self._line}") from None
            if end - begins > LONGEST_TEXT:
                raise _too_long(self._path, self._line)
            self._at = end
            text = self._window[begins:end]
            self._line += text.count("\n")
            return text

    def _more(self) -> bool:
        """Read on, twice as much as there is, so that a long document is not looked at too often."""
        packed = self._stream.read(max(_CHUNK_BYTES, len(self._window) - self._at))
        try:
            text = self._characters.decode(packed, final=not packed)
        except UnicodeDecodeError as error:
            line = self._line + self._window.count("\n", self._at) + packed.count(b"\n", 0, error.start)
            raise DatasetError(
                f"dataset {self._path}, line {line}: not UTF-8; convert the file, e.g. with iconv -t UTF-8"
            ) from None
        self._window = self._window[self._at :] + text
        self._at = 0
        return bool(packed)

    def _fault(self, what: str) -> DatasetError:
        return DatasetError(
            f"dataset {self._path}, line {self._line}: no JSON ({what}); give one document per line, or one JSON array"
        )
