"""The weights for questions about filings: a folder of JSON files.

`intents.json` and `kinds.json` have the classifiers of questions, `words.json` and `series.json` the rankers of
sentences and of series, `right.json` and `answerable.json` the two models of confidence; all but the first two are
trees that XGBoost fits, read without it.
"""

import json
from pathlib import Path

import numpy as np

from quaestor.errors import ModelError
from quaestor.questions.answer_units import KINDS
from quaestor.questions.intents import QuestionClassifier
from quaestor.questions.understanding import INTENTS
from quaestor.solvers.embedded.filings.deciding import ConfidenceModel
from quaestor.solvers.embedded.filings.turns import FilingWeights
from quaestor.solvers.embedded.model.trees import Trees

HUNDREDTHS = 100.0
"""What the weights of classifiers are written in."""
_TREES = ("words.json", "series.json", "right.json", "answerable.json")


def read_filing_weights(folder: Path) -> FilingWeights | None:
    """Return the weights of a folder; None if it does not exist.

    Raises:
        ModelError: A file is missing or damaged, or was trained for another version.
    """
    if not folder.is_dir():
        return None
    try:
        intents = _read_classifier(folder / "intents.json", INTENTS)
        kinds = _read_classifier(folder / "kinds.json", KINDS, by_terms=True)
        words, series, right, answerable = (_read_trees((folder / name).read_bytes()) for name in _TREES)
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise ModelError(f"cannot read the weights in {folder.name}: {error}; train them again") from error
    return FilingWeights(intents, kinds, words, series, ConfidenceModel(right.names, right, answerable))


def _read_classifier(file: Path, classes: tuple[str, ...], *, by_terms: bool = False) -> QuestionClassifier:
    written = json.loads(file.read_text(encoding="utf-8"))
    if tuple(written["classes"]) != classes:
        raise ModelError(f"{file.name} is of other classes")
    names = list(written["weights"])
    # Of each feature the classes that have a weight, each before it.
    matrix = np.zeros((len(names), len(classes)), np.float32)
    for row, name in enumerate(names):
        pairs = written["weights"][name]
        matrix[row, pairs[::2]] = pairs[1::2]
    matrix /= HUNDREDTHS
    return QuestionClassifier(classes, {name: row for row, name in enumerate(names)}, matrix, by_terms)


def _read_trees(document: bytes) -> Trees:
    return Trees(document, tuple(json.loads(document)["learner"]["feature_names"]))
