"""Codecs and digests where they may run, in the JVM and in Python, on the same data: `make bench-codecs`.

    python -m tests.proofs.codecs DATA RESULTS JAR

DATA is what `make profile-dataset` takes. JMH measures the JVM's (workloads/bench/java), and the profile's own process
the native codecs. All of it goes to RESULTS/codecs.json.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import blake3
import crc32c
import mmh3
import xxhash

from core.files import write_whole
from core.machine import this_machine
from datasets import DatasetError
from datasets.profiling import LIBRARIES, Timing, measure, parse_codec
from harness.cli.installed import default_home
from harness.cli.terminal import say
from harness.errors import InputError
from harness.hosts.site import find_site
from harness.run.own_data.profiling import Wanted, read_wanted
from workloads.bench.jmh import Score, read_ratios, read_scores
from workloads.errors import BenchError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from datasets.profiling import Data

BLOCKS = (2**10, 2**12, 2**15, 2**17)
NATIVE = {
    "none": "none", "lz4-jni": "lz4", "lz4-unsafe": "lz4", "lz4-safe": "lz4", "snappy": "snappy", "zlib-6": "zlib-6",
    "zstd-1": "zstd-1", "zstd-6": "zstd-6",
}  # fmt: skip
"""Codecs of the JVM, and what each is compared with."""
DIGESTS: dict[str, Callable[[bytes], object]] = {
    "sha-256": lambda data: hashlib.sha256(data).digest(),
    "blake3": lambda data: blake3.blake3(data).digest(),
    "xxh3-64": xxhash.xxh3_64_intdigest,
    "xxh3-128": xxhash.xxh3_128_intdigest,
    "murmur3": mmh3.hash128,
    "crc32c": crc32c.crc32c,
    "md5": lambda data: hashlib.md5(data, usedforsecurity=False).digest(),
}
_DATA_BYTES = 2**22
_LENGTHS = (4, 100, 2**20)
_ITERATIONS = [
    "-f",
    "2",
    "-wi",
    "1",
    "-w",
    "300ms",
    "-i",
    "3",
    "-r",
    "150ms",
    "-tu",
    "s",
    "-bm",
    "thrpt",
    "-foe",
    "true",
]
_HEAP = "-Xms384m -Xmx384m -Xmn256m -XX:+UseSerialGC -XX:+AlwaysPreTouch"
"""A heap that has all its memory before anything is timed: results are arrays, and while a heap still grows each new
page of it costs more than copying its content does (a copy of 32 KiB: 2,000 per second then, 62,000 with this)."""
_ROUNDS, _ROUND_S = 5, 0.03
_MEGA = 1e6


def main() -> int:
    """Measure, write and print; 0, 2 where the data can't be read, or 3 when a part of it failed."""
    data, results, jar = map(Path, sys.argv[1:])
    began = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="pressgauge-codecs-") as scratch:
            found = _figures(data, jar, Path(scratch))
    except (DatasetError, InputError) as error:
        say(f"bench-codecs: {error}")
        return 2
    except (BenchError, OSError) as error:
        say(f"bench-codecs: {error}")
        return 3
    found["seconds"] = round(time.monotonic() - began)
    results.mkdir(parents=True, exist_ok=True)
    write_whole(results / "codecs.json", json.dumps(found, indent=1) + "\n")
    say(lines(found))
    say(f"in {results / 'codecs.json'}, after {found['seconds']} s")
    return 0


def _figures(path: Path, jar: Path, scratch: Path) -> dict[str, Any]:
    load = os.getloadavg()[0]
    data, file = read_data(path, scratch)
    each = round(len(data.content) / len(data.lengths)) if data.lengths else 1000
    lengths = sorted({*_LENGTHS, each})
    say("codecs in the JVM")
    ratios = run_java(["-cp", str(jar), "pressgauge.bench.Facts", str(file), ",".join(NATIVE), _listed(BLOCKS)])
    codecs = run_jmh(jar, scratch, "CodecBench", ["-p", f"data={file}", "-p", f"blockBytes={_listed(BLOCKS)}"])
    say("digests in the JVM")
    digests = run_jmh(jar, scratch, "DigestBench", ["-p", f"data={file}", "-p", f"length={_listed(lengths)}"])
    say("digests in Python, and native codecs")
    return {
        "format_version": 1,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": this_machine().model_dump(),
        "load": load,
        "versions": LIBRARIES | {"java": run_java(["-version"]).splitlines()[0]},
        "data": {"name": path.name, "bytes": len(data.content), "document_bytes": each},
        "codecs": list(codec_rows(data, read_ratios(ratios), codecs)),
        "digests": list(digest_rows(data.content, lengths, digests)),
    }


def read_data(path: Path, scratch: Path) -> tuple[Data, Path]:
    """The data that all are measured on, and the file in `scratch` that it is in.

    Raises:
        DatasetError, InputError: it can't be read.
    """
    wanted = Wanted(name="codecs", data=path, most_bytes=_DATA_BYTES)
    data = read_wanted(wanted, find_site("local", default_home()), scratch / "sample")
    file = scratch / "data"
    file.write_bytes(data.content)
    return data, file


def _listed(numbers: object) -> str:
    return ",".join(map(str, numbers))  # type: ignore[call-overload]


