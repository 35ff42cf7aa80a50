"""Users of a service, in the order in which they came."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

from datasets.document_recipes import FakerProfiles
from datasets.typed.draws import Draws, Words, object_id, words_of

Document = dict[str, Any]
_FIRST = dt.datetime(2021, 1, 4, 8, tzinfo=dt.UTC)
_PROCESS = b"user."
_APART_S = 300
_BIRTH = dt.datetime(1945, 1, 1, tzinfo=dt.UTC)
_BIRTH_DAYS = 22_500
_CAMPAIGN_LENGTH = 150
_PLANS = ("free", "free", "free", "free", "plus", "team")
_DEVICES = ("ios", "android", "windows", "linux", "macos")


def profiles(recipe: FakerProfiles, seed: int) -> Iterator[Document]:
    """Each user. Those who come one after the other often come from the same campaign, and of the same country."""
    draws = Draws(f"{seed}/profiles")
    every = words_of(recipe.locales, seed)
    seconds, campaign, words = 0, "", every[0]
    for number in range(recipe.documents):
        if not campaign or draws.below(_CAMPAIGN_LENGTH) == 0:
            words = draws.of(every)
            campaign = f"{draws.of(words.words)}-{draws.hexadecimal(4)}"
        seconds += draws.below(2 * _APART_S)
        came = _FIRST + dt.timedelta(seconds=seconds)
        yield _profile(draws, number, came, campaign, words if draws.happens(0.8) else draws.of(every))


def _profile(draws: Draws, number: int, came: dt.datetime, campaign: str, words: Words) -> Document:
    first, last = draws.popular(words.first_names), draws.popular(words.last_names)
    seen = came + dt.timedelta(seconds=draws.below(30_000_000))
    profile: Document = {
        "_id": object_id(int(came.timestamp()), _PROCESS, number),
        "handle": f"u{draws.hexadecimal(8)}",
        "name": {"first": first, "last": last},
        "born": _BIRTH + dt.timedelta(days=draws.below(_BIRTH_DAYS)),
        "locale": words.locale,
        "plan": draws.of(_PLANS),
        "emails": [
            {"address": f"{draws.hexadecimal(7)}@example.{draws.of(('com', 'org', 'net'))}", "verified": one == 0}
            for one in range(draws.between(1, 2))
        ],
        "address": _address(draws, words),
        "settings": _settings(draws, words),
        "came": {"at": came, "campaign": campaign, "device": draws.of(_DEVICES)},
        "seen": seen,
        "logins": int(draws.share() ** 5 * 4000),
    }
    if draws.happens(0.6):
        profile["about"] = " ".join(draws.of(words.sentences) for _ in range(draws.between(1, 4)))
    if draws.happens(0.2):
        profile["employer"] = {"name": draws.of(words.companies), "since": draws.between(1990, 2024)}
    if draws.happens(0.7):
        profile["interests"] = [draws.popular(words.words) for _ in range(draws.between(1, 6))]
    return profile


def _address(draws: Draws, words: Words) -> Document:
    place = draws.popular(words.places)
    address: Document = {"street": f"{draws.of(words.streets)} {draws.between(1, 240)}", "zip": place.zip}
    address |= {"city": place.city, "country": words.country}
    if draws.happens(0.5):
        address["at"] = [round(draws.share() * 360 - 180, 5), round(draws.share() * 180 - 90, 5)]
    return address


def _settings(draws: Draws, words: Words) -> Document:
    settings: Document = {
        "language": words.locale[:2],
        "theme": draws.of(("light", "dark")),
        "beta": draws.happens(0.1),
    }
    channels = {name: draws.happens(0.5) for name in ("mail", "push", "sms")}
    return settings | {"notify": {**channels, "digest_hours": draws.of((1, 24, 168))}}
