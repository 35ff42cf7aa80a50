"""AWS for tests: moto in server mode behind a front that can refuse, count, or do something at a given call.

What moto lacks and Pressgauge uses, placement groups and the Pricing API, the front answers itself.
"""

from __future__ import annotations

import io
import json
import os
import threading
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import boto3
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REGION = "us-east-1"
_IMAGES = Path(__file__).parent / "recorded/images.json"


@dataclass(frozen=True)
class Call:
    """One request: the action of a query (`RunInstances`), or an S3 request's method and query (`PUT partNumber`)."""

    action: str
    path: str
    form: dict[str, str]
    size_bytes: int


@dataclass(frozen=True)
class Answer:
    """What the front says in moto's stead."""

    status: str
    body: str
    kind: str = "text/xml"


def refuse(code: str, status: str = "503 Service Unavailable") -> Answer:
    """An error as EC2 tells it."""
    return Answer(
        status,
        f"<Response><Errors><Error><Code>{code}</Code><Message>{code}, as asked</Message></Error></Errors>"
        "<RequestID>0</RequestID></Response>",
    )


@dataclass
class Front:
    """A WSGI application before moto's."""

    moto: Any = field(default_factory=lambda: DomainDispatcherApplication(create_backend_app))
    calls: list[Call] = field(default_factory=list)
    rules: list[Callable[[Call], Answer | None]] = field(default_factory=list)
    prices: dict[str, float] = field(default_factory=dict)
    groups: dict[str, dict[str, str]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        call = _call(environ, body)
        with self.lock:
            self.calls.append(call)
            answer = next((said for rule in self.rules if (said := rule(call))), None) or self._own(call, body)
        if answer is None:
            return self.moto(environ, start_response)
        start_response(answer.status, [("Content-Type", answer.kind)])
        return [answer.body.encode()]

    def _own(self, call: Call, body: bytes) -> Answer | None:
        if call.action == "GetProducts":
            wanted = {one["Field"]: one["Value"] for one in json.loads(body)["Filters"]}
            price = self.prices.get(wanted["instanceType"])
            products = [] if price is None else [json.dumps(product(price))]
            return Answer("200 OK", json.dumps({"PriceList": products}), "application/x-amz-json-1.1")
        if call.action.endswith(("PlacementGroup", "PlacementGroups")):
            return self._placement_groups(call)
        return None

    def _placement_groups(self, call: Call) -> Answer:
        name = call.form.get("GroupName", call.form.get("GroupName.1", ""))
        if call.action == "CreatePlacementGroup":
            keys = [key.removesuffix(".Key") for key in call.form if key.endswith(".Key")]
            self.groups[name] = {call.form[f"{key}.Key"]: call.form[f"{key}.Value"] for key in keys}
        elif call.action == "DeletePlacementGroup":
            del self.groups[name]
        names = [key.removesuffix(".Name") for key in call.form if key.startswith("Filter.") and key.endswith(".Name")]
        wanted = {call.form[f"{key}.Name"]: call.form[f"{key}.Value.1"] for key in names}
        listed = "".join(
            f"<item><groupName>{group}</groupName><groupId>pg-{group}</groupId><state>available</state><tagSet>"
            + "".join(f"<item><key>{key}</key><value>{value}</value></item>" for key, value in tags.items())
            + "</tagSet></item>"
            for group, tags in self.groups.items()
            if all(tags.get(key[4:]) == value if key != "tag-key" else value in tags for key, value in wanted.items())
        )
        return Answer(
            "200 OK",
            f"<{call.action}Response><placementGroupSet>{listed}</placementGroupSet><return>true</return>"
            f"</{call.action}Response>",
        )


def product(price: float) -> dict[str, Any]:
    """A product as the Pricing API tells it."""
    dimension = {"unit": "Hrs", "pricePerUnit": {"USD": f"{price:.10f}"}}
    return {"terms": {"OnDemand": {"SKU.1": {"priceDimensions": {"SKU.1.2": dimension}}}}}


@dataclass
class Aws:
    """The server while it runs."""

    front: Front
    url: str

    def client(self, service: str, **changes: Any) -> Any:
        """A client of the test's own, with all rights unless told otherwise."""
        keys = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"} | changes
        return boto3.client(service, region_name=REGION, endpoint_url=self.url, **keys)  # type: ignore[call-overload]

    def reset(self) -> None:
        """Forget everything."""
        urllib.request.urlopen(urllib.request.Request(f"{self.url}/moto-api/reset", method="POST")).close()
        self.enforce_permissions(after=2**31)
        for kept in (self.front.calls, self.front.rules, self.front.prices, self.front.groups):
            kept.clear()

    def enforce_permissions(self, after: int = 0) -> None:
        """Check callers and their policies from so many calls on."""
        request = urllib.request.Request(
            f"{self.url}/moto-api/reset-auth", data=str(after).encode(), headers={"Content-Type": "text/plain"}
        )
        urllib.request.urlopen(request).close()


@contextmanager
def serve() -> Iterator[Aws]:
    """Run the server on a free port of loopback."""
    os.environ["MOTO_AMIS_PATH"] = str(_IMAGES)  # read when the first call comes
    front = Front()
    server = make_server("127.0.0.1", 0, front, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Aws(front, f"http://127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
        thread.join()


def _call(environ: dict[str, Any], body: bytes) -> Call:
    target, query = environ.get("HTTP_X_AMZ_TARGET", ""), environ.get("QUERY_STRING", "")
    form: dict[str, str] = {}
    if environ.get("CONTENT_TYPE", "").startswith("application/x-www-form-urlencoded"):
        form = {key: values[0] for key, values in parse_qs(body.decode()).items()}
    action = target.rpartition(".")[2] or form.get("Action")
    if not action:
        action = " ".join([environ["REQUEST_METHOD"], *sorted(parse_qs(query, keep_blank_values=True))])
    return Call(action, environ["PATH_INFO"], form, len(body))
