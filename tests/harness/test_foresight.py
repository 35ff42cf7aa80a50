"""What `make plan --from` says: the planned campaign's number of questions, the earlier run's scatter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analysis.decide.study import study
from analysis.stats.verdicts import Family
from harness.plan.foresight import comparisons, foresee
from harness.spec.load import load_campaign
from tests.analysis.synthetic import SNAPPY, ZSTD, Noise, campaign
from tests.campaigns import small

if TYPE_CHECKING:
    from pathlib import Path

    from harness.spec.campaign import Campaign

ARMS = {
    "snappy": {"block_compressor": "snappy"},
    "snappy-again": {"block_compressor": "snappy"},
    "zstd-6": {"block_compressor": "zstd", "zstd_level": 6},
    "safe": {"block_compressor": "snappy", "write_concern": {"w": 1, "journal": True}},
    "zipped": {"block_compressor": "snappy", "connection": {"compressors": "zlib"}},
    "zipped-9": {"block_compressor": "snappy", "connection": {"compressors": "zlib", "zlib_level": 9}},
}


def planned(tmp_path: Path, **changes: Any) -> Campaign:
    engines = {version: {"source": "pypi", "version": version} for version in ("6.0.5", "6.0.27")}
    decision = {"baseline": "snappy", "baseline_engine": "6.0.5"}
    sections = {"arms": ARMS, "engines": engines, "decision": decision}
    return load_campaign(small(tmp_path / "a.yaml", 27999, **sections | changes))


def test_the_planned_comparisons_are_those_that_its_records_will_have(tmp_path: Path) -> None:
    spec = planned(tmp_path)
    made = (SNAPPY, SNAPPY.called("snappy-again"), ZSTD, *(ZSTD.scaled(name, 1.0) for name in list(ARMS)[3:]))
    platforms = ("c5", "c6g")
    found = study(campaign(arms=made, engines=tuple(spec.engines), platforms=platforms), spec.decision)
    assert comparisons(spec, platforms) == {
        factor: sum(one.family is Family.PRIMARY for one in found.of(factor)) for factor in found.compared
    }


def test_it_says_how_many_more_blocks_would_decide_what_the_earlier_run_found(tmp_path: Path) -> None:
    spec = planned(tmp_path, engines={"6.0.5": {"source": "pypi", "version": "6.0.5"}}, decision={"baseline": "snappy"})

    def told(noise: Noise, blocks: int) -> str:
        earlier = campaign(arms=(SNAPPY, ZSTD), blocks=3, noise=noise)
        return next(line for line in foresee(spec, earlier, blocks) if line.startswith("insert.throughput"))

    quiet, loud = Noise(residual=0.001), Noise(residual=0.1)
    assert told(quiet, 3).endswith("four times in five, and the earlier run's effects are decided")
    few, more = (int(told(loud, blocks).split("about ")[1].split()[0]) for blocks in (3, 5))
    assert few == more + 2 > 2


def test_looking_after_every_block_is_foreseen_with_its_price(tmp_path: Path) -> None:
    earlier = campaign(arms=(SNAPPY, ZSTD), blocks=3)
    fixed, looked = (
        next(
            line
            for line in foresee(planned(tmp_path, blocks=blocks), earlier, 4)
            if "rmw.throughput between arms" in line
        )
        for blocks in (4, {"until": "decided", "min": 4, "max": 9})
    )
    seen = [float(line.split("a difference of ")[1].split(" %")[0]) for line in (fixed, looked)]
    assert seen[0] < seen[1]


def test_more_questions_see_less_whatever_the_earlier_run_asked(tmp_path: Path) -> None:
    earlier = campaign(arms=(SNAPPY, ZSTD), blocks=5)
    few = planned(tmp_path, arms={name: ARMS[name] for name in ("snappy", "zstd-6")})
    of_few, of_many = (
        [line for line in foresee(spec, earlier, 5) if line.startswith("rmw.throughput between arms (6.0.5")]
        for spec in (few, planned(tmp_path))
    )
    assert len(of_few) == len(of_many) == 1
    assert of_few != of_many
