"""Mirrors a deployment: looks at it for a while, takes samples, and leaves a campaign and a mix for each collection."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.mirror import moments
from analysis.mirror.figures import FEWEST_OPERATIONS, Observed
from analysis.mirror.mixture import Possible, Unmirrored, mixture
from core.files import write_whole
from datasets import updatable_paths
from datasets.collections import Sample, is_sample
from datasets.errors import DatasetError
from harness.errors import HostError, InputError
from harness.ledger.run_names import name_of_data
from harness.plan.written.mirrored import Mirrored, campaign_text, mix_text
from harness.run.mirror.observing import look
from harness.run.own_data import sampling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from analysis.mirror.commands import Shape
    from analysis.mirror.moments import Between
    from datasets.collections import Anonymise
    from harness.run.mirror.observing import Looked

QUANTILES = {"p10": 0.1, "p50": 0.5, "p90": 0.9, "p99": 0.99}
_MOST_UPDATED, _ASSUMED = 16, 2
_NUMBERS = {"int", "long", "double"}
_NOT_ALL = {"collation", "hidden", "partialFilterExpression", "sparse", "wildcardProjection"}
"""Options of an index that does not answer every query by its paths."""
_MOST_TOLD = 5


@dataclass(frozen=True)
class Wanted:
    """What is to be mirrored, and how."""

    uri_file: Path
    collections: Sequence[str]
    """`<database>.<collection>` each."""
    name: str
    seconds: float
    sample_bytes: int
    anonymise: Anonymise | None
    into: Path
    """The folder of the campaigns and mixes."""
    samples: Path
    """The folder of the samples."""

    def called(self, collection: str) -> str:
        """What a collection's campaign, mix and sample are called."""
        if len(self.collections) == 1:
            return self.name
        one_database = len({name.partition(".")[0] for name in self.collections}) == 1
        tail = collection.partition(".")[2] if one_database else collection
        return name_of_data(Path(f"{self.name}-{tail}".replace(".", "-")))

    def files(self, collection: str) -> tuple[Path, Path]:
        """A collection's mix and its campaign."""
        called = self.called(collection)
        return self.into / f"{called}.mix.yaml", self.into / f"{called}.yaml"


def mirror(wanted: Wanted, tell: Callable[[str], None]) -> list[tuple[Path, Observed]]:
    """Look at the deployment, sample its collections, and write a campaign for each; give these.

    Raises:
        InputError: the server refuses or is gone, too little happened in the window, a sample can't be taken, or there
            is such a campaign already.
        HostError: the campaign can't be written.
    """
    _refuse_to_overwrite(wanted)
    looked = look(wanted.uri_file, wanted.collections, seconds=wanted.seconds, tell=tell)
    happened = {name: _happened(looked, name) for name in wanted.collections}
    found = []
    for name in wanted.collections:
        called = wanted.called(name)
        folder = wanted.samples / called
        sample = _sample(wanted, name, folder, tell)
        observed = _observed(looked, name, happened[name], sample)
        mirrored = Mirrored.of(called, observed, sample.manifest, folder.resolve())
        mix, campaign = wanted.files(name)
        try:
            wanted.into.mkdir(parents=True, exist_ok=True)
            write_whole(mix, mix_text(mirrored))
            write_whole(campaign, campaign_text(mirrored))
        except OSError as error:
            raise HostError(
                f"{wanted.into}: can't be written: {error.strerror}", do="check rights and space"
            ) from error
        found.append((campaign, observed))
    return found


def _refuse_to_overwrite(wanted: Wanted) -> None:
    """See to it that nothing is lost, before anything is asked."""
    if len({wanted.called(name) for name in wanted.collections}) < len(wanted.collections):
        raise InputError("two of the collections would have campaigns of one name", do="mirror them one by one")
    for path in (file for name in wanted.collections for file in wanted.files(name)):
        if path.exists():
            raise InputError(f"{path}: is there already", do="move it away, or give another NAME or INTO")


def describe(observed: Observed) -> Iterator[str]:
    """Say what was seen, and what of it is not mirrored."""
    yield (
        f"{observed.name}: {observed.operations:,} operations in {observed.happened.seconds:.0f} s "
        f"({observed.per_s:,.0f} a second); keys by {observed.skew_source}"
    )
    for one in observed.mixture.operations:
        yield f"  {one.share:6.1%}  {one.kind}  ({one.source})"
    for unmirrored in observed.all_unmirrored:
        yield f"  not mirrored: {unmirrored.told}"


