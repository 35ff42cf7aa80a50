"""Runs go to a results store and come back, bit by bit; over real HTTP, by real boto3."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import zstandard

from harness.addons.s3.bucket import Bucket, open_store
from harness.addons.s3.index import index_store
from harness.addons.s3.pull import pull, read_manifest
from harness.addons.s3.push import push
from harness.errors import HostError, InputError
from harness.ledger.ledger import SPEC_FILE, Ledger
from tests.harness.commands import harness, start
from tests.harness.factory import keep_run
from tests.harness.stored_runs import RUN, content

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.harness.aws_server import Aws, Call


def sent_bytes(aws: Aws) -> int:
    return sum(call.size_bytes for call in aws.front.calls if call.action.startswith("PUT"))


def test_a_run_comes_back_bit_by_bit(aws: Aws, store: Bucket, ledger: Ledger, tmp_path: Path) -> None:
    push(ledger, store)
    (ledger.trials_folder / ".001-0-zstd.partial").mkdir()
    (ledger.trials_folder / ".001-0-zstd.partial/at_work").touch()
    folder, fetched = pull(store, "quick", "latest", tmp_path / "elsewhere")
    shutil.rmtree(ledger.trials_folder / ".001-0-zstd.partial")
    assert folder == tmp_path / "elsewhere/quick" / RUN
    assert content(folder) == content(ledger.folder)
    assert fetched == 7
    assert Ledger(folder).records() == ledger.records()
    assert not list(folder.parent.glob(".*"))

    aws.front.calls.clear()
    _, sent = push(ledger, store)
    assert (sent.files, sent.files_there) == (0, 7)
    assert sent_bytes(aws) < 4096  # the manifest alone
    assert pull(store, "quick", RUN, tmp_path / "elsewhere")[1] == 0


def test_files_lie_compressed_but_for_browsers(aws: Aws, store: Bucket, ledger: Ledger) -> None:
    push(ledger, store)
    s3 = aws.client("s3")
    log = s3.get_object(Bucket="lab", Key=f"runs/quick/{RUN}/trials/000-0-snappy/mongod.log.zst")["Body"].read()
    page = s3.get_object(Bucket="lab", Key=f"runs/quick/{RUN}/report/index.html")
    assert len(log) < 2000
    assert zstandard.decompress(log) == (ledger.trials_folder / "000-0-snappy/mongod.log").read_bytes()
    assert (page["Body"].read(), page["ContentType"]) == (b"<p>answer</p>", "text/html; charset=utf-8")


def test_a_killed_push_sends_only_what_is_missing(aws: Aws, store: Bucket, ledger: Ledger, tmp_path: Path) -> None:
    victims: list[subprocess.Popen[str]] = []

    def kill(call: Call) -> None:
        if call.action == "PUT partNumber uploadId" and "metrics" in call.path and len(parts(aws)) == 2:
            victims[0].kill()

    aws.front.rules.append(kill)
    victims.append(start("push", ledger.folder, "--store", "s3://lab/runs", "--endpoint", aws.url))
    assert victims[0].wait(120) == -signal.SIGKILL
    with pytest.raises(InputError, match="its push has not ended"):
        read_manifest(store, "quick", RUN)

    aws.front.rules.clear()
    aws.front.calls.clear()
    _, sent = push(ledger, store)
    assert sent.parts_there >= 1
    assert len(parts(aws)) <= 2
    folder, _ = pull(store, "quick", RUN, tmp_path / "elsewhere")
    assert content(folder) == content(ledger.folder)
    assert "Uploads" not in aws.client("s3").list_multipart_uploads(Bucket="lab")


def parts(aws: Aws) -> list[Call]:
    """The parts that were sent."""
    return [call for call in aws.front.calls if call.action == "PUT partNumber uploadId"]


def test_an_upload_begun_for_other_content_is_not_completed(aws: Aws, store: Bucket, ledger: Ledger) -> None:
    name = f"quick/{RUN}/trials/000-0-snappy/diagnostic.data/metrics.zst"
    store.put_part(name, store.begin(name, "0" * 64), 1, b"other content")
    push(ledger, store)
    kept = store.head(name)
    assert kept
    assert kept.blake3 == ledger.records()[0].artefacts[0].blake3


def test_a_pull_goes_on_where_it_was_killed(aws: Aws, store: Bucket, ledger: Ledger, tmp_path: Path) -> None:
    push(ledger, store)
    half = tmp_path / "elsewhere/quick" / f".{RUN}.partial"
    half.mkdir(parents=True)
    shutil.copyfile(ledger.folder / SPEC_FILE, half / SPEC_FILE)
    (half / ".run.json.partial").write_text("half of it")
    folder, fetched = pull(store, "quick", RUN, tmp_path / "elsewhere")
    assert fetched == 6
    assert content(folder) == content(ledger.folder)


def spoil_text(packed: bytes) -> bytes:
    return zstandard.compress(zstandard.decompress(packed).replace(b"log", b"lag", 1))


def cut(packed: bytes) -> bytes:
    return packed[: len(packed) // 2]


def inflate(_: bytes) -> bytes:
    return zstandard.compress(bytes(2**30))


@pytest.mark.parametrize("spoil", [spoil_text, cut, inflate])
def test_a_spoilt_store_is_told_and_nothing_appears(
    aws: Aws, store: Bucket, ledger: Ledger, tmp_path: Path, spoil: Callable[[bytes], bytes]
) -> None:
    push(ledger, store)
    name = f"quick/{RUN}/trials/000-0-snappy/mongod.log.zst"
    packed = store.read(name)
    assert packed
    store.put(name, spoil(packed))
    with pytest.raises(HostError, match=r"mongod\.log: the store's copy is not what its manifest says"):
        pull(store, "quick", RUN, tmp_path / "elsewhere")
    assert not (tmp_path / "elsewhere/quick" / RUN).exists()


def test_a_changed_artefact_is_not_pushed(aws: Aws, store: Bucket, ledger: Ledger) -> None:
    (ledger.trials_folder / "000-0-snappy/mongod.log").write_text("a line of another log\n" * 100_000)
    with pytest.raises(InputError, match=r"mongod\.log: its content is not what the run recorded"):
        push(ledger, store)
    assert store.head(f"quick/{RUN}/manifest.json") is None


def test_what_the_user_got_wrong_is_told(aws: Aws, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = harness("push", ledger.folder, "--store", "s3://nowhere/runs")
    assert (ran.code, "NoSuchBucket" in ran.err, "Traceback" in ran.err) == (2, True, False)
    with pytest.raises(InputError, match="is not a results store"):
        open_store("/tmp/runs")
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    with pytest.raises(HostError, match="Unable to locate credentials"):
        push(ledger, open_store("s3://lab/runs"))


def test_missing_permission_is_told(aws: Aws, store: Bucket, ledger: Ledger) -> None:
    iam = aws.client("iam")
    iam.create_user(UserName="reader")
    allowed = {"Effect": "Allow", "Action": ["s3:ListBucket", "s3:ListBucketMultipartUploads"], "Resource": "*"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [allowed]})
    iam.put_user_policy(UserName="reader", PolicyName="read", PolicyDocument=policy)
    key = iam.create_access_key(UserName="reader")["AccessKey"]
    s3 = aws.client("s3", aws_access_key_id=key["AccessKeyId"], aws_secret_access_key=key["SecretAccessKey"])
    aws.enforce_permissions()
    with pytest.raises(HostError, match=r"s3:(PutObject|CreateMultipartUpload): not permitted"):
        push(ledger, Bucket(s3, "lab", "runs"))


def test_the_index_names_every_run(aws: Aws, store: Bucket, ledger: Ledger) -> None:
    push(ledger, store)
    store.put(f"quick/20260102T000000Z/{SPEC_FILE}.zst", b"a push at work")
    ran = harness("store-list", "--store", "s3://lab/runs", "--endpoint", aws.url)
    assert ran.code == 0, ran.err
    assert f"quick/{RUN}: 1 trials, 17.5 MiB" in ran.out
    assert "no run quick/20260102T000000Z is there, or its push has not ended" in ran.out
    assert b"<html" in (store.read("index.html") or b"")


def test_the_index_says_what_differed_where_figures_changed(aws: Aws, store: Bucket, tmp_path: Path) -> None:
    for day in (1, 2, 3):
        push(Ledger(keep_run(tmp_path, day)), store)
    push(Ledger(keep_run(tmp_path, 4, engine="6.0.27", slower=0.5)), store)
    assert list(index_store(store))[-1].endswith("4 of 4 runs have a report")
    page = (store.read("index.html") or b"").decode()
    assert "after 20260103T000000Z" in page
    assert "from the run before: engine 6.0.5 → 6.0.27.</p>" in page


def test_hashing_needs_no_environment() -> None:
    """The remote commands stay without what statistics and charts load."""
    code = "import sys; from harness.cli import remote; import harness.addons.s3.push, harness.addons.s3.pull; "
    code += "print(sorted({'pandas', 'scipy', 'altair', 'pyarrow'} & sys.modules.keys()))"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )
    assert ran.stdout.strip() == "[]"
