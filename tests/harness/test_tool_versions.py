"""Which tools stand behind a run's figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.errors import HostError
from harness.run.tool_versions import tool_versions

if TYPE_CHECKING:
    from pathlib import Path


def test_the_load_generator_is_told_by_its_digest(tmp_path: Path) -> None:
    jar = tmp_path / "pressgauge-ycsb.jar"
    jar.write_bytes(b"one build")
    first = tool_versions(jar)
    jar.write_bytes(b"another build")
    second = tool_versions(jar)
    assert first.pop("load generator") != second.pop("load generator")
    assert first == second
    assert first["YCSB core"] == "0.17.0"


def test_one_that_was_never_built_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(HostError, match="the load generator is not there") as raised:
        tool_versions(tmp_path / "pressgauge-ycsb.jar")
    assert "make setup" in raised.value.do
