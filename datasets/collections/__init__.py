"""Documents of one's own: read from files as BSON, and sampled in runs of neighbours."""

from datasets.collections.anonymise import MOST_CHANGE, Anonymise
from datasets.collections.files.metadata import Index
from datasets.collections.live.sampling import take_live_sample
from datasets.collections.live.server import LiveCollection, live_collection
from datasets.collections.profile import PathProfile
from datasets.collections.sample import read_documents, take_sample
from datasets.collections.sources import find_collection
from datasets.collections.spool import Run
from datasets.collections.stored_sample import Sample, SampleManifest, is_sample

__all__ = [
    "MOST_CHANGE",
    "Anonymise",
    "Index",
    "LiveCollection",
    "PathProfile",
    "Run",
    "Sample",
    "SampleManifest",
    "find_collection",
    "is_sample",
    "live_collection",
    "read_documents",
    "take_live_sample",
    "take_sample",
]
