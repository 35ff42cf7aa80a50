"""What has a word on engine settings is held to the table in `analysis.trial.settings`: no setting less, none more."""

from __future__ import annotations

import re
from pathlib import Path

from analysis.trial.records import Compressor, InForce, Settings
from analysis.trial.settings import SETTINGS
from datasets import CODECS
from harness.spec.arm import Arm

ROLE = Path(__file__).parents[1] / "ansible/roles/mongod"
KEYS = {one.key for one in SETTINGS}
OF_CLIENTS = {"write_concern"}
OF_THE_SERVER = {
    "version", "git_version", "feature_compatibility_version", "allocator", "per_cpu_caches", "glibc_tunables",
}  # fmt: skip
OF_REFERENCES = {"hash_bits", "known_hashes"}
"""The role makes the dictionary of normalised documents; these are the clients' alone."""
OF_DRIVERS = {"retry_writes", "read_concern", "read_preference", "client_compression"}


def test_each_setting_is_declared_once() -> None:
    assert len(KEYS) == len({one.found for one in SETTINGS}) == len({one.label for one in SETTINGS}) == len(SETTINGS)


def test_the_spec_has_each_setting_of_an_arm() -> None:
    assert Arm.model_fields.keys() - OF_CLIENTS == {one.arm for one in SETTINGS if one.arm}


def test_a_record_has_each_setting_as_asked() -> None:
    assert Settings.model_fields.keys() == KEYS


def test_a_record_has_each_setting_in_force() -> None:
    assert InForce.model_fields.keys() - OF_CLIENTS - OF_THE_SERVER == {one.found for one in SETTINGS}


def test_the_role_applies_each_setting() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in ROLE.rglob("*") if path.is_file())
    assert set(re.findall(r"mongod_settings\.(\w+)", text)) == KEYS - OF_REFERENCES - OF_DRIVERS
    assert {one.key for one in SETTINGS if one.by_clients} > OF_REFERENCES | OF_DRIVERS


def test_each_compressor_has_its_codec() -> None:
    assert set(CODECS) == set(Compressor)


def test_an_arm_has_each_level_of_its_compressors() -> None:
    levels = {f"{name}_level" for name, codec in CODECS.items() if codec.levels}
    assert levels == {key for key in Arm.model_fields if key.endswith("_level")} == KEYS & levels
