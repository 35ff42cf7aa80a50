"""Pressgauge as an installed tool. It has no Makefile: what people are told to type is then the command itself."""

from __future__ import annotations

import os
import re
from pathlib import Path

from harness.spec.load import IS_CHECKOUT, ROOT

_COMMANDS = {
    "run-campaign": "run", "check-regression": "gate",
    **{name: name for name in (
        "plan", "doctor", "report", "decide", "verify", "rederive", "times", "baseline", "tear-down", "push", "pull",
        "store-list", "cloud-up", "cloud-list", "cloud-down", "estimate", "sample", "mirror",
        "profile-dataset", "check-engine", "replay",
    )},
}  # fmt: skip
_OPERANDS = {"CAMPAIGN", "RUN", "BASELINE", "CANDIDATE", "FILE", "DATA", "ENGINE_BINARY", "RECORDING"}
_FLAGS = {"NEW", "STRICT", "YES", "AS_BYTES"}
_OPTIONS = {
    "HOME_DIR": "home", "URI_FILE": "uri-file", "MOST_CHANGE": "most-change",
    **{name: name.lower() for name in (
        "RESULTS", "INVENTORY", "STORE", "HOSTS", "REGION", "NAME", "DATASET", "BYTES", "PROCESSES", "CODECS",
        "COLLECTION", "ANONYMISE", "INTO", "SECONDS", "SIZE", "SPEED",
    )},
}  # fmt: skip
_TARGET = re.compile(rf"\bmake ({'|'.join(sorted(_COMMANDS, key=len, reverse=True))})\b")
_VARIABLE = re.compile(rf"\b({'|'.join([*_OPERANDS, *_FLAGS, *_OPTIONS])})=([^\s`,;)]+)")


def default_home() -> Path:
    """Pressgauge's folder on this machine: in the checkout, or among the user's data where it is installed."""
    if IS_CHECKOUT:
        return ROOT / ".pressgauge"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "pressgauge"


def as_typed(text: str, *, checkout: bool = IS_CHECKOUT) -> str:
    """A text that tells what to type, in the words of this installation."""
    if checkout:
        return text
    told = _TARGET.sub(lambda found: f"pressgauge {_COMMANDS[found[1]]}", text)
    return _VARIABLE.sub(_argument, told)


def _argument(found: re.Match[str]) -> str:
    name, value = found.groups()
    if name in _OPERANDS:
        return value
    return f"--{name.lower().replace('_', '-')}" if name in _FLAGS else f"--{_OPTIONS[name]} {value}"
