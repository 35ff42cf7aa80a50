"""The proof of normalised documents with three kills, each at a cause; and what is stored, by the Python twin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mmh3
import pytest

from datasets import Corpus, DocumentShape, TextDocuments
from datasets.documents import key_name
from harness.run.preparing import JAR
from tests.proofs.clients import end
from tests.proofs.normalised import DATABASE, LOADED, MANY, Clients, until
from workloads.bench.__main__ import own_mongod

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.real


def hashed(text: bytes) -> bytes:
    """The 128 bits by which documents refer to a text."""
    return b"".join(part.to_bytes(8, "big") for part in mmh3.hash64(text, seed=0, x64arch=True, signed=False))


def is_as_the_twin_says(clients: Clients, folder: Path) -> bool:
    """Whether all documents of a load are references of 128 bits, to just the values that they should have."""
    corpus = Corpus.load(folder / "corpus.txt")
    documents = TextDocuments(corpus, 1, DocumentShape())
    entries = {bytes(one["_id"]): one["v"].encode() for one in clients.server[DATABASE]["dictionary"].find()}
    stored = {one.pop("_id"): one for one in clients.server[DATABASE]["usertable"].find()}
    for record in range(LOADED):
        values = [documents.value(record, field, 0) for field in range(10)]
        assert [bytes(one) for one in stored[key_name(record)].values()] == list(map(hashed, values))
        assert [entries[hashed(value)] for value in values] == values
    return len(entries) == len(corpus.starts)


def test_clients_killed_in_a_load_and_in_read_modify_writes(engine: Path, tmp_path: Path) -> None:
    with own_mongod(engine, 0) as uri:
        clients = Clients(JAR, uri, tmp_path)
        loading = clients.load(64, MANY)
        until(lambda: clients.entries() > 0)  # documents that refer to them may be on their way
        clients.kill([loading])
        found = clients.found(loading=True)
        assert not any(found.faults.values()), found

        clients.loaded(128)
        assert is_as_the_twin_says(clients, tmp_path)
        first, *others = clients.write("one of several", operations=300)
        until(lambda: clients.written() > 0)
        first.kill()
        first.communicate()
        for one in others:
            end(one)
        clients.settle()
        several = clients.write("all")
        before = clients.written()
        until(lambda: clients.written() > before)
        clients.kill(several)
        found = clients.found(loading=False)
        assert not any(found.faults.values()), found
        assert found.written > 600
        clients.server.close()
