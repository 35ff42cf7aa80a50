"""A stock property file of YCSB as a campaign with a mix: what it says is taken, told to mean nothing here, or refused.

Refused is what would have the campaign measure another workload than the file describes.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import ValidationError

from harness.errors import InputError
from harness.spec.faults import in_plain_words
from harness.spec.mixes.ycsb import Mix, said_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

_PAIR = re.compile(r"\s*([^\s=:]+)\s*[=:\s]\s*(.*?)\s*")
_CORE = re.compile(r"(site\.ycsb|com\.yahoo\.ycsb)\.workloads\.CoreWorkload|CoreWorkload")
_YCSBS_OWN = {"readproportion": 0.95, "updateproportion": 0.05}
_ONE_VALUE = {
    "dataintegrity": ("false", "every document is verified in another way"),
    "fieldlengthdistribution": ("constant", "fields have one length, so that page sizes stay comparable"),
    "fieldnameprefix": ("field", "fields are called field0, field1, …"),
    "insertorder": ("hashed", "keys are hashed"),
    "insertstart": ("0", "a load inserts all records"),
    "zeropadding": ("1", "keys are not padded"),
}
"""Keys with the only value that a campaign can have, and what is so here."""
_OF_NO_CONSEQUENCE = (
    (r"table|columnfamily|db|mongodb\..*|dotransactions|label", "the database is Pressgauge's to name and to reach"),
    (r"(measurement|histogram|hdrhistogram|timeseries|status|export).*|report.*|latencytrackederrors",
     "latencies are kept second by second, as histograms"),
    (r"core_workload_insertion_retry_.*", "an insert that fails is counted, not repeated"),
)  # fmt: skip


@dataclass(frozen=True)
class Imported:
    """What became of a property file."""

    mix: str
    """The content of its mix's file."""
    campaign: str
    """The content of a campaign's file, whose only workload has the mix of the given name."""
    taken: tuple[str, ...]
    left: tuple[str, ...]
    """What was taken and what was not, a line each."""


def import_ycsb(path: Path, name: str) -> Imported:
    """The campaign called `name` that measures what a stock property file of YCSB describes.

    Raises:
        InputError: with one line per fault: what Pressgauge can't do as the file says, or can't read.
    """
    return _Import(path).made(name)


