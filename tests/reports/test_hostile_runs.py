"""Runs of somebody who means harm: what their names, texts, numbers and links can't do."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import math
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pandas as pd
import pytest

from analysis.decide.decision import decide
from analysis.trial.records import Reason
from core.files import half_written, write_whole
from reports import LinkedError, RunSummary, write_index, write_report
from reports.output.bundle import vega_bundle
from reports.output.sheets import csv_text
from tests.analysis.synthetic import campaign
from tests.reports.sample import CRITERIA, run

if TYPE_CHECKING:
    from pathlib import Path

    from reports import Run

UNSHOWN = [chr(code) for code in (0, 1, 7, 8, 11, 12, 13, 0x1B, 0x1F, 0x7F, 0x85, 0x9B, 0x202E, 0x2066, 0xFFFE, 0xFFFF)]
CONTROLS = "".join(UNSHOWN)
NAMES = {
    "controls": f"{CONTROLS}[31m",
    "wide characters, that a label is cut in": "\N{GRINNING FACE}\N{HEBREW LETTER ALEF}" * 40,
    "a long text": "x" * 20_000,
    "a variable of the style sheet": "var(--no-such)",
    "nothing": "",
}


def named(name: str) -> Run:
    """A run whose every name and text ends in this, though the reader of records would let in none of it."""
    reason = Reason.model_construct(code=name, message=name)
    records = [
        record.model_copy(
            update={
                "cell": record.cell.model_copy(update={"arm": record.cell.arm + name}),
                "void": tuple(reason for _ in record.void),
                "flags": (reason,),
                "started_at": name[:40],
                "sizes": tuple(one.model_copy(update={"files_bytes": {name: 5}}) for one in record.sizes),
            }
        )
        for record in campaign(blocks=2, void={(1, "zlib")})
    ]
    from_json = f"{name}\ud800"  # which our other readers refuse
    return run(
        records,
        campaign=name,
        run_id=from_json,
        question=name,
        command=from_json,
        criteria=CRITERIA.model_copy(update={"baseline": f"snappy{name}"}),
        hosts={from_json: {from_json: from_json, "list": [from_json]}},
        manifests={from_json: {from_json: from_json}},
        versions={from_json: from_json},
    )


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_any_name_and_text_is_shown_or_marked(tmp_path: Path, name: str) -> None:
    """Drawing a control character aborts the whole process, in a library that is not Python."""
    write_report(named(name), tmp_path)
    for path in (tmp_path / "index.html", tmp_path / "report.md", tmp_path / "metrics.csv"):
        text = path.read_bytes().decode()
        body = text.rpartition('type="application/json">')[2] if path.suffix == ".html" else text
        assert [character for character in UNSHOWN if character in body] == []
        assert "\\u202e" not in body
    figures = list((tmp_path / "figures").glob("*.svg"))
    assert figures
    for path in figures:
        ElementTree.parse(path)


@pytest.mark.parametrize("figure", [math.inf, -math.inf, math.nan, 1e308, 5e-324, 2**70, 10**400], ids=str)
def test_any_number_of_a_host_or_a_corpus_is_shown(tmp_path: Path, figure: float) -> None:
    survey: Any = {"x": figure, "size_bytes": figure, "steal_share": figure, "load": [figure]}
    write_report(run(campaign(blocks=1), hosts={"h": survey}, manifests={"s": {"bytes": figure}}), tmp_path)


def test_a_survey_may_be_as_deep_as_json_can_be(tmp_path: Path) -> None:
    deep: Any = []
    for _ in range(900):
        deep = [{"a": deep}] if len(str(deep)) % 2 else [deep]
    write_report(run(campaign(blocks=1), hosts={"h": {"deep": deep}}), tmp_path)


def test_a_figure_of_hundreds_of_arms_is_no_file(tmp_path: Path) -> None:
    many = tuple(f"arm-{number}" for number in range(400))
    write_report(run(campaign(blocks=1), arms=many), tmp_path)
    assert "compression-ratio" in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert not (tmp_path / "figures/compression-ratio.png").exists()


def test_only_our_own_scripts_run_in_the_page(tmp_path: Path) -> None:
    """By their digests: whoever knows all that a page is made from can't make another one run."""
    told = run(campaign())
    write_report(told, tmp_path)
    summary = [RunSummary("quick", f"r{day}", f"2026-01-0{day}", "h", (), told.decision, "x") for day in (1, 2)]
    write_index(summary, [], tmp_path / "runs.html")
    for name in ("index.html", "runs.html"):
        html = (tmp_path / name).read_text(encoding="utf-8")
        policy = re.search(r"script-src ([^;]*);", html)
        assert policy
        assert "nonce" not in html.replace(policy[1], "").partition("<script>")[0]
        scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
        digests = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts]
        assert policy[1].split() == [f"'sha256-{digest}'" for digest in digests]


