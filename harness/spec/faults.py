"""Faults that pydantic found in a spec, in a user's words: where in the file each stands, and what belongs there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import BaseModel

from core.bounds import NAME_PATTERN
from core.sizes import Size, exact_size
from harness.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic_core import ErrorDetails

    from harness.spec.yaml_source import Fault, KeyPath, YamlSource

Model = type[BaseModel]
LONGEST_SHOWN = 200
_LONGEST_FAULT = 1000  # as pydantic says it, which may repeat what was given
_MOST_HOMES = 3
_QUOTED = re.compile(r"'([^']*)'")
_MAPPING = "a mapping of keys"
_TEXT = "a text (in quotes if it looks like a number or a date)"
_KINDS = {
    "int_type": "a whole number", "int_parsing": "a whole number", "int_from_float": "a whole number",
    "float_type": "a number", "float_parsing": "a number", "finite_number": "a finite number",
    "bool_type": "true or false", "bool_parsing": "true or false", "string_type": _TEXT,
    "path_type": "a path", "tuple_type": "a list, as in [a, b]", "list_type": "a list, as in [a, b]",
    "model_type": _MAPPING, "model_attributes_type": _MAPPING, "dict_type": _MAPPING,
}  # fmt: skip
"""The kind of value that each type of error asks for."""
_CHOICES = {"union_tag_invalid", "literal_error", "enum"}
_BOUNDS = {"greater_than_equal": ("ge", "{} or more"), "less_than_equal": ("le", "{} or less"),
           "greater_than": ("gt", "more than {}"), "less_than": ("lt", "less than {}")}  # fmt: skip
_PATTERNS = {
    NAME_PATTERN: "a name has letters, digits, dots, dashes and underscores, 40 at most, and begins with a letter or "
    "digit",
    r"^[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}$": "a version has three numbers, for instance 7.0.14",
    r"^[0-9a-f]{64}$": "a SHA-256 digest has 64 hexadecimal digits, in lower case",
    r"^/": "must be an absolute path, which begins with /",
    r"^[^\x00-\x1f\x7f]*$": "must have no control characters, such as line breaks",
    r"^[a-z0-9][A-Za-z0-9._/:@-]*$": "must be an image's name, for instance docker.io/library/mongo:7.0.14",
    r"^[A-Za-z_][A-Za-z0-9_.-]{0,31}$": "must be a user's name, for instance ubuntu",
    r"^[a-z0-9-]+\.[a-z0-9-]+$": "must be a type of EC2's, for instance c6g.2xlarge",
    r"^[A-Za-z][A-Za-z0-9_.]{0,99}$": "a server parameter's name has letters, digits, dots and underscores",
}


def describe(source: YamlSource, details: Iterable[ErrorDetails], model: Model) -> list[Fault]:
    """Key path within the file and the fault in plain words, once for each place.

    Where a key takes one thing or another (a number, or a mapping), pydantic tells what each of them lacks.
    """
    by_place: dict[KeyPath, list[ErrorDetails]] = {}
    for detail in details:
        by_place.setdefault(_place(source, detail), []).append(detail)
    within = {at[:length] for at in by_place for length in range(len(at))}
    return [
        (at, said)
        for at, found in by_place.items()
        if (said := _said(found, model, has_inner=at in within and isinstance(found[0]["input"], dict | list)))
    ]


def in_plain_words(detail: ErrorDetails, model: Model) -> str:
    """One fault by itself."""
    kind = _KINDS.get(detail["type"])
    return f"must be {kind}" if kind else _fault(detail, model)


def _said(found: list[ErrorDetails], model: Model, *, has_inner: bool) -> str:
    """All that is wrong at one place; nothing where a mapping or list that may be given is wrong further down."""
    kinds = [_KINDS[one["type"]] for one in found if one["type"] in _KINDS]
    others = [_fault(one, model) for one in found if one["type"] not in _KINDS]
    if has_inner:
        kinds = []
    if any(one["type"] not in _KINDS.keys() | _CHOICES for one in found):
        kinds = []  # the value is of a kind that is taken, and wrong as such
    wanted = [f"must be {' or '.join(dict.fromkeys(kinds))}"] if kinds else []
    if not (said := "; or ".join(dict.fromkeys([*others, *wanted]))):
        return ""
    given = found[0]["input"]
    known = short(repr(given)) if isinstance(given, str | int | float | bool) else ""
    if given is None and kinds:
        known = "nothing"
    return said if not known or (isinstance(given, str) and known in said) else f"{said} (given: {known})"


def _fault(detail: ErrorDetails, model: Model) -> str:
    """One fault, but for values of another kind."""
    told: dict[str, Any] = detail.get("ctx", {})
    match detail["type"]:
        case "extra_forbidden":
            allowed = _allowed_keys(model, detail["loc"][:-1])
            wrong = str(detail["loc"][-1])
            homes = list(dict.fromkeys(one for one in _homes(model) if one.endswith(f".{wrong}")))[:_MOST_HOMES]
            known = f" (it belongs in {' or '.join(f'`{one}`' for one in homes)})" if homes else ""
            said = f"unknown key{known or did_you_mean(wrong, allowed)}; allowed here: {', '.join(allowed)}"
        case "missing":
            said = "this key is required"
        case "union_tag_not_found":
            said = f"the key {told['discriminator']} is required: it says what this is"
        case "union_tag_invalid":
            wrong = f"{told['discriminator']}: {short(str(told['tag']))!r} is not known"
            said = f"{wrong}; {_one_of(told['expected_tags'], told['tag'])}"
        case "literal_error" | "enum":
            said = _one_of(told["expected"], detail["input"])
        case "greater_than_equal" | "less_than_equal" | "greater_than" | "less_than" as kind:
            said = _bounded(detail, model, *_BOUNDS[kind])
        case "too_short" | "string_too_short":
            said = f"at least {told['min_length']} required"
        case "too_long" | "string_too_long":
            said = f"too long: at most {told['max_length']} allowed"
        case "string_pattern_mismatch" if told["pattern"] in _PATTERNS:
            said = _PATTERNS[told["pattern"]]
        case _:
            said = short(detail["msg"].removeprefix("Value error, "), _LONGEST_FAULT)
    return f"{said[0].lower()}{said[1:]}"


def _one_of(known: str, given: object) -> str:
    """The values that a key takes, as pydantic lists them."""
    words = _QUOTED.findall(known)
    return f"must be {'one of ' if len(words) > 1 else ''}{known}{did_you_mean(str(given), words)}"


def _bounded(detail: ErrorDetails, model: Model, name: str, words: str) -> str:
    """A number that is too small or too large; a size's bound with its unit."""
    bound = detail["ctx"][name]
    if not _is_of_size(detail, model):
        return f"must be {words.format(f'{bound:g}' if isinstance(bound, float) else bound)}"
    unitless = "; a number without a unit counts bytes" if isinstance(detail["input"], int) else ""
    return f"must be {words.format(exact_size(bound))}{unitless}"


