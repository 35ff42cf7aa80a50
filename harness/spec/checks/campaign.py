"""What no campaign may ask for though each of its keys is valid by itself; each fault with the key it is at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from analysis.stats.criteria import Objective
from analysis.stats.metrics import INSERT, OPERATIONS, RECORDED, keys, operation_of
from analysis.stats.primary import deciding_workload
from analysis.trial.engine.counters import release
from analysis.trial.records import Regime
from analysis.trial.regimes import FULL_CACHE
from analysis.trial.replayed import LATENESS
from analysis.trial.settings import SETTINGS
from core.sizes import show_size
from datasets.document_recipes import DocumentRecipe
from datasets.recipes import UserFile
from harness.errors import did_you_mean
from harness.spec.checks import upgrade_path
from harness.spec.checks.replica_sets import set_checks
from harness.spec.phases import Client, Workload

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.spec.campaign import Campaign
    from harness.spec.mixes.own import AnyMix
    from harness.spec.yaml_source import Fault

RESULTS_INDEX = "index.html"
# What the files of a trial that are no phase's begin with, up to their first dot; docs/architecture.md lists them.
_OF_A_TRIAL = {
    "ansible", "context", "diagnostic", "failure", "in_force", "maintenance", "mongod", "network", "snapshot", "stop",
    "trial", "verify",
}  # fmt: skip
_OF_UPGRADES = ("upgraded-", "verify-")
_STEPS = {"empty", "loaded", "upgrade"}  # of trials that take turns, beside their phases: harness.plan.turns
_LEAST_TO_SYNC = 3  # with two, nobody is primary while one is away
LARGEST_COMMAND_BYTES = 48_000_000  # maxMessageSizeBytes of every mongod
_BESIDE_CACHE = 256 * 2**20  # measured: mongod 6.0.5 with a cache of 256 MiB comes to 370–420 MiB


def cross_checks(campaign: Campaign) -> Iterator[Fault]:
    """What its sections ask of each other, and of the engines that it names."""
    arms = sorted(campaign.arms)
    if campaign.decision.baseline not in campaign.arms:
        wrong = campaign.decision.baseline
        message = f"{wrong!r} is not an arm of this campaign{did_you_mean(wrong, arms)}; its arms: {', '.join(arms)}"
        yield ("decision", "baseline"), message
    engines, wanted = sorted(campaign.engines), campaign.decision.baseline_engine
    if wanted is not None and (wanted not in campaign.engines or len(engines) < 2):
        what = "has no other engine to be compared with" if wanted in engines else "is not an engine of this campaign"
        message = f"{wanted!r} {what}{did_you_mean(wanted, engines)}; the campaign's engines: {', '.join(engines)}"
        yield ("decision", "baseline_engine"), message
    yield from _reference_checks(campaign)
    for name, arm in campaign.arms.items():
        for one in SETTINGS:
            too_old = sorted(e for e, engine in campaign.engines.items() if release(engine.version) < one.since)
            if one.arm and getattr(arm, one.arm) is not None and too_old:
                since = ".".join(map(str, one.since))
                message = f"engine {too_old[0]} has no {one.label} (only from {since} on)"
                yield ("arms", name, one.arm), f"{message}; leave it out to use the built-in {one.before}"
        if arm.cache_size is not None and arm.cache_size < 2**28:
            yield ("arms", name, "cache_size"), "mongod accepts no cache below 256MiB"
    for name in campaign.engines:
        for message in upgrade_path.faults(campaign, name):
            yield ("engines", name, "upgraded_from"), message
    yield from set_checks(campaign)
    yield from _regime_checks(campaign)
    yield from _workload_checks(campaign)
    yield from _capacity_checks(campaign)
    yield from _metric_checks(campaign)
    if campaign.mirrors and campaign.mirrors.workload not in campaign.workloads:
        wrong, there = campaign.mirrors.workload, list(campaign.workloads)
        message = f"{wrong!r} is not a run workload of this campaign{did_you_mean(wrong, there)}"
        yield ("mirrors", "workload"), f"{message}; there are: {', '.join(there) or 'none'}"


def input_checks(campaign: Campaign) -> Iterator[Fault]:
    """What the spec names and is not there. What a run needed is kept with it."""
    for name, recipe in campaign.datasets.items():
        if isinstance(recipe, UserFile) and not recipe.path.is_file():
            from_here = "" if recipe.path.is_absolute() else f", seen from {Path.cwd()}"
            yield ("datasets", name, "path"), f"there is no file {str(recipe.path)!r}{from_here}"
    prices, phases = campaign.decision.prices, [*campaign.workloads, INSERT]
    if "workload" in prices.model_fields_set and prices.workload not in phases:
        message = f"{prices.workload!r} is not a workload of this campaign{did_you_mean(prices.workload, phases)}"
        yield ("decision", "prices", "workload"), f"{message}; there are: {', '.join(phases)}"


def load_checks(campaign: Campaign) -> Iterator[Fault]:
    """A batch of text that no command can hold. Kept runs have their trials to say so."""
    if _has_text(campaign):
        yield from batch_faults(campaign, campaign.document.size_bytes)


def batch_faults(campaign: Campaign, each: int) -> Iterator[Fault]:
    """A batch that no command can hold, of documents of so many bytes each."""
    batch = campaign.load.batch
    if batch > 1 and batch * each > LARGEST_COMMAND_BYTES:
        size, most = show_size(batch * each), show_size(LARGEST_COMMAND_BYTES)
        message = f"{batch} documents of {show_size(each)} are {size}, and mongod takes {most} in a command"
        yield ("load", "batch"), f"{message}: at most {LARGEST_COMMAND_BYTES // each}"


def operation_checks(campaign: Campaign, mixes: Mapping[str, AnyMix]) -> Iterator[Fault]:
    """Latencies of operations that a workload's mix has none of."""
    for at, key in _metrics_named(campaign):
        workload, operation = operation_of(key) or ("", "")
        there = mixes[workload].operations if workload in mixes else (operation,)
        if operation not in there:
            message = f"{workload!r} has no operation {operation!r}{did_you_mean(operation, list(there))}"
            yield at, f"{message}; its mix has {', '.join(there)}"


