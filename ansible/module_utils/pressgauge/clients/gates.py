"""A client's gate: the socket over which its turns are opened and closed. workloads/java has the other end."""

from __future__ import annotations

import contextlib
import select
import socket
import time
from typing import TYPE_CHECKING

from ansible.module_utils.pressgauge.clients.turns import near

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAME = "gate"
_LOOK_S = 0.1


class ClientGoneError(Exception):
    """The client ended, or said what was not agreed."""


class Gate:
    """One client's gate. It is made before its client, which connects to it."""

    def __init__(self, directory: Path) -> None:
        self.listener = socket.socket(socket.AF_UNIX)
        with near(directory / NAME) as name:
            self.listener.bind(name)
        self.listener.listen(1)
        self.line: socket.socket | None = None
        self.heard = b""
        self.finished = False
        """Whether the client has done all it had to."""
        self.operations = 0
        """Attempted so far, at its last close."""

    def close(self) -> None:
        """Put the sockets away."""
        self.listener.close()
        if self.line:
            self.line.close()

    def await_ready(self, still: Callable[[], bool]) -> None:
        """Return when the client waits at its gate; `still` says whether it is worth waiting."""
        while not _readable(self.listener, _LOOK_S):
            if not still():
                raise ClientGoneError
        self.line, _ = self.listener.accept()
        while self._next(still)[0] != "ready":
            pass

    def open(self, still: Callable[[], bool]) -> float:
        """Let operations begin; the Unix time at which they may."""
        return self._say("open", still)

    def mark(self, still: Callable[[], bool]) -> float | None:
        """Begin to measure; the Unix time from which it does, or None where the client has finished."""
        return None if self.finished else self._say("mark", still)

    def shut(self, still: Callable[[], bool]) -> float | None:
        """Return when no operation is in flight any more, and none begins; the Unix time since when."""
        return None if self.finished else self._say("close", still)

    def pace(self) -> None:
        """From the next turn on operations keep the pace that the client was given; a warm-up needs none."""
        self._send("pace")

    def end(self) -> None:
        """The client has had its last turn."""
        self._send("end")

    def look(self, timeout_s: float) -> None:
        """Wait a little for the client to say that it has finished."""
        if not self.finished and self.line and _readable(self.line, timeout_s):
            self._hear()

    def _say(self, command: str, still: Callable[[], bool]) -> float:
        self._send(command)
        answer = {"open": "opened", "mark": "marked", "close": "closed"}[command]
        while True:
            word, *values = self._next(still)
            if word in (answer, "finished"):
                return float(values[0]) / 1000

    def _send(self, command: str) -> None:
        if self.line is None:
            raise ClientGoneError
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # told by what it says, or does not
            self.line.sendall(f"{command}\n".encode("ascii"))

    def _next(self, still: Callable[[], bool]) -> list[str]:
        while b"\n" not in self.heard:
            if self.line and _readable(self.line, _LOOK_S):
                self._hear()
            elif not still():
                raise ClientGoneError
        line, _, self.heard = self.heard.partition(b"\n")
        return self._understood(line)

    def _hear(self) -> None:
        """Take in what the client says; a `finished` that nobody asked for is taken at once."""
        if self.line is None:
            raise ClientGoneError
        try:
            said = self.line.recv(4096)
        except ConnectionResetError:
            said = b""
        if not said:
            raise ClientGoneError
        self.heard += said
        if self.heard.startswith(b"finished") and b"\n" in self.heard:
            line = self.heard.partition(b"\n")[0]
            self._understood(line)

    def _understood(self, line: bytes) -> list[str]:
        words = line.decode("ascii", "replace").split() or [""]
        try:
            if words[0] in ("closed", "finished"):
                self.operations = int(words[2])
            self.finished = self.finished or words[0] == "finished"
            [float(value) for value in words[1:]]
        except (ValueError, IndexError) as error:
            raise ClientGoneError from error
        return words


def _readable(what: socket.socket, timeout_s: float) -> bool:
    return bool(select.select([what], [], [], timeout_s)[0])


def wait_for(gates: list[Gate], seconds: float) -> None:
    """Wait so long, or until all clients have finished."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        waiting = [gate for gate in gates if not gate.finished]
        if not waiting:
            return
        waiting[0].look(min(left, _LOOK_S))
        for gate in waiting[1:]:
            gate.look(0.0)
