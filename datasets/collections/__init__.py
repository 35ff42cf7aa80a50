"""Documents of one's own: read from files as BSON, and sampled in runs of neighbours."""

from datasets.collections.draw import Run
from datasets.collections.live import take_live_sample
from datasets.collections.metadata import Index
from datasets.collections.profile import PathProfile
from datasets.collections.sample import Sample, SampleManifest, read_documents, take_sample

__all__ = [
    "Index",
    "PathProfile",
    "Run",
    "Sample",
    "SampleManifest",
    "read_documents",
    "take_live_sample",
    "take_sample",
]
