"""The modules of the playbooks, importable as Ansible imports them."""

from pathlib import Path

import pytest

import ansible
import ansible.module_utils

ROOT = Path(__file__).resolve().parents[2]
ansible.__path__.append(str(ROOT / "ansible"))
ansible.module_utils.__path__.append(str(ROOT / "ansible/module_utils"))


@pytest.fixture
def root() -> Path:
    return ROOT
