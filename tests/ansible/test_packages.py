"""Which packages the roles ask a host's package manager for, by what the host says of itself.

Only the choice: no package is installed here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar, trust_as_template

ROLES = Path(__file__).resolve().parents[2] / "ansible/roles"


def chosen(role: str, name: str, **known: Any) -> Any:
    """A role's variable on such a host."""
    loader, variables = DataLoader(), dict[str, Any]()
    for part in ("defaults", "vars"):
        variables |= loader.load_from_file(str(ROLES / role / part / "main.yml"), trusted_as_template=True)
    return Templar(loader=loader, variables=variables | known).template(trust_as_template(f"{{{{ {name} }}}}"))


@pytest.mark.parametrize(
    ("facts", "missing", "packages"),
    [
        ({"os_family": "RedHat"}, ["libcurl.so.4"], ["libcurl"]),
        ({"os_family": "RedHat"}, ["libssl.so.3", "libcrypto.so.3", "liblzma.so.5"], ["openssl-libs", "xz-libs"]),
        ({"os_family": "Debian"}, ["libcurl.so.4"], ["libcurl4"]),
    ],
)
def test_only_the_packages_of_missing_libraries_are_asked_for(
    facts: dict[str, str], missing: list[str], packages: list[str]
) -> None:
    results = [{"failed": False}, {"failed": True, "msg": "", "missing_libraries": missing}]
    asked = chosen("engine", "engine_wanted", ansible_facts=facts, engine_installed={"results": results})
    assert json.loads(json.dumps(asked)) == packages


@pytest.mark.parametrize(
    ("facts", "package"),
    [
        ({"os_family": "RedHat", "distribution": "Amazon", "distribution_major_version": "2023"},
         "java-17-amazon-corretto-headless"),
        ({"os_family": "RedHat", "distribution": "Rocky", "distribution_major_version": "9"},
         "java-17-openjdk-headless"),
        ({"os_family": "RedHat", "distribution": "RedHat", "distribution_major_version": "10"},
         "java-21-openjdk-headless"),
        ({"os_family": "Debian", "distribution": "Debian", "distribution_release": "bookworm",
          "distribution_major_version": "12"}, "openjdk-17-jre-headless"),
        ({"os_family": "Debian", "distribution": "Debian", "distribution_release": "trixie",
          "distribution_major_version": "13"}, "openjdk-21-jre-headless"),
    ],
)  # fmt: skip
def test_the_jre_is_the_distributions(facts: dict[str, str], package: str) -> None:
    assert chosen("ycsb", "ycsb_jre_package", ansible_facts=facts, ycsb_java_said={"stdout": ""}) == package
