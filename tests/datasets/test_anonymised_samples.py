"""Anonymised samples: other values of the same types and lengths, as compressible as before, and nothing in clear."""

from __future__ import annotations

import datetime as dt
import json
import math
import os
import signal
import string
import struct
import subprocess
import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

import bson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets.collections import Anonymise, Sample, find_collection, take_sample
from datasets.collections.elements import elements
from datasets.collections.files.checks import OPTIONS
from datasets.collections.masking.digits import Digits
from datasets.collections.masking.documents import Mask
from datasets.collections.masking.words import Words
from datasets.errors import DatasetError
from tests.datasets.dumps import METADATA, dumped, write
from tests.datasets.test_collection_samples import DOCUMENTS
from tests.harness.commands import ROOT
from tests.proofs.collections import documents

if TYPE_CHECKING:
    from pathlib import Path

KEY = b"k" * 32
SECRETS = (b"Xanthippe", b"Ozymandias", b"zq-Kumquat", b"4929112233445566", b"quetzal@example", b"Hunter2Pass9")
KILLED = """
import os, signal, sys
from pathlib import Path
from datasets.collections import Anonymise, sample
sample.anonymise_runs = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
source, folder = map(Path, sys.argv[1:])
sample.take_sample(source, folder, most_bytes=2**20, run_documents=20, seed=1, anonymise=Anonymise())
"""


def masked(some: list[dict[str, Any]], mask: Mask | None = None) -> list[dict[str, Any]]:
    mask = mask or Mask(key=KEY)
    stored = [bson.encode(one) for one in some]
    for one in stored:
        mask.learn(one)
    mask.learned()
    return [bson.decode(mask.mask(one)) for one in stored]


@given(st.lists(DOCUMENTS, min_size=1, max_size=20, unique_by=lambda document: document["_id"]))
def test_types_lengths_and_names_stay(some: list[dict[str, Any]]) -> None:
    mask = Mask(key=KEY)
    stored = [bson.encode(one) for one in some]
    for one in stored:
        mask.learn(one)
    mask.learned()
    for one in stored:
        found = mask.mask(one)
        bson.decode(found, OPTIONS)
        before, after = list(elements(one)), list(elements(found))
        assert [(e.path, e.kind, len(e.value)) for e in before] == [(e.path, e.kind, len(e.value)) for e in after]
        assert mask.mask(one) == found
    identities = {(type(one["_id"]), one["_id"]) for one in some}
    found_ids = {next(elements(mask.mask(one)))[1:3] for one in stored}
    assert len(found_ids) == len(identities)


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_integers_are_mapped_one_to_one_within_their_length(one: int, other: int) -> None:
    digits = Digits(KEY)
    bounds = -(2**63), 2**63 - 1
    first, second = digits.integer(one, *bounds), digits.integer(other, *bounds)
    assert (first == second) == (one == other)
    assert len(str(first)) == len(str(one))
    assert (first < 0) == (one < 0)
    assert len(str(first)) - len(str(first).rstrip("0")) == len(str(one)) - len(str(one).rstrip("0"))


def test_all_short_integers_are_mapped_one_to_one() -> None:
    digits = Digits(KEY)
    assert {digits.integer(n, -9999, 9999) for n in range(-9999, 10_000)} == set(range(-9999, 10_000))
    codes = {f"{a}{b}" for a in "abcxyz" for b in range(10)}
    assert len({digits.code(one) for one in codes}) == len(codes)


@given(st.floats())
def test_doubles_keep_sign_and_magnitude(value: float) -> None:
    found = Digits(KEY).double(value)
    if value == 0 or not math.isfinite(value):
        assert struct.pack("<d", found) == struct.pack("<d", value)
    else:
        assert 0.05 < found / value < 20


def test_numbers_begin_alike_where_they_did() -> None:
    digits = Digits(KEY)
    found = [digits.number(f"10023{n:02d}") for n in range(11, 20)]
    assert len({one[:6] for one in found}) == 1
    assert len({one[6] for one in found}) == 9
    assert found[0][:5] != "10023"
    assert digits.number("000450")[:3] == "000"
    assert digits.number("000450")[-1] == "0"
    assert repr(digits.double(19.99)).index(".") == 2
    assert len(repr(digits.double(19.99))) == 5


def test_the_same_value_becomes_the_same_one_everywhere() -> None:
    first, second = masked(
        [
            {"_id": 1, "name": "Marie Curie", "list": ["Marie", {"n": 4711}], "code": "AB-4711", "no": 4711},
            {"_id": 2, "name": "MARIE", "list": [], "code": "ab-12", "no": bson.Int64(4711)},
        ]
    )
    marie = first["name"].split(" ")[0]
    assert first["list"][0] == marie != "Marie"
    assert second["name"] == marie.upper()
    assert first["list"][1]["n"] == first["no"] == int(first["code"][3:]) == second["no"] != 4711
    assert marie[0].isupper()
    assert first["code"][2] == "-"


