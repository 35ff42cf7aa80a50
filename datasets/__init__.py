"""What is stored: recipes, the corpus built from one, its manifest, and the documents that follow from it."""

from datasets.builder import Manifest, prepare
from datasets.corpus import Corpus
from datasets.documents import Documents, DocumentShape, TextDocuments, value
from datasets.errors import DatasetError
from datasets.ratios import DEFAULT_CODECS, ExpectedRatio, expected_ratios
from datasets.recipes import FakerParagraphs, FakerSentences, Locale, Recipe, UserFile, YcsbRandom

__all__ = [
    "DEFAULT_CODECS",
    "Corpus",
    "DatasetError",
    "DocumentShape",
    "Documents",
    "ExpectedRatio",
    "FakerParagraphs",
    "FakerSentences",
    "Locale",
    "Manifest",
    "Recipe",
    "TextDocuments",
    "UserFile",
    "YcsbRandom",
    "expected_ratios",
    "prepare",
    "value",
]
