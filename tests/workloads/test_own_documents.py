"""The client's jar on documents of one's own: what it stores is what the Python twin says, and Verify knows it."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import bson
import pytest
from bson.raw_bson import RawBSONDocument
from pymongo import MongoClient

from datasets import Ids, TemplateDocuments
from harness.run.preparing import JAR
from workloads.bench.__main__ import own_mongod
from workloads.jvm import JVM_OPTIONS_FOR_SHORT_PHASES

if TYPE_CHECKING:
    from pathlib import Path

    from pymongo.collection import Collection

pytestmark = pytest.mark.real
SEED, LOADED = 42, 150
PATHS = ("status", "shipping.city", "shipping.to.zip")
CITIES: tuple[object, ...] = ("Zürich", None, 5, bson.Int64(5), ["a", {"b": 1}], {"deep": {}}, "語言")
TEMPLATES = [
    bson.encode(
        {
            "_id": bson.ObjectId(f"65b0c1{number:02x}e3f4051627384900"),
            "status": ("new", "paid", "sent")[number % 3],
            "shipping": {"to": {"zip": 8000 + number, "x": []}, "city": CITIES[number % len(CITIES)], "by": "post"},
            "note": "x" * number,
        }
    )
    for number in range(40)
]
MIX = {
    "readproportion": 0.2,
    "updateproportion": 0,
    "insertproportion": 0.1,
    "scanproportion": 0.1,
    "readmodifywriteproportion": 0.6,
    "readallfields": "false",
    "maxscanlength": 9,
}


class Client:
    """Runs of the jar against one mongod, with the files that it leaves in a folder."""

    def __init__(self, folder: Path, uri: Path) -> None:
        self._folder = folder
        corpus = folder / "documents.bson"
        corpus.write_bytes(b"".join(TEMPLATES))
        ids = Ids.of(TEMPLATES)
        self.documents = TemplateDocuments(TEMPLATES, SEED, PATHS, ids)
        self._properties: dict[str, object] = {
            "workload": "pressgauge.TextWorkload",
            "mongodb.uri.file": uri,
            "mongodb.database": "shop",
            "pressgauge.documents": "templates",
            "pressgauge.corpus": corpus,
            "pressgauge.seed": SEED,
            "pressgauge.updatepaths": ",".join(PATHS),
            "pressgauge.idkind": ids.kind,
            "pressgauge.idspan": ids.span,
            "fieldcount": len(PATHS),
            "recordcount": LOADED,
            "measurementtype": "hdrhistogram",
        }

    def phase(self, mode: str, **more: object) -> dict[str, Any]:
        """Run a load or a run phase, and give the client's account, all of whose operations went well."""
        out = self._folder / "client.json"
        dotted = {name.replace("__", "."): value for name, value in more.items()}
        binding = ("-db", "pressgauge.MongoBinding", "-threads", "4")
        self._run("site.ycsb.Client", (mode, *binding), dotted | {"pressgauge.clientfile": out})
        told: dict[str, Any] = json.loads(out.read_bytes())
        assert all(one["attempted"] == one["ok"] for one in told["operations"].values()), told["operations"]
        return told

    def verify(self, inserted: int, sample: int = 0) -> dict[str, Any]:
        """Give what Verify found."""
        out = self._folder / "verify.json"
        asked = {"verify.out": out, "verify.ranges": f"{LOADED}:{inserted}", "verify.sample": sample}
        self._run("pressgauge.Verify", (), asked)
        found: dict[str, Any] = json.loads(out.read_bytes())
        return found

    def _run(self, main: str, arguments: tuple[str, ...], more: dict[str, object]) -> None:
        given = [part for name, value in (self._properties | more).items() for part in ("-p", f"{name}={value}")]
        command = ["java", *JVM_OPTIONS_FOR_SHORT_PHASES, "-cp", str(JAR), main, *arguments, *given]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr


def wrong(found: dict[str, Any]) -> tuple[int, int, int]:
    return found["altered"], found["missing"], found["surplus"]


def test_what_the_client_stores_is_recomputed_and_what_is_altered_is_found(engine: Path, tmp_path: Path) -> None:
    with own_mongod(engine, 0) as uri:
        client = Client(tmp_path, uri)
        documents = client.documents
        with MongoClient[RawBSONDocument](uri.read_text(), document_class=RawBSONDocument) as server:
            stored = server.shop.usertable
            client.phase("-load", mongodb__batchsize=7)
            assert {bytes(one.raw) for one in stored.find()} == set(map(documents.document, range(LOADED)))

            told = client.phase("-t", operationcount=600, **MIX)
            inserted, written = told["operations"]["INSERT"]["ok"], told["versions_written"]
            keys = {documents.key(record).raw: record for record in range(LOADED + inserted)}
            sum_of_versions = 0
            for one in stored.find():
                versions = {int(path): at for path, at in one.get("_pg", {}).items()}
                sum_of_versions += sum(versions.values())
                assert bytes(one.raw) == documents.document(keys.pop(one["_id"].binary), versions)
            assert not keys
            assert written - told["versions_unsettled"] <= sum_of_versions <= written
            found = client.verify(inserted)
            assert wrong(found) == (0, 0, 0)
            assert found["version_sum"] == sum_of_versions
            client.phase("-t", operationcount=100, updateproportion=1, readproportion=0, writeallfields="true")
            assert wrong(client.verify(inserted, sample=50)) == (0, 0, 0)

            for record in range(4):
                replace(stored, documents.document(record, {0: 3, 2: 4}))
            before = client.verify(inserted)
            assert wrong(before) == (0, 0, 0)
            replace(stored, documents.document(0, {0: 3, 2: 4}).replace(b"post", b"posu"))
            replace(stored, documents.document(1, {0: 3}))  # as if an acknowledged update were lost
            replace(stored, documents.document(2, {0: 3, 2: 4}).replace(value(documents, 2), value(documents, 9)))
            stored.update_one({"_id": bson.ObjectId(documents.key(3).raw)}, {"$set": {PATHS[2]: bson.Int64(8003)}})
            after = client.verify(inserted)
            assert wrong(after) == (3, 0, 0)
            assert before["version_sum"] - after["version_sum"] == 4
            differ = sorted((one["record"], one["field"], one["why"]) for one in after["examples"])
            assert differ == [
                (0, "shipping.by", "it differs at byte 7"),
                (2, "shipping.to.zip", "version 4: it differs at byte 0"),
                (3, "shipping.to.zip", "version 4: it is of type INT64, not INT32"),
            ]


def value(documents: TemplateDocuments, record: int) -> bytes:
    """What a record's third path holds in version 4."""
    return b"\x10zip\0" + documents.value(record, 2, 4).raw


def replace(stored: Collection[RawBSONDocument], document: bytes) -> None:
    raw = RawBSONDocument(document)
    assert stored.replace_one({"_id": raw["_id"]}, raw).matched_count == 1
