"""A mix: which operations a run workload is made of, and which documents they take, in YCSB's words. A property file.

What is read means the same to YCSB: comments, and lines of the plain form `key=value`. All else that the format of
property files knows (`:` or a space for `=`, escapes, continued lines) is refused, and so is every key that is not a
mix's: what else YCSB reads, the campaign says.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, ValidationError, model_validator

from core.model import Part
from harness.errors import InputError, did_you_mean
from harness.spec.faults import in_plain_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pydantic_core import ErrorDetails

Distribution = Literal["uniform", "zipfian", "latest", "hotspot", "exponential"]
Share = Annotated[float, Field(ge=0, le=1)]
Documents = Annotated[int, Field(ge=1, le=1_000_000)]

ENDING, OWN_ENDING = ".properties", ".mix.yaml"
"""Of the files of YCSB's mixes, and of mixes of one's own."""
_MAX_BYTES = 64 * 2**10
_MOST_SHOWN = 10
_PLAIN = re.compile(r"[ \t\f]*([\w.]+)[ \t\f]*=[ \t\f]*([\w.+-]+)", re.ASCII)
_WHOLE, _DECIMAL = re.compile(r"[0-9]{1,9}"), re.compile(r"[0-9]{1,9}\.[0-9]{1,17}")
_SAID_ELSEWHERE = {
    "recordcount": "`records` of the campaign",
    "operationcount": "`operations` of the workload",
    "maxexecutiontime": "`measure_s` and `warmup_s` of the workload",
    "threadcount": "`threads` of the workload",
    "target": "`target_per_s` of the workload",
    "fieldcount": "`document.fields` of the campaign",
    "fieldlength": "`document.field_length` of the campaign",
    "workload": "Pressgauge, which has its own workload class",
}


class Mix(Part):
    """What a mix's property file may say: YCSB's own keys, each with YCSB's default."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    readproportion: Share = Field(
        description="Share of reads. Shares are relative to each other: they need not add up to 1, but must not "
        "all be 0."
    )
    updateproportion: Share = Field(
        description="Share of blind updates. Required, because YCSB's own defaults are 0.05 for updates and 0.95 "
        "for reads."
    )
    scanproportion: Share = Field(0.0, description="Share of scans.")
    insertproportion: Share = Field(0.0, description="Share of inserts.")
    readmodifywriteproportion: Share = Field(0.0, description="Share of read-modify-writes.")
    requestdistribution: Distribution = Field(
        "uniform", description="Distribution of the keys, unless the workload names another."
    )
    hotspotdatafraction: Annotated[float, Field(gt=0, lt=1)] = Field(
        0.2, description="`hotspot`: share of the documents that are hot."
    )
    hotspotopnfraction: Share = Field(0.8, description="`hotspot`: share of the operations that use the hot documents.")
    exponential_percentile: Annotated[float, Field(gt=0, lt=100)] = Field(
        95.0, alias="exponential.percentile", description="`exponential`: this percentage of the operations …"
    )
    exponential_frac: Annotated[float, Field(gt=0, le=1)] = Field(
        0.8571428571, alias="exponential.frac", description="… uses this share of the documents, the latest ones."
    )
    maxscanlength: Documents = Field(1000, description="Largest number of documents in a scan.")
    minscanlength: Documents = Field(1, description="Smallest number of documents in a scan.")
    scanlengthdistribution: Literal["uniform", "zipfian"] = Field(
        "uniform", description="Distribution of the lengths of scans."
    )
    readallfields: bool = Field(default=True, description="Whether reads and scans return all fields, or one.")
    writeallfields: bool = Field(default=False, description="Whether updates write all fields, or one.")

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        if not any(share for name, share in self if name.endswith("proportion")):
            raise ValueError("all proportions are 0")
        if self.minscanlength > self.maxscanlength:
            raise ValueError(f"minscanlength {self.minscanlength} is above maxscanlength {self.maxscanlength}")
        return self

    @property
    def operations(self) -> tuple[str, ...]:
        """The kinds of operations whose latencies are measured, as metrics name them; of a read-modify-write its parts,
        too."""
        found = {
            "read": self.readproportion or self.readmodifywriteproportion,
            "update": self.updateproportion or self.readmodifywriteproportion,
            "insert": self.insertproportion,
            "scan": self.scanproportion,
            "read-modify-write": self.readmodifywriteproportion,
        }
        return tuple(name for name, share in found.items() if share)

    @property
    def distribution(self) -> str:
        """How keys are chosen."""
        return self.requestdistribution

    @property
    def inserts(self) -> bool:
        """Whether records are added to the loaded ones."""
        return self.insertproportion > 0

    @property
    def deletes(self) -> bool:
        """Whether clients have to know which records exist: YCSB's operations delete none."""
        return False

    @property
    def updates(self) -> bool:
        """Whether any of the paths that updates may write are written."""
        return self.updateproportion > 0 or self.readmodifywriteproportion > 0

    @property
    def documents_held(self) -> int:
        """The most documents that a thread holds at once."""
        return self.maxscanlength if self.scanproportion else 1

    def why_not_shared(self, clients: int, fields: int) -> str | None:
        """Why several clients can't choose alike among all records; `fields` of each document can be written."""
        if self.inserts:
            return "each would favour the records that it inserts itself"
        if self.readmodifywriteproportion and self.writeallfields:
            return "their read-modify-writes, which write all fields, can't be told apart"
        if self.readmodifywriteproportion and clients > fields:
            return f"each needs fields of its own to write, and a document has {fields}"
        return None

    def properties(self) -> dict[str, Any]:
        """What YCSB is told, every key of a mix in the order above, said or not."""
        return self.model_dump(by_alias=True)


