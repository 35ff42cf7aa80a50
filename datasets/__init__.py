"""What is stored: recipes, the corpus built from one, its manifest, and the documents that follow from it."""

from datasets.builder import Manifest, prepare
from datasets.corpus import Corpus
from datasets.documents import SOURCES, Documents, DocumentShape, DocumentSource, TextDocuments, value
from datasets.errors import DatasetError
from datasets.ratios import CODECS, DEFAULT_CODECS, ExpectedRatio, codec_name, expected_ratios
from datasets.recipes import FakerParagraphs, FakerSentences, Locale, Recipe, UserFile, YcsbRandom
from datasets.templates import Ids, TemplateDocuments, Templates

__all__ = [
    "CODECS",
    "DEFAULT_CODECS",
    "SOURCES",
    "Corpus",
    "DatasetError",
    "DocumentShape",
    "DocumentSource",
    "Documents",
    "ExpectedRatio",
    "FakerParagraphs",
    "FakerSentences",
    "Ids",
    "Locale",
    "Manifest",
    "Recipe",
    "TemplateDocuments",
    "Templates",
    "TextDocuments",
    "UserFile",
    "YcsbRandom",
    "codec_name",
    "expected_ratios",
    "prepare",
    "value",
]
