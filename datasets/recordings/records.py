"""What readers of recordings give: requests and answers in the order in which they were recorded."""

from collections.abc import Hashable
from enum import IntEnum
from typing import NamedTuple

from bson.raw_bson import RawBSONDocument

_MOST = 2**53
UNKNOWN = -1
"""A count that was not recorded."""


class Kind(IntEnum):
    """What an answer is; the load generator knows these by their numbers."""

    NOT_RECORDED = 0
    DONE = 1
    OPEN = 2
    """Documents, and a cursor that has more."""
    REFUSED = 3
    """An error of the whole command."""
    WRITES_REFUSED = 4
    """Errors of some of its writes, or of the write concern."""


class Answer(NamedTuple):
    """What a server answered, in kind and count."""

    kind: Kind = Kind.NOT_RECORDED
    code: int = 0
    """Of the first error."""
    n: int = UNKNOWN
    """Documents returned, matched, inserted or deleted, or what was counted."""
    modified: int = UNKNOWN
    cursor: int = 0
    """The one that stays open."""


class Request(NamedTuple):
    """A command, as it was sent."""

    session: Hashable
    """The connection that it came by."""
    number: Hashable
    """By which its answer names it, within the session."""
    at_us: int
    """Since an epoch of the recording's own."""
    database: str
    name: str
    """Of the command."""
    body: RawBSONDocument
    answer: Answer | None = None
    """Where it stands beside the request; None: it comes later, if it does."""
    answered_us: int = 0
    """When that was."""
    unreadable: str = ""
    """Why its content can't be replayed, whatever it is."""


class Reply(NamedTuple):
    """What came back for a request."""

    session: Hashable
    number: Hashable
    at_us: int
    body: RawBSONDocument


class Ending(NamedTuple):
    """A recording that ends within a message: what was lost at its end, in words."""

    why: str


def whole(value: object) -> int:
    """A count, which old servers tell as a double; UNKNOWN for what is none."""
    return int(value) if isinstance(value, int | float) and 0 <= value < _MOST else UNKNOWN


Recorded = Request | Reply | Ending