def run_java(arguments: list[str]) -> str:
    """What a Java program says. Raises BenchError where it fails."""
    try:
        ended = subprocess.run(["java", *arguments], capture_output=True, check=False, text=True)
    except FileNotFoundError as error:
        raise BenchError("no java on the PATH; run make setup") from error
    if ended.returncode:
        raise BenchError(f"java ended with {ended.returncode}:\n{(ended.stdout + ended.stderr)[-1000:]}")
    return ended.stdout or ended.stderr


def run_jmh(jar: Path, scratch: Path, bench: str, parameters: list[str]) -> list[Score]:
    """JMH's scores of one of the jar's benches. Raises BenchError."""
    out = scratch / f"{bench}.json"
    run_java(
        ["-jar", str(jar), bench, *_ITERATIONS, "-jvmArgsAppend", _HEAP, *parameters, "-rf", "json", "-rff", str(out)]
    )
    return read_scores(out.read_text(encoding="utf-8"))


def codec_rows(
    data: Data, ratios: dict[tuple[str, int], float], scores: list[Score], seconds: float = 0.1
) -> Iterator[dict[str, Any]]:
    """The JVM's codecs beside the native ones: MB (10⁶ bytes before compression) a second."""
    timing = Timing(processes=(1,), seconds=seconds, blocks=tuple(dict.fromkeys(size for _, size in ratios)))
    natives = {
        (name, one.block_bytes): one
        for name in dict.fromkeys(NATIVE[codec] for codec, _ in ratios)
        for one in measure(data.content, [parse_codec(name)], timing)
    }
    found = {
        (score.benchmark, score.parameters["codec"], int(score.parameters["blockBytes"])): score for score in scores
    }
    for (codec, size), ratio in ratios.items():
        native = natives[NATIVE[codec], size]
        mean_block = len(data.content) / -(-len(data.content) // size)
        row: dict[str, Any] = {"codec": codec, "block_bytes": size, "ratio": ratio}
        row["native"], row["native_ratio"] = NATIVE[codec], native.ratio
        for task in ("compress", "decompress"):
            score = found[f"CodecBench.{task}", codec, size]
            native_per_s: float = getattr(native.speeds[0], f"{task}_bytes_per_s")
            row[f"{task}_mb_per_s"] = score.per_s * mean_block / _MEGA
            row[f"{task}_error_mb_per_s"] = score.error_per_s and score.error_per_s * mean_block / _MEGA
            row[f"native_{task}_mb_per_s"] = native_per_s / _MEGA
            row[f"{task}_jvm_to_native"] = score.per_s * mean_block / native_per_s
        yield row


def digest_rows(content: bytes, lengths: list[int], scores: list[Score]) -> Iterator[dict[str, Any]]:
    """What one digest takes in the JVM and in Python, calls included."""
    for score in scores:
        name, length = score.parameters["digest"], int(score.parameters["length"])
        assert length in lengths
        yield {
            "digest": name,
            "bytes": length,
            "jvm_ns": 1e9 / score.per_s,
            "jvm_error_ns": score.error_per_s and 1e9 * score.error_per_s / score.per_s**2,
            "python_ns": python_ns(DIGESTS[name], content, length),
        }


def python_ns(digest: Callable[[bytes], object], content: bytes, length: int) -> float:
    """The middle one of some rounds, over inputs as the JVM has them."""
    inputs = [content[at * length : (at + 1) * length] for at in range(max(1, min(64, len(content) // length)))]
    rounds = []
    for _ in range(_ROUNDS):
        done = 0
        began = time.perf_counter()
        while (took := time.perf_counter() - began) < _ROUND_S:
            for one in inputs:
                digest(one)
            done += len(inputs)
        rounds.append(took / done)
    return 1e9 * median(rounds)


def lines(found: dict[str, Any]) -> Iterator[str]:
    """What the terminal says."""
    machine = found["machine"]
    yield f"{found['data']['name']}: {machine['cores']} cores ({machine['cpu']}), load {found['load']:.1f} before"
    yield ""
    yield (
        f"{'codec':<11}{'block':>8}{'ratio':>7}{'native':>8}  {'compress MB/s':>16}{'native':>8}{'÷':>6}"
        f"  {'decompress MB/s':>16}{'native':>8}{'÷':>6}"
    )
    for row in found["codecs"]:
        tasks = "".join(
            f"  {_with_error(row[f'{task}_mb_per_s'], row[f'{task}_error_mb_per_s']):>16}"
            f"{row[f'native_{task}_mb_per_s']:>8,.0f}{row[f'{task}_jvm_to_native']:>6.2f}"
            for task in ("compress", "decompress")
        )
        yield f"{row['codec']:<11}{row['block_bytes']:>8,}{row['ratio']:>7.2f}{row['native_ratio']:>8.2f}{tasks}"
    yield ""
    yield f"{'digest':<11}{'bytes':>10}{'JVM ns':>26}{'Python ns':>14}"
    for row in found["digests"]:
        jvm = _with_error(row["jvm_ns"], row["jvm_error_ns"])
        yield f"{row['digest']:<11}{row['bytes']:>10,}{jvm:>26}{row['python_ns']:>14,.0f}"


def _with_error(value: float, error: float | None) -> str:
    return f"{value:,.0f}" + ("" if error is None else f" ± {error:,.0f}")


if __name__ == "__main__":
    sys.exit(main())
