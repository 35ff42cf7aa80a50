"""Damaged files end in the reader's own error: no other exception, no hang, no gigabyte.

`make fuzz` gives each reader 10,000 of them, the ordinary test run a few.
"""

from __future__ import annotations

import json
import os
import resource
import signal
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.mutations import EDITS, OTHER_VALUES, Edit, changed, damaged, places
from tests.fuzz.readers import READERS, Reader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import FrameType

    from tests.fuzz.mutations import Keys

pytestmark = pytest.mark.long
EXAMPLES = int(os.environ.get("PRESSGAUGE_FUZZ", "60"))
ORDINARY = "PRESSGAUGE_FUZZ" not in os.environ  # then the same files each time: what is new is found by `make fuzz`
MOST_MEMORY_BYTES = 10**9
HANGS_AFTER_S = 60  # no measure of speed: a hundred times what the slowest reader needs


@contextmanager
def bounded() -> Iterator[None]:
    """Within the block a gigabyte more of memory, and a minute, are all there is."""
    used = int(next(line for line in open("/proc/self/status") if line.startswith("VmSize:")).split()[1]) * 1024  # noqa: SIM115, PTH123
    before = resource.getrlimit(resource.RLIMIT_AS)

    def hung(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"still reading after {HANGS_AFTER_S} s")

    alarm = signal.signal(signal.SIGALRM, hung)
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_MEMORY_BYTES, before[1]))
    signal.alarm(HANGS_AFTER_S)
    try:
        yield
    finally:
        signal.alarm(0)
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.signal(signal.SIGALRM, alarm)


def examples(reader: Reader) -> int:
    """How many files a reader gets; a tenth where each takes a whole command's work."""
    return EXAMPLES // 10 if reader.slow else EXAMPLES


@pytest.mark.parametrize("name", READERS)
def test_damage_ends_in_the_readers_own_error(name: str, tmp_path: Path) -> None:
    reader = READERS[name]
    path = tmp_path / reader.name

    @settings(
        max_examples=examples(reader),
        database=None,
        derandomize=ORDINARY,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example, HealthCheck.data_too_large],
    )
    @given(seed=st.sampled_from(range(len(reader.seeds))), edits=EDITS)
    def try_it(seed: int, edits: list[Edit]) -> None:
        path.write_bytes(damaged(reader.seeds[seed], edits))
        with bounded(), suppress(*[reader.errors] if reader.errors else []):
            reader.read(path)

    try_it()


def is_json(seed: bytes) -> bool:
    """Whether a reader's file can be damaged value by value."""
    try:
        return isinstance(json.loads(seed), dict | list)
    except ValueError:
        return False


@pytest.mark.parametrize("name", [name for name, reader in READERS.items() if is_json(reader.seeds[0])])
def test_other_values_end_in_the_readers_own_error(name: str, tmp_path: Path) -> None:
    """Files that are whole, and say what nobody measures."""
    reader = READERS[name]
    path = tmp_path / reader.name
    whole = json.loads(reader.seeds[0])
    known = list(places(whole))

    @settings(max_examples=examples(reader), database=None, derandomize=ORDINARY)
    @given(changes=st.lists(st.tuples(st.sampled_from(known), st.sampled_from(OTHER_VALUES)), min_size=1, max_size=3))
    def try_it(changes: list[tuple[Keys, object]]) -> None:
        found = whole
        for at, value in changes:
            found = changed(found, at, value)
        path.write_text(json.dumps(found), encoding="utf-8")
        with bounded(), suppress(*[reader.errors] if reader.errors else []):
            reader.read(path)

    try_it()


@pytest.mark.parametrize("name", READERS)
def test_the_real_files_are_read(name: str, tmp_path: Path) -> None:
    reader = READERS[name]
    for content in reader.seeds:
        (tmp_path / reader.name).write_bytes(content)
        reader.read(tmp_path / reader.name)


@pytest.mark.parametrize("name", READERS)
def test_a_file_cut_anywhere(name: str, tmp_path: Path) -> None:
    """At each of its first bytes, where the headers are."""
    reader = READERS[name]
    path = tmp_path / reader.name
    for length in range(0, 200, 40 if reader.slow else 3):
        path.write_bytes(reader.seeds[0][:length])
        with bounded(), suppress(*[reader.errors] if reader.errors else []):
            reader.read(path)
