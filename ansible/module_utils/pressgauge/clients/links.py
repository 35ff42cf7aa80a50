"""Measuring the link between two hosts: round trip, difference of clocks, bandwidth either way.

One side answers for a while, the other asks. A request is a letter and a length: `p` is answered with the clock, `u`
with the clock once so many bytes have come, `d` with so many bytes.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from dataclasses import dataclass

_REQUEST = struct.Struct("<cq")
_CLOCK = struct.Struct("<d")
_CHUNK = 1 << 16
_PINGS = 40
_LIMIT_S = 10.0


@dataclass(frozen=True)
class Link:
    """What was found of a link, from the asking side."""

    round_trip_s: float
    clock_ahead_s: float
    up_bytes_per_s: float
    down_bytes_per_s: float


def answer(address: str, port: int, lifetime_s: float) -> None:
    """Let a process of its own answer at this address, for so long at most; returns once it listens.

    Raises OSError where the address can't be listened on.
    """
    listener = socket.create_server((address, port))
    if os.fork():
        listener.close()
        return
    os.setsid()
    _quiet()
    deadline = time.monotonic() + lifetime_s
    try:
        while (left := deadline - time.monotonic()) > 0:
            listener.settimeout(left)
            asking, _ = listener.accept()
            with asking:
                asking.settimeout(_LIMIT_S)
                if not _serve(asking):
                    break
    except OSError:
        pass  # its time is over, or who asked is gone
    finally:
        os._exit(0)


def _quiet() -> None:
    """Let go of Ansible's pipes: it waits until nobody holds them."""
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)


def _serve(asking: socket.socket) -> bool:
    """Answer one connection's requests; False when it asks to end."""
    asking.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while request := _receive(asking, _REQUEST.size):
        what, length = _REQUEST.unpack(request)
        if what == b"q":
            return False
        if what == b"d":
            asking.sendall(bytes(length))
        else:
            _take(asking, length)
            asking.sendall(_CLOCK.pack(time.time()))
    return True


def measure(address: str, port: int, volume_bytes: int) -> Link:
    """Ask the other side: the shortest of many round trips, and the clock it was answered with; then volume.

    Raises OSError when nobody answers.
    """
    with socket.create_connection((address, port), timeout=_LIMIT_S) as link:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        trips = sorted(_ping(link) for _ in range(_PINGS))
        began = time.monotonic()
        link.sendall(_REQUEST.pack(b"u", volume_bytes))
        link.sendall(bytes(volume_bytes))
        _receive(link, _CLOCK.size)
        up_s = time.monotonic() - began
        began = time.monotonic()
        link.sendall(_REQUEST.pack(b"d", volume_bytes))
        _take(link, volume_bytes)
        down_s = time.monotonic() - began
    return Link(trips[len(trips) // 2][0], trips[0][1], volume_bytes / up_s, volume_bytes / down_s)


def end(address: str, port: int) -> None:
    """Ask the answering side to end."""
    with socket.create_connection((address, port), timeout=_LIMIT_S) as link:
        link.sendall(_REQUEST.pack(b"q", 0))


def _ping(link: socket.socket) -> tuple[float, float]:
    """A round trip in seconds, and how far this host's clock is ahead of the other's, if both ways take as long."""
    sent = time.time()
    link.sendall(_REQUEST.pack(b"p", 0))
    there = _CLOCK.unpack(_receive(link, _CLOCK.size))[0]
    came = time.time()
    return came - sent, (sent + came) / 2 - there


def _receive(link: socket.socket, length: int) -> bytes:
    """So many bytes; none when the other side has closed."""
    received = bytearray()
    while len(received) < length:
        part = link.recv(length - len(received))
        if not part:
            return b""
        received += part
    return bytes(received)


def _take(link: socket.socket, length: int) -> None:
    left = length
    while left:
        part = link.recv(min(left, _CHUNK))
        if not part:
            raise ConnectionResetError("the other side closed the connection")
        left -= len(part)
