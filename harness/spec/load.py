"""From a campaign's name or path to a checked `Campaign`; every complaint names file, line and key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from harness.errors import InputError, did_you_mean
from harness.spec.campaign import Campaign
from harness.spec.checks import arm_checks, cross_checks, name_checks
from harness.spec.mix import find_mix, mix_names, read_mix
from harness.spec.yaml_source import Fault, KeyPath, YamlSource, read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic_core import ErrorDetails

    from harness.spec.mix import Mix

ROOT = Path(__file__).resolve().parents[2]
CAMPAIGNS = ROOT / "campaigns"
MIXES = ROOT / "workloads"
_MOST_SHOWN = 10
_LONGEST_SHOWN = 200
_LONGEST_FAULT = 1000  # as pydantic says it, which may repeat what was given


def find_campaign(name_or_path: str) -> Path:
    """The file of a campaign given by its name in `campaigns/` or by its path.

    Raises:
        InputError: neither exists; the message offers the nearest name.
    """
    path = Path(name_or_path)
    if path.suffix in {".yaml", ".yml"} or "/" in name_or_path:
        if path.is_file():
            return path
        raise InputError(f"{path}: there is no such campaign file", do="check the path")
    known = campaign_names()
    if name_or_path in known:
        return CAMPAIGNS / f"{name_or_path}.yaml"
    raise InputError(
        f"no campaign is called {name_or_path!r}{did_you_mean(name_or_path, known)}",
        do=f"use one of {', '.join(known)}, or the path of a file ending in .yaml",
    )


def campaign_names() -> list[str]:
    """The names of the campaigns that come with Pressgauge."""
    return sorted(file.stem for file in CAMPAIGNS.glob("*.yaml"))


def load_campaign(path: Path) -> Campaign:
    """Read, validate and cross-check a campaign that may be run, its mixes included; it is called as its file.

    Raises:
        InputError: with one line per fault, each with file, line, key and what is allowed.
    """
    source, campaign = _read(path, path.stem)
    if faults := [*cross_checks(campaign), *arm_checks(campaign), *name_checks(campaign), *_mix_checks(campaign, path)]:
        raise _complaint(source, faults)
    read_mixes(campaign, path)
    return campaign


def load_kept(path: Path, name: str) -> Campaign:
    """The campaign that a run keeps, in a file that is no link: valid whatever has become of files beside the run.

    Raises:
        InputError: as there.
    """
    source, campaign = _read(path, name or path.stem, links=False)
    if faults := list(cross_checks(campaign)):
        raise _complaint(source, faults)
    return campaign


def read_mixes(campaign: Campaign, path: Path) -> dict[str, Mix]:
    """Each workload's mix, the workload's own distribution in it, from beside the campaign's file or from `workloads/`.

    Raises:
        InputError: a mix is missing or wrong.
    """
    found = {}
    for name, workload in campaign.workloads.items():
        own = {"requestdistribution": workload.distribution} if workload.distribution else {}
        found[name] = read_mix(find_mix(workload.mix or name, _mix_folders(path))).model_copy(update=own)
    return found


def _mix_folders(path: Path) -> tuple[Path, Path]:
    return path.parent, MIXES


def _read(path: Path, name: str, *, links: bool = True) -> tuple[YamlSource, Campaign]:
    source = read_yaml(path, links=links)
    if not isinstance(source.data, dict):
        raise InputError(
            f"{path}: a campaign is a mapping of keys", do="docs/spec.md lists them, campaigns/ has examples"
        )
    try:
        return source, Campaign.model_validate({"name": name, **source.data})
    except ValidationError as error:
        raise _complaint(source, [_describe(source, detail) for detail in error.errors()]) from error


def _complaint(source: YamlSource, faults: list[Fault]) -> InputError:
    lines = [f"{source.path}:{source.line(at)}: {_dotted(at)}: {message}" for at, message in faults[:_MOST_SHOWN]]
    if len(faults) > _MOST_SHOWN:
        lines.append(f"… and {len(faults) - _MOST_SHOWN} more")
    return InputError("\n".join(dict.fromkeys(lines)), do="mend the spec; docs/spec.md lists every key")


def _dotted(at: KeyPath) -> str:
    return _short(".".join(str(part) for part in at)) or "(top level)"


def _describe(source: YamlSource, detail: ErrorDetails) -> Fault:
    """Key path within the file, and the fault in plain words."""
    at = _path_in_file(source, detail["loc"])
    kind = detail["type"]
    if kind == "extra_forbidden":
        allowed = _allowed_keys(detail["loc"][:-1])
        return at, f"unknown key{did_you_mean(str(at[-1]), allowed)}; allowed here: {', '.join(allowed)}"
    if kind == "missing":
        return at, "this key is required"
    message = _short(detail["msg"].removeprefix("Value error, "), _LONGEST_FAULT)
    given = detail.get("input")
    known = _short(repr(given)) if isinstance(given, str | int | float | bool) else ""
    shown = f" (given: {known})" if known and known not in message else ""
    return at, f"{message[0].lower()}{message[1:]}{shown}"


def _short(text: str, longest: int = _LONGEST_SHOWN) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"


def _path_in_file(source: YamlSource, loc: tuple[str | int, ...]) -> KeyPath:
    """Pydantic's location without the tags of unions and the `[key]` marks, which don't stand in the file."""
    at: KeyPath = ()
    for part in loc:
        if part == "[key]":
            continue
        if (*at, part) in source.lines or part == loc[-1]:
            at = (*at, part)
    return at


def _allowed_keys(loc: tuple[str | int, ...]) -> list[str]:
    """The keys of the section at a location, found by walking the model's types."""
    models: list[type[BaseModel]] = [Campaign]
    for part in loc:
        inner = [m for model in models for m in _models_within(model.model_fields.get(str(part)))]
        tagged = [model for model in models if _is_tagged(model, part)]
        models = inner or tagged or models
    return sorted({name for model in models for name in model.model_fields})


def _is_tagged(model: type[BaseModel], tag: str | int) -> bool:
    return any(tag in getattr(field.annotation, "__args__", ()) for field in model.model_fields.values())


def _models_within(field: Any) -> Iterator[type[BaseModel]]:
    pending = [field.annotation] if field is not None else []
    while pending:
        kind = pending.pop()
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield kind
        pending.extend(getattr(kind, "__args__", ()))


def _mix_checks(campaign: Campaign, path: Path) -> Iterator[Fault]:
    folders = _mix_folders(path)
    for name, workload in campaign.workloads.items():
        mix = workload.mix or name
        if not find_mix(mix, folders).is_file():
            key = ("workloads", name, "mix") if workload.mix else ("workloads", name)
            mixes = mix_names(folders)
            told = f"no {mix}.properties in {folders[0]} or workloads/{did_you_mean(mix, mixes)}"
            yield key, f"{told}; there are: {', '.join(mixes)}"
