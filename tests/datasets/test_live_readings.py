"""What a live sample does with a server's answers; no server is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pymongo.server_description import ServerDescription

from datasets.collections.server import _OneMember

if TYPE_CHECKING:
    from pymongo.typings import _Address


@pytest.mark.parametrize(
    ("me", "address"),
    [
        ("Mongo1.Example:27017", ("mongo1.example", 27017)),
        ("[::1]:27018", ("::1", 27018)),
        ("10.0.0.1:27017", ("10.0.0.1", 27017)),
    ],
)
def test_a_member_is_found_by_the_name_that_it_gives_itself(me: str, address: _Address) -> None:
    found = [ServerDescription(address), ServerDescription(("mongo2.example", 27017)), ServerDescription(("::1", 1))]
    assert _OneMember(me)(found) == found[:1]
    assert _OneMember(None)(found) == found