def test_what_stays_and_what_does_not() -> None:
    identity = bson.ObjectId("65a0000012345678900000aa")
    whole = {
        "_id": identity, "yes": True, "none": None, "when": dt.datetime(2024, 1, 2), "text": "ünï 漢字 – 🦊 Ω",
        "binary": bytes(range(16)), "long": b"x" * 500, "decimal": bson.Decimal128("-12.50"),
        "re": bson.Regex("^abcd", "i"), "stamp": bson.Timestamp(1_700_000_000, 7), "double": 2.0, "min": bson.MinKey(),
    }  # fmt: skip
    (found,) = masked([whole])
    assert found["_id"].generation_time == identity.generation_time
    assert found["_id"] != identity
    assert (found["yes"], found["none"], found["min"]) == (True, None, bson.MinKey())
    assert not set("ünï漢字🦊Ω–") & set(found["text"])
    assert [len(part.encode()) for part in found["text"].split(" ")] == [5, 6, 3, 4, 2]
    for name in ("when", "text", "binary", "long", "decimal", "re", "stamp"):
        assert found[name] != whole[name], name
    assert found["re"].flags == whole["re"].flags  # type: ignore[attr-defined]
    assert str(found["decimal"]).startswith("-")
    assert str(found["decimal"]).endswith("0")


def test_a_word_of_the_source_is_not_drawn_again() -> None:
    secret = [{"_id": n, "state": state} for n, state in enumerate(["confidential", "unrestricted", "negotiable"] * 50)]
    found = {one["state"] for one in masked(secret)}
    assert len(found) == 3
    assert not found & {"confidential", "unrestricted", "negotiable"}
    assert not any(part in one for one in found for part in ("confid", "restri", "negoti"))


LETTERS = list(string.ascii_lowercase)
FEW = [[chr(letter) for letter in some] for some in (range(0x4E00, 0x5200), (*range(0x3B1, 0x3CA), *range(0xE0, 0xF7)))]
"""More of them than the letters that are drawn where words don't tell enough."""


@pytest.mark.parametrize("words", [LETTERS, *FEW], ids=["ASCII", "Chinese", "Greek and Latin"])
def test_words_of_one_letter_stay_one_to_one(words: list[str]) -> None:
    for key in range(9):
        found = tokens(words, bytes([key]) * 32)
        assert len(set(found)) == len(words)
        stay = [word for word, token in zip(words, found, strict=True) if word == token]
        assert stay in ([], words[-1:]), "the last one, where nothing else is left"
        assert tokens(words, bytes([key]) * 32) == found


def test_words_that_are_too_many_to_be_learned_do_not_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("datasets.collections.masking.words.MOST_WORDS", 0)
    for key in range(20):
        assert not [1 for word, token in zip(LETTERS, tokens(LETTERS, bytes([key]) * 32), strict=True) if word == token]


def test_a_word_is_its_own_last_choice() -> None:
    every = list(Words(KEY)._every("c"))
    assert sorted(every) == LETTERS
    assert every[-1] == "c"


def tokens(some: list[str], key: bytes) -> list[str]:
    words = Words(key)
    for word in some:
        words.learn(word, b"path")
    words.learned()
    return list(map(words.token, some))


def test_chosen_paths_and_those_in_clear() -> None:
    some = [{"_id": "one", "who": {"name": "Somebody", "town": "Springfield"}, "rows": [{"text": "words", "n": 55}]}]
    (found,) = masked(some, Mask(["who", "rows[].n"], ["who.town"], KEY))
    assert (found["_id"], found["who"]["town"], found["rows"][0]["text"]) == ("one", "Springfield", "words")
    assert found["who"]["name"] != "Somebody"
    assert found["rows"][0]["n"] != 55
    (found,) = masked(some, Mask((), ["rows.text"], KEY))
    assert found["rows"][0]["text"] == "words"
    assert found["_id"] != "one"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A dump with secrets in its values, indexes and options."""
    stored = [
        {"_id": f"Xanthippe{n}", "n": n, "text": f"Ozymandias of zq-Kumquat {n}", "card": "4929112233445566",
         "mail": f"quetzal@example{n}.org", "pass": "Hunter2Pass9", "bin": b"Ozymandias", "long": b"zq-Kumquat" * 9}
        for n in range(900)
    ]  # fmt: skip
    path = dumped(tmp_path / "dump", "orders", map(bson.encode, stored))
    filtered = {"v": 2, "key": {"n": 1}, "name": "some", "partialFilterExpression": {"text": "Ozymandias"}}
    options = {**METADATA["options"], "validator": {"text": "Ozymandias"}}  # type: ignore[dict-item]
    indexes = [*METADATA["indexes"], filtered]
    write(
        path.with_name("orders.metadata.json"),
        json.dumps({**METADATA, "options": options, "indexes": indexes}).encode(),
    )
    return path


def assert_nothing_in_clear(folder: Path) -> None:
    every = [path for path in folder.rglob("*") if path.is_file() and "dump" not in path.parts]
    for path in every:
        content = path.read_bytes()
        assert not [secret for secret in SECRETS if secret in content], path


def test_nothing_in_clear_is_written(source: Path, tmp_path: Path) -> None:
    sample = take_sample(
        source, tmp_path / "sample", most_bytes=60_000, run_documents=20, seed=1, anonymise=Anonymise(most_change=1)
    )
    assert_nothing_in_clear(tmp_path)
    told = sample.manifest
    assert [index.name for index in told.indexes] == ["_id_", "b_-1_a_1"]
    assert list(told.options) == ["storageEngine"]
    assert told.anonymised is not None
    assert [one.codec for one in told.anonymised.ratios] == ["snappy", "zlib-6", "zstd-6"]
    assert Sample.load(tmp_path / "sample").manifest == told
    assert told.source_documents == 900
    assert sorted(path.name for path in sample.folder.iterdir()) == ["documents.bson", "manifest.json"]


def test_nothing_in_clear_is_left_by_a_process_that_is_killed(source: Path, tmp_path: Path) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", KILLED, str(source), str(tmp_path / "sample")]
    ended = subprocess.run(command, cwd=ROOT, env=environment, check=False)
    assert ended.returncode == -signal.SIGKILL
    left = tmp_path / ".sample.tmp/runs"
    assert left.stat().st_size > 60_000, "it was killed with all runs in the file"
    assert_nothing_in_clear(tmp_path)
    with pytest.raises(DatasetError, match="was not taken to its end"):
        find_collection(left.parent)
    take_sample(
        source, tmp_path / "sample", most_bytes=60_000, run_documents=20, seed=1, anonymise=Anonymise(most_change=1)
    )
    assert not left.parent.exists()
    assert_nothing_in_clear(tmp_path)


@pytest.fixture
def known_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The change of a ratio hangs on the key, by some per mille."""
    monkeypatch.setattr("secrets.token_bytes", lambda size: b"k" * size)


