"""What tests share: the playbooks' modules, importable as Ansible imports them, and a real engine."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

import ansible
import ansible.module_utils
from harness.spec.load import ROOT
from tests.campaigns import default_engine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


# A busy machine is no fault of ours: no example has to be quick. The same examples each time: what is new is found by
# `make fuzz`, not by whoever changes something else.
settings.register_profile(
    "patient",
    deadline=None,
    derandomize="PRESSGAUGE_FUZZ" not in os.environ,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
        HealthCheck.filter_too_much,
    ],
)
settings.load_profile("patient")

# What starts the tests may ignore signals, as a shell's background does, and the processes of tests would, too.
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)

TESTS = ROOT / "tests"
OWN_HALF = {"harness", "proofs"}


def pytest_itemcollected(item: pytest.Item) -> None:
    """Every room's tests but the harness's run beside it; a module of no room says `beside` itself, or does not."""
    folder = item.path.relative_to(TESTS).parts[0]
    if folder not in OWN_HALF and not folder.endswith(".py"):
        item.add_marker("beside")


@pytest.fixture(autouse=True)
def _hearing() -> Iterator[None]:
    """A command that ends within a test's own process is deaf afterwards; the next test's processes are not."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


ansible.__path__.append(str(ROOT / "ansible"))
ansible.module_utils.__path__.append(str(ROOT / "ansible/module_utils"))


@pytest.fixture(scope="session")
def engine() -> Path:
    """The default engine's binary, provisioned as a campaign does it."""
    return default_engine()
