"""An arm looks the same in every run."""

from __future__ import annotations

from reports.theme import ARM_COLOURS, arm_styles


def test_an_arm_keeps_its_look_whatever_stands_beside_it() -> None:
    alone = {arm: arm_styles((arm,))[0] for arm in ("none", "snappy", "zlib", "zstd", "zstd-6", "16k-pages")}
    assert arm_styles(("zstd", "none")) == (alone["zstd"], alone["none"])
    assert arm_styles(("16k-pages", "snappy"))[0] == alone["16k-pages"]
    assert arm_styles(("zlib", "zstd-6", "snappy"))[1] == alone["zstd-6"]


def test_looks_differ_and_so_do_colours_while_there_are_any() -> None:
    few = arm_styles(("zstd-1", "zstd-6", "zstd-12", "zlib-1", "zlib-6", "again", "snappy", "none"))
    assert len({style.colour for style in few}) == ARM_COLOURS
    many = arm_styles(tuple(f"arm-{number}" for number in range(50)))
    assert len({(style.colour, style.shape) for style in many}) == 50
