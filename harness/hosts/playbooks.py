"""Running a playbook: Ansible executes, this module starts it, listens, and ends it when told to."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import yaml

from harness.errors import HostError
from harness.hosts.answers import Answer
from harness.spec.load import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

ANSIBLE = ROOT / "ansible"
_POLL_S = 0.25
_SKIPPED_WITHIN_S = 0.5
_PRIVATE = "pressgauge-ansible-"
_MARK = "PRESSGAUGE_PLAYBOOK"
"""In the environment of Ansible, and of all that it starts on this machine: the private folder of the playbook."""
_ENDED_WITHIN_S = 10.0
_KILL_POLL_S = 0.02
_LOCK = ".lock"
_LAST_WORDS = 400
_DEAD_WORKER = "A worker was found in a dead state"
_NOT_STEPS = {"include_tasks", "validate_argument_spec"}
"""Modules whose tasks do nothing on a host."""
_DONE = {"runner_on_ok", "runner_on_failed", "runner_on_unreachable"}


@dataclass
class PlaybookRun:
    """What came of one playbook."""

    ok: bool = False
    timed_out: bool = False
    killed: bool = False
    """Somebody, or a host short of memory, killed Ansible itself."""
    failed_task: str = ""
    unreachable: str = ""
    """The first host that could not be reached."""
    message: str = ""
    steps_s: dict[str, float] = field(default_factory=dict)
    """Task -> seconds from its start to the next one's, of tasks that did something on a host."""
    answers: list[Answer] = field(default_factory=list)
    """What modules gave back, in the order of its coming; of a loop, each item's."""
    under_way: tuple[str, datetime] = ("", datetime.min.replace(tzinfo=UTC))
    """The task under way, and since when."""

    _steps: set[str] = field(default_factory=set)
    """Tasks that did something on a host."""
    _failed_item: str = ""
    """What failed an item of the loop under way: the task itself says only that one did."""

    def answers_of(self, module: str) -> list[Answer]:
        """What a module gave back, whatever its tasks are called."""
        return [one for one in self.answers if one.module == module]

    def hear(self, event: dict[str, Any]) -> None:
        """Take in one of ansible-runner's events."""
        data = event.get("event_data") or {}
        kind, task, host = event.get("event"), str(data.get("task", "")), str(data.get("host", ""))
        told = data.get("res")
        result = told if isinstance(told, dict) else {}
        if kind in {"playbook_on_task_start", "playbook_on_stats"}:
            self._next_step(task, str(event.get("created", "")))
        if kind in {"runner_on_ok", "runner_item_on_ok"}:
            self.answers.append(Answer(host, _module(data), result))
        if kind == "playbook_on_task_start":
            self._failed_item = ""
        if kind == "runner_item_on_failed" and not self._failed_item:
            self._failed_item = _message(result)
        if kind in _DONE and _module(data) not in _NOT_STEPS:
            self._steps.add(task)
        if kind == "runner_on_unreachable" and not self.unreachable:
            self.unreachable, self.failed_task = host, task
            self.message = f"{host} can't be reached: {_message(result)}"
        if kind in {"runner_on_failed", "runner_on_unreachable"} and not data.get("ignore_errors") and not self.message:
            self.failed_task, self.message = task, self._failed_item or _message(result)

    def _next_step(self, task: str, created: str) -> None:
        """A task begins, or the play ends: the one before has ended."""
        before, since = self.under_way
        now = datetime.fromisoformat(created) if created else datetime.now(UTC)
        if before in self._steps:
            self.steps_s[before] = round(self.steps_s.get(before, 0.0) + (now - since).total_seconds(), 3)
        self.under_way = task, now


Result = TypeVar("Result")


@dataclass
class Announcer:
    """Tells of each task that is really done: one that is skipped has ended before it is told of."""

    tell: Callable[[str], None]
    task: str = ""
    since: float = 0.0

    def hear(self, event: dict[str, Any]) -> None:
        """Take in one of ansible-runner's events."""
        kind = event.get("event")
        if kind == "playbook_on_task_start":
            data = event.get("event_data") or {}
            self.task = "" if _module(data) in _NOT_STEPS else str(data.get("task", ""))
            self.since = time.monotonic()
        elif kind in _DONE:
            self._tell()

    def tick(self) -> None:
        """Tell of a task that goes on."""
        if time.monotonic() - self.since > _SKIPPED_WITHIN_S:
            self._tell()

    def _tell(self) -> None:
        task, self.task = self.task, ""
        if task:
            self.tell(task)


