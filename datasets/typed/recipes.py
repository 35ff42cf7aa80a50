"""Recipes of documents that are made up: typed, nested, with indexes, so that nothing of one's own is needed."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from datasets.locales import Locales

_Documents = Annotated[int, Field(ge=100, le=10_000_000)]


class _Made(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    documents: _Documents = Field(
        50_000, description="Number of different documents. More records begin anew with them, under other `_id`s."
    )


class FakerProfiles(_Made):
    """Users of a service: names, addresses, settings, a text about oneself; some 700 bytes each."""

    recipe: Literal["faker-profiles"] = Field("faker-profiles", description="Users of a service.")
    locales: Locales = Field(("en_US", "de_DE", "fr_FR", "ja_JP"), description="Of the users. Each locale only once.")


class FakerOrders(_Made):
    """Orders of a shop: a customer, a list of items, an address, what happened so far; some 800 bytes each."""

    recipe: Literal["faker-orders"] = Field("faker-orders", description="Orders of a shop.")
    locales: Locales = Field(("en_US",), description="Of the customers. Each locale only once.")


class FakerEvents(_Made):
    """What visitors of a site do: events of some dozens of sessions at a time; some 400 bytes each."""

    recipe: Literal["faker-events"] = Field("faker-events", description="What visitors of a site do.")
    locales: Locales = Field(("en_US",), description="Of the visitors. Each locale only once.")


TypedRecipe = FakerProfiles | FakerOrders | FakerEvents
