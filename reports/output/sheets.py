"""CSV for spreadsheets, which take a text that begins like a formula for one, and compute it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analysis.stats.quantities import block_number
from core.text import shown

if TYPE_CHECKING:
    import pandas as pd

_FORMULA = ("=", "+", "-", "@", "\t")


def numbered(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with its blocks numbered as people number them, and as the page and the trials' names do: from 1."""
    return frame.assign(block=frame["block"].map(block_number)) if "block" in frame.columns else frame


def csv_text(frame: pd.DataFrame) -> str:
    """The frame as CSV. A text that a spreadsheet would compute has an apostrophe before it; numbers stay as they are.

    No other column is changed by it, and the Parquet files beside it hold every text as it was.
    """
    texts = {name: frame[name].map(_cell) for name in frame.columns if frame[name].dtype.kind not in "biufcmM"}
    return frame.assign(**texts).to_csv(index=False, lineterminator="\n")


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = shown(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
