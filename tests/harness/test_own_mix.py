"""Mixes of one's own: what they say is read with file and line, and told to the client in its words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from datasets import TemplatesManifest, prepare_documents
from harness.errors import InputError
from harness.plan.load.clients import ClientProcess, check_skew
from harness.plan.load.heap import heap_mib
from harness.plan.load.warming import WarmUp
from harness.plan.trial_vars import document_properties, run_properties
from harness.spec.load import load_campaign, read_mixes
from harness.spec.mixes.checks import check_paths
from harness.spec.mixes.operations import KINDS, AnyOperation, MixFile
from harness.spec.mixes.own import OwnMix, read_own_mix
from tests.campaigns import small

if TYPE_CHECKING:
    from pathlib import Path

    from harness.spec.campaign import Campaign

SHOP = """\
keys: {distribution: zipfian, exponent: 0.99}
operations:
  - {kind: find, weight: 60, fields: [status, total]}
  - {kind: find-by-index, weight: 10, index: [customer.id, placed], equal: 1, sort: -1, limit: 20}
  - {kind: insert, weight: 5, documents: 1}
  - {kind: update, weight: 15, set: [status], inc: [], push: []}
  - {kind: replace, weight: 3}
  - {kind: delete, weight: 1}
  - {kind: upsert, weight: 1}
  - {kind: count, weight: 1, index: [status]}
  - {kind: aggregate, weight: 1, index: [status], group: status}
  - {kind: scan, weight: 1, limit: 100}
  - {kind: scan-all, weight: 1}
  - {kind: read-modify-write, weight: 1}
