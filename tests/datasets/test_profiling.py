"""What is profiled, and what codecs make of it."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING

import bson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets import DatasetError
from datasets.profiling import (
    CODECS,
    Codec,
    Timing,
    counts,
    measure,
    of_documents,
    parse_codec,
    read_data,
    silesia,
    with_dictionary,
)
from datasets.profiling.codecs import Calls
from datasets.profiling.data import PIECE_BYTES
from datasets.profiling.worker import Worker, scattered
from tests.datasets.dumps import write

if TYPE_CHECKING:
    from pathlib import Path

BLOCK = 2**15
WORDS = ["page", "block", "leaf", "tree", "cache", "snappy", "journal", "checkpoint"]
EVERYTHING = 2**24


def text(size: int, seed: int = 1) -> bytes:
    draw = random.Random(seed)
    return " ".join(f"{draw.choice(WORDS)}{draw.randrange(999)}" for _ in range(size // 4)).encode()[:size]


TEXT = text(5 * BLOCK + 1000)


def documents(count: int) -> list[bytes]:
    draw = random.Random(2)
    return [bson.encode({"_id": n, "kind": draw.choice(WORDS), "note": draw.choice(WORDS) * 3}) for n in range(count)]


def ratios(codec: Codec, block_bytes: int = BLOCK) -> dict[str, int]:
    return Worker(memoryview(TEXT), 0, 1).prepare(codec.name, codec.level, block_bytes)


@pytest.mark.parametrize("codec", CODECS, ids=str)
def test_every_codec_gives_back_what_it_got_and_compresses_text(codec: Codec) -> None:
    sizes = ratios(codec)  # fails where a block comes back as another
    assert sizes["raw"] == len(TEXT)
    assert sizes["compressed"] == len(TEXT) if codec.name == "none" else sizes["compressed"] < 0.7 * len(TEXT)


def test_a_block_that_comes_back_as_another_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Codec, "calls", lambda _: Calls(compress=bytes, decompress=lambda block, _: block[1:]))
    with pytest.raises(RuntimeError, match="came back as another"):
        ratios(Codec("snappy"))


def test_blocks_are_stored_in_whole_units_and_never_larger_than_they_were() -> None:
    noise = random.Random(3).randbytes(3 * 5000)
    sizes = Worker(memoryview(noise), 0, 1).prepare("zstd", 6, 5000)
    assert sizes == {"raw": 15_000, "compressed": sizes["compressed"], "stored": 3 * 8192}
    assert sizes["compressed"] > 15_000


@pytest.mark.skipif(not shutil.which("zstd"), reason="zstd's own command is not installed")
@pytest.mark.parametrize("level", [1, 6])
def test_zstds_own_bench_finds_the_same_ratio(level: int, tmp_path: Path) -> None:
    write(tmp_path / "text", TEXT)
    bench = subprocess.run(
        ["zstd", f"-b{level}", "-i0", f"-B{BLOCK}", tmp_path / "text"], check=True, capture_output=True, text=True
    )
    theirs = int(re.findall(r"-> +([0-9]+)", bench.stdout + bench.stderr)[-1])
    assert ratios(Codec("zstd", level))["compressed"] == pytest.approx(theirs, rel=0.03)


@given(st.integers(1, 3000), st.integers(0, 100))
def test_blocks_are_scattered_and_none_is_left_out(count: int, number: int) -> None:
    found = scattered(range(count), number)
    assert sorted(found) == list(range(count))
    if count > 100:
        assert max(found[:20]) - min(found[:20]) > count / 2


@pytest.mark.parametrize(("most", "expected"), [(1, (1,)), (2, (1, 2)), (6, (1, 2, 4, 6)), (16, (1, 2, 4, 8, 16))])
def test_numbers_of_processes(most: int, expected: tuple[int, ...]) -> None:
    assert counts(most) == expected


def test_processes_share_the_blocks_and_are_timed_together() -> None:
    timing = Timing(processes=(1, 3), seconds=0.02, blocks=(BLOCK, 2**17))
    small, large = measure(TEXT, [Codec("zstd", 1)], timing)
    assert small.ratio == pytest.approx(len(TEXT) / ratios(Codec("zstd", 1))["compressed"])
    assert large.ratio > small.ratio
    for speed in (*small.speeds, *large.speeds):
        assert speed.compress_bytes_per_s > 0 < speed.decompress_bytes_per_s
        assert 0 < speed.cpu_share < 1.01
    assert [speed.processes for speed in large.speeds] == [1, 3]  # the third has no block of its own


def test_nothing_counts_that_is_done_after_the_time() -> None:
    worker = Worker(memoryview(TEXT), 0, 1)
    worker.prepare("zlib", 9, BLOCK)
    assert worker.compress(time.monotonic() - 1, 0.5)[0] == 0.0


def test_a_process_that_is_killed_ends_the_profile_and_leaves_none(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[str]] = []
    popen = subprocess.Popen

    def start(*arguments: object, **options: object) -> subprocess.Popen[str]:
        started.append(popen(*arguments, **options))  # type: ignore[call-overload]
        return started[-1]

    monkeypatch.setattr("datasets.profiling.timing.subprocess.Popen", start)
    found = measure(TEXT, CODECS, Timing(processes=(2,), seconds=0.01))
    next(found)
    os.kill(started[1].pid, signal.SIGKILL)
    with pytest.raises(DatasetError, match="was killed; where memory is short"):
        list(found)
    assert [one.poll() is not None for one in started] == [True, True]


@pytest.mark.parametrize("name", ["lzma", "zstd", "zstd-23", "snappy-1", "zlib-x", ""])
def test_a_codec_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(DatasetError, match="is unknown; allowed are none, lz4"):
        parse_codec(name)


def test_codecs_are_read_as_people_write_them() -> None:
    assert list(map(parse_codec, ["none", " lz4", "zlib-0", "zstd--7"])) == [
        Codec("none"), Codec("lz4"), Codec("zlib", 0), Codec("zstd", -7)
    ]  # fmt: skip


def test_a_folder_is_the_bytes_of_its_files_in_order(tmp_path: Path) -> None:
    for name in ("b/late", "a/early", "c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    (tmp_path / "a/link").symlink_to(tmp_path / "c")
    data = read_data(tmp_path, tmp_path / "sample", most_bytes=EVERYTHING)
    assert (data.kind, data.content, data.source_documents, data.corpus) == ("bytes", b"a/earlyb/latec", None, None)


@pytest.mark.parametrize("files", [1, 3])
def test_of_large_data_pieces_are_taken_evenly(files: int, tmp_path: Path) -> None:
    whole = random.Random(5).randbytes(9 * PIECE_BYTES)
    for number in range(files):
        part = len(whole) // files
        (tmp_path / str(number)).write_bytes(whole[number * part : (number + 1) * part])
    data = read_data(tmp_path, tmp_path / "sample", most_bytes=4 * PIECE_BYTES + 5)
    places = [whole.index(data.content[at : at + PIECE_BYTES]) for at in range(0, len(data.content), PIECE_BYTES)]
    steps = {later - earlier for earlier, later in pairwise(places)}
    assert (len(places), places[0], places[-1]) == (4, 0, len(whole) - PIECE_BYTES)
    assert max(steps) - min(steps) <= 1
    assert data.source_bytes == len(whole)


def test_documents_are_known_by_name_or_by_content(tmp_path: Path) -> None:
    every = documents(300)
    write(tmp_path / "dump/shop/orders.bson", b"".join(every))
    write(tmp_path / "lines", b"".join(json.dumps({"_id": n}).encode() + b"\n" for n in range(5)))
    orders = read_data(tmp_path / "dump", tmp_path / "sample1", most_bytes=EVERYTHING)
    lines = read_data(tmp_path / "lines", tmp_path / "sample2", most_bytes=EVERYTHING)
    assert (orders.kind, list(orders.documents()), orders.source_documents) == ("documents", every, 300)
    assert list(lines.documents()) == [bson.encode({"_id": n}) for n in range(5)]
    as_bytes = read_data(tmp_path / "lines", tmp_path / "sample3", most_bytes=EVERYTHING, as_bytes=True)
    assert as_bytes.content.startswith(b'{"_id": 0}\n')


def test_text_and_binaries_are_bytes(tmp_path: Path) -> None:
    for content in (b"plain text\n", b"{ not JSON at all", b"\0\0\0\0binary"):
        write(tmp_path / "file", content)
        assert read_data(tmp_path / "file", tmp_path / "sample", most_bytes=EVERYTHING).content == content


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("orders.bson", b"\x20\0\0\0cut", "the file ends within a document"),
        ("orders.jsonl", b'{"a": 1}\n{"a": \n', "line 2"),
        ("empty/file", b"", "holds no bytes"),
    ],
)
def test_what_cannot_be_read_is_told(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DatasetError, match=message):
        read_data(tmp_path / name.partition("/")[0], tmp_path / "sample", most_bytes=EVERYTHING)
    assert not (tmp_path / "sample").exists()


def test_the_silesia_corpus_is_its_files_and_no_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(size for size, _ in silesia._FILES.values()) == 211_938_580
    monkeypatch.setattr(silesia, "_FILES", {name: (4, sha256(b"4444").hexdigest()) for name in ("mr", "sao")})
    for name in ("mr", "sao"):
        (tmp_path / name).write_bytes(b"4444")
    found = read_data(tmp_path, tmp_path / "sample", most_bytes=EVERYTHING)
    assert found.corpus == "Silesia"
    (tmp_path / "sao").write_bytes(b"4445")
    assert not silesia.is_silesia([tmp_path / "mr", tmp_path / "sao"])
    (tmp_path / "sao").write_bytes(b"4444")
    (tmp_path / "README").touch()
    assert not silesia.is_silesia(sorted(tmp_path.iterdir()))


def test_a_dictionary_helps_small_documents() -> None:
    found = with_dictionary(of_documents(iter(documents(2000))))
    assert found
    assert found.documents == 1000
    assert found.ratio > 1.5 * found.ratio_without
    assert found.dictionary_bytes < 112_640


def test_no_dictionary_where_there_is_nothing_to_train_on() -> None:
    draw = random.Random(7)
    noise = of_documents(bson.encode({"n": draw.randbytes(300)}) for _ in range(400))
    assert with_dictionary(of_documents(iter(documents(150)))) is None
    assert noise.lengths
    found = with_dictionary(noise)
    assert found is None or found.ratio < 1.1
