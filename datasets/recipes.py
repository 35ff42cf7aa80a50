"""Recipes: what a campaign stores. Each is a frozen value, so that it can be embedded, compared and hashed."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from core.model import Part
from datasets.document_recipes import DocumentRecipe
from datasets.locales import Locale, Locales


class _OfText(Part):
    repeat: bool = Field(
        default=True,
        description="Whether values begin at units drawn at random, so that as many different ones are loaded as there "
        "are units. `false`: each unit begins one value before any begins a second.",
    )


class FakerSentences(_OfText):
    """Short sentences by Faker in one language, as in Arm's article of 2022."""

    recipe: Literal["faker-sentences"] = Field("faker-sentences", description="Short sentences by Faker.")
    sentences: int = Field(
        10_000, ge=1, le=10_000_000, description="Number of sentences in the corpus; the article had 10,000."
    )
    locale: Locale = Field("en_US", description="Language of the sentences, as a Faker locale.")


class FakerParagraphs(_OfText):
    """Paragraphs by Faker, one language after the other, so that most text is not ASCII."""

    recipe: Literal["faker-paragraphs"] = Field("faker-paragraphs", description="Paragraphs in several languages.")
    paragraphs: int = Field(
        10_000, ge=1, le=10_000_000, description="Number of paragraphs in the corpus, all locales together."
    )
    sentences_per_paragraph: int = Field(
        5, ge=1, le=100, description="Average number of sentences per paragraph; Faker varies it by 40 %."
    )
    locales: Locales = Field(
        ("en_US", "de_DE", "fr_FR", "ru_RU", "ja_JP", "ar_AA", "el_GR"),
        description="Faker locales, which alternate by paragraph. Each locale only once.",
    )


class YcsbRandom(_OfText):
    """The values that stock YCSB writes: near-random bytes, a control that hardly any codec can compress."""

    recipe: Literal["ycsb-random"] = Field("ycsb-random", description="Near-random text as stock YCSB writes it.")
    size_bytes: int = Field(
        16 * 2**20,
        ge=2**20,
        le=2**30,
        description="Size of the corpus in bytes, rounded up to whole units. It is large, so that a page of 32 "
        "KiB seldom holds the same text twice.",
    )


class UserFile(_OfText):
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


TextRecipe = FakerSentences | FakerParagraphs | YcsbRandom | UserFile
"""What makes the text that documents are cut from."""

Recipe = Annotated[TextRecipe | DocumentRecipe, Field(discriminator="recipe")]
"""Any recipe; its `recipe` key says which."""
