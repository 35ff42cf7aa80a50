"""What comes before the first trial: hosts surveyed and provisioned, datasets made, the run's start kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from analysis.trial.records import DocumentModel
from datasets import (
    SOURCES,
    Corpus,
    DatasetError,
    DocumentRecipe,
    Manifest,
    Prepared,
    Recipe,
    TemplatesManifest,
    TextRecipe,
    codec_name,
    expected_ratios,
    prepare,
    prepare_documents,
)
from datasets.recordings import prepare_traffic
from harness.errors import HostError, InputError
from harness.evidence.verify import folder_faults, require_verified
from harness.hosts.playbooks import run_playbook
from harness.ledger.ledger import LOG_FILE
from harness.plan import trials as planning
from harness.plan.fit import check_batches, check_fit, why_sequential
from harness.plan.load.clients import check_skew
from harness.plan.load.cycles import check_cycles
from harness.plan.load.replaying import check_replay, described, traffic_file
from harness.plan.places import Places, places
from harness.plan.trial_vars import engine_vars, file_name
from harness.run.disk_watch import DiskWatch
from harness.run.resuming import keep_corpus, keep_start, keep_traffic
from harness.run.tool_versions import tool_versions
from harness.spec.load import ROOT
from harness.spec.mixes.checks import check_paths

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from datasets import Documents
    from datasets.recordings import Traffic
    from harness.hosts.site import Site
    from harness.ledger.ledger import Ledger
    from harness.plan.told import Surveyed
    from harness.run.progress import Progress
    from harness.spec.campaign import Campaign
    from harness.spec.mixes.own import AnyMix
    from harness.spec.phases import Replay, Workload

JAR = ROOT / "workloads/java/target/pressgauge-ycsb.jar"


@dataclass
class Ready:
    """What the trials of a run need to be known."""

    in_turns: bool = False
    places: Mapping[str, Places] = field(default_factory=dict)
    """By platform."""
    datasets: dict[str, Prepared] = field(default_factory=dict)
    """What each was prepared to."""
    traffic: dict[str, Traffic] = field(default_factory=dict)
    """Of workloads that replay some."""
    ratios: dict[tuple[str, str], float | None] = field(default_factory=dict)
    """Expected compression ratios, by dataset and arm."""
    disks: DiskWatch = field(default_factory=lambda: DiskWatch((), 0))


def make_ready(
    campaign: Campaign, mixes: Mapping[str, AnyMix], site: Site, ledger: Ledger, progress: Progress
) -> Ready:
    """Tear down what a killed harness left, and make everything ready for the trials that the run lacks.

    Raises:
        InputError, HostError: the campaign can't go well on these hosts, or the run not go on as it was begun.
    """
    progress.step("looking at the hosts")
    site.tear_down()
    ledger.sweep()
    require_verified(ledger, folder_faults(ledger))
    surveys = site.survey(_ports(campaign))
    ready = Ready(
        in_turns=_takes_turns(ledger, progress, campaign, why_sequential(campaign, mixes, surveys, site.files))
    )
    check_fit(campaign, mixes, surveys)
    ready.places = places(campaign, surveys)
    for ours in ready.places.values():
        check_skew(campaign, mixes, ours.clients)
    ledger.keep_platforms(list(ready.places))
    _certify(site, ready.places)
    if not ledger.trials_folder.is_dir():
        raise HostError(f"{ledger.folder}: results can't be written", do="give a writable RESULTS folder")
    ready.disks = DiskWatch.of(surveys, ledger.folder, campaign.limits.free_disk)
    ready.disks.check()
    _keep_start(ledger, progress, surveys, mixes)
    progress.step("preparing the datasets")
    alive = planning.compared(campaign) if ready.in_turns else 1
    for name, recipe in campaign.datasets.items():
        prepare_dataset(campaign, name, recipe, site, ledger, ready)
        if isinstance(prepared := ready.datasets[name], TemplatesManifest):
            check_paths(mixes, name, prepared)
        for ours in ready.places.values():
            check_cycles(campaign, mixes, ours.clients, name, ready.datasets[name])
            check_batches(campaign, {host: surveys[host] for host in ours.hosts}, name, ready.datasets[name], alive)
    for name, workload in campaign.workloads.items():
        if workload.replay:
            progress.step("reading the recording")
            prepare_replay(name, workload, workload.replay, site, ledger, ready)
            for note in described(name, ready.traffic[name]):
                progress.note(note)
    progress.step("provisioning the hosts")
    log = ledger.folder / LOG_FILE
    outcome = run_playbook(
        "provision.yml",
        site.inventory,
        _provision_vars(campaign, site, ready),
        on_task=progress.step,
        on_tick=progress.tick,
        log=log,
    )
    if not outcome.ok:
        raise HostError(f"provisioning failed: {outcome.failed_task}: {outcome.message}", do=f"see {log}")
    return ready


def _ports(campaign: Campaign) -> list[dict[str, Any]]:
    """The addresses that mongods may need at once."""
    alive = planning.compared(campaign) if campaign.design == "turns" else 1
    first = campaign.instance.port
    ports = range(first, first + alive * campaign.topology.member_count)
    return [{"bind_ip": campaign.instance.bind_ip, "port": port} for port in ports]


def _takes_turns(ledger: Ledger, progress: Progress, campaign: Campaign, why_not: str | None) -> bool:
    """Whether trials take turns: where that can be done, and the run was not begun without."""
    kept = ledger.keep_design("turns" if why_not is None else "sequential")
    if kept == "turns" and why_not:
        raise HostError(
            f"{ledger.folder}: trials of this run took turns, which is no longer possible: {why_not}",
            do="resume it as it was begun, or start a new run with NEW=1",
        )
    if why_not and campaign.design == "turns":
        progress.note(f"trials run one after the other, which needs many more blocks: {why_not}")
    return kept == "turns"


def _keep_start(
    ledger: Ledger, progress: Progress, surveys: Mapping[str, Surveyed], mixes: Mapping[str, AnyMix]
) -> None:
    hosts = {host: found.kept() for host, found in surveys.items()}
    for note in keep_start(ledger, hosts, tool_versions(JAR), mixes):
        progress.note(note)


def _certify(site: Site, platforms: Mapping[str, Places]) -> None:
    encrypted = [one for ours in platforms.values() if ours.tls for one in ours.instances]
    if encrypted:
        from harness.hosts.authority import certify  # noqa: PLC0415 what it imports takes 0.1 s

        certify(site.authority, {one.host: one.address for one in encrypted})


def prepare_dataset(campaign: Campaign, name: str, recipe: Recipe, site: Site, ledger: Ledger, ready: Ready) -> None:
    """Have the dataset's file and its expected ratios ready, and keep in the run what it is.

    Raises:
        InputError: it can't be made, or the run was begun with another one.
    """
    codecs = {arm: codec_name(one.block_compressor, one.level) for arm, one in campaign.arms.items()}
    folder = site.home / "datasets"
    try:
        if isinstance(recipe, DocumentRecipe):
            prepared: Prepared = prepare_documents(recipe, campaign.seed, folder, sorted(set(codecs.values())))
        else:
            prepared = _prepared_text(campaign, recipe, folder, set(codecs.values()))
    except DatasetError as error:
        raise InputError(f"datasets.{name}: {error}", do="fix the dataset in the spec, or its file") from error
    ready.datasets[name] = prepared
    found = {r.codec: r.stored_ratio for r in prepared.expected_ratios}
    embedded = {arm for arm, one in campaign.arms.items() if one.model is DocumentModel.EMBEDDED}
    ready.ratios |= {(name, arm): found.get(codec) if arm in embedded else None for arm, codec in codecs.items()}
    keep_corpus(ledger, name, prepared)


def prepare_replay(name: str, workload: Workload, replay: Replay, site: Site, ledger: Ledger, ready: Ready) -> None:
    """Have a recording's traffic ready, and keep in the run what it is.

    Raises:
        InputError: it can't be read or replayed, or the run was begun with another one.
    """
    try:
        traffic = prepare_traffic(replay.recording, replay.collection, site.home / "datasets")
    except DatasetError as error:
        raise InputError(f"workloads.{name}: {error}", do="see docs/replay.md for what can be replayed") from error
    for ours in ready.places.values():
        check_replay(name, workload, replay, traffic, ours.clients)
    ready.traffic[name] = traffic
    keep_traffic(ledger, name, traffic)


def _prepared_text(campaign: Campaign, recipe: TextRecipe, folder: Path, codecs: Collection[str]) -> Manifest:
    """A corpus, which serves campaigns of any shape, with what this one's documents are like. Raises DatasetError."""
    manifest = prepare(recipe, campaign.seed, folder)
    expected = expected_ratios(text_documents(campaign, manifest), codecs)
    return manifest.model_copy(update={"shape": campaign.document.shape, "expected_ratios": expected})


def text_documents(campaign: Campaign, manifest: Manifest) -> Documents:
    """The campaign's documents of a corpus."""
    corpus = Corpus.from_bytes(manifest.path.read_bytes(), manifest.recipe)
    return SOURCES[campaign.document.source](corpus, campaign.seed, campaign.document.shape, manifest.repeat)


def _provision_vars(campaign: Campaign, site: Site, ready: Ready) -> dict[str, Any]:
    engines = map(engine_vars, campaign.engines.values())
    return site.variables() | {
        "engines": list({engine["id"]: engine for engine in engines}.values()),
        "ycsb_jar_source": str(JAR),
        "corpora": [
            *({"file": file_name(one), "source": str(one.path)} for one in ready.datasets.values()),
            *({"file": traffic_file(one), "source": str(one.path)} for one in ready.traffic.values()),
        ],
    }
