"""A mix of one's own, with the file that it is from, so that each fault names file and line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import ValidationError

from harness.errors import InputError
from harness.spec.faults import describe
from harness.spec.mixes.operations import SETTERS, Delete, Insert, MixFile, Update, Upsert
from harness.spec.yaml_source import read_yaml, told_faults

if TYPE_CHECKING:
    from pathlib import Path

    from harness.spec.mixes.ycsb import Mix
    from harness.spec.yaml_source import Fault, YamlSource

_DO = "fix the mix; docs/spec.md lists its keys"


@dataclass(frozen=True)
class OwnMix:
    """What the file says, and where. It answers what YCSB's `Mix` answers."""

    said: MixFile
    source: YamlSource

    @property
    def operations(self) -> tuple[str, ...]:
        """The kinds of operations whose latencies are measured, as metrics name them."""
        return tuple(dict.fromkeys(one.kind for one in self.said.operations))

    @property
    def distribution(self) -> str:
        """How keys are chosen."""
        return self.said.keys.distribution

    @property
    def inserts(self) -> bool:
        """Whether records are added to the loaded ones."""
        return any(isinstance(one, Insert) for one in self.said.operations)

    @property
    def deletes(self) -> bool:
        """Whether clients have to know which records exist."""
        kinds = (Delete, Upsert)
        return any(isinstance(one, kinds) or getattr(one, "deleted", False) for one in self.said.operations)

    @property
    def updates(self) -> bool:
        """Whether the paths that are set, whichever these are, are written."""
        return any(isinstance(one, (Update, *SETTERS)) for one in self.said.operations)

    @property
    def documents_held(self) -> int:
        """The most documents that a thread holds at once."""
        return max(one.documents_held for one in self.said.operations)

    def why_not_shared(self, clients: int, fields: int) -> str | None:  # noqa: ARG002 as YCSB's mixes are asked
        """Why several clients can't choose alike among all records."""
        if self.deletes:
            return "each knows only of the records that it deletes itself"
        if self.inserts and self.distribution == "latest":
            return "each would favour the records that it inserts itself"
        return None

    def properties(self) -> dict[str, Any]:
        """What the client is told, all of it."""
        distribution, *keys = self.said.keys.properties().items()
        told: dict[str, Any] = {"pressgauge.keys": distribution[1]}
        told |= {f"pressgauge.keys.{key}": value for key, value in keys}
        told["pressgauge.operations"] = len(self.said.operations)
        for number, one in enumerate(self.said.operations):
            told |= {f"pressgauge.operations.{number}.{key}": value for key, value in one.properties().items()}
        return told

    def refusal(self, faults: list[Fault]) -> InputError:
        """What is told of faults in the file."""
        return InputError(told_faults(self.source, faults), do=_DO)


AnyMix: TypeAlias = "Mix | OwnMix"
"""A mix of either form; both answer the same."""


def read_own_mix(path: Path) -> OwnMix:
    """The mix of a YAML file.

    Raises:
        InputError: with one line per fault, each with file, line, key and what is allowed.
    """
    source = read_yaml(path)
    if not isinstance(source.data, dict):
        raise InputError(f"{path}: a mix is a mapping of keys, `keys` and `operations`", do=_DO)
    try:
        return OwnMix(MixFile.model_validate(source.data), source)
    except ValidationError as error:
        raise InputError(told_faults(source, describe(source, error.errors(), MixFile)), do=_DO) from error
