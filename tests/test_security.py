"""An intruder on the same host gets no data, and finds the password nowhere but in the client's own file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pymongo
import pytest
from pymongo.errors import OperationFailure

from tests.campaigns import meddling
from tests.harness.commands import HOME
from tests.holding import holding

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.real
PORT = 27309
Client = pymongo.MongoClient[dict[str, Any]]
INTRUSIONS: dict[str, Callable[[Client], object]] = {
    "read": lambda client: client["pressgauge"]["usertable"].find_one({}),
    "write": lambda client: client["pressgauge"]["usertable"].insert_one({"_id": "intruder"}),
    "drop": lambda client: client["pressgauge"].command("drop", "usertable"),
    "list": lambda client: client.list_database_names(),
    "counters": lambda client: client["admin"].command("serverStatus"),
    "user": lambda client: client["admin"].command("createUser", "intruder", pwd="x", roles=["root"]),
    "stop": lambda client: client["admin"].command("shutdown", force=True),
}


def test_an_intruder_without_the_password(tmp_path: Path) -> None:
    with meddling(tmp_path, PORT, codes=(130,), stopped=True, measure_s=300) as (evidence, instance):
        own = HOME / f"clients/t{PORT}/uri"
        password = urlsplit(own.read_text(encoding="utf-8")).password
        assert password
        assert len(password) >= 32
        assert own.stat().st_mode & 0o777 == 0o600
        assert (own.parent.stat().st_mode & 0o777, instance.stat().st_mode & 0o777) == (0o700, 0o700)
        for user in ("", f"pressgauge:{password[:-1]}@"):
            for attempt in INTRUSIONS.values():
                with Client(f"mongodb://{user}127.0.0.1:{PORT}") as client, pytest.raises(OperationFailure) as refused:
                    attempt(client)
                assert refused.value.code in {13, 18}  # unauthorised, authentication failed
        ansibles = [*Path(tempfile.gettempdir()).glob("pressgauge-ansible-*"), Path.home() / ".ansible"]
        assert holding(password, tmp_path, HOME, *ansibles) == [own]
        assert in_process_lists(password) == []
        assert evidence.is_dir()
    assert holding(password, tmp_path, HOME) == []


def in_process_lists(secret: str) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        for kind in ("cmdline", "environ"):
            try:
                said = (process / kind).read_bytes()
            except OSError:
                continue  # it has ended
            if secret.encode() in said:
                found.append(f"{process / kind}")
    return found
