"""What the recipes write."""

import pkgutil
from typing import get_args

import numpy as np
import pytest
from faker import Faker
from faker.providers import lorem
from pydantic import BaseModel

from datasets import FakerParagraphs, FakerSentences, Locale, UserFile, YcsbRandom
from datasets.units import units


def test_the_locales_are_those_with_words_of_their_own() -> None:
    assert [*get_args(Locale), "la"] == [*sorted(set(get_args(Locale))), "la"]
    assert set(get_args(Locale)) == {module.name for module in pkgutil.iter_modules(lorem.__path__)} - {"la"}


@pytest.mark.parametrize("locale", [name for name in get_args(Locale) if name != "en_PH"])
def test_no_locale_writes_latin(locale: Locale) -> None:
    latin = set(Faker("la").get_words_list())
    written = " ".join(units(FakerSentences(sentences=30, locale=locale), 1)).lower().replace(".", "").split()
    assert len(latin.intersection(written)) < len(set(written)) / 5


def test_the_article_is_the_default() -> None:
    found = FakerSentences().model_dump()
    assert found == {"recipe": "faker-sentences", "sentences": 10_000, "locale": "en_US", "repeat": True}


def test_locales_take_turns() -> None:
    written = list(units(FakerParagraphs(paragraphs=5, locales=("el_GR", "en_US")), 1))
    assert [paragraph.isascii() for paragraph in written] == [False, True, False, True, False]


def test_random_units_are_packed_as_ycsb_packs_them() -> None:
    written = list(units(YcsbRandom(size_bytes=2**20), 7))
    assert {len(unit) for unit in written} == {102}
    assert sum(len(unit) + 1 for unit in written) >= 2**20
    columns = np.frombuffer("".join(written).encode(), dtype=np.uint8).reshape(-1, 6) - ord(" ")
    for column, bits in zip(columns.T, (31, 63, 95) * 2, strict=True):
        assert set(np.unique(column)) == {n for n in range(128) if n & ~bits == 0}
    # neighbours share a bit, exactly as in YCSB: bit 5 of the second byte is bit 0 of the third, and so on
    assert np.array_equal(columns[:, 1] >> 5, columns[:, 2] & 1)
    assert np.array_equal(columns[:, 2] >> 6, columns[:, 3] >> 1 & 1)


@pytest.mark.parametrize("recipe", [FakerSentences, FakerParagraphs, YcsbRandom, UserFile])
def test_every_setting_is_described(recipe: type[BaseModel]) -> None:
    assert all(field.description for field in recipe.model_fields.values())
