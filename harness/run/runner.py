"""Runs a campaign: surveys the hosts, provisions them, runs the plan trial by trial, and keeps what came of it.

Each block runs on all platforms at the same time, and the next one begins when it is done on all of them.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from analysis.stats.quantities import block_number
from harness.errors import DefectError, InputError, Interrupted
from harness.evidence.trial import CONTEXT_FILE, TrialContext, read_trial
from harness.hosts.interrupts import SecondInterrupt
from harness.hosts.playbooks import playbook, side_by_side
from harness.ledger.ledger import write_whole
from harness.plan import trials as planning
from harness.plan import turns
from harness.plan.load.clients import named_folders
from harness.plan.load.pacing import Rates, at_rate, offered_rates, workloads_of
from harness.plan.load.replaying import as_recorded
from harness.plan.load.warming import warm_ups
from harness.plan.trial_vars import indexes_asked, longest_trial_s, trial_vars
from harness.run.canary_book import moved_canaries, take_canaries
from harness.run.failures import FAILURES, REPEATED, failure_of, why_failed
from harness.run.preparing import Ready, make_ready
from harness.run.scene import Extent
from harness.run.status_tail import StatusTail
from harness.run.turn_keeper import Floor, TurnKeeper

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence

    from analysis.trial.records import TrialRecord
    from harness.hosts.site import Site
    from harness.ledger.ledger import Ledger
    from harness.run.progress import Progress
    from harness.spec.campaign import Campaign
    from harness.spec.mixes.own import AnyMix
    from harness.spec.phases import Workload

_GIVE_UP_AFTER = 2  # consecutive trials that failed in every attempt


@dataclass
class CampaignRun:
    """One campaign on its way."""

    campaign: Campaign
    mixes: Mapping[str, AnyMix]
    site: Site
    ledger: Ledger
    progress: Progress
    ready: Ready = field(default_factory=Ready)
    rates: Rates = field(default_factory=dict)
    attempts: dict[int, int] = field(default_factory=dict)
    """Of each trial, by this command: a later one, after something was mended, may try again."""
    failed_in_a_row: Counter[str] = field(default_factory=Counter)

    def run(self, blocks_wanted: Callable[[list[TrialRecord]], int]) -> list[TrialRecord]:
        """Run what is missing of the plan; `blocks_wanted` says, from what there is, how many blocks it has.

        Raises:
            InputError, HostError, EngineError, DefectError, Interrupted: what is finished is kept, and nothing of ours
                is left running; after a second interrupt that takes a few seconds more.
        """
        try:
            with self.site.locked():
                return self._run_unless_stopped(blocks_wanted)
        except SecondInterrupt:
            self.site.tear_down_apart()
            raise Interrupted(
                "stopped at once; every finished trial is kept; everything else on the hosts is being ended in the "
                "background, within seconds",
                do="the same command resumes the run",
            ) from None

    def _run_unless_stopped(self, blocks_wanted: Callable[[list[TrialRecord]], int]) -> list[TrialRecord]:
        try:
            return self._run(blocks_wanted)
        except KeyboardInterrupt as error:
            stopped = Interrupted("stopped; every finished trial is kept", do="the same command resumes the run")
            self.site.tear_down_after(stopped, wait_s=0)
            raise stopped from error

    def _run(self, blocks_wanted: Callable[[list[TrialRecord]], int]) -> list[TrialRecord]:
        try:
            self.ready = make_ready(self.campaign, self.mixes, self.site, self.ledger, self.progress)
            self.campaign = as_recorded(self.campaign, self.ready.traffic)
            blocks = blocks_wanted(self.ledger.records())
            while todo := self._todo(blocks):
                self._announce(blocks)
                for block, trials in itertools.groupby(todo, key=lambda trial: trial.block):
                    self._run_block(block, trials)
                blocks = blocks_wanted(self.ledger.records())
        except Exception as error:
            self.site.tear_down_after(error)
            raise
        return self.ledger.records()

    def _todo(self, blocks: int) -> list[planning.PlannedTrial]:
        """The planned trials that neither count, nor are void for good, nor have used up this command's attempts."""
        settled = [r for r in self.ledger.records() if r.counts or not failure_of(r)]
        used_up = {index for index, tried in self.attempts.items() if tried >= self.campaign.limits.attempts}
        planned = [trial for trial in self._planned(blocks) if trial.index not in used_up]
        if not self.ready.in_turns:
            finished = {(record.block, record.cell) for record in settled}
            return [trial for trial in planned if trial.what not in finished]
        # What took turns is compared with nothing else: where one is missing, its neighbours are run again, too.
        together = Counter((r.block, r.cell.dataset, r.attempt) for r in settled)
        whole = {
            (block, dataset)
            for (block, dataset, _), count in together.items()
            if count == planning.compared(self.campaign)
        }
        return [trial for trial in planned if (trial.block, trial.cell.dataset) not in whole]

    def _planned(self, blocks: int) -> list[planning.PlannedTrial]:
        return planning.plan(self.campaign, blocks, list(self.ready.places))

    def _announce(self, blocks: int) -> None:
        trials = len(self._planned(blocks))
        done = trials - len(self._todo(blocks))
        each_s = planning.trial_seconds(self.campaign) * (
            planning.compared(self.campaign) if self.ready.in_turns else 1
        )
        self.progress.campaign(self.campaign.name, trials, blocks, each_s, done)

    def _run_block(self, block: int, trials: Iterable[planning.PlannedTrial]) -> None:
        variables = self.site.variables()
        by_platform: dict[str, list[planning.PlannedTrial]] = {}
        for trial in trials:
            by_platform.setdefault(trial.cell.platform, []).append(trial)
        if block > 0:
            self.rates = self.ledger.keep_rates(offered_rates(self.campaign, self.ledger.records()))
        take_canaries(self.ledger, self.site.inventory, variables, block, "before")
        if self.ready.in_turns:
            (alone,) = by_platform.values()
            for _, group in itertools.groupby(alone, key=lambda trial: trial.cell.dataset):
                self._run_in_turns(list(group))
        else:
            side_by_side(self._run_trials(ours) for ours in by_platform.values())
        take_canaries(self.ledger, self.site.inventory, variables, block, "after")
        for one in moved_canaries(self.ledger.folder, self.campaign.limits.canary_percent):
            if one.block == block:
                self.progress.note(
                    f"block {block_number(block)} may have run on a faster or slower host than the others: {one}"
                )

    def _run_trials(self, trials: Iterable[planning.PlannedTrial]) -> Generator[None, None, None]:
        """Run the trials of one platform, one after the other."""
        for trial in trials:
            yield from self._run_trial(trial)

    def _run_trial(self, trial: planning.PlannedTrial) -> Generator[None, None, None]:
        """Run a trial, again where the host, the engine or the client failed it; give up where nothing works."""
        number = sum(record.index == trial.index for record in self.ledger.records())
        while True:
            number += 1
            record = yield from self._attempt(trial, number)
            if not self._is_repeated([record]):
                break
        self._settle([record])

    def _run_in_turns(self, trials: list[planning.PlannedTrial]) -> None:
        """Run the trials that a block compares side by side; all again where the host or the engine failed one."""
        ours = {trial.index for trial in trials}
        number = max((record.attempt for record in self.ledger.records() if record.index in ours), default=0)
        while True:
            number += 1
            with TurnKeeper(self.site.floor, self._floor(trials)) as keeper:
                records = side_by_side(self._attempt(trial, number, keeper, trials) for trial in trials)
            self.rates = self.ledger.keep_rates({trials[0].cell.dataset: keeper.floor.offered})
            if any(failure_of(record) for record in records):
                self.site.tear_down()
            if not self._is_repeated(records):
                break
        self._settle(records)

    def _floor(self, trials: list[planning.PlannedTrial]) -> Floor:
        """The stages of trials that take turns, and their order in each round."""
        workloads = workloads_of(self.campaign, trials[0], self.rates, in_turns=True)
        clients = self.ready.places[trials[0].cell.platform].clients
        stages = turns.stages(self.campaign, workloads, len(clients))

        def order(stage: int, round_: int) -> list[str]:
            return [trial.name for trial in turns.order(self.campaign, trials, stage, round_)]

        return Floor(stages, [trial.name for trial in trials], order)

    def _name(self, trial: planning.PlannedTrial) -> str:
        """A trial's name among those that it takes turns with."""
        engine = f"{trial.cell.engine}/" if len(self.campaign.engines) > 1 else ""
        return f"{engine}{trial.cell.arm}"

    def _is_repeated(self, records: list[TrialRecord]) -> bool:
        """Whether what ran together is run again: another attempt may do without what failed it, and is left."""
        failures = [failure for record in records if (failure := failure_of(record))]
        attempts = max(self.attempts[record.index] for record in records)
        return bool(
            any(failure.code in REPEATED for failure in failures)
            and not any(failure.code not in REPEATED for failure in failures)
            and attempts < self.campaign.limits.attempts
        )

    def _settle(self, records: list[TrialRecord]) -> None:
        """Give up where nothing works; `records` are of the last attempt at what runs together."""
        platform = records[0].cell.platform
        failed = [(record, failure) for record in records if (failure := failure_of(record))]
        if not failed:
            self.failed_in_a_row[platform] = 0
            return
        record, failure = failed[0]
        self.failed_in_a_row[platform] += 1
        nothing_yet = not any(known.counts for known in self.ledger.records())
        if nothing_yet or self.failed_in_a_row[platform] >= _GIVE_UP_AFTER or failure.code not in REPEATED:
            kind, do = FAILURES[failure.code], "fix it; the same command resumes the run"
            if kind is InputError and not nothing_yet:
                do = "fix the spec, and start a new run with NEW=1: this run has valid trials, and keeps its spec"
            if kind is DefectError:
                do = f"report it, with {self.ledger.trials_folder / record.trial}/ansible.log"
            raise kind(f"trial {record.trial}: {failure.message}", do=do)

    def _attempt(
        self,
        trial: planning.PlannedTrial,
        attempt: int,
        keeper: TurnKeeper | None = None,
        beside: Sequence[planning.PlannedTrial] = (),
    ) -> Generator[None, None, TrialRecord]:
        """Run a trial once: alone, or taking the turns that `keeper` gives with those `beside` it, itself included."""
        self.attempts[trial.index] = self.attempts.get(trial.index, 0) + 1
        platform, ours = trial.cell.platform, self.ready.places[trial.cell.platform]
        sharing = max(1, len(beside))
        if keeper:
            ours = ours.beside(sorted(one.index for one in beside).index(trial.index))
        workspace = self.ledger.workspace(trial.attempt_name(attempt))
        dataset = self.ready.datasets[trial.cell.dataset]
        workloads = workloads_of(self.campaign, trial, self.rates, in_turns=keeper is not None)
        lane = self._name(trial) if keeper else platform
        self.progress.trial(trial, attempt, _extents(self.campaign, workloads), lane)
        folders = named_folders(workspace, ours.clients).values()
        tail = StatusTail(folders, partial(self.progress.status, lane=lane))
        started_at, began = _utc_now(), time.monotonic()

        def tick() -> None:
            tail.poll()
            self.progress.tick()
            self.ready.disks.check()

        told = trial_vars(
            self.campaign, trial, workloads, self.mixes, dataset, workspace, ours, self.site.authority,
            self.site.floor if keeper else None, sharing, self.ready.traffic,
        )  # fmt: skip
        outcome = yield from playbook(
            "trial.yml",
            self.site.inventory,
            self.site.variables() | {"trial": told},
            hosts=ours.hosts,
            on_task=partial(self.progress.step, lane=lane),
            on_tick=tick,
            log=workspace / "ansible.log",
            timeout_s=longest_trial_s(self.campaign, sharing),
        )
        if keeper:
            keeper.gone(trial.name)
            workloads |= {name: at_rate(workloads[name], rate) for name, rate in keeper.floor.offered.items()}
        elif not outcome.ok:
            self.site.tear_down(ours.hosts)
        context = TrialContext(
            campaign=self.campaign,
            trial=trial,
            workloads=workloads,
            places=ours,
            sharing=sharing,
            attempt=attempt,
            corpus_digest=dataset.digest,
            indexes=indexes_asked(dataset),
            expected_ratio=self.ready.ratios[(trial.cell.dataset, trial.cell.arm)],
            started_at=started_at,
            ended_at=_utc_now(),
            warm_ups=warm_ups(self.campaign, workloads, len(ours.clients)),
            steps_s=outcome.steps_s | {"total": round(time.monotonic() - began, 3)},
            failure=None if outcome.ok else why_failed(outcome, workspace),
        )
        write_whole(workspace / CONTEXT_FILE, context.model_dump_json(indent=1))
        record = read_trial(context, workspace)
        self.ledger.commit(record, workspace)
        self.progress.trial_done(record, time.monotonic() - began, lane)
        return record


def _extents(campaign: Campaign, workloads: Mapping[str, Workload]) -> dict[str, Extent]:
    """How long each phase of a trial is, for the progress bars."""
    runs = {
        name: Extent(operations=one.operations, seconds=one.measure_s and planning.phase_seconds(campaign, one))
        for name, one in workloads.items()
    }
    return {"load": Extent(operations=campaign.records)} | runs


def _utc_now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
