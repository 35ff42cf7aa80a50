"""Bring a directory of a host to the controller as one archive, and delete it there.

    evidence_fetched: {directory: /srv/pressgauge/evidence/t001, dest: /results/trials/t001}

A few commands over the connection that is open anyway, and no module on the host: packing, fetching, unpacking and
deleting as tasks of their own would take a trial seconds. A host without the directory has nothing to send.
"""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

_NOTHING = 3


class ActionModule(ActionBase):  # type: ignore[misc] # Ansible has no types
    """What Ansible calls."""

    _requires_connection = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Fetch and unpack; `fetched` says whether there was anything."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        directory, dest = Path(self._task.args["directory"]), Path(self._task.args["dest"])
        archive = directory.with_name(f"{directory.name}.tar.gz")
        where, packed = shlex.quote(str(directory)), shlex.quote(str(archive))
        packing = f"tar --create --gzip --directory {where} --file {packed} --remove-files ."
        if self._said(f"test -d {where} || exit {_NOTHING}; {packing}") == _NOTHING:
            return result | {"changed": False, "fetched": False}
        here = dest / f".{task_vars['inventory_hostname'] if task_vars else ''}.tar.gz"
        try:
            self._connection.fetch_file(str(archive), str(here))
            unpacking = ["tar", "--extract", "--gzip", "--directory", str(dest), "--file", str(here)]
            done = subprocess.run(unpacking, capture_output=True, text=True, check=False)
            if done.returncode:
                raise AnsibleActionFail(f"the evidence can't be unpacked in {dest}: {done.stderr.strip()}")
        finally:
            here.unlink(missing_ok=True)
        self._said(f"rm -f {packed}")
        return result | {"changed": True, "fetched": True}

    def _said(self, command: str) -> int:
        """The exit code of a command on the host, where it is one that was foreseen."""
        told = self._low_level_execute_command(command)
        if told["rc"] not in (0, _NOTHING):
            raise AnsibleActionFail(f"the evidence can't be fetched: {told['stderr'] or told['stdout']}")
        return int(told["rc"])