@pytest.mark.usefixtures("known_key")
@pytest.mark.parametrize("kind", ["faker text", "orders", "logs"])
def test_the_ratio_stays(kind: str, tmp_path: Path) -> None:
    path = write(tmp_path / "a.bson", b"".join(documents(kind, 1_500_000, seed=3)))
    told = take_sample(path, tmp_path / "sample", most_bytes=2**21, seed=1, anonymise=Anonymise()).manifest
    assert told.anonymised
    assert all(abs(one.share) < 0.03 for one in told.anonymised.ratios), told.anonymised.changes
    assert (told.documents, told.bytes) == (told.source_documents, path.stat().st_size)


@pytest.mark.usefixtures("known_key")
def test_a_ratio_that_changes_too_much_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.bson", b"".join(documents("tiny", 300_000, seed=3)))
    with pytest.raises(DatasetError, match=r"dataset a: anonymised, it would compress otherwise \(snappy .*%\)"):
        take_sample(path, tmp_path / "sample", most_bytes=2**20, seed=1, anonymise=Anonymise())
    assert list(tmp_path.iterdir()) == [path]
    take_sample(path, tmp_path / "sample", most_bytes=2**20, seed=1, anonymise=Anonymise(most_change=1))


@pytest.mark.parametrize(
    ("document", "wanted", "message"),
    [
        ({"a": "b"}, Anonymise(paths=("a", "c.d")), r"no document of the sample has a value under 'c.d'"),
        ({"a": "b"}, Anonymise(in_clear=("c",)), r"no document of the sample has a value under 'c'"),
        (
            {"a": {"f": bson.Code("f()", {"x": 1})}},
            Anonymise(),
            r"type javascriptWithScope under 'a.f', which",
        ),
    ],
)
def test_what_can_not_be_anonymised(document: dict[str, Any], wanted: Anonymise, message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "a.bson", bson.encode({"_id": 1, **document}))
    with pytest.raises(DatasetError, match=message):
        take_sample(path, tmp_path / "sample", most_bytes=2**20, seed=1, anonymise=wanted)
    assert list(tmp_path.iterdir()) == [path]


def test_a_sample_stands_for_its_collection(tmp_path: Path) -> None:
    stored = [bson.encode({"_id": n, "text": "x" * 77}) for n in range(3000)]
    source = dumped(tmp_path / "dump", "orders", stored)
    first = take_sample(source, tmp_path / "first", most_bytes=50_000, run_documents=20, seed=1)
    found = find_collection(first.folder)
    assert (found.name, found.metadata.block_compressor) == ("orders", "zstd")
    again = take_sample(first.folder, tmp_path / "again", most_bytes=50_000, run_documents=240, seed=2)
    assert again.manifest.model_copy(update={"seed": 1}) == first.manifest
    less = take_sample(first.folder, tmp_path / "less", most_bytes=20_000, run_documents=10, seed=2).manifest
    assert (less.source_documents, less.source_bytes) == (3000, first.manifest.source_bytes)
    assert 15_000 < less.bytes <= 20_000
    for run, held in zip(less.runs, Sample.load(tmp_path / "less").runs(), strict=True):
        assert held == stored[run.offset : run.offset + run.documents]
    (first.folder / "documents.bson").write_bytes(b"".join(islice(stored, 3)))
    with pytest.raises(DatasetError, match="is another than was written"):
        take_sample(first.folder, tmp_path / "no", most_bytes=50_000, seed=1)
