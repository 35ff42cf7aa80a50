"""What `ansible/trial.yml` is told of one trial: the campaign's words turned into variables and YCSB's properties."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import blake3

from analysis.trial.records import DocumentModel, Settings
from analysis.trial.settings import SETTINGS, SYNC_PERIOD_S
from datasets import TemplatesManifest
from harness.plan.load.clients import load_part, run_part
from harness.plan.load.heap import heap_mib, load_heap_mib
from harness.plan.load.replaying import replay_properties, traffic_file
from harness.plan.load.warming import warm_up
from harness.plan.topology import REPLICA_SET
from harness.plan.trials import trial_seconds
from harness.spec.checks.upgrade_path import stations
from harness.spec.mixes.checks import ways
from workloads.jvm import JVM_OPTIONS, JVM_OPTIONS_FOR_SHORT_PHASES, with_heap

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from datasets import Prepared
    from datasets.recordings import Traffic
    from harness.plan.load.clients import ClientProcess
    from harness.plan.load.warming import WarmUp
    from harness.plan.places import Places
    from harness.plan.topology import Instance
    from harness.plan.trials import PlannedTrial
    from harness.spec.arm import Arm
    from harness.spec.campaign import Campaign
    from harness.spec.engines import Engine
    from harness.spec.mixes.own import AnyMix
    from harness.spec.phases import Client, Workload

# YCSB stops a run at operationcount or maxexecutiontime, whichever comes first, and takes 0 operations to mean
# 0 threads: a run bounded by time needs a count it never reaches. It must fit an int.
_ENDLESS = 2**31 - 1
_VERIFIED_BYTES = 1200
"""Of a document, of which 5,000 are verified in a second by any host; larger ones take longer."""


def settings(campaign: Campaign, arm_name: str, *, tls: bool, sharing: int = 1, indexes: str | None = None) -> Settings:
    """The engine settings an arm asks for, and those that are the same in every arm; `indexes` are a dataset's.

    mongod's clock goes on while others of `sharing` trials have their turns: so that checkpoints come as often in its
    own time as they were asked for, the time between them is as many times longer.
    """
    of_arm = {one.key: campaign.of_arm(arm_name, one.arm) for one in SETTINGS if one.arm}
    of_all = {
        "memory_limit_bytes": campaign.memory_limit,
        "disk_limit": campaign.instance.disk_limit,
        "tls": tls,
        "indexes": indexes,
    }
    connection = campaign.arm_connection(arm_name)
    of_both_sides = {"wire_compressor": connection.compressors, "client_compression": connection.asked_by_clients}
    if sharing > 1:
        of_all["sync_period_s"] = sharing * (campaign.arms[arm_name].sync_period_s or SYNC_PERIOD_S)
    return Settings.model_validate(of_arm | of_both_sides | of_all)


def trial_vars(  # noqa: PLR0913, PLR0917 - all that a trial is made of
    campaign: Campaign,
    trial: PlannedTrial,
    workloads: Mapping[str, Workload],
    mixes: Mapping[str, AnyMix],
    dataset: Prepared,
    evidence: Path,
    site: Places,
    authority: Path,
    floor: Path | None = None,
    sharing: int = 1,
    traffic: Mapping[str, Traffic] | None = None,
) -> dict[str, Any]:
    """The `trial` dictionary of one trial; the header of `ansible/trial.yml` describes it.

    `authority` is the folder of the run's certificates; `floor` where the `sharing` trials of a block get their turns;
    `traffic` is that of workloads that replay some.
    """
    common = document_properties(campaign, dataset, mixes) | model_properties(campaign.arms[trial.cell.arm])
    each = _mean_bytes(campaign, dataset)
    asked = settings(campaign, trial.cell.arm, tls=site.tls, sharing=sharing, indexes=indexes_asked(dataset))
    first, *later = stations(campaign, trial.cell.engine)

    def load(client: ClientProcess) -> dict[str, Any]:
        return load_part(client, campaign.records)

    def run(workload: Workload) -> Callable[[ClientProcess], dict[str, Any]]:
        return lambda client: run_part(client, campaign.records, workload.operations)

    def of_phase(name: str, workload: Workload, number: int) -> dict[str, Any]:
        replayed = (traffic or {}).get(name)
        if workload.replay and replayed:
            properties = replay_properties(workload.replay, replayed, number)
            return {"kind": "replay", "corpus": traffic_file(replayed), "properties": common | properties}
        return {"properties": common | run_properties(workload, mixes[name], number, alone(workload))}

    def alone(workload: Workload) -> WarmUp | None:
        return None if floor else warm_up(campaign, workload, len(site.clients))

    return {
        "id": _identity(evidence),
        "evidence_dir": str(evidence.resolve()),
        "replica_set": REPLICA_SET if campaign.topology.kind == "replica-set" else None,
        "instances": [_instance(campaign, one) for one in site.instances],
        "engine": _engine(campaign, first),
        "upgrades": [_engine(campaign, name) for name in later],
        "turns": {"socket": str(floor), "trial": trial.name} if floor else None,
        "settings": asked.model_dump(mode="json"),
        "authority": str(authority) if site.tls else None,
        "connection": connection_options(campaign, trial.cell.arm) | ({"tls": "true"} if site.tls else {}),
        "corpus": {"file": file_name(dataset)},
        "load": {
            "name": "load",
            "properties": common | {"mongodb.batchsize": campaign.load.batch, "pressgauge.phase": 0},
            **_driven(campaign, campaign.load, site, load, sharing),
            "jvm_options": _jvm_options(campaign, load_heap_mib(campaign, dataset, len(site.clients))),
        },
        "phases": [
            {
                "name": name,
                **of_phase(name, workload, number),
                **_driven(campaign, workload, site, run(workload), sharing),
                "jvm_options": _jvm_options(
                    campaign, heap_mib(workload, mixes.get(name), len(site.clients), each, campaign.known_bytes)
                ),
            }
            for number, (name, workload) in enumerate(workloads.items(), start=1)
        ],
        "maintenance": {name: one.maintenance for name, one in workloads.items() if one.maintenance},
        "verify": {
            "documents_after_load": campaign.records,
            "sample": campaign.limits.verify_all_up_to if campaign.records > campaign.limits.verify_all_up_to else 0,
            "timeout_s": _verify_timeout_s(campaign.records, each),
            "before_phases": any(workload.replay for workload in workloads.values()),
        },
    }


def _instance(campaign: Campaign, one: Instance) -> dict[str, Any]:
    return {
        "host": one.host,
        "name": one.name,
        "folder": one.folder,
        "address": one.address,
        "port": one.port,
        "bind_ip": campaign.instance.bind_ip or one.address,
        "cpus": campaign.instance.cpus,
        "ready_timeout_s": 60,
        "stop_timeout_s": 120,
    }


def _identity(evidence: Path) -> str:
    """The trial's name on the hosts, of this attempt alone: a lost host may still have an earlier one's files."""
    whole = evidence.resolve()
    return f"{whole.parents[1].name}-{whole.name.removeprefix('.').removesuffix('.partial')}"


def connection_options(campaign: Campaign, arm: str) -> dict[str, str]:
    """The options of the clients' connection string; what a driver has a default for is always stated."""
    concern, read_concern = campaign.arm_write_concern(arm), campaign.of_arm(arm, "read_concern")
    of_a_set = {"replicaSet": REPLICA_SET} if campaign.topology.kind == "replica-set" else {}
    return {
        "w": str(concern.w),
        "journal": str(concern.journal).lower(),
        "retryWrites": str(campaign.of_arm(arm, "retry_writes")).lower(),
        "readPreference": campaign.of_arm(arm, "read_preference"),
        **({"readConcernLevel": read_concern} if read_concern else {}),
        **campaign.arm_connection(arm).options,
        **of_a_set,
    }


