"""One run, one experiment: it goes on where it was begun, with the load generator, the mixes and the corpora of then.

A block pairs its trials, so those of two machines, or of two clients, would be taken for an effect of the arms.
"""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from analysis.gate.comparability import compare_facts
from harness.errors import InputError
from harness.ledger.facts import host_facts, mix_facts, version_facts
from harness.ledger.ledger import HOST_FILE, MIXES_FILE, VERSIONS_FILE
from harness.ledger.run_json import read_hosts, read_manifest, read_mixes_kept, read_traffic, read_versions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from analysis.gate.comparability import Difference
    from datasets import Prepared
    from datasets.recordings import Traffic
    from harness.ledger.ledger import Ledger
    from harness.spec.mixes.own import AnyMix

_MEASURES = ("versions.load generator", "versions.YCSB core")
_MAY_CHANGE = ("host*.hostname", "versions.*")
"""A container's name is another one each time; a defect of ours may have been mended."""


def keep_start(
    ledger: Ledger, hosts: Mapping[str, dict[str, Any]], versions: Mapping[str, str], mixes: Mapping[str, AnyMix]
) -> list[str]:
    """Keep on what and with what a run begins; of one that goes on, say what has changed and may.

    Args:
        ledger: The run's.
        hosts: Surveys by the host's name.
        versions: Versions by the tool's name.
        mixes: Each workload's.

    Raises:
        InputError: the run has trials from other hosts, by another load generator or of other mixes; the message shows
            what differs.
    """
    told = {name: mix.properties() for name, mix in mixes.items()}
    if not ledger.records():
        ledger.keep(HOST_FILE, dict(hosts))
        ledger.keep(VERSIONS_FILE, dict(versions))
        ledger.keep(MIXES_FILE, told)
        return []
    found = _differences(ledger, hosts, version_facts(versions) | mix_facts(told))
    wrong = [one for one in found if not _may_change(one)]
    if wrong:
        raise InputError(
            f"{ledger.folder}: this run is unfinished, and it began with other hosts, another client or another mix:\n"
            + "\n".join(_told(one) for one in wrong),
            do=f"resume it as it was begun ({ledger.state().get('command')}), or start a new run with NEW=1",
        )
    return [f"since this run began, {_told(one)}" for one in found]


def keep_corpus(ledger: Ledger, name: str, manifest: Prepared) -> None:
    """Keep what a dataset is: a file of the user's, or another version of Faker, makes another corpus of one recipe.

    A dump's indexes are in a file of their own, so they may change while its documents do not.

    Raises:
        InputError: the run has trials with another corpus, or with other indexes.
    """
    begun, now = read_manifest(ledger.folder, name), manifest.model_dump(mode="json")
    for fact, what in {"digest": "corpus", "indexes": "indexes"}.items() if ledger.records() else ():
        if fact in begun and _ordered(begun[fact]) != _ordered(now.get(fact)):
            raise InputError(
                f"{ledger.folder}: this run is unfinished, and it began with another corpus:\n"
                f"{what}.{name}: {_ordered(begun[fact])} at its start, {_ordered(now.get(fact))} now",
                do="to resume it, restore the dataset's file, its metadata.json, or the version of Faker; "
                "or start a new run with NEW=1",
            )
    ledger.write(f"dataset-{name}.json", manifest.model_dump_json(indent=1))


def keep_traffic(ledger: Ledger, name: str, traffic: Traffic) -> None:
    """Keep what a workload replays.

    Raises:
        InputError: the run has trials with other traffic.
    """
    begun = read_traffic(ledger.folder, name).get("digest", traffic.digest)
    if ledger.records() and begun != traffic.digest:
        raise InputError(
            f"{ledger.folder}: this run is unfinished, and it began with another recording:\n"
            f"traffic.{name}: {begun} at its start, {traffic.digest} now",
            do="to resume it, restore the recording; or start a new run with NEW=1",
        )
    ledger.write(f"traffic-{name}.json", traffic.model_dump_json(indent=1))


def _ordered(fact: JsonValue) -> str:
    """A text as it is; else JSON, in which the order of an index's paths counts."""
    return fact if isinstance(fact, str) else json.dumps(fact)


def _differences(
    ledger: Ledger, hosts: Mapping[str, dict[str, Any]], others: dict[str, JsonValue]
) -> tuple[Difference, ...]:
    """What was known when the run began and is another now."""
    begun, now = read_hosts(ledger.folder), dict(hosts)
    if begun and begun.keys() != now.keys():
        return compare_facts({"hosts": ", ".join(sorted(begun))}, {"hosts": ", ".join(sorted(now))}).all
    known = host_facts(begun) | version_facts(read_versions(ledger.folder)) | mix_facts(read_mixes_kept(ledger.folder))
    known = {fact: value for fact, value in known.items() if value is not None}
    told = host_facts(now) | others
    return compare_facts(known, {fact: told.get(fact) for fact in known}).all


def _may_change(one: Difference) -> bool:
    return one.fact not in _MEASURES and any(fnmatchcase(one.fact, pattern) for pattern in _MAY_CHANGE)


def _told(one: Difference) -> str:
    return f"{one.fact}: {one.baseline} at its start, {one.candidate} now"
