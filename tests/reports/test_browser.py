"""The report in a real browser: from the file system, without a network."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Dialog, Page, sync_playwright

from analysis.decide.cost_curve import cost_curve
from analysis.decide.decision import decide
from analysis.gate.comparability import Difference
from analysis.gate.history import history, steps
from analysis.stats.criteria import Prices
from analysis.stats.quantities import change, number
from reports import RunSummary, Shift, write_estimate, write_index, write_profile, write_report
from tests.analysis.synthetic import NONE, SNAPPY, ZSTD, Noise, campaign
from tests.reports.chromium import ARGUMENTS, find_chromium
from tests.reports.estimated import estimated
from tests.reports.profiled import profiled
from tests.reports.sample import CRITERIA, in_turns, run, with_counters
from tests.reports.samples_in_time import engine_samples

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from analysis.decide.cost import Costs

PHONE = {"width": 380, "height": 800}
A4_PX = {"width": 688, "height": 1000}  # between margins of 14 mm, at 96 px an inch


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        yield found
        found.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a void trial, so that every kind of mark is there."""
    folder = tmp_path_factory.mktemp("report")
    records = with_counters(campaign(void={(2, "zlib")}))
    write_report(run(records, time_series=engine_samples(records)), folder)
    return folder / "index.html"


@pytest.fixture(scope="module")
def turns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose trials took turns."""
    folder = tmp_path_factory.mktemp("turns")
    records = in_turns(campaign(blocks=2, void={(1, "zlib")}), rounds=20)
    write_report(run(records, time_series=engine_samples(records), turn_s=4.0), folder)
    return folder / "index.html"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five runs of a campaign; from the fourth on zstd does everything half as well."""
    folder = tmp_path_factory.mktemp("results")
    summaries = []
    for day in (1, 2, 3, 4, 5):
        zstd = ZSTD.scaled("zstd-6", 0.5 if day >= 4 else 1.0, zstd_level=6)
        decision = decide(campaign(arms=(NONE, SNAPPY, zstd), noise=Noise(0.01, 0.01), seed=day), CRITERIA)
        began, link = f"2026-01-0{day}T10:00:00Z", f"quick/r{day}/x.html"
        summaries.append(RunSummary("quick", f"r{day}", began, "bench-1", ("6.0.5",), decision, link))
    margin_percent = CRITERIA.equivalence_margin_percent
    found = steps(history([(run.run_id, run.decision) for run in summaries]), margin_percent)
    kernel = Difference(fact="host.kernel", baseline="6.1", candidate="6.2 & later")
    write_index(summaries, [Shift("quick", step, (kernel,)) for step in found], folder / "index.html")
    return folder / "index.html"


