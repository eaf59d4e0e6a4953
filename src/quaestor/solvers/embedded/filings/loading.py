"""Weights for questions about filings, in a folder of compressed JSON files.

`intents` and `kinds` are the classifiers of questions, `words` and `series` the rankers of sentences and of series,
`right` and `answerable` the two models of confidence; these four are trees fitted by XGBoost, which is not needed to
read them. `translation` has the words of questions for the words of lines, and `matcher.npz` the weights that compare
questions with results.
"""

import gzip
import zlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from pydantic_core import from_json

from quaestor.errors import ModelError
from quaestor.questions.answer_units import KINDS
from quaestor.questions.intents import QuestionClassifier
from quaestor.questions.understanding import INTENTS
from quaestor.solvers.embedded.filings.deciding import ConfidenceModel
from quaestor.solvers.embedded.filings.text_matching import read_text_matcher
from quaestor.solvers.embedded.filings.translation import Translation
from quaestor.solvers.embedded.filings.turns import FilingWeights
from quaestor.solvers.embedded.trees import SHIPPED_WEIGHTS, Trees, read_sparse_rows

FILINGS_FOLDER = "filings"
"""Subfolder of weights for questions about whole filings; the package's own weights are used if it is missing."""

HUNDREDTHS = 100.0
"""Scale of the stored classifier weights."""
THOUSANDTHS, MILLIONTHS = 1e3, 1e6
"""Scales of the stored probabilities and frequencies of words."""
MATCHER_FILE = "matcher.npz"
_TREES = ("words", "series", "right", "answerable")


@lru_cache(maxsize=4)
def load_filing_weights(folder: Path | None = None) -> FilingWeights:
    """Load the weights for filings from a folder of weights; the package's own weights if it has none for filings.

    Raises:
        ModelError: A file is missing or damaged, or was trained for another version.
    """
    if folder is None or not (folder / FILINGS_FOLDER).is_dir():
        folder = SHIPPED_WEIGHTS
    return read_filing_weights(folder / FILINGS_FOLDER)


def read_filing_weights(folder: Path) -> FilingWeights:
    """Read the weights of a folder.

    Raises:
        ModelError: See `load_filing_weights`.
    """
    try:
        intents = _read_classifier(folder, "intents", INTENTS)
        kinds = _read_classifier(folder, "kinds", KINDS, by_terms=True)
        words, series, right, answerable = (Trees(_read(folder, name)) for name in _TREES)
        translation = _read_translation(folder)
        path = folder / MATCHER_FILE
        matcher = read_text_matcher(path) if path.is_file() else None  # older weights have none
    except (
        OSError,
        EOFError,
        zlib.error,
        ModelError,
        ValueError,
        KeyError,
        IndexError,
        TypeError,
        AttributeError,
        OverflowError,
        BadZipFile,
    ) as error:
        raise ModelError(f"cannot read the weights in {folder.name}: {error}; train them again") from error
    confidence = ConfidenceModel(right.names, right, answerable, matcher)
    return FilingWeights(intents, kinds, words, series, translation, confidence)


def locate_weights(folder: Path, name: str) -> Path:
    """Return the file of a model."""
    return folder / f"{name}.json.gz"


def _read(folder: Path, name: str) -> bytes:
    return gzip.decompress(locate_weights(folder, name).read_bytes())


def _read_translation(folder: Path) -> Translation:
    written = from_json(_read(folder, "translation"))
    pairs = {term: _divide(found, THOUSANDTHS) for term, found in written["pairs"].items()}
    return Translation(pairs, _divide(written["frequencies"], MILLIONTHS))


def _divide(numbers: Mapping[str, int], whole: float) -> dict[str, float]:
    return {term: number / whole for term, number in numbers.items()}


def _read_classifier(
    folder: Path, name: str, classes: tuple[str, ...], *, by_terms: bool = False
) -> QuestionClassifier:
    written = from_json(_read(folder, name))
    if tuple(written["classes"]) != classes:
        raise ModelError(f"{name} is of other classes")
    # For each feature: pairs of a class and its weight.
    matrix = read_sparse_rows(
        list(written["weights"].values()), len(classes), locate_weights(folder, name)
    ) / np.float32(HUNDREDTHS)
    return QuestionClassifier(classes, {name: row for row, name in enumerate(written["weights"])}, matrix, by_terms)
