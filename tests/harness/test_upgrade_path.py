"""Which engines may take over whose files; an illegal way is refused with the steps that work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.errors import InputError
from harness.spec.load import load_campaign
from tests.campaigns import small
from tests.harness.commands import harness

if TYPE_CHECKING:
    from pathlib import Path


def campaign(path: Path, way: list[str], *others: str) -> Path:
    engines = {version: {"source": "binary", "version": version, "path": "/x"} for version in others}
    last = {"source": "binary", "version": way[-1], "path": "/x", "upgraded_from": way[:-1]}
    return small(path, 27999, engines=engines | {"last": last})


@pytest.mark.parametrize(
    "way",
    [
        pytest.param(["4.4.2", "5.0.4", "6.0.27"], id="one major release at a time"),
        pytest.param(["6.0.5", "6.0.27"], id="patch releases"),
        pytest.param(["6.0.5", "6.0.27", "7.0.1"], id="both"),
    ],
)
def test_a_legal_way_is_taken(tmp_path: Path, way: list[str]) -> None:
    assert load_campaign(campaign(tmp_path / "c.yaml", way, *way[:-1])).engines["last"].upgraded_from == tuple(way[:-1])


@pytest.mark.parametrize(
    ("way", "others", "told"),
    [
        pytest.param(["4.4.2", "6.0.27"], ["4.4.2", "5.0.4"],
                     "the steps that work: 4.4.2 → 5.0.4 → 6.0.27", id="skips a release"),
        pytest.param(["4.4.2", "7.0.1"], ["4.4.2"],
                     "4.4.2 → 5.0.x → 6.0.x → 7.0.1 (add an engine of 5.0 and 6.0", id="lacks engines"),
        pytest.param(["6.0.27", "6.0.5"], ["6.0.27"], "only starts on files of older versions", id="backwards"),
        pytest.param(["6.0.27", "5.0.4"], ["6.0.27"], "only starts on files of older versions", id="a release back"),
        pytest.param(["6.0.27", "6.3.1"], ["6.0.27"], "upgrades go through major releases only", id="a rapid release"),
        pytest.param(["5.0.4", "6.0.5"], ["6.0.27"], "'5.0.4' is not an engine of this campaign", id="unknown"),
    ],
)  # fmt: skip
def test_an_illegal_way_is_refused_with_the_steps_that_work(
    tmp_path: Path, way: list[str], others: list[str], told: str
) -> None:
    with pytest.raises(InputError) as refused:
        load_campaign(campaign(tmp_path / "c.yaml", way, *others))
    assert told in refused.value.what
    assert "engines.last.upgraded_from" in refused.value.what


def test_two_builds_of_a_version_on_one_way_would_share_their_evidence(tmp_path: Path) -> None:
    build = {"source": "binary", "version": "6.0.5"}
    engines = {"a": build | {"path": "/a"}, "b": build | {"path": "/b", "upgraded_from": ["a"]}}
    with pytest.raises(InputError, match=r"engines\.b\.upgraded_from: 6\.0\.5 is in the upgrade path twice"):
        load_campaign(small(tmp_path / "c.yaml", 27999, engines=engines))


def test_the_plan_refuses_it(tmp_path: Path) -> None:
    ran = harness("plan", campaign(tmp_path / "c.yaml", ["4.4.2", "6.0.27"], "4.4.2", "5.0.4"))
    assert ran.code == 2
    assert "mongod 6.0.27 does not start on the files of 4.4.2" in ran.err