def _sample(wanted: Wanted, name: str, folder: Path, tell: Callable[[str], None]) -> Sample:
    """The sample that is there already, of a mirroring that went no further, or a new one."""
    if not is_sample(folder):
        live = sampling.Live(wanted.uri_file, name)
        found = sampling.sample(sampling.Wanted(live, wanted.sample_bytes, anonymise=wanted.anonymise), folder, tell)
        for line in sampling.describe(found):
            tell(line)
        return found
    try:
        found = Sample.load(folder)
    except DatasetError as error:
        raise InputError(str(error), do="remove the folder") from error
    told = found.manifest
    if told.source != name or (told.anonymised is None) != (wanted.anonymise is None):
        how = "in clear" if told.anonymised is None else "anonymised"
        raise InputError(
            f"{folder}: holds a sample of {told.source}, {how}, and not the one that was asked for",
            do="remove the folder, or give another NAME",
        )
    tell(f"{name}: the sample in {folder} is used again; remove it to have a new one")
    return found


def _happened(looked: Looked, name: str) -> Between:
    """What a collection was asked while it was looked at."""
    found = moments.happened(looked.before, looked.after, name)
    if found is None:
        raise InputError(f"{name}: its server was restarted while it was looked at", do="give the same command again")
    count = sum(found.served.operations.values())
    if count < FEWEST_OPERATIONS:
        raise InputError(
            f"{name}: {count} operations in {found.seconds:.0f} s are too few to tell its mix",
            do="look while it is used, or longer (SECONDS=600)",
        )
    return found


def _observed(looked: Looked, name: str, happened: Between, sample: Sample) -> Observed:
    watched, moment, facts = looked.watched[name], looked.after.collections[name], looked.facts
    shapes = watched.shapes
    stored = moments.stored(moment)
    skew = (watched.keys if shapes else watched.written_keys).shares(stored.documents)
    profiler = f"the profiler: {looked.profilers[name.partition('.')[0]]}"
    return Observed(
        name=name,
        when=looked.when,
        server=facts,
        cache_bytes=moments.number(looked.after.status, "wiredTiger", "cache", "maximum bytes configured"),
        stored=stored,
        happened=happened,
        mixture=mixture(happened, shapes, _possible(sample, [*shapes, *watched.written])),
        skew=skew,
        skew_source="the oplog's updates" if skew and not shapes else profiler,
        busy=moments.busy_share(looked.before, looked.after, facts.cores),
        unmirrored=tuple(_elsewhere(looked)),
        size_quantiles=_size_quantiles(sample),
    )


def _possible(sample: Sample, shapes: Sequence[Shape]) -> Possible:
    """What operations may name: indexes that answer every query, paths, and those that can be written.

    Of these, those that were seen to be, the commonest first; otherwise the first ones that can be.
    """
    told = sample.manifest
    every = {one.path: one for one in told.paths if one.values == told.profiled_documents and "[" not in one.path}
    plain = set(updatable_paths(sample.folder, len(told.paths)))
    ways: dict[str, str] = {}
    for (way, path), _ in Counter(written for shape in shapes for written in shape.written).most_common():
        types = every[path].types.keys() if path in every else set()
        if way == "push" and types == {"array"}:
            ways.setdefault(path, "push")
        elif path in plain:
            ways.setdefault(path, "inc" if way == "inc" and types <= _NUMBERS else "set")
    return Possible(
        indexes={
            one.name: tuple(one.key)
            for one in told.indexes
            if one.key != {"_id": 1} and not one.options.keys() & _NOT_ALL and set(one.key.values()) <= {1, -1}
        },
        paths=frozenset(one.path.replace("[]", "") for one in told.paths),
        ways=dict(list(ways.items())[:_MOST_UPDATED]) or dict.fromkeys(sorted(plain)[:_ASSUMED], "set"),
    )


def _elsewhere(looked: Looked) -> Iterator[Unmirrored]:
    """What else the server did in the window."""
    others = moments.elsewhere(looked.before, looked.after, set(looked.watched))
    for name, share in list(others.items())[:_MOST_TOLD]:
        yield Unmirrored(f"{name}: another collection, by its share of the time of `top`", share)
    if rest := sum(list(others.values())[_MOST_TOLD:]):
        yield Unmirrored(f"{len(others) - _MOST_TOLD} further collections", rest)
    if committed := moments.transactions(looked.before, looked.after):
        yield Unmirrored(f"{committed:,.0f} transactions of the whole server", None)
    for command, count in moments.commands(looked.before, looked.after).items():
        yield Unmirrored(f"{count:,.0f} times the command {command}, of the whole server", None)
    for what in looked.facts.closed:
        yield Unmirrored(f"{what}: the user may not know", None)


def _size_quantiles(sample: Sample) -> dict[str, int]:
    sizes = sorted(len(document) for document in sample.documents())
    return {name: sizes[min(len(sizes) - 1, int(share * len(sizes)))] for name, share in QUANTILES.items()}
