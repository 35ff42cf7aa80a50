"""A profile on the terminal and as a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reports import profile_lines, write_profile
from reports.profile_texts import NO_SERVER
from tests.reports.profiled import profiled

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "<script>alert(1)</script>"


def page(tmp_path: Path, **other: str) -> str:
    write_profile(profiled(**other), tmp_path / "index.html")  # type: ignore[arg-type]
    return (tmp_path / "index.html").read_text(encoding="utf-8")


def test_the_tables_have_each_codec_with_its_ratios_and_speeds() -> None:
    told = list(profile_lines(profiled()))
    assert told[0] == (
        "orders.bson: 1,000,000 documents, 953.7 MiB of BSON; 16.0 MiB of it, in 80 s on 2 cores (Fast CPU), load 0.2 "
        "before"
    )
    assert [re.split(r" {2,}", line) for line in told if line.startswith("zstd 1")] == [
        ["zstd 1", "2.20", "2.50"],
        ["zstd 1", "135", "270", "600", "1,200"],
    ]
    assert told[-1] == NO_SERVER


def test_the_dictionary_has_one_line_that_says_what_it_is() -> None:
    (line,) = [line for line in profile_lines(profiled()) if "dictionary" in line]
    assert line == (
        "zstd 6 with a trained dictionary, per document (not available in MongoDB): ratio 3.10; without one 1.40; "
        "blocks of 32 KiB, which hold neighbours, 2.50. The dictionary of 110.0 KiB was trained on one half of the "
        "documents and is measured on the other, 8,000."
    )
    assert not any("dictionary" in line for line in profile_lines(profiled(dictionary=False)))


def test_a_machine_with_other_work_is_told() -> None:
    assert not any("Other work" in line for line in profile_lines(profiled(share=0.97)))
    assert any("had their cores for 60 % of the time" in line for line in profile_lines(profiled(share=0.6)))


def test_the_page_has_heatmaps_and_opens_by_itself(tmp_path: Path) -> None:
    html = page(tmp_path)
    rows = re.findall(r'<th scope="row">(.*?)</th>(.*?)</tr>', html)
    first = {name: [int(shade) for shade in re.findall(r"heat-(\d)", cells)] for name, cells in rows[:4]}
    assert first == {"none": [5, 5], "snappy": [5, 4], "zstd 1": [2, 1], "zstd 6": [1, 0]}
    assert len(rows) == 4 * 6
    assert "mongod 2.13" in html
    assert "2.00 × one" in html.replace("\u00a0", " ")
    assert "http" not in re.sub(r'http-equiv="[^"]*"', "", html)


def test_names_are_text(tmp_path: Path) -> None:
    assert HOSTILE not in page(tmp_path, name="a", source=HOSTILE)
