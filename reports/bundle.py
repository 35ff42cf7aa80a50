"""Vega, Vega-Lite and Vega-Embed as one script for the page: made offline by vl-convert, once for each version."""

from __future__ import annotations

import contextlib
import os
import tempfile
from importlib.metadata import version
from pathlib import Path

import vl_convert

_SNIPPET = "window.vegaEmbed = vegaEmbed;"
CACHE = Path(__file__).parent.parent / ".pressgauge" / "reports"


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


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that it appears whole or not at all. Raises OSError."""
    data = content.encode() if isinstance(content, str) else content
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
