"""A real replica set of two: begun, settled, and a member lost, which is named and not waited for."""

from __future__ import annotations

import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from ansible.module_utils.pressgauge import replica_sets
from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.servers import Server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.real
PORTS = (27281, 27282)


@pytest.fixture
def members(engine: Path, tmp_path: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    running = []
    for port in PORTS:
        (tmp_path / str(port)).mkdir()
        options = ["--replSet", "set", "--dbpath", str(tmp_path / str(port)), "--port", str(port)]
        running.append(subprocess.Popen([str(engine), *options], stdout=subprocess.DEVNULL))
    try:
        yield running
    finally:
        for one in running:
            one.kill()
            one.wait()


def connected(port: int) -> Server:
    deadline = time.monotonic() + 60
    while True:
        try:
            return Server(port)
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_a_lost_member_is_named_and_not_waited_for(members: list[subprocess.Popen[bytes]]) -> None:
    with connected(PORTS[1]), connected(PORTS[0]) as first:
        replica_sets.initiate(first, "set", [f"127.0.0.1:{port}" for port in PORTS], 60)
        replica_sets.await_members(first, 2, 60)
        replica_sets.settle(first, 2, 60)
        assert set(replica_sets.account(first)["states"].values()) == {"PRIMARY", "SECONDARY"}
        with pytest.raises(Failure, match="not every member caught up: Not enough data-bearing nodes"):
            replica_sets.settle(first, 3, 600)
        members[1].kill()
        with pytest.raises(Failure, match=f"the set has lost 127.0.0.1:{PORTS[1]}"):
            replica_sets.settle(first, 2, 600)
