"""What an in-place upgrade left as evidence: each engine on the way, and the documents as it gave them back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from analysis.trial import validity
from analysis.trial.engine.counters import release
from analysis.trial.records import Reason, UpgradeStep, Verification
from core.stored import read_stored

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from analysis.trial.records import InForce


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object; raises OSError or ValueError."""
    loaded = from_json(read_stored(path))  # not json: that lets lone surrogates pass, and nesting without end crash
    if not isinstance(loaded, dict):
        raise ValueError(f"{path.name}: not a JSON object")
    return loaded


def read_verification(path: Path) -> Verification:
    """The verifier's account of the stored documents."""
    found = read_json(path)
    found.pop("format_version", None)
    examples = tuple(f"{e['key']} {e.get('field') or ''}: {e['why']}" for e in found.pop("examples", ()))
    return Verification(**found, examples=examples)


def read_steps(folder: Path, versions: Sequence[str]) -> Iterator[UpgradeStep]:
    """One step a version of the way, the load's first; nothing for a trial of one engine."""
    for number, version in enumerate(versions if len(versions) > 1 else ()):
        told = read_json(folder / f"upgraded-{version}.json") if number else {}
        yield UpgradeStep(
            version=version,
            feature_compatibility_version=told.get("fcv"),
            stop_s=told.get("stop_s"),
            start_s=told.get("start_s"),
            verification=read_verification(folder / f"verify-{version}.json"),
        )


def step_faults(steps: Sequence[UpgradeStep], found: InForce) -> Iterator[Reason]:
    """Documents that did not come through, and a compatibility version that stayed behind."""
    for step in steps:
        for reason in validity.document_faults(step.verification, (0, 0)):  # no workload has written yet
            yield Reason(code=reason.code, message=f"under {step.version}: {reason.message}")
    wanted = ".".join(map(str, release(steps[-1].version))) if steps else None
    if wanted != found.feature_compatibility_version and steps:
        message = f"the feature compatibility version is {found.feature_compatibility_version}; {wanted} was set"
        yield Reason(code="fcv-mismatch", message=message)
