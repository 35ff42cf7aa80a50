"""What a person sees while a campaign runs: bars on a terminal, plain lines elsewhere, or one JSON event a line."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any, Protocol

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from core.sizes import show_duration
from core.text import shown
from harness.run.failures import failure_of
from harness.run.scene import Scene

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from analysis.trial.records import TrialRecord
    from harness.plan.trials import PlannedTrial
    from harness.run.scene import Extent
    from workloads.ycsb_status import Status

_PLAIN_EVERY_S = 15.0


def _left(scene: Scene, now: float) -> str:
    """How long it will take yet; an estimate that has run out is none."""
    left_s = scene.left_s(now)
    return f"about {show_duration(left_s)} left" if left_s >= 1 else "finishing"


def _of(lane: str) -> str:
    return f"{lane}: " if lane else ""


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
        scene.done_before, scene.settled = done, set()
        self._tell("campaign", f"{name}: {trials} trials in {blocks} blocks, {_left(scene, 0.0)}")

    def trial(self, trial: PlannedTrial, attempt: int, extents: Mapping[str, Extent], lane: str = "") -> None:
        """A trial begins, with phases of these extents; `lane` tells it from those that run beside it."""
        if lane:
            self.scene.stages.pop("", None)  # the set-up's
        self.scene.settled.discard(trial.index)  # what took turns with one that failed is run again
        stage = self.scene.stage(lane)
        stage.trial, stage.trial_since, stage.extents, stage.status = trial, self.clock(), extents, None
        again = f" (attempt {attempt})" if attempt > 1 else ""
        self._tell("trial", f"{self.scene.where(lane)}{again}", trial=trial.name, attempt=attempt)

    def step(self, what: str, lane: str = "") -> None:
        """A step of a lane's trial, or of the set-up, begins."""
        stage = self.scene.stage(lane)
        stage.step, stage.step_since, stage.status = what, self.clock(), None
        self._tell("step", f"  {_of(lane)}{what}")

    def status(self, phase: str, status: Status, lane: str = "") -> None:
        """The clients of a lane's phase said how fast they are."""
        stage = self.scene.stage(lane)
        stage.phase, stage.status = phase, status

    def tick(self) -> None:
        """Time passed."""
        self.view.tick(self.scene)

    def trial_done(self, record: TrialRecord, seconds: float, lane: str = "") -> None:
        """A trial has its record."""
        scene = self.scene
        if record.counts or not failure_of(record):
            scene.settled.add(record.index)
        scene.void += not record.counts
        scene.seconds_each = seconds if scene.done <= 1 else 0.7 * scene.seconds_each + 0.3 * seconds
        scene.stage(lane).trial = None
        rates = ", ".join(f"{phase.name} {phase.throughput_per_s:,.0f}/s" for phase in record.phases)
        why = "" if record.counts else "VOID: " + "; ".join(reason.message for reason in record.void) + " "
        said = f"{_of(lane)}{why}{rates} · {show_duration(seconds)}"
        self._tell(
            "trial-done",
            f"  {said} · {scene.done}/{scene.trials} done, {_left(scene, self.clock())}",
            trial=record.trial,
            void=[reason.model_dump() for reason in record.void],
            seconds=round(seconds, 1),
        )

    def finishing(self, what: str) -> None:
        """The trials are over; what is left begins."""
        self.scene.stages = {}
        self.step(what)

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
        print(shown(text), flush=True)  # noqa: T201

    def tick(self, scene: Scene) -> None:
        """Print the rate where a step takes long, or that it goes on where it has none."""
        now = self.clock()
        if now - self.last < _PLAIN_EVERY_S:
            return
        rates = [
            f"    {_of(lane)}{stage.status.elapsed_s} s: {stage.rate()}"
            for lane, stage in scene.stages.items()
            if stage.status
        ]
        steps = [
            f"    {_of(lane)}{now - stage.step_since:.0f} s: {stage.step}"
            for lane, stage in scene.stages.items()
            if stage.step
        ]
        for line in rates or steps:
            self.last = now
            print(shown(line), flush=True)  # noqa: T201

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
            print(shown(text.strip()), flush=True)  # noqa: T201

    def tick(self, scene: Scene) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing to put away."""


class TerminalView:
    """A live picture on a terminal: what is done above, what runs below."""

    def __init__(self, console: Console | None = None) -> None:
        self.scene = Scene()
        self.live = Live(
            console=console or Console(), refresh_per_second=4, transient=True, get_renderable=self._picture
        )
        self.live.start()

    def event(self, kind: str, scene: Scene, text: str, facts: dict[str, Any]) -> None:
        """Let what is finished scroll by, and redraw."""
        if kind in {"trial-done", "note", "campaign"}:
            label = f"{facts['trial']} " if "trial" in facts else ""
            self.live.console.print(Text(shown(f"{label}{text.strip()}"), style="yellow" if facts.get("void") else ""))
        self.tick(scene)

    def tick(self, scene: Scene) -> None:
        """Show this from now on; the picture is drawn a few times a second by a thread of its own."""
        self.scene = scene

    def _picture(self) -> Table:
        scene, now = self.scene, time.monotonic()
        picture = Table.grid(padding=(0, 1))
        campaign, block = scene.shares(now)
        rows = [
            (*campaign, _left(scene, now) + (f", {scene.void} void" if scene.void else "")),
            (*block, ""),
        ]
        for lane, stage in list(scene.stages.items()):  # the harness goes on meanwhile
            step = f"{stage.step} {now - stage.step_since:.0f} s" if stage.step else ""
            done = stage.trial_share(now, scene.seconds_each)
            rows.append(("trial", done, " · ".join(filter(None, (scene.where(lane), step)))))
            rows.append((f"phase {stage.phase}", stage.phase_share(), stage.rate()))
        for label, share, fact in rows:
            bar = ProgressBar(1.0, share, width=24, style="dim", complete_style="green", finished_style="green")
            picture.add_row(Text(shown(label)), bar, Text(f"{share:4.0%}"), Text(shown(fact)))
        return picture

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
