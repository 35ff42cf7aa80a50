"""Follows the YCSB clients' status lines while a trial runs, where their evidence is written on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workloads.ycsb_status import Status, read_status_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

_ENDING = ".status.log"


class StatusTail:
    """Reads what was added to the clients' `<phase>.status.log` since the last look. Costs the trial nothing.

    `tell` hears the phase's name and its latest status, of all clients together.
    """

    def __init__(self, folders: Iterable[Path], tell: Callable[[str, Status], None]) -> None:
        self.folders = list(folders)
        self.tell = tell
        self.offsets: dict[Path, int] = {}
        self.latest: dict[str, dict[Path, Status]] = {}

    def poll(self) -> None:
        """Tell the latest complete status lines, if there are new ones."""
        for path in [path for folder in self.folders for path in folder.glob(f"*{_ENDING}")]:
            try:
                with path.open("rb") as file:
                    file.seek(self.offsets.get(path, 0))
                    added = file.read(1 << 20)
            except OSError:
                continue  # it went away with its trial
            whole = added.rpartition(b"\n")[0]
            if not whole:
                continue
            self.offsets[path] = self.offsets.get(path, 0) + len(whole) + 1
            statuses = [read_status_line(line) for line in whole.decode("utf-8", "replace").splitlines()]
            latest = next((status for status in reversed(statuses) if status), None)
            if latest:
                phase = path.name.removesuffix(_ENDING)
                self.latest.setdefault(phase, {})[path] = latest
                self.tell(phase, Status.of_all(self.latest[phase].values()))
