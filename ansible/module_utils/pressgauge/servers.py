"""Commands to a mongod on this host.

Not through the driver: its import, and the monitoring thread that it waits for at exit, cost 0.7 s in every task,
several seconds in a trial. What a task asks is one OP_MSG there and one back; BSON is the driver's.
"""

from __future__ import annotations

import socket
import struct
from typing import TYPE_CHECKING, Any

from ansible.module_utils.pressgauge.failures import Failure

if TYPE_CHECKING:
    Document = dict[str, Any]

_OP_MSG = 2013
_HEADER = struct.Struct("<iiii")  # length of all, request, response to, operation
_CONNECT_TIMEOUT_S = 5


class Server:
    """A connection to the one mongod at this address; no TLS, no authentication.

    Raises OSError when nothing listens there.
    """

    def __init__(self, bind_ip: str, port: int) -> None:
        first = bind_ip.partition(",")[0]
        address = "127.0.0.1" if first in ("0.0.0.0", "*") else first  # noqa: S104  (asked for, not chosen)
        self._socket = socket.create_connection((address, port), timeout=_CONNECT_TIMEOUT_S)
        self._socket.settimeout(None)  # a checkpoint may take minutes

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def command(self, database: str, command: Document) -> Document:
        """The answer to a command; raises Failure (engine) when the server refuses it, OSError when it is gone."""
        bson = _bson()
        name = next(iter(command))
        body = b"\0\0\0\0\0" + bson.encode({**command, "$db": database})  # no flags; one section, the document
        self._socket.sendall(_HEADER.pack(_HEADER.size + len(body), 1, 0, _OP_MSG) + body)
        length, *_ = _HEADER.unpack(self._receive(_HEADER.size))
        answer: Document = bson.decode(self._receive(length - _HEADER.size)[5:])
        if answer.get("ok") != 1:
            raise Failure("engine", f"mongod refused {name}: {answer.get('errmsg', answer)}")
        return answer

    def _receive(self, length: int) -> bytes:
        received = bytearray()
        while len(received) < length:
            part = self._socket.recv(length - len(received))
            if not part:
                raise ConnectionResetError("mongod closed the connection")
            received += part
        return bytes(received)


def serving_pid(bind_ip: str, port: int) -> int | None:
    """The process number of the mongod that answers at this address now; None while none does."""
    _bson()  # loaded while mongod starts
    try:
        with Server(bind_ip, port) as server:
            return int(server.command("admin", {"serverStatus": 1})["pid"])
    except OSError:
        return None


def _bson() -> Any:
    try:
        import bson  # noqa: PLC0415  (a host without it gets a sentence, no traceback)
    except ImportError as error:
        raise Failure(
            "host", "this host's Python has no pymongo; install it, or set ansible_python_interpreter to one that has"
        ) from error
    return bson
