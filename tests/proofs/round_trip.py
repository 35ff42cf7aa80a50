"""Whether a deployment that is known comes back from `make mirror`, and whether the fidelity gate tells it from others.

    python -m tests.proofs.round_trip RESULTS        ten minutes; the engine 6.0.5 has to be installed
    python -m tests.proofs.round_trip RESULTS --read the tables of what is there

A mongod is loaded with sessions of visitors and used in a known mix and skew, with a profiler that shows every
operation. What the mirror says is put beside the truth. Then the campaign runs, the baseline arm alone and one block:
as it was mirrored, and with another mix, half of the cache, and shuffled documents.
"""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bson
import yaml

from datasets.collections import Sample
from harness.ledger.runs import find_run
from tests.harness.commands import HOME, harness
from tests.proofs.deployment import INDEXES, LATEST, deployment, documents
from tests.proofs.tables import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.harness.commands import Ran
    from tests.proofs.deployment import Deployment

PORT = 27413
EVENTS, SECONDS = 100_000, 60.0
MIX = {"find": 50.0, "find-by-index": 15.0, "update": 25.0, "insert": 6.0, "delete": 4.0}
ENGINE = HOME / "engines/pypi-6.0.5/bin/mongod"
Spec = dict[str, Any]


def mirror(
    known: Deployment, folder: Path, seconds: float, *further: str, user: str = "mirror", name: str = "events"
) -> Ran:
    """`make mirror` of a deployment into a folder."""
    uri = folder / user
    uri.touch(0o600)
    uri.write_text(known.uri_of(user), encoding="utf-8")
    return harness(
        "mirror", "--uri-file", uri, "--collection", "shop.events", "--name", name, "--into", folder, "--results",
        folder, "--seconds", f"{seconds:g}", *further,
    )  # fmt: skip


def mirrored(known: Deployment, folder: Path, seconds: float, mix: Mapping[str, float]) -> str:
    """Mirror it in use, with a profiler that shows every operation; give what the command said."""
    known.owner.shop.command("profile", 2)
    with known.in_use(mix):
        ran = mirror(known, folder, seconds)
    known.owner.shop.command("profile", 0)
    assert ran.code == 0, ran.out + ran.err
    return ran.out


def beside_the_truth(known: Deployment, folder: Path) -> list[tuple[str, float, float, bool]]:
    """Each figure: its name, the truth, what was mirrored, and whether it is within what was asked for."""
    spec = yaml.safe_load((folder / "events.yaml").read_text(encoding="utf-8"))
    mix = yaml.safe_load((folder / "events.mix.yaml").read_text(encoding="utf-8"))
    weights = {one["kind"]: one["weight"] for one in mix["operations"]}
    found = []
    for kind in known.done:
        truth, told = known.share(kind), weights.get(kind, 0) / sum(weights.values())
        found.append((f"share of {kind}", truth, told, abs(truth - told) <= 0.01))
    hottest = dict(mix["keys"]["shares"])[0.01]
    found.append(("hottest 1 % of keys", known.hottest, hottest, abs(known.hottest - hottest) <= 0.02))
    sample = Sample.load(folder / "samples/events")
    sizes = (sorted(map(len, of)) for of in (map(bson.encode, documents(known.count)), sample.documents()))
    truth_sizes, told_sizes = sizes
    for share in (0.1, 0.5, 0.9, 0.99):
        one, other = (of[int(share * len(of))] for of in (truth_sizes, told_sizes))
        found.append((f"size, p{100 * share:.0f}", one, other, abs(other / one - 1) <= 0.05))
    named = {one.name for one in sample.manifest.indexes} - {"_id_"}
    found.append(("indexes", len(INDEXES), len(named), named == set(INDEXES)))
    cache = known.owner.admin.command("serverStatus")["wiredTiger"]["cache"]["maximum bytes configured"]
    ratio = cache / known.owner.shop.command("collStats", "events")["size"]
    told = spec["mirrors"]["cache_ratio"]
    found.append(("cache ÷ data", ratio, told, abs(told / ratio - 1) <= 0.05))
    by_index = next(one for one in mix["operations"] if one["kind"] == "find-by-index")
    as_it_is = (by_index["index"], by_index["equal"], by_index["sort"]) == (["session", "at"], 1, -1)
    found.append(("limit of find-by-index", LATEST, by_index["limit"], as_it_is and by_index["limit"] == LATEST))
    return found


