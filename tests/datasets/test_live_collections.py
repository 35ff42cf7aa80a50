"""Samples of a collection on a real server: runs of neighbours, read by a user who can do nothing else, and gently."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import bson
import pymongo
import pytest

from datasets import DatasetError
from datasets.collections import Sample, find_collection, read_documents, take_live_sample
from tests.ansible.mongods import serving
from tests.harness.commands import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.real
PORT = 27291
PASSWORD = "only-for-this-test"
COUNT = 20_000
Client = pymongo.MongoClient[dict[str, Any]]
USERS: dict[str, list[str | dict[str, str]]] = {
    "reader": [{"role": "read", "db": "shop"}],
    "monitor": [{"role": "read", "db": "shop"}, "clusterMonitor"],
    "writer": [{"role": "readWrite", "db": "shop"}],
    "elsewhere": [{"role": "read", "db": "shop"}, {"role": "readWrite", "db": "other"}],
    "owner": ["root"],
    "stranger": [{"role": "read", "db": "other"}],
}


def uri(user: str, password: str = PASSWORD) -> str:
    return f"mongodb://{user}:{password}@127.0.0.1:{PORT}/?directConnection=true"


@pytest.fixture(scope="module")
def owner(engine: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A server with users, and its owner."""
    folder = tmp_path_factory.mktemp("live") / "db"
    options = ("--auth", "--bind_ip", "127.0.0.1", "--nounixsocket", "--wiredTigerCacheSizeGB", "0.25")
    with serving(engine, folder, PORT, *options):
        with Client("127.0.0.1", PORT, directConnection=True) as first:
            first.admin.command("createUser", "owner", pwd=PASSWORD, roles=USERS["owner"])
        with Client(uri("owner")) as client:
            for user in USERS.keys() - {"owner"}:
                client.admin.command("createUser", user, pwd=PASSWORD, roles=USERS[user])
            config = {"configString": "block_compressor=zstd"}
            orders = client.shop.create_collection("orders", storageEngine={"wiredTiger": config})
            orders.create_index([("b", -1), ("a", 1)], name="ours", unique=True)
            orders.insert_many([{"_id": n, "a": n, "b": {"c": [n, "words"]}} for n in range(COUNT)])
            client.shop.few.insert_many([{"_id": n} for n in range(1000)])
            client.shop.create_collection("empty")
            client.shop.create_collection("view", viewOn="few", pipeline=[])
            client.shop.create_collection("clustered", clusteredIndex={"key": {"_id": 1}, "unique": True})
            client.shop.holes.insert_many([{"_id": n, "text": "x" * 90} for n in range(COUNT)])
            client.shop.holes.delete_many({"_id": {"$lt": COUNT // 2, "$mod": [5, 1]}})
            client.shop.holes.delete_many({"_id": {"$lt": COUNT // 2, "$mod": [5, 2]}})
            client.admin.command("fsync")  # what a collection takes on disk is told after a checkpoint
            yield client


@pytest.fixture
def uri_file(tmp_path: Path) -> Path:
    return saved(tmp_path, uri("reader"))


def saved(folder: Path, text: str) -> Path:
    path = folder / "uri"
    path.touch(0o600)
    path.write_text(text + "\n")
    return path


def stored(owner: Client, name: str) -> list[bytes]:
    found = owner.shop[name].with_options(bson.CodecOptions(document_class=bson.raw_bson.RawBSONDocument))
    return [bytes(document.raw) for document in found.find().hint([("$natural", 1)])]


@pytest.mark.parametrize("user", ["reader", "monitor"])
def test_runs_are_neighbours_from_all_of_the_collection(user: str, owner: Client, tmp_path: Path) -> None:
    sample = take_live_sample(
        saved(tmp_path, uri(user)), "shop.orders", tmp_path / "sample", most_bytes=200_000, run_documents=50, seed=3
    )
    everything = stored(owner, "orders")
    places = {document: place for place, document in enumerate(everything)}
    runs = list(sample.runs())
    for run, told in zip(runs, sample.manifest.runs, strict=True):
        begins = places[run[0]]
        assert run == everything[begins : begins + len(run)]
        assert abs(begins - told.offset) <= 1
    starts = [places[run[0]] for run in runs]
    assert starts == sorted(starts)
    assert max(after - before for before, after in zip([0, *starts], [*starts, COUNT], strict=True)) < COUNT / 6
    manifest = sample.manifest
    assert 150_000 < manifest.bytes <= 200_000
    assert (manifest.source, manifest.source_documents) == ("shop.orders", COUNT)
    assert manifest.source_bytes == sum(map(len, everything))
    assert [(index.name, list(index.key.items()), index.unique) for index in manifest.indexes] == [
        ("_id_", [("_id", 1)], False),
        ("ours", [("b", -1), ("a", 1)], True),
    ]
    assert manifest.block_compressor == "zstd"
    assert manifest.storage_bytes
    assert Sample.load(sample.folder).manifest == manifest
    assert PASSWORD not in (sample.folder / "manifest.json").read_text()


def test_a_small_collection_is_read_whole(owner: Client, uri_file: Path, tmp_path: Path) -> None:
    sample = take_live_sample(uri_file, "shop.few", tmp_path / "sample", most_bytes=2**20, run_documents=300, seed=1)
    assert list(sample.runs()) == [stored(owner, "few")]
    assert list(read_documents(sample.folder / "documents.bson")) == stored(owner, "few")


@pytest.mark.usefixtures("owner")
def test_documents_are_as_likely_where_others_were_deleted(uri_file: Path, tmp_path: Path) -> None:
    early = number = 0
    for seed in range(5):
        sample = take_live_sample(
            uri_file, "shop.holes", tmp_path / f"{seed}", most_bytes=100_000, run_documents=8, seed=seed
        )
        ids = [bson.decode(document)["_id"] for document in sample.documents()]
        early, number = early + sum(one < COUNT // 2 for one in ids), number + len(ids)
    assert early / number == pytest.approx(0.6 / 1.6, abs=0.06), "three fifths are left of the first half"


@pytest.mark.usefixtures("owner")
def test_reading_waits_so_as_not_to_be_faster_than_asked(uri_file: Path, tmp_path: Path) -> None:
    waits: list[float] = []
    sample = take_live_sample(
        uri_file, "shop.orders", tmp_path / "s", most_bytes=200_000, seed=3, bytes_per_s=1000, sleep=waits.append
    )
    # Nothing is slept here, so each wait is for all that was read so far.
    assert waits[-1] == pytest.approx(sample.manifest.bytes / 1000, rel=0.1)


def test_a_secondary_is_asked_where_there_is_one(engine: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.touch(0o600)
    key.write_text("a" * 64)
    options = ("--replSet", "rs", "--keyFile", str(key), "--bind_ip", "127.0.0.1", "--nounixsocket")
    ports = (PORT + 1, PORT + 2)
    members = [{"_id": n, "host": f"127.0.0.1:{port}", "priority": 1 - n} for n, port in enumerate(ports)]
    string = "mongodb://{}:{}@127.0.0.1:{}/?replicaSet=rs"
    with serving(engine, tmp_path / "db0", ports[0], *options), serving(engine, tmp_path / "db1", ports[1], *options):
        with Client("127.0.0.1", ports[1], directConnection=True) as second:
            second.admin.command("ping")
        with Client("127.0.0.1", ports[0], directConnection=True) as first:
            first.admin.command("replSetInitiate", {"_id": "rs", "members": members})
            while not first.admin.command("hello")["isWritablePrimary"]:
                time.sleep(0.1)
            first.admin.command("createUser", "owner", pwd=PASSWORD, roles=USERS["owner"])
        with Client(string.format("owner", PASSWORD, ports[0]), w=2) as client:
            client.admin.command("createUser", "reader", pwd=PASSWORD, roles=USERS["reader"])
            client.shop.orders.insert_many([{"_id": n} for n in range(1000)])
            direct = [
                Client("127.0.0.1", port, username="owner", password=PASSWORD, directConnection=True) for port in ports
            ]
            before = [member.admin.command("serverStatus")["opcounters"]["query"] for member in direct]
            path = saved(tmp_path, string.format("reader", PASSWORD, ports[0]))
            sample = take_live_sample(path, "shop.orders", tmp_path / "s", most_bytes=9000, run_documents=20, seed=1)
            after = [member.admin.command("serverStatus")["opcounters"]["query"] for member in direct]
            for member in direct:
                member.close()
    assert len(sample.manifest.runs) > 10
    asked = [late - early for early, late in zip(before, after, strict=True)]
    assert asked[1] - asked[0] > 30, "the primary's own queries are those of its members"


@pytest.mark.parametrize(
    ("user", "name", "message"),
    [
        ("writer", "shop.orders", r"the user can do more than read \(.*; name one who has the role read alone"),
        ("elsewhere", "shop.orders", r"the user can do more than read \("),
        ("owner", "shop.orders", r"the user can do more than read \("),
        ("stranger", "shop.orders", r"the user may not read this collection; grant the role read"),
        ("reader", "shop.nothing", r"there is no such collection"),
        ("reader", "shop.view", r"is of a view"),
        ("reader", "shop.clustered", r"is a clustered collection"),
        ("reader", "shop.empty", r"holds no documents"),
        ("reader", "shop", r"is no collection's name"),
    ],
)
@pytest.mark.usefixtures("owner")
def test_what_is_not_read(user: str, name: str, message: str, tmp_path: Path) -> None:
    refused(saved(tmp_path, uri(user)), name, message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (uri("reader", "a-wrong-password"), r"the server does not accept user and password"),
        (f"mongodb://127.0.0.1:{PORT}/?directConnection=true", r"the connection string names no user"),
        (uri("reader").replace(f":{PORT}", ":1"), r"the server can't be reached"),
        (uri("reader").replace("mongodb:", "http:"), r"is no connection string that the driver understands"),
        (uri("reader") + "&tls=maybe", r"is no connection string that the driver understands"),
        ("\ud800", r"holds no connection string"),
    ],
)
@pytest.mark.usefixtures("owner")
def test_connection_strings_that_lead_nowhere(text: str, message: str, tmp_path: Path) -> None:
    path = saved(tmp_path, "")
    path.write_bytes(text.encode(errors="surrogatepass"))
    refused(path, "shop.orders", message)


def test_a_connection_string_that_others_can_read(tmp_path: Path) -> None:
    path = saved(tmp_path, uri("reader"))
    path.chmod(0o640)
    refused(path, "shop.orders", r"others can read it; make it yours alone \(chmod 600\)")
    refused(tmp_path / "none", "shop.orders", r"cannot be read")


def refused(uri_file: Path, name: str, message: str) -> None:
    """The message names what to mend and no password, and nothing appears."""
    before = sorted(uri_file.parent.iterdir())
    with pytest.raises(DatasetError, match=message) as found:
        take_live_sample(uri_file, name, uri_file.parent / "sample", most_bytes=1000, seed=1)
    assert "password@" not in str(found.value).replace("user:password@host", "")
    assert PASSWORD not in str(found.value)
    assert sorted(uri_file.parent.iterdir()) == before


HALF = """
import sys
from pathlib import Path
from datasets.collections import take_live_sample
uri_file, folder = map(Path, sys.argv[1:])
asked = {"most_bytes": 200_000, "run_documents": 50, "seed": 3, "answer_ms": 60_000}
take_live_sample(uri_file, "shop.orders", folder, **asked, bytes_per_s=20_000)
"""
ABOUT = 3
"""Questions about the collection, which each reading begins with."""
LIKE_IT: dict[str, Any] = {"most_bytes": 200_000, "run_documents": 50, "seed": 3, "answer_ms": 60_000}


def killed_half_way(uri_file: Path, folder: Path) -> int:
    """Begin a sample, kill the process once it has read some runs, and tell how many."""
    lines = folder.with_name(f".{folder.name}.tmp") / "runs.jsonl"
    with subprocess.Popen([sys.executable, "-c", HALF, str(uri_file), str(folder)], cwd=ROOT) as reading:
        while not lines.exists() or lines.read_bytes().count(b"\n") < 5:
            assert reading.poll() is None
            time.sleep(0.01)
        reading.kill()
    return lines.read_bytes().count(b"\n")


def test_a_sample_that_was_killed_goes_on_where_it_stopped(owner: Client, uri_file: Path, tmp_path: Path) -> None:
    def asked() -> int:
        return int(owner.admin.command("serverStatus")["opcounters"]["query"])

    before = asked()
    whole = take_live_sample(uri_file, "shop.orders", tmp_path / "whole", **LIKE_IT).manifest
    queries = asked() - before
    read = killed_half_way(uri_file, tmp_path / "sample")
    part = tmp_path / ".sample.tmp"
    with pytest.raises(DatasetError, match="was not taken to its end"):
        find_collection(part)
    assert not (tmp_path / "sample").exists()
    with (part / "runs").open("ab") as file:
        file.write(b"half of a run")
    starts = len(json.loads((part / "starts.json").read_text())["after"])
    told: list[str] = []
    before = asked()
    sample = take_live_sample(uri_file, "shop.orders", tmp_path / "sample", **LIKE_IT, tell=told.append)
    rest = asked() - before
    assert told[:1] == [f"shop.orders: going on after {read} runs that were read before"]
    assert sample.manifest == whole
    assert rest <= starts - read + ABOUT < queries - starts, "no run is read and no start is drawn again"
    assert sorted(path.name for path in sample.folder.iterdir()) == ["documents.bson", "manifest.json"]
    assert not part.exists()
