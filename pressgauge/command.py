"""The command `pressgauge`: what `python -m harness` is in a checkout."""

from __future__ import annotations

from harness.__main__ import main

__all__ = ["main"]
