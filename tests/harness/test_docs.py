"""What the documentation tells people to type is accepted."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

import pytest
import yaml

from analysis.gate.tolerances import Tolerances
from harness.cli.commands import app
from harness.spec.cloud import Cloud
from harness.spec.load import ROOT, find_campaign, load_campaign

if TYPE_CHECKING:
    from pathlib import Path

_COOKBOOK = (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
MIXES = re.findall(r"`(\w+\.(?:properties|mix\.yaml))`:\n\n```\w+\n(.*?)```", _COOKBOOK, re.DOTALL)
RECIPES = [
    found for found in re.findall(r"```yaml\n(.*?)```", _COOKBOOK, re.DOTALL) if found not in dict(MIXES).values()
]
MADE = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))

PAGES = ["README.md", "CONTRIBUTING.md", *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md")))]


def _blocks(page: str, beginning: str = "", language: str = "yaml") -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n({beginning}.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe_is_a_valid_campaign(recipe: str, tmp_path: Path) -> None:
    """A recipe is whole, or changes sections of the default campaign."""
    quick = yaml.safe_load(find_campaign("quick").read_text(encoding="utf-8"))
    path = tmp_path / "recipe.yaml"
    given = yaml.safe_load(recipe)
    if "datasets" in given:
        quick.pop("document", None)  # the shape of its own dataset
    spec = quick | given
    for dataset in spec["datasets"].values():
        if "path" in dataset:  # the reader's own file
            dataset["path"] = __file__
    path.write_text(yaml.safe_dump(spec), encoding="utf-8")
    for name, mix in MIXES:
        (tmp_path / name).write_text(mix, encoding="utf-8")
    assert load_campaign(path).arms


def test_the_versions_of_the_load_clients_packages() -> None:
    pom = (ROOT / "workloads/java/pom.xml").read_text(encoding="utf-8")
    told = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    versions = re.findall(r"<(?:ycsb|mongodb|hdrhistogram|snappy|zstd)\.version>(.*?)<", pom)
    assert len(versions) == 5
    assert [version for version in versions if f"| {version} |" not in told] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_make_target_and_link_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = set(re.findall(r"(?:`|\$ )make ([a-z-]+)", text))
    assert targets <= MADE
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        assert ((ROOT / page).parent / link).exists(), link


@pytest.mark.parametrize("page", PAGES)
def test_code_blocks_are_whole(page: str) -> None:
    """YAML parses, and each line of a console is a command or its output, not the rest of the line before."""
    for block in _blocks(page):
        assert yaml.safe_load(block), block
    for block in _blocks(page, language="console"):
        assert all(line.startswith("$ ") and " $ " not in line for line in block.splitlines()), block


def test_the_cloud_section_and_the_tolerances_that_are_shown_are_valid() -> None:
    """Keys that are required, so that a block whose lines ran together into a comment is found."""
    (cloud,) = _blocks("docs/ec2.md", "cloud:")
    assert Cloud.model_validate(yaml.safe_load(cloud)["cloud"]).cost_limit
    (shown,) = _blocks("docs/gate.md", "percent:")
    assert Tolerances.model_validate(yaml.safe_load(shown)).metrics


def test_the_three_hosts_of_the_walkthrough_are_a_campaign(tmp_path: Path) -> None:
    """The section that its reader appends to a campaign."""
    (appended,) = re.findall(r"<<'END'\n(.*?)^END$", (ROOT / "docs/ec2.md").read_text(encoding="utf-8"), re.S | re.M)
    quick = find_campaign("quick").read_text(encoding="utf-8")
    (tmp_path / "three-hosts.yaml").write_text(quick + appended, encoding="utf-8")
    campaign = load_campaign(tmp_path / "three-hosts.yaml")
    assert campaign.cloud is not None
    assert sum(hosts.count for hosts in campaign.cloud.hosts.values()) == 3
    assert campaign.design == "sequential"


@pytest.mark.parametrize("page", ["docs/gate.md", "docs/first-tasks.md"])
def test_the_gate_is_called_with_options_that_it_has(page: str) -> None:
    """In the workflows, too: what CI runs is what the page recommends."""
    text = (ROOT / page).read_text(encoding="utf-8")
    calls = re.findall(r"-m harness (gate (?:[^\n|]|\\\n|\n +--)*)", text)
    assert len(calls) >= 1
    (gate,) = (one.callback for one in app.registered_commands if one.name == "gate")
    assert gate is not None
    known = {f"--{name.replace('_', '-').removeprefix('as-')}" for name in inspect.signature(gate).parameters}
    told = {option for call in calls for option in re.findall(r"--[a-z-]+", call)}
    assert {"--junit", "--markdown"} <= told <= known


def test_the_image_has_what_the_set_up_would_install() -> None:
    """So that `make setup` in it installs no packages."""
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    wanted = {"python3", "python3-venv", "openjdk-17-jdk-headless", "maven", "libcurl4", "git", "make"}
    assert wanted <= set(image.split())
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert {".venv", ".pressgauge", "results", "**/target"} <= set(ignored)
