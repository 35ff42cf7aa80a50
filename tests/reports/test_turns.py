"""What the page shows and says of trials that took turns, and that it says nothing of turns where there were none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from reports.charts.turns import blocks_with_turns, turns
from reports.material import Material
from reports.page.context import page
from reports.page.turns import how_run
from tests.analysis.synthetic import NONE, SNAPPY, ZSTD, campaign
from tests.reports.sample import CUT_S, TURN_S, in_turns, run
from tests.reports.samples_in_time import engine_samples
from tests.reports.test_report import charts_of, rendered, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.trial.records import TrialRecord
    from reports.charts.base import Chart

THREE = (NONE, SNAPPY, ZSTD)


def marks(chart: Chart, field: str) -> list[dict[str, Any]]:
    """The chart's data that have a field, each once."""
    found = [row for values in chart.spec["datasets"].values() for row in values if field in row]
    return [row for place, row in enumerate(found) if row not in found[:place]]


def charts(records: Sequence[TrialRecord], **changes: Any) -> list[Chart]:
    material = Material(run(records, **changes))
    return turns(material, material.groups[0], "rmw")


def frozen(record: TrialRecord, cpu_s: float | None) -> TrialRecord:
    """The record with so much used in each pause."""
    phases = []
    for phase in record.phases:
        told = tuple(turn.model_copy(update={"frozen_cpu_s": cpu_s}) for turn in phase.turns)
        phases.append(phase.model_copy(update={"turns": told}))
    return record.model_copy(update={"phases": tuple(phases)})


class TestPictures:
    def test_the_turns_of_a_block_stand_side_by_side_at_their_own_times(self) -> None:
        records = in_turns(campaign(arms=THREE, blocks=2), rounds=4)
        found = charts(records)
        assert [chart.title for chart in found] == ["Block 1", "Block 2"]
        assert [chart.caption for chart in found] == ["", ""]
        bars = sorted(marks(found[0], "round"), key=lambda bar: bar["from"])
        assert len(bars) == 3 * 4
        assert [bar["from"] for bar in bars] == pytest.approx([place * TURN_S for place in range(12)])
        assert all(bar["to"] - bar["from"] == pytest.approx(TURN_S - CUT_S) for bar in bars)
        assert {bar["arm"] for bar in bars[:3]} == {"none", "snappy", "zstd-6"}
        turn = next(t for r in records if r.trial.endswith("0-snappy") for t in r.phases[1].turns if t.round == 1)
        bar = next(bar for bar in bars if (bar["arm"], bar["round"]) == ("snappy", 1))
        assert bar["value"] == pytest.approx(turn.operations / turn.measured_s)
        assert bar["cpu"].endswith(" µs/operation")

    def test_the_table_has_every_turn_that_is_drawn(self) -> None:
        table = charts(in_turns(campaign(arms=THREE, blocks=1), rounds=4))[0].table
        arms = ("none", "snappy", "zstd-6")
        assert table.columns == ("round", *arms, *(f"{arm}, mongod CPU" for arm in arms))
        assert [row[0] for row in table.rows] == ["1", "2", "3", "4"]
        assert all(cell.endswith("/s") for row in table.rows for cell in row[1:4])

    def test_all_blocks_have_the_same_axes(self) -> None:
        domains = set()
        for chart in charts(in_turns(campaign(arms=THREE, blocks=3))):
            encoding = chart.spec["layer"][1]["encoding"]
            domains.add((str(encoding["x"]["scale"]["domain"]), str(encoding["y"]["scale"]["domain"])))
        assert len(domains) == 1

    def test_the_first_four_blocks_are_drawn_and_the_page_says_so(self) -> None:
        records = in_turns(campaign(arms=THREE, blocks=6))
        assert [chart.title for chart in charts(records)] == [f"Block {block}" for block in (1, 2, 3, 4)]
        assert "The first 4 of 6 blocks." in text_of(rendered(run(records)))

    def test_of_many_rounds_some_are_drawn_and_the_caption_says_so(self) -> None:
        chart = charts(in_turns(campaign(arms=THREE, blocks=1), rounds=300))[0]
        assert chart.caption == "One round in 3 is drawn."
        assert len(marks(chart, "round")) == 300
        assert len(chart.table.rows) == 100

    def test_where_a_trial_is_void_its_turns_are_gaps(self) -> None:
        chart = charts(in_turns(campaign(arms=THREE, blocks=1, void={(0, "none")})))[0]
        assert chart.caption == "In the gaps other trials of the block had their turns."
        assert {bar["arm"] for bar in marks(chart, "round")} == {"snappy", "zstd-6"}

    def test_checkpoints_stand_at_the_wall_clocks_moments(self) -> None:
        records = in_turns(campaign(arms=THREE, blocks=1))
        samples = engine_samples(records)
        chart = charts(records, time_series=samples)[0]
        first = min(turn.started_at_s for record in records for turn in record.phases[1].turns)
        begun = {mark["arm"]: mark["from"] for mark in marks(chart, "event")}
        for record in records:
            # by the samples, a checkpoint begins in the twentieth second of its own: with the sixth turn
            assert begun[record.cell.arm] == pytest.approx(record.phases[1].turns[5].started_at_s - first)
        untimed = {trial: frame.drop(columns="unix_s") for trial, frame in samples.items()}
        assert marks(charts(records, time_series=untimed)[0], "event") == []

    def test_a_turn_of_no_length_is_not_drawn(self) -> None:
        (record, *rest) = in_turns(campaign(arms=THREE, blocks=1))
        load, phase = record.phases
        empty = tuple(turn.model_copy(update={"measured_s": 0.0}) for turn in phase.turns)
        hollow = record.model_copy(update={"phases": (load, phase.model_copy(update={"turns": empty}))})
        material = Material(run([hollow, *rest]))
        (parts,) = blocks_with_turns(material, material.groups[0], "rmw").values()
        assert record.cell.arm not in {one.record.cell.arm for one in parts}
        assert {bar["arm"] for bar in marks(charts([hollow, *rest])[0], "round")} == {r.cell.arm for r in rest}

    def test_without_turns_there_is_no_picture(self) -> None:
        assert charts(campaign(arms=THREE)) == []