class _Import:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.said: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self.faults: list[str] = []
        self.taken: list[str] = []
        self.left: list[str] = []
        for number, line in said_lines(path):
            pair = _PAIR.fullmatch(f"{line} ")
            key, value = (pair[1], pair[2]) if pair else (line.strip(), "")
            self.said[key], self.lines[key] = value, number  # the last one counts, as in Java

    def made(self, name: str) -> Imported:
        mix = self._mix()
        campaign = self._campaign(name)
        for key, value in self.said.items():
            self._rest(key, value)
        if self.faults:
            raise InputError(
                "\n".join(self.faults), do="import a copy of the file without these keys, if another workload will do"
            )
        return Imported(_mix_text(self.path.name, mix), campaign, tuple(self.taken), tuple(self.left))

    def _fault(self, key: str, why: str) -> None:
        at = f"{self.path}:{self.lines[key]}" if key in self.lines else str(self.path)
        self.faults.append(f"{at}: {key}: {why}" if key else f"{at}: {why}")

    def _take(self, key: str, read: Callable[[str], Any], to: str) -> Any:
        """A value that is taken; None where the file does not say it, or says nothing that can be read."""
        if key not in self.said:
            return None
        value = self.said.pop(key)
        try:
            found = read(value)
        except ValueError:
            self._fault(key, f"{value!r} is not what YCSB takes there")
            return None
        self.taken.append(f"{key}={value}: {to}")
        return found

    def _mix(self) -> Mapping[str, Any]:
        values: dict[str, Any] = dict(_YCSBS_OWN)
        for name, info in Mix.model_fields.items():
            key = info.alias or name
            found = self._take(key, _reader(info.default, key), "in the mix")
            if found is not None:
                values[key] = found
            elif key in _YCSBS_OWN:
                self.taken.append(
                    f"{key}={_YCSBS_OWN[key]}: in the mix; the file does not say it, so it is YCSB's default"
                )
        try:
            return Mix.model_validate(values).properties()
        except ValidationError as error:
            for detail in error.errors():
                self._fault(str(detail["loc"][0]) if detail["loc"] else "", in_plain_words(detail, Mix))
            return {}

    def _campaign(self, name: str) -> str:
        records = self._take("recordcount", _whole, "`records`")
        operations = self._take("operationcount", _whole, "`operations` of the workload")
        seconds = self._take("maxexecutiontime", _whole, "`timeout_s`" if operations else "`measure_s` of the workload")
        threads = self._take("threadcount", _whole, "`threads`") or 1
        target = self._take("target", _whole, "`target_per_s` of the workload")
        fields = self._take("fieldcount", _whole, "`document.fields`") or 10
        length = self._take("fieldlength", _whole, "`document.field_length`") or 100
        if not records:
            self._fault("recordcount", "missing; YCSB needs it, too")
        bound = {"measure_s": None, "operations": operations} if operations else {"measure_s": seconds or 20}
        longest = {"timeout_s": max(10, seconds)} if operations and seconds else {}
        offered = {"target_per_s": target} if target else {}
        spec = {
            "question": f"Which block compressor should {name} run?",
            "seed": 1,
            "blocks": 4,
            "engines": {"6.0.5": {"source": "pypi", "version": "6.0.5"}},
            "arms": {one: {"block_compressor": one} for one in ("none", "snappy", "zlib", "zstd")},
            "datasets": {"sentences": {"recipe": "faker-sentences"}},
            "document": {"fields": fields, "field_length": length},
            "records": records,
            "cache_size": "1GiB",
            "load": {"threads": threads},
            "workloads": {name: {"threads": threads, **bound, **longest, **offered}},
            "decision": {"baseline": "snappy"},
        }
        told = f"# {self.path.name} of YCSB, imported. It says nothing of arms, engine, dataset, cache and blocks.\n"
        return told + yaml.safe_dump(spec, sort_keys=False, allow_unicode=True, width=120)

    def _rest(self, key: str, value: str) -> None:
        """What is neither the mix's nor the campaign's."""
        if key == "workload":
            if _CORE.fullmatch(value):
                self.left.append(f"{key}={value}: Pressgauge's own class does the core's operations")
            else:
                self._fault(key, f"{value} is another workload than YCSB's core, the only one that there is here")
        elif key in _ONE_VALUE:
            only, here = _ONE_VALUE[key]
            if value == only:
                self.left.append(f"{key}={value}: {here}")
            else:
                self._fault(key, f"{value}: only {only} can be had: {here}")
        elif key == "insertcount":
            self._fault(key, f"{value}: a load inserts all records")
        elif key.endswith("proportion") and not re.fullmatch(r"0*\.?0*", value):
            self._fault(key, f"{value}: there is no such operation")
        else:
            why = next((why for keys, why in _OF_NO_CONSEQUENCE if re.fullmatch(keys, key)), None)
            self.left.append(f"{key}={value}: {why or 'YCSB’s core workload has no such key either'}")


def _whole(text: str) -> int:
    return int(text)


def _decimal(text: str) -> float:
    found = float(text)
    if not math.isfinite(found):
        raise ValueError
    return found


def _flag(text: str) -> bool:
    return text.lower() == "true"  # all else is false to Java


def _reader(default: Any, key: str) -> Callable[[str], Any]:
    """How a key of a mix is read, by the type of its default."""
    if isinstance(default, bool):
        return _flag
    if isinstance(default, int):
        return _whole
    return _decimal if isinstance(default, float) or key.endswith("proportion") else str


def _mix_text(source: str, mix: Mapping[str, Any]) -> str:
    return "".join(_mix_lines(source, mix))


def _mix_lines(source: str, mix: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {source} of YCSB, imported.\n"
    for key, value in mix.items():
        yield f"{key}={str(value).lower() if isinstance(value, bool) else value}\n"
