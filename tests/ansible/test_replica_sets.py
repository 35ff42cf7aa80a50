"""A real replica set of two: begun, settled, and a member lost, which is named and not waited for."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.mongods import replica_sets
from tests.ansible.mongods import connected, serving

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.real
PORTS = (27281, 27282)


@pytest.fixture
def members(engine: Path, tmp_path: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    with ExitStack() as stack:
        yield [stack.enter_context(serving(engine, tmp_path / str(port), port, "--replSet", "set")) for port in PORTS]


def test_a_lost_member_is_named_and_not_waited_for(members: list[subprocess.Popen[bytes]]) -> None:
    with connected(PORTS[1]), connected(PORTS[0]) as first:
        replica_sets.initiate(first, "set", [f"127.0.0.1:{port}" for port in PORTS], 60)
        replica_sets.await_members(first, 2, 60)
        replica_sets.settle(first, 2, 60)
        assert set(replica_sets.account(first)["states"].values()) == {"PRIMARY", "SECONDARY"}
        with connected(PORTS[1]) as second:  # which is asked for its sizes, though it is not the primary
            assert not second.command("admin", {"hello": 1})["isWritablePrimary"]
            assert second.command("admin", {"dbStats": 1})["ok"] == 1
        with pytest.raises(Failure, match="not every member caught up: Not enough data-bearing nodes"):
            replica_sets.settle(first, 3, 600)
        members[1].kill()
        with pytest.raises(Failure, match=f"the set has lost 127.0.0.1:{PORTS[1]}"):
            replica_sets.settle(first, 2, 600)