def run_playbook(  # noqa: PLR0913 - as `playbook`
    name: str,
    inventory: Path,
    variables: dict[str, Any],
    *,
    hosts: Sequence[str] = (),
    on_task: Callable[[str], None] = lambda _task: None,
    on_tick: Callable[[], None] = lambda: None,
    log: Path | None = None,
    timeout_s: float = 3600,
) -> PlaybookRun:
    """Run `ansible/<name>` to its end, as `playbook` does."""
    work = playbook(
        name, inventory, variables, hosts=hosts, on_task=on_task, on_tick=on_tick, log=log, timeout_s=timeout_s
    )
    (outcome,) = side_by_side([work])
    return outcome


def side_by_side(works: Iterable[Generator[None, None, Result]]) -> list[Result]:
    """Run works that wait at every `yield` to their ends, in turns a few times a second; gives what each returns.

    What one raises, a KeyboardInterrupt included, ends the others before it is passed on.
    """
    waiting = dict(enumerate(works))
    results: dict[int, Result] = {}
    try:
        while waiting:
            for number, work in list(waiting.items()):
                try:
                    next(work)
                except StopIteration as ended:
                    results[number] = ended.value
                    del waiting[number]
            if waiting:
                time.sleep(_POLL_S)
    finally:
        for work in waiting.values():
            work.close()
    return [results[number] for number in sorted(results)]


def playbook(  # noqa: PLR0913 - Ansible's own options, and who hears of it
    name: str,
    inventory: Path,
    variables: dict[str, Any],
    *,
    hosts: Sequence[str] = (),
    on_task: Callable[[str], None] = lambda _task: None,
    on_tick: Callable[[], None] = lambda: None,
    log: Path | None = None,
    timeout_s: float = 3600,
) -> Generator[None, None, PlaybookRun]:
    """Run `ansible/<name>` against an inventory, or these of its hosts; yields while it runs, and returns its outcome.

    `on_task` hears the name of each task that is not skipped, `on_tick` is called after every yield.
    Ansible's own output goes to `log`. When it is closed, or a callback raises, Ansible is ended; when this returns or
    raises, nothing of a playbook that failed is at work on this machine.
    """
    _require_pseudo_terminals()
    outcome, announcer = PlaybookRun(), Announcer(on_task)

    def hear(event: dict[str, Any]) -> bool:
        outcome.hear(event)
        announcer.hear(event)
        return False  # keep no copy of the event on disk

    stop = False
    import ansible_runner  # noqa: PLC0415 only what runs campaigns pays for it, not what renders reports

    with private_folder() as private:
        _hand_over(variables, private)
        thread, runner = ansible_runner.run_async(
            private_data_dir=str(private),
            project_dir=str(ANSIBLE),
            playbook=name,
            inventory=str(inventory.resolve()),
            limit=",".join(hosts) or None,
            envvars=_environment(private),
            event_handler=hear,
            cancel_callback=lambda: stop,
            quiet=True,
            settings={"idle_timeout": int(timeout_s), "job_timeout": int(timeout_s), "pexpect_timeout": 1},
        )
        try:
            while thread.is_alive():  # not join: Python 3.11 takes a thread for ended when a signal interrupts its join
                yield
                announcer.tick()
                on_tick()
        finally:
            stop = True
            if thread.is_alive():
                _end_all_of(private)  # at once: ansible-runner looks at `stop` once a second
            thread.join()
            if runner.rc != 0:
                _end_all_of(private)
        outcome.ok = runner.rc == 0
        outcome.timed_out = runner.status == "timeout"
        outcome.killed = runner.rc is None
        _explain(outcome, private, log, timeout_s)
    return outcome


