"""Talking to a mongod on this host."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

from ansible.module_utils.pressgauge.failures import Failure

if TYPE_CHECKING:
    from pymongo import MongoClient


def connect(bind_ip: str, port: int, timeout_s: float = 5) -> MongoClient[dict[str, Any]]:
    """A client for the one mongod at this address.

    `timeout_s` bounds finding it, not what is asked of it: a checkpoint may take minutes.
    """
    try:
        from pymongo import MongoClient  # noqa: PLC0415  (a host without it gets a sentence, no traceback)
    except ImportError as error:
        raise Failure(
            "host", "this host's Python has no pymongo; install it, or set ansible_python_interpreter to one that has"
        ) from error
    host, port = client_address(bind_ip, port)
    return MongoClient(
        host, port, directConnection=True, serverSelectionTimeoutMS=int(timeout_s * 1000), connect=False
    )


def answers(bind_ip: str, port: int) -> bool:
    """Whether the mongod at this address answers a ping now."""
    client = connect(bind_ip, port, timeout_s=1)  # loads the driver while mongod starts
    from pymongo.errors import PyMongoError  # noqa: PLC0415  (connect has said so when it is missing)

    with client:
        try:
            socket.create_connection(client_address(bind_ip, port), timeout=1).close()
            client.admin.command("ping")
        except (OSError, PyMongoError):
            return False
    return True


def client_address(bind_ip: str, port: int) -> tuple[str, int]:
    """Where a client on the same host finds a mongod that listens on `bind_ip`."""
    return ("127.0.0.1" if bind_ip in ("0.0.0.0", "*") else bind_ip.split(",")[0]), port  # noqa: S104
