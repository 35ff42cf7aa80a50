"""Expected ratios, against what real servers and simulations gave."""

from pathlib import Path

import pytest

from datasets import (
    Corpus,
    DatasetError,
    DocumentShape,
    ExpectedRatio,
    FakerSentences,
    TextDocuments,
    TextRecipe,
    YcsbRandom,
    expected_ratios,
    prepare,
)

CODECS = ("none", "snappy", "zlib-1", "zlib-6", "zstd-1", "zstd-6", "zstd-19")


def ratios(recipe: TextRecipe, folder: Path, shape: DocumentShape | None = None) -> dict[str, ExpectedRatio]:
    corpus = Corpus.load(prepare(recipe, 1, folder).path)
    return {one.codec: one for one in expected_ratios(TextDocuments(corpus, 1, shape or DocumentShape()), CODECS)}


def test_faker_text_compresses_as_it_did_in_mongod(tmp_path: Path) -> None:
    """Within a tenth of what mongod 6.0.5 made of such documents."""
    got = ratios(FakerSentences(), tmp_path)
    measured = {"none": 0.98, "snappy": 1.56, "zlib-1": 2.07, "zlib-6": 2.58, "zstd-1": 2.17, "zstd-6": 2.48}
    for codec, ratio in measured.items():
        assert got[codec].stored_ratio == pytest.approx(ratio, rel=0.1), codec
    assert got["none"].ratio == 1
    assert got["zlib-1"].ratio < got["zlib-6"].ratio
    assert got["zstd-1"].ratio < got["zstd-6"].ratio < got["zstd-19"].ratio


def test_random_text_compresses_as_stock_ycsb_values_do(tmp_path: Path) -> None:
    got = ratios(YcsbRandom(), tmp_path)
    for codec, ratio in {"snappy": 1.06, "zlib-6": 1.39, "zstd-6": 1.41}.items():
        assert got[codec].ratio == pytest.approx(ratio, abs=0.01), codec


def test_storage_in_whole_blocks_caps_the_ratio() -> None:
    corpus = Corpus.from_bytes(b"a\n", "test")
    got = {one.codec: one for one in expected_ratios(TextDocuments(corpus, 1, DocumentShape()), CODECS)}
    assert got["zstd-6"].ratio > 15
    assert all(one.stored_ratio <= 32 for one in got.values())


@pytest.mark.parametrize("shape", [(1, 16), (1, 100_000), (100, 1000)])
def test_every_shape_has_its_ratios(shape: tuple[int, int]) -> None:
    corpus = Corpus.from_bytes(b"".join(b"line %d\n" % n for n in range(1000)), "test")
    field_count, length = shape
    documents = TextDocuments(corpus, 1, DocumentShape(field_count=field_count, field_length_bytes=length))
    got = expected_ratios(documents, ("none", "snappy"))
    assert got[0].stored_ratio <= got[0].ratio == 1 < got[1].ratio


@pytest.mark.parametrize("codec", ["lz4", "zstd", "zlib-10", "zstd-23", "zstd--8", "snappy-1", "none-1", ""])
def test_an_unknown_codec_is_refused(codec: str) -> None:
    documents = TextDocuments(Corpus.from_bytes(b"a\n", "test"), 1, DocumentShape())
    with pytest.raises(DatasetError, match="allowed are none, snappy"):
        expected_ratios(documents, (codec,))
