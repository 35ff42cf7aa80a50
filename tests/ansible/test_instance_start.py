"""How mongod is started."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from ansible.library.mongod_instance import _launch  # type: ignore[import-not-found,unused-ignore]
from ansible.module_utils.pressgauge.host.processes import environment_variable

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("version", "tunables"),
    [("4.4.2", []), ("7.0.14", []), *((one, ["glibc.pthread.rseq=0"]) for one in ("8.0.4", "9.0.2", "10.0.0"))],
)
def test_what_stands_in_the_environment_changes_no_mongod(
    version: str, tunables: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GLIBC_TUNABLES", "LD_LIBRARY_PATH", "MALLOC_ARENA_MAX"):
        monkeypatch.setenv(name, "meddling")
    mongod = tmp_path / "engine/bin/mongod"
    mongod.parent.mkdir(parents=True)
    (tmp_path / "engine/lib").mkdir()
    mongod.write_text("#!/bin/sh\nenv\n")
    mongod.chmod(0o755)
    _launch(mongod, tmp_path, version).wait()
    said = (tmp_path / "console.log").read_text()
    assert "meddling" not in said
    assert f"LD_LIBRARY_PATH={tmp_path}/engine/lib\n" in said
    lines = said.splitlines()
    assert [line.partition("=")[2] for line in lines if line.startswith("GLIBC_TUNABLES=")] == tunables


def test_a_processs_environment_is_read_back() -> None:
    assert environment_variable(os.getpid(), "NO_SUCH_VARIABLE") is None
    name = next(iter(os.environ))
    assert environment_variable(os.getpid(), name) == os.environ[name]
    assert environment_variable(2**22 + 1, name) is None
