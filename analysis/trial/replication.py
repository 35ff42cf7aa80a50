"""Whether a replica set stayed what it was while it was measured. Pure."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from analysis.trial.records import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analysis.trial.records import Maintenance, Member


def replication_faults(members: Sequence[Member], maintenance: Sequence[Maintenance] = ()) -> Iterator[Reason]:
    """Elections, roll-backs and lost members between two of the moments at which the members were looked at.

    A member that was emptied in between has a new number of roll-backs.
    """
    emptied = {(one.member, one.sizes.moment) for one in maintenance if one.kind == "initial-sync"}
    for member in members:
        for before, after in pairwise(member.moments):
            if (before.term, before.primary) != (after.term, after.primary):
                yield Reason(
                    code="election",
                    message=f"the primary {before.primary} (term {before.term}) gave way to {after.primary or 'none'} "
                    f"(term {after.term}) between {before.moment} and {after.moment}, as {member.name} saw it",
                )
            if before.rollback_id != after.rollback_id and (member.name, after.moment) not in emptied:
                yield Reason(
                    code="roll-back",
                    message=f"{member.name} rolled writes back between {before.moment} and {after.moment}",
                )
        for moment in member.moments:
            out = [f"{name} {state}" for name, state in moment.states.items() if state not in {"PRIMARY", "SECONDARY"}]
            if out:
                yield Reason(code="member-lost", message=f"{moment.moment}: {', '.join(out)}, as {member.name} saw it")
