"""`make audit` against an OSV server of our own: what it finds, and that silence is no good news."""

from __future__ import annotations

import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from harness.errors import Exit
from tests.proofs.audit import LOCKS, audit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FAULT = {
    "id": "PYSEC-2026-1",
    "modified": "2026-01-01T00:00:00Z",
    "summary": "a fault of its own",
    "affected": [
        {
            "package": {"name": "jinja2", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "99.1"}]}],
        }
    ],
}


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """Two of the real lock's packages, with their hashes."""
    path = tmp_path / "some.lock"
    entries = re.findall(r"^(?:jinja2|blake3)==.*\n(?: .*\n)+", LOCKS[0].read_text(encoding="utf-8"), re.MULTILINE)
    assert len(entries) == 2
    path.write_text("".join(entries), encoding="utf-8")
    return path


@contextmanager
def database(vulnerable: str = "") -> Iterator[str]:
    """An OSV server that knows a fault of one package, or of none."""

    class Osv(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            known = [FAULT] if asked["package"]["name"] == vulnerable else []
            answer = json.dumps({"vulns": known} if known else {}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Osv) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1/query"
        server.shutdown()


def test_a_known_fault_is_named(lock: Path) -> None:
    with database("jinja2") as url:
        told, code = audit([lock], url)
    assert code == Exit.GATE_FAILED
    assert re.fullmatch(r"jinja2 [\d.]+: PYSEC-2026-1, mended in 99\.1", told[0])
    assert told[-1] == f"2 packages of some.lock looked up in {url}"


def test_no_known_fault(lock: Path) -> None:
    with database() as url:
        told, code = audit([lock], url)
    assert (len(told), code) == (1, Exit.FINE)


def test_a_database_that_does_not_answer_is_no_good_news(lock: Path) -> None:
    told, code = audit([lock], "http://127.0.0.1:9/v1/query")
    assert code == Exit.DEPENDENCY_FAILED
    assert "can't be asked about some.lock" in told[0]
    assert "OSV=" in told[1]
