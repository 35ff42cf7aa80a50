"""Times codecs in 1 … N processes at once, each with the data's blocks, all over the same moments."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

from datasets.errors import DatasetError
from datasets.profiling.codecs import Codec

BLOCKS = tuple(2**power for power in range(12, 18))
"""4 to 128 KiB."""
_ROOT = Path(__file__).parents[2]
_LEAD_S = 0.005
"""From the word to the start, so that it reaches all processes before."""
_ROUNDS = 3
_FEWER = "where memory is short, take fewer processes (PROCESSES=1) or less of the data (BYTES=4MiB)"


@dataclass(frozen=True)
class Timing:
    """How codecs are timed."""

    processes: tuple[int, ...]
    """Numbers of processes at once, ascending."""
    seconds: float = 0.1
    """Of each of three measurements."""
    blocks: tuple[int, ...] = BLOCKS
    """Sizes in bytes."""


@dataclass(frozen=True)
class Speed:
    """Bytes a second before compression, of all processes together: the middle one of three measurements."""

    processes: int
    compress_bytes_per_s: float
    decompress_bytes_per_s: float
    spread: float
    """How far the three lay apart, as a share of the middle one: the larger of both directions."""
    cpu_share: float
    """Of the time, how much of it the processes had a core: below 1 where other work took it."""


@dataclass(frozen=True)
class Measured:
    """A codec at one size of blocks."""

    codec: Codec
    block_bytes: int
    ratio: float
    """Bytes before ÷ after."""
    stored_ratio: float
    """The same in whole units of 4 KiB, as WiredTiger stores blocks."""
    speeds: tuple[Speed, ...]


def counts(most: int) -> tuple[int, ...]:
    """Give 1, 2, 4, … processes up to the most, and the most."""
    return tuple(sorted({*(2**power for power in range(most.bit_length())), most}))


def measure(
    content: bytes, codecs: Iterable[Codec], timing: Timing, tell: Callable[[str], None] = lambda _: None
) -> Iterator[Measured]:
    """Time each codec at each size of blocks. Raises DatasetError where a process ends, for want of memory say."""
    with _processes(content, timing.processes[-1]) as workers:
        for codec in codecs:
            tell(f"{codec.name}{'' if codec.level is None else f' {codec.level}'}")
            for block_bytes in timing.blocks:
                yield _measured(workers, codec, block_bytes, timing)


def _measured(workers: "_Workers", codec: Codec, block_bytes: int, timing: Timing) -> Measured:
    asked = {"name": codec.name, "level": codec.level, "block_bytes": block_bytes}
    sizes = workers.ask("prepare", asked, len(workers))
    raw, compressed, stored = (sum(size[what] for size in sizes) for what in ("raw", "compressed", "stored"))
    return Measured(
        codec=codec,
        block_bytes=block_bytes,
        ratio=raw / compressed,
        stored_ratio=raw / stored,
        speeds=tuple(_speed(workers, count, timing.seconds) for count in timing.processes),
    )


def _speed(workers: "_Workers", count: int, seconds: float) -> Speed:
    rounds = [
        [workers.rate(task, count, seconds) for task in ("compress", "decompress")] for _ in range(_ROUNDS)
    ]  # in turns, so that what else the machine does meets both
    compress, decompress = ([rate for rate, _ in one] for one in zip(*rounds, strict=True))
    return Speed(
        processes=count,
        compress_bytes_per_s=median(compress),
        decompress_bytes_per_s=median(decompress),
        spread=max((max(rates) - min(rates)) / median(rates) for rates in (compress, decompress)),
        cpu_share=fmean(share for one in rounds for _, share in one),
    )


class _Workers:
    """Processes that take tasks."""

    def __init__(self, running: list[subprocess.Popen[str]]) -> None:
        self._running = running

    def __len__(self) -> int:
        return len(self._running)

    def rate(self, task: str, count: int, seconds: float) -> tuple[float, float]:
        """Have so many processes work at the same time; give bytes a second, of all, and their share of CPU.

        Once more, with more time to come ready, where one of them came too late to do anything.
        """
        lead_s = _LEAD_S
        while True:
            start_s = time.monotonic() + lead_s
            answers = self.ask(task, {"start_s": start_s, "seconds": seconds}, count)
            if all(done for done, _ in answers):
                done, cpu_s = map(sum, zip(*answers, strict=True))
                return done / seconds, cpu_s / seconds / count
            lead_s *= 2

    def ask(self, task: str, asked: Mapping[str, Any], count: int) -> list[Any]:
        """Give the first processes a task, and return their answers."""
        asking = self._running[:count]
        line = json.dumps({task: asked}) + "\n"
        try:
            for one in asking:
                assert one.stdin
                one.stdin.write(line)
                one.stdin.flush()
            return [self._answer(one) for one in asking]
        except BrokenPipeError:
            raise _ended() from None

    @staticmethod
    def _answer(one: subprocess.Popen[str]) -> Any:
        assert one.stdout
        line = one.stdout.readline()
        if not line:
            raise _ended()
        answer = json.loads(line)
        if "fault" in answer:
            raise DatasetError(f"a process of the profile failed: {answer['fault']}; {_FEWER}")
        return answer["done"]


def _ended() -> DatasetError:
    return DatasetError(f"a process of the profile was killed; {_FEWER}")


@contextmanager
def _processes(content: bytes, count: int) -> Iterator[_Workers]:
    """Start processes that share the data, which is in memory and in no file system; they end with the block."""
    with ExitStack() as ending:
        shared = os.memfd_create("profile")
        ending.callback(os.close, shared)
        with open(os.dup(shared), "wb") as file:  # noqa: PTH123
            file.write(content)
        running = []
        for number in range(count):
            # Its own session: Ctrl-C is for the one that started it, and asks it to end.
            process = subprocess.Popen(
                [sys.executable, "-m", "datasets.profiling.worker", str(shared), str(number), str(count)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, pass_fds=(shared,), cwd=_ROOT,
                start_new_session=True,
            )  # fmt: skip
            ending.callback(_end, process)
            running.append(process)
        yield _Workers(running)


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()
