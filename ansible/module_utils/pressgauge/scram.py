"""SCRAM-SHA-256 (RFC 5802, RFC 7677), the client's side: a proof of the password that never sends it.

Our own, because the driver, which has it too, costs every task 0.3 s of CPU for its import alone. What is secret is
hashed by the standard library; `tests/ansible/test_scram.py` holds this against the RFC's example and real servers.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets

MECHANISM = "SCRAM-SHA-256"
_NO_CHANNEL_BINDING = "n,,"
_FEWEST_ITERATIONS = 4096  # RFC 7677; fewer would make the proof cheap to attack


class ScramError(Exception):
    """The server's part of the exchange is malformed, or proves that it does not know the password."""


class ScramClient:
    """One exchange: send `first()`, then `final(…)` of the answer to it, then `check(…)` the answer to that.

    `password` has to be ASCII, which SASLprep leaves as it is.
    """

    def __init__(self, user: str, password: str, nonce: str | None = None) -> None:
        self._password = password.encode("ascii")
        self._nonce = nonce or secrets.token_urlsafe(24)
        name = user.replace("=", "=3D").replace(",", "=2C")
        self._first_bare = f"n={name},r={self._nonce}"
        self._server_signature = b""

    def first(self) -> bytes:
        """Who wants in."""
        return (_NO_CHANNEL_BINDING + self._first_bare).encode("utf-8")

    def final(self, server_first: bytes) -> bytes:
        """The proof, from the server's salt and number of iterations; raises ScramError."""
        said = _attributes(server_first)
        try:
            nonce, salt, iterations = said["r"], base64.b64decode(said["s"], validate=True), int(said["i"])
        except (KeyError, ValueError, binascii.Error) as error:
            raise ScramError("the server's first message is malformed") from error
        if not nonce.startswith(self._nonce) or iterations < _FEWEST_ITERATIONS:
            raise ScramError("the server answers another exchange, or asks for too few iterations")
        salted = hashlib.pbkdf2_hmac("sha256", self._password, salt, iterations)
        client_key = _hmac(salted, b"Client Key")
        without_proof = f"c={base64.b64encode(_NO_CHANNEL_BINDING.encode()).decode()},r={nonce}"
        message = b",".join((self._first_bare.encode("utf-8"), server_first, without_proof.encode()))
        signature = _hmac(hashlib.sha256(client_key).digest(), message)
        proof = bytes(a ^ b for a, b in zip(client_key, signature, strict=True))
        self._server_signature = _hmac(_hmac(salted, b"Server Key"), message)
        return f"{without_proof},p={base64.b64encode(proof).decode()}".encode()

    def check(self, server_final: bytes) -> None:
        """Raise ScramError unless the server has shown that it knows the password too."""
        try:
            shown = base64.b64decode(_attributes(server_final)["v"], validate=True)
        except (KeyError, ValueError) as error:
            raise ScramError("the server's final message is malformed") from error
        if not self._server_signature or not hmac.compare_digest(shown, self._server_signature):
            raise ScramError("the server does not know the password: it is another one")


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.new(key, message, hashlib.sha256).digest()


def _attributes(message: bytes) -> dict[str, str]:
    return {part[:1]: part[2:] for part in message.decode("utf-8", "replace").split(",")}
