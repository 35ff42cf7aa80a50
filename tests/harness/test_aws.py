"""What goes wrong on the way to AWS is told without what opens doors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.addons.aws import answers, client
from harness.addons.s3.bucket import open_store
from harness.errors import HostError, InputError
from tests.harness.aws_server import Answer, refuse
from tests.harness.commands import harness

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness.aws_server import Aws

NOBODY = "127.0.0.1:1"
LOGINS = [
    f"http://user:pass@{NOBODY}",
    f"http://pass@{NOBODY}/",
    f"https://user:pa/pass@{NOBODY}",
    f"http://user:pa#pass@{NOBODY}",
    f"user:pass@{NOBODY}",
    f"ftp://user:pass@{NOBODY}",
    f"http://{NOBODY}/?token=pass",
    "http://127.0.0.1:pass",
]


@pytest.mark.parametrize("endpoint", LOGINS)
def test_an_endpoint_with_a_login_is_refused_and_not_repeated(aws: Aws, endpoint: str) -> None:
    with pytest.raises(InputError, match="the endpoint is not") as refused:
        open_store("s3://lab/runs", endpoint)
    assert "pass" not in f"{refused.value.what}{refused.value.do}".replace("password", "")


def test_no_command_prints_an_endpoints_login(aws: Aws, tmp_path: Path) -> None:
    ran = harness("pull", "quick/latest", "--store", "s3://lab/runs", "--endpoint", LOGINS[0], "--results", tmp_path)
    assert (ran.code, "the endpoint is not http(s)://host:port without user" in ran.err) == (2, True), ran.err
    assert "pass" not in (ran.out + ran.err).replace("password", "")


@pytest.mark.parametrize("endpoint", LOGINS)
@pytest.mark.parametrize("name", ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_EC2"])
def test_an_endpoint_of_boto3s_own_is_refused_as_well(
    aws: Aws, monkeypatch: pytest.MonkeyPatch, name: str, endpoint: str
) -> None:
    monkeypatch.setenv(name, endpoint)
    with pytest.raises(InputError) as refused:
        client("ec2")
    assert "pass" not in f"{refused.value.what}{refused.value.do}".replace("password", "")


def test_an_endpoint_in_a_file_is_refused_as_well(aws: Aws, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "config").write_text(f"[default]\nendpoint_url = {LOGINS[0]}\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    with pytest.raises(InputError, match="the endpoint is not"):
        client("ec2")


@pytest.mark.parametrize("endpoint", ["http://[::1]:9000", "https://s3.lab.example", "http://127.0.0.1:9000/base/"])
def test_a_plain_endpoint_is_taken(aws: Aws, endpoint: str) -> None:
    assert client("s3", endpoint=endpoint).meta.endpoint_url == endpoint


def test_an_empty_endpoint_is_none(aws: Aws) -> None:
    assert client("s3", endpoint="").meta.endpoint_url == aws.url


@pytest.mark.parametrize(
    "proxy",
    [
        f"http://user:pass@{NOBODY}",
        f"user:pass@{NOBODY}",
        f"http://user:pass/word@{NOBODY}",
        f"http://user:pass#@{NOBODY}",
        f"socks5://user:pass@{NOBODY}",
    ],
)
def test_a_proxys_login_is_not_repeated(aws: Aws, monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    with pytest.raises((InputError, HostError)) as refused, answers("s3"):
        open_store("s3://lab/runs", "http://store.example").folders()
    assert "pass" not in f"{refused.value.what}{refused.value.do}".replace("password", "")


@pytest.mark.parametrize(
    "address",
    ["https://user:pass@lab/runs", "s3://user:pass@lab/runs", "s3://user:pa/pass@lab", "user:pass@lab/runs", "s3://"],
)
def test_an_address_with_a_login_is_refused_and_not_repeated(aws: Aws, address: str) -> None:
    with pytest.raises(InputError, match="that is not a results store") as refused:
        open_store(address)
    assert "pass" not in refused.value.what


def test_what_a_server_says_is_told_without_logins(aws: Aws) -> None:
    said = refuse("InvalidRequest", "400 Bad Request").body.replace("as asked", "see http://user:pass@proxy:1/x")
    aws.front.rules.append(lambda call: Answer("400 Bad Request", said) if call.action == "DescribeVolumes" else None)
    with pytest.raises(InputError, match=r"see http://\*\*\*@proxy:1/x"), answers("ec2"):
        client("ec2").describe_volumes()


def test_a_setting_that_boto3_can_not_read_is_told(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "many")
    with pytest.raises(InputError, match="a setting for boto3 can't be read"):
        client("ec2")
