"""The report's files, from runs that went well and from runs that did not."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from analysis.decide.decision import Decision
from analysis.stats.criteria import Constraint, Criteria
from analysis.trial.canaries import Moved
from reports import Run, TemplateFaultError, summary_lines, write_report
from reports.material import Material
from reports.output.bundle import vega_bundle
from reports.output.rendering import render
from reports.output.write import given
from reports.page.context import page
from tests.analysis.synthetic import ARTICLE, QUIET, campaign
from tests.reports.sample import run

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "<script>alert(1)</script>"


def rendered(told: Run, name: str = "index.html") -> str:
    """The page, or its Markdown, as it is written; without the figures' files, which take longer than all else."""
    return render(given(page(Material(told)), vega_bundle()), None)[name]


@cache
def usual() -> Run:
    """A run that went well, of three blocks."""
    return run(campaign())


def text_of(html: str) -> str:
    """The page's body without scripts and markup."""
    body = re.sub(r"<script.*?</script>", "", html.partition("<body>")[2], flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def charts_of(html: str) -> dict[str, Any]:
    """The page's Vega-Lite specifications."""
    data = json.loads(html.rpartition('type="application/json">')[2].partition("</script>")[0])
    charts: dict[str, Any] = data["charts"]
    return charts


def test_every_file_is_written_and_readable(tmp_path: Path) -> None:
    told = usual()
    write_report(told, tmp_path)
    assert Decision.model_validate_json((tmp_path / "decision.json").read_bytes()) == told.decision
    with (tmp_path / "metrics.csv").open(encoding="utf-8", newline="") as file:
        readings = list(csv.DictReader(file))
    assert {"none", "snappy", "zlib", "zstd-6"} == {row["arm"] for row in readings}
    assert (tmp_path / "index.html").stat().st_size < 5 * 2**20
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"compression-ratio.svg", "insert-throughput.png", "rmw-throughput.svg", "effects.png"} <= names
    for name in names:
        content = (tmp_path / "figures" / name).read_bytes()
        if name.endswith(".png"):
            assert content.startswith(b"\x89PNG")
        else:
            assert b"var(--" not in content, "a file outside the page has no style sheet"
            ElementTree.fromstring(content)
    assert not list(tmp_path.rglob(".*")), "temporary files are left"


def test_the_first_screen_decides_with_interval_and_constraints() -> None:
    text = text_of(rendered(run(campaign(noise=QUIET))))
    assert "Run zstd-6" in text
    assert re.search(
        r"storage per document among the arms shown to satisfy the constraints, −35\.\d % \[−35\.\d %, ", text
    )
    assert "rmw throughput ≥ 0.7 × baseline" in text
    assert "rmw p99 latency ≤ 2.5 × baseline" in text


def test_rendering_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    write_report(usual(), tmp_path)
    assert rendered(usual()) == (tmp_path / "index.html").read_text(encoding="utf-8")
    assert rendered(usual(), "report.md") == (tmp_path / "report.md").read_text(encoding="utf-8")


def test_stale_figures_go_and_foreign_files_stay(tmp_path: Path) -> None:
    figures = tmp_path / "figures"
    figures.mkdir()
    (figures / "old.svg").write_text("<svg/>")
    (tmp_path / "notes.txt").write_text("mine")
    write_report(usual(), tmp_path)
    assert not (figures / "old.svg").exists()
    assert (tmp_path / "notes.txt").read_text() == "mine"


