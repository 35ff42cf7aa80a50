"""`run.json`, what a run keeps of itself beside its trials: read whole and of the right types, or refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from core.bounds import MOST_PLATFORMS, Name, NameOrNone, Word
from core.stored import read_regular
from harness.errors import InputError
from harness.spec.campaign import Design  # noqa: TC001 - pydantic reads it

if TYPE_CHECKING:
    from pathlib import Path

_LARGEST_BYTES = 2**20


@with_config(extra="allow")  # what a later version keeps there stays
class RunState(TypedDict, total=False):
    """What a run knows of itself."""

    campaign: Word
    command: Annotated[str, Field(max_length=10_000)]
    """What repeats the run."""
    platforms: Annotated[list[NameOrNone], Field(min_length=1, max_length=MOST_PLATFORMS)]
    """Which its blocks run on, in the order of the inventory."""
    rates: dict[Name, dict[Name, Annotated[int, Field(ge=1, lt=2**31)]]]
    """Of paced workloads, by dataset and name."""
    design: Design
    """How the trials of its blocks run."""
    finished: bool


_STATE = TypeAdapter(RunState)


def read_run_state(path: Path) -> RunState:
    """What a run's file says of it; nothing where there is none.

    Raises:
        InputError: it is damaged, or no regular file.
    """
    try:
        return _STATE.validate_json(read_regular(path, _LARGEST_BYTES))
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError) as error:
        why = first_fault(error) if isinstance(error, ValidationError) else error.strerror
        raise InputError(
            f"{path}: not the state of a run: {why}", do="restore the file, or start a new run with NEW=1"
        ) from error


def first_fault(error: Exception) -> str:
    """Where a file of a run is not as it should be, and why."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_input=False, include_url=False)[0]
    why = "is missing" if first["type"] == "missing" else first["msg"]
    return f"{'.'.join(str(part) for part in first['loc'])[:200] or 'the whole'}: {why}"
