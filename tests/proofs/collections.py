"""Collections of eight kinds: documents as people keep them, made up but for one; two kinds are hard on codecs."""

from __future__ import annotations

import datetime as dt
import random
import sys
from typing import TYPE_CHECKING, Any

import bson
from bson import ObjectId
from faker import Faker

from tests.proofs.described import described

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Document = dict[str, Any]
_START = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
_AGENTS = ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "curl/8.1.2", "okhttp/4.9.3", "Wget/1.21.3")


class Draw(random.Random):
    """A stream of draws, with words that are as unevenly common as in a language."""

    def __init__(self, seed: int) -> None:
        """Draws that the seed decides."""
        super().__init__(seed)
        fake = Faker("en_US")
        fake.seed_instance(seed)
        self._sentences = [fake.sentence(nb_words=14) for _ in range(10_000)]
        self.described = described()
        self._words = sorted({word for line in self._sentences for word in line.lower().strip(".").split()})

    def word(self) -> str:
        """A word; the first ones are much more common."""
        return self._words[min(len(self._words) - 1, int(self.paretovariate(0.6)) - 1)]

    def text(self, length: int) -> str:
        """So many characters of sentences."""
        at = self.randrange(len(self._sentences) - 10)
        return " ".join(self._sentences[at : at + 10])[:length]


def faker_text(draw: Draw, _number: int) -> Document:
    """Ten fields of text."""
    return {f"field{field}": draw.text(100) for field in range(10)}


def orders(draw: Draw, number: int) -> Document:
    """Nested, with a list of different lengths."""
    items = [
        {"sku": f"SKU-{int(draw.paretovariate(0.7)) % 99999:05d}", "name": f"{draw.word()} {draw.word()}",
         "quantity": draw.randint(1, 5), "price": round(draw.uniform(1, 300), 2)}
        for _ in range(draw.randint(1, 8))
    ]  # fmt: skip
    street = f"{draw.randint(1, 300)} {draw.word()} street"
    return {
        "number": 1_000_000 + number,
        "customer": {"id": draw.randint(1, 50_000), "name": f"{draw.word()} {draw.word()}".title(),
                     "address": {"street": street, "zip": f"{draw.randint(0, 99999):05d}"}},
        "items": items,
        "status": draw.choice(["open", "paid", "shipped", "returned"]),
        "created": _START + dt.timedelta(seconds=37 * number + draw.randint(0, 30)),
    }  # fmt: skip


def telemetry(draw: Draw, number: int) -> Document:
    """Two hundred devices in turn, with numbers that move little."""
    device = number % 200
    return {
        "device": f"dev-{device:06d}", "at": _START + dt.timedelta(milliseconds=500 * number),
        "temperature": round(20 + 5 * draw.random() + device / 50, 2), "volt": 3300 + draw.randint(-20, 20),
        "fine": draw.random() > 0.01, "sequence": number // 200,
        "place": {"lat": round(48 + device / 1000 + draw.random() / 1e4, 6), "lon": round(11 + draw.random() / 1e4, 6)},
    }  # fmt: skip


def logs(draw: Draw, number: int) -> Document:
    """Lines of a web server."""
    path = "/".join(draw.word() for _ in range(draw.randint(1, 4)))
    size, address = int(draw.paretovariate(1) * 300), ".".join(str(draw.randint(0, 255)) for _ in range(3))
    return {
        "at": _START + dt.timedelta(milliseconds=40 * number), "host": f"web-{draw.randint(1, 12):02d}",
        "message": f"GET /{path} {draw.choice([200, 200, 200, 304, 404])} {size} bytes from 10.{address}",
        "trace": f"{draw.getrandbits(128):032x}", "agent": draw.choice(_AGENTS),
    }  # fmt: skip


def tiny(draw: Draw, number: int) -> Document:
    """Two numbers."""
    return {"a": number, "b": draw.randint(0, 99)}


def nested(draw: Draw, _number: int) -> Document:
    """Public data, deeply nested."""
    return next(draw.described)


def padded(draw: Draw, number: int) -> Document:
    """Mostly blanks and zeros."""
    blanks = " " * draw.randint(300, 1500)
    return {"name": draw.word().ljust(64), "code": f"{draw.randint(0, 10**6):032d}", "pad": blanks, "version": number}


def random_bytes(draw: Draw, number: int) -> Document:
    """Nothing that a codec could take hold of."""
    return {"payload": draw.randbytes(1000), "number": number}


KINDS: dict[str, Callable[[Draw, int], Document]] = {
    "faker text": faker_text, "orders": orders, "telemetry": telemetry, "logs": logs, "tiny": tiny, "nested": nested,
    "padded": padded, "random": random_bytes,
}  # fmt: skip


def documents(kind: str, most_bytes: int, seed: int, most: int = sys.maxsize) -> Iterator[bytes]:
    """Documents of a kind as BSON, with ObjectIds as one inserting process makes them, up to so many bytes, or most."""
    draw = Draw(seed)
    number = size = 0
    while size < most_bytes and number < most:
        made_at = (1_700_000_000 + number // 50).to_bytes(4, "big")
        identity = ObjectId(made_at + b"proof" + (number % 2**24).to_bytes(3, "big"))
        document = bson.encode({"_id": identity, **KINDS[kind](draw, number)})
        yield document
        number, size = number + 1, size + len(document)