def _engine(campaign: Campaign, name: str) -> dict[str, str]:
    return {"id": _engine_id(campaign.engines[name]), "version": campaign.engines[name].version}


def engine_vars(engine: Engine) -> dict[str, Any]:
    """An engine as the role that installs it is told of it: its `id`, and what the spec says of its source."""
    return {"id": _engine_id(engine), **engine.model_dump(mode="json", exclude={"upgraded_from"})}


def _engine_id(engine: Engine) -> str:
    """The folder an engine is installed in, on the hosts; one of its own for each file it may come from."""
    origin = engine.model_dump(exclude={"source", "version", "upgraded_from"})
    suffix = f"-{blake3.blake3(repr(sorted(origin.items())).encode()).hexdigest()[:8]}" if origin else ""
    return f"{engine.source}-{engine.version}{suffix}"


def run_properties(workload: Workload, mix: AnyMix, number: int, warm: WarmUp | None) -> dict[str, Any]:
    """The properties of one run phase; `number` tells the phases of a trial apart, so that their keys differ.

    `warm` is None in turns: the harness then says when a client is warm, and when its time is up.
    """
    properties = mix.properties()
    properties["operationcount"] = workload.operations or _ENDLESS
    if workload.measure_s is not None and warm is not None:
        properties["maxexecutiontime"] = math.ceil(warm.longest_s) + workload.measure_s
        if warm.operations:
            properties["pressgauge.warmupseconds"] = math.ceil(warm.seconds)
            properties["pressgauge.warmupoperations"] = warm.operations
            properties["pressgauge.measureseconds"] = workload.measure_s
    if workload.target_per_s or workload.pace:  # intended latency means something only where a rate is offered
        properties["measurement.interval"] = "both"
    properties["pressgauge.phase"] = number
    return properties