class Visit:
    """One page, opened offline; keeps what the browser complained of and asked for."""

    def __init__(self, browser: Browser, path: Path, **options: Any) -> None:
        self.context = browser.new_context(offline=True, **options)
        self.context.set_default_timeout(300_000)
        self.page: Page = self.context.new_page()
        self.complaints: list[str] = []
        self.dialogs: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", self._dismiss)
        self.page.goto(path.as_uri())
        self.page.wait_for_function("document.documentElement.dataset.drawn !== undefined")

    def _dismiss(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()


WIDE = {"viewport": {"width": 1280, "height": 900}}


@pytest.mark.parametrize("which", ["report", "turns", "index"])
def test_every_chart_is_drawn_and_nothing_is_asked_for(
    which: str, browser: Browser, request: pytest.FixtureRequest
) -> None:
    path: Path = request.getfixturevalue(which)
    with Visit(browser, path, **WIDE) as visit:
        assert visit.complaints == []
        assert visit.requests == [path.as_uri()]
        charts = visit.page.locator("[data-chart]")
        assert charts.count() == int(visit.page.evaluate("document.documentElement.dataset.drawn")) > 0
        for place in range(charts.count()):
            assert charts.nth(place).locator("svg .mark-symbol path, svg .mark-rect path, svg .mark-line path").count()
        assert not visit.page.evaluate(
            "[...document.querySelectorAll('.chart')].some(e => e.textContent.includes('NaN'))"
        )


def test_the_index_marks_where_figures_changed(browser: Browser, index: Path) -> None:
    """In words with what differed, by shape in the charts, and in the tables behind them."""
    with Visit(browser, index, **WIDE) as visit:
        said = visit.page.locator(".turn").inner_text()
        assert "Changed with r4, after r3:" in said
        assert re.search(r"▼\s+rmw throughput of zstd-6, against snappy, fell by \d", said)
        assert re.search(r"▼\s+rmw p99 latency of zstd-6, against snappy, rose by \d", said)
        assert "host.kernel 6.1 → 6.2 & later" in said
        assert " of snappy" not in said
        chart = visit.page.locator("[data-chart$=rmw-throughput-snappy]")
        sizes = chart.evaluate("""e => [...e.querySelectorAll('svg .mark-symbol.role-mark path')]
            .map(p => [p.getBBox().width, p.getAttribute('fill')])""")
        rings = [fill for width, fill in sizes if width > 15]
        assert rings == ["transparent"], "one outline, around the first point that changed"
        chart.locator("svg .mark-symbol.role-mark path").last.hover(force=True)
        tip = visit.page.locator("#vg-tooltip-element.visible")
        tip.wait_for()
        assert "rmw throughput of zstd-6, against snappy, fell by" in tip.inner_text()
        assert visit.page.evaluate("""[...document.querySelectorAll('[data-chart$=rmw-throughput-snappy] ~ details th')]
            .filter(e => e.textContent === 'r4').map(e => e.parentNode.textContent.includes('▼'))""") == [True]


@pytest.mark.parametrize("which", ["report", "turns"])
def test_every_axis_has_a_title(which: str, browser: Browser, request: pytest.FixtureRequest) -> None:
    with Visit(browser, request.getfixturevalue(which), **WIDE) as visit:
        titles = visit.page.evaluate(
            "[...document.querySelectorAll('.chart')].map(e => e.querySelectorAll('.role-axis-title text').length)"
        )
        assert all(count >= 1 for count in titles)


@pytest.mark.parametrize("chart", ["compression-ratio", "effects", "latency-rmw", "storage-against-rmw-p99"])
def test_tooltips_appear(browser: Browser, report: Path, chart: str) -> None:
    with Visit(browser, report, **WIDE) as visit:
        visit.page.locator(f"[data-chart={chart}] svg .mark-symbol.role-mark path").last.hover(force=True)
        tip = visit.page.locator("#vg-tooltip-element.visible")
        tip.wait_for()
        assert re.search(r"zstd-6|none|snappy|zlib", tip.inner_text())


def test_a_turns_tooltip_says_what_it_was(browser: Browser, turns: Path) -> None:
    with Visit(browser, turns, **WIDE) as visit:
        visit.page.locator("[data-chart^=turns-rmw-1] svg .mark-rect.role-mark path").first.hover(force=True)
        tip = visit.page.locator("#vg-tooltip-element.visible")
        tip.wait_for()
        assert re.search(r"arm\s+(none|snappy|zlib|zstd-6)\s+round\s+1\s+throughput\s+[\d,.]+/s", tip.inner_text())
        assert re.search(r"mongod CPU\s+[\d,.]+ µs/operation", tip.inner_text())


@pytest.mark.parametrize("which", ["report", "turns"])
def test_no_label_overlaps_another_or_is_cut(which: str, browser: Browser, request: pytest.FixtureRequest) -> None:
    faults = """() => [...document.querySelectorAll('.chart svg')].flatMap(svg => {
        const texts = [...svg.querySelectorAll('text')].filter(t => t.textContent && t.getAttribute('opacity') !== '0');
        const boxes = texts.map(t => [t.textContent, t.getBoundingClientRect()]).filter(([_, b]) => b.width);
        const edge = svg.getBoundingClientRect();
        const cut = boxes.filter(([_, b]) => b.right > edge.right + 1 || b.left < edge.left - 1)
            .map(([a]) => `${svg.closest('.chart').dataset.chart}: ${a} is cut`);
        return cut.concat(boxes.flatMap(([a, p], i) => boxes.slice(i + 1)
            .filter(([_, q]) => Math.min(p.right, q.right) - Math.max(p.left, q.left) > 2
                && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 3)
            .map(([b]) => `${svg.closest('.chart').dataset.chart}: ${a} / ${b}`)));
    })"""
    for options in (WIDE, {"viewport": PHONE}):
        with Visit(browser, request.getfixturevalue(which), **options) as visit:
            assert visit.page.evaluate(faults) == []


@pytest.mark.parametrize("which", ["report", "turns", "index"])
@pytest.mark.parametrize("width", [380, 768, 1280])
def test_nothing_is_wider_than_the_screen(
    which: str, width: int, browser: Browser, request: pytest.FixtureRequest
) -> None:
    with Visit(browser, request.getfixturevalue(which), viewport={"width": width, "height": 800}) as visit:
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
        assert visit.page.evaluate(CUT) == []
        assert visit.complaints == []


# What paper leaves out has no size.
CUT = """() => [...document.querySelectorAll('.chart')].filter(e => {
    const box = e.getBoundingClientRect(), svg = e.querySelector('svg').getBoundingClientRect();
    return e.offsetParent && (svg.right > box.right + 1 || e.scrollHeight > e.clientHeight + 1 || svg.width < 150);
}).map(e => e.dataset.chart)"""
BLANK = """() => {
    document.querySelector('main').style.width = '340px';  // as paper does: shrunk by the style sheet, not drawn again
    return [...document.querySelectorAll('.chart')].filter(
        e => e.clientHeight > e.querySelector('svg').getBoundingClientRect().height + 1
    ).map(e => e.dataset.chart);
}"""


@pytest.mark.parametrize("which", ["report", "turns", "index"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(which: str, scheme: str, browser: Browser, request: pytest.FixtureRequest) -> None:
    with Visit(browser, request.getfixturevalue(which), color_scheme=scheme, **WIDE) as visit:
        visit.page.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true; })")
        found = Axe().run(visit.page).response["violations"]
        serious = [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]
        assert serious == []


@pytest.mark.parametrize("options", [{"viewport": PHONE}, {"color_scheme": "dark", **WIDE}, WIDE])
def test_estimates_and_profiles_are_read_on_every_screen(
    browser: Browser, tmp_path: Path, options: dict[str, Any]
) -> None:
    write_estimate(estimated(), tmp_path / "estimate.html")
    write_profile(profiled(), tmp_path / "profile.html")
    context = browser.new_context(offline=True, **options)
    page = context.new_page()
    for name in ("estimate.html", "profile.html"):
        page.goto((tmp_path / name).as_uri())
        _is_read(page, options)
    context.close()


def _is_read(page: Page, options: dict[str, Any]) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= options.get("viewport", WIDE["viewport"])["width"]
    found = Axe().run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


def test_dark_is_dark_in_text_and_charts(browser: Browser, report: Path) -> None:
    colours = """() => [getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.querySelector('[data-chart=effects] text')).fill,
        getComputedStyle(document.querySelector('[data-chart=effects] .mark-rule line')).stroke]"""
    with Visit(browser, report, color_scheme="light") as visit:
        light = visit.page.evaluate(colours)
    with Visit(browser, report, color_scheme="dark") as visit:
        dark = visit.page.evaluate(colours)
        assert brightness(dark[0]) < 60
        assert brightness(dark[1]) > 150
        assert all(one != other for one, other in zip(light, dark, strict=True))
        visit.page.emulate_media(media="print")
        assert visit.page.evaluate(colours) == light, "paper is white whatever the screen is"


def brightness(colour: str) -> float:
    red, green, blue = (float(part) for part in re.findall(r"[\d.]+", colour)[:3])
    return (red + green + blue) / 3


@pytest.mark.parametrize(("beside", "state"), [(False, "loaded"), (True, "aged")])
def test_prices_compute_what_the_analysis_would(browser: Browser, tmp_path: Path, beside: bool, state: str) -> None:  # noqa: FBT001
    """Whether instances are sized by throughput or by mongod's CPU, and whichever state's storage is paid for."""
    records = [one.model_copy(update={"clients_beside": beside}) for one in campaign(void={(2, "zlib")})]
    asked = CRITERIA.model_copy(update={"prices": Prices().model_copy(update={"storage_state": state})})
    write_report(run(records, criteria=asked), tmp_path)
    other = {"instance_per_hour": 0.9, "storage_per_gb_month": 0.4, "data_size_gb": 4000, "operations_per_s": 250,
             "replicas": 5, "instance_capacity": 0.35, "growth_percent_per_month": 4, "horizon_months": 24}  # fmt: skip
    criteria = CRITERIA.model_copy(update={"prices": asked.prices.model_copy(update=other)})
    costs = decide(records, criteria).recommendations[0].choice.costs
    assert costs is not None
    assert (costs.sized_by == "mongod_capacity") is beside
    with Visit(browser, tmp_path / "index.html", **WIDE) as visit:
        page = visit.page
        before = page.locator("form[data-cost] ~ .scroll tbody").inner_text()
        for name, value in other.items():
            page.locator(f"form[data-cost] input[name={name}]").fill(str(value))
        assert page.locator("form[data-cost] ~ .scroll tbody").inner_text() != before
        for arm in costs.arms:
            row = page.locator(f"tr[data-arm='{arm.arm}']")
            assert row.locator("[data-field=monthly]").inner_text() == number(arm.monthly.value)
            assert arm.per_million_operations is not None
            assert row.locator("[data-field=per-million]").inner_text() == number(arm.per_million_operations.value)
            assert arm.per_gb_month is not None
            assert row.locator("[data-field=per-gb]").inner_text() == number(arm.per_gb_month.value)
            assert row.locator("[data-field=storage]").inner_text() == f"{number(arm.stored_gb.value)} GB"
            if arm.ratio is not None and arm.ratio.low is not None and arm.ratio.high is not None:
                assert row.locator("[data-field=change]").inner_text() == change(arm.ratio.value)
                spread = f"{change(arm.ratio.low)} to {change(arm.ratio.high)}"
                assert row.locator("[data-field=interval]").inner_text() == spread
        assert page.locator("tr.cheapest").get_attribute("data-arm") == costs.cheapest
        assert_curve(page, costs)
        page.locator("form[data-cost] input[name=replicas]").fill("")
        assert page.locator("tr.cheapest").count() == 1, "an unfinished input changes nothing"
        assert visit.complaints == []


def assert_curve(page: Page, costs: Costs) -> None:
    """The curve and its table are those of these costs."""
    told = page.evaluate("""() => {
        const spec = data.charts["cost-curve"];
        const rows = [...document.querySelectorAll("figure:has([data-chart=cost-curve]) tbody tr")];
        return {
            drawn: spec.datasets[spec.layer[0].data.name], now: spec.datasets[spec.layer[2].data.name][0].at,
            flips: rows.map((row) => [...row.children].map((cell) => cell.textContent)),
        };
    }""")
    assert told["now"] == pytest.approx(costs.price_ratio)
    points = {(one["arm"], f"{one['at']:.6g}"): one["value"] for one in told["drawn"]}
    expected = cost_curve(costs, CRITERIA.baseline)
    assert points == pytest.approx({(one.arm, f"{one.price_ratio:.6g}"): one.ratio for one in expected})
    assert told["flips"], "none says nothing of how they are found"
    assert told["flips"] == [
        [one.arm, one.side, number(one.price_ratio.value),
         f"{number(one.price_ratio.low)} to {number(one.price_ratio.high)}"]
        for one in costs.flips
        if one.price_ratio.low is not None and one.price_ratio.high is not None
    ]  # fmt: skip


def test_printed_charts_are_whole(browser: Browser, report: Path) -> None:
    with Visit(browser, report, **WIDE) as visit:
        visit.page.emulate_media(media="print")
        visit.page.set_viewport_size(A4_PX)  # type: ignore[arg-type] # a dict of two ints
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= A4_PX["width"]
        assert visit.page.evaluate(CUT) == []
        assert visit.page.evaluate(BLANK) == [], "a chart leaves no room below it that pushes the next to another page"
        assert visit.page.pdf(format="A4").startswith(b"%PDF")


def test_a_printed_report_has_ten_pages_at_most_and_its_decision_table_is_whole(browser: Browser, turns: Path) -> None:
    with Visit(browser, turns, **WIDE) as visit:
        pages = re.findall(rb"/Type\s*/Page[^s]", visit.page.pdf(format="A4"))
        assert 1 <= len(pages) <= 10
        visit.page.emulate_media(media="print")
        visit.page.set_viewport_size(A4_PX)  # type: ignore[arg-type] # a dict of two ints
        table = visit.page.locator("table.glance").first
        assert table.evaluate("e => getComputedStyle(e).breakInside") == "avoid"
        assert table.evaluate("e => e.getBoundingClientRect().height") < A4_PX["height"]
        assert not visit.page.get_by_text("Change them").is_visible()
        assert not visit.page.locator("form.prices").is_visible()
        assert not visit.page.get_by_text("The campaign as written").is_visible()


def test_where_nothing_can_be_changed_nothing_says_so(browser: Browser, report: Path) -> None:
    context = browser.new_context(offline=True, java_script_enabled=False, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.locator("#cost p").get_by_text("Prices of").first.is_visible()
    assert not page.get_by_text("Change them").is_visible()
    assert not page.locator("form.prices").is_visible()
    context.close()


def test_a_phone_shows_cards_and_no_table_that_is_cut(browser: Browser, report: Path) -> None:
    with Visit(browser, report, viewport=PHONE) as visit:
        visit.page.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true; })")
        cut = ".filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.ariaLabel)"
        assert visit.page.evaluate(f"[...document.querySelectorAll('.scroll')]{cut}") == []
        cells = "[...document.querySelectorAll('tbody td')].filter(e => !e.dataset.label).map(e => e.outerHTML)"
        assert visit.page.evaluate(cells) == []
        first = visit.page.locator("table.glance tbody tr").first
        assert first.evaluate("e => getComputedStyle(e).display") == "block"
        labels = first.evaluate("e => [...e.querySelectorAll('td')].map(c => getComputedStyle(c, '::before').content)")
        assert '"rmw throughput"' in labels


