"""Recipes: what a campaign stores. Each is a frozen value, so that it can be embedded, compared and hashed."""

from itertools import permutations
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from core.sizes import Size

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


class IndexAsked(_Recipe):
    """An index of your own choice, beside the one on `_id`."""

    key: dict[Annotated[str, Field(min_length=1, max_length=300)], Literal[1, -1, "hashed", "2d", "2dsphere"]] = Field(
        min_length=1, max_length=32, description="Paths in their order, each with `1`, `-1`, or its kind."
    )
    sparse: bool = Field(default=False, description="Whether documents without these paths are left out of it.")


class OwnDocuments(_Recipe):
    """Your own documents with their types, nesting, order and `_id`s: [own-data.md](own-data.md)."""

    recipe: Literal["documents"] = Field("documents", description="Documents of your own.")
    path: Path = Field(
        description="JSON Lines, a JSON array, a `.bson` file, a mongodump folder or an archive; each may be gzip."
    )
    most_bytes: Annotated[Size, Field(ge=2**10, le=2**40)] = Field(
        64_000_000,
        description="Size of the sample that is stored again and again, in runs of neighbours. A smaller source is "
        "taken whole.",
    )
    update: Annotated[tuple[str, ...], Field(max_length=50)] = Field(
        (),
        description="Dotted paths that updates write, e.g. `shipping.city`. Every document must have each, through "
        "documents, not lists. Without, no workload may update.",
    )
    indexes: bool | Annotated[tuple[IndexAsked, ...], Field(max_length=63)] = Field(
        default=True,
        description="Indexes beside that on `_id`, the same in every arm. `true`: those that the source's dump names. "
        "`false`: none. Or a list of your own.",
    )

    @field_validator("update")
    @classmethod
    def _paths_apart(cls, paths: tuple[str, ...]) -> tuple[str, ...]:
        for path in paths:
            names = path.split(".")
            if not all(names) or "," in path or "\0" in path or any(name.startswith("$") for name in names):
                raise ValueError(f"{path[:80]!r} is no path: names joined by dots, without commas, none begins with $")
            if names[0] in {"_id", "_pg"}:
                raise ValueError(f"{path[:80]!r}: updates write neither `_id` nor `_pg`, which tells their versions")
        for path, other in permutations(paths, 2):
            if f"{path}.".startswith(f"{other}."):
                raise ValueError(f"{other[:80]!r} holds {path[:80]!r}: name one of them, once")
        return paths

    @model_validator(mode="after")
    def _no_index_twice(self) -> Self:
        own = () if isinstance(self.indexes, bool) else self.indexes
        keys = [tuple(one.key.items()) for one in own]
        if (("_id", 1),) in keys:
            raise ValueError("indexes: that on `_id` is always there; leave it out")
        if len(set(keys)) < len(keys):
            raise ValueError("indexes: name each key once")
        return self


TextRecipe = FakerSentences | FakerParagraphs | YcsbRandom | UserFile
"""What makes the text that documents are cut from."""

Recipe = Annotated[TextRecipe | OwnDocuments, Field(discriminator="recipe")]
"""Any recipe; its `recipe` key says which."""
