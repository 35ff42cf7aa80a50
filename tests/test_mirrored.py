"""A deployment that is known comes back from `make mirror`; its campaign is found to be like it, another one is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.harness.commands import HOME, left_running
from tests.proofs.deployment import PASSWORD, Deployment, deployment
from tests.proofs.round_trip import MIX, beside_the_truth, judged, mirror, mirrored, shuffled, variant

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.real
PORT = 27417
BRIEF: dict[str, Any] = {"measure_s": 6, "warmup_s": 1}


def at_any_speed(spec: dict[str, Any], _mix: dict[str, Any]) -> None:
    """Tails are those of a host that runs other tests, too."""
    spec["mirrors"]["tolerances"] = spec["mirrors"].get("tolerances", {}) | {"latency_factor": 100}


@pytest.fixture(scope="module")
def known(engine: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """A deployment of 20,000 events."""
    with deployment(engine, tmp_path_factory.mktemp("deployment"), PORT, 20_000) as found:
        yield found


def test_a_deployment_comes_back(known: Deployment, tmp_path: Path) -> None:
    told = mirrored(known, tmp_path, 20, MIX)
    assert [name for name, _, _, fine in beside_the_truth(known, tmp_path) if not fine] == []
    assert "the campaign: " in told
    written = "".join(path.read_text(encoding="utf-8") for path in tmp_path.glob("events*.yaml"))
    names = {one["status"] for one in known.events.find({}, {"status": 1}).limit(50)}
    assert not [name for name in names if f"'{name}'" in written or f'"{name}"' in written], "no values, in clear"
    code, found = judged(variant(tmp_path, "alike", at_any_speed, **BRIEF), tmp_path)
    assert (found["state"], code) == ("like", 0), found
    code, found = judged(variant(tmp_path, "shuffled", shuffled, **BRIEF), tmp_path)
    assert (found["state"], code) == ("unlike", 1), found
    assert left_running(HOME) == []


def test_without_a_profiler_counters_tell_the_mix(known: Deployment, tmp_path: Path) -> None:
    known.owner.shop.command("profile", 0)
    with known.in_use({"find": 60, "find-by-index": 15, "update": 25}):
        ran = mirror(known, tmp_path, 3, "--anonymise", "0")
    assert ran.code == 0, ran.out + ran.err
    mix = yaml.safe_load((tmp_path / "events.mix.yaml").read_text(encoding="utf-8"))
    weights = {one["kind"]: one["weight"] for one in mix["operations"]}
    assert weights == {
        "find": pytest.approx(600, abs=25),
        "find-by-index": pytest.approx(150, abs=25),
        "update": pytest.approx(250, abs=25),
    }
    assert mix["keys"]["distribution"] == "zipfian"
    assert "the profiler: it is off" in ran.out


def test_who_may_see_no_counters_or_may_write_is_refused(known: Deployment, tmp_path: Path) -> None:
    roles = {"reader": [{"role": "read", "db": "shop"}], "writer": ["readWriteAnyDatabase"]}
    messages = {"reader": "grant the role clusterMonitor", "writer": "the user can do more than read"}
    for user, message in messages.items():
        known.owner.admin.command("createUser", user, pwd=PASSWORD, roles=roles[user])
        ran = mirror(known, tmp_path, 1, user=user)
        assert (ran.code, message in ran.err) == (2, True), ran.err
        assert not list(tmp_path.glob("*.yaml"))
