"""Follows the YCSB clients' status lines while a trial runs, where their evidence is written on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workloads.ycsb_status import Status, read_status_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class StatusTail:
    """Reads what was added to a folder's `<phase>.status.log` since the last look. Costs the trial nothing.

    `tell` hears the phase's name and its latest status.
    """

    def __init__(self, folder: Path, tell: Callable[[str, Status], None]) -> None:
        self.folder = folder
        self.tell = tell
        self.offsets: dict[Path, int] = {}

    def poll(self) -> None:
        """Tell the latest complete status line, if there is a new one."""
        for path in self.folder.glob("*.status.log"):
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
                self.tell(path.name.removesuffix(".status.log"), latest)
