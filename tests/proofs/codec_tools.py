"""The figures of `make bench-codecs` beside those of independent tools, measured in turn: ratios, speeds, digests.

    python -m tests.proofs.codec_tools DATA JAR [--rounds 3] [--codecs zstd-1,lz4]       (five minutes)

The tools are `zstd -b`, `lz4 -b`, `xxhsum -b`, `b3sum` and `sha256sum`, of Debian's packages zstd, lz4, xxhash, b3sum
and coreutils; those that are missing are left out, and named. b3sum and sha256sum read a file, so the time that `dd`
takes to read it is taken off theirs. Each figure is the median of the rounds. Ends with 1 if one is 15 % off.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from tests.proofs.codecs import DIGESTS, codec_rows, python_ns, read_data, run_java, run_jmh
from workloads.bench.jmh import read_ratios

if TYPE_CHECKING:
    from collections.abc import Iterator

    from datasets.profiling import Data

BLOCKS = (2**12, 2**15, 2**17)
NEAR = 0.15
CODECS = {"zstd-1": ("zstd", "-b1"), "zstd-6": ("zstd", "-b6"), "lz4-jni": ("lz4", "-b1")}
"""The JVM's codecs, each with the tool's words for it."""
FILES = {"sha-256": ("sha256sum",), "blake3": ("b3sum", "--num-threads", "1", "--no-mmap")}
IN_MEMORY = {"xxh3-64": "XXH3_64b", "xxh3-128": "XXH128"}
"""What xxhsum's own bench calls them."""
_DIGESTED_BYTES = 2**20
_FILE_BYTES = 2**28
_MEGA = 1e6
_BENCHED = re.compile(r"\(x?([\d.]+)\),\s*([\d.]+)\s*MB/s\s*,\s*([\d.]+)\s*MB/s")
_HASHED = re.compile(r"(XXH\w+)\s*:\s*\d+\s*->.*?\(\s*([\d.]+)\s*MB/s\)")
Figures = dict[tuple[str, str], list[tuple[float, float]]]
"""By what and which figure of it: ours and the tool's, of each round."""


def measure(path: Path, jar: Path, rounds: int, codecs: list[str]) -> Figures:
    """All that both can do, round by round."""
    found: Figures = {}
    with tempfile.TemporaryDirectory(prefix="pressgauge-tools-") as name, _large_file() as large:
        scratch = Path(name)
        data, file = read_data(path, scratch)
        _fill(large, data.content)
        for _ in range(rounds):
            for codec in codecs:
                for size in BLOCKS:
                    for what, figure, ours, theirs in _codec(codec, size, data, file, jar, scratch):
                        found.setdefault((what, figure), []).append((ours, theirs))
            for digest, ours, theirs in _digests(data.content, Path(large.name)):
                found.setdefault((f"{digest} in Python", "MB/s"), []).append((ours, theirs))
    return found


def _codec(
    codec: str, size: int, data: Data, file: Path, jar: Path, scratch: Path
) -> Iterator[tuple[str, str, float, float]]:
    ratio, compressed, decompressed = _benched(codec, size, file)
    options = ["-p", f"data={file}", "-p", f"codec={codec}", "-p", f"blockBytes={size}"]
    scores = run_jmh(jar, scratch, "CodecBench", options)
    facts = run_java(["-cp", str(jar), "pressgauge.bench.Facts", str(file), codec, str(size)])
    (row,) = codec_rows(data, read_ratios(facts), scores)
    for side, prefix in (("JVM", ""), ("native", "native_")):
        what = f"{codec}, {size // 1024} KiB, {side}"
        yield what, "ratio", row[f"{prefix}ratio"], ratio
        yield what, "compress MB/s", row[f"{prefix}compress_mb_per_s"], compressed
        yield what, "decompress MB/s", row[f"{prefix}decompress_mb_per_s"], decompressed


def _benched(codec: str, size: int, file: Path) -> tuple[float, float, float]:
    ran = subprocess.run([*CODECS[codec], "-i1", f"-B{size}", str(file)], check=True, capture_output=True, text=True)
    return read_bench(ran.stdout + ran.stderr)


