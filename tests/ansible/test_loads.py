"""Loads of a sample, as far as they need no mongod."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import bson
import pytest

from ansible.library import mongod_loads
from ansible.module_utils.pressgauge.failures import Failure

if TYPE_CHECKING:
    from pathlib import Path

    from ansible.module_utils.pressgauge.mongods.servers import Server


@pytest.mark.parametrize(("pages", "told"), [(3, 3), (1000, 1000), (1001, 501), (25_000, 1000)])
def test_pages_are_told_in_order_and_not_too_many(pages: int, told: int) -> None:
    leaves = [[1000 + number, 4096, 2] for number in range(pages)]
    found = list(mongod_loads._merged(leaves))
    assert len(found) == told
    assert [sum(one[of] for one in found) for of in range(3)] == [sum(one[of] for one in leaves) for of in range(3)]
    assert sum(one[3] for one in found) == pages
    assert [one[0] / one[3] for one in found] == sorted(one[0] / one[3] for one in found)


def test_documents_keep_their_order_in_batches_that_a_server_takes() -> None:
    documents = [bson.encode({"_id": number, "text": "x" * (number % 7 * 100_000)}) for number in range(3000)]
    documents = documents[:60] + [bson.encode({"_id": number}) for number in range(60, 3000)]
    batches = list(mongod_loads._batches(b"".join(documents)))
    assert [one.raw for batch in batches for one in batch] == documents
    assert max(len(batch) for batch in batches) == 1000
    assert all(len(batch) == 1 or sum(len(one.raw) for one in batch) <= 2**20 for batch in batches)


def test_a_refusal_is_told_without_what_it_quotes() -> None:
    class Refusing:
        def command(self, *_: object, **__: object) -> dict[str, object]:
            quoted = "E11000 duplicate key error dup key: { name: 'Xanthippe' }"
            return {"writeErrors": [{"index": 0, "code": 11000, "codeName": "DuplicateKey", "errmsg": quoted}]}

    with pytest.raises(Failure) as raised:
        mongod_loads._insert(cast("Server", Refusing()), "local", [])
    assert str(raised.value) == "mongod refused a document of the sample: error 11000 DuplicateKey"


def test_a_mongod_that_is_gone_is_told(tmp_path: Path) -> None:
    (tmp_path / "mongod.log").write_text("")
    (tmp_path / "console.log").write_text("out of memory\n")
    with pytest.raises(Failure, match="is gone") as raised:
        mongod_loads.act({"directory": str(tmp_path)})
    assert "out of memory" in str(raised.value)
