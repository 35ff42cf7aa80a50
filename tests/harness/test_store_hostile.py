"""What others put into a results store, or into a run's folder, harms nothing here."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest
import zstandard

from harness.addons.s3.index import index_store
from harness.addons.s3.manifest import MANIFEST, MOST_BYTES, Codec, Manifest, StoredFile
from harness.addons.s3.pull import pull
from harness.addons.s3.push import push
from harness.addons.s3.streams import digest_of
from harness.errors import HostError, InputError
from harness.ledger.ledger import DECISION_FILE, HOST_FILE, LATEST, SPEC_FILE, Ledger
from tests.harness.commands import harness
from tests.harness.factory import keep_run
from tests.harness.stored_runs import RUN, content

if TYPE_CHECKING:
    from pathlib import Path

    from harness.addons.s3.bucket import Bucket
    from tests.harness.aws_server import Aws

LOG = "trials/000-0-snappy/mongod.log"


def put_run(store: Bucket, campaign: str, run_id: str, *files: tuple[str, bytes, dict[str, Any]]) -> None:
    """A run as anybody may write it into a store: of each file the path, the content, and what its manifest claims."""
    claimed = []
    for path, body, claims in files:
        store.put(f"{campaign}/{run_id}/{path}.zst", zstandard.compress(body))
        facts = {"path": path, "size_bytes": len(body), "blake3": "0" * 64, "codec": "zstd"}
        claimed.append(facts | claims)
    said = {"campaign": campaign, "run_id": run_id, "pushed_at": "2026-01-01T00:00:00+00:00", "files": claimed}
    store.put(f"{campaign}/{run_id}/{MANIFEST}", json.dumps(said).encode())


def fetched(aws: Aws) -> list[str]:
    """The objects that were read, beside manifests."""
    reads = [call.path for call in aws.front.calls if call.action.startswith("GET") and call.path.count("/") > 2]
    return [path for path in reads if not path.endswith(MANIFEST)]


# --- an own run ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("called", ["latest", "LATEST"])
def test_a_run_called_latest_is_not_written_through_the_link(
    aws: Aws, store: Bucket, ledger: Ledger, called: str
) -> None:
    (ledger.folder.parent / LATEST).symlink_to(RUN)
    before = content(ledger.folder)
    put_run(store, "quick", called, (HOST_FILE, b"{}", {}), ("trials/0002-1-zlib/trial.json", b"{}", {}))
    with pytest.raises(InputError, match="no run of quick is there"):
        pull(store, "quick", "latest", ledger.folder.parent.parent)
    assert content(ledger.folder) == before


def test_the_newest_run_is_one_with_a_runs_name(aws: Aws, store: Bucket, ledger: Ledger, tmp_path: Path) -> None:
    push(ledger, store)
    put_run(store, "quick", "latest", (HOST_FILE, b"{}", {}))
    store.put("quick/~odd/x", b"")
    assert pull(store, "quick", "latest", tmp_path / "elsewhere")[0].name == RUN


@pytest.mark.parametrize("change", ["report/index.html", "run.json", LOG])
@pytest.mark.parametrize("how", ["other", "missing"])
def test_a_run_that_is_here_is_never_written_to(aws: Aws, store: Bucket, ledger: Ledger, change: str, how: str) -> None:
    push(ledger, store)
    path = ledger.folder / change
    path.unlink() if how == "missing" else path.write_text('{"campaign": "quick", "finished": true}')
    before = content(ledger.folder)
    with pytest.raises(InputError, match=f"1 files are not as in the store, the first: {change}") as refused:
        pull(store, "quick", RUN, ledger.folder.parent.parent)
    assert "move this folder away" in refused.value.do
    assert content(ledger.folder) == before


def test_a_trial_that_the_store_lacks_is_a_difference(aws: Aws, store: Bucket, ledger: Ledger) -> None:
    push(ledger, store)
    shutil.copytree(ledger.trials_folder / "000-0-snappy", ledger.trials_folder / "001-0-zstd")
    with pytest.raises(InputError, match="the first: trials/001-0-zstd/"):
        pull(store, "quick", RUN, ledger.folder.parent.parent)


def test_the_same_run_here_is_fine_and_nothing_is_fetched(aws: Aws, store: Bucket, ledger: Ledger) -> None:
    push(ledger, store)
    (ledger.trials_folder / ".001-0-zstd.partial").mkdir()
    (ledger.trials_folder / ".001-0-zstd.partial/mongod.log").touch()
    aws.front.calls.clear()
    assert pull(store, "quick", RUN, ledger.folder.parent.parent) == (ledger.folder, 0)
    assert fetched(aws) == []


def test_a_link_in_a_runs_place_is_not_followed(aws: Aws, store: Bucket, ledger: Ledger, tmp_path: Path) -> None:
    push(ledger, store)
    (tmp_path / "elsewhere/quick").mkdir(parents=True)
    (tmp_path / "elsewhere/quick" / RUN).symlink_to(tmp_path / "target")
    with pytest.raises(InputError, match=f"{RUN}: .* this is a symbolic link"):
        pull(store, "quick", RUN, tmp_path / "elsewhere")
    assert not (tmp_path / "target").exists()


@pytest.mark.parametrize("where", ["", ".lock", "run.json", "trials", ".run.json.partial"])
def test_a_link_in_a_half_pulled_run_is_not_followed(
    aws: Aws, store: Bucket, ledger: Ledger, tmp_path: Path, where: str
) -> None:
    push(ledger, store)
    target = tmp_path / "target"
    if where in {"", "trials"}:
        target.mkdir()
    else:
        target.write_text("mine")
    planted = tmp_path / "elsewhere/quick" / f".{RUN}.partial" / where
    planted.parent.mkdir(parents=True)
    planted.symlink_to(target)
    with pytest.raises(InputError, match="this is a symbolic link"):
        pull(store, "quick", RUN, tmp_path / "elsewhere")
    assert not any(target.iterdir()) if target.is_dir() else target.read_text() == "mine"


def test_a_file_that_has_another_name_elsewhere_is_not_written_to(
    aws: Aws, store: Bucket, ledger: Ledger, tmp_path: Path
) -> None:
    push(ledger, store)
    (tmp_path / "mine").write_text("mine")
    half = tmp_path / "elsewhere/quick" / f".{RUN}.partial"
    half.mkdir(parents=True)
    (half / ".run.json.partial").hardlink_to(tmp_path / "mine")
    (half / SPEC_FILE).hardlink_to(tmp_path / "mine")
    pull(store, "quick", RUN, tmp_path / "elsewhere")
    assert (tmp_path / "mine").read_text() == "mine"


def test_what_lay_in_a_half_pulled_run_does_not_appear_with_it(
    aws: Aws, store: Bucket, ledger: Ledger, tmp_path: Path
) -> None:
    push(ledger, store)
    half = tmp_path / "elsewhere/quick" / f".{RUN}.partial"
    (half / "trials/0099-9-zlib").mkdir(parents=True)
    (half / "trials/0099-9-zlib/trial.json").write_text("{}")
    (half / ".run.json.partial").write_text("half of it")
    folder, _ = pull(store, "quick", RUN, tmp_path / "elsewhere")
    assert content(folder) == content(ledger.folder)


# --- sizes -----------------------------------------------------------------------------------------------------------


def test_a_run_that_is_said_to_be_huge_is_refused_unfetched(aws: Aws, store: Bucket, tmp_path: Path) -> None:
    put_run(store, "quick", RUN, ("a", b"", {"size_bytes": MOST_BYTES}), ("b", b"", {"size_bytes": 1}))
    with pytest.raises(HostError, match=r"64\.0 GiB are more than a run may have"):
        pull(store, "quick", RUN, tmp_path)
    assert fetched(aws) == []
    assert list(tmp_path.rglob("*")) == []


def test_a_run_that_unpacks_to_far_more_than_is_there_is_refused_unfetched(
    aws: Aws, store: Bucket, tmp_path: Path
) -> None:
    """Many files of zeros, each of a size that a log may have."""
    zeros = bytes(2**24)
    put_run(store, "quick", RUN, *((f"trials/{number}/mongod.log", zeros, {}) for number in range(5)))
    with pytest.raises(InputError, match=r"said to unpack to 80\.0 MiB; no run packs to less than a 100th"):
        pull(store, "quick", RUN, tmp_path)
    assert fetched(aws) == []


def test_a_disk_without_room_is_told_before_anything_is_fetched(
    aws: Aws, store: Bucket, ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    push(ledger, store)
    aws.front.calls.clear()
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=2**30 + 2**20))
    with pytest.raises(HostError, match=r"17\.5 MiB are to be fetched, 1\.0 GiB are left"):
        pull(store, "quick", RUN, tmp_path / "elsewhere")
    assert fetched(aws) == []


def test_a_file_is_never_written_beyond_its_claim(aws: Aws, store: Bucket, tmp_path: Path) -> None:
    put_run(store, "quick", RUN, ("mongod.log", bytes(2**24), {"size_bytes": 10}))
    with pytest.raises(HostError, match="not what its manifest says"):
        pull(store, "quick", RUN, tmp_path)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [".lock"]


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        *("../escape", "/etc/passwd", "trials/../../x", "", ".", "a//b", "a/", "./a"),
        *(".lock", ".x/y", "trials/.0001.partial/trial.json"),
        *("a\nb", "a\x1b[2Jb", "a\0b", "a\u202eb", "\ud800", "x" * 201, "x/" * 200 + "x"),
    ],
)
def test_a_path_stays_in_its_run(path: str) -> None:
    with pytest.raises(ValueError, match="not a path within a run"):
        StoredFile(path=path, size_bytes=0, blake3="0" * 64, codec=Codec.PLAIN)


@pytest.mark.parametrize("paths", [("a", "a"), ("a/b", "a/b/c"), ("a/b", "A/B"), ("a/B/c/d", "A/b")])
def test_paths_do_not_collide(paths: tuple[str, str]) -> None:
    files = tuple(StoredFile(path=path, size_bytes=0, blake3="0" * 64, codec=Codec.PLAIN) for path in paths)
    with pytest.raises(ValueError, match=r"the same path|is a file itself"):
        Manifest(campaign="quick", run_id=RUN, pushed_at="2026-01-01", files=files)


@pytest.mark.parametrize("run", ["../x", "quick/..", "quick/.hidden", "quick/a b"])
def test_what_names_no_run_is_not_asked_for(aws: Aws, store: Bucket, tmp_path: Path, run: str) -> None:
    ran = harness("pull", run, "--store", "s3://lab/runs", "--results", tmp_path / "elsewhere")
    assert (ran.code, "not the names of a campaign and a run" in ran.err) == (2, True), ran.err
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("name", ["a run", "latest"])
def test_a_run_that_no_store_takes_is_told(aws: Aws, store: Bucket, ledger: Ledger, name: str) -> None:
    named = ledger.folder.rename(ledger.folder.with_name(name))
    with pytest.raises(InputError, match=f"no store takes this run: run_id: .*'{name}' is not a valid name of a run"):
        push(Ledger(named), store)


def test_a_file_that_no_store_takes_is_told(aws: Aws, store: Bucket, ledger: Ledger) -> None:
    (ledger.report_folder / "a\nb").touch()
    with pytest.raises(InputError, match=r"no store takes this run: path: .*'report/a\\nb' is not a path within a run"):
        push(ledger, store)


def test_a_file_called_trials_is_a_file(aws: Aws, store: Bucket, tmp_path: Path) -> None:
    folder = tmp_path / f"results/quick/{RUN}"
    folder.mkdir(parents=True)
    (folder / "trials").touch()
    assert [file.path for file in push(Ledger(folder), store)[0].files] == ["trials"]


# --- what is sent ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["secret", "run.json", ".lock", "report/secret", "trials/000-0-snappy/trial.json"])
def test_a_link_in_a_run_is_not_sent(aws: Aws, store: Bucket, ledger: Ledger, tmp_path: Path, where: str) -> None:
    (tmp_path / "secret").write_text("mine")
    (ledger.folder / where).unlink(missing_ok=True)
    (ledger.folder / where).symlink_to(tmp_path / "secret")
    with pytest.raises(InputError, match=f"{where}: .* this is a symbolic link"):
        push(ledger, store)
    assert store.sizes("") == {}
    assert (tmp_path / "secret").read_text() == "mine"


def test_a_linked_folder_in_a_run_is_not_sent(aws: Aws, store: Bucket, ledger: Ledger, tmp_path: Path) -> None:
    (ledger.trials_folder / "001-0-zstd").symlink_to(tmp_path)
    with pytest.raises(InputError, match=r"001-0-zstd: .* this is a symbolic link"):
        push(ledger, store)


@pytest.mark.parametrize("where", ["pipe", "run.json"])
def test_a_pipe_in_a_run_is_told(aws: Aws, store: Bucket, ledger: Ledger, where: str) -> None:
    (ledger.folder / where).unlink(missing_ok=True)
    os.mkfifo(ledger.folder / where)
    with pytest.raises(InputError, match=f"{where}: .* this is a pipe"):
        push(ledger, store)


def test_the_link_to_the_latest_run_may_name_it(aws: Aws, store: Bucket, ledger: Ledger) -> None:
    (ledger.folder.parent / LATEST).symlink_to(RUN)
    ran = harness("push", ledger.folder.parent / LATEST, "--store", "s3://lab/runs")
    assert ran.code == 0, ran.err
    assert f"s3://lab/runs/quick/{RUN}: 7 files" in ran.out


# --- the index -------------------------------------------------------------------------------------------------------


def line_of(store: Bucket, run_id: str) -> str:
    (line,) = (line for line in index_store(store) if line.startswith(f"nightly/{run_id}: "))
    return line


def test_small_files_of_any_claimed_size_are_not_fetched(aws: Aws, store: Bucket, tmp_path: Path) -> None:
    push(Ledger(keep_run(tmp_path, 1)), store)
    large = {"size_bytes": 2**30}
    put_run(store, "nightly", "20260102T000000Z", (DECISION_FILE, b"{}", large))
    put_run(store, "nightly", "20260103T000000Z", (HOST_FILE, b"{}", large))
    aws.front.calls.clear()
    lines = list(index_store(store))
    assert f"{DECISION_FILE}: 1.0 GiB are too much" in lines[1]
    assert f"{HOST_FILE}: 1.0 GiB are too much" in lines[2]
    assert "1 of 3 runs have a report" in lines[3]
    assert not any("20260102" in path or "20260103" in path for path in fetched(aws))


def test_facts_are_not_fetched_from_files_of_any_size(aws: Aws, store: Bucket, tmp_path: Path) -> None:
    """The runs beside a change are looked into; one of them has much to say."""
    for day in (1, 2, 3):
        push(Ledger(keep_run(tmp_path, day)), store)
    folder = keep_run(tmp_path, 4, slower=0.5)
    (folder / "more.json").write_bytes(bytes(33 * 2**20))
    push(Ledger(folder), store)
    aws.front.calls.clear()
    assert "4 of 4 runs have a report" in list(index_store(store))[-1]
    assert not any("more.json" in path for path in fetched(aws))


def test_a_damaged_run_is_a_line_and_the_rest_is_listed(aws: Aws, store: Bucket, tmp_path: Path) -> None:
    push(Ledger(keep_run(tmp_path, 1)), store)
    put_run(store, "nightly", "20260102T000000Z", (DECISION_FILE, b"no JSON", {}))
    (tmp_path / "text").write_bytes(b"no JSON")
    put_run(store, "nightly", "20260103T000000Z", (DECISION_FILE, b"no JSON", {"blake3": digest_of(tmp_path / "text")}))
    store.put(f"nightly/20260104T000000Z/{MANIFEST}", b"[" * 100_000)
    store.put(f"nightly/20260105T000000Z/{MANIFEST}", bytes(33 * 2**20))
    lines = list(index_store(store))
    assert f"{DECISION_FILE}: the store's copy is not what its manifest says" in lines[1]
    assert lines[2].endswith(f"; {DECISION_FILE} can't be read")
    assert "nightly/20260104T000000Z/manifest.json: Invalid JSON" in lines[3]
    assert "too large to be what its name says" in lines[4]
    assert "1 of 5 runs have a report" in lines[5]


def test_names_in_a_store_that_name_nothing_are_told_as_such(aws: Aws, store: Bucket, tmp_path: Path) -> None:
    push(Ledger(keep_run(tmp_path, 1)), store)
    for name in ("evil\x1b[2J/20260101T000000Z", "nightly/a\x07b", "nightly/latest", "/x", ".hidden/20260101T000000Z"):
        store.put(f"{name}/{MANIFEST}", b"{}")
    ran = harness("store-list", "--store", "s3://lab/runs")
    assert ran.code == 0, ran.err
    assert "\x1b" not in ran.out
    assert ran.out.count("not the names of a campaign and a run") == 5
    assert "1 of 6 runs have a report" in ran.out
