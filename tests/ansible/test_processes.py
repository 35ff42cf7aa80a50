"""Processes: recognised, never mistaken, stopped, counted."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.host.processes import Process, cpu_set, on_cpus, port_holder, record_started

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('x', flush=True); time.sleep(60)"


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as child:
        yield child
        child.kill()


def known(child: subprocess.Popen[bytes]) -> Process:
    process = Process.of(child.pid)
    assert process is not None
    return process


def test_a_recorded_process_is_recognised(sleeper: subprocess.Popen[bytes], tmp_path: Path) -> None:
    known(sleeper).record(tmp_path / "pid")
    assert Process.recorded(tmp_path / "pid") == known(sleeper)


@pytest.mark.parametrize("change", [{"start_ticks": 1}, {"boot": "another"}])
def test_another_process_with_the_same_number_is_not_ours(
    change: dict[str, object], sleeper: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    replace(known(sleeper), **change).record(tmp_path / "pid")  # type: ignore[arg-type]
    assert Process.recorded(tmp_path / "pid") is None


def test_a_wrapper_is_still_known_when_it_has_become_another_program(tmp_path: Path) -> None:
    """An engine may be a script that executes the real mongod; it would outlive its trial, without its files."""
    (tmp_path / "wrapper").write_text("#!/bin/sh\nread line\nexec sleep 60\n", encoding="utf-8")
    (tmp_path / "wrapper").chmod(0o755)
    with subprocess.Popen([tmp_path / "wrapper"], stdin=subprocess.PIPE, start_new_session=True) as child:
        record_started(child.pid, tmp_path / "pid")
        assert child.stdin is not None
        child.stdin.write(b"go on\n")
        child.stdin.close()
        name = Path(f"/proc/{child.pid}/comm")
        while name.read_text("ascii").strip() != "sleep":
            time.sleep(0.01)
        process = Process.recorded(tmp_path / "pid")
        assert process is not None
        assert process.stop(grace_s=60) is False


@pytest.mark.parametrize("text", ["", "17\n", "[]", '{"pid": 1}', '{"pid": 99999999, "start_ticks": 1, "boot": "x"}'])
def test_a_pid_file_that_says_nothing_names_no_process(text: str, tmp_path: Path) -> None:
    (tmp_path / "pid").write_text(text)
    assert Process.recorded(tmp_path / "pid") is None


def test_a_zombie_has_ended(sleeper: subprocess.Popen[bytes]) -> None:
    process = known(sleeper)
    sleeper.kill()  # not waited for: it stays a zombie
    assert process.wait(600)
    assert Path(f"/proc/{sleeper.pid}").exists()


def test_stopping_asks_first(sleeper: subprocess.Popen[bytes]) -> None:
    assert known(sleeper).stop(grace_s=60) is False
    assert sleeper.wait() == -signal.SIGTERM


def test_a_process_that_does_not_listen_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, start_new_session=True) as child:
        assert child.stdout is not None
        child.stdout.read(1)
        assert known(child).stop(grace_s=0.2) is True
        assert child.wait() == -signal.SIGKILL


def test_counters_grow_with_work() -> None:
    process = Process.of(os.getpid())
    assert process is not None
    before = process.counters()
    until = time.process_time() + 30  # the kernel counts in ticks, and may take some of them for its own
    while process.counters()["user_cpu_s"] == before["user_cpu_s"]:
        assert time.process_time() < until
    assert before["rss_bytes"] > 1 << 20


def test_counters_of_a_process_that_is_gone_are_null_not_zero() -> None:
    assert set(Process(99999999, 1, "/bin/x").counters().values()) == {None}


@pytest.mark.parametrize(("text", "cpus"), [("0", {0}), ("0,2-4", {0, 2, 3, 4}), ("1-1", {1})])
def test_cpu_lists(text: str, cpus: set[int]) -> None:
    assert cpu_set(text) == cpus


@pytest.mark.parametrize("text", ["zero", "", "1-", "3-1", "4096"])
def test_cpus_that_can_not_be_had_are_the_specs_fault(text: str) -> None:
    with pytest.raises(Failure) as caught, on_cpus(text):
        pass
    assert caught.value.kind == "spec"


def test_what_starts_within_runs_on_the_cpus_asked_for() -> None:
    before = os.sched_getaffinity(0)
    with on_cpus(str(min(before))):
        said = subprocess.run(
            [sys.executable, "-c", "import os; print(os.sched_getaffinity(0))"], capture_output=True, check=False
        )
    assert said.stdout.decode().strip() == str({min(before)})
    assert os.sched_getaffinity(0) == before


def test_the_holder_of_a_port_is_named() -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        port = holder.getsockname()[1]
        assert port_holder(port) is None  # bound, but not listening
        holder.listen()
        assert f"(pid {os.getpid()})" in (port_holder(port) or "")
