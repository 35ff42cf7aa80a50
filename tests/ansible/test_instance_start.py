"""How mongod is started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ansible.library.mongod_instance import _launch  # type: ignore[import-not-found,unused-ignore]

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_what_stands_in_the_environment_changes_no_mongod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GLIBC_TUNABLES", "LD_LIBRARY_PATH", "MALLOC_ARENA_MAX"):
        monkeypatch.setenv(name, "meddling")
    mongod = tmp_path / "engine/bin/mongod"
    mongod.parent.mkdir(parents=True)
    (tmp_path / "engine/lib").mkdir()
    mongod.write_text("#!/bin/sh\nenv\n")
    mongod.chmod(0o755)
    _launch(mongod, tmp_path).wait()
    said = (tmp_path / "console.log").read_text()
    assert "meddling" not in said
    assert f"LD_LIBRARY_PATH={tmp_path}/engine/lib\n" in said