def _is_of_size(detail: ErrorDetails, model: Model) -> bool:
    """Whether the field takes a size."""
    name, parser = str(detail["loc"][-1]), get_args(Size)[1]
    fields = [field for one in _models_at(model, detail["loc"][:-1]) if (field := one.model_fields.get(name))]
    kinds = [kind for field in fields for kind in (field.annotation, *get_args(field.annotation))]
    told = [one for field in fields for one in field.metadata]
    return parser in told or any(parser in get_args(kind) for kind in kinds)


def short(text: str, longest: int = LONGEST_SHOWN) -> str:
    """The beginning of what may be endless."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def _place(source: YamlSource, detail: ErrorDetails) -> KeyPath:
    """Pydantic's location without what doesn't stand in the file: tags and branches of unions, and `[key]` marks."""
    at: KeyPath = ()
    *before, last = detail["loc"] or ("",)
    for part in before:
        if (*at, part) in source.lines:
            at = (*at, part)
    if detail["loc"] and ((*at, last) in source.lines or detail["type"] == "missing"):
        at = (*at, last)
    return at


def _allowed_keys(model: Model, loc: tuple[str | int, ...]) -> list[str]:
    """The keys of the section at a location."""
    return sorted({name for one in _models_at(model, loc) for name in one.model_fields})


def _homes(model: Model, above: str = "", *, depth: int = 3) -> Iterator[str]:
    """Every key below the first level as a path, `…` for names that are the user's."""
    for name, field in model.model_fields.items():
        yield f"{above}{name}"
        named = "…." if get_origin(field.annotation) is dict else ""
        for inner in _models_within(field) if depth else ():
            yield from _homes(inner, f"{above}{name}.{named}", depth=depth - 1)


def _models_at(model: Model, loc: tuple[str | int, ...]) -> list[Model]:
    """What a section at a location may be, found by walking the model's types."""
    models = [model]
    for part in loc:
        inner = [m for one in models for m in _models_within(one.model_fields.get(str(part)))]
        tagged = [one for one in models if _is_tagged(one, part)]
        models = inner or tagged or models
    return models


def _is_tagged(model: Model, tag: str | int) -> bool:
    return any(tag in getattr(field.annotation, "__args__", ()) for field in model.model_fields.values())


def _models_within(field: Any) -> Iterator[Model]:
    pending = [field.annotation] if field is not None else []
    while pending:
        kind = pending.pop()
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield kind
        pending.extend(getattr(kind, "__args__", ()))
