"""Hosts that SSH doesn't reach: which one, why, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from tests.harness.commands import harness

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.real


def test_a_host_that_is_not_there_is_named(tmp_path: Path) -> None:
    where = tmp_path / "hosts.yml"
    place = {"ansible_host": "127.0.0.1", "ansible_port": 1, "pressgauge_home": str(tmp_path / "there")}
    groups = {name: {"hosts": {"lost": place | {"pressgauge_address": "127.0.0.1"}}} for name in ("db", "clients")}
    where.write_text(yaml.safe_dump(groups), encoding="utf-8")
    ran = harness("doctor", "smoke", "--inventory", where, "--home", tmp_path / "home")
    assert ran.code == 3
    assert "lost can't be reached" in ran.err
    assert "Connection refused" in ran.err
    assert "see that `ssh` reaches lost without a question" in ran.err
    assert not (tmp_path / "there").exists()
