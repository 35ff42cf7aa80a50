"""A run goes on as it was begun: trials of two machines, two load generators or two mixes are never paired."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import bson
import pytest

from datasets import OwnDocuments, TemplatesManifest, prepare, prepare_documents
from datasets.recipes import FakerSentences
from harness.errors import InputError
from harness.hosts.site import Site
from harness.ledger.ledger import MIXES_FILE, Ledger
from harness.ledger.run_json import read_hosts, read_manifest, read_mixes_kept
from harness.ledger.runs import open_run
from harness.run.preparing import Ready, prepare_dataset
from harness.run.resuming import keep_corpus, keep_start
from harness.spec.load import load_campaign
from harness.spec.mixes.ycsb import Mix
from tests.campaigns import small
from tests.datasets.dumps import METADATA, dumped
from tests.harness.factory import record
from tests.reports import sample

if TYPE_CHECKING:
    from pathlib import Path

HOST: dict[str, Any] = dict(sample.HOST)
VERSIONS = {"Pressgauge": "abc", "load generator": "BLAKE3 1", "YCSB core": "0.17.0"}
MIXES = {"rmw": Mix(readproportion=0.8, updateproportion=0.2)}
COMMAND = "make run-campaign CAMPAIGN=quick INVENTORY=lab"


@pytest.fixture
def begun(tmp_path: Path) -> Ledger:
    """A run with a trial."""
    ledger = open_run(tmp_path, "quick", "a: 1\n", "r1", anew=False, command=COMMAND)
    assert keep_start(ledger, {"localhost": HOST}, VERSIONS, MIXES) == []
    ledger.commit(record(), ledger.workspace("000-0-snappy"))
    return ledger


def test_the_same_host_is_the_same_however_busy_it_is(begun: Ledger) -> None:
    now = HOST | {"memory_available_bytes": 1, "load_average": [9, 9, 9], "steal_share": 0.5}
    now |= {"memory_total_bytes": HOST["memory_total_bytes"] - 4096, "data": HOST["data"] | {"free_bytes": 1}}
    assert keep_start(begun, {"localhost": now}, VERSIONS, MIXES) == []
    assert read_hosts(begun.folder) == {"localhost": HOST}


@pytest.mark.parametrize(
    "change",
    [
        {"cpu_model": "Another"}, {"cores": 3}, {"memory_total_bytes": 2**30}, {"kernel": "9.9"},
        {"data": {"filesystem": "zfs"}},
    ],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_another_machine_is_refused(begun: Ledger, change: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"unfinished, and it began with other hosts.*\nhost\.") as refused:
        keep_start(begun, {"localhost": HOST | change}, VERSIONS, MIXES)
    assert f"({COMMAND})" in refused.value.do
    assert "NEW=1" in refused.value.do
    assert read_hosts(begun.folder) == {"localhost": HOST}


def test_other_hosts_are_named(begun: Ledger) -> None:
    with pytest.raises(InputError, match="hosts: localhost at its start, client, db now"):
        keep_start(begun, {"db": HOST, "client": HOST}, VERSIONS, MIXES)


def test_another_load_generator_is_refused(begun: Ledger) -> None:
    with pytest.raises(InputError, match=r"versions\.load generator: BLAKE3 1 at its start, BLAKE3 2 now"):
        keep_start(begun, {"localhost": HOST}, VERSIONS | {"load generator": "BLAKE3 2"}, MIXES)


def test_a_mix_that_was_edited_is_refused_with_what_differs(begun: Ledger) -> None:
    edited = {"rmw": Mix(readproportion=0.1, updateproportion=0.2)}
    with pytest.raises(InputError, match="another client or another mix") as refused:
        keep_start(begun, {"localhost": HOST}, VERSIONS, edited)
    assert refused.value.what.splitlines()[1:] == ["mix.rmw.readproportion: 0.8 at its start, 0.1 now"]
    assert read_mixes_kept(begun.folder)["rmw"]["readproportion"] == 0.8


def test_a_run_that_kept_no_mix_goes_on(begun: Ledger) -> None:
    (begun.folder / MIXES_FILE).unlink()  # as runs of before
    assert keep_start(begun, {"localhost": HOST}, VERSIONS, MIXES) == []


def test_what_may_change_is_told(begun: Ledger) -> None:
    now = HOST | {"hostname": "a-new-container"}
    notes = keep_start(begun, {"localhost": now}, VERSIONS | {"Pressgauge": "def"}, MIXES)
    assert [note.partition(": ")[0].rpartition(" ")[2] for note in notes] == ["host.hostname", "versions.Pressgauge"]
    assert notes[1].endswith("abc at its start, def now")


def test_a_run_without_trials_begins_anywhere(tmp_path: Path) -> None:
    ledger = open_run(tmp_path, "quick", "a: 1\n", "r1", anew=False)
    keep_start(ledger, {"localhost": HOST}, VERSIONS, MIXES)
    assert keep_start(ledger, {"db": HOST}, VERSIONS, MIXES) == []
    assert read_hosts(ledger.folder) == {"db": HOST}


def test_what_a_run_keeps_of_a_corpus_is_of_its_own_documents(tmp_path: Path) -> None:
    """The cached corpus serves campaigns of every shape, and knows only the usual one."""
    document, arms = {"fields": 1, "field_length": 400}, {"zlib": {"block_compressor": "zlib", "zlib_level": 1}}
    spec = load_campaign(small(tmp_path / "a.yaml", 27999, document=document, arms=arms, decision={"baseline": "zlib"}))
    ledger = open_run(tmp_path, "quick", "a: 1\n", "r1", anew=False)
    ((name, recipe),) = spec.datasets.items()
    prepare_dataset(spec, name, recipe, Site(tmp_path / "inventory", tmp_path), ledger, Ready())
    kept = read_manifest(ledger.folder, name)
    assert kept["shape"] == {"field_count": 1, "field_length_bytes": 400}
    assert [one["codec"] for one in kept["expected_ratios"]] == ["zlib-1"]


def test_a_dataset_that_became_another_is_refused(begun: Ledger, tmp_path: Path) -> None:
    before, now = (prepare(FakerSentences(sentences=20), seed, tmp_path / "corpora") for seed in (1, 2))
    keep_corpus(begun, "sentences", before)
    keep_corpus(begun, "sentences", before)
    with pytest.raises(InputError, match=rf"corpus\.sentences: {before.digest} at its start, {now.digest} now"):
        keep_corpus(begun, "sentences", now)
    assert read_manifest(begun.folder, "sentences")["digest"] == before.digest


def test_indexes_that_became_others_are_refused(begun: Ledger, tmp_path: Path) -> None:
    source = dumped(tmp_path / "dump", "orders", [bson.encode({"_id": n, "a": n, "b": n}) for n in range(9)])

    def prepared() -> TemplatesManifest:
        return prepare_documents(OwnDocuments(path=source), 1, tmp_path / "home", ("snappy",))

    keep_corpus(begun, "orders", prepared())
    keep_corpus(begun, "orders", prepared())
    about = source.with_name("orders.metadata.json")
    other_order = {"key": {"a": 1, "b": -1}, "name": "b_-1_a_1"}
    about.write_text(json.dumps(METADATA | {"indexes": [other_order, {"key": {"t": "text"}, "name": "t_text"}]}))
    with pytest.raises(InputError, match=r'indexes\.orders: .*{"b": -1, "a": 1}.* start, .*{"a": 1, "b": -1}.* now'):
        keep_corpus(begun, "orders", prepared())
