"""Commands to a mongod on this host.

Not through the driver: its import, and the monitoring thread that it waits for at exit, cost 0.7 s in every task,
several seconds in a trial. What a task asks is one OP_MSG there and one back; BSON is the driver's.
"""

from __future__ import annotations

import socket
import ssl
import struct
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.scram import MECHANISM, ScramClient, ScramError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Document = dict[str, Any]

LOOPBACK = "127.0.0.1"  # every instance listens here beside its own address: a first user can be made from here alone
USER = "pressgauge"
UNAUTHORIZED = 13
_OP_MSG = 2013
_HEADER = struct.Struct("<iiii")  # length of all, request, response to, operation
_CONNECT_TIMEOUT_S = 5
_ANSWER_TIMEOUT_S = 30.0
LONG_S = 600.0
"""For commands that move data, such as checkpoints."""
_ANY_MEMBER = {"$readPreference": {"mode": "primaryPreferred"}}  # or a replica set's secondary answers nothing


@dataclass(frozen=True)
class Credentials:
    """A user of the server's admin database; the password is kept out of what is printed."""

    password: str = field(repr=False)
    user: str = USER


class Server:
    """A connection to the one mongod at this address, authenticated where credentials are given.

    With `authority`, the file of its certificate, the connection is encrypted, and the server has to show one that this
    authority has signed for the address.

    A mongod that is silent for `timeout_s` while it is asked something hangs.

    Raises OSError when nothing listens there or it is not known to the authority, Failure (engine) when it hangs, or
    does not accept the credentials.
    """

    def __init__(
        self,
        port: int,
        credentials: Credentials | None = None,
        *,
        host: str = LOOPBACK,
        authority: str | Path | None = None,
        timeout_s: float = _ANSWER_TIMEOUT_S,
    ) -> None:
        self._timeout_s = timeout_s
        self._socket = socket.create_connection((host, port), timeout=_CONNECT_TIMEOUT_S)
        try:
            if authority:
                context = ssl.create_default_context(cafile=authority)
                with self._answering("a TLS handshake", timeout_s):
                    self._socket = context.wrap_socket(self._socket, server_hostname=host)
            if credentials:
                self.authenticate(credentials)
        except BaseException:
            self._socket.close()
            raise

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def command(self, database: str, command: Document, *, timeout_s: float | None = None) -> Document:
        """The answer to a command, to be had within the connection's time or this one.

        Raises Failure (engine, with the server's `code`) when the server refuses it, Failure (engine) when it hangs,
        after which the connection is of no use any more, and OSError when it is gone.
        """
        bson = _bson()
        name = next(iter(command))
        body = b"\0\0\0\0\0" + bson.encode({**command, "$db": database, **_ANY_MEMBER})  # no flags; one section
        with self._answering(name, timeout_s or self._timeout_s):
            self._socket.sendall(_HEADER.pack(_HEADER.size + len(body), 1, 0, _OP_MSG) + body)
            length, *_ = _HEADER.unpack(self._receive(_HEADER.size))
            answer: Document = bson.decode(self._receive(length - _HEADER.size)[5:])
        if answer.get("ok") != 1:
            said = answer.get("errmsg", answer)
            raise Failure("engine", f"mongod refused {name}: {said}", code=answer.get("code"))
        return answer

    def authenticate(self, credentials: Credentials) -> None:
        """Make this connection the user's; raises Failure (engine) when the server or the user is another one."""
        client = ScramClient(credentials.user, credentials.password)
        try:
            start = {"saslStart": 1, "mechanism": MECHANISM, "payload": client.first()}
            answer = self.command("admin", {**start, "options": {"skipEmptyExchange": True}})
            conversation = answer["conversationId"]
            proof = client.final(bytes(answer["payload"]))
            answer = self.command("admin", {"saslContinue": 1, "conversationId": conversation, "payload": proof})
            client.check(bytes(answer["payload"]))
        except (ScramError, KeyError) as error:
            raise Failure("engine", f"mongod can't be authenticated with: {error}") from error

    def admit(self, credentials: Credentials) -> None:
        """Make the user, as the server's first, where there is none yet; then authenticate as that user.

        A server lets anyone on its own host make the first user, and nobody anything else. So whoever is quicker than
        we are makes this fail, and gets no data.
        """
        user = {"createUser": credentials.user, "pwd": credentials.password, "mechanisms": [MECHANISM]}
        try:
            self.command("admin", {**user, "roles": ["root"]})
        except Failure as refusal:
            if refusal.facts.get("code") != UNAUTHORIZED:  # refused because there are users already
                raise
        self.authenticate(credentials)

    @contextmanager
    def _answering(self, what: str, timeout_s: float) -> Iterator[None]:
        self._socket.settimeout(timeout_s)
        try:
            yield
        except TimeoutError as error:
            self._socket.close()  # a late answer must not be taken for the next one's
            raise Failure("engine", f"mongod hangs: it did not answer {what} within {timeout_s:g} s") from error

    def _receive(self, length: int) -> bytes:
        received = bytearray()
        while len(received) < length:
            part = self._socket.recv(length - len(received))
            if not part:
                raise ConnectionResetError("mongod closed the connection")
            received += part
        return bytes(received)


def _bson() -> Any:
    try:
        import bson  # noqa: PLC0415  (a host without it gets a sentence, no traceback)
    except ImportError as error:
        raise Failure(
            "host", "this host's Python has no pymongo; install it, or set ansible_python_interpreter to one that has"
        ) from error
    return bson
