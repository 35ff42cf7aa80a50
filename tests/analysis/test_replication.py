"""What voids a trial on a replica set."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.trial.records import Maintenance, Member, MemberMoment, Sizes
from analysis.trial.replication import replication_faults

SIZES = Sizes(
    moment="loaded",
    documents=1,
    data_size_bytes=1,
    storage_size_bytes=1,
    free_storage_size_bytes=None,
    index_size_bytes=1,
    files_bytes={},
)


def moment(name: str, **changes: Any) -> MemberMoment:
    states = {"a:1": "PRIMARY", "b:1": "SECONDARY"}
    told = {"term": 1, "primary": "a:1", "states": states, "rollback_id": 1, **changes}
    return MemberMoment(moment=name, sizes=SIZES, counters={}, **told)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, None),
        ({"term": 2}, "election"),
        ({"primary": "b:1", "term": 2}, "election"),
        ({"primary": None}, "election"),
        ({"rollback_id": 2}, "roll-back"),
        ({"states": {"a:1": "PRIMARY", "b:1": "(not reachable/healthy)"}}, "member-lost"),
    ],
)
def test_what_happened_between_two_moments(changes: dict[str, Any], code: str | None) -> None:
    member = Member(name="b:1", moments=(moment("loaded"), moment("after-rmw", **changes)))
    assert [fault.code for fault in replication_faults([member])] == ([code] if code else [])


@pytest.mark.parametrize(
    ("member", "workload", "codes"),
    [("b:1", "reads", []), ("a:1", "reads", ["roll-back"]), ("b:1", "rmw", ["roll-back"])],
)
def test_a_member_that_copied_everything_anew_has_rolled_nothing_back(
    member: str, workload: str, codes: list[str]
) -> None:
    left = SIZES.model_copy(update={"moment": f"before-{workload}"})
    done = Maintenance(workload=workload, kind="initial-sync", member=member, seconds=1, sizes=left)
    found = Member(name="b:1", moments=(moment("loaded"), moment("before-reads", rollback_id=2)))
    assert [fault.code for fault in replication_faults([found], [done])] == codes


def test_a_mongod_alone_has_no_members() -> None:
    assert list(replication_faults([])) == []
