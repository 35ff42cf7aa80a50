"""A replica set made of fresh mongods: begun, waited for, and what it says of itself."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ansible.module_utils.pressgauge.failures import Failure

if TYPE_CHECKING:
    from ansible.module_utils.pressgauge.mongods.servers import Server

    Document = dict[str, Any]

_POLL_S = 0.1
_LOOK_EVERY_S = 2.0
_FIRST_ELECTION_MS = 2000  # the engine waits so long for a primary that can't be there yet
_USUAL_ELECTION_MS = 10_000
_PRIMARY, _SECONDARY, _DOWN = 1, 2, 8
_TIMED_OUT = 64  # the code of a write concern that was not reached in time


def initiate(server: Server, name: str, members: list[str], timeout_s: float) -> None:
    """Begin the set from its first member, which becomes the primary; wait until it is, and can be written to.

    `members` are addresses with ports. Whoever is reached through `server` may not be authenticated yet, so this asks
    for nothing else. Raises Failure (engine) when it takes too long.
    """
    config: Document = {
        "_id": name,
        "members": [
            {"_id": number, "host": host, "priority": 2 if number == 0 else 1} for number, host in enumerate(members)
        ],
        "settings": {"electionTimeoutMillis": _FIRST_ELECTION_MS},
    }
    server.command("admin", {"replSetInitiate": config}, timeout_s=timeout_s)
    deadline = time.monotonic() + timeout_s
    while not server.command("admin", {"hello": 1}).get("isWritablePrimary"):
        if time.monotonic() > deadline:
            raise Failure(
                "engine",
                f"{members[0]} did not become the primary of {', '.join(members)} within {timeout_s:.0f} s; "
                "see that the members reach each other under these addresses",
            )
        time.sleep(_POLL_S)


def be_patient(server: Server, timeout_s: float) -> None:
    """Give the set the engine's usual patience with a silent primary: the first election alone is to be quick.

    On a busy host the first member may have lost its place in the meantime; by its priority it gets it back. Raises
    Failure (engine) when it does not in time.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        config = server.command("admin", {"replSetGetConfig": 1})["config"]
        config["version"] += 1
        config["settings"]["electionTimeoutMillis"] = _USUAL_ELECTION_MS
        try:
            server.command("admin", {"replSetReconfig": config}, timeout_s=timeout_s)
        except Failure:
            if time.monotonic() > deadline:
                raise
            time.sleep(_POLL_S)
        else:
            return


def await_members(server: Server, count: int, timeout_s: float) -> None:
    """Wait until every member holds the data; raises Failure (engine) when one does not in time."""
    deadline = time.monotonic() + timeout_s
    while True:
        states = {one["name"]: one["state"] for one in _status(server)["members"]}
        ready = [name for name, state in states.items() if state in (_PRIMARY, _SECONDARY)]
        if len(ready) == count:
            return
        if time.monotonic() > deadline:
            missing = ", ".join(sorted(set(states) - set(ready)))
            raise Failure("engine", f"{missing} did not join the replica set within {timeout_s:.0f} s")
        time.sleep(_POLL_S)


def await_data(server: Server, timeout_s: float) -> None:
    """Wait until the mongod serves all data: as a secondary, a primary, or alone. Nobody has to be authenticated.

    Raises Failure (engine) when it does not in time.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        said = server.command("admin", {"hello": 1})
        if said.get("secondary") or said.get("isWritablePrimary"):
            return
        if time.monotonic() > deadline:
            raise Failure("engine", f"the member did not come to hold all data within {timeout_s:.0f} s")
        time.sleep(_POLL_S)


def settle(server: Server, count: int, timeout_s: float) -> None:
    """Wait until every member has what the primary has now.

    Raises Failure (engine), naming who is lost, when a member can't be reached or does not catch up in time.
    """
    deadline = time.monotonic() + timeout_s
    look_every_ms = int(min(_LOOK_EVERY_S, timeout_s) * 1000)
    while error := _unacknowledged(server, {"w": count, "wtimeout": look_every_ms}):
        lost = [one["name"] for one in _status(server)["members"] if one["state"] == _DOWN]
        if lost:
            raise Failure("engine", f"the set has lost {', '.join(lost)}")
        if error["code"] != _TIMED_OUT or time.monotonic() > deadline:
            raise Failure("engine", f"not every member caught up: {error['errmsg']}")


def _unacknowledged(server: Server, write_concern: Document) -> Document | None:
    """Why a note in the set's log was not acknowledged as asked; None when it was."""
    note = {"appendOplogNote": 1, "data": {"pressgauge": "settled"}, "writeConcern": write_concern}
    return server.command("admin", note).get("writeConcernError")


def account(server: Server) -> Document:
    """The set as this member sees it: term, primary, states, and the number that every roll-back moves."""
    status = _status(server)
    return {
        "term": int(status["term"]),
        "primary": next((one["name"] for one in status["members"] if one["state"] == _PRIMARY), None),
        "states": {one["name"]: one["stateStr"] for one in status["members"]},
        "rollback_id": int(server.command("admin", {"serverStatus": 1, "metrics": 0})["repl"]["rbid"]),
    }


def _status(server: Server) -> Document:
    return server.command("admin", {"replSetGetStatus": 1})
