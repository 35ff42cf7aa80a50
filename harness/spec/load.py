"""From a campaign's name or path to a checked `Campaign`; every complaint names file, line and key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from analysis.stats.criteria import Objective
from analysis.stats.metrics import INSERT, keys
from analysis.stats.primary import deciding_workload
from analysis.trial.counters import release
from analysis.trial.records import Regime
from analysis.trial.regimes import FULL_CACHE
from analysis.trial.settings import SETTINGS
from core.sizes import show_size
from harness.errors import InputError, did_you_mean
from harness.spec import upgrade_path
from harness.spec.campaign import Campaign
from harness.spec.mix import find_mix, mix_names, read_mix
from harness.spec.phases import Client, Workload
from harness.spec.yaml_source import KeyPath, YamlSource, read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic_core import ErrorDetails

    from harness.spec.mix import Mix

ROOT = Path(__file__).resolve().parents[2]
CAMPAIGNS = ROOT / "campaigns"
MIXES = ROOT / "workloads"
RESULTS_INDEX = "index.html"
_MOST_SHOWN = 10
# What the files of a trial that are no phase's begin with, up to their first dot; docs/architecture.md lists them.
_OF_A_TRIAL = {
    "ansible", "context", "diagnostic", "failure", "in_force", "mongod", "network", "snapshot", "stop", "trial",
    "verify",
}  # fmt: skip
_OF_UPGRADES = ("upgraded-", "verify-")
_LONGEST_SHOWN = 200
_LONGEST_FAULT = 1000  # as pydantic says it, which may repeat what was given
_BESIDE_CACHE = 256 * 2**20  # measured: mongod 6.0.5 with a cache of 256 MiB comes to 370–420 MiB


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
    if faults := [*_cross_checks(campaign), *_name_checks(campaign), *_mix_checks(campaign, path)]:
        raise _complaint(source, faults)
    read_mixes(campaign, path)
    return campaign


def load_kept(path: Path, name: str) -> Campaign:
    """The campaign that a run keeps, in a file that is no link: valid whatever has become of files beside the run.

    Raises:
        InputError: as there.
    """
    source, campaign = _read(path, name or path.stem, links=False)
    if faults := list(_cross_checks(campaign)):
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


def _complaint(source: YamlSource, faults: list[tuple[KeyPath, str]]) -> InputError:
    lines = [f"{source.path}:{source.line(at)}: {_dotted(at)}: {message}" for at, message in faults[:_MOST_SHOWN]]
    if len(faults) > _MOST_SHOWN:
        lines.append(f"… and {len(faults) - _MOST_SHOWN} more")
    return InputError("\n".join(dict.fromkeys(lines)), do="mend the spec; docs/spec.md lists every key")


def _dotted(at: KeyPath) -> str:
    return _short(".".join(str(part) for part in at)) or "(top level)"


def _describe(source: YamlSource, detail: ErrorDetails) -> tuple[KeyPath, str]:
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


def _reference_checks(campaign: Campaign) -> Iterator[tuple[KeyPath, str]]:
    engines, wanted = sorted(campaign.engines), campaign.decision.reference_engine
    if wanted is not None and wanted not in campaign.engines:
        message = (
            f"{wanted!r} is no engine of this campaign{did_you_mean(wanted, engines)}; it has {', '.join(engines)}"
        )
        yield ("decision", "reference_engine"), message
    elif wanted is not None and len(campaign.engines) * len(campaign.arms) < 2:
        yield ("decision", "reference_engine"), "the reference is the only cell: nothing is there to be held against it"


def _cross_checks(campaign: Campaign) -> Iterator[tuple[KeyPath, str]]:
    arms = sorted(campaign.arms)
    if campaign.decision.baseline not in campaign.arms:
        wrong = campaign.decision.baseline
        message = f"{wrong!r} is no arm of this campaign{did_you_mean(wrong, arms)}; its arms: {', '.join(arms)}"
        yield ("decision", "baseline"), message
    engines, wanted = sorted(campaign.engines), campaign.decision.baseline_engine
    if wanted is not None and (wanted not in campaign.engines or len(engines) < 2):
        what = "has no other engine to be compared with" if wanted in engines else "is no engine of this campaign"
        message = f"{wanted!r} {what}{did_you_mean(wanted, engines)}; the campaign's engines: {', '.join(engines)}"
        yield ("decision", "baseline_engine"), message
    yield from _reference_checks(campaign)
    for name, arm in campaign.arms.items():
        for one in SETTINGS:
            too_old = sorted(e for e, engine in campaign.engines.items() if release(engine.version) < one.since)
            if one.arm and getattr(arm, one.arm) is not None and too_old:
                since = ".".join(map(str, one.since))
                message = f"engine {too_old[0]} has no {one.label} (there is one from {since})"
                yield ("arms", name, one.arm), f"{message}; leave it out for the built-in {one.before}"
        if arm.cache_size is not None and arm.cache_size < 2**28:
            yield ("arms", name, "cache_size"), "mongod takes no cache below 256MiB"
    for name in campaign.engines:
        for message in upgrade_path.faults(campaign, name):
            yield ("engines", name, "upgraded_from"), message
    yield from _regime_checks(campaign)
    yield from _workload_checks(campaign)
    yield from _capacity_checks(campaign)
    yield from _metric_checks(campaign)


def _regime_checks(campaign: Campaign) -> Iterator[tuple[KeyPath, str]]:
    """Regimes that can't come about, whatever the host: no trial needs to be run for that."""
    data, limit = campaign.records * campaign.document.size_bytes, campaign.memory_limit
    caches = [campaign.arm_cache_bytes(arm) for arm in campaign.arms]
    if (campaign.regime is Regime.OUT_OF_CACHE) != (limit is not None):
        yield ("memory_limit",), "goes with `regime: out-of-cache`, and that one needs it"
    elif limit is not None and limit < max(caches) + _BESIDE_CACHE:
        least = show_size(max(caches) + _BESIDE_CACHE)
        yield ("memory_limit",), f"mongod needs memory beside its cache: at least {least} here"
    elif limit is not None and data <= limit:
        message = f"{show_size(data)} of documents fit into the memory limit of {show_size(limit)}: not out of cache"
        yield ("records",), message
    if campaign.regime is Regime.IN_CACHE and data > FULL_CACHE * min(caches):
        yield ("records",), f"{show_size(data)} of documents do not fit into a cache of {show_size(min(caches))}"


