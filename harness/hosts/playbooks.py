"""Running a playbook: Ansible executes, this module starts it, listens, and ends it when told to."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import yaml

from harness.errors import HostError
from harness.hosts.playbook_events import Announcer, PlaybookRun
from harness.hosts.private_folders import MARK, end_all_of, private_folder
from harness.spec.load import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence

ANSIBLE = ROOT / "ansible"
_POLL_S = 0.25
_LAST_WORDS = 400
_DEAD_WORKER = "A worker was found in a dead state"


Result = TypeVar("Result")


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
                end_all_of(private)  # at once: ansible-runner looks at `stop` once a second
            thread.join()
            if runner.rc != 0:
                end_all_of(private)
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


def _environment(private: Path) -> dict[str, str]:
    return {
        MARK: str(private),
        # Gone with the folder, even where Ansible or a module is killed
        "ANSIBLE_LOCAL_TEMP": str(private / "tmp"),
        "TMPDIR": str(private),
        "ANSIBLE_CONFIG": str(ANSIBLE / "ansible.cfg"),
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_HOST_KEY_CHECKING": "True",  # ansible-runner would trust any host
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
    }
