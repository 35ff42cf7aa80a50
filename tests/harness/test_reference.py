"""The generated pages in the repository are those that the types give."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import yaml

from analysis.decide.decision import decide
from harness.spec import reference
from harness.spec.load import CAMPAIGNS, campaign_names
from tests.analysis.test_decision import criteria, quiet
from tests.harness.factory import record

if TYPE_CHECKING:
    from collections.abc import Callable


def test_the_pages_are_up_to_date() -> None:
    for path, text in reference.pages().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is out of date: run `make docs`"


def test_a_record_satisfies_the_schema() -> None:
    schema = json.loads(reference.RECORD_SCHEMA.read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(record().model_dump_json()), schema)


def test_every_key_of_the_spec_is_explained() -> None:
    for line in reference.spec_page().splitlines():
        if line.startswith("| `"):
            assert line.rsplit("|", 2)[1].strip(), f"no meaning: {line}"


@pytest.mark.parametrize("name", campaign_names())
def test_every_shipped_campaign_satisfies_the_schema(name: str) -> None:
    jsonschema.validate(_campaign(name), json.loads(reference.campaign_schema()))


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        (lambda spec: spec.update(sede=1), []),
        (lambda spec: spec.update(cache_size="1 gigabyte"), ["cache_size"]),
        (lambda spec: spec.update(cache_size=1000), ["cache_size"]),
        (lambda spec: spec["arms"]["zstd"].update(block_compressor="lz4"), ["arms", "zstd", "block_compressor"]),
        (lambda spec: spec["arms"]["zstd"].update(zstd_level=40), ["arms", "zstd", "zstd_level"]),
        (lambda spec: spec["datasets"]["sentences"].update(locale="xx"), ["datasets", "sentences", "locale"]),
    ],
)
def test_the_schema_knows_keys_sizes_and_bounds(wrong: Callable[[Any], None], where: list[str]) -> None:
    spec = _campaign("quick")
    wrong(spec)
    with pytest.raises(jsonschema.ValidationError) as refused:
        jsonschema.validate(spec, json.loads(reference.campaign_schema()))
    assert list(refused.value.absolute_path)[: len(where)] == where[: len(refused.value.absolute_path)]


def test_a_decision_satisfies_the_schema() -> None:
    decided = json.loads(decide(quiet(), criteria()).model_dump_json())
    jsonschema.validate(decided, json.loads(reference.decision_schema()))


def _campaign(name: str) -> Any:
    return yaml.safe_load((CAMPAIGNS / f"{name}.yaml").read_text(encoding="utf-8"))
