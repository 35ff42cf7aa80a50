"""An estimate on the terminal and as a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from analysis.estimate.records import Dictionary
from reports import write_estimate
from reports.estimate_texts import ONLY_SIZES, best_sentence, lines, steps
from tests.reports.estimated import estimated

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = '<script>alert(1)</script>"); db.dropDatabase(); ("'


def test_the_table_has_each_setting_and_what_it_does_not_say() -> None:
    told = list(lines(estimated()))
    assert told[0].startswith("shop.orders: 1,000,000 documents, 953.7 MiB of BSON; a sample of 12,000 in 46 runs")
    assert any(re.search(r"^zstd 15 +128 KiB +240\.0 +237\.6 to 242\.4 +228\.9 MiB +0\.06", line) for line in told)
    assert sum(line.endswith("default") for line in told) == 3
    assert told[-1] == ONLY_SIZES


def test_a_dictionary_is_a_line_of_its_own_on_terminal_and_page(tmp_path: Path) -> None:
    found = Dictionary(level=6, documents=6000, dictionary_bytes=112_640, ratio=3.1, ratio_without=1.4)
    estimate = estimated().model_copy(update={"dictionary": found})
    line = "zstd 6 with a trained dictionary, per document (not available in MongoDB): ratio 3.10; without one 1.40"
    write_estimate(estimate, tmp_path / "index.html")
    assert sum(one.startswith(line) for one in lines(estimate)) == 1
    assert line in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert not any("dictionary" in one for one in lines(estimated()))


def test_the_least_storage_is_named_against_the_default() -> None:
    assert best_sentence(estimated()) == (
        "zstd 15 with leaf pages of 128 KiB takes the least storage: 45 % less than snappy with 32 KiB of up to 128 "
        "KiB, the engine's default."
    )


def test_steps_rewrite_the_collection_with_the_setting_and_its_level() -> None:
    level, create, *_, rename = steps(estimated())
    assert level.startswith("storage.wiredTiger.engineConfig.zstdCompressionLevel: 15")
    assert 'configString: "block_compressor=zstd,leaf_page_max=131072,memory_page_image_max=131072"' in create
    assert rename == 'db.getCollection("shop.orders_new").renameCollection("shop.orders", true)'


def test_names_are_text_wherever_they_stand(tmp_path: Path) -> None:
    write_estimate(estimated(name="a", source=HOSTILE), tmp_path / "index.html")
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "<script>alert" not in html
    assert all('\\"); db.drop' in step for step in steps(estimated(source=HOSTILE)) if "db.drop" in step)


def test_the_page_has_a_heatmap_and_opens_by_itself(tmp_path: Path) -> None:
    write_estimate(estimated(), tmp_path / "index.html")
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    shades = [int(shade) for shade in re.findall(r'class="figure heat-(\d)"', html)]
    assert shades == [5, 5, 2, 2, 0, 0, 0, 0]
    assert html.count("▲") == 1
    assert "http" not in re.sub(r'http-equiv="[^"]*"', "", html)
