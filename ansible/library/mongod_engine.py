#!/usr/bin/python
"""Install a mongod of a given version in a directory of its own.

- Leaves <root>/<id>/bin/mongod, lib/ with libraries that the host lacks, and engine.json.
- The version that mongod reports must be the one asked for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.module_utils.pressgauge.failures import run_module
from ansible.module_utils.pressgauge.installing.engines import install

RETURN = r"""
directory: {type: str, returned: success, description: The engine's directory.}
missing_libraries: {type: list, returned: failure for lack of them, description: Shared libraries to install.}
"""

ARGUMENTS: dict[str, Any] = {
    "root": {"type": "path", "required": True},  # The directory of the engines
    # Its id, the version that mongod has to report, its source, and what a spec says of that source.
    "engine": {"type": "dict", "required": True},
}


def act(params: dict[str, Any]) -> dict[str, Any]:
    """Install the engine unless it is there."""
    engine, root = params["engine"], Path(params["root"])
    return {"changed": install(engine, root), "directory": str(root / engine["id"])}


if __name__ == "__main__":
    run_module(ARGUMENTS, act)
