"""What a mongod is asked of itself, and bytes by class of file."""

from pathlib import Path
from typing import Any

import pytest

from ansible.module_utils.pressgauge.mongods.snapshots import file_bytes, in_force


def test_files_fall_into_classes_by_wiredtigers_names(tmp_path: Path) -> None:
    files = {
        "collection-0-123.wt": 1, "collection-7--5.wt": 2, "index-1-123.wt": 4, "WiredTigerHS.wt": 8,
        "journal/WiredTigerLog.0000000001": 16, "journal/WiredTigerPreplog.0000000001": 32,
        "diagnostic.data/metrics.interim": 64, "WiredTiger.wt": 128, "sizeStorer.wt": 256, "collection-9.tmp": 512,
    }  # fmt: skip
    for name, size in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x" * size)
    assert file_bytes(tmp_path) == {
        "collection": 3, "index": 4, "history_store": 8, "journal": 16, "journal_preallocated": 32, "diagnostic": 64,
        "other": 896,
    }  # fmt: skip


OPLOG_BYTES = 990 * 2**20
INDEXES = {"_id_": "leaf_page_max=16k", "a_1": "leaf_page_max=8k"}


class Told:
    """A server that answers as mongod 6.0.5 did, a member of a replica set or not."""

    def __init__(self, *, member: bool) -> None:
        self.member = member

    def command(self, database: str, command: dict[str, Any]) -> dict[str, Any]:
        name = next(iter(command))
        if name == "aggregate":
            if database == "local":
                assert self.member, "a mongod alone has no oplog to ask for"
                statistics: dict[str, Any] = {"capped": True, "maxSize": OPLOG_BYTES}
            else:
                details = {
                    "_id_": {"creationString": "leaf_page_max=16k"},
                    "a_1": {"creationString": "leaf_page_max=8k"},
                }
                statistics = {"wiredTiger": {"creationString": "leaf_page_max=32KB"}, "indexDetails": details}
            return {"cursor": {"firstBatch": [{"storageStats": statistics}]}}
        answers: dict[str, dict[str, Any]] = {
            "buildInfo": {"version": "6.0.5"},
            "serverStatus": {"storageEngine": {}} | ({"repl": {"setName": "x"}} if self.member else {}),
            "getParameter": {"journalCommitInterval": 30, "syncdelay": 60.0, "a": 5, "other": 6},
            "getCmdLineOpts": {"parsed": {}},
        }
        return answers[name]


@pytest.mark.parametrize("member", [True, False])
def test_indexes_journal_and_oplog_are_told(*, member: bool) -> None:
    found = in_force(Told(member=member), "pressgauge", "usertable", "opened", ["a", "b"])  # type: ignore[arg-type]
    assert found["format_version"] == 2
    assert found["index_creation_strings"] == INDEXES
    assert found["oplog_max_bytes"] == (OPLOG_BYTES if member else None)
    assert found["parameters"] == {"journalCommitInterval": 30, "syncdelay": 60.0}
    assert found["asked_parameters"] == {"a": 5, "b": None}
