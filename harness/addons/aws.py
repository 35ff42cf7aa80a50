"""boto3's clients, and AWS's refusals in words that say who must do what.

Credentials, region, profile and endpoints come from boto3's own chain (environment, `~/.aws`, instance roles).
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.request import getproxies

import boto3
from botocore import exceptions as botocore
from botocore.config import Config
from botocore.loaders import Loader, create_loader
from botocore.parsers import ResponseParserError
from botocore.session import get_session

from harness.errors import HostError, InputError, PressgaugeError

if TYPE_CHECKING:
    from collections.abc import Iterator

_ATTEMPTS = 8
_HOST = r"(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:\d{1,5})?"
_ENDPOINT = re.compile(rf"https?://{_HOST}(/[^\s?#@]*)?")
_PROXY = re.compile(rf"(https?://)?([^\s/?#@]*@)?{_HOST}/?")
_LOGIN = re.compile(r"://[^\s'\"`<>]*@")
_CREDENTIALS = "give credentials as for the AWS command line: AWS_PROFILE, AWS_ACCESS_KEY_ID …, or an instance role"
_THROTTLED = {
    "RequestLimitExceeded",
    "Throttling",
    "ThrottlingException",
    "RequestThrottled",
    "SlowDown",
    "TooManyRequestsException",
}
_REFUSED = {"UnauthorizedOperation", "AccessDenied", "AccessDeniedException", "UnauthorizedAccess", "403", "Forbidden"}
_UNKNOWN_CALLER = {
    "AuthFailure",
    "InvalidClientTokenId",
    "SignatureDoesNotMatch",
    "ExpiredToken",
    "ExpiredTokenException",
    "RequestExpired",
    "InvalidAccessKeyId",
    "UnrecognizedClientException",
}
_NO_ROOM = {
    "InsufficientInstanceCapacity",
    "InstanceLimitExceeded",
    "VcpuLimitExceeded",
    "MaxSpotInstanceCountExceeded",
    "VolumeLimitExceeded",
    "Unsupported",
}


def client(service: str, *, region: str | None = None, endpoint: str | None = None) -> Any:
    """A client of one of AWS's services, which tries again, ever later, where it is throttled.

    An attempt count or retry mode of the user's own (AWS_MAX_ATTEMPTS, AWS_RETRY_MODE, `~/.aws/config`) goes before
    ours. Bodies are checked by Content-MD5, which every S3-compatible server knows.

    Raises:
        InputError: the endpoint is no plain URL (a password in it would be printed wherever the URL is), or another
            setting of boto3's is wrong.
    """
    _refuse_odd_proxies(service)
    if endpoint:
        _require_plain(service, endpoint)
    with answers(service), _settings(service):
        core = get_session()
        core.register_component("data_loader", _descriptions(core.get_config_variable("data_path")))
        session = boto3.Session(region_name=region, botocore_session=core)
        mode, attempts = core.get_config_variable("retry_mode"), core.get_config_variable("max_attempts")
        config = Config(
            retries={
                "mode": "standard" if mode == "legacy" else mode,
                "total_max_attempts": attempts or _ATTEMPTS,
            },
            connect_timeout=10,
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            s3={"addressing_style": "path"} if endpoint else None,  # few servers answer to a bucket's own host name
        )
        make: Any = session.client  # typed for a service known beforehand
        made = make(service, config=config, endpoint_url=endpoint or None)
    _require_plain(service, made.meta.endpoint_url)  # it may be from AWS_ENDPOINT_URL… or ~/.aws/config
    return made


def _masked(said: object) -> str:
    """What others say, without a user and password in any URL of it."""
    return _LOGIN.sub("://***@", str(said))


def _require_plain(service: str, endpoint: str) -> None:
    if not _ENDPOINT.fullmatch(endpoint):
        raise InputError(
            f"{service}: the endpoint is not http(s)://host:port without user, password and query",
            do="check ENDPOINT, AWS_ENDPOINT_URL … and ~/.aws/config; give credentials as for the AWS command line",
        )


def _refuse_odd_proxies(service: str) -> None:
    """What can't be parsed as a proxy's URL would be told in pieces, password and all."""
    for scheme, proxy in getproxies().items():
        if scheme in {"http", "https"} and not _PROXY.fullmatch(proxy):
            raise InputError(
                f"{service}: {scheme}_proxy is not http(s)://user:password@host:port",
                do="fix it, and write every character of the password that is not a letter or digit as %XX",
            )


@contextmanager
def _settings(service: str) -> Iterator[None]:
    """Turn what boto3 makes of a wrong setting into a typed error; it may hold the setting, so it isn't repeated."""
    try:
        yield
    except botocore.BotoCoreError:
        raise
    except ValueError as error:
        raise InputError(
            f"{service}: a setting for boto3 can't be read",
            do="check AWS_ENDPOINT_URL …, AWS_MAX_ATTEMPTS and ~/.aws/config",
        ) from error


