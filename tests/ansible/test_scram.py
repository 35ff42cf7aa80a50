"""SCRAM-SHA-256 against the RFC's own example, and against servers that are not what they say."""

import pytest

from ansible.module_utils.pressgauge.scram import ScramClient, ScramError
from ansible.module_utils.pressgauge.servers import Credentials

# RFC 7677, section 3
NONCE = "rOprNGfwEbeRWgbNEkqO"
SERVER_NONCE = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
SERVER_FIRST = f"r={SERVER_NONCE},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
SERVER_FINAL = b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
PROOF = b"dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="


@pytest.fixture
def client() -> ScramClient:
    return ScramClient("user", "pencil", NONCE)


def test_the_rfcs_example(client: ScramClient) -> None:
    assert client.first() == f"n,,n=user,r={NONCE}".encode()
    assert client.final(SERVER_FIRST.encode()) == b"c=biws,r=" + SERVER_NONCE.encode() + b",p=" + PROOF
    client.check(SERVER_FINAL)


def test_commas_and_equals_signs_in_a_name_are_escaped() -> None:
    assert ScramClient("a=b,c", "pencil", NONCE).first() == f"n,,n=a=3Db=2Cc,r={NONCE}".encode()


@pytest.mark.parametrize(
    "answer",
    [
        SERVER_FIRST.replace("rOpr", "xxxx"),
        SERVER_FIRST.replace("4096", "1"),
        SERVER_FIRST.replace("4096", "many"),
        SERVER_FIRST.replace("W22Z", "!!"),
        "e=other-error",
        "",
        "\xff",
    ],
)
def test_an_answer_that_is_none_is_refused(client: ScramClient, answer: str) -> None:
    with pytest.raises(ScramError):
        client.final(answer.encode("latin-1"))


@pytest.mark.parametrize("answer", [b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G0=", b"v=", b"", b"e=invalid-proof"])
def test_a_server_that_does_not_know_the_password_is_refused(client: ScramClient, answer: bytes) -> None:
    client.final(SERVER_FIRST.encode())
    with pytest.raises(ScramError):
        client.check(answer)


def test_an_exchange_that_skips_the_proof_is_refused(client: ScramClient) -> None:
    with pytest.raises(ScramError):
        client.check(b"v=")


def test_a_password_is_not_printed() -> None:
    assert "pencil" not in repr(Credentials("pencil"))
