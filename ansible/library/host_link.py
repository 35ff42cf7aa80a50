#!/usr/bin/python
"""Measure the link between a client's host and a database host.

- `answering` lets a database host answer at the address and port that its instance will have, for a minute at most;
  so what is measured is the very way the clients will take.
- `measured` asks it from a client's host. `ended` lets it end.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ansible.module_utils.pressgauge.clients import links
from ansible.module_utils.pressgauge.failures import Failure, run_module

RETURN = r"""
database: {type: str, returned: when measured, description: As asked.}
link: {type: dict, returned: when measured, description: "round_trip_s (median), clock_ahead_s, bytes per second."}
"""

ARGUMENTS: dict[str, Any] = {
    "state": {"type": "str", "required": True, "choices": ["answering", "measured", "ended"]},
    "address": {"type": "str", "required": True},  # The database host's
    "port": {"type": "int", "required": True},  # Free on the database host
    "database": {"type": "str", "default": ""},  # The database host's name
    "volume_bytes": {"type": "int", "default": 32 << 20},  # Sent either way
}
_LIFETIME_S = 60.0


def act(params: dict[str, Any]) -> dict[str, Any]:
    """Answer, ask or end."""
    address, port = params["address"], params["port"]
    if params["state"] == "answering":
        links.answer(address, port, _LIFETIME_S)
        return {"changed": False}
    if params["state"] == "ended":
        links.end(address, port)
        return {"changed": False}
    try:
        link = links.measure(address, port, params["volume_bytes"])
    except OSError as error:
        raise Failure(
            "host",
            f"the database host can't be reached at {address}:{port} ({error.strerror or error}); fix "
            "pressgauge_address in the inventory, or let clients through on that port",
        ) from error
    return {"changed": False, "database": params["database"], "link": asdict(link)}


if __name__ == "__main__":
    run_module(ARGUMENTS, act)
