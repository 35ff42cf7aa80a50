"""What a server that hangs, refuses, is gone or is none is told as; and real ones."""

from __future__ import annotations

import signal
import socket
import struct
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import bson
import pytest

from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.mongods.servers import Credentials, Server
from harness.spec.load import ROOT
from tests.ansible.mongods import connected, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PORT = 27283
SHORT_S = 0.5
FINE = b"\0\0\0\0\0" + bson.encode({"ok": 1})
NONSENSE = {
    "a negative length": struct.pack("<iiii", -1, 0, 1, 2013),
    "a length beyond all bounds": struct.pack("<iiii", 2**31 - 1, 0, 1, 2013),
    "no operation of the protocol": struct.pack("<iiii", 16 + len(FINE), 0, 1, 7) + FINE,
    "the answer to another request": struct.pack("<iiii", 16 + len(FINE), 0, 99, 2013) + FINE,
    "a document that is none": struct.pack("<iiii", 26, 0, 1, 2013) + bytes(5) + b"\xff\xff\xff\x7f\0",
}
ALONE = """
import sys
import ansible, ansible.module_utils
ansible.__path__.append(sys.argv[1] + "/ansible")
ansible.module_utils.__path__.append(sys.argv[1] + "/ansible/module_utils")
from ansible.module_utils.pressgauge.mongods.servers import Server
"""


@contextmanager
def answering(answer: bytes) -> Iterator[int]:
    """The port of a server that gives this answer, whatever it is asked."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return  # the test is over
                with connection:
                    connection.settimeout(SHORT_S)
                    try:
                        while connection.recv(65536):
                            connection.sendall(answer)
                    except OSError:
                        continue  # whoever asked is gone

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.mark.parametrize("answer", NONSENSE.values(), ids=NONSENSE.keys())
def test_a_server_that_is_no_mongod(answer: bytes) -> None:
    with answering(answer) as port, pytest.raises(Failure) as failure:
        Server(port, timeout_s=SHORT_S).command("admin", {"ping": 1})
    assert failure.value.kind == "engine"


def test_a_password_is_not_printed() -> None:
    assert "pencil" not in repr(Credentials("pencil"))


def test_a_host_without_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymongo", None)
    with answering(b"") as port, pytest.raises(Failure, match="python3-pymongo") as failure:
        Server(port)
    assert failure.value.kind == "host"


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(ConnectionRefusedError):
        Server(port)


def test_a_task_that_asks_no_server_does_not_load_the_driver() -> None:
    command = [sys.executable, "-c", ALONE + "print('pymongo' in sys.modules)", str(ROOT)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.real
def test_a_mongod_that_hangs(engine: Path, tmp_path: Path) -> None:
    with serving(engine, tmp_path / "db", PORT) as mongod, connected(PORT) as patient, connected(PORT) as server:
        assert server.command("admin", {"fsync": 1}, timeout_s=60)["ok"] == 1
        mongod.send_signal(signal.SIGSTOP)
        with pytest.raises(Failure, match=r"mongod hangs: it did not answer fsync within 0\.5 s") as failure:
            server.command("admin", {"fsync": 1}, timeout_s=SHORT_S)
        assert failure.value.kind == "engine"
        with pytest.raises(Failure, match=r"did not answer hello within 0\.5 s"):
            server.command("admin", {"hello": 1}, timeout_s=SHORT_S)
        with pytest.raises(Failure, match=r"did not answer ping within 0\.5 s"):
            Server(PORT, Credentials("secret"), timeout_s=SHORT_S)
        mongod.send_signal(signal.SIGCONT)
        assert patient.command("admin", {"ping": 1})["ok"] == 1
        assert "isWritablePrimary" in server.command("admin", {"hello": 1})  # and is no late answer to fsync


@pytest.mark.real
def test_a_first_user_is_made_once_and_then_asked_for(engine: Path, tmp_path: Path) -> None:
    with serving(engine, tmp_path / "db", PORT, "--auth") as mongod:
        with connected(PORT) as server:
            with pytest.raises(Failure, match="mongod refused serverStatus") as failure:
                server.command("admin", {"serverStatus": 1})
            assert failure.value.facts["code"] == 13
            server.admit(Credentials("secret"))
            assert server.command("admin", {"serverStatus": 1})["ok"] == 1
        with connected(PORT) as second, pytest.raises(Failure, match="Authentication failed"):
            second.admit(Credentials("another"))
        with connected(PORT) as third:
            third.admit(Credentials("secret"))
        left_at_once = """
import pymongo.periodic_executor
pymongo.periodic_executor.PeriodicExecutor.join = lambda *_: print("waits for a monitor")
with Server(int(sys.argv[2])) as server:
    print(server.command("admin", {"hello": 1})["ok"])
"""
        command = [sys.executable, "-c", ALONE + left_at_once, str(ROOT), str(PORT)]
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "1.0\n"
        with Server(PORT, Credentials("secret")) as server:
            mongod.kill()
            mongod.wait()
            with pytest.raises(OSError, match="closed the connection"):
                server.command("admin", {"serverStatus": 1})
