"""Corpora: the same bytes everywhere, whole or absent, and bad input said plainly."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from blake3 import blake3
from faker import VERSION as FAKER_VERSION
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from datasets import (
    Corpus,
    DatasetError,
    FakerParagraphs,
    FakerSentences,
    Manifest,
    TextRecipe,
    UserFile,
    YcsbRandom,
    prepare,
)
from datasets.units import units

ROOT = Path(__file__).parents[2]
SMALL: list[TextRecipe] = [
    FakerSentences(sentences=200),
    FakerParagraphs(paragraphs=70),
    YcsbRandom(size_bytes=2**20),
]
PREPARE = """
import sys
from pathlib import Path
from pydantic import TypeAdapter
from datasets import TextRecipe, prepare
recipe = TypeAdapter(TextRecipe).validate_json(sys.argv[1])
print(prepare(recipe, int(sys.argv[2]), Path(sys.argv[3])).path)
"""


def recipe_name(recipe: TextRecipe) -> str:
    return recipe.recipe


@pytest.mark.parametrize("recipe", SMALL, ids=recipe_name)
def test_every_process_builds_the_same_bytes(recipe: TextRecipe, tmp_path: Path) -> None:
    paths = []
    for hash_seed in ("0", "1", "4242"):
        argv = [sys.executable, "-c", PREPARE, recipe.model_dump_json(), "-5", str(tmp_path / hash_seed)]
        done = subprocess.run(
            argv, cwd=ROOT, env=os.environ | {"PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=True
        )
        paths.append(Path(done.stdout.strip()))
    assert len({path.name for path in paths}) == 1
    assert len({path.read_bytes() for path in paths}) == 1
    assert len({path.with_suffix(".json").read_bytes() for path in paths}) == 1


@pytest.mark.parametrize("recipe", SMALL, ids=recipe_name)
def test_another_seed_builds_another_corpus(recipe: TextRecipe, tmp_path: Path) -> None:
    digests = {prepare(recipe, seed, tmp_path).digest for seed in (1, 2, -1)}
    assert len(digests) == 3


def test_bytes_are_those_of_ever(tmp_path: Path) -> None:
    """A change here changes every dataset: results before and after cannot be compared."""
    digests = {recipe.recipe: prepare(recipe, 42, tmp_path).digest[:16] for recipe in SMALL}
    assert digests == {
        "faker-sentences": "ee56970ccbadb618",
        "faker-paragraphs": "7b20cd691038fbe1",
        "ycsb-random": "43160db76dec9652",
    }  # Faker 40.54.0


def test_the_manifest_describes_the_corpus(tmp_path: Path) -> None:
    manifest = prepare(FakerParagraphs(paragraphs=70), 9, tmp_path)
    data = manifest.path.read_bytes()
    stored = json.loads(manifest.path.with_suffix(".json").read_bytes())
    assert Manifest.model_validate(stored | {"path": manifest.path}) == manifest
    assert (manifest.units, manifest.bytes) == (data.count(b"\n"), len(data)) == (70, manifest.bytes)
    assert manifest.digest == blake3(data).hexdigest()
    assert manifest.faker_version == FAKER_VERSION
    assert manifest.parameters["locales"] == list(manifest.locales)
    assert "path" not in stored
    assert sum(byte > 127 for byte in data) > len(data) / 3
    assert [ratio.codec for ratio in manifest.expected_ratios] == ["none", "snappy", "zlib-6", "zstd-6"]


def test_a_second_call_builds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = prepare(SMALL[0], 1, tmp_path)
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    monkeypatch.setattr("datasets.builder.units", None)
    assert prepare(SMALL[0], 1, tmp_path) == first
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_a_corpus_is_for_its_owners_eyes(tmp_path: Path) -> None:
    text = tmp_path / "mine.txt"
    text.write_text("Nobody else's business.\n")
    folder = tmp_path / "home/datasets"
    folder.mkdir(parents=True, mode=0o755)
    for _ in ("built", "from the cache"):
        folder.chmod(0o755)  # as earlier versions left it
        prepare(UserFile(path=text), 1, folder)
        assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
        assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("suffix", [".txt", ".json"])
@pytest.mark.parametrize("damage", ["cut", "flipped", "emptied", "removed"])
def test_a_damaged_cache_entry_is_built_again(suffix: str, damage: str, tmp_path: Path) -> None:
    manifest = prepare(SMALL[0], 1, tmp_path)
    victim = manifest.path.with_suffix(suffix)
    good = victim.read_bytes()
    if damage == "removed":
        victim.unlink()
    else:
        flipped = bytes([good[0] ^ 1]) + good[1:]
        victim.write_bytes({"cut": good[:-9], "flipped": flipped, "emptied": b""}[damage])
    assert prepare(SMALL[0], 1, tmp_path) == manifest
    assert victim.read_bytes() == good
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".txt"]


def test_a_failed_write_leaves_no_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(DatasetError, match="No space left"):
        prepare(SMALL[0], 1, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_unusable_directory_is_named(tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.write_text("in the way")
    with pytest.raises(DatasetError, match=f"{occupied}.*cannot be written"):
        prepare(SMALL[0], 1, occupied)


def test_a_text_file_gives_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes("\ufeffErste Zeile\r\n\r\n  \nzweite\u2028Zeile\r\nletzte".encode())
    corpus = prepare(UserFile(path=path), 1, tmp_path / "corpora").path.read_bytes()
    assert corpus == "Erste Zeile\nzweite\u2028Zeile\nletzte\n".encode()


def test_json_lines_give_whole_lines_or_one_field(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text('{"text": "one\\ntwo", "n": 1}\n\n{"text": "drei"}\n')
    whole = prepare(UserFile(path=path, format="json-lines"), 1, tmp_path / "corpora")
    field = prepare(UserFile(path=path, format="json-lines", field="text"), 1, tmp_path / "corpora")
    assert whole.path.read_text() == '{"text": "one\\ntwo", "n": 1}\n{"text": "drei"}\n'
    assert field.path.read_text() == "one two\ndrei\n"


def test_a_changed_file_is_another_corpus(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("before\n")
    before = prepare(UserFile(path=path), 1, tmp_path / "corpora")
    path.write_text("after\n")
    assert prepare(UserFile(path=path), 1, tmp_path / "corpora").path != before.path


@pytest.mark.parametrize(
    ("content", "settings_", "message"),
    [
        (None, {}, "cannot be read (No such file"),
        (b"", {}, "holds no text"),
        (b"\n  \r\n\n", {}, "holds no text"),
        (b"fine\nna\xefve\n", {}, "line 2, byte 7 of the file: not UTF-8"),
        (b'{"a": 1}\n\n{"a"\n', {"format": "json-lines"}, "line 3: not JSON"),
        (b'{"a": "x"}\n["b"]\n', {"format": "json-lines", "field": "a"}, "line 2: no text under the key 'a'"),
        (b'{"a": 5}\n', {"format": "json-lines", "field": "a"}, "line 1: no text under the key 'a'"),
        (b'{"a": "\\ud800"}\n', {"format": "json-lines", "field": "a"}, "half a surrogate pair"),
        (b"[" * 200_000, {"format": "json-lines"}, "line 1: not JSON"),
        (b"one\n #12 two\n", {}, "unit 2 ('#12 two') begins like the version marker"),
        (b"#7\n", {}, "unit 1 ('#7') begins like the version marker"),
    ],
)
def test_a_bad_file_is_refused(content: bytes | None, settings_: dict[str, str], message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine"
    if content is not None:
        path.write_bytes(content)
    recipe = UserFile.model_validate({"path": path, **settings_})
    with pytest.raises(DatasetError) as caught:
        prepare(recipe, 1, tmp_path / "corpora")
    assert message in str(caught.value)
    assert not (tmp_path / "corpora").exists()


@settings(max_examples=25)
@given(st.binary(max_size=200))
def test_any_file_is_used_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "mine").write_bytes(content)
    try:
        manifest = prepare(UserFile(path=folder / "mine"), 1, folder)
    except DatasetError:
        return
    assert len(Corpus.load(manifest.path).starts) == manifest.units


def test_numbers_that_are_no_markers_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_bytes(b"#1st\n# 12 a\n#0 a\n12 #12 a\n")
    assert prepare(UserFile(path=path), 1, tmp_path).units == 4


def test_random_units_never_look_like_markers(tmp_path: Path) -> None:
    text = prepare(YcsbRandom(size_bytes=2**22), 1, tmp_path).path.read_bytes()
    marked = re.compile(rb"^#[1-9][0-9]*( |$)", re.MULTILINE)
    assert not marked.search(text)
    assert any(marked.match(unit.strip(" ").encode()) for unit in units(YcsbRandom(size_bytes=2**22), 1))


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"", "newline"), (b"a", "newline"), (b"a\n\nb\n", "line 2 is empty"), (b"\n", "line 1"), (b"\xff\n", "byte 0")],
)
def test_a_damaged_corpus_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        Corpus.from_bytes(data, "test")


def test_a_missing_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"gone\.txt: cannot be read"):
        Corpus.load(tmp_path / "gone.txt")


@pytest.mark.parametrize(
    "bad",
    [
        {"recipe": "faker-poems"},
        {"recipe": "faker-sentences", "sentences": 0},
        {"recipe": "faker-sentences", "locale": "ko_KR"},
        {"recipe": "faker-paragraphs", "locales": []},
        {"recipe": "faker-paragraphs", "locales": ["en_US", "en_US"]},
        {"recipe": "ycsb-random", "size_bytes": 100},
        {"recipe": "file"},
        {"recipe": "file", "path": "x", "typo": 1},
    ],
)
def test_an_impossible_recipe_is_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter[TextRecipe](TextRecipe).validate_python(bad)
