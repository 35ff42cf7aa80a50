"""Bytes by class of file."""

from pathlib import Path

from ansible.module_utils.pressgauge.snapshots import file_bytes


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
