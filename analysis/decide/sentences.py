"""Everything the analysis says in plain words, in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.decide.constraints import ArmCheck, ConstraintCheck, State
from analysis.decide.fidelity import Compared, Fidelity
from analysis.decide.fidelity import State as Likeness
from analysis.decide.recommendation import Choice, Outcome, Status
from analysis.stats import quantities
from analysis.stats.metrics import metric
from analysis.stats.verdicts import Effect, FurtherBlocks, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.decide.cost import Costs
    from analysis.stats.stalls import Unsteady


ADDING_BLOCKS = (
    "The numbers of further blocks are for planning another run. Adding blocks to this run until a verdict appears "
    "multiplies false verdicts. A spec with blocks: {until: decided, min, max} adds blocks until everything is "
    "decided, and its verdicts allow for that."
)


def looked(fewest: int, most: int) -> str:
    """What the reader of a campaign that was carried on until decided has to know about its intervals."""
    return (
        f"This campaign could have ended after any of its blocks {fewest} to {most}, depending on its results. Its "
        "verdicts and intervals hold for all these looks together, so the intervals are wider than with the same fixed "
        "number of blocks."
    )


def capital(sentence: str) -> str:
    """The sentence with a capital at its beginning."""
    return sentence[:1].upper() + sentence[1:]


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""


def further(more: FurtherBlocks | None, what: str) -> str:
    """What more blocks would do for `what` is undecided: a comparison and a constraint on it take different numbers."""
    if more is None:
        return f"more blocks would not decide {what}"
    word = "block" if more.blocks == 1 else "blocks"
    if more.at_least:
        return f"at least {more.blocks} more {word} would be needed for {what}"
    return f"about {more.blocks} more {word} would decide {what}, if effect and scatter stay as they are"


def effect(one: Effect, margin_percent: float) -> str:
    """`zstd: rmw throughput −24.7 % [−26.0 %, −23.3 %], n = 3, against snappy: worse.`"""
    label = metric(one.metric).label
    if one.factor != "arm":
        label = f"{label} ({one.group.label})"
    if one.problem is not None:
        return f"{one.candidate}: {label} against {one.baseline} is undecided: {one.problem}."
    if one.ratio is None:
        return f"{one.candidate}: {label} against {one.baseline} is undecided: no block has valid trials of both."
    head = f"{one.candidate}: {label} {quantities.effect(one.ratio)}, against {one.baseline}"
    if one.verdict is Verdict.UNDECIDED:
        alone = one.ratio.low is not None and one.ratio.high is not None and not one.ratio.low <= 1 <= one.ratio.high
        corrected = " after correction for all questions asked" if alone else ""
        return f"{head}: undecided{corrected}; {further(one.further, 'this comparison')}."
    if one.verdict is Verdict.EQUIVALENT:
        return f"{head}: equivalent (within ±{margin_percent:g} %)."
    return f"{head}: {one.verdict}."


def control_differs(one: Effect) -> str:
    """That an A/A arm shows an effect, which no setting can have caused."""
    figures = "" if one.ratio is None else f" ({quantities.effect(one.ratio)})"
    return (
        f"{one.candidate} has the same settings as {one.baseline}, yet it differs in "
        f"{metric(one.metric).label}{figures}: something other than the settings affects the trials. "
        "Do not trust effects of this size."
    )


_LIKENESS = {
    Likeness.LIKE: "Like your deployment",
    Likeness.UNLIKE: "Not your deployment",
    Likeness.UNKNOWN: "Not shown to be like your deployment",
}
_MIRRORED = {
    "compression_ratio": "compression ratio",
    "index_bytes_per_document": "index bytes per document",
    "cache_ratio": "cache ÷ data",
    "pages_read_per_operation": "pages read per operation",
    "mix": "mix of operations",
    "latency_shape": "shape of latencies",
}


def likeness(found: Fidelity) -> str:
    """Whether what was measured is the deployment's, in a line."""
    return _LIKENESS[found.state]


def likeness_why(found: Fidelity, baseline: str) -> str:
    """What differs, or how much was compared."""
    if found.state is Likeness.UNLIKE:
        told = "; ".join(compared(one, several=found.several) for one in found.those(Likeness.UNLIKE))
        said = f"{baseline} differs from {found.of}: {told}. What is decided below is about another workload."
    elif found.state is Likeness.UNKNOWN and found.compared:
        lacking = listed([_mirrored(one, several=found.several) for one in found.those(Likeness.UNKNOWN)])
        said = f"the trials of {baseline} that count do not tell {lacking}, so they can't be compared with {found.of}."
    elif found.state is Likeness.UNKNOWN:
        said = f"nothing of {found.of} could be compared: {baseline} has no trial that counts, or the spec no figures."
    else:
        said = f"{baseline} is within the tolerances of {found.of} in all {len(found.compared)} figures."
    if found.left_out:
        said += f" Not compared, because the deployment did not show it: {listed(list(map(_named, found.left_out)))}."
    return said


