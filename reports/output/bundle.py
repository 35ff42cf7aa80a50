"""Vega, Vega-Lite and Vega-Embed as one script for the page: made offline by vl-convert, once for each version."""

from __future__ import annotations

import contextlib
import os
import stat
from importlib.metadata import version
from pathlib import Path

import vl_convert

from core.files import write_whole

CACHE = Path(__file__).parents[2] / ".pressgauge" / "reports"
"""What rendering keeps for the next time; it may be deleted at any time."""
_SNIPPET = "window.vegaEmbed = vegaEmbed;"


def vega_bundle(cache: Path = CACHE) -> str:
    """The script; it defines `vegaEmbed` on the window. Making it takes some 2 s, so it is kept beside the checkout.

    Browsers will run it, so it is taken from a folder that no other user can write to, or not at all.
    """
    kept = cache / f"vega-{version('vl-convert-python')}-{version('altair')}.js"
    with contextlib.suppress(OSError):
        if _ours_alone(cache):
            return kept.read_text(encoding="utf-8")
    script = vl_convert.javascript_bundle(_SNIPPET)
    with contextlib.suppress(OSError):  # a read-only checkout only costs time
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _ours_alone(cache):
            write_whole(kept, script)
    return script


def _ours_alone(folder: Path) -> bool:
    """Whether it is a folder of this user's, and no link. Raises OSError where there is none."""
    told = folder.lstat()
    others_write = told.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(told.st_mode) and told.st_uid == os.geteuid() and not others_write
