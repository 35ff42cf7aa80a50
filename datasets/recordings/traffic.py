"""What mongod writes after `startRecordingTraffic`: messages with their connection and time, one after the other.

Of mongod 4.2 to 7.0: length (4 bytes, of all), the connection's number (8), its two addresses (ended by zeros), the
time in milliseconds since 1970 (8), a number that grows (8), and the message.
"""

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bson.raw_bson import RawBSONDocument

from datasets.collections.files.streams import opened
from datasets.errors import DatasetError
from datasets.recordings.messages import HEADER, LARGEST_MESSAGE_BYTES, MessageError, fields_of, read_message
from datasets.recordings.records import Ending, Recorded, Reply, Request

_START = struct.Struct("<IQ")
_TIMES = struct.Struct("<QQ")
_LONGEST_ADDRESS = 512
_LEAST = _START.size + 2 + _TIMES.size + HEADER.size
_MOST = LARGEST_MESSAGE_BYTES + 2 * _LONGEST_ADDRESS + _LEAST
_LATEST_MS = 2**43
"""In the year 2248: later times are damage."""


@dataclass(frozen=True)
class TrafficFile:
    """A file of recorded traffic, gzip or not."""

    path: Path

    def __iter__(self) -> Iterator[Recorded]:
        """Give requests and replies in the order of the file.

        Raises DatasetError, which names message and byte: the file is damaged, or no recording.
        """
        with opened(self.path, links=True) as stream:
            at, number = 0, 1
            while start := stream.read(_START.size):
                where = f"recording {self.path}, message {number:,}, byte {at:,}"
                if len(start) < _START.size:
                    yield _cut_off(where)
                    return
                length, session = _START.unpack(start)
                if not _LEAST <= length <= _MOST:
                    raise DatasetError(
                        f"{where}: says that it is {length:,} bytes long; the file is damaged, or no recording of "
                        "mongod's traffic: record it again"
                    )
                rest = _read(stream, length - _START.size)
                if len(rest) < length - _START.size:
                    yield _cut_off(where)
                    return
                if found := _recorded(session, rest, where):
                    yield found
                at, number = at + length, number + 1


def is_traffic(path: Path) -> bool:
    """Tell whether a file begins as a recording does: with a first message that is whole. Raises DatasetError."""
    with opened(path, links=True) as stream:
        start = stream.read(_START.size)
        if len(start) < _START.size:
            return False
        length = _START.unpack(start)[0]
        if not _LEAST <= length <= _MOST:
            return False
        rest = _read(stream, min(length - _START.size, 3 * _LONGEST_ADDRESS))
    addresses = rest.split(b"\0", 2)[:2]
    return len(addresses) == 2 and all(_is_address(one) for one in addresses)


def _is_address(text: bytes) -> bool:
    return 0 < len(text) <= _LONGEST_ADDRESS and text.isascii() and text.decode("ascii").isprintable()


def _read(stream: io.BufferedReader, length: int) -> bytes:
    """So many bytes, or as many as there are: memory is taken for those that are there, not for what a length says."""
    parts, left = [], length
    while left and (part := stream.read(min(left, 2**20))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _cut_off(where: str) -> Ending:
    return Ending(f"{where}: the file ends within this message; what comes before it is whole")


def _recorded(session: int, rest: bytes, where: str) -> Recorded | None:
    local = rest.find(b"\0", 0, _LONGEST_ADDRESS)
    remote = rest.find(b"\0", local + 1, local + 1 + _LONGEST_ADDRESS) if local >= 0 else -1
    at = remote + 1
    if remote < 0 or at + _TIMES.size + HEADER.size > len(rest):
        raise DatasetError(f"{where}: its addresses are damaged; record it again")
    time_ms = _TIMES.unpack_from(rest, at)[0]
    if time_ms > _LATEST_MS:
        raise DatasetError(f"{where}: its time is damaged; record it again")
    raw = rest[at + _TIMES.size :]
    _, number, answers, _ = HEADER.unpack_from(raw)
    try:
        message = read_message(raw)
        if message.body is None:
            return None
        if message.answers:
            return Reply(session, message.answers, time_ms * 1000, message.body)
        return _request(session, message.number, time_ms * 1000, message.body)
    except MessageError as error:
        if answers:
            return None  # nothing is known of this answer
        return Request(session, number, time_ms * 1000, "", "", _NOTHING, unreadable=str(error))


_NOTHING = RawBSONDocument(b"\x05\0\0\0\0")


def _request(session: int, number: int, at_us: int, body: RawBSONDocument) -> Request:
    fields = fields_of(body)
    name = next(iter(fields), "")
    return Request(session, number, at_us, str(fields.get("$db", "")), name, body)
