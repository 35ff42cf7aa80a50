"""Commands to a mongod on this host, through the driver.

The driver is loaded where a server is asked, so a task that asks none doesn't pay for it.
"""

from __future__ import annotations

import atexit
import socket
import ssl
import sys
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ansible.module_utils.pressgauge.failures import Failure

if TYPE_CHECKING:
    from pathlib import Path

    Document = dict[str, Any]

LOOPBACK = "127.0.0.1"  # every instance listens here beside its own address: a first user can be made from here alone
USER = "pressgauge"
UNAUTHORIZED = 13
_MECHANISM = "SCRAM-SHA-256"
_CONNECT_TIMEOUT_S = 5
_ANSWER_TIMEOUT_S = 30.0
LONG_S = 600.0
"""For commands that move data, such as checkpoints."""
_NEVER_MS = 86_400_000
_POLLS_SINCE = (4, 5)  # before, the driver knows of no other way than to have the server push its news


@dataclass(frozen=True)
class Credentials:
    """A user of the server's admin database; the password is kept out of what is printed."""

    password: str = field(repr=False)
    user: str = USER


class Server:
    """The one mongod at this address, whatever its state in a replica set, asked as a user where credentials are given.

    With `authority`, the file of its certificate, connections are encrypted, and the server has to show one that this
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
        self._options: Document = {"host": host, "port": port}
        if authority:
            self._options |= {"tls": True, "tlsCAFile": str(authority)}
        self._clients: dict[float, Any] = {}
        self._hangs = False
        self._look(host, port, authority)
        try:
            if credentials:
                self.authenticate(credentials)
            else:
                self.command("admin", {"ping": 1})
        except BaseException:
            self._close()
            raise

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def command(self, database: str, command: Document, *, timeout_s: float | None = None) -> Document:
        """The answer to a command, to be had within the connection's time or this one.

        Raises Failure (engine, with the server's `code`) when the server refuses it, Failure (engine) when it hangs,
        and OSError when it is gone.
        """
        errors = _driver().errors
        name, timeout_s = next(iter(command)), timeout_s or self._timeout_s
        try:
            return dict(self._client(timeout_s)[database].command(command))
        except (errors.NetworkTimeout, errors.ServerSelectionTimeoutError) as error:
            self._hangs = True
            why = str(error).partition(", Timeout: ")[0]
            raise Failure("engine", f"mongod hangs: it did not answer {name} within {timeout_s:g} s ({why})") from error
        except errors.PyMongoError as error:
            answer = getattr(error, "details", None)
            if isinstance(error, errors.AutoReconnect) and not answer:
                raise ConnectionResetError(f"mongod closed the connection: {error}") from error
            answer = answer or {}
            said = answer.get("errmsg", error)
            raise Failure("engine", f"mongod refused {name}: {said}", code=answer.get("code")) from error

    def authenticate(self, credentials: Credentials) -> None:
        """Be the user from now on; raises Failure (engine) when the server or the user is another one."""
        self._close()
        self._options |= {
            "username": credentials.user,
            "password": credentials.password,
            "authSource": "admin",
            "authMechanism": _MECHANISM,
        }
        self.command("admin", {"ping": 1})

    def admit(self, credentials: Credentials) -> None:
        """Make the user, as the server's first, where there is none yet; then authenticate as that user.

        A server lets anyone on its own host make the first user, and nobody anything else. So whoever is quicker than
        we are makes this fail, and gets no data.
        """
        user = {"createUser": credentials.user, "pwd": credentials.password, "mechanisms": [_MECHANISM]}
        try:
            self.command("admin", {**user, "roles": ["root"]})
        except Failure as refusal:
            if refusal.facts.get("code") != UNAUTHORIZED:  # refused because there are users already
                raise
        self.authenticate(credentials)

    @staticmethod
    def _look(host: str, port: int, authority: str | Path | None) -> None:
        """Raise OSError where nothing listens or it is not known: the driver would go on trying for all its time."""
        with closing(socket.create_connection((host, port), timeout=_CONNECT_TIMEOUT_S)) as connection:
            if authority:
                ssl.create_default_context(cafile=authority).wrap_socket(connection, server_hostname=host)

    def _client(self, timeout_s: float) -> Any:
        """The driver's client that waits so long for an answer: in older drivers that time is a client's."""
        if timeout_s not in self._clients:
            driver = _driver()
            time_ms = int(timeout_s * 1000)
            quiet = {"serverMonitoringMode": "poll"} if driver.version_tuple >= _POLLS_SINCE else {}
            self._clients[timeout_s] = driver.MongoClient(
                **self._options,
                **quiet,
                directConnection=True,
                retryReads=False,
                retryWrites=False,
                heartbeatFrequencyMS=_NEVER_MS,
                serverSelectionTimeoutMS=time_ms,
                connectTimeoutMS=2 * time_ms,  # the driver's own look at the server, which would cancel ours
                socketTimeoutMS=time_ms,
            )
        return self._clients[timeout_s]

    def _close(self) -> None:
        """Leave the server; one that hangs without a word, for which the driver would wait once more."""
        for client in [] if self._hangs else self._clients.values():
            client.close()
        self._clients = {}


def _driver() -> Any:
    try:
        import pymongo  # noqa: PLC0415  (a host without it gets a sentence, no traceback)
    except ImportError as error:
        raise Failure(
            "host",
            "this host's Python has no pymongo; install it (Debian: python3-pymongo), or set "
            "ansible_python_interpreter to one that has",
        ) from error
    # At exit the driver waits for its monitors, which have been closed and sleep half a second at a time.
    for name in ("pymongo.synchronous.monitor", "pymongo.monitor"):
        atexit.unregister(getattr(sys.modules.get(name), "_shutdown_resources", _driver))
    return pymongo
