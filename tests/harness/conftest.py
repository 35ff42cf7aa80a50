"""What the harness's tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from harness.addons.s3.bucket import Bucket, open_store
from harness.spec.load import load_campaign
from tests.harness.aws_server import REGION, Aws, serve
from tests.harness.clouds import write
from tests.harness.stored_runs import make_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.ledger.ledger import Ledger
    from harness.spec.campaign import Campaign


@pytest.fixture(scope="session")
def aws_server() -> Iterator[Aws]:
    with serve() as aws:
        yield aws


@pytest.fixture
def aws(aws_server: Aws, monkeypatch: pytest.MonkeyPatch) -> Aws:
    """An empty AWS, to which boto3's own chain leads, in this process and those that it starts."""
    aws_server.reset()
    for name, value in {
        "AWS_ENDPOINT_URL": aws_server.url,
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
    }.items():
        monkeypatch.setenv(name, value)
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return aws_server


@pytest.fixture
def spec(tmp_path: Path) -> Campaign:
    """A campaign with a cloud section."""
    return load_campaign(write(tmp_path))


@pytest.fixture
def ec2(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> Any:
    """EC2 with all rights, in the spec's region."""
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "3")
    monkeypatch.delenv("AWS_DEFAULT_REGION")  # the spec names it
    return aws.client("ec2")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A run of one trial in `results`."""
    return make_run(tmp_path / "results")


@pytest.fixture
def store(aws: Aws) -> Bucket:
    """An empty results store."""
    aws.client("s3").create_bucket(Bucket="lab")
    return open_store("s3://lab/runs", aws.url)
