"""What a reader has to know before trusting a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from analysis.decide import sentences
from analysis.decide.recommendation import Choice, Outcome
from analysis.stats.effects import Group
from analysis.stats.metrics import keys
from analysis.stats.quantities import block_number
from analysis.stats.stalls import unsteady_arms
from analysis.stats.verdicts import Effect, Family, Verdict
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import pandas as pd

    from analysis.decide.study import Study
    from analysis.stats.arm_estimates import ArmEstimate
    from analysis.trial.canaries import Moved

FEW_BLOCKS = 3
"""With fewer, a t interval is so wide that little but storage can be decided."""


_OF_HOST = ("host_idle_share", "mongod_share_of_host")
_HARDLY_IDLE = 0.1
_MOSTLY_MONGOD = 0.8


class Caveat(Part):
    """Something the reader has to know before trusting the rest."""

    code: Literal[
        "no-trials", "void-trials", "missing-blocks", "few-blocks", "flagged-trials", "unbalanced", "standing-out",
        "unknown-metric", "mixed-data", "no-cost", "adding-blocks", "control-differs", "moved-block",
        "shared-host", "looked", "unsteady-arm",
    ]  # fmt: skip
    message: str


def caveats(
    found: Study, choices: Collection[Choice], figures: Collection[ArmEstimate], moved: Iterable[Moved] = ()
) -> Iterable[Caveat]:
    """All caveats of a study, the choices made from it, and the canaries that moved."""
    if found.trials.empty:
        yield Caveat(code="no-trials", message="There are no trials.")
        return
    if found.looks is not None:
        yield Caveat(code="looked", message=sentences.looked(found.looks.fewest, found.looks.most))
    yield from _of_trials(found.trials)
    yield from _of_canaries(moved)
    yield from _of_cells(found.trials)
    yield from _of_hosts(found.measurements)
    for arm in unsteady_arms(found.records):
        yield Caveat(code="unsteady-arm", message=sentences.unsteady(arm))
    yield from _of_effects(found.every)
    yield from _of_criteria(found)
    if figures and all(choice.costs is None for choice in choices if choice.outcome is not Outcome.NO_BASELINE):
        message = sentences.no_cost(found.criteria.prices.workload, offered=bool(found.offered))
        yield Caveat(code="no-cost", message=message)


def _of_trials(trials: pd.DataFrame) -> Iterable[Caveat]:
    for row in trials[~trials["counts"]].itertuples():
        yield Caveat(code="void-trials", message=f"Trial {row.trial} is void and not counted: {row.void}.")
    for row in trials[trials["counts"] & (trials["flags"] != "")].itertuples():
        yield Caveat(code="flagged-trials", message=f"Trial {row.trial} counts, but is flagged: {row.flags}.")
    for (dataset,), part in trials.groupby(["dataset"]):
        if part["corpus"].nunique() > 1 or part["seed"].nunique() > 1:
            message = f"Trials of {dataset} loaded different documents (corpus or seed differ)."
            yield Caveat(code="mixed-data", message=message)


def _of_canaries(moved: Iterable[Moved]) -> Iterable[Caveat]:
    by_block: dict[int, list[str]] = {}
    for one in moved:
        by_block.setdefault(one.block, []).append(str(one))
    for block, said in sorted(by_block.items()):
        message = (
            f"Block {block_number(block)} may have run on a faster or slower host than the others: {'; '.join(said)}."
        )
        yield Caveat(code="moved-block", message=message)


def _of_cells(trials: pd.DataFrame) -> Iterable[Caveat]:
    """Blocks that lack a cell, too few blocks, and cells with unequal numbers of them."""
    counted = {}
    for (arm, engine, dataset, platform), part in trials.groupby(["arm", "engine", "dataset", "platform"], sort=False):
        group = Group(engine=str(engine), dataset=str(dataset), platform=str(platform))
        present = set(part[part["counts"]]["block"])
        counted[arm, group] = len(present)
        if absent := sorted(int(block) for block in set(group.within(trials)["block"]) - present):
            message = f"{arm} ({group.label}) has no valid trial in block {_numbers(absent)}."
            yield Caveat(code="missing-blocks", message=message)
    if len(set(counted.values())) > 1:
        message = "The arms have unequal numbers of blocks; each comparison uses the blocks that have both sides."
        yield Caveat(code="unbalanced", message=message)
    if (fewest := min(counted.values())) < FEW_BLOCKS:
        message = f"Some arms have only {fewest} valid trial{'s' if fewest != 1 else ''}; intervals need two blocks, "
        yield Caveat(code="few-blocks", message=message + "and are wide below five.")


def _of_hosts(measurements: pd.DataFrame) -> Iterable[Caveat]:
    """Workloads in which the database's host had no CPU left, and much of it went to processes other than mongod."""
    counted = measurements[measurements["counts"]]
    medians = counted.groupby(["workload", "metric"], sort=False)["value"].median()
    for workload in dict.fromkeys(str(name) for name in counted["workload"]):
        idle, engine = (medians.get((workload, f"{workload}.{name}")) for name in _OF_HOST)
        if idle is None or engine is None or idle > _HARDLY_IDLE or engine / (1 - idle) > _MOSTLY_MONGOD:
            continue
        others = 1 - engine / (1 - idle)
        message = (
            f"{workload}: only {idle:.0%} of the CPU on mongod's host was idle, and {others:.0%} of the CPU in use "
            "went to clients or other processes. Differences in throughput are smaller than they would be with "
            "clients on separate hosts. mongod CPU per operation is not affected."
        )
        yield Caveat(code="shared-host", message=message)


def _of_effects(effects: Collection[Effect]) -> Iterable[Caveat]:
    for effect in effects:
        if effect.family is Family.CONTROL and effect.verdict in (Verdict.BETTER, Verdict.WORSE):
            yield Caveat(code="control-differs", message=sentences.control_differs(effect))
        if effect.family in (Family.PRIMARY, Family.CONTROL) and effect.standing_out:
            what = f"{effect.metric} of {effect.candidate} under {effect.group.label}"
            message = (
                f"{what}: block {_numbers(effect.standing_out)} lies far from the others. It counts, and widens "
                "the interval."
            )
            yield Caveat(code="standing-out", message=message)
    if any(effect.family is Family.PRIMARY and effect.further is not None for effect in effects):
        yield Caveat(code="adding-blocks", message=sentences.ADDING_BLOCKS)


def _of_criteria(found: Study) -> Iterable[Caveat]:
    known = set(keys(str(name) for name in found.measurements["workload"].unique()))
    asked = (*found.primary, *(one.metric for one in found.criteria.constraints))
    for key in dict.fromkeys(key for key in asked if key not in known):
        message = f"No trial has the metric {key}; everything that depends on it is undecided."
        yield Caveat(code="unknown-metric", message=message)


def _numbers(blocks: Iterable[int]) -> str:
    return sentences.listed([str(block_number(block)) for block in blocks])
