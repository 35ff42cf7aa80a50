"""One process of a profile: `python -m datasets.profiling.worker FD NUMBER OF` answers tasks, one JSON object a line.

FD is an open file with the data. Tasks: `{"prepare": {name, level, block_bytes}}`, of which this process compresses
every OF-th block from NUMBER on, keeps them, and sees whether they come back as they were; `{"compress": {start_s,
seconds}}` and `{"decompress": …}`, which work from one moment of the machine's monotonic clock to another.
"""

import gc
import json
import math
import mmap
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from typing import Any, TypeVar

from datasets.profiling.codecs import Codec

_UNWATCHED_BYTES = 2**16
"""After so much work the clock is read: for each small block that would take as long as copying it."""
_UNIT_BYTES = 4 * 2**10
"""WiredTiger stores whole units of this."""
_Item = TypeVar("_Item")


class Worker:
    """A process's part of the work."""

    def __init__(self, content: memoryview, number: int, of: int) -> None:
        self._content, self._number, self._of = content, number, of
        self._calls = Codec("none").calls()
        self._raw: Sequence[memoryview] = ()
        self._compressed: Sequence[tuple[bytes, int]] = ()

    def prepare(self, name: str, level: int | None, block_bytes: int) -> dict[str, int]:
        """Compress this process's blocks; give their sizes before, after, and after in whole units of 4 KiB."""
        self._calls = Codec(name, level).calls()
        blocks = [self._content[at : at + block_bytes] for at in range(0, len(self._content), block_bytes)]
        mine = blocks[self._number :: self._of]
        compressed = [(self._calls.compress(block), len(block)) for block in mine]
        for (packed, length), block in zip(compressed, mine, strict=True):
            if self._calls.decompress(packed, length) != block:
                raise RuntimeError(f"{name}: a block came back as another")
        self._raw = scattered(blocks, self._number)
        # Where there are fewer blocks than processes, some have none of their own.
        self._compressed = scattered(compressed, 0) or [(self._calls.compress(blocks[0]), len(blocks[0]))]
        return {
            "raw": sum(map(len, mine)),
            "compressed": sum(len(packed) for packed, _ in compressed),
            "stored": sum(min(_whole(len(packed)), _whole(length)) for packed, length in compressed),
        }

    def compress(self, start_s: float, seconds: float) -> tuple[float, float]:
        """Compress blocks of all the data; give how many bytes of them, and the CPU seconds that this took."""
        call = self._calls.compress
        return _work(cycle(_batches(self._raw, len)), call, start_s, seconds)

    def decompress(self, start_s: float, seconds: float) -> tuple[float, float]:
        """Decompress this process's blocks; give how many bytes they became, and the CPU seconds that this took."""
        call = self._calls.decompress
        batches = cycle(_batches(self._compressed, lambda one: one[1]))
        return _work(batches, lambda one: call(one[0], one[1]), start_s, seconds)


def scattered(items: Sequence[_Item], number: int) -> list[_Item]:
    """Items in an order of which any part is from everywhere; each process begins elsewhere."""
    count = len(items)
    step = max(1, round(count * 0.618))  # the golden section
    while math.gcd(step, count) > 1:
        step += 1
    return [items[(number + place * step) % count] for place in range(count)]


def _whole(size_bytes: int) -> int:
    return -(-size_bytes // _UNIT_BYTES) * _UNIT_BYTES


def _work(
    batches: Iterator[tuple[Sequence[_Item], int]], call: Callable[[_Item], object], start_s: float, seconds: float
) -> tuple[float, float]:
    """Call from `start_s` on for some seconds; give the bytes done, and the CPU seconds that this took.

    Of the last batch the part counts that was in time. Nothing is done where the time was over before it began.
    """
    end_s = start_s + seconds
    done = 0.0
    time.sleep(max(0.0, start_s - time.monotonic()))
    began_cpu_s, now = time.process_time(), time.monotonic()
    while True:
        batch, batch_bytes = next(batches)
        before = now
        for item in batch:
            call(item)
        now = time.monotonic()
        if now >= end_s:
            in_time = max(0.0, end_s - before) / (now - before)
            return done + batch_bytes * in_time, (time.process_time() - began_cpu_s) * seconds / (now - start_s)
        done += batch_bytes


def _batches(items: Sequence[_Item], size: Callable[[_Item], int]) -> list[tuple[Sequence[_Item], int]]:
    each = max(1, _UNWATCHED_BYTES // max(1, size(items[0])))
    parts = (items[at : at + each] for at in range(0, len(items), each))
    return [(part, sum(map(size, part))) for part in parts]


def main() -> None:
    """Answer tasks until there are no more."""
    descriptor, number, of = map(int, sys.argv[1:])
    worker = Worker(memoryview(mmap.mmap(descriptor, 0, prot=mmap.PROT_READ)), number, of)
    tasks: dict[str, Callable[..., Any]] = {
        "prepare": worker.prepare, "compress": worker.compress, "decompress": worker.decompress,
    }  # fmt: skip
    gc.disable()
    for line in sys.stdin:
        ((task, asked),) = json.loads(line).items()
        try:
            answer = {"done": tasks[task](**asked)}
        except Exception as error:  # noqa: BLE001 - whatever it is, the one who asked tells it
            answer = {"fault": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
        gc.collect()


if __name__ == "__main__":
    main()
