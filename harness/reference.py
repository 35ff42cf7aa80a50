"""Pages generated from the types: the spec's reference and the record's JSON Schema. `make docs` writes them."""

from __future__ import annotations

import json
import types
import typing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from analysis.records import TrialRecord
from harness.load_spec import ROOT
from harness.quantities import show_size
from harness.spec import Campaign

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic.fields import FieldInfo

SPEC_PAGE = ROOT / "docs/spec.md"
RECORD_SCHEMA = ROOT / "docs/trial.schema.json"

_HEAD = """# The campaign spec

A campaign is a YAML file in `campaigns/`, or anywhere: `make run-campaign CAMPAIGN=path/to/it.yaml`.
Unknown keys are refused. Sizes are written with their unit (`512MiB`, `5GB`), durations in seconds.
This page is generated from the types in `harness/spec.py` by `make docs`.
"""


def spec_page() -> str:
    """The reference of the campaign spec, in Markdown: a section a type, a row a key."""
    lines = [_HEAD]
    for model in _models(Campaign):
        lines += ["", f"## {_title(model)}", "", (model.__doc__ or "").strip(), ""]
        lines += ["| key | takes | default | meaning |", "|---|---|---|---|"]
        lines += [_row(name, info) for name, info in model.model_fields.items()]
    return "\n".join(lines) + "\n"


def record_schema() -> str:
    """The JSON Schema of `trial.json`."""
    return json.dumps(TrialRecord.model_json_schema(), indent=1, sort_keys=True) + "\n"


def write_pages() -> None:
    """Write both pages into `docs/`."""
    SPEC_PAGE.write_text(spec_page(), encoding="utf-8")
    RECORD_SCHEMA.write_text(record_schema(), encoding="utf-8")


def _models(root: type[BaseModel]) -> list[type[BaseModel]]:
    """The type and all types within it, each once, in the order in which they are met."""
    found: list[type[BaseModel]] = []
    pending = [root]
    while pending:
        model = pending.pop(0)
        if model not in found:
            found.append(model)
            pending += [inner for field in model.model_fields.values() for inner in _within(field.annotation)]
    return found


def _within(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from _within(argument)


def _title(model: type[BaseModel]) -> str:
    return "".join(f" {c.lower()}" if c.isupper() and i else c for i, c in enumerate(model.__name__))


def _row(name: str, info: FieldInfo) -> str:
    bounds = [str(m) for m in info.metadata if type(m).__name__ in {"Ge", "Gt", "Le", "Lt"}]
    takes = _takes(info) + (f" ({', '.join(_bound(b) for b in bounds)})" if bounds else "")
    meaning = (info.description or _summary(info.annotation)).replace("|", "\\|")
    return f"| `{name}` | {takes} | {_default(info)} | {meaning} |"


def _bound(text: str) -> str:
    kind, _, value = text.partition("(")
    sign = {"Ge": "≥", "Gt": ">", "Le": "≤", "Lt": "<"}[kind]
    return f"{sign} {value.partition('=')[2].rstrip(')')}"


def _takes(info: FieldInfo) -> str:
    if any("parse_size" in str(part) for part in info.metadata):
        return "size"
    return _name(info.annotation)


def _name(kind: Any) -> str:  # noqa: PLR0911 - one line a kind
    """A type in a spec author's words."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        return "size" if "parse_size" in str(arguments) else _name(arguments[0])
    if origin is typing.Literal:
        return ", ".join(f"`{value}`" for value in arguments)
    if origin in {types.UnionType, typing.Union}:
        return " or ".join(_name(argument) for argument in arguments if argument is not type(None))
    if origin is dict:
        return f"name → {_name(arguments[1])}"
    if origin is tuple:
        return f"list of {_name(arguments[0])}"
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        anchor = _title(kind).lower()
        return f"[{anchor}](#{anchor.replace(' ', '-')})"
    if isinstance(kind, type) and hasattr(kind, "__members__"):
        return ", ".join(f"`{member.value}`" for member in kind)  # type: ignore[attr-defined]
    words = {int: "whole number", float: "number", str: "text", bool: "`true` or `false`", Path: "path"}
    return words.get(kind, getattr(kind, "__name__", str(kind)))


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return "required"
    value = info.get_default(call_default_factory=True)
    if value is None:
        return "–"
    if isinstance(value, BaseModel):
        return "see there"
    if _takes(info) == "size":
        return f"`{show_size(value)}`"
    if isinstance(value, tuple | list | dict):
        return ", ".join(f"`{item}`" for item in value) or "none"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`" if value != "" else "–"


def _summary(annotation: Any) -> str:
    model = next(_within(annotation), None)
    return (model.__doc__ or "").strip().splitlines()[0] if model else ""


if __name__ == "__main__":
    write_pages()
