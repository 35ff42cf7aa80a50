"""The first screen's answer, in every way that a recommendation comes about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from analysis.stats.criteria import Constraint, Criteria
from reports.material import Material
from reports.page.answer import answer, glance
from reports.page.cost import cost_page
from tests.analysis.synthetic import QUIET, SNAPPY, ZSTD, Noise, campaign
from tests.reports.sample import CRITERIA, run

if TYPE_CHECKING:
    from analysis.trial.records import TrialRecord

COLON = ": mine"


def with_colons(records: list[TrialRecord]) -> list[TrialRecord]:
    """Arms with colons in their names, which no reader of records lets in."""
    return [
        record.model_copy(update={"cell": record.cell.model_copy(update={"arm": f"{record.cell.arm}{COLON}"})})
        for record in records
    ]


EVEN = campaign(arms=(SNAPPY, ZSTD, ZSTD.scaled("zstd-again", 1.0, zstd_level=6)), noise=Noise(0.001, 0.001))
QUIETLY = campaign(blocks=5, noise=QUIET)
WAYS: dict[str, tuple[list[TrialRecord], dict[str, Any], str]] = {
    "switch": (campaign(), {}, "Run zstd-6"),
    "tie": (EVEN, {}, "Run zstd"),
    "keep": (QUIETLY, {"objective": "throughput", "baseline": "none"}, "Keep none: nothing beats it"),
    "passed over": (
        QUIETLY,
        {"constraints": (Constraint(metric="rmw.p99", at_most=1.1),)},
        "Keep snappy: no eligible arm beats it",
    ),
    "undecided": (campaign(), {"objective": "throughput"}, "Not decided: stay on snappy for now"),
    "none satisfies": (
        campaign(),
        {"constraints": (Constraint(metric="rmw.throughput", at_least=2.0),)},
        "No recommendation",
    ),
    "alone": (campaign(arms=(SNAPPY,)), {}, "Nothing to choose from"),
    "no baseline": (campaign(), {"baseline": "gone"}, "No recommendation"),
    "colons": (with_colons(campaign()), {"baseline": f"snappy{COLON}"}, "Run z"),
    "colons kept": (
        with_colons(QUIETLY),
        {"baseline": f"none{COLON}", "objective": "throughput"},
        f"Keep none{COLON}: nothing beats it",
    ),
}


@pytest.mark.parametrize(("records", "asked", "headline"), WAYS.values(), ids=WAYS)
def test_headline_and_reason_make_up_the_decisions_sentence(
    records: list[TrialRecord], asked: dict[str, Any], headline: str
) -> None:
    told = run(records, criteria=Criteria.model_validate({"baseline": "snappy"} | asked))
    (found,) = told.decision.recommendations
    shown = answer(Material(told), found.choice.group)
    assert shown.headline.startswith(headline)
    assert found.sentence.casefold() in {
        f"{shown.headline}: {shown.sentence}".casefold(),
        f"{shown.headline}. {shown.sentence}".casefold(),
    }
    assert shown.sentence[0] == shown.sentence[0].upper()


def test_the_storage_after_the_workloads_stands_beside_that_after_the_load() -> None:
    """Whoever chose the primary metrics; it is what a deployment pays for."""
    chosen = Criteria(baseline="snappy", primary=("storage_bytes_per_document", "rmw.p99"))
    told = run(campaign(), criteria=chosen)
    labels = [label for label, _ in glance(Material(told), told.decision.recommendations[0].choice.group).columns]
    assert labels == ["storage per document", "aged storage per document", "rmw p99 latency"]
    loads = run(campaign(workloads=()), criteria=chosen)
    columns = glance(Material(loads), loads.decision.recommendations[0].choice.group).columns
    assert "aged storage per document" not in [label for label, _ in columns]


def test_the_aged_state_is_explained_with_the_baselines_figures() -> None:
    told = run(campaign())
    said = glance(Material(told), told.decision.recommendations[0].choice.group).aged
    assert said.startswith("Aged is after the workloads: what updates rewrite goes elsewhere in the file")
    assert "snappy's compression ratio went from " in said
    loads = run(campaign(workloads=()))
    assert glance(Material(loads), loads.decision.recommendations[0].choice.group).aged == ""


def test_the_cost_table_says_undecided_where_the_constraints_are() -> None:
    told = run(campaign(blocks=2), criteria=CRITERIA)
    (found,) = told.decision.recommendations
    states = {check.arm: check.state.value for check in found.choice.checks}
    assert "undecided" in states.values()
    page = cost_page(Material(told), found.choice.group, "cost")
    assert page is not None
    assert {row.style.name: row.constraints for row in page.rows} == states
