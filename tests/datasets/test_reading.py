"""What is found again of a live reading that was killed: whole runs, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bson
import pytest

from datasets.collections.appearing import appearing, unfinished
from datasets.collections.live.reading import ASKED, READ, Asked, Reading
from datasets.collections.spool import Run, Spool
from datasets.errors import DatasetError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ASKED_FOR = Asked(
    collection="a.b", uuid="0", member=None, most_bytes=10**6, most_documents=None, run_documents=2, run_bytes=0,
    seed=1, documents=99, bytes=10**7,
)  # fmt: skip
RUNS = [[bson.encode({"_id": 2 * n}), bson.encode({"_id": 2 * n + 1})] for n in range(3)]


def begun(folder: Path, asked: Asked = ASKED_FOR) -> Reading:
    return Reading.begin(Spool(folder / "runs"), asked, on_disk=True)


def cut(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:-size])


DAMAGES: dict[str, tuple[Callable[[Path], object], int]] = {
    "none": (lambda _: None, 3),
    "half a run more": (lambda folder: (folder / "runs").open("ab").write(b"half"), 3),
    "a line that is cut off": (lambda folder: cut(folder / READ, 9), 2),
    "documents that are cut off": (lambda folder: cut(folder / "runs", 1), 2),
    "documents that never reached the disk": (lambda folder: (folder / "runs").write_bytes(bytes(200)), 0),
    "no documents": (lambda folder: (folder / "runs").unlink(), 0),
    "no lines": (lambda folder: (folder / READ).unlink(), 0),
    "what was asked for": (lambda folder: cut(folder / ASKED, 3), 0),
}


@pytest.mark.parametrize(("damage", "left"), DAMAGES.values(), ids=DAMAGES)
def test_whole_runs_are_found_again(damage: Callable[[Path], object], left: int, tmp_path: Path) -> None:
    reading = begun(tmp_path)
    for number, run in enumerate(RUNS):
        told = Run(offset=2 * number, documents=2, bytes=sum(map(len, run)))
        reading.add(10 * number, 10 * number + 2, told, run)
    damage(tmp_path)
    for _ in range(2):
        again = begun(tmp_path, ASKED_FOR.model_copy(update={"documents": 100}))
        assert [one.start for one in again.read] == [0, 10, 20][:left]
        assert list(again.spool.runs() if left else ()) == [b"".join(run) for run in RUNS[:left]]
    again.add(50, 52, Run(offset=9, documents=2, bytes=len(b"".join(RUNS[0]))), RUNS[0])
    assert list(begun(tmp_path).spool.runs())[left:] == [b"".join(RUNS[0])]


@pytest.mark.parametrize(
    "other", [{"seed": 2}, {"uuid": "1"}, {"member": "b:1"}, {"most_bytes": 5}, {"collection": "c"}]
)
def test_what_was_read_for_another_sample_is_none(other: dict[str, object], tmp_path: Path) -> None:
    begun(tmp_path).add(0, 2, Run(offset=0, documents=2, bytes=len(b"".join(RUNS[0]))), RUNS[0])
    assert begun(tmp_path, ASKED_FOR.model_copy(update=other)).read == []
    assert [path.name for path in tmp_path.iterdir()] == [ASKED]


def test_a_folder_is_one_process_at_a_time(tmp_path: Path) -> None:
    with appearing(tmp_path / "sample") as new:
        assert new == unfinished(tmp_path / "sample")
        with pytest.raises(DatasetError, match="another process is taking it"), appearing(tmp_path / "sample"):
            pass
        assert new.exists()
    assert (tmp_path / "sample").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_can_read_is_not_written_to(tmp_path: Path) -> None:
    unfinished(tmp_path / "sample").mkdir()
    unfinished(tmp_path / "sample").chmod(0o755)
    with pytest.raises(DatasetError, match="is not yours alone"), appearing(tmp_path / "sample"):
        pass
    unfinished(tmp_path / "sample").rmdir()
    unfinished(tmp_path / "sample").symlink_to(tmp_path)
    with pytest.raises(DatasetError, match="cannot be written"), appearing(tmp_path / "sample"):
        pass