@cache
def _descriptions(search_path: str | None) -> Loader:
    """AWS's descriptions of its services, read once: a second client comes in a tenth of the time."""
    return create_loader(search_path)


@contextmanager
def answers(service: str) -> Iterator[None]:
    """Turn what AWS or the way there refuses into a typed error.

    Raises:
        InputError: the region, an argument or a name is wrong.
        HostError: no credentials, no permission, throttled for too long, no capacity, or no connection.
    """
    try:
        yield
    except botocore.ClientError as error:
        raise _refusal(service, error) from error
    except (botocore.NoRegionError, botocore.InvalidRegionError) as error:
        raise InputError(f"{service}: {_masked(error)}", do="set cloud.region in the spec, or AWS_REGION") from error
    except botocore.ParamValidationError as error:
        raise InputError(f"{service}: {' '.join(_masked(error).split())}", do="fix that argument") from error
    except (botocore.ProfileNotFound, botocore.ConfigParseError) as error:
        raise InputError(f"{service}: {_masked(error)}", do="check AWS_PROFILE and ~/.aws/config") from error
    except (
        botocore.NoCredentialsError,
        botocore.PartialCredentialsError,
        botocore.CredentialRetrievalError,
        botocore.NoAuthTokenError,
        botocore.SSOError,
    ) as error:
        raise HostError(f"{service}: {_masked(error)}", do=_CREDENTIALS) from error
    except (botocore.HTTPClientError, ResponseParserError) as error:
        raise HostError(
            f"{service}: {_masked(error)}", do="check the network and the endpoint, then run it again"
        ) from error
    except botocore.WaiterError as error:
        raise HostError(f"{service}: {_masked(error)}", do="see `make cloud-list`, then run it again") from error
    except botocore.BotoCoreError as error:
        raise HostError(f"{service}: {_masked(error)}", do="fix it, then run it again") from error


def error_code(error: botocore.ClientError) -> str:
    """AWS's own code of a refusal; `404` and its like where there is no more."""
    return str(error.response.get("Error", {}).get("Code", ""))


def _refusal(service: str, error: botocore.ClientError) -> PressgaugeError:
    code, action = error_code(error), f"{service}:{error.operation_name}"
    said = _masked(error.response.get("Error", {}).get("Message", "")).strip() or code
    tries = error.response.get("ResponseMetadata", {}).get("RetryAttempts", 0) + 1
    kind: type[PressgaugeError] = HostError
    what, do = f"{code}: {said}", "fix it, then run it again"
    if code in _THROTTLED:
        what = f"AWS still throttles after {tries} attempts ({code})"
        do = "wait a minute and run it again, or raise AWS_MAX_ATTEMPTS"
    elif code in _REFUSED:
        what, do = f"not permitted: {said}", f"let this caller {action}; docs/ec2.md and docs/s3.md have the policies"
    elif code in _UNKNOWN_CALLER:
        what, do = f"AWS does not accept the credentials: {said}", _CREDENTIALS
    elif code in _NO_ROOM:
        do = "choose another region, subnet or instance type, or ask AWS for a higher quota"
    elif code == "NoSuchBucket":
        kind, do = InputError, "check STORE=s3://bucket/prefix"
    elif code.startswith("Invalid") or code.endswith((".NotFound", "Malformed")):
        kind, do = InputError, "fix that in the spec's `cloud` section, or fix the argument"
    return kind(f"{action}: {what}", do=do)
