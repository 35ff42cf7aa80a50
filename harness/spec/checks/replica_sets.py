"""What only a replica set has, and what its clients may not ask together; each fault with the key it is at."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.spec.campaign import Campaign
    from harness.spec.mixes.own import AnyMix
    from harness.spec.yaml_source import Fault

_OF_SETS = ("oplog_size", "read_concern", "read_preference", "retry_writes")
_ALONE_TOO = (None, False, "local", "available", "primary")
"""What a mongod alone has, too."""


def set_checks(campaign: Campaign) -> Iterator[Fault]:
    """Settings that a mongod alone does not have, and reads that no member answers."""
    if campaign.topology.kind != "replica-set":
        for at, key, value in _asked(campaign):
            if value not in _ALONE_TOO:
                yield (
                    at,
                    f"{key.replace('_', ' ')}: only with `topology: {{kind: replica-set}}`, a mongod alone has none",
                )
    for name in campaign.arms:
        if campaign.of_arm(name, "read_concern") == "linearizable" and _preference(campaign, name) != "primary":
            yield (
                ("arms", name),
                f"linearizable reads are the primary's, not of read preference {_preference(campaign, name)}",
            )


def stale_checks(campaign: Campaign, mixes: Mapping[str, AnyMix]) -> Iterator[Fault]:
    """Operations that rest on reading what was just written, where a read may return what was there before."""
    for arm in campaign.arms:
        why = _why_stale(campaign, arm)
        for name, mix in mixes.items() if why else ():
            if "read-modify-write" in mix.operations:
                told = "read-modify-writes would write over what they have not read, and be taken for lost writes"
                yield ("workloads", name), f"arms.{arm}: {why}: {told}; use another mix"
            elif "insert" in mix.operations and set(mix.operations) - {"insert", "update"}:
                told = "new documents would not be found by reads"
                yield ("workloads", name), f"arms.{arm}: {why}: {told}; use another mix"


def _why_stale(campaign: Campaign, arm: str) -> str | None:
    """Why a read may not see an acknowledged write; None where each does."""
    concern, members = campaign.arm_write_concern(arm), campaign.topology.member_count
    if _preference(campaign, arm) not in {"primary", "primaryPreferred"} and concern.w != members:
        return f"with read preference {_preference(campaign, arm)} and w: {concern.w}, a member may lag behind"
    if campaign.of_arm(arm, "read_concern") == "majority" and concern.w not in {"majority", members}:
        return f"read concern majority and w: {concern.w} return what most members have, not what was written last"
    return None


def _preference(campaign: Campaign, arm: str) -> str:
    return str(campaign.of_arm(arm, "read_preference"))


def _asked(campaign: Campaign) -> Iterator[tuple[tuple[str, ...], str, object]]:
    """Place, key and value of each such setting, the campaign's and the arms' own."""
    for key in _OF_SETS:
        if hasattr(campaign, key):
            yield (key,), key, getattr(campaign, key)
        for name, arm in campaign.arms.items():
            yield ("arms", name, key), key, getattr(arm, key)
