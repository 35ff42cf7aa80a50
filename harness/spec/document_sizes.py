"""How large the documents of a campaign's datasets are, about; of one's own by what the source begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datasets import DatasetError, DocumentRecipe, mean_bytes
from harness.errors import InputError

if TYPE_CHECKING:
    from harness.spec.campaign import Campaign


def document_bytes(campaign: Campaign, dataset: str) -> int:
    """Size of one of a dataset's documents in BSON, in bytes, about.

    Raises:
        InputError: it is of one's own documents, and these can't be read any more.
    """
    recipe = campaign.datasets[dataset]
    if not isinstance(recipe, DocumentRecipe):
        return campaign.document.size_bytes
    try:
        return mean_bytes(recipe)
    except DatasetError as error:
        raise InputError(f"datasets.{dataset}: {error}", do="fix the dataset in the spec, or its file") from error


def largest_document_bytes(campaign: Campaign) -> int:
    """That of the dataset with the largest ones. Raises InputError as `document_bytes` does."""
    return max(document_bytes(campaign, dataset) for dataset in campaign.datasets)


def field_count(campaign: Campaign, dataset: str) -> int:
    """How many fields of a document updates tell apart; of one's own documents the paths that they write."""
    recipe = campaign.datasets[dataset]
    return max(1, len(recipe.update)) if isinstance(recipe, DocumentRecipe) else campaign.document.fields
