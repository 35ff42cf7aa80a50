"""The gate at the edge: sides read from runs and baseline files, tolerances from YAML, findings written for CI."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from pydantic import ValidationError

from analysis.gate.comparability import Comparability, compare_facts
from analysis.gate.judge import Gate, NothingComparedError, gate
from analysis.gate.pairing import PairingError, Selection
from analysis.gate.reference import Reference, reference_facts
from analysis.gate.sides import Side, side
from analysis.gate.tolerances import Tolerances
from core.stored import read_regular
from harness.cli.outcome import blocks_begun, decide_run, exit_code
from harness.errors import Exit, HostError, InputError
from harness.evidence.verify import evidence_faults, require_verified
from harness.ledger.facts import conditions, read_campaign
from harness.ledger.ledger import SPEC_FILE, write_whole
from harness.ledger.run_state import first_fault
from harness.ledger.runs import find_run
from harness.plan.trials import plan
from harness.spec.faults import describe
from harness.spec.yaml_source import read_yaml
from reports import gate_texts as formats

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from pydantic import JsonValue

_LARGEST_BASELINE_BYTES = 256 * 2**20
MOST_EARLIER = 20
"""Of a folder of runs no more are read: what was measured long ago says little of how figures move now."""


@dataclass(frozen=True)
class Outputs:
    """Where findings go beside the terminal."""

    junit: Path | None = None
    markdown: Path | None = None
    json: Path | None = None
    annotations: bool = False


@dataclass(frozen=True)
class Judged:
    """A gate that was held, and what differs between its sides."""

    found: Gate
    comparability: Comparability
    strict: bool

    @property
    def exit_code(self) -> Exit:
        """1 for a regression, or for anything undecided where that counts; 5 where a check was blind; else 0."""
        if self.found.fails(strict=self.strict):
            return Exit.GATE_FAILED
        return Exit.INCONCLUSIVE if self.found.blind else Exit.FINE

    def lines(self) -> Iterator[str]:
        """What the terminal says."""
        return formats.lines(self.found, self.comparability.warnings)


def hold_gate(
    baselines: Sequence[Path], candidate: Path, selection: Selection, tolerances: Path | None, *, strict: bool = False
) -> Judged:
    """Compare a run with earlier ones, each a run, a baseline file, or a folder of such.

    Raises:
        InputError: a side or the tolerances can't be read, the candidate is comparable with none of the others (the
            message lists every difference from the newest), no cell of one stands against one of the other, or nothing
            of them can be compared.
    """
    after, paths = read_side(candidate), list(_expanded(baselines, candidate.resolve().name))
    allowed = read_tolerances(tolerances) if tolerances else Tolerances()
    earlier, comparability, left_out = _comparable(paths, after)
    newest = paths[-1]
    if not earlier:
        listed = "\n".join(f"  {one}" for one in comparability.forbidding)
        raise InputError(
            f"{candidate} can't be compared with {newest}:\n{listed}",
            do="repeat one of the runs under the other's conditions; docs/gate.md says what must match",
        )
    try:
        found = gate(earlier, after, allowed, selection)
    except PairingError as error:
        raise InputError(str(error), do="use the names of engines and arms in these runs") from error
    except NothingComparedError as error:
        raise InputError(
            f"{candidate} and {newest} have nothing to compare: {error}",
            do="run two blocks or more with valid trials on each side; the report says why a trial is void",
        ) from error
    return Judged(found.model_copy(update={"notes": (*found.notes, *left_out)}), comparability, strict)


def _expanded(baselines: Iterable[Path], candidate: str) -> Iterator[Path]:
    """Each run and baseline file; of a folder its baseline files, and the newest finished runs before the candidate."""
    for path in baselines:
        if path.is_dir() and not (path / SPEC_FILE).is_file():
            runs = [one for one in path.glob(f"[!.]*/{SPEC_FILE}") if not one.parent.is_symlink()]
            earlier = sorted((one.parent for one in runs if one.parent.name < candidate), reverse=True)
            newest = list(islice((one for one in earlier if find_run(one).finished), MOST_EARLIER))
            found = [*sorted(path.glob("*.json")), *reversed(newest)]
            if not found:
                raise InputError(
                    f"{path}: this folder has neither a run that finished before {candidate} nor a baseline file",
                    do="give a run, or a folder of runs",
                )
            yield from found
        else:
            yield path


def _comparable(paths: Sequence[Path], candidate: Side) -> tuple[list[Side], Comparability, list[str]]:
    """The sides that the candidate may be compared with, itself not among them unless it is the only one; what differs
    from the newest of these (or of all, if it is comparable with none); and a line for each that is left out."""
    reference = Reference.of(candidate.criteria)
    sides = {path: read_side(path) for path in paths}
    others = {path: one for path, one in sides.items() if one.identity() != candidate.identity()} or sides
    held = {path: compare_facts(_facts(one, reference), _facts(candidate, reference)) for path, one in others.items()}
    earlier = [one for path, one in others.items() if held[path].comparable]
    left_out = [
        f"{path} is left out: {'; '.join(map(str, one.forbidding))}" for path, one in held.items() if not one.comparable
    ]
    told = [one for one in held.values() if one.comparable] or list(held.values())
    return earlier, told[-1], left_out


def _facts(one: Side, reference: Reference | None) -> dict[str, JsonValue]:
    return one.facts | (reference_facts(one, reference) if reference else {})


def write_outputs(judged: Judged, outputs: Outputs) -> list[str]:
    """Write the files that were asked for; gives the annotations to print.

    Raises:
        HostError: a file can't be written.
    """
    found, warnings, strict = judged.found, judged.comparability.warnings, judged.strict
    if outputs.junit:
        _write(outputs.junit, formats.junit(found, strict=strict))
    if outputs.markdown:
        _write(outputs.markdown, formats.markdown(found, warnings))
    if outputs.json:
        _write(outputs.json, found.model_dump_json(indent=1) + "\n")
    if not outputs.annotations:
        return []
    return list(formats.workflow_commands(found, warnings, strict=strict))


def read_side(path: Path) -> Side:
    """A side from a run's folder, or from a baseline file.

    Raises:
        InputError: there is neither, it can't be read, or the run is not as it was recorded.
    """
    if path.is_file():
        try:
            return Side.model_validate_json(read_regular(path, _LARGEST_BASELINE_BYTES, links=True))
        except (OSError, ValidationError) as error:
            why = first_fault(error) if isinstance(error, ValidationError) else error.strerror
            raise InputError(
                f"{path}: not a baseline file of a version this Pressgauge reads: {why}",
                do="write it again from a run: python -m harness baseline RUN FILE",
            ) from error
    ledger = find_run(path)
    require_verified(ledger, evidence_faults(ledger))
    campaign = read_campaign(ledger)
    decision = decide_run(ledger, campaign)
    return side(campaign.name, ledger.run_id, ledger.records(), decision, conditions(ledger, campaign))


def write_baseline(run: Path, path: Path) -> Side:
    """Keep a run as a baseline file: its facts, figures and decision, one figure per line, so that changes show in git.

    Raises:
        InputError: there is no run, or it is not complete: a baseline must not lack trials.
    """
    found = read_side(run)
    ledger = find_run(run)
    campaign = read_campaign(ledger)
    records = ledger.records()
    blocks = blocks_begun(campaign, records) or campaign.fewest_blocks
    planned = plan(campaign, blocks, ledger.platforms)
    if exit_code(decide_run(ledger, campaign), records, planned) is Exit.INCOMPLETE or not ledger.finished:
        raise InputError(f"{run}: this run is not complete, or has void trials", do="resume it, or take another run")
    _write(path, baseline_text(found))
    return found


def baseline_text(found: Side) -> str:
    """The JSON of a side, one line per figure."""
    told = found.model_dump(mode="json")
    parts = []
    for key, value in told.items():
        if key in ("figures", "counters", "cells"):
            rows = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in value)
            parts.append(f' "{key}": [\n{rows}\n ]')
        else:
            parts.append(f' "{key}": {json.dumps(value, ensure_ascii=False)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def read_tolerances(path: Path) -> Tolerances:
    """The tolerances of a YAML file.

    Raises:
        InputError: it is missing or wrong, with file, line and key.
    """
    source = read_yaml(path)
    try:
        return Tolerances.model_validate(source.data or {})
    except ValidationError as error:
        faults = [
            f"{path}:{source.line(at)}: {''.join(f'{part}.' for part in at)[:-1] or 'the file'}: {said}"
            for at, said in describe(source, error.errors(), Tolerances)
        ]
        raise InputError("\n".join(faults), do="fix the tolerances; docs/gate.md has an example") from error


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    except OSError as error:
        raise HostError(f"{path}: can't be written: {error.strerror}", do="give another path") from error
