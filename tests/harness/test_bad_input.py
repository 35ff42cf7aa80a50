"""Bad input as a new user would give it: a clear message, the right exit code, no traceback, nothing left behind."""

from __future__ import annotations

import shutil
import socket
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from harness.spec.load import ROOT
from tests.harness.commands import HOME, Ran, harness, left_running

if TYPE_CHECKING:
    from pathlib import Path

SMOKE = (ROOT / "campaigns/smoke.yaml").read_text(encoding="utf-8")


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(SMOKE + "instance: {port: 27301}\nlimits: {attempts: 1}\n", encoding="utf-8")
    return path


def change(spec: Path, old: str, new: str) -> None:
    text = spec.read_text(encoding="utf-8")
    assert old in text
    spec.write_text(text.replace(old, new, 1), encoding="utf-8")


def run(spec: Path, *options: str | Path) -> Ran:
    ran = harness("run", spec, "--results", spec.parent / "results", "--plain", *options)
    assert "Traceback" not in ran.out + ran.err
    assert left_running(HOME) == []
    return ran


def refused(ran: Ran, code: int, *words: str) -> None:
    assert ran.code == code, ran.out + ran.err
    assert ran.err.startswith("pressgauge: ")
    assert "→" in ran.err
    for word in words:
        assert word in ran.err


def test_a_misspelt_key(spec: Path) -> None:
    change(spec, "records:", "recrods:")
    refused(run(spec), 2, "mine.yaml:", "recrods", "did you mean 'records'?")
    assert not (spec.parent / "results").exists()


def test_an_unknown_campaign() -> None:
    refused(harness("run", "quik"), 2, "did you mean 'quick'?")


def test_an_unknown_option() -> None:
    ran = harness("run", "--fast")
    assert ran.code == 2
    assert "--fast" in ran.err
    assert "Traceback" not in ran.err


def test_an_unknown_inventory(spec: Path) -> None:
    refused(run(spec, "--inventory", "moon"), 2, "moon", "local")
    assert not (spec.parent / "results").exists()


def test_what_is_no_yaml(spec: Path) -> None:
    change(spec, "arms:", "arms: [")
    refused(run(spec), 2, "mine.yaml:", "not valid YAML")


def test_templates_that_are_not_there(tmp_path: Path) -> None:
    ran = harness("report", tmp_path, "--template", tmp_path / "mine")
    assert ran.code == 2
    assert "does not exist" in ran.err


def test_a_run_that_is_none(tmp_path: Path) -> None:
    refused(harness("report", tmp_path), 2, "no run is here")


@pytest.mark.parametrize("command", ["plan", "run"])
def test_a_missing_dataset_file(spec: Path, command: str) -> None:
    """It is told before anything starts, and the same command goes on once the spec is mended."""
    change(spec, "{recipe: faker-sentences, sentences: 1000}", "{recipe: file, path: /nowhere/text.txt}")
    ran = run(spec) if command == "run" else harness("plan", spec)
    refused(ran, 2, "mine.yaml:", "datasets.sentences.path", "/nowhere/text.txt")
    assert not (spec.parent / "results").exists()


@pytest.mark.real
def test_records_that_cannot_fit_the_disk(spec: Path) -> None:
    change(spec, "records: 2000", "records: 2000000000")
    refused(run(spec), 2, "records", "are free")


@pytest.mark.real
def test_a_cache_larger_than_the_memory(spec: Path) -> None:
    change(spec, "cache_size: 256MiB", "cache_size: 9TiB")
    refused(run(spec), 2, "cache_size", "memory")


@pytest.mark.real
def test_a_port_in_use(spec: Path) -> None:
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 27301))
        other.listen()
        refused(run(spec), 3, "port 27301 is in use", "instance.port")


@pytest.mark.real
def test_results_that_cannot_be_written(spec: Path) -> None:
    ran = harness("run", spec, "--results", "/proc/results")
    refused(ran, 3, "/proc/results", "can't be written")


@pytest.mark.real
def test_a_home_that_cannot_be_written(spec: Path) -> None:
    refused(run(spec, "--home", "/proc/pressgauge"), 3, "/proc/pressgauge")


def test_a_kind_of_progress_that_there_is_not() -> None:
    ran = subprocess.run(
        ["make", "run-campaign", "PROGRESS=foo"], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert ran.returncode == 2
    assert "PROGRESS=foo: choose plain, json or quiet" in ran.stderr


@pytest.mark.real
def test_a_mongod_that_will_not_start(spec: Path, tmp_path: Path, engine: Path) -> None:
    """The real mongod, started with an option it doesn't know: its own last words are shown."""
    broken = tmp_path / "mongod"
    broken.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && exec {engine} --version\nexec {engine} "$@" --noSuchOption\n'
    )
    broken.chmod(0o755)
    change(spec, "{source: pypi, version: 6.0.5}", f"{{source: binary, version: 6.0.5, path: {broken}}}")
    refused(run(spec), 3, "noSuchOption")


@pytest.mark.real
def test_a_template_in_a_spec_is_text(spec: Path, tmp_path: Path) -> None:
    """It reaches mongod as it stands, and mongod refuses it; on this machine it runs nothing."""
    ran = tmp_path / "ran"
    hostile = f"log=({{{{ lookup('ansible.builtin.pipe', 'touch {ran}') }}}})"
    change(spec, "{block_compressor: snappy}", f'{{block_compressor: snappy, collection_config: "{hostile}"}}')
    change(spec, "  zstd: {block_compressor: zstd}\n", "")
    refused(run(spec), 3, "mongod refused create", "lookup('ansible.builtin.pipe'")
    assert not ran.exists()


@pytest.mark.real
def test_java_missing(spec: Path, tmp_path: Path) -> None:
    inventory = tmp_path / "inventory"
    shutil.copytree(ROOT / "ansible/inventories/local", inventory)
    hosts = (inventory / "hosts.yml").read_text(encoding="utf-8")
    lacking = "    ycsb_java: /nowhere/java\n    system_packages: false\n"
    (inventory / "hosts.yml").write_text(hosts.replace("  vars:\n", f"  vars:\n{lacking}", 1), encoding="utf-8")
    refused(run(spec, "--inventory", inventory), 3, "/nowhere/java", "Java")
