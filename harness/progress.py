"""What a person sees while a campaign runs: bars on a terminal, plain lines elsewhere, or one JSON event a line."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from harness.quantities import show_duration

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from analysis.records import TrialRecord
    from harness.plan import PlannedTrial
    from workloads.ycsb_status import Status

_PLAIN_EVERY_S = 15.0
_BAR_CELLS = 24


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
class Scene:
    """Everything there is to show at a moment."""

    campaign: str = ""
    trials: int = 0
    blocks: int = 0
    done: int = 0
    void: int = 0
    seconds_each: float = 0.0
    trial: PlannedTrial | None = None
    step: str = ""
    step_since: float = 0.0
    phase: str = ""
    status: Status | None = None
    extents: Mapping[str, Extent] = field(default_factory=dict)
    trial_since: float = 0.0

    def left_s(self, now: float) -> float:
        """Expected seconds until the last trial is done."""
        spent = now - self.trial_since if self.trial else 0.0
        return max(0.0, (self.trials - self.done) * self.seconds_each - spent)

    def shares(self, now: float) -> list[tuple[str, float]]:
        """How much is done of the campaign, the block, the trial and the phase, each from 0 to 1."""
        each_block = max(1, self.trials // max(1, self.blocks))
        trial = min(0.99, (now - self.trial_since) / self.seconds_each) if self.trial and self.seconds_each else 0.0
        known = self.extents.get(self.phase) if self.status else None
        return [
            (f"campaign {self.done}/{self.trials}", (self.done + trial) / self.trials if self.trials else 0.0),
            ("block", (self.done % each_block + trial) / each_block),
            ("trial", trial),
            (f"phase {self.phase}", known.share(self.status) if known and self.status else 0.0),
        ]

    def where(self) -> str:
        """`block 2/3 · trial 7/12 · zstd`."""
        if self.trial is None:
            return ""
        cell = self.trial.cell
        return f"block {self.trial.block + 1}/{self.blocks} · trial {self.trial.index + 1}/{self.trials} · {cell.arm}"

    def rate(self) -> str:
        """The client's latest figures, e.g. `rmw 2,345 ops/s, p99 4.1 ms`."""
        if self.status is None:
            return ""
        latest = f"{self.phase} {self.status.current_ops_per_s:,.0f} ops/s"
        p99 = max(self.status.p99_us.values(), default=None)
        return latest + (f", p99 {p99 / 1000:.1f} ms" if p99 else "")


class View(Protocol):
    """One way to show a scene."""

    def event(self, kind: str, scene: Scene, text: str, facts: dict[str, Any]) -> None:
        """Something happened; `text` says it in a line."""

    def tick(self, scene: Scene) -> None:
        """Time passed."""

    def close(self) -> None:
        """The run is over."""


class Progress:
    """Keeps the scene, and tells the view."""

    def __init__(self, view: View, clock: Callable[[], float] = time.monotonic) -> None:
        self.view = view
        self.clock = clock
        self.scene = Scene()

    def campaign(self, name: str, trials: int, blocks: int, seconds_each: float, done: int) -> None:
        """The campaign's size is known."""
        scene = self.scene
        scene.campaign, scene.trials, scene.blocks = name, trials, blocks
        scene.seconds_each = scene.seconds_each or seconds_each
        scene.done = done
        left = show_duration(scene.left_s(0.0))
        self._tell("campaign", f"{name}: {trials} trials in {blocks} blocks, about {left} left")

    def trial(self, trial: PlannedTrial, attempt: int, extents: Mapping[str, Extent]) -> None:
        """A trial begins, with phases of these extents."""
        self.scene.trial, self.scene.trial_since, self.scene.extents = trial, self.clock(), extents
        self.scene.status = None
        again = f" (attempt {attempt})" if attempt > 1 else ""
        self._tell("trial", f"{self.scene.where()}{again}", trial=trial.name, attempt=attempt)

    def step(self, what: str) -> None:
        """A step of the trial, or of the set-up, begins."""
        self.scene.step, self.scene.step_since = what, self.clock()
        self.scene.status = None
        self._tell("step", f"  {what}")

    def status(self, phase: str, status: Status) -> None:
        """A phase's client said how fast it is."""
        self.scene.phase, self.scene.status = phase, status

    def tick(self) -> None:
        """Time passed."""
        self.view.tick(self.scene)

    def trial_done(self, record: TrialRecord, seconds: float) -> None:
        """A trial has its record."""
        scene = self.scene
        scene.done += 1
        scene.void += not record.counts
        scene.seconds_each = seconds if scene.done <= 1 else 0.7 * scene.seconds_each + 0.3 * seconds
        scene.trial = None
        rates = ", ".join(f"{phase.name} {phase.throughput_per_s:,.0f}/s" for phase in record.phases)
        left = show_duration(scene.left_s(self.clock()))
        why = "" if record.counts else "VOID: " + "; ".join(reason.message for reason in record.void) + " "
        self._tell(
            "trial-done",
            f"  {why}{rates} · {show_duration(seconds)} · {scene.done}/{scene.trials} done, about {left} left",
            trial=record.trial,
            void=[reason.model_dump() for reason in record.void],
            seconds=round(seconds, 1),
        )

    def note(self, text: str) -> None:
        """Something the user should know."""
        self._tell("note", text)

    def close(self) -> None:
        """The run is over."""
        self.view.close()

    def _tell(self, kind: str, text: str, **facts: Any) -> None:
        self.view.event(kind, self.scene, text, facts)


