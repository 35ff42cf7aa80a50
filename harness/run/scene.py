"""What a running campaign is at: how far each trial under way is, and how long it will take. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.plan.trials import PlannedTrial
    from workloads.ycsb_status import Status


@dataclass(frozen=True)
class Extent:
    """How long a phase is: so many operations, or so many seconds."""

    operations: int | None = None
    seconds: float | None = None

    def share(self, status: Status) -> float:
        """How much of the phase is done, from 0 to 1."""
        if self.operations:
            return min(1.0, status.operations / self.operations)
        return min(1.0, status.elapsed_s / self.seconds) if self.seconds else 0.0


@dataclass
class Stage:
    """What one lane is at: a platform, or a trial that takes turns with others."""

    trial: PlannedTrial | None = None
    trial_since: float = 0.0
    step: str = ""
    step_since: float = 0.0
    phase: str = ""
    status: Status | None = None
    extents: Mapping[str, Extent] = field(default_factory=dict)

    def trial_share(self, now: float, seconds_each: float) -> float:
        """How much of the trial is done, from 0 to 1, if it is as long as others were."""
        return min(0.99, (now - self.trial_since) / seconds_each) if self.trial and seconds_each else 0.0

    def phase_share(self) -> float:
        """How much of the phase is done, from 0 to 1."""
        known = self.extents.get(self.phase)
        return known.share(self.status) if known and self.status else 0.0

    def rate(self) -> str:
        """The client's latest figures, e.g. `rmw 2,345 ops/s, p99 4.1 ms`."""
        if self.status is None:
            return ""
        latest = f"{self.phase} {self.status.current_ops_per_s:,.0f} ops/s"
        p99 = max(self.status.p99_us.values(), default=None)
        return latest + (f", p99 {p99 / 1000:.1f} ms" if p99 else "")


@dataclass
class Scene:
    """Everything there is to show at a moment."""

    campaign: str = ""
    trials: int = 0
    blocks: int = 0
    done_before: int = 0
    """Trials that needed nothing more when the campaign went on."""
    settled: set[int] = field(default_factory=set)
    """Trials since then that need no further attempt, by their index: several attempts are one trial."""
    void: int = 0
    seconds_each: float = 0.0
    beside: int = 1
    """The most trials that were under way at once: as many will be."""
    stages: dict[str, Stage] = field(default_factory=lambda: {"": Stage()})
    """By lane."""

    @property
    def done(self) -> int:
        """Trials that are through; one whose attempts have all failed is not."""
        return self.done_before + len(self.settled)

    def stage(self, lane: str) -> Stage:
        """What the lane is at."""
        return self.stages.setdefault(lane, Stage())

    def left_s(self, now: float) -> float:
        """Expected seconds until the last trial is done."""
        under_way = [now - stage.trial_since for stage in list(self.stages.values()) if stage.trial]
        self.beside = max(self.beside, len(under_way))
        whole = (self.trials - self.done) * self.seconds_each - sum(under_way)
        return max(0.0, whole / self.beside)

    def shares(self, now: float) -> list[tuple[str, float]]:
        """How much is done of the campaign and the block, each from 0 to 1."""
        each_block = max(1, self.trials // max(1, self.blocks))
        under_way = sum(stage.trial_share(now, self.seconds_each) for stage in list(self.stages.values()))
        return [
            (f"campaign {self.done}/{self.trials}", (self.done + under_way) / self.trials if self.trials else 0.0),
            ("block", (self.done % each_block + under_way) / each_block),
        ]

    def where(self, lane: str) -> str:
        """`block 2/3 · trial 7/12 · zstd`, and the platform where it has a name."""
        trial = self.stage(lane).trial
        if trial is None:
            return ""
        cell = " · ".join(filter(None, (trial.cell.arm, trial.cell.platform)))
        return f"block {trial.block + 1}/{self.blocks} · trial {trial.index + 1}/{self.trials} · {cell}"
