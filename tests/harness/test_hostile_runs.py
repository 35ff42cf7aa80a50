"""A run's folder that another made: each of its files is read within bounds, or refused in one message."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from analysis.gate.sides import side
from harness.cli.outcome import blocks_wanted, decide_run, read_run
from harness.errors import InputError
from harness.ledger.facts import read_campaign
from harness.ledger.ledger import HOST_FILE, SPEC_FILE, STATE_FILE, VERSIONS_FILE, Ledger
from harness.ledger.run_json import read_hosts, read_manifest, read_versions
from harness.ledger.runs import open_run
from harness.run.canary_book import FILE as CANARIES
from harness.run.canary_book import read_canaries
from tests.analysis.synthetic import SNAPPY, ZSTD, campaign
from tests.campaigns import small
from tests.harness.commands import harness
from tests.reports.sample import HOST

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TRIAL = "*/trial.json"


@pytest.fixture
def run(tmp_path: Path) -> Ledger:
    """Two arms, two blocks."""
    arms = {"snappy": {"block_compressor": "snappy"}, "zstd-6": {"block_compressor": "zstd", "zstd_level": 6}}
    spec = small(tmp_path / "spec.yaml", 27997, arms=arms, blocks=2).read_text(encoding="utf-8")
    ledger = open_run(tmp_path, "small", spec, "20260101T000000Z", anew=True)
    for record in campaign(arms=(SNAPPY, ZSTD), blocks=2):
        ledger.commit(record, ledger.workspace(record.trial))
    return ledger


def trial(ledger: Ledger) -> Path:
    return sorted(ledger.trials_folder.glob(TRIAL))[0]


def edit(path: Path, *at: str | int, to: Any) -> None:
    """Replace what the file says at a place."""
    whole = found = json.loads(path.read_bytes())
    for key in at[:-1]:
        found = found[key]
    found[at[-1]] = to
    path.write_text(json.dumps(whole), encoding="utf-8")


def refusal(ledger: Ledger) -> str:
    """What every command says of the run."""
    with pytest.raises(InputError) as caught:
        decide_run(ledger, read_campaign(ledger))
    with pytest.raises(InputError, match="small") as again:
        read_run(ledger, read_campaign(ledger))
    assert again.value.what == caught.value.what
    return caught.value.what


def test_the_run_is_decided_as_it_is(run: Ledger) -> None:
    assert decide_run(run, read_campaign(run)).recommendations


ENDLESS = float("inf")


@pytest.mark.parametrize(
    ("at", "to"),
    [
        (("block",), 2_000_000_000),
        (("index",), 10**30),
        (("attempt",), 0),
        (("seed",), 10**40),
        (("cell", "arm"), "a\nb"),
        (("cell", "arm"), "../zstd"),
        (("cell", "engine"), "x" * 41),
        (("cell", "platform"), "<script>"),
        (("trial",), "../../elsewhere"),
        (("trial",), {"a": 1}),
        (("steps_s",), {"start": 1.0}),
        (("steps_s", "total"), ENDLESS),
        (("expected_ratio",), 0),
        (("expected_ratio",), 1e-300),
        (("asked", "cache_size_bytes"), 2**70),
        (("phases", 0, "throughput_per_s"), ENDLESS),
        (("phases", 0, "throughput_per_s"), float("nan")),
        (("phases", 0, "throughput_per_s"), 1e300),
        (("phases", 0, "started_at_s"), 1e300),
        (("phases", 0, "series_per_s"), [1.0] * 700_000),
        (("phases", 0, "counters"), {"cache_used": ENDLESS}),
        (("phases", 0, "counters"), {str(number): 1.0 for number in range(1000)}),
        (("phases", 0, "statuses"), {"INSERT": {"a\x1b[2J": 1}}),
        (("phases", 0, "latencies", 0, "p99_us"), ENDLESS),
        (("phases", 0, "latencies", 0, "histogram"), "HISTFAAA"),
        (("phases", 0, "latencies", 0, "histogram"), "x" * 2**21),
        (("artefacts",), [{"path": "/etc/passwd", "size_bytes": 1, "blake3": "0" * 64}]),
        (("artefacts",), [{"path": "a", "size_bytes": -1, "blake3": "0" * 64}]),
        (("void",), [{"code": "x" * 300, "message": "y"}]),
    ],
)
def test_a_record_beyond_all_bounds_is_refused(run: Ledger, at: tuple[str | int, ...], to: Any) -> None:
    edit(trial(run), *at, to=to)
    told = refusal(run)
    assert str(trial(run)) in told
    assert len(told) < 1000


def test_a_block_beyond_the_campaigns_is_refused_before_anything_is_planned(run: Ledger) -> None:
    edit(trial(run), "block", to=999)
    told = refusal(run)
    assert "is of block 1000; small has 2 at most" in told
    with pytest.raises(InputError, match="block 1000"):
        blocks_wanted(read_campaign(run), run.records())


def test_a_trial_that_is_there_twice_counts_once(run: Ledger) -> None:
    before = decide_run(run, read_campaign(run))
    shutil.copytree(trial(run).parent, run.trials_folder / "9999-copy")
    assert decide_run(run, read_campaign(run)) == before


def test_what_is_next_to_nothing_is_nothing(run: Ledger) -> None:
    edit(trial(run), "phases", 0, "measured_s", to=1e-300)
    assert run.records()[0].phases[0].measured_s == 0
    assert side("small", "r", run.records(), decide_run(run, read_campaign(run)), {}).figures


def test_a_message_is_cut_and_not_refused(run: Ledger) -> None:
    edit(trial(run), "void", to=[{"code": "engine-failed", "message": "x" * 200_000}])
    (void,) = run.records()[0].void
    assert len(void.message) == 20_000
    assert void.message.endswith("x …")


@pytest.mark.parametrize(
    "state",
    [
        {"platforms": [f"p{number}" for number in range(300_000)]},
        {"platforms": []},
        {"platforms": {"a": 1}},
        {"platforms": ["a b"]},
        {"campaign": {"a": 1}},
        {"command": ["rm"]},
        {"command": "x" * 20_000},
        {"rates": {"sentences": {"rmw": ENDLESS}}},
        {"rates": {"sentences": 5}},
        {"finished": {"a": 1}},
        [],
        "x",
    ],
)
def test_what_a_run_keeps_of_itself_is_of_the_right_types_or_refused(run: Ledger, state: Any) -> None:
    (run.folder / STATE_FILE).write_text(json.dumps(state), encoding="utf-8")
    with pytest.raises(InputError, match=r"run\.json: not the state of a run"):
        read_run(run, read_campaign(run))


def test_a_later_versions_facts_stay_in_the_runs_state(run: Ledger) -> None:
    edit(run.folder / STATE_FILE, "colour", to="green")
    run.finish()
    assert json.loads((run.folder / STATE_FILE).read_bytes())["colour"] == "green"


@pytest.mark.parametrize(
    "survey",
    [
        {"cpu_model": {"a": 1}},
        {"load_average": []},
        {"load_average": "0.1"},
        {"kernel": 6},
        {"cores_allowed": "two"},
        {"data": {"mount_options": 5}},
        {"data": {"readahead_bytes": ENDLESS}},
        {"data": 5},
        {"swap_total_bytes": 10**30},
        {"colour": {"a": [ENDLESS]}},
        [],
    ],
)
def test_a_host_whose_facts_are_of_other_types_says_nothing(run: Ledger, survey: Any) -> None:
    (run.folder / HOST_FILE).write_text(json.dumps({"localhost": survey}), encoding="utf-8")
    assert read_hosts(run.folder) == {}


def test_facts_that_nobody_judges_are_handed_on(run: Ledger) -> None:
    survey = HOST | {"colour": {"a": [1, 2.5, None, "b"]}}
    run.keep(HOST_FILE, {"localhost": survey})
    assert read_hosts(run.folder) == {"localhost": survey}


def test_versions_and_manifests_of_other_types_say_nothing(run: Ledger) -> None:
    run.keep(VERSIONS_FILE, {"Pressgauge": {"a": 1}})
    (run.folder / "dataset-sentences.json").write_text('{"bytes": 1e999}', encoding="utf-8")
    assert read_versions(run.folder) == {}
    assert read_manifest(run.folder, "sentences") == {}


def pipe(path: Path) -> None:
    os.mkfifo(path)


def link(path: Path) -> None:
    path.symlink_to(path.rename(path.with_name("moved")))


def folder(path: Path) -> None:
    path.mkdir()


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("kind", [pipe, link, folder, device])
@pytest.mark.parametrize("name", [TRIAL, STATE_FILE, CANARIES, SPEC_FILE])
def test_no_link_pipe_folder_or_device_is_read(run: Ledger, name: str, kind: Callable[[Path], None]) -> None:
    path = trial(run) if name == TRIAL else run.folder / name
    path.touch()
    if kind is not link:
        path.unlink()
    kind(path)
    with pytest.raises(InputError, match=r"a link|not a regular file"):
        read_run(run, read_campaign(run))


@pytest.mark.parametrize("kind", [pipe, link, folder, device])
def test_what_says_nothing_where_it_is_damaged_says_nothing_there(run: Ledger, kind: Callable[[Path], None]) -> None:
    run.keep(HOST_FILE, {"localhost": HOST})
    if kind is not link:
        (run.folder / HOST_FILE).unlink()
    kind(run.folder / HOST_FILE)
    assert read_hosts(run.folder) == {}


def test_a_trials_folder_that_is_a_link_is_not_followed(run: Ledger, tmp_path: Path) -> None:
    link(trial(run).parent)
    with pytest.raises(InputError, match="its folder is a link"):
        run.records()


def test_a_runs_own_latest_link_stays_allowed(run: Ledger) -> None:
    latest = Ledger(run.folder.parent / "latest")
    assert len(latest.records()) == 4
    assert read_canaries(latest.folder) == []


def test_a_command_ends_with_2_and_no_traceback(run: Ledger) -> None:
    trial(run).unlink()
    pipe(sorted(run.trials_folder.iterdir())[0] / "trial.json")
    ran = harness("decide", run.folder)
    assert ran.code == 2, ran.err
    assert "not a regular file" in ran.err
    assert "Traceback" not in ran.err
