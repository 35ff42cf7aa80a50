"""Where a campaign runs: an inventory, and Pressgauge's folder on its hosts."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.errors import HostError, InputError
from harness.ledger import hold
from harness.playbooks import ANSIBLE, run_playbook

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Site:
    """An inventory, and Pressgauge's folder on its hosts."""

    inventory: Path
    home: Path

    def variables(self) -> dict[str, Any]:
        """What every playbook is told."""
        return {"pressgauge_home": str(self.home)}

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the site for one harness alone: two would end each other's instances, and measure each other.

        Raises:
            HostError: another harness is at work there, or the folder can't be written.
        """
        try:
            self.home.mkdir(parents=True, exist_ok=True)
            (self.home / ".lock").touch()
        except OSError as error:
            raise HostError(
                f"{self.home}: can't be written: {error.strerror}", do="give another PRESSGAUGE_HOME"
            ) from error
        with hold(self.home / ".lock", f"{self.home}: another campaign is running here"):
            yield

    def tear_down(self) -> None:
        """End what is left of ours on the hosts: instances and clients recognised by their marker and pid file.

        Raises:
            HostError: something is left that could not be ended.
        """
        outcome = run_playbook("teardown.yml", self.inventory, self.variables(), timeout_s=120)
        if not outcome.ok:
            raise HostError(
                f"what an earlier trial left can't be ended: {outcome.message}", do="end it by hand, then run again"
            )

    def survey(self, ports: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
        """Every host's survey, writability and busy ports, by host name.

        Raises:
            HostError: a host can't be reached or surveyed.
        """
        variables = self.variables() | {"survey_ports": ports}
        outcome = run_playbook("survey.yml", self.inventory, variables, timeout_s=120)
        if not outcome.ok:
            raise HostError(
                f"the hosts can't be surveyed: {outcome.message}", do="check the inventory and the rights there"
            )
        return dict(outcome.by_host.get("The hosts are surveyed", {}))


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
