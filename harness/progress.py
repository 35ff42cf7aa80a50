"""What a person sees while a campaign runs: bars on a terminal, plain lines elsewhere, or one JSON event a line."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from harness.quantities import show_duration

if TYPE_CHECKING:
    from collections.abc import Callable

    from analysis.records import TrialRecord
    from harness.plan import PlannedTrial
    from workloads.ycsb_status import Status

_PLAIN_EVERY_S = 15.0


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
    notes: list[str] = field(default_factory=list)
    trial_since: float = 0.0

    def left_s(self, now: float) -> float:
        """Expected seconds until the last trial is done."""
        spent = now - self.trial_since if self.trial else 0.0
        return max(0.0, (self.trials - self.done) * self.seconds_each - spent)

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

    def trial(self, trial: PlannedTrial, attempt: int) -> None:
        """A trial begins."""
        self.scene.trial, self.scene.trial_since = trial, self.clock()
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
        self.scene.notes.append(text)
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
        share = scene.done / scene.trials if scene.trials else 0.0
        filled = round(30 * share)
        picture.add_row(
            Text("━" * filled, style="green") + Text("━" * (30 - filled), style="dim"),
            f"{scene.done}/{scene.trials} trials" + (f", {scene.void} void" if scene.void else ""),
            f"{show_duration(scene.left_s(now))} left",
        )
        where = scene.where() or scene.campaign
        picture.add_row(Text(where, style="bold"), Text(f"{scene.step} {now - scene.step_since:.0f} s"), scene.rate())
        self.live.update(picture)

    def close(self) -> None:
        """Give the terminal back."""
        self.live.stop()


class ViewKind(StrEnum):
    """How progress is shown."""

    AUTO = "auto"
    PLAIN = "plain"
    JSON = "json"
    QUIET = "quiet"


def make_view(kind: ViewKind) -> View:
    """The view of that kind; `auto` is live on a terminal and plain elsewhere."""
    if kind is ViewKind.JSON:
        return JsonView()
    if kind is ViewKind.QUIET:
        return QuietView()
    if kind is ViewKind.AUTO and sys.stdout.isatty():
        return TerminalView()
    return PlainView()