"""
UPDATE = ["status", "shipping.city", "number", "history"]
ORDERS = {"orders": {"recipe": "faker-orders", "documents": 100, "update": UPDATE}}
WORKLOAD = {"threads": 2, "warmup_s": 0, "measure_s": None, "operations": 100}


def mix_of(folder: Path, text: str) -> OwnMix:
    (folder / "shop.mix.yaml").write_text(text, encoding="utf-8")
    return read_own_mix(folder / "shop.mix.yaml")


def campaign(folder: Path, *operations: str, keys: str = "uniform", **changes: Any) -> Path:
    """A campaign of orders with a mix of these operations."""
    mix_of(folder, "\n".join([f"keys: {keys}", "operations:", *(f"  - {{{one}}}" for one in operations)]))
    workloads = {"shop": WORKLOAD}
    return small(folder / "mine.yaml", 27999, **{"datasets": ORDERS, "workloads": workloads, **changes})


def complaint(folder: Path, *operations: str, **changes: Any) -> str:
    with pytest.raises(InputError) as caught:
        load_campaign(campaign(folder, *operations, **changes))
    return caught.value.what.removeprefix(str(folder))


def prepared(folder: Path, spec: Campaign) -> TemplatesManifest:
    recipe = spec.datasets["orders"]
    found = prepare_documents(recipe, spec.seed, folder / "datasets", [])  # type: ignore[arg-type] # it is of orders
    assert isinstance(found, TemplatesManifest)
    return found


def test_a_mix_is_read_and_told_to_the_client(tmp_path: Path) -> None:
    mix = mix_of(tmp_path, SHOP)
    told = mix.properties()
    assert (told["pressgauge.keys"], told["pressgauge.keys.exponent"]) == ("zipfian", 0.99)
    assert told["pressgauge.operations"] == 12
    first = {key.rpartition(".")[2]: value for key, value in told.items() if ".operations.1." in key}
    assert first == {
        "kind": "find-by-index", "weight": 10.0, "index": "customer.id,placed", "equal": 1, "range": False, "sort": -1,
        "limit": 20,
    }  # fmt: skip
    assert mix.operations == tuple(one.model_fields["kind"].default for one in KINDS if one.__name__ != "Transaction")
    assert (mix.inserts, mix.deletes, mix.updates, mix.documents_held) == (True, True, True, 1000)
    workload = load_campaign(campaign(tmp_path, "kind: find")).workloads["shop"]
    assert run_properties(workload, mix, 1, WarmUp())["operationcount"] == 100
    assert heap_mib(workload, mix, 1, 100_000) > heap_mib(
        workload, mix_of(tmp_path, "operations: [{kind: find}]"), 1, 1
    )


_PATHS = st.lists(st.sampled_from(["a", "b.c", "größe", "d.e.f"]), min_size=1, max_size=3, unique=True)
_NUMBERS = st.integers(1, 500)


def _operations() -> st.SearchStrategy[dict[str, Any]]:
    weight = {"weight": st.floats(0.001, 1000)}
    given_keys: dict[str, dict[str, Any]] = {
        "find": {"fields": _PATHS},
        "find-by-index": {"index": _PATHS, "equal": st.just(0), "sort": st.sampled_from([1, -1]), "limit": _NUMBERS},
        "insert": {"documents": _NUMBERS, "deleted": st.booleans()},
        "update": {"set": _PATHS},
        "count": {"index": _PATHS},
        "aggregate": {"group": st.just("a")},
        "scan": {"limit": _NUMBERS},
        "transaction": {"reads": _NUMBERS, "updates": _NUMBERS},
    }
    kinds = [str(kind.model_fields["kind"].default) for kind in KINDS]
    return st.one_of(
        [st.fixed_dictionaries({"kind": st.just(kind), **given_keys.get(kind, {})}, optional=weight) for kind in kinds]
    )


_KEYS = st.one_of(
    st.sampled_from(["uniform", "latest", "zipfian"]),
    st.fixed_dictionaries({"distribution": st.just("zipfian"), "exponent": st.floats(0.1, 5)}),
    st.fixed_dictionaries({"distribution": st.just("hotspot"), "data": st.floats(0.01, 0.99)}),
    st.just({"distribution": "measured", "shares": [[0.001, 0.31], [0.01, 0.52], [0.1, 0.8]]}),
)


@given(_KEYS, st.lists(_operations(), min_size=1, max_size=5))
def test_a_mix_written_is_the_mix_read(
    tmp_path_factory: pytest.TempPathFactory, keys: Any, operations: list[dict[str, Any]]
) -> None:
    said = {"keys": keys, "operations": operations}
    mix = mix_of(tmp_path_factory.mktemp("mix"), yaml.safe_dump(said, allow_unicode=True))
    assert mix.said == MixFile.model_validate(json.loads(json.dumps(said)))
    for number, (one, read) in enumerate(zip(operations, mix.said.operations, strict=True)):
        assert read == TypeAdapter[Any](AnyOperation).validate_python(one)
        told = mix.properties()
        for key, value in one.items():
            expected = ",".join(value) if isinstance(value, list) else value
            assert told[f"pressgauge.operations.{number}.{key}"] == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- find", ": a mix is a mapping of keys, `keys` and `operations`"),
        ("keys: uniform", ":1: operations: this key is required"),
        ("operations: []", ":1: operations: at least 1 required"),
        ("operations:\n  - {kind: look}", ":2: operations.0: 'kind': 'look' is not known; must be one of 'find'"),
        ("operations:\n  - {weight: 3}", ":2: operations.0: the key 'kind' is required"),
        ("operations:\n  - kind: find\n    weight: 0", ":3: operations.0.weight: must be more than 0 (given: 0)"),
        ("operations:\n  - {kind: find, limit: 3}", ":2: operations.0.limit: unknown key"),
        ("operations:\n  - {kind: count}", ":2: operations.0.index: this key is required"),
        ("operations:\n  - {kind: find, fields: [$a]}", ":2: operations.0.fields.0: '$a' is no path: names"),
        ("operations:\n  - {kind: update}", ":2: operations.0: name the paths that it writes, in set, inc or push"),
        ("operations:\n  - {kind: update, set: [a], inc: [a]}", ":2: operations.0: a path is written in one way, once"),
        (
            "operations:\n  - {kind: find-by-index, index: [a], sort: 1}",
            ":2: operations.0: range and sort take the path",
        ),
        ("keys: normal\noperations: [{kind: find}]", ":1: keys: must be one of 'uniform', 'zipfian', 'latest'"),
        ("keys: {distribution: latest, data: 0.1}\noperations: [{kind: find}]", ":1: keys: data does not go with the"),
        ("keys: {distribution: measured}\noperations: [{kind: find}]", ":1: keys: the distribution measured needs"),
        (
            "keys: {distribution: measured, shares: [[0.1, 0.5], [0.05, 0.6]]}\noperations: [{kind: find}]",
            ":1: keys: shares must rise from pair to pair",
        ),
    ],
)
def test_faults_name_file_and_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        mix_of(tmp_path, text)
    assert f"{tmp_path / 'shop.mix.yaml'}{told}" in caught.value.what


@pytest.mark.parametrize(
    ("operation", "told"),
    [
        ("kind: transaction", ":3: operations.0.kind: a single mongod has no transactions"),
        (
            "kind: update, set: [stotus]",
            ":3: operations.0.set: dataset 'orders' has no 'stotus' in its `update` (did yo",
        ),
        (
            "kind: count, index: [placed]",
            ":3: operations.0.index: dataset 'orders' makes no index that begins with plac",
        ),
        ("kind: update, set: [status], push: [items]", ":3: operations.0.push: dataset 'orders' has no 'items' in its"),
    ],
)
def test_what_the_campaign_does_not_have_is_refused_in_the_mix(tmp_path: Path, operation: str, told: str) -> None:
    assert complaint(tmp_path, operation).startswith(f"/shop.mix.yaml{told}")


def test_a_path_is_written_in_one_way(tmp_path: Path) -> None:
    told = complaint(tmp_path, "kind: update, inc: [number]", "kind: update, set: [number]")
    assert told.startswith("/shop.mix.yaml:3: operations.0.inc: 'number' is also in `set`")
    both = {"shop": WORKLOAD, "rmw": WORKLOAD}
    told = complaint(tmp_path, "kind: update, inc: [number]", workloads=both)
    assert told.startswith("/shop.mix.yaml:3: operations.0.inc: 'number' is set by workload 'rmw', a mix of YCSB's")
    load_campaign(campaign(tmp_path, "kind: update, set: [number]", workloads=both))


def test_text_has_fields_alone(tmp_path: Path) -> None:
    text: dict[str, Any] = {"datasets": {"sentences": {"recipe": "faker-sentences", "sentences": 1000}}}
    load_campaign(campaign(tmp_path, "kind: update, set: [field3]", "kind: aggregate, group: field9", **text))
    told = complaint(tmp_path, "kind: count, index: [field1]", "kind: find, fields: [field10]", **text)
    assert ":3: operations.0.index: dataset 'sentences' is text, which has no indexes" in told
    assert (
        ":4: operations.1.fields: dataset 'sentences' is text with the fields field0 to field9, not 'field10'" in told
    )


def test_paths_that_no_document_has_are_refused(tmp_path: Path) -> None:
    path = campaign(tmp_path, "kind: find, fields: [totl]", "kind: update, inc: [status], push: [number]")
    spec = load_campaign(path)
    with pytest.raises(InputError) as caught:
        check_paths(read_mixes(spec, path), "orders", prepared(tmp_path, spec))
    told = caught.value.what.replace(str(tmp_path), "")
    assert "/shop.mix.yaml:3: operations.0.fields: no document of dataset 'orders' has the path 'totl' (did you" in told
    assert ":4: operations.1.inc: 'status' of dataset 'orders' is of type string; inc takes int, long and dou" in told
    assert ":4: operations.1.push: 'number' of dataset 'orders' is no list in every document" in told


def test_clients_are_told_how_paths_are_written(tmp_path: Path) -> None:
    path = campaign(tmp_path, "kind: update, inc: [number], push: [history]", "kind: find, fields: [items.sku]")
    spec = load_campaign(path)
    mixes, found = read_mixes(spec, path), prepared(tmp_path, spec)
    check_paths(mixes, "orders", found)
    told = document_properties(spec, found, mixes)
    assert told["pressgauge.updatepaths"] == ",".join(UPDATE)
    assert (told["pressgauge.incrementpaths"], told["pressgauge.pushpaths"]) == ("number", "history")


def test_two_mixes_of_one_name_are_refused(tmp_path: Path) -> None:
    path = campaign(tmp_path, "kind: find")
    (tmp_path / "shop.properties").write_text("readproportion=1\nupdateproportion=0\n")
    with pytest.raises(InputError, match=r"workloads\.shop: .*shop\.properties and shop\.mix\.yaml beside it"):
        load_campaign(path)


def test_the_mix_says_its_distribution_itself(tmp_path: Path) -> None:
    path = campaign(tmp_path, "kind: find", workloads={"shop": {**WORKLOAD, "distribution": "zipfian"}})
    with pytest.raises(InputError, match=r"workloads\.shop\.distribution: .*shop\.mix\.yaml says this itself"):
        load_campaign(path)


def test_metrics_are_of_the_operations_that_the_mix_has(tmp_path: Path) -> None:
    constraint = {"metric": "shop.find-by-index.p99", "at_most": 1.2}
    decision = {"baseline": "snappy", "constraints": [constraint]}
    load_campaign(campaign(tmp_path, "kind: find-by-index, index: [status]", decision=decision))
    told = complaint(tmp_path, "kind: find", decision=decision)
    assert "'shop' has no operation 'find-by-index'; its mix has find" in told


@pytest.mark.parametrize(
    ("operation", "keys", "why"),
    [
        ("kind: delete", "uniform", None),
        ("kind: delete", "zipfian", "each knows only of the records that it deletes itself"),
        ("kind: insert, deleted: true", "zipfian", "each knows only of the records that it deletes itself"),
        ("kind: insert", "zipfian", None),
        ("kind: insert", "latest", "each would favour the records that it inserts itself"),
        ("kind: update, set: [status]", "zipfian", None),
    ],
)
def test_clients_share_skewed_keys_where_they_can(tmp_path: Path, operation: str, keys: str, why: str | None) -> None:
    path = campaign(tmp_path, operation, keys=keys)
    spec = load_campaign(path)
    two = [ClientProcess("a", 0, 2), ClientProcess("b", 1, 2)]
    check_skew(spec, read_mixes(spec, path), two[:1])
    if why is None:
        check_skew(spec, read_mixes(spec, path), two)
        return
    with pytest.raises(InputError, match=why):
        check_skew(spec, read_mixes(spec, path), two)
