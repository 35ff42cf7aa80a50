"""Watching the disks while a trial runs: it is stopped before they are full, with everything so far intact."""

from __future__ import annotations

import platform
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.sizes import show_size
from harness.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.plan.told import Surveyed

NO_SPACE = "No space left on device"
"""What programs say of a full disk on hosts that are not watched from here."""


@dataclass(frozen=True)
class DiskWatch:
    """Folders of this machine, and the space that must stay free where they are."""

    folders: tuple[Path, ...]
    keep_free_bytes: int

    @classmethod
    def of(cls, surveys: Mapping[str, Surveyed], results: Path, keep_free_bytes: int) -> DiskWatch:
        """The results, and the data of those surveyed hosts that are this machine."""
        here = (found.facts for found in surveys.values() if found.facts.hostname == platform.node())
        data = {Path(facts.data.path) for facts in here}
        return cls((results, *sorted(path for path in data if path.is_dir())), keep_free_bytes)

    def check(self) -> None:
        """Look at the disks; cheap enough for several times a second.

        Raises:
            HostError: one has less space left than it must keep.
        """
        for folder in self.folders:
            free = shutil.disk_usage(folder).free
            if free < self.keep_free_bytes:
                raise HostError(
                    f"{folder}: {show_size(free)} are left on this disk, and {show_size(self.keep_free_bytes)} must "
                    "stay free (limits.free_disk); stopped, every finished trial is kept",
                    do="make space there; the same command resumes the run",
                )
