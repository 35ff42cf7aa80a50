"""The campaign and the mix that mirror a deployment: specs as text, with where each figure came from. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from analysis.mirror.moments import number
from analysis.mirror.skew import is_uniform
from analysis.trial.engine.counters import release
from analysis.trial.records import Compressor
from analysis.trial.regimes import FULL_CACHE
from core.sizes import exact_size, show_size
from core.text import flow, one_line
from harness.plan.written.allowed_cost import allowed_cost, as_yaml
from harness.spec.engines import WheelEngine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from analysis.mirror.figures import Observed
    from datasets.collections import SampleManifest

WORKLOAD = "mirror"
"""What the workload is called that stands for the deployment's own."""
LOADED_BYTES = 2**30
"""Of BSON, where the deployment has more, and the cache may be as small in proportion."""
LEAST_CACHE_BYTES = 2**28
_MIB = 2**20
_THREADS = 8
_LEAST_RECORDS = 10
_MEASURED_OPERATIONS, _LEAST_S, _MOST_S = 20_000, 20, 300
_WHOLE = 1000
_CYCLES = {"int", "long", "date", "objectId", "string", "binData", "double"}
_INDEX_PERCENT_ANONYMISED = 80
"""Pages of keys that come in any order are filled by 60 to 70 %, those of ascending ones wholly."""
_ASSUMED = "{distribution: zipfian, exponent: 0.99}"
_VERSIONS: tuple[str, ...] = get_args(WheelEngine.model_fields["version"].annotation)
_LEVELS = {"zstd": "zstdCompressionLevel", "zlib": "zlibCompressionLevel"}


@dataclass(frozen=True)
class Mirrored:
    """A collection of a deployment, scaled to a machine."""

    name: str
    observed: Observed
    sample: SampleManifest
    folder: Path
    """Of the sample."""
    factor: float
    """Records, cache and rate are the deployment's times this."""
    records: int
    cache_bytes: int
    updated: tuple[str, ...]
    """Paths that updates write."""

    @classmethod
    def of(cls, name: str, observed: Observed, sample: SampleManifest, folder: Path) -> Mirrored:
        """Scale a collection: to a gigabyte, but not to a cache that mongod doesn't take."""
        stored, part = observed.stored, _part_of_cache(observed)
        factor = min(1.0, LOADED_BYTES / max(stored.bytes, 1))
        if part:
            factor = max(factor, LEAST_CACHE_BYTES / part)
        cache = round(factor * part / _MIB) * _MIB if part else LEAST_CACHE_BYTES
        records = max(_LEAST_RECORDS, round(factor * stored.documents))
        if not _goes_on(sample):
            records = min(records, sample.documents)
        written = [
            path
            for operation in observed.mixture.operations
            for how in ("set", "inc", "push")
            for path in operation.keys.get(how, ())
        ]
        return cls(name, observed, sample, folder, factor, records, max(LEAST_CACHE_BYTES, cache),
                   tuple(dict.fromkeys(written)))  # fmt: skip

    @property
    def rate(self) -> int | None:
        """Operations per second to offer; None where the deployment did as many as it could."""
        return None if self.observed.saturated else max(_THREADS, round(self.factor * self.observed.per_s))

    @property
    def measure_s(self) -> int:
        """Long enough for a tail."""
        rate = self.rate or _MEASURED_OPERATIONS
        return min(_MOST_S, max(_LEAST_S, round(_MEASURED_OPERATIONS / rate)))


def mix_text(mirrored: Mirrored) -> str:
    """The mix, each operation with where it came from."""
    observed = mirrored.observed
    window = f"on {observed.when}, in {observed.happened.seconds:.0f} s: {observed.operations:,} operations"
    lines = [
        f"# What {one_line(observed.name)} was asked {window}.",
        *(f"# Not mirrored: {told}" for told in _unmirrored(observed)),
        *_keys(observed),
        "operations:",
    ]
    for operation in observed.mixture.operations:
        if weight := round(_WHOLE * operation.share):
            lines += [f"  # {one_line(operation.source)}"]
            lines += [f"  - {flow({'kind': operation.kind, 'weight': weight, **operation.keys})}"]
    return "\n".join(lines) + "\n"


def campaign_text(mirrored: Mirrored) -> str:
    """The campaign, each figure with where it came from."""
    observed = mirrored.observed
    lines = [*_head(mirrored), *_arms(observed), *_data(mirrored), *_workload(mirrored)]
    lines += _mirrors(observed, mirrored.sample)
    return "\n".join([*lines, *_decision(mirrored)]) + "\n"


