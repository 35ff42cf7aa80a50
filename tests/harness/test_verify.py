"""`verify` sees whatever was changed in a finished run, and names what it can't prove."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from harness.cli.gating import read_side
from harness.cli.outcome import report_faults, write_outcome
from harness.errors import InputError
from harness.evidence.trial import CONTEXT_FILE
from harness.evidence.verify import evidence_faults, folder_faults
from harness.ledger.artefacts import RECORD_FILE, list_artefacts
from harness.ledger.digests import FILE, Entry
from harness.ledger.facts import read_campaign
from harness.ledger.ledger import DECISION_FILE, HOST_FILE, SPEC_FILE, STATE_FILE, VERSIONS_FILE, Ledger
from tests.harness.commands import harness
from tests.harness.recorded_trial import recorded_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Tamper = Callable[[Ledger], object]

FIRST, SECOND = "trials/0001-1-snappy", "trials/0002-2-snappy"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Ledger:
    return recorded_run(tmp_path_factory.mktemp("results"))


@pytest.fixture
def run(whole: Ledger, tmp_path: Path) -> Ledger:
    """A run of one's own to tamper with."""
    return Ledger(shutil.copytree(whole.folder, tmp_path / "twice/20260101T000000Z"))


def every_fault(run: Ledger) -> list[str]:
    return [*evidence_faults(run), *report_faults(run)]


def test_a_whole_run_has_no_faults(run: Ledger) -> None:
    assert every_fault(run) == []
    write_outcome(run, read_campaign(run))
    assert every_fault(run) == []


def test_a_run_needs_no_file_outside_its_folder(tmp_path: Path) -> None:
    rmw = {"mix": "gone", "threads": 2, "warmup_s": 0, "measure_s": None, "operations": 2000}
    run = recorded_run(tmp_path, workloads={"rmw": rmw})
    for command in ("report", "decide", "verify"):
        ran = harness(command, run.folder)
        assert ran.code == 0, ran.out + ran.err
    assert read_side(run.folder).facts["mix.rmw.requestdistribution"] == "uniform"


# --- tampers ------------------------------------------------------------------------------------------------------


