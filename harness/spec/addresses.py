"""Where a mongod listens, and on which cores it runs, as a spec may say it. Pure."""

from __future__ import annotations

import re
from ipaddress import IPv6Address, ip_address

from core.cpus import cores_of

_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_HOST_NAME = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})*")
_CHARACTERS = re.compile(r"[A-Za-z0-9_.:%-]+")  # of a scope, as in fe80::1%eth0, too
# As the last label: resolvers take `0`, `0x0` and `127.1` for addresses.
_LIKE_A_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")


def check_bind_ip(bind_ip: str) -> str:
    """Addresses or host names, comma between them, none of which stands for all addresses; else a ValueError."""
    for part in bind_ip.split(","):
        _check_address(part.strip(" "))
    return bind_ip


def _check_address(text: str) -> None:
    try:
        address = ip_address(text) if _CHARACTERS.fullmatch(text) else None
    except ValueError:
        address = None
    named = _HOST_NAME.fullmatch(text) and not _LIKE_A_NUMBER.fullmatch(text.rpartition(".")[2])
    if address is None and not named:
        raise ValueError(f"{text[:60]!r} is neither an address nor a host name")
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    if address is not None and address.is_unspecified:
        raise ValueError("name the addresses: a mongod never listens on all of them")


def check_cpus(cpus: str) -> str:
    """Cores and ranges of cores, comma between them, each from the lower to the higher; else a ValueError."""
    cores_of(cpus)
    return cpus
