"""The feature compatibility version, which MongoDB raises by hand, one major release at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.mongods.servers import LONG_S

if TYPE_CHECKING:
    from ansible.module_utils.pressgauge.mongods.servers import Server

_CONFIRMED_SINCE = 7


def raise_compatibility(server: Server, version: str) -> dict[str, Any]:
    """Let the server use its own release's formats; says which version it is, and the compatibility before and after.

    Raises Failure (engine) when the server is of another version, or does not take its own release's compatibility.
    """
    told = server.command("admin", {"buildInfo": 1})["version"]
    if told != version:
        raise Failure("engine", f"the engine that took over the files is {told}; expected {version}")
    release = ".".join(version.split(".")[:2])
    before = compatibility(server)
    if before != release:
        confirm = {"confirm": True} if int(version.partition(".")[0]) >= _CONFIRMED_SINCE else {}
        server.command("admin", {"setFeatureCompatibilityVersion": release, **confirm}, timeout_s=LONG_S)
    after = compatibility(server)
    if after != release:
        raise Failure("engine", f"mongod {version} stays at the feature compatibility version {after}")
    return {"version": told, "fcv_before": before, "fcv": after}


def compatibility(server: Server) -> str | None:
    """The feature compatibility version in force."""
    answer = server.command("admin", {"getParameter": 1, "featureCompatibilityVersion": 1})
    found = answer["featureCompatibilityVersion"].get("version")
    return None if found is None else str(found)
