"""A run of 1 GB to a store and back, killed half-way both times: bit-identical, in little memory. `make prove-store`.

Too long for `make test`. Prints what it saw; ends with 1 where a claim does not hold.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.ledger.artefacts import RECORD_FILE, list_artefacts
from harness.ledger.ledger import SPEC_FILE, STATE_FILE
from tests.harness.aws_server import REGION, serve
from tests.harness.commands import ROOT
from tests.harness.factory import record

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.harness.aws_server import Aws, Call

RUN = "20260101T000000Z"
MIB = 2**20
MOST_MEMORY_MIB = 200
TRIALS, NOISE_BYTES, TEXT_BYTES, LARGE_BYTES = 30, 12 * MIB, 8 * MIB, 400 * MIB


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    seconds: float
    peak_mib: float
    out: str


def make_run(folder: Path) -> int:
    """Thirty trials of 20 MiB, half of it text, and one with a single file of 400 MiB; its size in bytes."""
    noise = random.Random(1)
    folder.mkdir(parents=True)
    (folder / SPEC_FILE).write_text("seed: 1\n")
    (folder / STATE_FILE).write_text(json.dumps({"campaign": "quick"}))
    for number in range(TRIALS + 1):
        trial = folder / f"trials/{number:03d}-0-snappy"
        trial.mkdir(parents=True)
        with (trial / "metrics").open("wb") as file:
            for _ in range((LARGE_BYTES if number == TRIALS else NOISE_BYTES) // MIB):
                file.write(noise.randbytes(MIB))
        line = f"a line of the log of trial {number}: {noise.random()}\n"
        (trial / "mongod.log").write_text(line * (TEXT_BYTES // len(line)))
        kept = record(index=number, trial=trial.name, artefacts=list_artefacts(trial))
        (trial / RECORD_FILE).write_text(kept.model_dump_json())
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def run(aws: Aws, *arguments: str | Path, watch: Callable[[subprocess.Popen[str]], bool] = lambda _: False) -> Ended:
    """`python -m harness …`, killed once `watch` says so."""
    environment = os.environ | {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_DEFAULT_REGION": REGION}
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "harness", *map(str, arguments), "--store", "s3://lab/runs", "--endpoint", aws.url],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, high_water_mib(process.pid))
        if watch(process):
            process.kill()
        time.sleep(0.01)
    assert process.stdout
    return Ended(process.returncode, time.monotonic() - began, peak, process.stdout.read())


def high_water_mib(pid: int) -> float:
    """The most memory a process has had so far. Not `ru_maxrss`: a child's begins with its parent's."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0.0)


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file but locks, read by another way than the store's own."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != ".lock":
            with path.open("rb") as file:
                found[str(path.relative_to(folder))] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def sent_bytes(calls: list[Call]) -> int:
    """What went into the store."""
    return sum(call.size_bytes for call in calls if call.action.startswith("PUT"))


def prove(aws: Aws, scratch: Path) -> list[str]:
    """Push, killed; push again; pull, killed; pull again. What did not hold."""
    source, target = scratch / "here/quick" / RUN, scratch / "there"
    size = make_run(source)
    _say(f"a run of {size / 1e9:.2f} GB in {len(digests(source))} files")
    aws.client("s3").create_bucket(Bucket="lab")
    calls = aws.front.calls

    whole = 0.6 * size  # about what it packs to
    killed = run(aws, "push", source, watch=lambda _: sent_bytes(calls[:]) > whole / 2)
    first = sent_bytes(calls)
    calls.clear()
    pushed = run(aws, "push", source)
    second = sent_bytes(calls)
    calls.clear()
    again = run(aws, "push", source)
    third = sent_bytes(calls)
    _say(f"push, killed: exit {killed.code}, {first / MIB:.0f} MiB sent, peak {killed.peak_mib:.0f} MiB")
    _say(f"push again: exit {pushed.code}, {second / MIB:.0f} MiB sent, {pushed.seconds:.1f} s")
    _say(f"  peak {pushed.peak_mib:.0f} MiB; {pushed.out.strip()}")
    _say(f"push a third time: exit {again.code}, {third / 1024:.0f} KiB sent, peak {again.peak_mib:.0f} MiB")

    def half_there(_: object) -> bool:
        return sum(path.stat().st_size for path in target.rglob("*") if path.is_file()) > size / 2

    cut = run(aws, "pull", f"quick/{RUN}", "--results", target, watch=half_there)
    pulled = run(aws, "pull", f"quick/{RUN}", "--results", target)
    _say(f"pull, killed: exit {cut.code}, peak {cut.peak_mib:.0f} MiB")
    _say(
        f"pull again: exit {pulled.code}, {pulled.seconds:.1f} s, peak {pulled.peak_mib:.0f} MiB: {pulled.out.strip()}"
    )

    stored = sum(
        one["Size"]
        for page in aws.client("s3").get_paginator("list_objects_v2").paginate(Bucket="lab")
        for one in page["Contents"]
    )
    same = digests(source) == digests(target / "quick" / RUN)
    peak = max(one.peak_mib for one in (killed, pushed, again, cut, pulled))
    _say(f"in the store {stored / MIB:.0f} MiB; bit-identical: {same}; peak memory {peak:.0f} MiB")
    in_flight = 4 * 9 * MIB  # parts that the killed push had sent and the store perhaps not kept
    claims = {
        "the first push and pull were killed": killed.code == cut.code == -9,
        "the second ones ended well": pushed.code == pulled.code == again.code == 0,
        "the second push sent only what was missing": second <= stored - first + in_flight,
        "a third push sends nothing but the manifest": third < 64 * 1024,
        "what came back is bit-identical": same,
        f"peak memory is at most {MOST_MEMORY_MIB} MiB": peak <= MOST_MEMORY_MIB,
    }
    return [claim for claim, holds in claims.items() if not holds]


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # not a line for each request
    with serve() as server, tempfile.TemporaryDirectory(prefix="pressgauge-prove-") as folder:
        failed = prove(server, Path(folder))
    for broken in failed:
        _say(f"DOES NOT HOLD: {broken}")
    sys.exit(1 if failed else 0)