def likeness_sentence(found: Fidelity, baseline: str) -> str:
    """Both, as one line."""
    return f"{likeness(found)}: {likeness_why(found, baseline)}"


def compared(one: Compared, *, several: bool) -> str:
    """`compression ratio 1.8 instead of 2.9 (2.61 to 3.19)`."""
    trials = "unknown" if one.trials is None else quantities.number(one.trials)
    allowed = f"{quantities.number(max(0.0, one.least))} to {quantities.number(one.most)}"
    instead = f"instead of {quantities.number(one.deployment)} (allowed: {allowed})"
    return f"{_mirrored(one, several=several)} {trials} {instead}"


def _mirrored(one: Compared, *, several: bool) -> str:
    return f"{_named(one.figure)} ({one.group.label})" if several else _named(one.figure)


def _named(figure: str) -> str:
    """A figure's name in words: `share of find`, `p99 ÷ median of writes`."""
    first, *further = figure.split(".")
    if first == "mix" and further:
        return f"share of {further[0]} operations"
    if first == "latency_shape" and further:
        return f"{further[1]} ÷ median latency of {further[0]}"
    return _MIRRORED.get(first, figure)


def unsteady(one: Unsteady) -> str:
    """That an arm stalls now and then, and what its intervals are worth then."""
    looks = "turns" if one.in_turns else "phases"
    return (
        f"{one.arm} ({one.group.label}) stalls now and then: {_times(one.spells)} in {one.looks} {looks}; all other "
        f"arms: {_times(one.other_spells)} in {one.other_looks}. Its intervals allow for stalls like these, but not "
        "for longer stalls that have not happened yet."
    )


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def no_cost(workload: str, *, offered: bool) -> str:
    """Why there is no cost; `offered`: the workload was offered a rate."""
    if not offered:
        return f"No cost could be computed: it needs the throughput of {workload} and the stored sizes."
    return (
        f"No cost could be computed: {workload} was offered a rate, so its throughput is that rate and not the most "
        "that an instance can do. Name a workload without target_per_s and pace in decision.prices.workload."
    )


def bound(check: ConstraintCheck) -> str:
    """A constraint in words, e.g. `rmw throughput ≥ 0.95 × baseline`."""
    one = check.constraint
    bounds = [
        f"≥ {one.at_least:g} ×" if one.at_least is not None else "",
        f"≤ {one.at_most:g} ×" if one.at_most else "",
    ]
    return f"{_label(one.metric)} {' and '.join(text for text in bounds if text)} baseline"


def constraint(check: ConstraintCheck) -> str:
    """A constraint, its figures, and whether it holds."""
    if check.state is State.UNDECIDED:
        return f"{bound_and_figures(check)}: undecided; {further(check.further, 'this constraint')}"
    return f"{bound_and_figures(check)}: {check.state}"


def bound_and_figures(check: ConstraintCheck) -> str:
    """A constraint, and what was measured where it has a ratio."""
    figures = f" ({quantities.effect(check.ratio)})" if check.ratio is not None else ""
    return f"{bound(check)}{figures}"


def failing(arm: ArmCheck) -> str:
    """Why an arm is not eligible."""
    open_checks = [constraint(check) for check in arm.checks if check.state is not State.SATISFIED]
    return f"{arm.arm}: {'; '.join(open_checks)}"


def recommendation(choice: Choice, baseline: str) -> str:
    """The recommendation in a line: what to run, and why."""
    head, because = headline(choice), why(choice, baseline)
    whole = choice.outcome in (Outcome.KEEP, Outcome.UNDECIDED)
    return f"{head}. {capital(because)}" if whole else f"{head}: {because}"


def headline(choice: Choice) -> str:
    """What to run, and whether that is proven."""
    if choice.outcome is Outcome.NO_BASELINE or choice.status is Status.NONE:
        return "No recommendation"
    if choice.outcome is Outcome.SWITCH:
        return f"Run {choice.arm}"
    if choice.outcome is Outcome.KEEP:
        return f"Keep {choice.arm}: {'no eligible arm' if _constrained(choice) else 'nothing'} beats it"
    if choice.outcome is Outcome.UNDECIDED:
        return f"Not decided: stay on {choice.arm} for now"
    return "Nothing to choose from" if _alone(choice) else "Not decided"


def why(choice: Choice, baseline: str) -> str:
    """What the headline rests on, and what it lacks, to follow it."""
    label = _label(choice.objective_metric)
    match choice.outcome:
        case Outcome.NO_BASELINE:
            said = f"the baseline {baseline} has no valid trial."
        case Outcome.NOTHING_SATISFIES if choice.status is Status.NONE:
            said = "every arm violates a constraint."
        case Outcome.NOTHING_SATISFIES:
            said = f"no arm is shown to satisfy the constraints; {further(choice.further, 'the choice')}."
        case Outcome.NOT_MEASURED if _alone(choice):
            said = "no other arm has a trial."
        case Outcome.NOT_MEASURED:
            said = f"{label} could not be compared, because no block has it for {baseline} and another arm."
        case Outcome.KEEP:
            barred = ", or to violate a constraint" if _constrained(choice) else ""
            said = f"every other arm is shown to be no better at {label}{barred}. {_passed_over(choice)}".rstrip()
        case Outcome.UNDECIDED:
            said = f"{_undecided(choice)} {_passed_over(choice)}".rstrip()
        case Outcome.SWITCH:
            said = _switch(choice, baseline)
    return said