class TestForest:
    def effects(self, records: Sequence[TrialRecord]) -> Chart:
        found = page(Material(run(records))).groups[0].effects
        assert found is not None
        return found

    def test_rounds_are_dots_behind_the_mean_they_make(self) -> None:
        chart = self.effects(in_turns(campaign(arms=THREE, blocks=3), rounds=5, scatter=0.02))
        dots = marks(chart, "round")
        means = {row["place"]: row for row in marks(chart, "verdict")}
        told = {(means[dot["place"]]["metric"], means[dot["place"]]["arm"]) for dot in dots}
        metrics = ("insert throughput", "rmw throughput", "rmw mongod CPU per operation")
        assert told == {(metric, arm) for metric in metrics for arm in ("none", "zstd-6")}
        for dot in dots:
            assert dot["arm"] == means[dot["place"]]["arm"]
            assert dot["value"] == pytest.approx(means[dot["place"]]["value"], rel=0.3)
        assert len({dot["offset"] for dot in dots}) == 3, "a lane for each block"

    def test_the_caption_says_what_they_are_not(self) -> None:
        caption = self.effects(in_turns(campaign(arms=THREE, blocks=2), scatter=0.02)).caption
        assert "Faint dots are single rounds of turns, ticks whole blocks." in caption
        assert "Turns are not replicates of a load: the interval comes from blocks." in caption
        assert "For CPU, dots show the measured turns only" in caption

    def test_one_block_has_no_tick(self) -> None:
        caption = self.effects(in_turns(campaign(arms=THREE, blocks=1))).caption
        assert "Faint dots are single rounds of turns. " in caption

    def test_there_are_never_more_than_four_hundred(self) -> None:
        chart = self.effects(in_turns(campaign(blocks=4), rounds=40))
        assert 200 < len(marks(chart, "round")) <= 400 + 9  # each of nine effects may round up
        assert "One round in 4 is drawn." in chart.caption

    def test_rounds_far_off_are_left_out_and_counted(self) -> None:
        (record, *rest) = in_turns(campaign(arms=THREE, blocks=1), rounds=40, scatter=0.01)
        load, phase = record.phases
        slow = phase.turns[0].model_copy(update={"operations": 3})
        far = phase.model_copy(update={"turns": (slow, *phase.turns[1:])})
        chart = self.effects([record.model_copy(update={"phases": (load, far)}), *rest])
        assert " lie beyond the edges." in chart.caption
        assert max(abs(dot["value"] - 1) for dot in marks(chart, "round")) < 2

    def test_the_table_says_where_the_rounds_lie(self) -> None:
        table = self.effects(in_turns(campaign(arms=THREE, blocks=2), rounds=5)).table
        assert table.columns[-2:] == ("rounds", "middle half of the rounds")
        rows = {row[:2]: row[-2:] for row in table.rows}
        assert rows["rmw throughput", "zstd-6"][0] == "10"
        assert " % to " in rows["rmw throughput", "zstd-6"][1]
        assert rows["rmw p99 latency", "zstd-6"] == ("–", "–")

    def test_without_turns_all_is_as_before(self) -> None:
        chart = self.effects(campaign(arms=THREE))
        assert "round" not in chart.caption
        assert marks(chart, "round") == marks(chart, "offset") == []
        assert chart.table.columns[-1] == "p (equivalent)"


