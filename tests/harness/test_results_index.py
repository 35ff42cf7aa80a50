"""The index of runs, from folders as a harness leaves them: where figures changed, and what differed there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.ledger.ledger import HOST_FILE, SPEC_FILE
from harness.ledger.results_index import write_results_index
from tests.harness.factory import keep_run

if TYPE_CHECKING:
    from pathlib import Path


def index_of(results: Path) -> str:
    write_results_index(results)
    return (results / "index.html").read_text(encoding="utf-8")


def test_the_first_run_that_changed_and_what_differed_in_it(tmp_path: Path) -> None:
    for day in (1, 2, 3):
        keep_run(tmp_path, day)
    assert "Change points are looked for with 1 more run.\n" in index_of(tmp_path)
    keep_run(tmp_path, 4)
    assert "No change point was found." in index_of(tmp_path)
    changed = [keep_run(tmp_path, day, engine="6.0.27", kernel="6.2", slower=0.5) for day in (5, 6)]
    text = index_of(tmp_path)
    assert '<a href="nightly/20260105T000000Z/report/index.html">20260105T000000Z</a>, after 20260104T000000Z' in text
    assert "storage per document of zstd-6 rose by" in text
    assert "of snappy" not in text
    assert "from the run before: engine 6.0.5 → 6.0.27; host.kernel 6.1 → 6.2.</p>" in text
    (changed[0] / SPEC_FILE).write_text("arms: [")
    assert "The difference from the run before can&#39;t be read." in index_of(tmp_path)


@pytest.mark.parametrize("hosts", [b"[]", b"null", b'{"a": 1}', b'{"a": {"data": []', b"", b"\xff", b"[" * 100_000])
def test_a_damaged_host_file_costs_the_host_and_not_the_index(tmp_path: Path, hosts: bytes) -> None:
    for day in (1, 2, 3, 4, 5):
        keep_run(tmp_path, day, slower=0.5 if day == 5 else 1)
    (tmp_path / "nightly/20260105T000000Z" / HOST_FILE).write_bytes(hosts)
    assert "20260105T000000Z/report/index.html" in index_of(tmp_path)


@pytest.mark.parametrize("linked", ["report", "report/decision.json", HOST_FILE])
def test_a_run_whose_files_are_links_is_in_no_index(tmp_path: Path, linked: str) -> None:
    results = tmp_path / "results"
    for day in (1, 2):
        keep_run(results, day)
    path = results / "nightly/20260102T000000Z" / linked
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    text = index_of(results)
    assert "20260101T000000Z" in text
    assert "20260102T000000Z" not in text
