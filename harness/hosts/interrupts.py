"""Ctrl-C, or another signal to stop: the first one ends the work, the second one the patience with cleaning up."""

from __future__ import annotations

import signal
import time

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SAME_S = 0.5  # make and the terminal may both pass on one keystroke


class SecondInterrupt(KeyboardInterrupt):
    """Asked to stop again while cleaning up: what is not cleaned up yet is left to another process."""


class _Asked:
    """When this process was asked to stop. Signals are the process's own, and so is this."""

    first_at: float | None = None
    again = False


def listen() -> None:
    """From now on SIGINT, SIGTERM and SIGHUP stop this process.

    The first one raises KeyboardInterrupt wherever it comes. Later ones are only noted, for `hurry`: raised just
    anywhere they would end the cleaning up half-way.
    """
    for number in _SIGNALS:
        signal.signal(number, _take)


def be_deaf() -> None:
    """From now on they change nothing: all is told, and one that met the interpreter's end would take the exit code."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def hurry() -> None:
    """Look whether a second signal has come; for loops that clean up, several times a second.

    Raises:
        SecondInterrupt: it has.
    """
    if _Asked.again:
        _Asked.again = False
        raise SecondInterrupt


def _take(*_: object) -> None:
    now = time.monotonic()
    if _Asked.first_at is None:
        _Asked.first_at = now
        raise KeyboardInterrupt
    _Asked.again = _Asked.again or now - _Asked.first_at > _SAME_S