class TestRunsThatDidNotGoWell:
    def test_void_trials_are_counted_out_at_the_top_and_crossed_in_the_figures(self) -> None:
        html = rendered(run(campaign(void={(0, "zlib"), (1, "zstd-6")})))
        top = text_of(html).partition("Compression and throughput")[0]
        assert "2 void trials" in top
        assert "asked for zstd, in force is snappy" in top
        points = [point for values in charts_of(html)["compression-ratio"]["datasets"].values() for point in values]
        assert sum(point.get("counts") is False for point in points) == 2

    def test_an_arm_without_any_trial_is_named_and_keeps_its_row(self) -> None:
        missing = {(block, "zlib") for block in range(3)}
        html = rendered(run(campaign(missing=missing), arms=("none", "snappy", "zlib", "zstd-6")))
        top = text_of(html).partition("Compression and throughput")[0]
        assert "zlib has no trial at all" in top
        assert "3 of 12 planned trials are missing" in top
        assert re.search(r"<th scope=\"row\"[^>]*>.*zlib", html)

    def test_one_block_has_no_intervals_and_says_so(self) -> None:
        top = text_of(rendered(run(campaign(blocks=1)))).partition("Compression and throughput")[0]
        assert "one block, no interval" in top
        assert "Every primary comparison is undecided" in top
        assert "Not decided" in top
        assert not re.search(r"\b(Run|Keep) (none|snappy|zlib|zstd)", top)

    def test_without_any_record_the_page_says_so(self, tmp_path: Path) -> None:
        told = run([], arms=("none", "snappy"), planned_trials=run(campaign(blocks=1)).planned_trials)
        write_report(told, tmp_path)  # with its figures: nothing can be drawn, too
        text = text_of((tmp_path / "index.html").read_text(encoding="utf-8"))
        assert "No recommendation" in text
        assert "4 of 4 planned trials are missing" in text

    def test_every_trial_void(self) -> None:
        void = {(block, arm.name) for block in range(3) for arm in ARTICLE}
        text = text_of(rendered(run(campaign(void=void))))
        assert "12 void trials" in text
        assert "No recommendation" in text

    def test_an_unknown_metric_among_the_primary_ones(self) -> None:
        criteria = Criteria(
            baseline="snappy", primary=("no.such",), constraints=(Constraint(metric="scan.p99", at_most=2),)
        )
        assert "no.such" in text_of(rendered(run(campaign(), criteria=criteria)))

    def test_several_engines_and_datasets(self) -> None:
        records = campaign(engines=("6.0.5", "6.0.27"), datasets=("sentences", "random"), blocks=2)
        html = rendered(run(records))
        assert html.count('<p class="headline">') == 4
        ids = re.findall(r' id="([^"]+)"', html)
        assert len(ids) == len(set(ids))

    def test_platforms_side_by_side_have_their_answers_and_costs(self) -> None:
        told = run(campaign(platforms=("c6g", "c5")))
        html = rendered(told)
        text = text_of(html)
        assert "c6g → c5" in text
        assert "move from c6g to c5" in text
        assert "c6g, 6.0.5, sentences" in text
        assert "c5, 6.0.5, sentences" in text
        assert "per million operations" in text
        assert len(set(re.findall(r'data-cost="([^"]+)"', html))) == 2
        markdown = rendered(told, "report.md")
        assert "move from c6g to c5" in markdown
        assert "**c6g, 6.0.5, sentences: " in markdown
        assert "move from c6g to c5" in summary_lines(Decision.model_validate_json(told.decision.as_json))[0]


def test_a_block_beside_which_a_canary_moved_is_named_and_ringed() -> None:
    moved = (Moved(1, "before", "bench-1", "disk", -42.0), Moved(1, "after", "bench-1", "CPU", -30.0))
    html = rendered(run(campaign(), moved=moved))
    top = text_of(html).partition("Compression and throughput")[0]
    assert re.search(
        r"Block 2 may have run on a faster or slower host than the others: before it, bench-1\S+ disk was 42 %", top
    )
    assert "block 2 (host moved)" in text_of(html)
    points = [point for values in charts_of(html)["rmw-throughput"]["datasets"].values() for point in values]
    assert {point["block"] for point in points if point.get("host")} == {2}


def test_no_text_of_ours_shows_markdown() -> None:
    assert "`" not in text_of(rendered(run(campaign(void={(1, "zlib")}))))


