"""Languages that text can be made up in."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

Locale = Literal[
    "ar_AA", "az_AZ", "bn_BD", "cs_CZ", "da_DK", "de_AT", "de_DE", "el_GR", "en_PH", "en_US", "es_AR", "es_ES",
    "es_MX", "fa_IR", "fil_PH", "fr_FR", "he_IL", "hy_AM", "it_IT", "ja_JP", "mk_MK", "nl_BE", "nl_NL", "pl_PL",
    "ru_RU", "th_TH", "tl_PH", "uk_UA", "vi_VN", "zh_CN", "zh_TW",
]  # fmt: skip
"""Locales in which Faker has words of its own. In any other it silently writes Latin."""


def _no_locale_twice(locales: tuple[Locale, ...]) -> tuple[Locale, ...]:
    if len(set(locales)) < len(locales):
        raise ValueError("name each locale once: the same locale twice would write the same text twice")
    return locales


Locales = Annotated[tuple[Locale, ...], Field(min_length=1), AfterValidator(_no_locale_twice)]
"""Some of them, each once."""
