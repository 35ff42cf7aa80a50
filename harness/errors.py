"""Errors by who must act, each with its exit code; the one handler, in `harness.cli.terminal`, tells them."""

from __future__ import annotations

import difflib
from enum import IntEnum


class Exit(IntEnum):
    """Exit codes, the same in every command."""

    FINE = 0
    GATE_FAILED = 1
    BAD_INPUT = 2
    DEPENDENCY_FAILED = 3
    INCOMPLETE = 4
    INCONCLUSIVE = 5
    DEFECT = 70
    INTERRUPTED = 130


class PressgaugeError(Exception):
    """Something a person must act on: what happened, where and why, and what to do about it."""

    exit_code: Exit

    def __init__(self, what: str, *, do: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.do = do


class InputError(PressgaugeError):
    """The user's spec, argument or results folder is wrong."""

    exit_code = Exit.BAD_INPUT


class HostError(PressgaugeError):
    """A host lacks something: disk, memory, permission, a package, a free port."""

    exit_code = Exit.DEPENDENCY_FAILED


class EngineError(PressgaugeError):
    """A mongod or a YCSB client failed."""

    exit_code = Exit.DEPENDENCY_FAILED


class DefectError(PressgaugeError):
    """Pressgauge itself is wrong."""

    exit_code = Exit.DEFECT


class Interrupted(PressgaugeError):
    """The user stopped the run; the same command resumes it."""

    exit_code = Exit.INTERRUPTED


def did_you_mean(wrong: str, known: list[str]) -> str:
    """` (did you mean 'x'?)` where one of the known words is near, else nothing."""
    near = difflib.get_close_matches(wrong, known, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""