def _require_pseudo_terminals() -> None:
    """Ansible is run on one, and its thread would die without a word for us."""
    try:
        ends = os.openpty()
    except OSError as error:
        raise HostError(
            f"Ansible needs a pseudo-terminal, and this machine gives none: {error.strerror}",
            do="mount them (mount -t devpts devpts /dev/pts), or start the container with a /dev/pts of its own",
        ) from error
    for end in ends:
        os.close(end)


def as_data(variables: Mapping[str, Any]) -> str:
    """YAML in which Ansible takes no text for a template.

    A template runs commands on this machine, and Ansible trusts those in inventories and in variables that it is given.
    """
    return "--- !unsafe\n" + yaml.safe_dump(dict(variables), sort_keys=False)


def _hand_over(variables: Mapping[str, Any], private: Path) -> None:
    """Write the variables where ansible-runner finds them."""
    path = private / "env/extravars"
    path.parent.mkdir()
    path.write_text(as_data(variables), encoding="utf-8")


@contextmanager
def private_folder() -> Iterator[Path]:
    """A folder for Ansible's own files, gone afterwards; those that killed harnesses left are deleted too."""
    for left in Path(tempfile.gettempdir()).glob(f"{_PRIVATE}*"):
        with suppress(OSError), (left / _LOCK).open("r+") as lock:  # another user's can't be opened
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # refused while its harness lives
            _end_all_of(left)
            shutil.rmtree(left)
    folder = Path(tempfile.mkdtemp(prefix=f".{_PRIVATE}"))
    try:
        with (folder / _LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            folder = folder.rename(folder.with_name(folder.name[1:]))  # found by others only now that it is held
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _explain(outcome: PlaybookRun, private: Path, log: Path | None, timeout_s: float) -> None:
    """Keep Ansible's own output, and let its last lines speak where no task said what is wrong."""
    output = next(private.glob("artifacts/*/stdout"), None)
    if output and log and log.parent.is_dir():
        shutil.copyfile(output, log)
    if outcome.timed_out and not outcome.message:
        outcome.failed_task, _ = outcome.under_way
        outcome.message = f"not done after {timeout_s:.0f} s; something hangs, or the spec's limits are too short"
    said = output.read_text(errors="replace").strip() if output and not outcome.ok else ""
    outcome.killed = outcome.killed or _DEAD_WORKER in said
    if outcome.killed and not outcome.message:
        outcome.message = "Ansible was killed; see whether this machine ran out of memory (dmesg)"
    if not outcome.ok and not outcome.message:
        outcome.message = said[-_LAST_WORDS:] or "ansible-playbook could not be started"


def _end_all_of(private: Path) -> None:
    """Kill whatever works for a playbook on this machine: Ansible itself, its workers, modules and what these started.

    They lead sessions of their own, and outlive each other and a killed harness; the environment tells them apart.
    """
    mark = f"{_MARK}={private}".encode()
    deadline = time.monotonic() + _ENDED_WITHIN_S
    while (left := list(_bearing(mark))) and time.monotonic() < deadline:
        for pid in left:
            with suppress(ProcessLookupError):  # it ended by itself in between
                os.kill(pid, signal.SIGKILL)
        time.sleep(_KILL_POLL_S)


def _bearing(mark: bytes) -> Iterator[int]:
    """The processes with this entry in their environment; a zombie has none."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # another user's, or ended in between
            if mark in (process / "environ").read_bytes().split(b"\0"):
                yield int(process.name)


def _environment(private: Path) -> dict[str, str]:
    return {
        _MARK: str(private),
        # Gone with the folder, even where Ansible or a module is killed
        "ANSIBLE_LOCAL_TEMP": str(private / "tmp"),
        "TMPDIR": str(private),
        "ANSIBLE_CONFIG": str(ANSIBLE / "ansible.cfg"),
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_HOST_KEY_CHECKING": "True",  # ansible-runner would trust any host
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
    }


def _module(data: Mapping[str, Any]) -> str:
    """The module of an event's task, without its collection."""
    return str(data.get("task_action", "")).rpartition(".")[2]


def _message(result: dict[str, Any]) -> str:
    for key in ("msg", "module_stderr", "stderr"):
        if result.get(key):
            return str(result[key]).strip().removeprefix("Task failed: ")
    return "no reason given"
