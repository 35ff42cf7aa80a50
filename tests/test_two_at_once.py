"""Never two: a second harness on the same run, site or port refuses, and does the first no harm. Stopping that one."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

import pytest

from harness.errors import HostError
from harness.ledger.locks import hold
from tests.campaigns import LONG, small
from tests.harness.commands import HOME, await_files, harness, left_running, start

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.real
PORT = 27319


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    return small(tmp_path / "first.yaml", PORT, workloads={"rmw": LONG["rmw"] | {"measure_s": 300}})


@pytest.fixture
def first(spec: Path) -> Iterator[subprocess.Popen[str]]:
    """A harness with a trial in its run phase."""
    running = start("run", spec, "--results", spec.parent / "results", "--plain")
    try:
        await_files(running, spec.parent, "results/first/latest/trials/.*.partial/rmw.status.log")
        yield running
    finally:
        if running.poll() is None:
            running.terminate()
            running.communicate(timeout=3000)


def test_one_runs_the_others_refuse_and_an_impatient_stop(
    spec: Path, first: subprocess.Popen[str], tmp_path: Path
) -> None:
    refused(f"another harness is working on this run (process {first.pid})", spec, tmp_path / "results")
    refused(f"another campaign is running here (process {first.pid})", spec, tmp_path / "others")
    (tmp_path / "home").mkdir()
    (tmp_path / "home/engines").symlink_to(HOME / "engines")
    refused(f"port {PORT} is in use", spec, tmp_path / "others", "--home", tmp_path / "home")
    assert first.poll() is None
    assert len(left_running(HOME)) == 2  # mongod and the client, as they were

    while first.poll() is None:  # soon after the first one it counts as the same keystroke, passed on twice
        first.send_signal(signal.SIGINT)
        time.sleep(0.1)
    out, err = first.communicate(timeout=3000)
    assert first.returncode == 130, out + err
    assert "stopped at once" in err
    assert "Traceback" not in out + err
    await_that(lambda: not left_running(HOME) and not list((HOME / "instances").iterdir()))
    await_that(lambda: free(HOME / ".lock"))


def refused(why: str, spec: Path, results: Path, *options: str | Path) -> None:
    ran = harness("run", spec, "--results", results, "--plain", *options)
    assert ran.code == 3, ran.out + ran.err
    assert why in ran.err
    assert "→" in ran.err


def free(lock: Path) -> bool:
    try:
        with hold(lock, "what was left is being ended"):
            return True
    except HostError:
        return False


def await_that(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)
