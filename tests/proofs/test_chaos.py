"""The short form of `make chaos`: three kills, and a run as if there had been none."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.proofs.chaos import Chaos, Site

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.real


def test_three_kills(engine: Path, tmp_path: Path) -> None:
    chaos = Chaos(Site(tmp_path, 27392), random.Random(1), within_s=8)
    told = list(chaos.run(["power", "client", "Ansible"]))
    assert told[-1].startswith("run 1: 2 trials as planned")
    assert len(told) == 4
