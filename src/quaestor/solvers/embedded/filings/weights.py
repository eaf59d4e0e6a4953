"""The weights for questions about filings: a folder of JSON files.

`intents.json` has the classifier of intents, `series.json` the ranker of series, `right.json` and `answerable.json` the
two models of confidence, and `words.json`, if it is there, the ranker of sentences; all but the first in XGBoost's
format, read without XGBoost.
"""

import json
from pathlib import Path

import numpy as np

from quaestor.errors import ModelError
from quaestor.questions.intents import IntentWeights
from quaestor.questions.understanding import INTENTS
from quaestor.solvers.embedded.filings.deciding import ConfidenceModel
from quaestor.solvers.embedded.filings.turns import FilingWeights
from quaestor.solvers.embedded.model.trees import Trees

_TREES = ("series.json", "right.json", "answerable.json")
_WORDS = "words.json"


def read_filing_weights(folder: Path) -> FilingWeights | None:
    """Return the weights of a folder; None if it does not exist.

    Raises:
        ModelError: A file is missing or damaged, or was trained for another version.
    """
    if not folder.is_dir():
        return None
    try:
        written = json.loads((folder / "intents.json").read_text(encoding="utf-8"))
        series, right, answerable = (_read_trees((folder / name).read_bytes()) for name in _TREES)
        if tuple(written["intents"]) != INTENTS:
            raise ModelError("they are of other intents")
        names = list(written["weights"])
        matrix = np.array([written["weights"][name] for name in names], np.float32)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"cannot read the weights in {folder.name}: {error}; train them again") from error
    words = _read_trees((folder / _WORDS).read_bytes()) if (folder / _WORDS).is_file() else None
    intents = IntentWeights({name: row for row, name in enumerate(names)}, matrix)
    return FilingWeights(intents, series, ConfidenceModel(right.names, right, answerable), words)


def _read_trees(document: bytes) -> Trees:
    return Trees(document, tuple(json.loads(document)["learner"]["feature_names"]))
