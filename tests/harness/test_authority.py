"""The run's private authority: what it signs convinces a real TLS peer, for the right address alone."""

from __future__ import annotations

import socket
import ssl
import threading
from typing import TYPE_CHECKING

import pytest

from harness.hosts.authority import certify

if TYPE_CHECKING:
    from pathlib import Path


def greet(served: Path, trusted: Path, name: str) -> str | None:
    """The protocol that a client who trusts an authority, and expects this name, agrees on with a server."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(served)
    client = ssl.create_default_context(cafile=trusted)
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    here, there = socket.socketpair()

    def serve() -> None:
        with there:
            try:
                server.wrap_socket(there, server_side=True).close()
            except (ssl.SSLError, OSError):
                return  # the client says why

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with here, client.wrap_socket(here, server_hostname=name) as connection:
            return connection.version()
    finally:
        thread.join()


def pems(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.pem"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    certify(tmp_path / "authority", {"one": "10.0.0.1", "two": "db.example", "authority": "fd00::3"})
    return tmp_path / "authority"


@pytest.mark.parametrize(
    ("host", "name"),
    [("one", "10.0.0.1"), ("one", "127.0.0.1"), ("two", "db.example"), ("two", "127.0.0.1"), ("authority", "fd00::3")],
)
def test_a_host_is_known_by_its_addresses(folder: Path, host: str, name: str) -> None:
    assert greet(folder / f"hosts/{host}.pem", folder / "authority.pem", name) == "TLSv1.3"


def test_a_host_is_no_other_one(folder: Path) -> None:
    with pytest.raises(ssl.SSLCertVerificationError, match="IP address mismatch"):
        greet(folder / "hosts/one.pem", folder / "authority.pem", "10.0.0.2")


def test_another_runs_authority_is_not_this_ones(folder: Path, tmp_path: Path) -> None:
    certify(tmp_path / "other", {"one": "10.0.0.1"})
    with pytest.raises(ssl.SSLCertVerificationError, match="certificate verify failed"):
        greet(tmp_path / "other/hosts/one.pem", folder / "authority.pem", "10.0.0.1")


def test_keys_are_their_owners_alone_and_the_authoritys_is_nowhere(folder: Path) -> None:
    assert folder.stat().st_mode & 0o777 == 0o700
    holding = {path.name: path.stat().st_mode & 0o777 for path in pems(folder) if b"PRIVATE" in path.read_bytes()}
    assert holding == {"one.pem": 0o600, "two.pem": 0o600, "authority.pem": 0o600}


def test_a_run_begins_with_certificates_of_its_own(folder: Path) -> None:
    before = (folder / "authority.pem").read_bytes()
    certify(folder, {"one": "10.0.0.1"})
    assert (folder / "authority.pem").read_bytes() != before
    assert pems(folder) == [folder / "authority.pem", folder / "hosts/one.pem"]
