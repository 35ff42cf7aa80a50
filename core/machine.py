"""What this machine is, for figures that mean nothing without it."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

from core.bounds import Count, Word
from core.model import Part

_MODEL = re.compile(r"^model name\s*: (.*)$", re.MULTILINE)


class Machine(Part):
    """A machine, as far as it bears on speed."""

    cpu: Word
    cores: Count
    kernel: Word


def this_machine() -> Machine:
    """The machine that this process may use: cores that it is kept from don't count."""
    model = _MODEL.search(Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return Machine(
        cpu=model[1] if model else platform.processor() or platform.machine(),
        cores=len(os.sched_getaffinity(0)),
        kernel=platform.release(),
    )
