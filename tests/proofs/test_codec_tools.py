"""What the tools' own benches say is read, and compared by the middle one of the rounds."""

from __future__ import annotations

import pytest

from tests.proofs.codec_tools import is_near, lines, read_bench, read_hashes

ZSTD = """ 1-data4             :    330705 ->    173949 (x1.901),   24.5 MB/s \r\
 |-data4             :    330705 ->    173949 (x1.901),   24.5 MB/s,   89.2 MB/s\r 1#data4   """
LZ4 = """-data4             :    330705 ->\r-data4             :    330705 ->    262437 (1.260),  72.6 MB/s\r\
=-data4             :    330705 ->    262437 (1.260),  72.6 MB/s , 533.9 MB/s\r 1#"""
XXHSUM = """ 1-XXH3_64b                      :    1048576 -> \r 1-XXH3_64b                      :    1048576 ->    \
43255 it/s (43255.0 MB/s) \r 5#XXH3_64b                      :    1048576 ->    43255 it/s (43255.0 MB/s) \n
11#XXH128                        :    1048576 ->    43587 it/s (43587.1 MB/s) \n"""


@pytest.mark.parametrize(("said", "figures"), [(ZSTD, (1.901, 24.5, 89.2)), (LZ4, (1.26, 72.6, 533.9))])
def test_a_codecs_bench_is_read(said: str, figures: tuple[float, float, float]) -> None:
    assert read_bench(said) == figures


def test_the_hashs_bench_is_read() -> None:
    assert read_hashes(XXHSUM) == pytest.approx({"XXH3_64b": 45356, "XXH128": 45704}, rel=1e-3)


def test_one_round_that_was_disturbed_decides_nothing() -> None:
    near, far = [(100.0, 101.0), (50.0, 101.0), (99.0, 99.0)], [(100.0, 120.0)] * 3
    assert is_near(near)
    assert not is_near(far)
    *_, summary = lines({("zstd-1", "ratio"): near, ("lz4", "ratio"): far})
    assert summary == "1 of 2 figures are within 15% of the tool's"
