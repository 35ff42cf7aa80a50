#!/usr/bin/python
"""Measure in about a second whether the host is as fast as before.

Compresses a fixed text on one core, and writes and syncs a file that it removes again. What either takes says nothing
by itself; that it changes within a run does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.module_utils.pressgauge.failures import run_module
from ansible.module_utils.pressgauge.host.canaries import cpu_bytes_per_s, disk_bytes_per_s

RETURN = r"""
cpu_bytes_per_s: {type: float, returned: success, description: Bytes compressed by one core.}
disk_bytes_per_s: {type: float, returned: success, description: "Bytes written and synced; null without data_root."}
"""


def act(params: dict[str, Any]) -> dict[str, Any]:
    """Try the processor, then the disk."""
    root = params["data_root"]
    return {
        "changed": False,
        "cpu_bytes_per_s": cpu_bytes_per_s(),
        "disk_bytes_per_s": disk_bytes_per_s(Path(root)) if root else None,
    }


if __name__ == "__main__":
    run_module({"data_root": {"type": "path"}}, act)  # where the disk is tried; left out without it