def test_what_is_looked_up_rarely_is_folded(browser: Browser, report: Path) -> None:
    with Visit(browser, report, **WIDE) as visit:
        for name in ("Hosts", "Engine counters, rmw", "What the doctor finds good, or is not told", "All trials"):
            table = visit.page.get_by_role("region", name=name, include_hidden=True)
            assert table.count() == 1
            assert not table.is_visible()
        assert visit.page.get_by_role("region", name="What the doctor advises on").is_visible()
        assert visit.page.locator("#provenance").get_by_text("bench-1").first.is_hidden()


def test_effects_stand_on_an_axis_of_factors(browser: Browser, report: Path) -> None:
    with Visit(browser, report, **WIDE) as visit:
        labels = visit.page.locator("[data-chart=effects] .role-axis-label text").all_text_contents()
        ticks = [label for label in labels if label[:1] in "×÷"]
        assert "×1" in ticks
        assert any(tick.startswith("÷") for tick in ticks)
        assert len(ticks) >= 4


def test_keyboard_reaches_tables_and_prices(browser: Browser, report: Path) -> None:
    with Visit(browser, report, **WIDE) as visit:
        reached = set()
        for _ in range(80):
            visit.page.keyboard.press("Tab")
            reached.add(visit.page.evaluate("document.activeElement.tagName"))
        assert {"A", "SUMMARY", "INPUT"} <= reached


