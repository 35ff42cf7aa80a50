"""The generated pages in the repository are those that the types give."""

from __future__ import annotations

import json

import jsonschema

from harness.spec import reference
from tests.harness.factory import record


def test_the_pages_are_up_to_date() -> None:
    for path, text in (
        (reference.SPEC_PAGE, reference.spec_page()),
        (reference.METRICS_PAGE, reference.metrics_page()),
        (reference.RECORD_SCHEMA, reference.record_schema()),
    ):
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is out of date: run `make docs`"


def test_a_record_satisfies_the_schema() -> None:
    schema = json.loads(reference.RECORD_SCHEMA.read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(record().model_dump_json()), schema)


def test_every_key_of_the_spec_is_explained() -> None:
    for line in reference.spec_page().splitlines():
        if line.startswith("| `"):
            assert line.rsplit("|", 2)[1].strip(), f"no meaning: {line}"