def replay_checks(campaign: Campaign) -> Iterator[Fault]:
    """Replays that don't stand alone, or are told what their recording says. Kept runs need no recording any more."""
    for name, workload in campaign.workloads.items():
        if workload.replay is None:
            continue
        if len(campaign.workloads) > 1:
            alone = "a replay goes on from the documents that are loaded, so it is a campaign's only workload"
            yield ("workloads", name, "replay"), alone
        for key in sorted({"threads", "operations"} & workload.model_fields_set):
            yield ("workloads", name, key), "the recording says that itself; leave it out"
        if not workload.replay.recording.is_file():
            message = f"there is no file {workload.replay.recording} (seen from {Path.cwd()}); check the path"
            yield ("workloads", name, "replay", "recording"), message


def _metrics_named(campaign: Campaign) -> list[Fault]:
    """The metrics that the decision names, with their places."""
    decision = campaign.decision
    named: list[Fault] = [
        (("decision", "constraints", i, "metric"), one.metric) for i, one in enumerate(decision.constraints)
    ]
    if decision.primary != "default":
        named += [(("decision", "primary", i), key) for i, key in enumerate(decision.primary)]
    return named


def name_checks(campaign: Campaign) -> Iterator[Fault]:
    """Names that would make two files, or two stages, one. Runs of before keep theirs: what they left has been read."""
    around = {f"{when}-{name}" for name in campaign.workloads for when in ("before", "after")}
    for name in campaign.workloads:
        if name in _STEPS | around:
            yield ("workloads", name), f"`{name}` names a step of every trial; call the workload something else"
        if (last := name.rpartition(".")[2]) != name and last.upper() in {*OPERATIONS, *RECORDED, LATENESS}:
            yield ("workloads", name), f"`.{last}` names one kind of a workload's operations; call it something else"
        first = name.partition(".")[0]
        if first in _OF_A_TRIAL or first.startswith(_OF_UPGRADES):
            yield ("workloads", name), f"`{first}` names files of every trial; call the workload something else"
    for name in campaign.engines:
        way = upgrade_path.stations(campaign, name)
        versions = [campaign.engines[one].version for one in way if one in campaign.engines]
        if len(set(versions)) < len(versions):
            told = f"{max(versions, key=versions.count)} is in the upgrade path twice; versions name the steps"
            yield ("engines", name, "upgraded_from"), told
    if campaign.name == RESULTS_INDEX:
        yield ("name",), f"`{RESULTS_INDEX}` is the index of all runs; call the campaign something else"


def _reference_checks(campaign: Campaign) -> Iterator[Fault]:
    engines, wanted = sorted(campaign.engines), campaign.decision.reference_engine
    if wanted is not None and wanted not in campaign.engines:
        message = (
            f"{wanted!r} is not an engine of this campaign{did_you_mean(wanted, engines)}; it has {', '.join(engines)}"
        )
        yield ("decision", "reference_engine"), message
    elif wanted is not None and len(campaign.engines) * len(campaign.arms) < 2:
        yield ("decision", "reference_engine"), "the reference is the only cell: there is nothing to compare with it"