@pytest.mark.parametrize("where", ["report", "report/figures", "report/index.html", "report/figures/old.svg"])
def test_a_report_is_not_written_where_a_link_leads(tmp_path: Path, where: str) -> None:
    theirs, link = tmp_path / "theirs", tmp_path / where
    theirs.mkdir()
    (theirs / "mine.svg").write_text("mine")
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(theirs / "mine.svg" if "." in where else theirs)
    with pytest.raises(LinkedError, match=re.escape(str(link))):
        write_report(run(campaign(blocks=1)), tmp_path / "report")
    assert [path.name for path in theirs.iterdir()] == ["mine.svg"]
    assert (theirs / "mine.svg").read_text() == "mine"
    assert link.is_symlink()


def test_a_file_is_written_in_the_place_of_a_link_not_through_it(tmp_path: Path) -> None:
    victim, path = tmp_path / "victim", tmp_path / "index.html"
    victim.write_text("theirs")
    path.symlink_to(victim)
    write_index([], [], path)
    assert not path.is_symlink()
    assert victim.read_text() == "theirs"


def test_no_link_waits_under_the_name_of_a_half_written_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    monkeypatch.setattr("os.getpid", lambda: 7)
    (tmp_path / half_written("new.7")).symlink_to(victim)
    write_whole(tmp_path / "new", "ours")
    assert (tmp_path / "new").read_text() == "ours"
    assert victim.read_text() == "theirs"


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r"])
def test_no_text_of_a_sheet_is_a_formula_and_every_number_stays_one(begin: str) -> None:
    frame = pd.DataFrame({"arm": [f'{begin}HYPERLINK("x")', "zstd-6"], "value": [-1.5, 2.0], "n": [-1, 2]})
    rows = list(csv.DictReader(io.StringIO(csv_text(frame), newline="")))
    assert rows[0]["arm"][0] not in "=+-@\t\r"
    assert rows[0]["arm"].endswith('HYPERLINK("x")')
    assert rows[1] == {"arm": "zstd-6", "value": "2.0", "n": "2"}
    assert (rows[0]["value"], rows[0]["n"]) == ("-1.5", "-1")


def test_links_of_the_index_are_paths(tmp_path: Path) -> None:
    decision = decide([], CRITERIA)
    names = ["javascript:alert(1)", "https:", "a?b#c", 'x"onclick="alert(1)', "\udcff"]
    write_index([RunSummary(name, "r", "2026", "h", (), decision, f"{name}/r/x") for name in names], [], tmp_path / "i")
    links = re.findall(r'href="([^"]*)"', (tmp_path / "i").read_text(encoding="utf-8"))
    assert len(links) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9%/._()-]+", link) for link in links)


@pytest.mark.parametrize("mode", [0o700, 0o720, 0o702])
def test_a_script_that_others_could_have_written_is_not_taken(tmp_path: Path, mode: int) -> None:
    cache = tmp_path / "cache"
    made = vega_bundle(cache)
    (kept,) = cache.iterdir()
    kept.write_text("alert(1)")
    cache.chmod(mode)
    assert vega_bundle(cache) == ("alert(1)" if mode == 0o700 else made)
