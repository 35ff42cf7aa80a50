"""A phase's evidence, from recordings of real clients."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from analysis.trial.validity import caveats, phase_faults
from harness.evidence.client_part import read_part
from harness.evidence.phase import read_phase
from harness.plan.load.warming import WarmUp
from workloads.errors import YcsbOutputError

RECORDED = Path(__file__).parent / "recorded"
"""80,050 documents in batches of 100, by 4 threads on 2 cores."""
SNAPSHOT: dict[str, Any] = {"counters_after_checkpoint": {"process": {}}}


CLIENT: Any = SimpleNamespace(threads=4, target_per_s=None)


def batched(folder: Path = RECORDED, warmup_s: float = 0, **warm: int) -> Any:
    asked = WarmUp(seconds=warmup_s, **warm)
    return read_phase({"one": folder}, "load", CLIENT, asked, {}, SNAPSHOT, SNAPSHOT).phase


def test_a_batched_load_is_timed_by_its_bulk_writes_and_counted_by_documents() -> None:
    phase = batched()
    assert phase.operation == "FLUSH"
    assert [(one.operation, one.count) for one in phase.latencies] == [("FLUSH", 804)]
    assert phase.measured_operations == phase.acknowledged == 80_050
    assert phase.throughput_per_s == pytest.approx(80_050 / phase.measured_s)
    assert sum(phase.series_per_s) > 80_050 / 2


def test_each_second_has_the_tail_of_what_the_phase_is_judged_by() -> None:
    phase = batched()
    assert len(phase.p99_series_us) == len(phase.series_per_s)
    (bulk_writes,) = phase.latencies
    assert max(one for one in phase.p99_series_us if one) <= bulk_writes.max_us
    assert min(one for one in phase.p99_series_us if one) > bulk_writes.p50_us / 2
    assert phase.latencies[0].p99_us <= max(one for one in phase.p99_series_us if one)


def test_the_warm_up_of_a_batched_load_is_left_out_by_whole_intervals() -> None:
    phase = batched(warmup_s=0.5)
    assert 20_000 < phase.measured_operations < 60_000
    assert phase.latencies[0].count == pytest.approx(phase.measured_operations / 100, abs=8)  # 2 batches a thread


@pytest.mark.parametrize(("warmup_s", "flagged"), [(0, False), (0.5, False), (60, True)])
def test_a_warm_up_that_could_not_be_left_out_is_flagged(warmup_s: float, flagged: bool) -> None:  # noqa: FBT001
    phase = batched(warmup_s=warmup_s)
    flags = list(caveats([phase], [], None, {"load": (warmup_s, 0)}))
    assert [one.code for one in flags] == (["warm-up-kept"] if flagged else [])
    for one in flags:
        assert f"its warm-up of {warmup_s} s" in one.message
        assert "ask for more documents, or for a shorter warm-up" in one.message


def test_the_window_begins_when_seconds_and_operations_are_past() -> None:
    whole, late = batched(), batched(operations=10_000)
    assert (whole.warmup_operations, whole.warmup_s) == (0, 0)
    assert late.warmup_operations >= 10_000
    assert late.warmup_s > 0
    assert batched(warmup_s=0.5, operations=100).measured_operations == batched(warmup_s=0.5).measured_operations


@pytest.mark.parametrize(("measured_s", "all_of_it"), [(0.02, True), (0.5, False)])
def test_a_phase_that_was_over_as_soon_as_it_was_measured_is_measured_whole(
    tmp_path: Path,
    measured_s: float,
    all_of_it: bool,  # noqa: FBT001
) -> None:
    shutil.copytree(RECORDED, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "load.client.json"
    account = json.loads(path.read_bytes())
    part = read_part("one", RECORDED, "load")
    ends = max(interval.end_s for log in part.logs.values() for interval in log.intervals)
    account["turns"] = [{"opened_s": part.began, "measured_s": ends - measured_s, "closed_s": ends}]
    path.write_text(json.dumps(account))
    assert (batched(tmp_path).measured_operations == 80_050) == all_of_it


@pytest.mark.parametrize(("until_s", "all_of_it"), [(0.4, True), (1.2, False), (60, True)])
def test_a_window_ends_when_the_first_thread_does(tmp_path: Path, until_s: float, all_of_it: bool) -> None:  # noqa: FBT001
    shutil.copytree(RECORDED, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "load.client.json"
    account = json.loads(path.read_bytes())
    account["all_until_s"] = read_part("one", RECORDED, "load").began + until_s
    path.write_text(json.dumps(account))
    phase = batched(tmp_path)
    assert (phase.measured_operations == 80_050) == all_of_it
    assert phase.acknowledged == 80_050
    if not all_of_it:
        assert phase.measured_s <= until_s
        assert len(phase.series_per_s) < len(batched().series_per_s)


@pytest.mark.parametrize(("wanted", "flagged"), [(10_000, False), (300_000, True)])
def test_a_window_that_began_before_the_client_was_warm_is_flagged(wanted: int, flagged: bool) -> None:  # noqa: FBT001
    phase = batched(operations=10_000)
    flags = list(caveats([phase], [], None, {"load": (0, wanted)}))
    assert [one.code for one in flags] == (["warm-up-short"] if flagged else [])


def test_documents_a_bulk_write_did_not_store_count_once(tmp_path: Path) -> None:
    shutil.copytree(RECORDED, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "load.client.json"
    account = json.loads(path.read_bytes())
    account["operations"]["FLUSH"] |= {"ok": 79_950, "by_status": {"OK": 79_950, "CONNECTION_LOST": 100}}
    account["operations"]["INSERT"] |= {"ok": 80_049, "by_status": {"BATCHED_OK": 80_049, "CONNECTION_LOST": 1}}
    path.write_text(json.dumps(account))
    phase = batched(tmp_path)
    assert (phase.acknowledged, phase.failed) == (79_950, 100)


def test_the_cpu_share_is_of_the_cores_that_threads_can_use() -> None:
    account = json.loads((RECORDED / "load.client.json").read_bytes())
    (began, _, cpu_s, _), *_, (ended, _, all_cpu_s, _) = account["samples"]
    share = batched().client_cpu_share
    assert account["cores"] == 2
    assert share == pytest.approx((all_cpu_s - cpu_s) / (ended - began) / 2, rel=0.5)
    assert 0 < share < 1


def test_the_cpu_share_is_of_what_a_control_group_allows(tmp_path: Path) -> None:
    shutil.copytree(RECORDED, tmp_path, dirs_exist_ok=True)
    (tmp_path / "load.process.json").write_text(json.dumps({"cpu_limit": 0.5}))
    whole, limited = batched().client_cpu_share, batched(tmp_path).client_cpu_share
    assert limited == pytest.approx(whole * 2 / 0.5)


def shifted(folder: Path, to: Path, by_s: float) -> Path:
    """The recording of another client that did the same so many seconds later."""
    shutil.copytree(folder, to)
    for log in to.glob("load.*.hdr"):
        moved_on(log, by_s)
    return to


def moved_on(log: Path, by_s: float) -> None:
    """Let a series tick so much later than it did."""
    lines = log.read_bytes().split(b"\n")
    at = next(number for number, line in enumerate(lines) if line.startswith(b"#[StartTime: "))
    began = float(lines[at].split()[1])
    lines[at] = lines[at].replace(f"{began:.3f}".encode(), f"{began + by_s:.3f}".encode())
    log.write_bytes(b"\n".join(lines))


def test_the_files_of_a_workload_whose_name_goes_on_are_another_phases(tmp_path: Path) -> None:
    for log in shifted(RECORDED, tmp_path / "earlier", -100.0).glob("load.*.hdr"):
        log.rename(log.with_name(log.name.replace("load.", "load.b.")))
    shutil.copytree(RECORDED, tmp_path / "earlier", dirs_exist_ok=True)
    assert batched(tmp_path / "earlier") == batched()


def two(second: Path, warmup_s: float = 0) -> Any:
    asked = WarmUp(seconds=warmup_s)
    return read_phase({"one": RECORDED, "two": second}, "load", CLIENT, asked, {}, SNAPSHOT, SNAPSHOT).phase


def test_two_clients_that_did_the_same_did_twice_as_much(tmp_path: Path) -> None:
    alone, both = batched(), two(shifted(RECORDED, tmp_path / "two", 0))
    assert both.acknowledged == 2 * alone.acknowledged
    assert both.measured_operations == 2 * alone.measured_operations
    assert both.throughput_per_s == pytest.approx(2 * alone.throughput_per_s)
    assert both.measured_s == pytest.approx(alone.measured_s, abs=0.01)
    assert both.start_skew_s == 0
    assert [client.name for client in both.clients] == ["one", "two"]
    (latency,), (merged,) = alone.latencies, both.latencies
    assert merged.count == 2 * latency.count
    assert (merged.p50_us, merged.p999_us, merged.max_us) == (latency.p50_us, latency.p999_us, latency.max_us)
    assert both.cost.client_cpu_s == pytest.approx(2 * alone.cost.client_cpu_s)
    assert both.client_cpu_share is not None


def test_a_client_that_began_later_is_measured_while_both_work(tmp_path: Path) -> None:
    alone = batched()
    late = two(shifted(RECORDED, tmp_path / "two", 1.0))
    assert late.start_skew_s == pytest.approx(1.0, abs=0.01)
    assert late.acknowledged == 2 * alone.acknowledged
    assert late.measured_operations < 2 * alone.measured_operations
    assert late.throughput_per_s == pytest.approx(2 * alone.throughput_per_s, rel=0.5)


def test_clients_that_never_worked_together_are_measured_over_all(tmp_path: Path) -> None:
    apart = two(shifted(RECORDED, tmp_path / "two", 100))
    assert apart.measured_operations == apart.acknowledged == 160_100
    assert apart.measured_s > 100


def test_a_client_without_an_account_is_a_fault(tmp_path: Path) -> None:
    second = shifted(RECORDED, tmp_path / "two", 0)
    (second / "load.client.json").unlink()
    with pytest.raises(YcsbOutputError, match="did not end by itself"):
        two(second)


def test_a_stall_is_a_failed_link_only_where_packets_stayed_unanswered(tmp_path: Path) -> None:
    second = shifted(RECORDED, tmp_path / "two", 0)
    path = second / "load.client.json"
    account = json.loads(path.read_bytes())
    last = account["samples"][-1]
    account["samples"].append([last[0] + 10, last[1] + 1, last[2], last[3]])
    path.write_text(json.dumps(account))
    assert list(phase_faults(two(second), 0)) == []
    (second / "network.load.json").write_text(json.dumps({"retransmitted_segments": 9, "retransmission_timeouts": 7}))
    (fault,) = phase_faults(two(second), 0)
    assert fault.code == "link-failed"
    assert "two had no answer for 10" in fault.message


def test_a_bound_between_two_series_ticks_drops_no_second_of_either(tmp_path: Path) -> None:
    """Inserts tick first at 614.718 s, bulk writes at 614.720 s, and the other client begins in between."""
    second = shifted(RECORDED, tmp_path / "two", 614.719 - 614.637)
    (flushes,) = two(second).latencies
    assert flushes.count * 100 == pytest.approx(two(second).measured_operations, abs=2 * 4 * 100)  # a batch a thread


def test_a_clients_series_are_cut_at_one_moment() -> None:
    logs = read_part("one", RECORDED, "load").logs
    of_inserts, of_writes = ([(i.start_s, i.end_s) for i in logs[name].intervals] for name in ("INSERT", "FLUSH"))
    assert of_inserts == of_writes


@pytest.mark.parametrize(("read", "parts"), [("FIND", 3), ("READ", 1)])
def test_a_read_modify_write_holds_a_read_and_an_update_where_it_times_them(
    tmp_path: Path, read: str, parts: int
) -> None:
    """A mix of one's own has no operation called READ: its updates are none of its read-modify-writes."""
    operations = (read, "READ-MODIFY-WRITE", "UPDATE")
    recorded = (RECORDED / "load.INSERT.hdr").read_bytes()
    for name in operations:
        (tmp_path / f"mix.{name}.hdr").write_bytes(recorded.replace(b"for: INSERT]", f"for: {name}]".encode()))
    account = json.loads((RECORDED / "load.client.json").read_bytes())
    account["operations"] = dict.fromkeys(operations, account["operations"]["INSERT"])
    (tmp_path / "mix.client.json").write_text(json.dumps(account))
    phase = read_phase({"one": tmp_path}, "mix", CLIENT, WarmUp(seconds=0), {}, SNAPSHOT, SNAPSHOT).phase
    assert phase.measured_operations == parts * 80_050
    assert phase.operation == ("READ-MODIFY-WRITE" if read == "READ" else "+".join(operations))