def read_bench(said: str) -> tuple[float, float, float]:
    """Ratio, and MB (10⁶ bytes) a second of compression and decompression: the last that zstd's or lz4's bench said."""
    ratio, compressed, decompressed = _BENCHED.findall(said)[-1]
    return float(ratio), float(compressed), float(decompressed)


def read_hashes(said: str) -> dict[str, float]:
    """MB (10⁶ bytes) a second by the names of xxhsum's bench, whose own MB are 2²⁰ bytes."""
    return {name: float(per_s) * 2**20 / _MEGA for name, per_s in _HASHED.findall(said)}


def _digests(content: bytes, large: Path) -> Iterator[tuple[str, float, float]]:
    """MB a second of 1 MiB at a time in Python, and of the tools."""
    ours = {
        name: _DIGESTED_BYTES * 1e3 / python_ns(DIGESTS[name], content, _DIGESTED_BYTES)
        for name in (*FILES, *IN_MEMORY)
    }
    if shutil.which("xxhsum"):
        ran = subprocess.run(
            ["xxhsum", "-b0", f"-B{_DIGESTED_BYTES}", "-i1"], check=True, capture_output=True, text=True
        )
        told = read_hashes(ran.stdout + ran.stderr)
        for name, called in IN_MEMORY.items():
            yield name, ours[name], told[called]
    for name, words in FILES.items():
        if shutil.which(words[0]):
            reading_s = _seconds("dd", f"if={large}", "of=/dev/null", "bs=64K", "status=none")
            yield name, ours[name], _FILE_BYTES / (_seconds(*words, str(large)) - reading_s) / _MEGA


def _seconds(*command: str) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


def _large_file() -> Any:
    """A file in memory."""
    return tempfile.NamedTemporaryFile(dir="/dev/shm", prefix="pressgauge-tools-")


def _fill(large: Any, content: bytes) -> None:
    for _ in range(_FILE_BYTES // len(content) + 1):
        large.write(content)
    large.truncate(_FILE_BYTES)
    large.flush()


def lines(found: Figures) -> Iterator[str]:
    """A row for each figure, and how many are near."""
    yield f"{'':<28}{'figure':<18}{'ours':>10}{'the tool’s':>12}{'ours ÷':>8}"
    for (what, figure), rounds in found.items():
        ours, theirs = (median(side) for side in zip(*rounds, strict=True))
        far = "" if is_near(rounds) else "  far"
        yield f"{what:<28}{figure:<18}{ours:>10,.2f}{theirs:>12,.2f}{quotient(rounds):>8.2f}{far}"
    yield f"{sum(map(is_near, found.values()))} of {len(found)} figures are within {NEAR:.0%} of the tool's"


def quotient(rounds: list[tuple[float, float]]) -> float:
    """Ours ÷ the tool's: the middle one of the rounds."""
    return median(ours / theirs for ours, theirs in rounds)


def is_near(rounds: list[tuple[float, float]]) -> bool:
    """Whether ours is near the tool's."""
    return abs(quotient(rounds) - 1) <= NEAR


def main() -> int:
    """Measure and print; 1 if a figure is far off."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="what `make profile-dataset` takes")
    parser.add_argument("jar", type=Path, help="workloads/bench/java/target/pressgauge-bench.jar")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--codecs", default=",".join(CODECS))
    asked = parser.parse_args()
    codecs = [one for one in asked.codecs.split(",") if shutil.which(CODECS[one][0])]
    tools = {words[0] for words in (*CODECS.values(), *FILES.values())} | {"xxhsum"}
    for tool in sorted(tools):
        if shutil.which(tool) is None:
            print(f"missing, and left out: {tool}")  # noqa: T201
    found = measure(asked.data, asked.jar, asked.rounds, codecs)
    print(*lines(found), sep="\n")  # noqa: T201
    return 0 if all(map(is_near, found.values())) else 1


if __name__ == "__main__":
    sys.exit(main())
