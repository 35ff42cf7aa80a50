"""Wire compression of an arm: what its clients are told, what its mongod offers, and what a gate holds against it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from analysis.gate.comparability import compare_facts
from harness.ledger.facts import conditions
from harness.ledger.runs import open_run
from harness.plan.trial_vars import connection_options, settings
from harness.spec.load import load_campaign
from tests.campaigns import small

if TYPE_CHECKING:
    from pathlib import Path

    from harness.spec.campaign import Campaign

ALWAYS = {"w": "1", "journal": "false", "retryWrites": "false", "readPreference": "primary"}


def planned(tmp_path: Path, of_all: dict[str, Any] | None = None, of_arm: dict[str, Any] | None = None) -> Campaign:
    sections = {} if of_all is None else {"connection": of_all}
    arm = {"block_compressor": "snappy"} | ({} if of_arm is None else {"connection": of_arm})
    return load_campaign(small(tmp_path / "a.yaml", 27999, arms={"snappy": arm}, **sections))


@pytest.mark.parametrize(
    ("connection", "options", "offered", "asked"),
    [
        (None, {}, None, None),
        ({"compressors": "none"}, {}, "none", None),
        ({"compressors": "zstd"}, {"compressors": "zstd"}, "zstd", "zstd"),
        (
            {"compressors": "zlib", "zlib_level": 0},
            {"compressors": "zlib", "zlibCompressionLevel": "0"},
            "zlib",
            "zlib 0",
        ),
    ],
)
def test_clients_ask_for_what_mongod_then_offers(
    tmp_path: Path, connection: dict[str, Any] | None, options: dict[str, str], offered: str | None, asked: str | None
) -> None:
    spec = planned(tmp_path, connection)
    assert connection_options(spec, "snappy") == ALWAYS | options
    found = settings(spec, "snappy", tls=False)
    assert (found.wire_compressor, found.client_compression) == (offered, asked)


def test_an_arm_has_its_own_in_place_of_the_campaigns(tmp_path: Path) -> None:
    spec = planned(tmp_path, {"compressors": "zlib", "zlib_level": 1}, {"compressors": "none"})
    assert connection_options(spec, "snappy") == ALWAYS
    assert settings(spec, "snappy", tls=False).wire_compressor == "none"


def test_a_baseline_of_before_it_could_be_asked_for_is_comparable(tmp_path: Path) -> None:
    ledger = open_run(tmp_path, "a", "", "20260101T000000Z", anew=True)
    plain, zipped = (conditions(ledger, planned(tmp_path, one)) for one in (None, {"compressors": "zlib"}))
    earlier = {name: fact for name, fact in plain.items() if not name.startswith("connection")}
    assert compare_facts(earlier, plain).all == ()
    assert [one.fact for one in compare_facts(earlier, zipped).forbidding] == ["connection.compressors"]
