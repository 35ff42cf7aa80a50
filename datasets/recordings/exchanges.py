"""Puts each answer beside its request, in the order of the requests, in bounded memory."""

from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field

from datasets.recordings.commands import NotReplayed, Replayable, answer_of, command, replayable
from datasets.recordings.records import Answer, Ending, Recorded, Reply, Request

_WAITING_BYTES = 64 * 2**20
"""Of requests that wait for the answer to one before them, the oldest goes on without when there are more."""
_OF_ITSELF = 512
"""Bytes that a request takes beside its command."""


@dataclass
class Exchange:
    """A command that is replayed, and what it was answered."""

    session: Hashable
    at_us: int
    operation: str
    collection: str
    command: bytes
    asks_cursor: int
    answer: Answer | None = None
    answered_us: int | None = None
    settled: bool = False


@dataclass
class _Waiting:
    """Exchanges in the order of their requests, some of them unanswered."""

    queue: deque[Exchange] = field(default_factory=deque)
    asked: dict[tuple[Hashable, Hashable], Exchange] = field(default_factory=dict)
    size: int = 0

    def add(self, key: tuple[Hashable, Hashable], one: Exchange) -> None:
        self.queue.append(one)
        self.size += len(one.command) + _OF_ITSELF
        if not one.settled:
            if lost := self.asked.pop(key, None):
                lost.settled = True  # its number came again before its answer
            self.asked[key] = one

    def answer(self, reply: Reply) -> None:
        one = self.asked.pop((reply.session, reply.number), None)
        if one is not None and not one.settled:
            one.answer, one.answered_us, one.settled = answer_of(one.operation, reply), reply.at_us, True

    def ready(self, *, at_most: int) -> Iterator[Exchange]:
        """Those that nothing is waited for any more, so that what waits takes no more than so many bytes."""
        while self.queue and (self.queue[0].settled or self.size > at_most):
            one = self.queue.popleft()
            one.settled = True
            self.size -= len(one.command) + _OF_ITSELF
            yield one
        if len(self.asked) > 2 * len(self.queue) + 1000:
            self.asked = {key: one for key, one in self.asked.items() if not one.settled}


def exchanges(
    recorded: Iterable[Recorded], collection: str, waiting_bytes: int = _WAITING_BYTES
) -> Iterator[Exchange | NotReplayed]:
    """Give what is replayed of one collection (`<database>.<collection>`), and what is left out.

    Raises DatasetError where the recording is damaged.
    """
    waiting = _Waiting()
    for one in recorded:
        if isinstance(one, Ending):
            yield NotReplayed(one.why, ending=True)
        elif isinstance(one, Reply):
            waiting.answer(one)
        else:
            found = _exchange(one, collection)
            if isinstance(found, NotReplayed):
                yield found
                continue
            waiting.add((one.session, one.number), found)
        yield from waiting.ready(at_most=waiting_bytes)
    yield from waiting.ready(at_most=0)


def _exchange(request: Request, collection: str) -> Exchange | NotReplayed:
    found = replayable(request)
    if isinstance(found, NotReplayed):
        return found
    if named(request, found) != collection:
        return NotReplayed("operations of other collections")
    asked = command(found)
    if isinstance(asked, NotReplayed):
        return asked
    return Exchange(
        request.session, request.at_us, found.operation, found.collection, asked, found.cursor,
        request.answer, request.answered_us if request.answer else None, settled=request.answer is not None,
    )  # fmt: skip


def named(request: Request, found: Replayable) -> str:
    """The collection of a request, with its database."""
    return f"{request.database}.{found.collection}"
