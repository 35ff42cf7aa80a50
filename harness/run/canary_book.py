"""A run's canaries: taken by `canary.yml` before and after each block, kept in `canaries.json`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from pydantic import TypeAdapter, ValidationError

from analysis.trial.canaries import Canary, Moved, moved
from core.bounds import Positive
from core.stored import read_regular
from harness.errors import HostError, InputError
from harness.hosts.playbooks import run_playbook
from harness.ledger.run_state import first_fault
from harness.plan.told import Told

if TYPE_CHECKING:
    from pathlib import Path

    from harness.ledger.ledger import Ledger

FILE = "canaries.json"
_LARGEST_BYTES = 64 * 2**20
_LIST = TypeAdapter(list[Canary])


class CanaryReading(Told):
    """One host's speed, as `host_canary` gives it back."""

    cpu_bytes_per_s: Positive
    disk_bytes_per_s: Positive | None
    """None for a host that only loads."""


def take_canaries(
    ledger: Ledger, inventory: Path, variables: dict[str, Any], block: int, moment: Literal["before", "after"]
) -> None:
    """Measure every host's speed now, and add it to the run's canaries.

    Raises:
        HostError: a host can't be reached, or its data directory not written.
        DefectError: the module gave back another form than agreed.
    """
    outcome = run_playbook("canary.yml", inventory, variables, timeout_s=120)
    if not outcome.ok:
        raise HostError(f"a host's speed can't be measured: {outcome.message}", do="check the inventory and the disks")
    at = datetime.now(UTC).isoformat(timespec="seconds")
    taken = [
        Canary(
            block=block,
            moment=moment,
            host=answer.host,
            cpu_bytes_per_s=reading.cpu_bytes_per_s,
            disk_bytes_per_s=reading.disk_bytes_per_s,
            at=at,
        )
        for answer in outcome.answers_of("host_canary")
        for reading in [answer.parsed(CanaryReading)]
    ]
    ledger.write(FILE, _LIST.dump_json(read_canaries(ledger.folder) + taken, indent=1).decode())


def read_canaries(run: Path) -> list[Canary]:
    """The run's canaries in the order of their taking; none where none were taken.

    Raises:
        InputError: the file is damaged.
    """
    path = run / FILE
    try:
        return _LIST.validate_json(read_regular(path, _LARGEST_BYTES))
    except FileNotFoundError:
        return []
    except (OSError, ValidationError) as error:
        why = first_fault(error) if isinstance(error, ValidationError) else error.strerror
        raise InputError(f"{path}: not a run's canaries: {why}", do="restore or remove it") from error


def moved_canaries(run: Path, limit_percent: float) -> tuple[Moved, ...]:
    """The run's canaries beyond the limit, by block.

    Raises:
        InputError: the file is damaged.
    """
    return tuple(moved(read_canaries(run), limit_percent))
