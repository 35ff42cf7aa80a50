"""Orders of a shop, in the order in which they were placed."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

from datasets.document_recipes import FakerOrders
from datasets.typed.draws import Draws, Words, money, object_id, words_of

Document = dict[str, Any]
_FIRST = dt.datetime(2024, 3, 1, 6, tzinfo=dt.UTC)
_PROCESS = b"order"
_APART_S = 45
_MOST_CUSTOMERS, _PRODUCTS = 100_000, 3000
_STEPS = ("open", "paid", "packed", "shipped", "delivered")
_SHIPPED, _DELIVERED = 3, 4
_ENDS_BADLY = 0.08
_CARRIERS = ("DHL", "UPS", "FedEx", "GLS")
_CHANNELS = ("web", "app", "app", "phone")
_COLOURS = ("black", "white", "blue", "red", "green", "grey")


def orders(recipe: FakerOrders, seed: int) -> Iterator[Document]:
    """Each order. Popular products recur among neighbours, customers come back, and orders differ in what they hold."""
    draws = Draws(f"{seed}/orders")
    every = words_of(recipe.locales, seed)
    customers = [_customer(draws, draws.of(every), number) for number in range(_customers(recipe))]
    products = [_product(draws, every[0], number) for number in range(_PRODUCTS)]
    seconds = 0.0
    for number in range(recipe.documents):
        seconds += draws.share() * 2 * _APART_S
        yield _order(draws, number, _FIRST + dt.timedelta(milliseconds=int(seconds * 1000)), customers, products)


def _customers(recipe: FakerOrders) -> int:
    return min(_MOST_CUSTOMERS, recipe.documents // 6 + 1)


def _customer(draws: Draws, words: Words, number: int) -> tuple[Document, Document]:
    """A customer, and where the goods go."""
    first, last = draws.popular(words.first_names), draws.popular(words.last_names)
    customer: Document = {"id": 40_000 + number, "name": f"{first} {last}"}
    customer["email"] = f"customer.{draws.hexadecimal(6)}@example.{draws.of(('com', 'org', 'net'))}"
    if draws.happens(0.4):
        customer["phone"] = f"+{draws.between(10**9, 10**11)}"
    if draws.happens(0.15):
        customer["company"] = draws.of(words.companies)
    place = draws.popular(words.places)
    street = f"{draws.of(words.streets)} {draws.between(1, 240)}"
    address = {"name": customer["name"], "street": street, "zip": place.zip, "city": place.city}
    return customer, address | {"country": words.country}


def _product(draws: Draws, words: Words, number: int) -> Document:
    name = f"{draws.of(words.words)} {draws.of(words.words)}".title()
    return {"sku": f"{draws.of(_COLOURS)[:2].upper()}-{number:05d}", "name": name, "cents": draws.between(199, 29_999)}


def _order(
    draws: Draws,
    number: int,
    placed: dt.datetime,
    customers: list[tuple[Document, Document]],
    products: list[Document],
) -> Document:
    customer, address = draws.of(customers)
    items, total = _items(draws, products)
    reached = draws.below(len(_STEPS))
    history = _history(draws, placed, reached)
    order: Document = {
        "_id": object_id(int(placed.timestamp()), _PROCESS, number),
        "number": 1_000_000 + number,
        "placed": placed,
        "channel": draws.of(_CHANNELS),
        "status": history[-1]["status"],
        "customer": customer,
        "items": items,
        "total": money(total),
        "shipping": {**address, "method": "express" if draws.happens(0.2) else "standard"},
        "history": history,
    }
    if reached >= _SHIPPED:
        order["parcel"] = {"carrier": draws.of(_CARRIERS), "tracking": f"{draws.between(10**11, 10**12)}"}
    if draws.happens(0.12):
        order["coupon"] = {"code": f"SPRING{draws.between(5, 25)}", "off": money(total // 10)}
    if draws.happens(0.05):
        order["gift"] = True
    return order


def _items(draws: Draws, products: list[Document]) -> tuple[list[Document], int]:
    """What was ordered, and the sum in cents."""
    items, total = [], 0
    for _ in range(1 + int(draws.share() ** 2 * 7)):
        product = draws.popular(products)
        quantity = 1 + int(draws.share() ** 4 * 6)
        item = {"sku": product["sku"], "name": product["name"], "quantity": quantity, "price": money(product["cents"])}
        if draws.happens(0.25):
            item["options"] = {"colour": draws.of(_COLOURS), "size": draws.between(34, 46)}
        items.append(item)
        total += quantity * product["cents"]
    return items, total


def _history(draws: Draws, placed: dt.datetime, reached: int) -> list[Document]:
    """When the order became what, the newest last."""
    at, history = placed, []
    for step in _STEPS[: reached + 1]:
        history.append({"status": step, "at": at})
        at += dt.timedelta(seconds=draws.between(60, 90_000))
    if draws.happens(_ENDS_BADLY):
        history.append({"status": "returned" if reached == _DELIVERED else "cancelled", "at": at})
    return history