def longest_trial_s(campaign: Campaign, sharing: int = 1) -> float:
    """Seconds after which a trial is taken to hang, whatever it is doing; `sharing` trials take turns."""
    timeouts = (one.timeout_s * (2 if one.maintenance else 1) for one in campaign.workloads.values())
    phases = campaign.load.timeout_s + sum(timeouts)
    return sharing * (600 + phases + trial_seconds(campaign))


def _jvm_options(campaign: Campaign, heap: int) -> list[str]:
    """The clients' Java options; those of a campaign made for turns hold where its trials can't take any, too."""
    return with_heap(JVM_OPTIONS if campaign.design == "sequential" else JVM_OPTIONS_FOR_SHORT_PHASES, heap)


def file_name(dataset: Prepared) -> str:
    """What a dataset's file is called on the clients' hosts."""
    return f"{dataset.digest}{dataset.path.suffix}"


def indexes_asked(dataset: Prepared) -> str | None:
    """The indexes beside that on `_id`, as JSON; None: there are to be none."""
    return json.dumps(dataset.indexes) if isinstance(dataset, TemplatesManifest) and dataset.indexes else None


def _mean_bytes(campaign: Campaign, dataset: Prepared) -> float:
    return dataset.mean_bytes if isinstance(dataset, TemplatesManifest) else campaign.document.size_bytes


def document_properties(campaign: Campaign, dataset: Prepared, mixes: Mapping[str, AnyMix]) -> dict[str, Any]:
    """What clients are told of a dataset's documents, the same in each phase and for the verification."""
    of_all = {"recordcount": campaign.records, "pressgauge.seed": campaign.seed}
    if isinstance(dataset, TemplatesManifest):
        written = ways(mixes)
        return of_all | {
            "fieldcount": max(1, len(dataset.update)),
            "pressgauge.documents": "templates",
            "pressgauge.updatepaths": ",".join(dataset.update),
            **{
                f"pressgauge.{words}": ",".join(path for path in dataset.update if path in written[way])
                for way, words in (("inc", "incrementpaths"), ("push", "pushpaths"))
                if written[way]
            },
            "pressgauge.idkind": dataset.ids.kind,
            "pressgauge.idspan": dataset.ids.span,
        }
    of_text = {} if dataset.repeat else {"pressgauge.repeat": "false"}
    return (
        of_all
        | of_text
        | {
            "fieldcount": campaign.document.fields,
            "fieldlength": campaign.document.field_length,
            "pressgauge.documents": campaign.document.source,
        }
    )


def model_properties(arm: Arm) -> dict[str, Any]:
    """What clients are told of how an arm's documents lie in the database; nothing of the usual way."""
    if arm.model is DocumentModel.EMBEDDED:
        return {}
    return {
        "pressgauge.model": str(arm.model),
        "pressgauge.hashbits": arm.hash_bits,
        "pressgauge.knownhashes": arm.known_hashes,
    }


def _verify_timeout_s(records: int, document_bytes: float) -> int:
    return 600 + int(records * max(document_bytes, _VERIFIED_BYTES) / _VERIFIED_BYTES / 5000)


def _driven(
    campaign: Campaign,
    phase: Client,
    site: Places,
    properties: Callable[[ClientProcess], dict[str, Any]],
    sharing: int,
) -> dict[str, Any]:
    """How a phase is driven, and what each client process does of it; threads and target are dealt out evenly."""
    return {
        "timeout_s": phase.timeout_s * sharing,
        "clients": [
            {
                "host": client.host,
                "folder": client.folder,
                "threads": client.part(phase.threads),
                "target": phase.target_per_s and client.part(phase.target_per_s),
                "properties": properties(client),
                "cpus": campaign.load.cpus,
                "cpus_but_not": site.cpus_taken(campaign, client),
            }
            for client in site.clients
        ],
    }