def test_hostile_names_stay_text(browser: Browser, tmp_path: Path) -> None:
    name = '<script>alert(1)</script><img src=x onerror="alert(2)">'
    records = [
        record.model_copy(update={"cell": record.cell.model_copy(update={"arm": record.cell.arm + name})})
        for record in campaign(blocks=2)
    ]
    criteria = CRITERIA.model_copy(update={"baseline": "snappy" + name})
    write_report(run(records, campaign=name, question=name, criteria=criteria), tmp_path)
    with Visit(browser, tmp_path / "index.html", **WIDE) as visit:
        visit.page.locator("[data-chart=compression-ratio] .mark-symbol path").first.hover(force=True)
        assert name in visit.page.locator("#vg-tooltip-element.visible").inner_text()
        assert visit.page.locator("h1").inner_text() == name
        assert visit.page.locator("img").count() == 0
        assert visit.dialogs == []
        assert visit.complaints == []


def test_a_script_of_the_users_runs_and_one_that_slipped_through_does_not(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(
        '{% extends "pressgauge/report.html" %}{% block footer %}<script>alert(1)</script>'
        '<script nonce="{{ page.run.question }}">alert(2)</script><img src="x" onerror="alert(3)">'
        '<a href="javascript:alert(4)">x</a><script nonce="{{ nonce }}">document.title = "mine"</script>{% endblock %}'
    )
    write_report(run(campaign(blocks=2)), tmp_path / "report", tmp_path)
    with Visit(browser, tmp_path / "report/index.html", **WIDE) as visit:
        visit.page.locator("footer a").click()
        assert visit.page.title() == "mine"
        assert visit.dialogs == []
        assert len([text for text in visit.complaints if "Content Security Policy" in text]) >= 4
