"""From a trial's raw evidence to its record. What can't be read voids the trial and says so; nothing is invented."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from pydantic import Field

from analysis.trial import read_back, regimes, validity
from analysis.trial.engine import counters as engine_counters
from analysis.trial.engine.ftdc_format import FtdcError
from analysis.trial.records import (
    InForce,
    Maintenance,
    Member,
    Reason,
    Settings,
    Sizes,
    TrialRecord,
    UpgradeStep,
    Verification,
)
from analysis.trial.replayed import replay_faults
from analysis.trial.replication import replication_faults
from analysis.trial.setting_values import CLIENTS
from core.model import Part
from core.stored import read_stored
from harness.evidence.engine_seconds import read_samples
from harness.evidence.phase import PhaseEvidence, read_phase
from harness.evidence.snapshots import lacking_counters, read_counters, read_maintenance, read_members, read_sizes
from harness.evidence.steps import read_json, read_steps, read_verification, step_faults
from harness.plan.load.clients import named_folders
from harness.plan.load.warming import WarmUp
from harness.plan.places import Places
from harness.plan.trial_vars import settings
from harness.plan.trials import PlannedTrial
from harness.spec.campaign import Campaign
from harness.spec.checks.upgrade_path import stations
from harness.spec.phases import Client, Workload
from workloads.errors import YcsbOutputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from analysis.trial.engine.counters import Counter
    from analysis.trial.engine.ftdc import Samples
    from workloads.client_file import ClientFile


class TrialContext(Part):
    """What a record says beside the evidence, and how the evidence lies; kept with it, so that it can be read again."""

    campaign: Campaign = Field(exclude=True)  # the run keeps it once
    trial: PlannedTrial
    workloads: dict[str, Workload]
    places: Places
    sharing: int = 1
    """Trials that took turns with it, itself included."""
    attempt: int
    corpus_digest: str
    indexes: str | None = None
    """Beside that on `_id`, as JSON; none in runs of before they could be asked for."""
    expected_ratio: float | None
    warm_ups: dict[str, WarmUp] = Field(default_factory=dict)
    """By phase; none in runs of before operations counted for it."""
    started_at: str
    ended_at: str
    steps_s: dict[str, float]
    failure: Reason | None = None

    @classmethod
    def kept(cls, folder: Path, campaign: Campaign) -> TrialContext:
        """What was kept with a trial's evidence.

        Raises:
            OSError, ValueError: it is not there, or damaged.
        """
        return cls.model_validate({**read_json(folder / CONTEXT_FILE), "campaign": campaign})

    @property
    def asked(self) -> Settings:
        """The engine settings that the trial was to have."""
        return settings(
            self.campaign, self.trial.cell.arm, tls=self.places.tls, sharing=self.sharing, indexes=self.indexes
        )

    def client(self, phase: str) -> Client:
        """What the client was asked to do in a phase."""
        return self.campaign.load if phase == "load" else self.workloads[phase]

    @property
    def maintained(self) -> frozenset[str]:
        """Workloads before which something is done to the data."""
        return frozenset(name for name, workload in self.workloads.items() if workload.maintenance)

    @property
    def moments(self) -> list[str]:
        """Those at which sizes and counters are on record once there are documents."""
        around = ([f"before-{name}"] * (name in self.maintained) + [f"after-{name}"] for name in self.workloads)
        return ["loaded", *chain.from_iterable(around)]

    def warm_up(self, phase: str) -> WarmUp:
        """What comes before a phase's measured window."""
        return self.warm_ups.get(phase) or WarmUp(seconds=self.client(phase).warmup_s)


CONTEXT_FILE = "context.json"
_EACH_MEMBER_TELLS = 2  # format version of in_force.json since which every member of a replica set leaves one


@dataclass
class _Reading:
    """What has been read so far."""

    in_force: InForce | None = None
    sizes: list[Sizes] = field(default_factory=list)
    phases: list[PhaseEvidence] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    verification: Verification | None = None
    stops: list[validity.Stop] = field(default_factory=list)
    upgrades: list[UpgradeStep] = field(default_factory=list)
    maintenance: list[Maintenance] = field(default_factory=list)
    lacking: dict[Counter, None] = field(default_factory=dict)
    """Counters that the server did not have at some moment, in their order."""
    void: list[Reason] = field(default_factory=list)


