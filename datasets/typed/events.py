"""What visitors of a site do, as it happens: the events of some sessions, mixed."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

from datasets.document_recipes import FakerEvents
from datasets.typed.draws import Draws, Words, money, object_id, user_agents, words_of

Document = dict[str, Any]
_FIRST = dt.datetime(2024, 3, 1, 6, tzinfo=dt.UTC)
_PROCESS = b"event"
_AT_A_TIME = 40
_ENDS = 0.04
_APART_MS = 400
_PAGES = 600
_KINDS = ("view", "view", "view", "view", "click", "click", "search", "cart", "error")


def events(recipe: FakerEvents, seed: int) -> Iterator[Document]:
    """Each event. What a session has in common, all of its events repeat."""
    draws = Draws(f"{seed}/events")
    every, agents = words_of(recipe.locales, seed), user_agents(seed)
    pages = [_page(draws, every[0]) for _ in range(_PAGES)]
    sessions = [_session(draws, every, agents) for _ in range(_AT_A_TIME)]
    at_ms = 0
    for number in range(recipe.documents):
        at_ms += draws.below(2 * _APART_MS)
        turn = draws.below(_AT_A_TIME)
        session, words = sessions[turn]
        session["events"] += 1
        yield _event(draws, number, _FIRST + dt.timedelta(milliseconds=at_ms), session, words, pages)
        if draws.happens(_ENDS):
            sessions[turn] = _session(draws, every, agents)


def _page(draws: Draws, words: Words) -> str:
    return "/" + "/".join(draws.of(words.words).lower() for _ in range(draws.between(1, 3)))


def _session(draws: Draws, every: list[Words], agents: list[str]) -> tuple[Document, Words]:
    """What the events of a visit have in common, and the visitor's language."""
    words = draws.of(every)
    place = draws.popular(words.places)
    visitor: Document = {"ip": ".".join(str(draws.between(1, 250)) for _ in range(4)), "agent": draws.popular(agents)}
    visitor["place"] = {"city": place.city, "country": words.country}
    session: Document = {"id": draws.hexadecimal(12) + draws.hexadecimal(12), "visitor": visitor, "events": 0}
    if draws.happens(0.3):
        session["user"] = draws.between(10_000, 60_000)
    return session, words


def _event(draws: Draws, number: int, at: dt.datetime, session: Document, words: Words, pages: list[str]) -> Document:
    kind = draws.of(_KINDS)
    event: Document = {
        "_id": object_id(int(at.timestamp()), _PROCESS, number),
        "at": at,
        "kind": kind,
        "session": {"id": session["id"], "step": session["events"]},
        "page": {"path": draws.popular(pages), "took_ms": 20 + int(draws.share() ** 4 * 4000)},
        "visitor": session["visitor"],
        "state": {"seen": draws.happens(0.3), "score": round(draws.share(), 4)},
    }
    if "user" in session:
        event["user"] = session["user"]
    return event | _details(draws, kind, words, pages)


def _details(draws: Draws, kind: str, words: Words, pages: list[str]) -> Document:
    """What only events of this kind hold."""
    match kind:
        case "click":
            return {"target": {"x": draws.below(1920), "y": draws.below(1080), "to": draws.popular(pages)}}
        case "search":
            query = " ".join(draws.popular(words.words) for _ in range(draws.between(1, 4)))
            return {"query": query, "hits": [draws.below(3000) for _ in range(draws.below(12))]}
        case "cart":
            return {"cart": {"items": draws.between(1, 6), "total": money(draws.between(199, 99_999))}}
        case "error":
            return {"error": {"code": draws.of((404, 404, 500, 503)), "message": draws.of(words.sentences)}}
        case _:
            return {}
