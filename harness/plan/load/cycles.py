"""How many records documents of one's own are enough for: templates are stored in cycles, each with `_id`s of its own.

Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from datasets import TemplatesManifest
from harness.errors import InputError
from harness.plan.load.clients import run_part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from datasets import Prepared
    from harness.plan.load.clients import ClientProcess
    from harness.spec.campaign import Campaign
    from harness.spec.mixes.own import AnyMix

_FIRST = "pressgauge.insertstart"


def check_cycles(
    campaign: Campaign, mixes: Mapping[str, AnyMix], clients: Sequence[ClientProcess], name: str, dataset: Prepared
) -> None:
    """Refuse records, or new ones of run workloads, that no `_id` can be made for. Text has as many as are asked for.

    Raises:
        InputError: the message says how many records there can be.
    """
    if not isinstance(dataset, TemplatesManifest):
        return
    if dataset.ids.cycles is None:
        return
    most = dataset.ids.cycles * dataset.documents
    why = f"datasets.{name}: {_kinds(dataset)}, so there can be {most:,} records of {dataset.documents:,} documents"
    if campaign.records > most:
        raise InputError(f"records: {campaign.records:,}; {why}", do="lower records, or raise the dataset's most_bytes")
    for workload, mix in mixes.items():
        first = max(run_part(one, campaign.records, None).get(_FIRST, campaign.records) for one in clients)
        if mix.inserts and first >= most:
            new = f"new records begin at number {first:,}"
            raise InputError(
                f"workloads.{workload}: {new}; {why}",
                do="lower records, leave inserts out of the mix, or use one client, whose records are without gaps",
            )


def _kinds(dataset: TemplatesManifest) -> str:
    if dataset.ids.kind == "other":
        return "its `_id`s are of several kinds, or of one that no further ones can be made of"
    return f"its `_id`s are of type {dataset.ids.kind}, and overflow"