class PlainView:
    """Lines, for logs and CI: each event, and during long steps a line now and then."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.last = clock()

    def event(self, kind: str, scene: Scene, text: str, facts: dict[str, Any]) -> None:  # noqa: ARG002
        """Print the event's line."""
        self.last = self.clock()
        print(text, flush=True)  # noqa: T201

    def tick(self, scene: Scene) -> None:
        """Print the rate where a step takes long."""
        if scene.status and self.clock() - self.last >= _PLAIN_EVERY_S:
            self.last = self.clock()
            print(f"    {scene.status.elapsed_s} s: {scene.rate()}", flush=True)  # noqa: T201

    def close(self) -> None:
        """Nothing to put away."""


class JsonView:
    """One JSON object a line, for programs."""

    def event(self, kind: str, scene: Scene, text: str, facts: dict[str, Any]) -> None:
        """Print the event."""
        body = {"event": kind, "at_s": round(time.time(), 3), "done": scene.done, "of": scene.trials}
        print(json.dumps(body | {"text": text.strip()} | facts), flush=True)  # noqa: T201

    def tick(self, scene: Scene) -> None:
        """Rates are not events."""

    def close(self) -> None:
        """Nothing to put away."""


class QuietView:
    """Void trials and notes only."""

    def event(self, kind: str, scene: Scene, text: str, facts: dict[str, Any]) -> None:  # noqa: ARG002
        """Print what must not be missed."""
        if kind == "note" or facts.get("void"):
            print(text.strip(), flush=True)  # noqa: T201

    def tick(self, scene: Scene) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing to put away."""


class TerminalView:
    """A live picture on a terminal: what is done above, what runs below."""

    def __init__(self, console: Console | None = None) -> None:
        self.live = Live(console=console or Console(), refresh_per_second=4, transient=True)
        self.live.start()

    def event(self, kind: str, scene: Scene, text: str, facts: dict[str, Any]) -> None:
        """Let what is finished scroll by, and redraw."""
        if kind in {"trial-done", "note", "campaign"}:
            label = f"{facts['trial']} " if "trial" in facts else ""
            self.live.console.print(Text(f"{label}{text.strip()}", style="yellow" if facts.get("void") else ""))
        self.tick(scene)

    def tick(self, scene: Scene) -> None:
        """Redraw."""
        now = time.monotonic()
        picture = Table.grid(padding=(0, 1))
        facts = [
            f"{show_duration(scene.left_s(now))} left" + (f", {scene.void} void" if scene.void else ""),
            scene.where(),
            f"{scene.step} {now - scene.step_since:.0f} s" if scene.step else "",
            scene.rate(),
        ]
        for (label, share), fact in zip(scene.shares(now), facts, strict=True):
            filled = round(_BAR_CELLS * share)
            bar = Text("━" * filled, style="green") + Text("━" * (_BAR_CELLS - filled), style="dim")
            picture.add_row(Text(label), bar, Text(f"{share:4.0%}"), Text(fact))
        self.live.update(picture)

    def close(self) -> None:
        """Give the terminal back."""
        self.live.stop()


def make_view(*, plain: bool = False, quiet: bool = False, as_json: bool = False) -> View:
    """The view that was asked for; else live on a terminal, and plain lines elsewhere."""
    if as_json:
        return JsonView()
    if quiet:
        return QuietView()
    return TerminalView() if sys.stdout.isatty() and not plain else PlainView()