def find_mixes(name: str, folders: Sequence[Path]) -> list[Path]:
    """The file of a mix, from the first of the folders that has it; two where that has it in either form."""
    for folder in folders:
        if found := [file for ending in (ENDING, OWN_ENDING) if (file := folder / f"{name}{ending}").is_file()]:
            return found
    return []


def mix_names(folders: Sequence[Path]) -> list[str]:
    """What mixes there are in these folders."""
    endings = (ENDING, OWN_ENDING)
    return sorted(
        {
            file.name.removesuffix(ending)
            for folder in folders
            for ending in endings
            for file in folder.glob(f"*{ending}")
        }
    )


def read_mix(path: Path) -> Mix:
    """The mix of a property file.

    Raises:
        InputError: with one line per fault, each with file, line, key and what is allowed.
    """
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    faults: list[str] = []
    for number, line in said_lines(path):
        plain = _PLAIN.fullmatch(line)
        key = plain[1] if plain else ""
        if plain is None:
            faults.append(f"{path}:{number}: {line.strip()[:80]!r} is not `key=value` in the plain form")
        elif key in values:
            faults.append(f"{path}:{number}: {key}: given twice (first on line {lines[key]})")
        else:
            values[key], lines[key] = _typed(plain[2]), number
    try:
        mix = Mix.model_validate(values)
    except ValidationError as error:
        faults += [_describe(path, lines, detail) for detail in error.errors()]
    if faults:
        raise _complaint(faults)
    return mix


def said_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a property file that say something, numbered from 1, as Java reads, ends and indents them.

    Raises:
        InputError: it can't be read, or is too large for a mix.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(_MAX_BYTES + 1)
    except OSError as error:
        mend = "check the path" if isinstance(error, FileNotFoundError) else "make it readable"
        raise InputError(f"{path}: can't be read: {error.strerror}", do=mend) from error
    if len(raw) > _MAX_BYTES:
        raise _complaint([f"{path}: a mix has at most {_MAX_BYTES // 2**10} KiB"])
    for number, line in enumerate(re.split(r"\r\n|\r|\n", raw.decode("latin-1")), start=1):
        if (said := line.lstrip(" \t\f")) and said[0] not in "#!":
            yield number, line


def _typed(text: str) -> Any:
    """A value of the type that its text shows, in forms that Java reads alike; what has another form stays text."""
    if text in {"true", "false"}:
        return text == "true"
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text


def _describe(path: Path, lines: dict[str, int], detail: ErrorDetails) -> str:
    key = str(detail["loc"][0]) if detail["loc"] else ""
    known = [info.alias or name for name, info in Mix.model_fields.items()]
    told = in_plain_words(detail, Mix) + (f" (given: {detail['input']})" if key else "")
    if detail["type"] == "missing":
        told = "this key is required, because YCSB's own default is not 0"
    elif key in _SAID_ELSEWHERE:
        told = f"not a key of a mix: {_SAID_ELSEWHERE[key]} sets this"
    elif detail["type"] == "extra_forbidden":
        told = f"unknown key{did_you_mean(key, known)}; a mix has {', '.join(known)}"
    where = f"{path}:{lines[key]}" if key in lines else str(path)
    return f"{where}: {key}: {told}" if key else f"{where}: {told}"


def _complaint(faults: list[str]) -> InputError:
    more = [f"… and {len(faults) - _MOST_SHOWN} more"] if len(faults) > _MOST_SHOWN else []
    return InputError("\n".join(faults[:_MOST_SHOWN] + more), do="fix the mix; docs/spec.md lists its keys")
