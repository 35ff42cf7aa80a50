"""What the harness's tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.harness.aws_server import REGION, Aws, serve

if TYPE_CHECKING:
    from collections.abc import Iterator


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
