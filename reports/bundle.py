"""Vega, Vega-Lite and Vega-Embed as one script for the page: made offline by vl-convert, once for each version."""

from __future__ import annotations

import contextlib
from importlib.metadata import version
from typing import TYPE_CHECKING

import vl_convert

from reports.files import CACHE, write_whole

if TYPE_CHECKING:
    from pathlib import Path

_SNIPPET = "window.vegaEmbed = vegaEmbed;"


def vega_bundle(cache: Path = CACHE) -> str:
    """The script; it defines `vegaEmbed` on the window. Making it takes some 2 s, so it is kept beside the checkout."""
    kept = cache / f"vega-{version('vl-convert-python')}-{version('altair')}.js"
    with contextlib.suppress(OSError):
        return kept.read_text(encoding="utf-8")
    script = vl_convert.javascript_bundle(_SNIPPET)
    with contextlib.suppress(OSError):  # a read-only checkout only costs time
        cache.mkdir(parents=True, exist_ok=True)
        write_whole(kept, script)
    return script
