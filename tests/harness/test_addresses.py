"""Which addresses and cores a spec may name."""

from __future__ import annotations

import pytest

from harness.spec.addresses import check_bind_ip, check_cpus

EVERYWHERE = [
    "*", "", "0", "00", "0x0", "0X00", "0.0", "0.0.0", "0.0.0.0", "00.0.0.0", "0x0.0.0.0", "::", "[::]", "::0",
    "0:0:0:0:0:0:0:0", "::0.0.0.0", "::ffff:0.0.0.0", "::ffff:0:0", "[::ffff:0.0.0.0]", "::%lo", "127.0.0.1,0",
    "127.0.0.1, ::", "127.0.0.1,", "0.", "4294967296", "%", "0.0.0.0%eth0", "::%eth0",
]  # fmt: skip


@pytest.mark.parametrize("address", EVERYWHERE)
def test_no_spelling_of_all_addresses_passes(address: str) -> None:
    with pytest.raises(ValueError, match=r"never listens on all|neither an address nor a host name"):
        check_bind_ip(address)


@pytest.mark.parametrize(
    "address",
    [
        "/tmp/mongod.sock",
        "a b",
        "a\n",
        "-x",
        "x" * 254,
        "127.1",
        "1.2.3",
        "a..b",
        "a;b",
        "fe80::1%a b",
        "fe80::1%eth0\n",
        "🙂",
    ],
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="neither an address nor a host name"):
        check_bind_ip(address)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "::1", "10.0.0.5,127.0.0.1", "10.0.0.5, db-1.example.com", "fe80::1%eth0", "localhost", "0x0.net"],
)  # fmt: skip
def test_addresses_and_names_pass(address: str) -> None:
    assert check_bind_ip(address) == address


@pytest.mark.parametrize("cpus", ["0", "0-3", "0,2-3,8191", "3-3"])
def test_cores_pass(cpus: str) -> None:
    assert check_cpus(cpus) == cpus


@pytest.mark.parametrize("cpus", ["", "3-0", "0-99999999999", "8192", "0-1-2", "1,", "-1", "a", "٣", "0-", "9" * 5000])
def test_reversed_and_absurd_ranges_of_cores_do_not(cpus: str) -> None:
    with pytest.raises(ValueError, match="core"):
        check_cpus(cpus)