class TestWords:
    def test_page_and_markdown_say_that_they_took_turns(self) -> None:
        took = run(in_turns(campaign(arms=THREE)), turn_s=4.0)
        html = rendered(took)
        text = text_of(html)
        said = "The 3 trials of a block took turns of 4 s: one ran, the others were frozen."
        assert said in text
        assert said in rendered(took, "report.md")
        assert "in which each runs once, by log-ratios" in text
        assert "The time between checkpoints is 3 times the time asked for" in text
        assert "its own time, which stands still while it is frozen" in text
        titles = {
            part["encoding"]["x"]["title"]
            for key, chart in charts_of(html).items() if key.startswith("over-time-rmw")
            for part in chart["layer"] if "title" in part["encoding"].get("x", {})
        }  # fmt: skip
        assert titles == {"seconds of its own"}

    def test_page_and_markdown_say_that_they_did_not(self) -> None:
        did_not = run(campaign(arms=THREE), turn_s=4.0)
        text = text_of(rendered(did_not))
        assert "The trials of a block ran one after the other." in text
        assert "ran one after the other." in rendered(did_not, "report.md")
        assert "in which each runs once in random order" in text
        assert "took turns" not in text
        assert "frozen" not in text

    def test_several_platforms_and_datasets(self) -> None:
        records = campaign(arms=THREE, platforms=("c6g", "c5"), datasets=("a", "b"), blocks=1)
        told = how_run(Material(run(records)))
        assert told.sentence == "The trials of a block ran on each platform one after the other."
        shared = [record.model_copy(update={"sharing": 3}) for record in records]
        told = how_run(Material(run(shared)))
        assert told.sentence == (
            "The 3 trials of a block and dataset took turns, on each platform: one ran, the others were frozen."
        )

    def test_two_are_one_and_the_other(self) -> None:
        told = how_run(Material(run(in_turns(campaign(arms=(SNAPPY, ZSTD))))))
        assert told.sentence == "The 2 trials of a block took turns: one ran, the other was frozen."

    def test_trials_that_ran_alone_are_told_apart(self) -> None:
        records = [*in_turns(campaign(arms=THREE, blocks=2))[:3], *campaign(arms=THREE, blocks=2)[3:]]
        assert how_run(Material(run(records))).sentence.endswith("3 trials ran alone, one after the other.")

    def test_what_frozen_mongods_used(self) -> None:
        records = [frozen(record, 0.0) for record in in_turns(campaign(arms=(SNAPPY, ZSTD), blocks=1))]
        assert how_run(Material(run(records))).frozen == (
            "In none of 32 pauses did a frozen mongod use CPU that the kernel's clock (0.01 s) shows."
        )
        some = [frozen(records[0], 0.02), records[1]]
        told = how_run(Material(run(some))).frozen
        assert "used at most 0.02 s of CPU; in 16 of 32 pauses none" in told
        assert "All pauses together: 0.32 s, " in told
        unknown = [frozen(record, None) for record in records]
        assert how_run(Material(run(unknown))).frozen == "How much CPU frozen mongods used was not recorded."
