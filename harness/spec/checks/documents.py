"""What a campaign may not ask of one's own documents; each fault with the key it is at. Kept runs need not be read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from analysis.trial.records import DocumentModel
from datasets import DatasetError, DocumentRecipe, OwnDocuments, mean_bytes
from harness.spec.checks.campaign import batch_faults, data_faults
from harness.spec.mixes.ycsb import Mix

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.spec.campaign import Campaign
    from harness.spec.mixes.own import AnyMix
    from harness.spec.yaml_source import Fault


def document_checks(campaign: Campaign) -> Iterator[Fault]:
    """Sources that can't be read, what doesn't fit their documents' size, and a shape that nothing has."""
    own = dict(_own_documents(campaign))
    if len(own) == len(campaign.datasets) and "document" in campaign.model_fields_set:
        yield ("document",), "this is the shape of text, and all datasets are documents of your own; leave it out"
    for name, recipe in own.items():
        try:
            each = mean_bytes(recipe)
        except DatasetError as error:
            absolute = not isinstance(recipe, OwnDocuments) or recipe.path.is_absolute()
            from_here = "" if absolute else f" (seen from {Path.cwd()})"
            yield ("datasets", name, "path"), f"{error}{from_here}"
            continue
        yield from data_faults(campaign, each)
        yield from batch_faults(campaign, each)


def model_checks(campaign: Campaign, mixes: Mapping[str, AnyMix]) -> Iterator[Fault]:
    """Arms of normalised documents beside what knows but one collection: documents, or operations, of one's own,
    which are sent as they are, and compaction."""
    own = [f"only documents of text can be, and datasets.{name} has its own" for name, _ in _own_documents(campaign)]
    own += [f"workload {name!r} has operations of its own" for name, mix in mixes.items() if not isinstance(mix, Mix)]
    compacted = (name for name, workload in campaign.workloads.items() if workload.maintenance == "compact")
    own += [f"before workload {name!r} one collection is compacted" for name in compacted]
    for name, arm in campaign.arms.items() if own else ():
        if arm.model is DocumentModel.NORMALISED:
            yield ("arms", name, "model"), f"these documents can't be normalised: {own[0]}; leave one of them out"


def update_checks(campaign: Campaign, mixes: Mapping[str, AnyMix]) -> Iterator[Fault]:
    """Workloads that update documents of which no path is named."""
    for name, recipe in _own_documents(campaign):
        for workload, mix in mixes.items() if not recipe.update else ():
            if mix.updates:
                message = f"workload {workload!r} updates documents: name the paths that it may write"
                yield ("datasets", name), f"update: {message}, e.g. `update: [status, shipping.city]`"


def _own_documents(campaign: Campaign) -> Iterator[tuple[str, DocumentRecipe]]:
    for name, recipe in campaign.datasets.items():
        if isinstance(recipe, DocumentRecipe):
            yield name, recipe
