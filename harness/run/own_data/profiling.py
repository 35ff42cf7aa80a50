"""A profile from the data's first byte to its rows: read, compressed in processes, and put beside an estimate."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from blake3 import blake3
from pydantic import ValidationError

from analysis.estimate.records import Dictionary, Estimate
from analysis.profile.records import Profile, Row, Source, Speed, achieved, same_source
from core.bounds import is_name
from core.machine import this_machine
from core.stored import read_regular
from datasets import (
    DatasetError,
    DocumentRecipe,
    TemplateDocuments,
    Templates,
    prepare,
    prepare_documents,
)
from datasets.profiling import CODECS, LEVEL, LIBRARIES, counts, measure, of_documents, read_data, with_dictionary
from datasets.profiling import Timing as Timings
from harness.errors import InputError
from harness.run.preparing import text_documents
from harness.spec.load import campaign_names, find_campaign, load_campaign

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from datasets import Recipe
    from datasets.profiling import Codec, Data, Measured
    from harness.hosts.site import Site
    from harness.spec.campaign import Campaign

_SPECS = {".yaml", ".yml"}


@dataclass(frozen=True)
class Wanted:
    """What is to be profiled, and how."""

    name: str
    data: Path
    """A file, a folder, a collection, a sample; or a campaign by its name or file."""
    dataset: str = ""
    """Of the campaign; its first one where this is empty."""
    as_bytes: bool = False
    most_bytes: int = 2**24
    processes: int = 0
    """The most at once; 0: as many as there are cores."""
    seconds: float = 0.1
    codecs: tuple[Codec, ...] = CODECS


def profile(wanted: Wanted, site: Site, estimate_file: Path, tell: Callable[[str], None]) -> Profile:
    """Read the data, and measure codecs on it. A sample of documents is in Pressgauge's folder meanwhile.

    Raises:
        InputError: the data can't be read, or a process ended.
        HostError: a campaign is running here, or Pressgauge's folder can't be written.
    """
    began = time.monotonic()
    load = os.getloadavg()[0]
    machine = this_machine()
    with site.locked():
        private = site.home / "profile"
        shutil.rmtree(private, ignore_errors=True)  # a killed profile's
        try:
            tell("reading the data")
            data = read_wanted(wanted, site, private)
            timing = Timings(counts(wanted.processes or machine.cores), wanted.seconds)
            measured = list(measure(data.content, wanted.codecs, timing, tell))
            dictionary = dictionary_of(data)
        except DatasetError as error:
            raise InputError(
                str(error), do="mend it, or give AS_BYTES=1, which takes any file or folder as bytes: docs/profile.md"
            ) from error
        finally:
            shutil.rmtree(private, ignore_errors=True)
    source = _source(wanted, data)
    beside = _achieved(estimate_file, source)
    return Profile(
        name=wanted.name,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=machine,
        load=load,
        libraries=LIBRARIES,
        source=source,
        seconds_each=wanted.seconds,
        rows=tuple(_row(one, beside) for one in measured),
        dictionary=dictionary,
        seconds=time.monotonic() - began,
    )


def dictionary_of(data: Data) -> Dictionary | None:
    """What a trained dictionary would do, as an estimate and a profile tell it."""
    found = with_dictionary(data)
    return Dictionary(level=LEVEL, **asdict(found)) if found else None


def read_wanted(wanted: Wanted, site: Site, private: Path) -> Data:
    """The data; of a collection there is a sample in `private` afterwards, in clear.

    Raises:
        InputError: there is none of that name, or a campaign has no such dataset.
        DatasetError: it can't be read.
    """
    name = str(wanted.data)
    if wanted.data.suffix in _SPECS or (not wanted.data.exists() and name in campaign_names()):
        return _of_campaign(wanted, site)
    if not wanted.data.exists() and is_name(name):
        raise InputError(f"{name}: there is no such file, folder or campaign", do="give DATA=<one that there is>")
    return read_data(wanted.data, private, most_bytes=wanted.most_bytes, as_bytes=wanted.as_bytes)


def _of_campaign(wanted: Wanted, site: Site) -> Data:
    """The documents that a campaign would load first."""
    campaign = load_campaign(find_campaign(str(wanted.data)))
    name = wanted.dataset or next(iter(campaign.datasets))
    if name not in campaign.datasets:
        raise InputError(
            f"{wanted.data}: has no dataset {name!r}", do=f"name one with DATASET=: {', '.join(campaign.datasets)}"
        )
    document = _documents(campaign, campaign.datasets[name], site.home / "datasets")
    count = max(1, min(campaign.records, wanted.most_bytes // len(document(0))))
    data = of_documents(map(document, range(count)))
    whole = round(len(data.content) / count * campaign.records)
    return replace(data, source_documents=campaign.records, source_bytes=whole, estimated=count < campaign.records)


def _documents(campaign: Campaign, recipe: Recipe, folder: Path) -> Callable[[int], bytes]:
    """A record's document as it is loaded, in BSON. Raises DatasetError."""
    if isinstance(recipe, DocumentRecipe):
        found = prepare_documents(recipe, campaign.seed, folder, ())
        return TemplateDocuments(Templates(found.path), campaign.seed, found.update, found.ids).document
    return text_documents(campaign, prepare(recipe, campaign.seed, folder)).document


def _source(wanted: Wanted, data: Data) -> Source:
    return Source(
        name=wanted.data.name,
        kind=data.kind,
        bytes=data.source_bytes,
        bytes_estimated=data.estimated,
        documents=data.source_documents,
        profiled_bytes=len(data.content),
        digest=blake3(data.content).hexdigest(),
        corpus=data.corpus,
    )


def _achieved(estimate_file: Path, source: Source) -> Mapping[tuple[str, int | None, int], float]:
    """What an estimate says that lies there, if it is of the same data."""
    try:
        estimate = Estimate.model_validate_json(read_regular(estimate_file))
    except (OSError, ValidationError):
        return {}
    return achieved(estimate) if same_source(estimate, source) else {}


def _row(one: Measured, beside: Mapping[tuple[str, int | None, int], float]) -> Row:
    return Row(
        codec=one.codec.name,
        level=one.codec.level,
        block_bytes=one.block_bytes,
        ratio=one.ratio,
        stored_ratio=one.stored_ratio,
        achieved_ratio=beside.get((one.codec.name, one.codec.level, one.block_bytes)),
        speeds=tuple(Speed(**asdict(speed)) for speed in one.speeds),
    )
