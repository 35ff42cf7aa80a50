"""What a run's figures are conditional on, and what was under test in it, as facts named `<subject>.<what>`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from harness.ledger.ledger import SPEC_FILE
from harness.ledger.run_json import read_hosts, read_manifest, read_mixes_kept, read_traffic, read_versions
from harness.ledger.runs import find_run
from harness.spec.load import load_kept

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pydantic import JsonValue

    from harness.ledger.ledger import Ledger
    from harness.spec.campaign import Campaign

_ABOUT_HOSTS = (
    "hostname", "architecture", "kernel", "os", "cpu_model", "cores", "cores_allowed", "memory_total_bytes",
    "thp_enabled", "frequency_governor",
)  # fmt: skip
_NOT_CONDITIONS = {"question", "name", "blocks", "engines", "arms", "limits", "decision"}
"""Sections of a campaign that say what is under test, or how it is judged, and not under which conditions it ran."""
_NAMED_ALONE = {"workloads", "datasets", "document", "instance", "connection"}
_FREE = {"instance.port", "instance.bind_ip"}


def read_campaign(ledger: Ledger) -> Campaign:
    """The campaign of a run.

    Raises:
        InputError: its spec is not one of this version.
    """
    return load_kept(ledger.folder / SPEC_FILE, ledger.state().get("campaign", ""))


def run_facts(folder: Path) -> dict[str, JsonValue]:
    """Everything that may differ between two runs of one campaign: its conditions, the engines and the arms' settings.

    Raises:
        InputError: there is no run, or its spec is not one of this version.
    """
    ledger = find_run(folder)
    campaign = read_campaign(ledger)
    return conditions(ledger, campaign) | dict(_under_test(campaign))


def conditions(ledger: Ledger, campaign: Campaign) -> dict[str, JsonValue]:
    """What a run's figures are conditional on: hosts, corpora, mixes, the spec's conditions, versions of tools."""
    found = host_facts(read_hosts(ledger.folder))
    for name in campaign.datasets:
        found[f"corpus.{name}"] = read_manifest(ledger.folder, name).get("digest")
    for name, workload in campaign.workloads.items():
        if workload.replay:
            found[f"traffic.{name}"] = read_traffic(ledger.folder, name).get("digest")
    found |= mix_facts(read_mixes_kept(ledger.folder))
    found |= dict(_sections(campaign.model_dump(mode="json", exclude=_NOT_CONDITIONS)))
    return found | version_facts(read_versions(ledger.folder))


def host_facts(hosts: Mapping[str, dict[str, Any]]) -> dict[str, JsonValue]:
    """Of surveys by the host's name, what figures are conditional on."""
    found: dict[str, JsonValue] = {}
    for number, name in enumerate(sorted(hosts), start=1):
        prefix = "host" if len(hosts) == 1 else f"host{number}"
        found |= {f"{prefix}.{key}": hosts[name].get(key) for key in _ABOUT_HOSTS}
        found[f"{prefix}.filesystem"] = (hosts[name].get("data") or {}).get("filesystem")
    return found


def mix_facts(mixes: Mapping[str, Mapping[str, JsonValue]]) -> dict[str, JsonValue]:
    """Of what the clients are told of each workload's mix; the file's name is no fact."""
    return {f"mix.{name}.{key}": _flat(value) for name, mix in mixes.items() for key, value in mix.items()}


def version_facts(versions: Mapping[str, Any]) -> dict[str, JsonValue]:
    """Of tools' versions."""
    return {f"versions.{tool}": str(told) for tool, told in versions.items()}


def _sections(spec: dict[str, Any]) -> Iterator[tuple[str, JsonValue]]:
    for section, value in spec.items():
        if section in _NAMED_ALONE:
            for key, inner in value.items():
                if f"{section}.{key}" not in _FREE:
                    yield f"{section}.{key}", _flat(inner)
        else:
            yield section, _flat(value)


def _flat(value: Any) -> JsonValue:
    """Sections as one text, so that a difference shows whole."""
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else value


def _under_test(campaign: Campaign) -> Iterator[tuple[str, JsonValue]]:
    for name, engine in campaign.engines.items():
        yield "engine" if len(campaign.engines) == 1 else f"engine.{name}", engine.version
    for name, arm in campaign.arms.items():
        for key, value in arm.model_dump(mode="json", exclude_none=True).items():
            yield f"arm.{name}.{key}", _flat(value)