def _constrained(choice: Choice) -> bool:
    return any(check.checks for check in choice.checks)


def _alone(choice: Choice) -> bool:
    """Whether the baseline is the only arm."""
    return choice.outcome is Outcome.NOT_MEASURED and len(choice.checks) == 1


def _undecided(choice: Choice) -> str:
    """Which arms may yet replace the baseline, and what would tell."""
    label, parts = _label(choice.objective_metric), []
    if choice.promising:
        one = len(choice.promising) == 1
        barred = f" and {'satisfies' if one else 'satisfy'} the constraints" if _constrained(choice) else ""
        parts.append(f"whether {listed(choice.promising)} {'is' if one else 'are'} better at {label}{barred}")
    if choice.held_back:
        is_, satisfy = ("is", "satisfies") if len(choice.held_back) == 1 else ("are", "satisfy")
        parts.append(f"whether {listed(choice.held_back)}, which {is_} better at {label}, {satisfy} the constraints")
    return f"{', and '.join(parts)} is not known; {further(choice.further, 'the choice')}."


def _switch(choice: Choice, baseline: str) -> str:
    """By what the chosen arm is better than the baseline, how it was chosen among its equals, and who may be better.

    Only an arm that is shown to be better than all that are eligible is called the best.
    """
    assert choice.effect is not None
    assert choice.effect.ratio is not None
    label, figures = _label(choice.objective_metric), quantities.effect(choice.effect.ratio)
    said = f"{label} {figures}, against {baseline}"
    if not choice.tied and not choice.rivals:
        among = " among the arms shown to satisfy the constraints" if _constrained(choice) else ""
        return f"the best {label}{among}, {figures}, against {baseline}."
    if choice.tied and choice.tie_breaker:
        said += (
            f"; {listed(choice.tied)} {'is' if len(choice.tied) == 1 else 'are'} equivalent there, and {choice.arm} "
            f"has the best mean {_label(choice.tie_breaker)} of them"
        )
    if choice.rivals:
        said += f"; {listed(choice.rivals)} may be better still: {further(choice.further, 'the choice')}"
    return f"{said}."


def _passed_over(choice: Choice) -> str:
    """What staying on the baseline gives up: the best arm there, and which constraint keeps it out."""
    if choice.passed_over is None or choice.passed_over.ratio is None:
        return ""
    arm, figures = choice.passed_over.candidate, quantities.effect(choice.passed_over.ratio)
    checks = [one for check in choice.checks if check.arm == arm for one in check.checks]
    for state, verb in ((State.VIOLATED, "violates"), (State.UNDECIDED, "is not shown to satisfy")):
        if bounds := [bound(one) for one in checks if one.state is state]:
            return f"{arm} is better there ({figures}), but {verb} {listed(bounds)}."
    return ""


def reasons(choice: Choice) -> tuple[str, ...]:
    """What stands beside the sentence: who was left out and why, what it costs."""
    found = [f"Not eligible: {failing(check)}." for check in choice.checks if check.state is not State.SATISFIED]
    if choice.costs is not None:
        found += cost(choice.costs)
    return tuple(found)


def cost(costs: Costs) -> list[str]:
    """The cheapest arm under the given prices, and where that would change."""
    if costs.cheapest is None:
        return []
    prices = costs.prices
    arm = next(one for one in costs.arms if one.arm == costs.cheapest)
    ratio = "" if arm.ratio is None else f"{quantities.effect(arm.ratio)}, against the baseline; "
    monthly = f"{prices.currency} {quantities.estimate(arm.monthly)}"
    found = [
        f"At the prices of {prices.dated}, {arm.arm} is the eligible arm with the lowest mean cost: {ratio}{monthly}."
    ]
    for flip in costs.flips:
        at = flip.price_ratio
        interval = ""
        if at.low is not None and at.high is not None:
            interval = f" [{quantities.number(at.low)}, {quantities.number(at.high)}]"
        limit, now = quantities.number(at.value), quantities.number(costs.price_ratio)
        side = "more" if flip.side == "above" else "less"
        found.append(
            f"{flip.arm} would be cheaper if a GB-month cost {side} than {limit}{interval} times the price of an "
            f"instance hour (now {now})."
        )
    return found


def _label(key: str) -> str:
    """A metric's label; a constraint may name a metric that does not exist."""
    try:
        return metric(key).label
    except ValueError:
        return key
