"""`python -m workloads.bench`: the bench against a mongod of its own, ended again whatever happens."""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pymongo import MongoClient
from pymongo.errors import PyMongoError

from workloads.bench import run_bench
from workloads.errors import BenchError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_START_S = 30
_STOP_S = 30
_OPTIONS = ("--wiredTigerCacheSizeGB", "1")


def main() -> int:
    """Run the bench; 0, or 3 when a part of it failed, which stderr tells."""
    parser = argparse.ArgumentParser(prog="python -m workloads.bench", description=__doc__)
    parser.add_argument("--jar", type=Path, default=Path("workloads/java/target/pressgauge-ycsb.jar"))
    parser.add_argument("--mongod", type=Path, required=True, help="the binary of a mongod")
    parser.add_argument("--corpus", type=Path, required=True, help="a corpus file, or a directory: its largest corpus")
    parser.add_argument("--out", type=Path, default=Path("results/bench.json"))
    parser.add_argument("--port", type=int, default=0, help="of the mongod; default: a free one")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    try:
        corpus = _corpus(options.corpus)
        if not options.jar.is_file():
            raise BenchError(f"no file {options.jar}; make setup builds it")
        with own_mongod(options.mongod, options.port) as uri_file:
            result = run_bench(options.jar, uri_file, corpus, options.out, rounds=options.rounds)
    except (BenchError, OSError, PyMongoError) as error:
        sys.stderr.write(f"bench: {error}\n")
        return 3
    sys.stdout.write(f"text            {result['text_bytes_per_s'] / 1e9:.2f} GB/s\n")
    for operation in ("insert", "insert_batched", "rmw"):
        one = result[operation]
        ratios = ", ".join(f"{each['ratio']:.2f}" for each in one["rounds"])
        sys.stdout.write(
            f"{operation:15} {one['cpu_us_per_op']:6.1f} µs of client CPU an operation, the bare loop "
            f"{one['floor_cpu_us_per_op']:.1f}; median ratio {one['ratio']:.2f} (rounds: {ratios})\n"
        )
    sys.stdout.write(f"in {options.out}\n")
    return 0


def _corpus(path: Path) -> Path:
    if not path.is_dir():
        return path
    corpora = sorted(path.glob("*.txt"), key=lambda each: each.stat().st_size)
    if not corpora:
        raise BenchError(f"no corpus in {path}; a campaign's provisioning puts one there")
    return corpora[-1]


@contextmanager
def own_mongod(binary: Path, port: int, options: Sequence[str] = _OPTIONS) -> Iterator[Path]:
    """A mongod in a temporary directory; gives the file of mode 0600 with its connection string."""
    with tempfile.TemporaryDirectory(prefix="pressgauge-bench-") as name:
        folder = Path(name)
        (folder / "db").mkdir()
        port = port or _free_port()
        log = folder / "mongod.log"
        arguments = ["--port", str(port), "--bind_ip", "127.0.0.1", *options]
        mongod = subprocess.Popen(
            [str(binary), "--dbpath", str(folder / "db"), "--logpath", str(log), *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            uri_file = folder / "uri"
            uri_file.touch(mode=0o600)
            uri_file.write_text(f"mongodb://127.0.0.1:{port}/?w=1&journal=false", encoding="utf-8")
            _await(mongod, uri_file, log)
            yield uri_file
        finally:
            mongod.terminate()
            try:
                mongod.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                mongod.kill()
                mongod.wait()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _await(mongod: subprocess.Popen[bytes], uri_file: Path, log: Path) -> None:
    until = time.monotonic() + _START_S
    uri = uri_file.read_text(encoding="utf-8")
    while mongod.poll() is None and time.monotonic() < until:
        try:
            with MongoClient[dict[str, object]](uri, serverSelectionTimeoutMS=500) as client:
                client.admin.command("ping")
                return
        except PyMongoError:
            time.sleep(0.1)
    said = log.read_text(encoding="utf-8", errors="replace")[-500:] if log.is_file() else "nothing"
    raise BenchError(f"mongod did not start within {_START_S} s; the last it logged: {said}")


if __name__ == "__main__":
    sys.exit(main())
