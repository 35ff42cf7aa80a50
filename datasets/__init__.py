"""What is stored: recipes, the corpus built from one, its manifest, and the documents that follow from it."""

from datasets.builder import Manifest, prepare
from datasets.corpus import Corpus
from datasets.document_recipes import DocumentRecipe, FakerEvents, FakerOrders, FakerProfiles, IndexAsked, OwnDocuments
from datasets.documents import SOURCES, Documents, DocumentShape, DocumentSource, TextDocuments, value
from datasets.errors import DatasetError
from datasets.locales import Locale
from datasets.own_documents import (
    TemplatesManifest,
    indexes_of_source,
    indexes_to_make,
    mean_bytes,
    prepare_documents,
    run_documents,
    updatable_paths,
)
from datasets.ratios import CODECS, DEFAULT_CODECS, ExpectedRatio, codec_name, expected_ratios
from datasets.recipes import (
    FakerParagraphs,
    FakerSentences,
    Recipe,
    TextRecipe,
    UserFile,
    YcsbRandom,
)
from datasets.templates import Ids, TemplateDocuments, Templates

Prepared = Manifest | TemplatesManifest
"""What a dataset was prepared to: text, or documents of one's own."""

__all__ = [
    "CODECS",
    "DEFAULT_CODECS",
    "SOURCES",
    "Corpus",
    "DatasetError",
    "DocumentRecipe",
    "DocumentShape",
    "DocumentSource",
    "Documents",
    "ExpectedRatio",
    "FakerEvents",
    "FakerOrders",
    "FakerParagraphs",
    "FakerProfiles",
    "FakerSentences",
    "Ids",
    "IndexAsked",
    "Locale",
    "Manifest",
    "OwnDocuments",
    "Prepared",
    "Recipe",
    "TemplateDocuments",
    "Templates",
    "TemplatesManifest",
    "TextDocuments",
    "TextRecipe",
    "UserFile",
    "YcsbRandom",
    "codec_name",
    "expected_ratios",
    "indexes_of_source",
    "indexes_to_make",
    "mean_bytes",
    "prepare",
    "prepare_documents",
    "run_documents",
    "updatable_paths",
    "value",
]
