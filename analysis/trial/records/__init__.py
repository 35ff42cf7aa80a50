"""The record of one trial: what was asked, what was in force, what was measured, and whether it counts.

Records are immutable and versioned. They hold figures that were read from the trial's raw artefacts
(YCSB's interval histograms, serverStatus, dbStats) and never figures that were computed across trials.
A figure that could not be read is ``None``, never 0.
"""

from analysis.trial.records.configured import Compressor, DiskLimit, DocumentModel, InForce, Settings
from analysis.trial.records.measured import (
    ClientPart,
    Cost,
    DictionaryUse,
    Latency,
    Phase,
    Replayed,
    Served,
    Turn,
    Window,
)
from analysis.trial.records.stored import DictionarySizes, Maintenance, Member, MemberMoment, Oplog, Pages, Sizes
from analysis.trial.records.trial_record import (
    Artefact,
    Cell,
    DictionaryFound,
    Reason,
    Regime,
    TrialRecord,
    UpgradeStep,
    Verification,
)

__all__ = [
    "Artefact",
    "Cell",
    "ClientPart",
    "Compressor",
    "Cost",
    "DictionaryFound",
    "DictionarySizes",
    "DictionaryUse",
    "DiskLimit",
    "DocumentModel",
    "InForce",
    "Latency",
    "Maintenance",
    "Member",
    "MemberMoment",
    "Oplog",
    "Pages",
    "Phase",
    "Reason",
    "Regime",
    "Replayed",
    "Served",
    "Settings",
    "Sizes",
    "TrialRecord",
    "Turn",
    "UpgradeStep",
    "Verification",
    "Window",
]
