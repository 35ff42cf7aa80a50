"""The whole record of a trial: its place in the campaign, what it came to, and whether it counts."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from analysis.trial.records.bounded import Few
from analysis.trial.records.configured import InForce, Settings
from analysis.trial.records.measured import Phase
from analysis.trial.records.stored import Maintenance, Member, Sizes
from core.bounds import LARGEST_INT, Block, Bytes, Count, Message, Name, NameOrNone, Positive, Seconds, Word
from core.model import Part

_Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_Folder = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$")]
_Path = Annotated[str, StringConstraints(max_length=1000, pattern=r"^[^/\x00-\x1f][^\x00-\x1f]*$")]


def _with_total(steps_s: dict[str, float]) -> dict[str, float]:
    if "total" not in steps_s:
        raise ValueError("the trial's whole length is missing")
    return steps_s


class Regime(StrEnum):
    """Whether a trial's data fits the cache."""

    ANY = "any"
    IN_CACHE = "in-cache"
    OUT_OF_CACHE = "out-of-cache"


class Cell(Part):
    """A cell: one combination of the campaign's factors. Cells are what is compared."""

    engine: Name = Field(description="Name of the engine in the campaign, e.g. `6.0.5`.")
    arm: Name = Field(description="Name of the compressor setting in the campaign, e.g. `zstd-6`.")
    dataset: Name = Field(description="Name of the dataset in the campaign, e.g. `sentences`.")
    platform: NameOrNone = Field(
        "", description="Name of the hosts' platform in the inventory; empty where it names none."
    )


class DictionaryFound(Part):
    """The dictionary of normalised documents, and the references to it that were followed."""

    entries: Count
    referenced: Count = Field(description="Entries to which the documents that were read refer.")
    dangling: Count = Field(description="References that lead nowhere.")
    surplus: Count | None = Field(
        description="Entries without a reference: of values overwritten since, and of writes that failed. None: only "
        "some of the documents were read."
    )


class Verification(Part):
    """Stored documents, recomputed from the generator and compared."""

    expected: Count
    counted: Count
    checked: Count
    missing: Count
    altered: Count
    surplus: Count
    version_sum: Count = Field(
        description="Sum of all versions found: one per read-modify-write, minus those that overlapping writes hid."
    )
    write_sum: Count = Field(
        0, description="Sum of the updates that documents have counted: those of mixes of one's own."
    )
    content_hash: Word
    examples: Annotated[tuple[Message, ...], Few] = ()
    dictionary: DictionaryFound | None = Field(None, description="None: documents hold their values.")


class UpgradeStep(Part):
    """One engine of an in-place upgrade, and the documents as that engine returned them."""

    version: Word
    feature_compatibility_version: Word | None = Field(
        description="The version that it was raised to; None: the engine of the load."
    )
    stop_s: Seconds | None = Field(description="Time to stop the engine before it; None: the engine of the load.")
    start_s: Seconds | None = Field(description="Time to start on the same files, until it listened.")
    verification: Verification


class Reason(Part):
    """Why a trial is void."""

    code: Word = Field(description="Stable code for programs, e.g. `compressor-mismatch`.")
    message: Message = Field(description="For people: what, where, why.")


class Artefact(Part):
    """A raw file of the trial."""

    path: _Path = Field(description="Relative to the trial's folder.")
    size_bytes: Bytes
    blake3: _Digest


class TrialRecord(Part):
    """One run of one arm: a fresh data directory, a load, the run workloads, verification, stop."""

    format_version: Literal[1] = 1
    trial: _Folder = Field(description="Name of the trial's folder, e.g. `0007-2-zstd`.")
    index: Count = Field(description="Place in the plan's order, from 0.")
    attempt: Annotated[int, Field(ge=1, le=LARGEST_INT)] = 1
    block: Block
    cell: Cell
    sharing: Count = Field(
        1, description="Trials of the block that were alive at once and took turns; 1: this trial ran alone."
    )
    seed: Annotated[int, Field(ge=-LARGEST_INT, le=LARGEST_INT)] = Field(
        description="Seed of the documents; the same in every trial of a campaign and dataset."
    )
    started_at: Word = Field(description="UTC, ISO 8601.")
    ended_at: Word
    steps_s: Annotated[dict[Word, Seconds], Field(max_length=1000), AfterValidator(_with_total)] = Field(
        description="Seconds per step of the trial, and for the whole trial as `total`; the rest is the executor's."
    )
    regime: Regime = Field(
        Regime.ANY, description="The regime that was asked for; engine counters prove it, or the trial is void."
    )
    asked: Settings
    in_force: InForce | None
    corpus: Word = Field(description="BLAKE3 digest of the corpus file.")
    expected_ratio: Positive | None = Field(None, description="From the manifest, for the arm's codec and level.")
    sizes: Annotated[tuple[Sizes, ...], Few]
    phases: Annotated[tuple[Phase, ...], Few]
    members: tuple[Member, ...] = Field(
        (), max_length=100, description="Members of a replica set; the figures above are the primary's."
    )
    maintenance: tuple[Maintenance, ...] = Field(
        (), max_length=1000, description="What was done to the data between workloads, each member's first to last."
    )
    verification: Verification | None
    clients_beside: bool | None = Field(
        None,
        description="Whether a client ran on a database's host; None in records that were made before it was kept.",
    )
    upgrades: tuple[UpgradeStep, ...] = Field(
        (),
        max_length=100,
        description="In-place upgrades: the engine of the load, then each engine that started on its files.",
    )
    void: tuple[Reason, ...] = Field((), max_length=10_000, description="Empty: the trial counts.")
    flags: tuple[Reason, ...] = Field(
        (), max_length=10_000, description="Caveats that do not void the trial, e.g. a busy client."
    )
    artefacts: Annotated[tuple[Artefact, ...], Field(max_length=100_000)]

    @property
    def counts(self) -> bool:
        """Whether the trial's figures may be used."""
        return not self.void