def _head(mirrored: Mirrored) -> Iterator[str]:
    observed = mirrored.observed
    name, documents = one_line(observed.name), observed.stored.documents
    yield f"# {name} of a deployment, mirrored: {mirrored.records:,} of its {documents:,} documents."
    yield f"# Records, cache and rate are the deployment's times {mirrored.factor:.4g}."
    for told in (*_unmirrored(observed), *_of_machine(observed)):
        yield f"# Not mirrored: {told}"
    yield f"question: {flow(f'Which block compressor should {name} run?')}"
    yield "blocks: 4"
    engine, how = _engine(observed.server.version)
    yield "engines:"
    yield f"  {engine}: {{source: pypi, version: {engine}}} # {how}"


def _data(mirrored: Mirrored) -> Iterator[str]:
    observed, factor = mirrored.observed, f"{mirrored.factor:.4g}"
    yield "datasets:"
    yield "  documents:"
    yield "    recipe: documents"
    yield f"    path: {flow(str(mirrored.folder))} # {_sampled(mirrored.sample)}"
    yield f"    # bytes of a document: {_quantiles(observed)}"
    yield f"    most_bytes: {exact_size(mirrored.sample.bytes)} # all of the sample"
    yield f"    update: {flow(list(mirrored.updated))} # paths that the mix writes"
    yield f"records: {mirrored.records} # {factor} × {observed.stored.documents:,}{_not_further(mirrored)}"
    yield f"cache_size: {exact_size(mirrored.cache_bytes)} # {_cache(observed, mirrored.factor)}"
    yield from _write_concern(observed)


def _workload(mirrored: Mirrored) -> Iterator[str]:
    yield "turns: {seconds: 2, cut_s: 0.4}"
    yield "load: {threads: 4, batch: 100, warmup_s: 2}"
    yield "workloads:"
    if (mirrored.observed.cache_ratio or 0) * FULL_CACHE >= 1:  # a load leaves part of the documents out of the cache
        yield "  fill: {mix: scan-all, threads: 1, warmup_s: 0, measure_s: null, operations: 1} # all fits the cache"
    yield f"  {WORKLOAD}:"
    yield f"    mix: {flow(mirrored.name)}"
    yield f"    threads: {_THREADS} # not mirrored"
    yield from _offered(mirrored)
    yield f"    measure_s: {mirrored.measure_s}"


def _decision(mirrored: Mirrored) -> Iterator[str]:
    yield "decision:"
    yield f"  baseline: {_baseline(mirrored.observed)} # what the deployment runs: the collection's creationString"
    yield "  objective: storage"
    bounds = allowed_cost(WORKLOAD, at_a_rate=mirrored.rate is not None)
    yield as_yaml(bounds)
    yield f"  primary: {flow(['storage_bytes_per_document', *(one['metric'] for one in bounds)])}"


def _part_of_cache(observed: Observed) -> float | None:
    """What the collection has of the cache, if it has as much as it has of the data."""
    ratio = observed.cache_ratio
    return ratio * observed.stored.bytes if ratio and observed.stored.bytes else None


def _goes_on(sample: SampleManifest) -> bool:
    """Whether there are `_id`s for more documents than the sample has."""
    return len(sample.id_kinds) == 1 and set(sample.id_kinds) <= _CYCLES


def _not_further(mirrored: Mirrored) -> str:
    return "" if _goes_on(mirrored.sample) else "; at most those of the sample, whose `_id`s can't go on"


def _unmirrored(observed: Observed) -> Iterator[str]:
    for one in observed.all_unmirrored:
        yield one_line(one.told)


def _of_machine(observed: Observed) -> Iterator[str]:
    memory = observed.server.memory_bytes
    if memory:
        yield f"the host's memory of {show_size(memory)}, in which the system keeps files beside the cache"
    if observed.server.is_member:
        yield "replication: a mongod by itself stands for the primary; reads that go to secondaries were not seen"


def _engine(version: str) -> tuple[str, str]:
    """The engine that is installed by itself and is nearest, and why."""
    if version in _VERSIONS:
        return version, "as the deployment"
    same = [one for one in _VERSIONS if release(one) == release(version)]
    nearest = same[-1] if same else min(reversed(_VERSIONS), key=lambda one: _apart(release(one), release(version)))
    return nearest, f"the deployment runs {one_line(version)}: name it, with its source, if it can be installed"


