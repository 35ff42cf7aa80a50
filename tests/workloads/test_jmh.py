"""What JMH and the bench's own facts say, as figures."""

from __future__ import annotations

import json

import pytest

from workloads.bench.jmh import read_ratios, read_scores
from workloads.errors import BenchError


def said(error: float | str = 2.5, unit: str = "ops/s") -> str:
    return json.dumps([{
        "benchmark": "pressgauge.bench.CodecBench.compress",
        "params": {"codec": "zstd-6", "blockBytes": "4096"},
        "primaryMetric": {"score": 100.0, "scoreError": error, "scoreUnit": unit},
    }])  # fmt: skip


def test_a_score_has_its_error_where_there_is_one() -> None:
    (score,) = read_scores(said())
    assert (score.benchmark, score.parameters["codec"]) == ("CodecBench.compress", "zstd-6")
    assert (score.per_s, score.error_per_s) == (100.0, 2.5)
    assert read_scores(said(error="NaN"))[0].error_per_s is None


@pytest.mark.parametrize("text", ["", "[1]", "[{}]", said(unit="us/op")])
def test_what_is_no_result_is_told(text: str) -> None:
    with pytest.raises(BenchError, match="JMH's results"):
        read_scores(text)


def test_ratios_are_read_by_codec_and_block() -> None:
    assert read_ratios("zstd-6 4096 1.953\nnone 1024 1.0\n") == {("zstd-6", 4096): 1.953, ("none", 1024): 1.0}
    with pytest.raises(BenchError, match="can't be read"):
        read_ratios("Exception in thread main")
