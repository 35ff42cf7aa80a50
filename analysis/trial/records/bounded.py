"""Bounds that several parts of a record share."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from core.bounds import Figure, Word

Few = Field(max_length=100)
Counters = Annotated[dict[Word, Figure | None], Field(max_length=500)]
