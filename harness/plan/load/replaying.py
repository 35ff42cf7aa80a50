"""A replay as trials are told of it: its recording says how many threads and operations there are. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from datasets.recordings import Traffic
    from harness.plan.load.clients import ClientProcess
    from harness.spec.campaign import Campaign
    from harness.spec.phases import Replay, Workload

_MOST_LEFT_OUT = 8
_ROOM_S = 60


def as_recorded(campaign: Campaign, traffic: Mapping[str, Traffic]) -> Campaign:
    """The campaign with threads and operations of the traffic that its workloads replay, by their names."""
    told = {name: {"threads": one.lanes, "operations": one.count} for name, one in traffic.items()}
    return campaign.model_copy(
        update={
            "workloads": {name: one.model_copy(update=told.get(name, {})) for name, one in campaign.workloads.items()}
        }
    )


def check_replay(
    name: str, workload: Workload, replay: Replay, traffic: Traffic, clients: Sequence[ClientProcess]
) -> None:
    """Refuse a replay that can't be driven as it was recorded.

    Raises:
        InputError: several clients would drive it, or it takes longer than the phase may.
    """
    if len(clients) > 1:
        raise InputError(
            f"workloads.{name}: a recording is replayed by one client, and the inventory has {len(clients)}",
            do="use an inventory with one client",
        )
    if (length_s := replayed_s(replay, traffic)) + _ROOM_S > workload.timeout_s:
        raise InputError(
            f"workloads.{name}.timeout_s: {workload.timeout_s} s, and the recording takes {length_s:.0f} s to replay",
            do=f"give {2 * int(length_s) + 600} s",
        )


def replayed_s(replay: Replay, traffic: Traffic) -> float:
    """How long a replay takes at least, in seconds of its own turns."""
    return 0.0 if replay.speed == "max" else traffic.seconds / replay.speed


def replay_properties(replay: Replay, traffic: Traffic, number: int) -> dict[str, Any]:
    """The properties of a phase that replays traffic; see pressgauge.Replay."""
    return {
        "operationcount": 2**31 - 1,
        "pressgauge.operations": ",".join(traffic.operations),
        "pressgauge.speed": replay.speed if replay.speed == "max" else f"{replay.speed:g}",
        "pressgauge.phase": number,
    }


def traffic_file(traffic: Traffic) -> str:
    """What prepared traffic is called on the clients' hosts."""
    return f"{traffic.digest}.traffic"


def described(name: str, traffic: Traffic) -> Iterator[str]:
    """What is replayed and what is not, each with its share of all requests."""
    left = sum(traffic.left_out.values())
    every = traffic.count + left
    kinds = ", ".join(f"{count:,} {operation}" for operation, count in traffic.operations.items())
    yield (
        f"{name}: {traffic.count:,} of {every:,} requests in {traffic.source} are replayed, those on "
        f"{traffic.collection} ({_share(traffic.count, every)}): {kinds}; sessions: {traffic.sessions:,}, at most "
        f"{traffic.lanes:,} at once; {traffic.seconds:.0f} s"
    )
    if left:
        named = list(traffic.left_out.items())
        shown = [f"{count:,} {why} ({_share(count, every)})" for why, count in named[:_MOST_LEFT_OUT]]
        more = [f"{sum(count for _, count in named[_MOST_LEFT_OUT:]):,} others"] if len(named) > _MOST_LEFT_OUT else []
        yield f"{name}: left out: {', '.join(shown + more)}"
    if traffic.answers < traffic.count:
        yield f"{name}: of {traffic.count - traffic.answers:,} operations the answer is not known"
    if traffic.ending:
        yield f"{name}: {traffic.ending}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %"