def flipped(name: str) -> Tamper:
    def tamper(run: Ledger) -> None:
        content = bytearray((run.folder / name).read_bytes())
        content[len(content) // 2] ^= 1
        (run.folder / name).write_bytes(content)

    return tamper


def linked(name: str) -> Tamper:
    """The same content behind a link."""

    def tamper(run: Ledger) -> None:
        away = run.folder.parent / "away"
        (run.folder / name).rename(away)
        (run.folder / name).symlink_to(away)

    return tamper


def removed(name: str) -> Tamper:
    return lambda run: (run.folder / name).unlink()


def added(name: str) -> Tamper:
    return lambda run: (run.folder / name).write_text("{}")


def edited(name: str, at: str, value: object, *, signed: bool) -> Tamper:
    """A value of a JSON file, `at` its path of keys; `signed` with digests that fit."""

    def tamper(run: Ledger) -> None:
        document = json.loads((run.folder / name).read_text())
        *path, last = [int(part) if part.isdigit() else part for part in at.split("/")]
        place: Any = document
        for part in path:
            place = place[part]
        assert place[last] != value
        place[last] = value
        write_signed(run, name, document) if signed else (run.folder / name).write_text(json.dumps(document))

    return tamper


def write_signed(run: Ledger, name: str, document: object) -> None:
    text = json.dumps(document)
    (run.folder / name).write_text(text)
    run.digests.append([Entry.of(name, text.encode())])


def sign(run: Ledger, trial: str) -> None:
    """Let a trial's record list what its folder holds, and the digests the record."""
    record = json.loads((run.folder / trial / RECORD_FILE).read_text())
    record["artefacts"] = [one.model_dump() for one in list_artefacts(run.folder / trial)]
    write_signed(run, f"{trial}/{RECORD_FILE}", record)


def without_trial(run: Ledger, *, signed: bool) -> None:
    shutil.rmtree(run.folder / SECOND)
    if signed:
        run.digests.append([Entry(path=f"{SECOND}/{RECORD_FILE}", size_bytes=0, blake3=None)])


def with_trial(run: Ledger, name: str, *, signed: bool, **changes: object) -> None:
    """One trial more: a copy of the first under another name."""
    shutil.copytree(run.folder / FIRST, run.folder / "trials" / name)
    path = f"trials/{name}/{RECORD_FILE}"
    record = json.loads((run.folder / path).read_text()) | {"trial": name} | changes
    write_signed(run, path, record) if signed else (run.folder / path).write_text(json.dumps(record))


def swapped(run: Ledger) -> None:
    """Two trials' folders in each other's place."""
    away = run.folder / "away"
    (run.folder / FIRST).rename(away)
    (run.folder / SECOND).rename(run.folder / FIRST)
    away.rename(run.folder / SECOND)


def other_evidence(run: Ledger) -> None:
    """A histogram of half its intervals, signed: the record still has the figures of the whole one."""
    path = run.folder / FIRST / "rmw.READ-MODIFY-WRITE.hdr"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    sign(run, FIRST)


def beside_packed(run: Ledger) -> None:
    """A plain file beside the packed one, which readers take first."""
    packed = next((run.folder / FIRST).rglob("*.zst"))
    packed.with_suffix("").write_text("{}")


RECORD = f"{FIRST}/{RECORD_FILE}"
FIGURES: dict[str, object] = {
    "phases/1/throughput_per_s": 99999.0,
    "phases/1/measured_operations": 1,
    "phases/1/latencies/0/p99_us": 1.0,
    "phases/1/cost/mongod_cpu_s": 0.001,
    "phases/1/failed": 3,
    "sizes/0/storage_size_bytes": 4096,
    "sizes/1/data_size_bytes": 4096,
    "in_force/block_compressor": "zstd",
    "verification/missing": 7,
    "void": [{"code": "operations-failed", "message": "made up"}],
    "flags": [{"code": "not-steady", "message": "made up"}],
    "cell/arm": "zstd",
    "block": 1,
    "index": 1,
    "attempt": 2,
    "seed": 99,
    "started_at": "2025-01-01T00:00:00+00:00",
    "expected_ratio": 9.9,
}
TAMPERS: dict[str, Tamper] = {
    **{f"{name} changed": flipped(name) for name in (SPEC_FILE, STATE_FILE, HOST_FILE, VERSIONS_FILE, RECORD)},
    **{f"{name} removed": removed(name) for name in (STATE_FILE, HOST_FILE, VERSIONS_FILE, RECORD)},
    **{f"{name} a link": linked(name) for name in (SPEC_FILE, HOST_FILE, RECORD, f"{FIRST}/stop.json")},
    **{f"{at} edited": edited(RECORD, at, value, signed=False) for at, value in FIGURES.items()},
    **{f"{at} edited and signed": edited(RECORD, at, value, signed=True) for at, value in FIGURES.items()},
    "the seed of the spec changed and signed": lambda run: run.write(
        SPEC_FILE, (run.folder / SPEC_FILE).read_text().replace("seed: 1\n", "seed: 2\n")
    ),
    "the finished mark removed": edited(STATE_FILE, "finished", False, signed=False),
    "a file added to the run": added("dataset-words.json"),
    "a file added to a trial": added(f"{FIRST}/failure.json"),
    "a plain file beside its packed form": beside_packed,
    **{
        f"{name} of a trial changed": flipped(f"{FIRST}/{name}")
        for name in (
            "rmw.READ-MODIFY-WRITE.hdr",
            "load.INSERT.hdr",
            CONTEXT_FILE,
            "snapshot.loaded.json.zst",
            "stop.json",
        )
    },
    "a histogram of a trial removed": removed(f"{FIRST}/rmw.READ.hdr"),
    "a histogram cut and signed": other_evidence,
    "a trial removed": lambda run: without_trial(run, signed=False),
    "a trial removed and signed": lambda run: without_trial(run, signed=True),
    "a trial added": lambda run: with_trial(run, "0000-1-snappy", signed=False),
    "a trial added and signed": lambda run: with_trial(run, "0000-1-snappy", signed=True),
    "a trial counted twice, signed": lambda run: with_trial(run, "0001-1-snappy-attempt2", signed=True, attempt=2),
    "a trial beyond the plan, signed": lambda run: with_trial(run, "0003-3-snappy", signed=True, index=2, block=2),
    "a trial of block 2,000,000,000": edited(RECORD, "block", 2_000_000_000, signed=True),
    "two trials in each other's place": swapped,
    "the digests removed": removed(FILE),
    "the digests emptied": lambda run: (run.folder / FILE).write_text(""),
    "a digest line removed": lambda run: (run.folder / FILE).write_text(
        "".join(line for line in (run.folder / FILE).read_text().splitlines(keepends=True) if FIRST not in line)
    ),
    "the decision edited": edited(DECISION_FILE, "question", "another", signed=False),
    "the decision edited and signed": edited(DECISION_FILE, "baseline", "zstd", signed=True),
    "the page edited": flipped("report/index.html"),
    "a figure removed": removed("report/metrics.csv"),
    "a file added to the report": added("report/figures/winner.svg"),
}


@pytest.mark.parametrize("tamper", TAMPERS.values(), ids=TAMPERS.keys())
def test_a_tamper_is_seen(run: Ledger, tamper: Tamper) -> None:
    tamper(run)
    assert every_fault(run) != []


def test_what_was_changed_is_named(run: Ledger) -> None:
    edited(RECORD, "phases/1/throughput_per_s", 99999.0, signed=True)(run)
    (fault, *_) = evidence_faults(run)
    assert "phases.1.throughput_per_s: 99999.0 recorded, " in fault
    flipped(f"{SECOND}/rmw.READ.hdr")(run)
    assert f"{run.folder / SECOND}/rmw.READ.hdr: its content changed since it was recorded" in every_fault(run)


def test_beyond_proof_but_for_the_fingerprint(run: Ledger) -> None:
    """Evidence, what is kept beside it, record and digests changed to fit: only who noted the fingerprint sees it."""
    noted = run.fingerprint()
    (run.folder / FIRST / "mongod.log").write_text("nothing happened")
    next((run.folder / FIRST).glob("mongod.log.zst")).unlink(missing_ok=True)
    sign(run, FIRST)
    assert list(evidence_faults(run)) == []
    assert run.fingerprint() != noted
    assert harness("verify", run.folder, "--fingerprint", run.fingerprint()).code == 0
    told = harness("verify", run.folder, "--fingerprint", noted)
    assert told.code == 1
    assert f"not {noted}" in told.out


def test_the_fingerprint_is_of_the_evidence_alone(run: Ledger) -> None:
    noted = run.fingerprint()
    (run.report_folder / "index.html").write_text("another template")
    run.record_report()
    assert run.fingerprint() == noted


def test_the_report_says_so_and_the_gate_refuses(run: Ledger) -> None:
    edited(RECORD, "phases/1/throughput_per_s", 99999.0, signed=True)(run)
    write_outcome(run, read_campaign(run))
    assert "This run does not verify: one thing is not as recorded" in (run.report_folder / "index.html").read_text()
    with pytest.raises(InputError, match=r"not as it was recorded: .*throughput_per_s"):
        read_side(run.folder)


@pytest.mark.parametrize("name", [HOST_FILE, RECORD, f"{FIRST}/{CONTEXT_FILE}", "trials"])
def test_a_pipe_hangs_nothing(run: Ledger, name: str) -> None:
    shutil.rmtree(run.folder / name) if name == "trials" else (run.folder / name).unlink()
    os.mkfifo(run.folder / name)
    assert every_fault(run) != []


# --- runs that were killed ----------------------------------------------------------------------------------------


def unfinished(run: Ledger) -> None:
    state = run.state()
    run.write(STATE_FILE, json.dumps({key: value for key, value in state.items() if key != "finished"}))


def test_killed_between_announcement_and_appearance(run: Ledger) -> None:
    """A trial whose record is announced appears when the run goes on; the state before it is no fault."""
    unfinished(run)
    (run.folder / SECOND).rename(run.folder / "trials/.0002-2-snappy.partial")
    content = (run.folder / "trials/.0002-2-snappy.partial" / RECORD_FILE).read_bytes()
    lines = (run.folder / FILE).read_text().splitlines(keepends=True)
    (run.folder / FILE).write_text("".join(line for line in lines if SECOND not in line))
    run.digests.append([Entry.of(f"{SECOND}/{RECORD_FILE}", content)])
    assert list(folder_faults(run)) == []
    run.sweep()
    assert (run.folder / SECOND / RECORD_FILE).read_bytes() == content
    assert list(folder_faults(run)) == []


def test_killed_between_announcement_and_change(run: Ledger) -> None:
    unfinished(run)
    run.digests.append([Entry.of(STATE_FILE, b"what it was to become")])
    assert list(folder_faults(run)) == []
    run.sweep()
    run.keep_rates({})
    assert list(folder_faults(run)) == []


def test_killed_before_its_report_was_rendered(run: Ledger) -> None:
    unfinished(run)
    run.digests.append([Entry.of("report/trials.parquet", b"what it was to become")])
    shutil.rmtree(run.folder / "report")
    assert list(folder_faults(run)) == []


def test_a_loss_of_power_tears_the_last_line(run: Ledger) -> None:
    unfinished(run)
    with (run.folder / FILE).open("ab") as file:
        file.write(b'{"path":"datas')
    assert list(folder_faults(run)) == []
    run.write("dataset-words.json", "{}")
    assert list(folder_faults(run)) == []