def _apart(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return abs(one[0] - other[0]), abs(one[1] - other[1])


def _baseline(observed: Observed) -> str:
    known = {compressor.value for compressor in Compressor}
    return observed.stored.compressor if observed.stored.compressor in known else "snappy"


def _arms(observed: Observed) -> Iterator[str]:
    """The deployment's compressor with its own settings, and each other one."""
    yield "arms:"
    baseline = _baseline(observed)
    page = observed.stored.leaf_page_max
    size = "" if page == "32KB" else f", leaf_page_max: {page.replace('KB', 'KiB').replace('MB', 'MiB')}"
    level = number(observed.server.options, "storage", "wiredTiger", "engineConfig", _LEVELS.get(baseline, ""))
    own = f", {baseline}_level: {int(level)}" if level is not None else ""
    yield f"  {baseline}: {{block_compressor: {baseline}{own}{size}}} # the deployment's"
    for compressor in Compressor:
        if compressor.value != baseline:
            yield f"  {compressor.value}: {{block_compressor: {compressor.value}{size}}}"


def _sampled(sample: SampleManifest) -> str:
    how = "anonymised" if sample.anonymised else "in clear"
    return f"{sample.documents:,} of {sample.source_documents:,} documents, {show_size(sample.bytes)}, {how}"


def _quantiles(observed: Observed) -> str:
    return ", ".join(f"{name} {size:,}" for name, size in observed.size_quantiles.items()) + " (of the sample)"


def _cache(observed: Observed, factor: float) -> str:
    if observed.cache_bytes is None or observed.cache_ratio is None:
        return "assumed: the deployment's is not known"
    whose = "all databases" if observed.server.data_bytes else "the collection"
    return (
        f"{factor:.4g} × the collection's part of {show_size(observed.cache_bytes)}: cache ÷ data of {whose} is "
        f"{observed.cache_ratio:.4g}"
    )


def _write_concern(observed: Observed) -> Iterator[str]:
    concern = observed.server.write_concern
    if concern == "majority":
        yield "write_concern: {w: 1, journal: true} # the default is w: majority; one mongod waits for its journal"
    else:
        told = f"the default is w: {one_line(concern)}" if concern else "assumed: the default is not known"
        yield f"write_concern: {{w: 1, journal: false}} # {told}"


def _offered(mirrored: Mirrored) -> Iterator[str]:
    observed = mirrored.observed
    busy = "its CPU is not known" if observed.busy is None else f"{observed.busy:.0%} of its host's CPU in use"
    if mirrored.rate is None:
        yield f"    # as fast as it can: the deployment was at its limit, {busy}"
    else:
        yield (
            f"    target_per_s: {mirrored.rate} # {mirrored.factor:.4g} × {observed.per_s:,.1f} a second by `top`; "
            f"{busy}"
        )


def _mirrors(observed: Observed, sample: SampleManifest) -> Iterator[str]:
    """What the trials are judged by."""
    comments = {
        "compression_ratio": "$collStats: size ÷ checkpoint size",
        "index_bytes_per_document": "$collStats: totalIndexSize without what is free ÷ count",
        "cache_ratio": "serverStatus: maximum bytes configured ÷ BSON that shares it",
        "pages_read_per_operation": "$collStats: pages read into cache, of the collection and its indexes",
        "mix": "top",
        "latency_shape": "$collStats: latencyStats",
    }
    yield "mirrors:"
    told = observed.mirrors(WORKLOAD).model_dump(exclude={"tolerances"})
    for name, value in told.items():
        if value is None or value == {}:
            yield f"  # {name}: the deployment did not show it"
        else:
            yield f"  {name}: {flow(value)}" + (f" # {comments[name]}" if name in comments else "")
    if sample.anonymised:
        yield "  # Anonymised values that ascended don't any more, and fill an index's pages less than those do."
        yield f"  tolerances: {{index_percent: {_INDEX_PERCENT_ANONYMISED}}}"


def _keys(observed: Observed) -> Iterator[str]:
    """Which keys are used how often, and how that is known."""
    told = one_line(observed.skew_source)
    if not observed.skew:
        yield f"# Assumed: which keys are used how often is not known; {told}."
        yield f"keys: {_ASSUMED}"
    elif is_uniform(observed.skew):
        yield f"# Keys are used about evenly, by {told}."
        yield "keys: {distribution: uniform}"
    else:
        yield f"# Shares of the keys, the hottest ones, and of the operations that use them, by {told}."
        yield f"keys: {{distribution: measured, shares: {flow([list(one) for one in observed.skew])}}}"