class TestHostileText:
    @pytest.fixture
    def told(self) -> Run:
        nasty = [HOSTILE, '"]};alert(1)//', "]]><!--<script>", "var(--arm-0)", "a|b`c\\", "x" * 300]
        records = [
            record.model_copy(update={"cell": record.cell.model_copy(update={"arm": nasty[place % 3]})})
            for place, record in enumerate(campaign(arms=ARTICLE[:3]))
        ]
        return run(
            records,
            campaign=HOSTILE,
            run_id=nasty[1],
            question=f"{HOSTILE} | `{{{{ 7 * 7 }}}}` @someone",
            spec_text=f"# {HOSTILE}\n</pre></code>{nasty[2]}",
            command=f"make run-campaign CAMPAIGN='{HOSTILE}' ``x``",
            criteria=Criteria(baseline=HOSTILE),
            arms=tuple(nasty),
            hosts={HOSTILE: {"hostname": HOSTILE, "data": {HOSTILE: HOSTILE}}},
            manifests={HOSTILE: {"recipe": HOSTILE}},
            versions={HOSTILE: HOSTILE},
            findings={HOSTILE: [(HOSTILE, HOSTILE, HOSTILE, HOSTILE)]},
        )

    def test_nothing_becomes_markup(self, told: Run) -> None:
        html = rendered(told)
        assert HOSTILE not in html
        assert html.count("<script") == 3
        assert html.count("</script>") == 3
        assert "{{ 7 * 7 }}" in html
        json.loads(html.rpartition('type="application/json">')[2].partition("</script>")[0])

    def test_markdown_shows_it_as_text(self, told: Run) -> None:
        markdown = rendered(told, "report.md")
        prose = re.sub(r"``` .* ```", "", markdown)
        assert "<script" not in prose
        assert r"\@someone" in markdown
        assert "``` make run-campaign" in markdown, "the fence is longer than any within"


def test_a_report_shows_the_decision_it_is_given(tmp_path: Path) -> None:
    strict = Criteria(baseline="snappy", constraints=(Constraint(metric="rmw.throughput", at_least=2.0),))
    other = run(campaign(), criteria=strict, question="Whose?").decision
    told = replace(usual(), decision=other)
    write_report(told, tmp_path)
    text = text_of(rendered(told))
    assert (tmp_path / "decision.json").read_text(encoding="utf-8") == other.as_json
    assert "Whose?" in text
    assert "No recommendation" in text


def test_markdown_fits_two_screens() -> None:
    lines = rendered(usual(), "report.md").splitlines()
    assert len(lines) < 50
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 2 + 4
    assert len({line.count("|") for line in table}) == 1


class TestTemplatesOfTheUser:
    def test_a_block_is_overridden_and_the_rest_stays(self, tmp_path: Path) -> None:
        mine = tmp_path / "mine"
        mine.mkdir()
        (mine / "report.html").write_text(
            '{% extends "pressgauge/report.html" %}{% block footer %}Team {{ page.run.campaign }}{% endblock %}'
        )
        write_report(run(campaign(), campaign="A & B"), tmp_path / "report", mine)
        html = (tmp_path / "report/index.html").read_text()
        assert "<footer>Team A &amp; B</footer>" in html
        assert 'id="effects"' in html

    @pytest.mark.parametrize(
        "template",
        [
            "{% block",
            '{% extends "nowhere.html" %}',
            "{{ page.absent }}",
            "{{ page.run.__class__.__mro__ }}",
            "{{ 1 // 0 }}",
        ],
        ids=["syntax", "no parent", "no such name", "escape from the sandbox", "arithmetic"],
    )
    def test_a_fault_is_explained(self, tmp_path: Path, template: str) -> None:
        (tmp_path / "report.html").write_text("\n" + template)
        with pytest.raises(TemplateFaultError, match=r"report\.html:2: ."):
            write_report(usual(), tmp_path / "report", tmp_path)
        assert not (tmp_path / "report" / "index.html").exists()

    def test_a_folder_without_a_template_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine/reports.html").write_text("misspelt")
        with pytest.raises(TemplateFaultError, match=r"mine: holds neither report\.html nor report\.md"):
            write_report(usual(), tmp_path / "report", tmp_path / "mine")
        assert not (tmp_path / "report" / "index.html").exists()


def test_blocks_are_numbered_in_tables_as_on_the_page(tmp_path: Path) -> None:
    write_report(run(campaign(blocks=2)), tmp_path)
    with (tmp_path / "metrics.csv").open(encoding="utf-8", newline="") as file:
        assert {row["block"] for row in csv.DictReader(file)} == {"1", "2"}


def test_the_terminal_gets_at_most_five_lines() -> None:
    for records in (
        campaign(),
        campaign(void={(0, "zlib")}),
        campaign(engines=("a", "b", "c"), datasets=("x", "y")),
        [],
    ):
        lines = summary_lines(run(records).decision)
        assert 1 <= len(lines) <= 5
        assert all("\n" not in line for line in lines)
