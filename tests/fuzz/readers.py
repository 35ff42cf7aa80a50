"""Every reader of files that others may have made or damaged: its real files, and the errors it may raise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis import ftdc
from harness.canaries import FILE as CANARIES
from harness.canaries import read_canaries
from harness.errors import InputError
from harness.ledger import read_record
from harness.load_spec import ROOT, load_campaign
from workloads import YcsbOutputError, read_interval_log, read_summary
from workloads.client_file import read_client_file
from workloads.ycsb_status import read_status_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TESTS = ROOT / "tests"
WANTED = ("serverStatus.opcounters.insert", "serverStatus.wiredTiger.*", "systemMetrics.*")


@dataclass(frozen=True)
class Reader:
    """A reader of a file."""

    seeds: tuple[bytes, ...]
    """Contents of real files."""
    read: Callable[[Path], object]
    errors: type[Exception] | tuple[()] = ()
    """What it raises for a file that is none of its kind; nothing else is allowed."""
    name: str = "file"
    """How the file has to be called."""


def _contents(*patterns: str) -> tuple[bytes, ...]:
    """The recorded files that match, below tests/."""
    found = tuple(path.read_bytes() for pattern in patterns for path in sorted(TESTS.glob(pattern)))
    assert found, patterns
    return found


def _read_status(path: Path) -> object:
    return [read_status_line(line) for line in path.read_text("utf-8", errors="replace").splitlines()]


READERS = {
    "spec": Reader(
        tuple(path.read_bytes() for path in sorted((ROOT / "campaigns").glob("*.yaml"))), load_campaign, InputError
    ),
    "summary": Reader(_contents("workloads/recorded/*.summary.json"), read_summary, YcsbOutputError),
    "status": Reader(_contents("workloads/recorded/*.status.log"), _read_status),
    "client-account": Reader(_contents("harness/recorded/*.client.json"), read_client_file, YcsbOutputError),
    "interval-log": Reader(_contents("*/recorded/*.hdr"), read_interval_log, YcsbOutputError),
    "ftdc": Reader(
        _contents("analysis/recorded/ftdc/*/metrics.*"),
        lambda path: ftdc.read([(path.name, path.read_bytes())], WANTED),
        ftdc.FtdcError,
    ),
    "record": Reader(_contents("harness/recorded/records/*.json"), read_record, InputError),
    "canaries": Reader(
        _contents("harness/recorded/canaries.json"), lambda path: read_canaries(path.parent), InputError, CANARIES
    ),
}
