"""Recipes: what a campaign stores. Each is a frozen value, so that it can be embedded, compared and hashed."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

Locale = Literal[
    "ar_AA", "az_AZ", "bn_BD", "cs_CZ", "da_DK", "de_AT", "de_DE", "el_GR", "en_PH", "en_US", "es_AR", "es_ES",
    "es_MX", "fa_IR", "fil_PH", "fr_FR", "he_IL", "hy_AM", "it_IT", "ja_JP", "mk_MK", "nl_BE", "nl_NL", "pl_PL",
    "ru_RU", "th_TH", "tl_PH", "uk_UA", "vi_VN", "zh_CN", "zh_TW",
]  # fmt: skip
"""Locales in which Faker has words of its own. In any other it silently writes Latin."""


class _Recipe(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FakerSentences(_Recipe):
    """Short sentences by Faker in one language, as in Arm's article of 2022."""

    recipe: Literal["faker-sentences"] = Field("faker-sentences", description="Short sentences by Faker.")
    sentences: int = Field(
        10_000, ge=1, le=10_000_000, description="Number of sentences in the corpus; the article had 10,000."
    )
    locale: Locale = Field("en_US", description="Language of the sentences, as a Faker locale.")


class FakerParagraphs(_Recipe):
    """Paragraphs by Faker, one language after the other, so that most text is not ASCII."""

    recipe: Literal["faker-paragraphs"] = Field("faker-paragraphs", description="Paragraphs in several languages.")
    paragraphs: int = Field(
        10_000, ge=1, le=10_000_000, description="Number of paragraphs in the corpus, all locales together."
    )
    sentences_per_paragraph: int = Field(
        5, ge=1, le=100, description="Average number of sentences per paragraph; Faker varies it by 40 %."
    )
    locales: tuple[Locale, ...] = Field(
        ("en_US", "de_DE", "fr_FR", "ru_RU", "ja_JP", "ar_AA", "el_GR"),
        min_length=1,
        description="Faker locales, which alternate by paragraph. Each locale only once.",
    )

    @field_validator("locales")
    @classmethod
    def _no_locale_twice(cls, locales: tuple[Locale, ...]) -> tuple[Locale, ...]:
        if len(set(locales)) < len(locales):
            raise ValueError("name each locale once: the same locale twice would write the same text twice")
        return locales


class YcsbRandom(_Recipe):
    """The values that stock YCSB writes: near-random bytes, a control that hardly any codec can compress."""

    recipe: Literal["ycsb-random"] = Field("ycsb-random", description="Near-random text as stock YCSB writes it.")
    size_bytes: int = Field(
        16 * 2**20,
        ge=2**20,
        le=2**30,
        description="Size of the corpus in bytes, rounded up to whole units. It is large, so that a page of 32 "
        "KiB seldom holds the same text twice.",
    )


class UserFile(_Recipe):
    """Your own text: a UTF-8 file, one unit per line."""

    recipe: Literal["file"] = Field("file", description="A text file of your own.")
    path: Path = Field(description="Path of the file, in UTF-8. Blank lines are left out.")
    format: Literal["text", "json-lines"] = Field(
        "text",
        description="`text`: every line is a unit. `json-lines`: every line must be a JSON value; the unit is the "
        "line as it is written, or the value of its `field`.",
    )
    field: str | None = Field(
        None,
        min_length=1,
        description="For `json-lines`: the unit is the string under this key of each object, not the whole line.",
    )


Recipe = Annotated[FakerSentences | FakerParagraphs | YcsbRandom | UserFile, Field(discriminator="recipe")]
"""Any recipe; its `recipe` key says which."""
