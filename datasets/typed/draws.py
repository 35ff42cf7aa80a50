"""Draws that a seed decides, and words to draw from."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from bson import Decimal128, ObjectId

from datasets.locales import Locale

if TYPE_CHECKING:
    from faker import Faker

_NAMES, _PLACES, _WORDS, _SENTENCES = 400, 250, 1500, 400
_OFTEN = 3

T = TypeVar("T")


class Draws:
    """A stream of draws. Of all that `random` has, Python promises only this function's values to stay the same."""

    def __init__(self, seed: str) -> None:
        """Draws that the text decides."""
        self.share = random.Random(seed).random  # noqa: S311 nothing secret

    def below(self, bound: int) -> int:
        """A number from 0 on, smaller than the bound."""
        return int(self.share() * bound)

    def between(self, low: int, high: int) -> int:
        """A number, both ends included."""
        return low + int(self.share() * (high - low + 1))

    def of(self, some: Sequence[T]) -> T:
        """One of some, each as likely as another."""
        return some[int(self.share() * len(some))]

    def popular(self, some: Sequence[T]) -> T:
        """One of some, the first ones much more often: the first in a hundred gets a fifth of all draws."""
        return some[int(self.share() ** _OFTEN * len(some))]

    def happens(self, chance: float) -> bool:
        """Whether something does that has a chance from 0 to 1."""
        return self.share() < chance

    def hexadecimal(self, digits: int) -> str:
        """So many digits, at most 12."""
        return f"{int(self.share() * 16**digits):0{digits}x}"


@dataclass(frozen=True)
class Place:
    """A town."""

    city: str
    zip: str


class Words:
    """What a locale's documents are made of, by Faker: lists to draw from, since it takes its time for each word."""

    def __init__(self, locale: Locale, seed: int) -> None:
        """Words that locale and seed decide."""
        self.locale = locale
        self.country = locale[-2:]
        self._fake = fake = _faker(locale, f"{seed}/{locale}")
        self.first_names = [fake.first_name() for _ in range(_NAMES)]
        self.last_names = [fake.last_name() for _ in range(_NAMES)]
        self.places = [Place(fake.city(), fake.postcode()) for _ in range(_PLACES)]
        self.streets = [fake.street_name() for _ in range(_NAMES)]

    @cached_property
    def companies(self) -> list[str]:
        """Names of firms."""
        return [self._fake.company() for _ in range(_PLACES)]

    @cached_property
    def words(self) -> list[str]:
        """Words of the language, without order."""
        return self._fake.words(_WORDS)

    @cached_property
    def sentences(self) -> list[str]:
        """Sentences."""
        return [self._fake.sentence(nb_words=12) for _ in range(_SENTENCES)]


def words_of(locales: Sequence[Locale], seed: int) -> list[Words]:
    """The words of each locale."""
    return [Words(locale, seed) for locale in locales]


def user_agents(seed: int) -> list[str]:
    """What browsers call themselves."""
    fake = _faker("en_US", f"{seed}/agents")
    return [fake.user_agent() for _ in range(_PLACES)]


def object_id(second: int, process: bytes, number: int) -> ObjectId:
    """The id that a process of 5 bytes gives its document of this number: it ascends while the seconds do."""
    return ObjectId(second.to_bytes(4, "big") + process + (number % 2**24).to_bytes(3, "big"))


def money(cents: int) -> Decimal128:
    """An amount, as decimal."""
    return Decimal128(f"{cents // 100}.{cents % 100:02d}")


def _faker(locale: Locale, seed: str) -> "Faker":
    from faker import Faker  # noqa: PLC0415 only what makes documents pays for it, not what reads a spec

    fake = Faker(locale)
    fake.seed_instance(seed)
    return fake