def _workload_checks(campaign: Campaign) -> Iterator[tuple[KeyPath, str]]:
    for name, workload in campaign.workloads.items():
        if name in {"load", INSERT}:
            yield ("workloads", name), f"`{name}` names the load itself; call the workload something else"
        closed = sorted(other for other, one in campaign.workloads.items() if not _is_offered_a_rate(one))
        if workload.pace and workload.pace.of not in closed:
            message = (
                f"{workload.pace.of!r} is no closed-loop workload of this campaign; there are: {', '.join(closed)}"
            )
            yield ("workloads", name, "pace", "of"), message
        if workload.pace and campaign.most_blocks < 2 and campaign.design == "sequential":
            yield ("workloads", name, "pace"), "the first block finds the maximum: pace needs at least 2 blocks"


def _name_checks(campaign: Campaign) -> Iterator[tuple[KeyPath, str]]:
    """Names that would make two files one. Runs of before keep theirs: what they left has been read."""
    for name in campaign.workloads:
        first = name.partition(".")[0]
        if first in _OF_A_TRIAL or first.startswith(_OF_UPGRADES):
            yield ("workloads", name), f"`{first}` names files of every trial; call the workload something else"
    for name in campaign.engines:
        way = upgrade_path.stations(campaign, name)
        versions = [campaign.engines[one].version for one in way if one in campaign.engines]
        if len(set(versions)) < len(versions):
            told = f"{max(versions, key=versions.count)} is on the way twice; its steps' evidence is named by versions"
            yield ("engines", name, "upgraded_from"), told
    if campaign.name == RESULTS_INDEX:
        yield ("name",), f"`{RESULTS_INDEX}` is the index of all runs; call the campaign something else"


def _mix_checks(campaign: Campaign, path: Path) -> Iterator[tuple[KeyPath, str]]:
    folders = _mix_folders(path)
    for name, workload in campaign.workloads.items():
        mix = workload.mix or name
        if not find_mix(mix, folders).is_file():
            key = ("workloads", name, "mix") if workload.mix else ("workloads", name)
            mixes = mix_names(folders)
            told = f"no {mix}.properties in {folders[0]} or workloads/{did_you_mean(mix, mixes)}"
            yield key, f"{told}; there are: {', '.join(mixes)}"


def _capacity_checks(campaign: Campaign) -> Iterator[tuple[KeyPath, str]]:
    """Objectives that rest on what a workload can do, where it is told how much to do."""
    objective = campaign.decision.objective
    phases: dict[str, Client] = {INSERT: campaign.load, **campaign.workloads}
    name = deciding_workload(phases, campaign.decision.prices.workload)
    if objective not in (Objective.COST, Objective.THROUGHPUT) or not _is_offered_a_rate(phases[name]):
        return
    free = ", ".join(other for other, one in phases.items() if not _is_offered_a_rate(one))
    message = (
        f"`{objective}` rests on the throughput of {name!r}, which is offered a rate, the same in every arm; name a "
        f"workload that goes as fast as it can in decision.prices.workload (there are: {free or 'none'}), or choose "
        "another objective"
    )
    yield ("decision", "objective"), message


def _is_offered_a_rate(phase: Client) -> bool:
    return bool(phase.target_per_s or (isinstance(phase, Workload) and phase.pace))


def _metric_checks(campaign: Campaign) -> Iterator[tuple[KeyPath, str]]:
    """Metrics that the decision names, and that no trial of this campaign will have."""
    decision, known = campaign.decision, keys(campaign.workloads)
    named: list[tuple[KeyPath, str]] = [
        (("decision", "constraints", i, "metric"), constraint.metric)
        for i, constraint in enumerate(decision.constraints)
    ]
    if decision.primary != "default":
        named += [(("decision", "primary", i), key) for i, key in enumerate(decision.primary)]
    if not campaign.workloads:
        aged = "no workload runs after the load here, so nothing ages; take the state of the loaded documents"
        if decision.objective is Objective.AGED_STORAGE:
            yield ("decision", "objective"), aged
        if decision.prices.storage_state == "aged":
            yield ("decision", "prices", "storage_state"), aged
    for at, key in named:
        if key not in known:
            yield at, f"{key!r} is no metric of this campaign{did_you_mean(key, known)}; docs/metrics.md lists them"
