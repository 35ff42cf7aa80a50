"""How codecs do on data: how far they compress it and how fast, by block size and number of processes."""

from datasets.profiling.codecs import CODECS, LIBRARIES, Codec, parse_codec
from datasets.profiling.data import Data, of_documents, read_data
from datasets.profiling.dictionary import LEVEL, DictionaryRatio, with_dictionary
from datasets.profiling.timing import Measured, Speed, Timing, counts, measure

__all__ = [
    "CODECS",
    "LEVEL",
    "LIBRARIES",
    "Codec",
    "Data",
    "DictionaryRatio",
    "Measured",
    "Speed",
    "Timing",
    "counts",
    "measure",
    "of_documents",
    "parse_codec",
    "read_data",
    "with_dictionary",
]