def variant(folder: Path, name: str, change: Callable[[Spec, Spec], None], **brief: Any) -> Path:
    """The mirrored campaign with something changed, of the baseline arm alone, and of one block."""
    spec = yaml.safe_load((folder / "events.yaml").read_text(encoding="utf-8"))
    mix = yaml.safe_load((folder / "events.mix.yaml").read_text(encoding="utf-8"))
    baseline = spec["decision"]["baseline"]
    workload = spec["workloads"]["mirror"] | {"mix": name, **brief}
    spec |= {"arms": {baseline: spec["arms"][baseline]}, "blocks": 1, "instance": {"port": PORT + 1}}
    spec["workloads"] |= {"mirror": workload}
    change(spec, mix)
    for ending, content in (("yaml", spec), ("mix.yaml", mix)):
        (folder / f"{name}.{ending}").write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return folder / f"{name}.yaml"


def as_it_is(_spec: Spec, _mix: Spec) -> None:
    """Nothing is changed."""


def another_mix(_spec: Spec, mix: Spec) -> None:
    """Twice the updates."""
    for one in mix["operations"]:
        one["weight"] *= 2 if one["kind"] == "update" else 1


def half_the_data(spec: Spec, _mix: Spec) -> None:
    """The cache is twice as large, in relation to the data."""
    spec["records"] //= 2


def shuffled(spec: Spec, _mix: Spec) -> None:
    """The same documents, in an order of chance."""
    sample = Sample.load(Path(spec["datasets"]["documents"]["path"]))
    every = list(sample.documents())
    random.Random(1).shuffle(every)
    folder = sample.folder.parent / "shuffled"
    folder.mkdir(exist_ok=True)
    (folder / "events.bson").write_bytes(b"".join(every))
    indexes = [{"v": 2, "key": dict(key), "name": name} for name, key in {"_id_": [("_id", 1)], **INDEXES}.items()]
    (folder / "events.metadata.json").write_text(json.dumps({"indexes": indexes, "options": {}}), encoding="utf-8")
    spec["datasets"]["documents"]["path"] = str(folder / "events.bson")


VARIANTS = {"mirrored": as_it_is, "another-mix": another_mix, "another-cache": half_the_data, "shuffled": shuffled}


def judged(campaign: Path, results: Path) -> tuple[int, dict[str, Any]]:
    """Run a campaign; its exit code, and what its decision says of the deployment."""
    ran = harness("run", campaign, "--results", results, "--plain")
    assert ran.code in {0, 1}, ran.out + ran.err
    run = find_run(results / campaign.stem / "latest")
    told: dict[str, Any] = json.loads((run.report_folder / "decision.json").read_bytes())["fidelity"]
    return ran.code, told


def run(results: Path) -> None:
    """Mirror the deployment, and run each campaign."""
    results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, deployment(ENGINE, Path(scratch), PORT, EVENTS) as known:
        said = mirrored(known, results, SECONDS, MIX)
        found = beside_the_truth(known, results)
    told = {name: judged(variant(results, name, change), results) for name, change in VARIANTS.items()}
    content = {"said": said, "found": found, "judged": told}
    (results / "round_trip.json").write_text(json.dumps(content, indent=1), encoding="utf-8")


def lines(results: Path) -> Iterator[str]:
    """The truth beside what was mirrored, and what the gate says of each campaign."""
    content = json.loads((results / "round_trip.json").read_bytes())
    yield content["said"]
    yield "| figure | truth | mirrored | as near as asked |"
    yield "|---|---:|---:|---|"
    for name, truth, told, fine in content["found"]:
        yield f"| {name} | {truth:.4g} | {told:.4g} | {'yes' if fine else 'NO'} |"
    yield ""
    yield "| campaign | like the deployment | exit | beyond its tolerance |"
    yield "|---|---|---:|---|"
    for name, (code, told) in content["judged"].items():
        beyond = [
            f"{one['figure']} {one['trials']:.4g} for {one['deployment']:.4g}"
            for one in told["compared"]
            if one["trials"] is not None and not one["least"] <= one["trials"] <= one["most"]
        ]
        yield f"| {name} | {told['state']} | {code} | {'; '.join(beyond)} |"


if __name__ == "__main__":
    show(__doc__, run, lines)
