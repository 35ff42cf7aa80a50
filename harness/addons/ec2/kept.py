"""What `cloud-up` keeps here of the hosts it starts: a folder with their inventory and key, and a marker in it.

A folder without the marker is not ours: it is neither read nor deleted, whatever it is called.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.bounds import is_run_name
from harness.errors import InputError
from harness.ledger.ledger import write_whole

if TYPE_CHECKING:
    from harness.addons.ec2.fleet import Identity

MARKER = ".pressgauge-fleet"
_FACTS = ("campaign", "owner", "region")


@dataclass(frozen=True)
class Kept:
    """The folder of one start, and where its hosts are."""

    folder: Path
    campaign: str
    owner: str
    region: str

    @property
    def run(self) -> str:
        """The start's name."""
        return self.folder.name

    def forget(self) -> None:
        """Delete the folder; the marker goes last, so that what a killed process leaves is still known as ours."""
        for child in self.folder.iterdir():
            if child.is_dir() and not child.is_symlink():
                shutil.rmtree(child)
            elif child.name != MARKER:
                child.unlink()
        shutil.rmtree(self.folder)


def keep(home: Path, identity: Identity, region: str) -> Path:
    """Make the folder of a start, for its owner alone; it appears with its marker in it.

    Raises:
        InputError: something is there already, or the start's name is none for a folder.
    """
    folder = home / identity.run
    if not is_run_name(identity.run) or folder.exists() or folder.is_symlink():
        raise InputError(f"{folder}: no folder of new hosts can be made there", do="move it away, then run it again")
    home.mkdir(parents=True, exist_ok=True)
    unmarked = Path(tempfile.mkdtemp(prefix=f".{identity.run}.", dir=home))
    facts = {"campaign": identity.campaign, "owner": identity.owner, "region": region}
    write_whole(unmarked / MARKER, json.dumps(facts))
    unmarked.rename(folder)
    return folder


def kept(home: Path, **tags: str) -> list[Kept]:
    """The folders below `home` whose markers say so (campaign, owner, run; an empty one is any); no link is followed.

    A marker that can't be read says nothing.
    """
    found = (_read(folder) for folder in sorted(home.iterdir())) if home.is_dir() else ()
    return [one for one in found if one and all(value in {"", getattr(one, key)} for key, value in tags.items())]


def _read(folder: Path) -> Kept | None:
    marker = folder / MARKER
    if not is_run_name(folder.name) or folder.is_symlink() or marker.is_symlink() or not marker.is_file():
        return None
    try:
        said = json.loads(marker.read_bytes())
        campaign, owner, region = (said[key] for key in _FACTS)
    except (ValueError, TypeError, KeyError):
        return None
    if not all(isinstance(one, str) for one in (campaign, owner, region)):
        return None
    return Kept(folder, campaign, owner, region)