def _regime_checks(campaign: Campaign) -> Iterator[Fault]:
    """Regimes that can't come about, whatever the host: no trial needs to be run for that."""
    limit, cache = campaign.memory_limit, max(campaign.arm_cache_bytes(arm) for arm in campaign.arms)
    if (campaign.regime is Regime.OUT_OF_CACHE) != (limit is not None):
        yield ("memory_limit",), "only goes with `regime: out-of-cache`, which requires it"
    elif limit is not None and limit < cache + _BESIDE_CACHE:
        least = show_size(cache + _BESIDE_CACHE)
        yield ("memory_limit",), f"mongod needs memory in addition to its cache: at least {least} here"
    if _has_text(campaign):
        yield from data_faults(campaign, campaign.document.size_bytes)


def data_faults(campaign: Campaign, each: int) -> Iterator[Fault]:
    """Documents of so many bytes each that are too few, or too many, for the regime."""
    data, limit = campaign.records * each, campaign.memory_limit
    cache = min(campaign.arm_cache_bytes(arm) for arm in campaign.arms)
    if campaign.regime is Regime.OUT_OF_CACHE and limit is not None and data <= limit:
        message = f"{show_size(data)} of documents fit into the memory limit of {show_size(limit)}: not out of cache"
        yield ("records",), message
    if campaign.regime is Regime.IN_CACHE and data > FULL_CACHE * cache:
        yield ("records",), f"{show_size(data)} of documents do not fit into a cache of {show_size(cache)}"


def _has_text(campaign: Campaign) -> bool:
    """Whether a dataset is text, of which documents of one shape are made."""
    return not all(isinstance(recipe, DocumentRecipe) for recipe in campaign.datasets.values())


def _workload_checks(campaign: Campaign) -> Iterator[Fault]:
    for name, workload in campaign.workloads.items():
        if name in {"load", INSERT}:
            yield ("workloads", name), f"`{name}` names the load itself; call the workload something else"
        closed = sorted(other for other, one in campaign.workloads.items() if not _is_offered_a_rate(one))
        if workload.pace and workload.pace.of not in closed:
            message = (
                f"{workload.pace.of!r} is not a closed-loop workload of this campaign; there are: {', '.join(closed)}"
            )
            yield ("workloads", name, "pace", "of"), message
        if workload.pace and campaign.most_blocks < 2 and campaign.design == "sequential":
            yield ("workloads", name, "pace"), "pace needs at least 2 blocks, because the first block finds the maximum"
        if workload.maintenance == "initial-sync" and campaign.topology.member_count < _LEAST_TO_SYNC:
            message = f"a replica set of at least {_LEAST_TO_SYNC} members stays writable while one copies everything"
            yield ("workloads", name, "maintenance"), f"{message}; say so in topology, or leave this out"


def _capacity_checks(campaign: Campaign) -> Iterator[Fault]:
    """Objectives that rest on what a workload can do, where it is told how much to do."""
    objective = campaign.decision.objective
    phases: dict[str, Client] = {INSERT: campaign.load, **campaign.workloads}
    name = deciding_workload(phases, campaign.decision.prices.workload)
    if objective not in (Objective.COST, Objective.THROUGHPUT) or not _is_offered_a_rate(phases[name]):
        return
    free = ", ".join(other for other, one in phases.items() if not _is_offered_a_rate(one))
    message = (
        f"`{objective}` rests on the throughput of {name!r}, which is offered a rate, the same in every arm; name a "
        f"workload that runs as fast as it can in decision.prices.workload (there are: {free or 'none'}), or choose "
        "another objective"
    )
    yield ("decision", "objective"), message


def _is_offered_a_rate(phase: Client) -> bool:
    if isinstance(phase, Workload) and phase.replay:
        return phase.replay.speed != "max"
    return bool(phase.target_per_s or (isinstance(phase, Workload) and phase.pace))


def _metric_checks(campaign: Campaign) -> Iterator[Fault]:
    """Metrics that the decision names, and that no trial of this campaign will have."""
    decision, known = campaign.decision, keys(campaign.workloads)
    if not campaign.workloads:
        aged = "no workload runs after the load here, so nothing ages; use the state of the loaded documents"
        if decision.objective is Objective.AGED_STORAGE:
            yield ("decision", "objective"), aged
        if decision.prices.storage_state == "aged":
            yield ("decision", "prices", "storage_state"), aged
    for at, key in _metrics_named(campaign):
        if key not in known:
            yield at, f"{key!r} is not a metric of this campaign{did_you_mean(key, known)}; docs/metrics.md lists them"