def read_trial(context: TrialContext, folder: Path) -> TrialRecord:
    """Assemble the record of a trial from its evidence folder, whatever is there.

    A trial that Ansible reports as failed, or whose evidence is incomplete, becomes a void record with the reason.
    """
    reading = _Reading()
    if context.failure:
        reading.void.append(context.failure)
    try:
        _read(context, folder, reading)
    except (YcsbOutputError, OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        if not context.failure:  # a trial that failed half-way lacks evidence, which is no second fault
            reading.void.append(Reason(code="evidence-unreadable", message=f"{type(error).__name__}: {error}"))
    phases = [phase.phase for phase in reading.phases]
    return TrialRecord(
        trial=context.trial.attempt_name(context.attempt),
        index=context.trial.index,
        attempt=context.attempt,
        block=context.trial.block,
        cell=context.trial.cell,
        sharing=context.sharing,
        seed=context.campaign.seed,
        started_at=context.started_at,
        ended_at=context.ended_at,
        steps_s=context.steps_s,
        regime=context.campaign.regime,
        asked=context.asked,
        in_force=reading.in_force,
        corpus=context.corpus_digest,
        expected_ratio=context.expected_ratio,
        sizes=tuple(reading.sizes),
        phases=tuple(phases),
        members=tuple(reading.members),
        maintenance=tuple(reading.maintenance),
        verification=reading.verification,
        clients_beside=context.places.share_a_host,
        upgrades=tuple(reading.upgrades),
        void=tuple(reading.void + list(_faults(context, reading))),
        flags=tuple(_doubts(context, reading)),
        artefacts=(),  # the ledger lists them as it keeps them
    )


def _read(context: TrialContext, folder: Path, reading: _Reading) -> None:
    campaign = context.campaign
    raw = read_json(folder / "in_force.json")
    reading.in_force = read_back.read_in_force(raw)
    versions = [campaign.engines[name].version for name in stations(campaign, context.trial.cell.engine)]
    version = reading.in_force.version
    samples = _engine_samples(folder / "diagnostic.data", version)
    before = read_json(folder / "snapshot.empty.json")
    names = [("load", "loaded"), *((name, f"after-{name}") for name in context.workloads)]
    for name, moment in names:
        if name in context.maintained:
            before = read_json(folder / f"snapshot.before-{name}.json")
            reading.sizes.append(read_sizes(before, f"before-{name}"))
            kind = context.workloads[name].maintenance
            reading.maintenance += read_maintenance(folder, context.places.instances, name, kind)
        after = read_json(folder / f"snapshot.{moment}.json")
        reading.sizes.append(read_sizes(after, moment))
        reading.lacking |= dict.fromkeys(lacking_counters(after))
        moved = engine_counters.change(read_counters(before), read_counters(after))
        clients = named_folders(folder, context.places.clients)
        phase = read_phase(clients, name, context.client(name), context.warm_up(name), moved, before, after)
        reading.phases.append(phase.with_engine(samples, version) if samples else phase)
        told = [one for evidence in reading.phases for one in _told_by_clients(evidence)]
        reading.in_force = read_back.read_in_force({**raw, CLIENTS: told})
        before = after
        if name == "load" and len(versions) > 1:  # the next phase begins under the last engine of the way
            reading.upgrades += read_steps(folder, versions)
            before = read_json(folder / f"snapshot.upgraded-{version}.json")
    sent = dict.fromkeys(evidence.client.write_concern for evidence in reading.phases)
    reading.in_force = reading.in_force.model_copy(update={"write_concern": " | ".join(filter(None, sent)) or None})
    if campaign.topology.kind == "replica-set":
        each_tells = int(raw.get("format_version", 1)) >= _EACH_MEMBER_TELLS
        members = read_members(folder, context.places.instances, context.moments, reading.maintenance, each_tells)
        reading.members = list(members)
    reading.verification = read_verification(folder / "verify.json")
    for instance in context.places.instances:
        stop = read_stored(folder / instance.folder / "stop.json")
        reading.stops.append(validity.Stop.model_validate_json(stop))


def _told_by_clients(evidence: PhaseEvidence) -> list[dict[str, Any]]:
    """What a phase's clients said of themselves: each that differs, once."""
    model = evidence.client.model.model_dump()
    return [model | one.model_dump() for one in evidence.client.connections] or [model]


def _engine_samples(folder: Path, version: str) -> Samples | None:
    """The engine's seconds; None where it left none that can be read, so that its figures are missing, not wrong."""
    try:
        return read_samples(folder, version)
    except (FtdcError, OSError):
        return None


def _faults(context: TrialContext, reading: _Reading) -> Iterator[Reason]:
    campaign = context.campaign
    if reading.in_force:
        engine = campaign.engines[context.trial.cell.engine].version
        yield from read_back.mismatches(context.asked, reading.in_force, engine)
        yield from read_back.member_faults(context.asked, reading.members, engine)
        yield from read_back.counter_faults(reading.in_force.version, reading.lacking)
        yield from step_faults(reading.upgrades, reading.in_force)
        if reading.phases:
            yield from read_back.client_mismatches(context.asked, reading.in_force)
    concern = campaign.arm_write_concern(context.trial.cell.arm)
    asked_concern = {"w": concern.w, "j": concern.journal}
    wire_compressor = campaign.arm_connection(context.trial.cell.arm).compressors
    for evidence in reading.phases:
        yield from read_back.concern_faults(evidence.phase.name, asked_concern, evidence.client.write_concern)
        yield from read_back.wire_faults(evidence.phase, wire_compressor)
        for client, part in zip(context.places.clients, evidence.phase.clients, strict=True):
            taken = context.places.cpus_taken(campaign, client)
            yield from read_back.cpus_faults(evidence.phase.name, part, campaign.load.cpus, taken)
        yield from validity.phase_faults(evidence.phase, campaign.limits.failed_operations)
        for death in evidence.client.threads.died:
            message = f"{evidence.phase.name}: client thread {death.thread} died: {death.why}"
            yield Reason(code="client-thread-died", message=message)
    phases = [evidence.phase for evidence in reading.phases]
    yield from regimes.regime_faults(campaign.regime, campaign.memory_limit, phases, reading.sizes)
    if reading.phases and reading.phases[0].phase.acknowledged < campaign.records:
        loaded = reading.phases[0].phase.acknowledged
        yield Reason(code="load-incomplete", message=f"{loaded} of {campaign.records} documents were loaded")
    yield from _replay_faults(context, reading)
    if reading.verification:
        clients = [evidence.client for evidence in reading.phases]
        yield from validity.document_faults(reading.verification, _versions_written(clients), _writes_counted(clients))
    yield from validity.maintenance_faults(reading.maintenance)
    yield from replication_faults(reading.members, reading.maintenance)
    for stop in reading.stops:
        yield from validity.stop_faults(stop)


def _doubts(context: TrialContext, reading: _Reading) -> Iterator[Reason]:
    phases = [evidence.phase for evidence in reading.phases]
    warm_ups = {phase.name: context.warm_up(phase.name).asked for phase in phases}
    overwritten = sum(evidence.client.documents_overwritten for evidence in reading.phases)
    yield from validity.caveats(phases, reading.sizes, context.expected_ratio, warm_ups, overwritten)
    if reading.in_force:
        yield from read_back.allocator_doubts(reading.in_force)
        yield from read_back.counter_doubts(reading.in_force.version, reading.lacking)


def _replay_faults(context: TrialContext, reading: _Reading) -> Iterator[Reason]:
    documents = {sizes.moment: sizes.documents for sizes in reading.sizes}
    for evidence in reading.phases[1:]:
        phase = evidence.phase
        if replay := context.workloads[phase.name].replay:
            after = documents[f"after-{phase.name}"]
            yield from replay_faults(phase, replay.unequal_answers, documents["loaded"], after)


def _versions_written(clients: list[ClientFile]) -> tuple[int, int] | None:
    """The least and the most that stored versions may add up to; None where writes gave versions that follow from
    nothing, or took some away."""
    blind = any("UPDATE" in one.operations or one.writes_counted or one.writes_uncertain for one in clients)
    if blind or any(one.documents_overwritten for one in clients):
        return None
    written = sum(one.versions_written for one in clients)
    return written - sum(one.versions_unsettled for one in clients), written


def _writes_counted(clients: list[ClientFile]) -> tuple[int, int]:
    """The least and the most updates that documents may have counted; those that went take their counts with them."""
    counted = sum(one.writes_counted for one in clients)
    least = 0 if any(one.documents_overwritten for one in clients) else counted
    return least, counted + sum(one.writes_uncertain for one in clients)
