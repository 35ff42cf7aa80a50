"""A real mongod that hangs is told of as the engine's failure, and not waited for without end."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.servers import Credentials, Server
from tests.ansible.mongods import connected, serving

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.real
PORT = 27283
SHORT_S = 0.5


def test_a_mongod_that_hangs(engine: Path, tmp_path: Path) -> None:
    with serving(engine, tmp_path / "db", PORT) as mongod, connected(PORT) as patient, connected(PORT) as server:
        assert server.command("admin", {"fsync": 1}, timeout_s=60)["ok"] == 1
        mongod.send_signal(signal.SIGSTOP)
        with pytest.raises(Failure, match=r"mongod hangs: it did not answer fsync within 0\.5 s") as failure:
            server.command("admin", {"fsync": 1}, timeout_s=SHORT_S)
        assert failure.value.kind == "engine"
        with pytest.raises(OSError, match="Bad file descriptor"):  # which a late answer can't reach
            server.command("admin", {"ping": 1})
        with pytest.raises(Failure, match=r"did not answer saslStart within 0\.5 s"):
            Server(PORT, Credentials("secret"), timeout_s=SHORT_S)
        mongod.send_signal(signal.SIGCONT)
        assert patient.command("admin", {"ping": 1})["ok"] == 1
