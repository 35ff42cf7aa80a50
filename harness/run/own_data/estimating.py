"""An estimate from the source's first document to its rows: sampled, loaded on a host, and computed."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from analysis.estimate import storage
from analysis.estimate.records import Estimate, Index, Price, Row, Source
from analysis.trial.records import Compressor, Settings
from datasets.profiling import of_documents
from harness.errors import EngineError, HostError
from harness.hosts.playbooks import run_playbook
from harness.plan.estimating import (
    INDEXES,
    SAMPLE_BYTES,
    SAMPLE_DOCUMENTS,
    AllLoaded,
    Loaded,
    Shape,
    estimate_vars,
    shapes,
)
from harness.run.own_data import sampling
from harness.run.own_data.profiling import dictionary_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from datasets.collections import Anonymise, Sample, SampleManifest
    from harness.hosts.site import Site
    from harness.run.own_data.sampling import Live
    from harness.spec.engines import Engine

_LONGEST_S = 1800.0
_GB = 1e9
LOG_FILE = "ansible.log"


@dataclass(frozen=True)
class Wanted:
    """What is to be estimated, and with what."""

    name: str
    data: Path | Live
    engine: Engine
    price: Price | None = None
    anonymise: Anonymise | None = None
    sample_bytes: int = SAMPLE_BYTES
    port: int = 27117


def estimate(wanted: Wanted, site: Site, folder: Path, tell: Callable[[str], None]) -> Estimate:
    """Take a sample, load it under each setting on the site's first database host, and estimate.

    `folder` is made, and gets the logs. The sample is in Pressgauge's own folder meanwhile, and gone when this returns
    or raises; but what was read of a live collection stays where it could not be read to the end.

    Raises:
        InputError: the source can't be read, or anonymising it changes too much.
        HostError: the loads failed, or the folder can't be written.
        EngineError: a setting did not take effect.
    """
    began = time.monotonic()
    with site.locked():
        site.tear_down()
        private = site.home / "estimate"
        shutil.rmtree(private, ignore_errors=True)  # a killed estimate's
        try:
            tell("taking the sample")
            sample = sampling.sample(
                sampling.Wanted(wanted.data, wanted.sample_bytes, SAMPLE_DOCUMENTS, anonymise=wanted.anonymise),
                private,
                tell,
            )
            for line in sampling.describe(sample):
                tell(line)
            loads = _load(wanted, sample, site, folder, tell)
            dictionary = dictionary_of(of_documents(sample.documents()))
        except BaseException as error:
            site.tear_down_after(error)
            raise
        finally:
            shutil.rmtree(private, ignore_errors=True)
    found = _estimated(wanted, sample.manifest, loads, began)
    return found.model_copy(update={"dictionary": dictionary})


def _load(
    wanted: Wanted, sample: Sample, site: Site, folder: Path, tell: Callable[[str], None]
) -> Mapping[str, Loaded]:
    """What each load left, by its name."""
    told = estimate_vars(
        wanted.engine, folder, sample.folder / "documents.bson", sample.manifest.indexes,
        port=wanted.port, identity=f"estimate-{folder.name}",
    )  # fmt: skip
    try:
        for mongod in told["mongods"]:
            (folder / mongod["name"]).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HostError(f"{folder}: can't be written: {error.strerror}", do="give another folder: RESULTS=…") from error
    log = folder / LOG_FILE
    outcome = run_playbook(
        "estimate.yml", site.inventory, site.variables() | {"estimate": told},
        on_task=tell, log=log, timeout_s=_LONGEST_S,
    )  # fmt: skip
    if not outcome.ok:
        raise HostError(f"the estimate failed: {outcome.failed_task}: {outcome.message}", do=f"mend it; see {log}")
    every = [answer.parsed(AllLoaded) for answer in outcome.answers_of("mongod_loads")]
    found = {shape.name: shape for mongod in shapes(wanted.engine.version) for shape in mongod}
    for mongod, loaded in zip(told["mongods"], every, strict=True):
        for fault in loaded.faults(Settings.model_validate(mongod["settings"]), found):
            raise EngineError(f"{mongod['name']}: {fault}", do=f"report it, with {log}")
    return {load.name: load for loaded in every for load in loaded.loads}


def _estimated(wanted: Wanted, sample: SampleManifest, loads: Mapping[str, Loaded], began: float) -> Estimate:
    whole = storage.Whole(
        documents=sample.source_documents, bytes=sample.source_bytes,
        sample_documents=sample.documents, sample_bytes=sample.bytes,
    )  # fmt: skip
    indexes = tuple(
        Index(name=name, bytes=size / loads[INDEXES].documents * whole.documents)
        for name, size in loads[INDEXES].index_bytes.items()
    )
    index_bytes = sum(one.bytes for one in indexes)
    rows = [
        _row(shape, loads, whole, index_bytes, wanted.price)
        for mongod in shapes(wanted.engine.version)
        for shape in mongod
    ]
    return Estimate(
        name=wanted.name,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        engine=wanted.engine.version,
        source=Source(
            name=sample.source,
            documents=sample.source_documents,
            bytes=sample.source_bytes,
            bytes_estimated=sample.source_bytes_estimated,
            sample_documents=sample.documents,
            sample_bytes=sample.bytes,
            runs=len(sample.runs),
        ),
        price=wanted.price,
        indexes=indexes,
        rows=tuple(sorted(rows, key=lambda row: (list(Compressor).index(row.compressor), row.level or 0))),
        seconds=time.monotonic() - began,
    )


def _row(
    shape: Shape, loads: Mapping[str, Loaded], whole: storage.Whole, index_bytes: float, price: Price | None
) -> Row:
    load = loads[shape.name]
    pages = np.array(load.pages, dtype=np.int64)
    even = Shape(shape.compressor, shape.level, *[max(shape.leaf_page_max, shape.memory_page_image_max)] * 2)
    sampling = storage.sampling_scatter(np.array(loads[even.name].pages, dtype=np.int64), whole)
    swing = None if shape.even else storage.swing_scatter(pages, whole)
    each = storage.per_document(pages, whole, sampling, swing)
    stored = each.times(whole.documents)
    cost = None
    if price:
        factor = price.per_gb_month * price.replicas / _GB
        beside = index_bytes * factor
        of_documents = stored.times(factor)
        cost = of_documents.model_copy(
            update={key: figure + beside for key, figure in of_documents.model_dump().items()}
        )
    return Row(
        compressor=shape.compressor,
        level=shape.level,
        leaf_page_max=shape.leaf_page_max,
        memory_page_image_max=shape.memory_page_image_max,
        default=shape.default,
        storage_bytes_per_document=each,
        storage_bytes=stored,
        index_bytes=index_bytes,
        monthly_cost=cost,
        load_cpu_s_per_gb=load.cpu_s / load.document_bytes * _GB,
        page_memory_bytes=float(pages[:, 0].sum() / pages[:, 3].sum()),
        page_disk_bytes=float(pages[:, 1].sum() / pages[:, 3].sum()),
        config=shape.config,
    )
