"""One run of two levels of zstd in three blocks: the same load offered to both, and a gate that tells them apart."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

from analysis.gate.judge import Gate, GateVerdict
from harness.ledger.runs import find_run
from tests.campaigns import small
from tests.harness.commands import harness

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.real, pytest.mark.beside]
CPU, STORAGE = "insert.mongod_cpu_us_per_operation", "storage_bytes_per_document"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The finished run's folder."""
    folder = tmp_path_factory.mktemp("paced")
    bounded = {"warmup_s": 0, "measure_s": None, "operations": 400}
    workloads = {
        "rmw": bounded | {"threads": 2},
        "steady": bounded | {"mix": "rmw", "threads": 4, "pace": {"of": "rmw", "fraction": 0.5}},
    }
    arms = {f"zstd-{level}": {"block_compressor": "zstd", "zstd_level": level} for level in (1, 19)}
    spec = small(
        folder / "paced.yaml",
        27312,
        blocks=3,
        design="sequential",
        arms=arms,
        workloads=workloads,
        decision={"baseline": "zstd-1"},
    )
    ran = harness("run", spec, "--results", folder / "results", "--plain")
    assert ran.code == 0, ran.out + ran.err
    return find_run(folder / "results/paced/latest").folder


def test_every_arm_is_offered_half_of_the_slowest_ones_maximum(run: Path) -> None:
    """From the second block on, with intended latencies beside actual; a trial in which a busy machine did not take all
    of it says so.
    """
    records = find_run(run).records()
    first, later = ([record for record in records if (record.block == 0) == begins] for begins in (True, False))
    assert all([phase.name for phase in record.phases] == ["load", "rmw"] for record in first)
    slowest = min(record.phases[1].throughput_per_s for record in first)
    for record in later:
        steady = record.phases[-1]
        assert (steady.name, steady.target_per_s) == ("steady", round(slowest / 2))
        assert 0 < steady.throughput_per_s < 1.2 * slowest / 2
        missed = "target-missed" in {flag.code for flag in record.flags}
        assert missed or steady.throughput_per_s == pytest.approx(slowest / 2, rel=0.2)
        rmw = {latency.kind: latency for latency in steady.latencies if latency.operation == "READ-MODIFY-WRITE"}
        assert rmw.keys() == {"actual", "intended"}
        assert rmw["intended"].p99_us >= rmw["actual"].p99_us


@pytest.mark.parametrize(
    ("baseline", "candidate", "worse", "better"),
    [("zstd-1", "zstd-19", CPU, STORAGE), ("zstd-19", "zstd-1", STORAGE, CPU)],
)
def test_the_gate_finds_a_level_that_was_changed(
    run: Path, tmp_path: Path, baseline: str, candidate: str, worse: str, better: str
) -> None:
    """Up costs CPU and saves space, and down the other way round: exit 1, the right metric, the right direction."""
    tolerances, told = tmp_path / "tolerances.yaml", tmp_path / "gate.json"
    tolerances.write_text(yaml.safe_dump({"metrics": {CPU: {}, STORAGE: {}, "*": {"check": False}}}))
    ran = harness(
        "gate", run, run, "--baseline-arm", baseline, "--arm", candidate, "--tolerances", tolerances, "--json", told
    )
    assert ran.code == 1, ran.out + ran.err
    found = Gate.model_validate(json.loads(told.read_text()))
    assert {verdict: [check.metric for check in found.of(verdict)] for verdict in GateVerdict} == {
        GateVerdict.REGRESSED: [worse], GateVerdict.IMPROVED: [better],
        GateVerdict.UNCHANGED: [], GateVerdict.UNDECIDED: [],
    }, ran.out  # fmt: skip
