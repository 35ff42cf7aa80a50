"""Where a campaign runs: an inventory, and Pressgauge's folder on its hosts."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.errors import HostError, InputError
from harness.hosts.interrupts import hurry
from harness.hosts.playbooks import ANSIBLE, run_playbook
from harness.ledger.locks import hold
from harness.plan.told import Link, MeasuredLink, Surveyed
from harness.spec.load import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.hosts.playbook_events import PlaybookRun

_HOST_RETURNS_S = 120.0
_LOCK = ".lock"


@dataclass(frozen=True)
class Site:
    """An inventory, and Pressgauge's folder on this machine.

    Where hosts have theirs the inventory says, as `pressgauge_home`; `local`, and whatever shares this machine's files,
    takes this one.
    """

    inventory: Path
    home: Path

    @property
    def authority(self) -> Path:
        """The folder of the certificates and keys of the run that holds the site; there for as long as it does."""
        return self.home / "authority"

    @property
    def floor(self) -> Path:
        """The socket on which the trials of a block get their turns."""
        return self.home / "floor"

    @property
    def files(self) -> str:
        """What a host says of this site's lock where it shares this machine's files; see `host_survey`."""
        found = (self.home / _LOCK).stat()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{boot}:{found.st_dev}:{found.st_ino}"

    def variables(self) -> dict[str, Any]:
        """What every playbook is told."""
        return {"pressgauge_controller_home": str(self.home)}

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the site for one harness alone: two would end each other's instances, and measure each other.

        Raises:
            HostError: another harness is at work there, or the folder can't be written.
        """
        try:
            self.home.mkdir(parents=True, exist_ok=True)
            (self.home / _LOCK).touch()
        except OSError as error:
            raise HostError(
                f"{self.home}: can't be written: {error.strerror}", do="choose another folder: HOME_DIR=…"
            ) from error
        with hold(self.home / _LOCK, f"{self.home}: another campaign is running here"):
            try:
                yield
            finally:
                shutil.rmtree(self.authority, ignore_errors=True)  # this run's, or that of one that was killed

    def tear_down(self, hosts: Sequence[str] = (), wait_s: float = _HOST_RETURNS_S) -> None:
        """End what is left of ours on these hosts, or all: instances and clients recognised by marker and pid file.

        A host that can't be reached is given `wait_s` to come back.

        Raises:
            HostError: something is left that could not be ended.
            SecondInterrupt: the user has no patience with this.
        """
        deadline = time.monotonic() + wait_s
        outcome = self._tear_down_once(hosts)
        while outcome.unreachable and time.monotonic() < deadline:  # a host that failed a trial may be on its way back
            outcome = self._tear_down_once(hosts)
        self._require_reachable(outcome)
        if not outcome.ok:
            raise HostError(
                f"the processes that an earlier trial left can't be ended: {outcome.message}",
                do="end them by hand, then run again",
            )

    def tear_down_after(self, error: BaseException, wait_s: float = _HOST_RETURNS_S) -> None:
        """Tear down because of an error, which stays the one to be told: what can't be ended is noted with it.

        Raises:
            SecondInterrupt: the user has no patience with this.
        """
        try:
            self.tear_down(wait_s=wait_s)
        except HostError as left:
            if str(left) != str(error):
                error.add_note(f"and {left.what}")

    def _tear_down_once(self, hosts: Sequence[str]) -> PlaybookRun:
        what = ("teardown.yml", self.inventory, self.variables())
        return run_playbook(*what, hosts=hosts, on_tick=hurry, timeout_s=120)

    def tear_down_apart(self) -> None:
        """Start a process that tears the site down, and outlives this one; the site must not be locked any more."""
        here = ["--inventory", str(self.inventory.resolve()), "--home", str(self.home)]
        subprocess.Popen(
            [sys.executable, "-m", "harness", "tear-down", *here],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def survey(self, ports: list[dict[str, Any]]) -> dict[str, Surveyed]:
        """Every host's survey, writability and busy ports, by host name.

        Raises:
            HostError: a host can't be reached or surveyed.
            InputError: the inventory has none.
            DefectError: a module gave back another form than agreed.
        """
        variables = self.variables() | {"survey_ports": ports, "survey_shared": str(self.home / _LOCK)}
        outcome = run_playbook("survey.yml", self.inventory, variables, timeout_s=120)
        self._require_reachable(outcome)
        if not outcome.ok:
            raise HostError(
                f"the hosts can't be surveyed: {outcome.message}", do="check the inventory and the rights there"
            )
        found = {answer.host: answer.parsed(Surveyed) for answer in outcome.answers_of("host_survey")}
        if not found:  # Ansible takes what it can't read for an inventory without hosts
            raise InputError(
                f"{self.inventory}: there is no host in it, or it is not an inventory",
                do="docs/hosts.md has an example; `ansible-inventory --list -i` shows what Ansible reads",
            )
        links: dict[str, dict[str, Link]] = {host: {} for host in found}
        for answer in outcome.answers_of("host_link"):
            if "link" in answer.result:  # it also begins and ends the answering
                measured = answer.parsed(MeasuredLink)
                links[answer.host][measured.database] = measured.link
        return {host: told.model_copy(update={"links": links[host]}) for host, told in found.items()}

    def _require_reachable(self, outcome: PlaybookRun) -> None:
        if outcome.unreachable:
            raise HostError(
                f"{self.inventory}: {outcome.message}",
                do=f"see that `ssh` reaches {outcome.unreachable} without a question, as the inventory has it "
                "(ansible_host, ansible_port, ansible_user, key; its host key known), and that it is up",
            )


def find_site(inventory: str, home: Path) -> Site:
    """The inventory by its name in `ansible/inventories` or its path.

    Raises:
        InputError: there is none.
    """
    named = ANSIBLE / "inventories" / inventory
    path = named if named.exists() else Path(inventory)
    if not path.exists():
        known = sorted(entry.name for entry in (ANSIBLE / "inventories").iterdir())
        raise InputError(f"no inventory is called {inventory!r}", do=f"use one of {', '.join(known)}, or a path")
    return Site(path, home)
