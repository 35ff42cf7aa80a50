"""A profile, from what is named to what is left."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import bson
import pytest

from analysis.profile.records import Profile, same_source
from datasets.profiling import parse_codec
from harness.cli.profiling import profile_command
from harness.errors import InputError
from harness.hosts.site import find_site
from harness.run.own_data.profiling import Wanted, profile
from tests.harness.commands import harness
from tests.reports.estimated import estimated
from tests.reports.profiled import profiled

NOWHERE = Path("/nowhere/estimate.json")
CODECS = (parse_codec("none"), parse_codec("zstd-6"))


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    """A collection of a thousand documents."""
    path = tmp_path / "orders.bson"
    path.write_bytes(b"".join(bson.encode({"_id": n, "text": "shipped, paid, returned " * 20}) for n in range(1000)))
    return path


def made(home: Path, data: Path, estimate: Path = NOWHERE, **other: Any) -> Profile:
    wanted = Wanted(name="x", data=data, codecs=CODECS, processes=1, seconds=0.01, **other)
    return profile(wanted, find_site("local", home), estimate, lambda _: None)


def test_the_command_leaves_a_page_and_the_figures(orders: Path, tmp_path: Path) -> None:
    ran = harness(
        "profile-dataset", orders, "--results", tmp_path / "results", "--home", tmp_path / "home",
        "--codecs", "none,zstd-1", "--processes", "1", "--seconds", "0.01",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    folder = tmp_path / "results/profile/orders"
    found = Profile.model_validate_json((folder / "profile.json").read_bytes())
    assert [(row.codec, row.level, row.block_bytes) for row in found.rows][5:7] == [
        ("none", None, 2**17), ("zstd", 1, 2**12)
    ]  # fmt: skip
    assert found.source.documents == 1000
    assert "orders.bson: 1,000 documents" in (folder / "index.html").read_text(encoding="utf-8")
    assert re.search(r"^zstd 1 +[0-9.]+", ran.out, re.MULTILINE)
    assert not (tmp_path / "home/profile").exists(), "documents in clear"


@pytest.mark.parametrize(
    ("data", "other", "message"),
    [
        ("no-such", {}, "there is no such file, folder or campaign"),
        ("/nowhere/at/all", {}, "there is no such file"),
        ("smoke", {"dataset": "other"}, "has no dataset 'other'"),
        ("/proc/self/mem", {}, "cannot be read|holds no bytes"),
    ],
)
def test_what_cannot_be_profiled_is_told(data: str, other: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        made(tmp_path, Path(data), **other)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"most": "3 gigs"}, "is not a size"),
        ({"most": "1KiB"}, "is not from 4KiB to 1GiB"),
        ({"codecs": "zstd-6,lzma"}, "'lzma' is unknown"),
        ({"name": "../x"}, "can't be a folder's name"),
    ],
)
def test_options_are_checked(option: dict[str, str], message: str, orders: Path) -> None:
    with pytest.raises(InputError, match=message):
        profile_command(orders, **option)  # type: ignore[arg-type]


@pytest.mark.parametrize("campaign", ["smoke", "orders"])
def test_a_campaigns_documents_are_those_that_it_loads(tmp_path: Path, campaign: str) -> None:
    found = made(tmp_path, Path(campaign), most_bytes=100_000)
    assert found.source.kind == "documents"
    assert found.source.profiled_bytes < 100_000 < found.source.bytes
    assert found.source.bytes_estimated


def test_an_estimate_of_the_same_data_stands_beside(orders: Path, tmp_path: Path) -> None:
    estimate = estimated()
    size = orders.stat().st_size
    source = estimate.source.model_copy(update={"documents": 1000, "bytes": size})
    (tmp_path / "estimate.json").write_text(estimate.model_copy(update={"source": source}).model_dump_json())
    found = made(tmp_path / "home", orders, tmp_path / "estimate.json")
    (beside,) = [row.achieved_ratio for row in found.rows if (row.level, row.block_bytes) == (6, 2**17)]
    assert beside == pytest.approx(size / 1000 / 264.0)
    assert {row.achieved_ratio for row in found.rows if row.block_bytes < 2**17} == {None}, "pages that swing"


@pytest.mark.parametrize(("documents", "share"), [(1, 1.0), (1, 1.04)])
def test_an_estimate_is_of_the_same_data_where_sizes_are_near(documents: int, share: float) -> None:
    assert _same(documents, share)


@pytest.mark.parametrize(("documents", "share"), [(2, 1.0), (1, 1.1)])
def test_an_estimate_of_other_data_is_told_by_its_size(documents: int, share: float) -> None:
    assert not _same(documents, share)


def _same(documents: int, share: float) -> bool:
    ours, estimate = profiled().source, estimated()
    theirs = {"documents": documents * 1_000_000, "bytes": round(share * ours.bytes)}
    return same_source(estimate.model_copy(update={"source": estimate.source.model_copy(update=theirs)}), ours)
