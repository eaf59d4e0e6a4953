"""The learned numbers for questions about pages, read from JSON files that a person can open.

A folder of weights holds `idf.json` (how telling each stem is), `signature.json` (logistic regression),
`references.json` (which earlier results are used), `leaves.json` (boosted trees; of XGBoost's JSON what is needed
to apply them), `ranker.json` (conditional logit), `calibration.json` (how sure is how often right), `choices.json`
(the same of choices among lines and years) and `answerable.json` (whether a page holds an answer), either of which
may be missing, and `card.json` (data, counts, digest). It contains no pickle and no code.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from pydantic_core import from_json

from quaestor.conversation.references.ranking import Weights as ReferenceWeights
from quaestor.conversation.references.ranking import trait_id
from quaestor.errors import ModelError
from quaestor.solvers.embedded.models import (
    ANSWERABLE_MEASURES,
    CHOICE_MEASURES,
    FORMS,
    MEASURES,
    Answerability,
    Calibration,
    ChoiceCalibration,
    Ranker,
)
from quaestor.solvers.embedded.number_features import LEAF_FEATURES
from quaestor.solvers.embedded.operand_pool import SignatureModel
from quaestor.solvers.embedded.page import StemWeights
from quaestor.solvers.embedded.plan_features import CANDIDATE_FEATURES
from quaestor.solvers.embedded.trees import SHIPPED_WEIGHTS, Predictor, Trees, read_sparse_rows

WEIGHT_FILES = ("idf.json", "signature.json", "references.json", "leaves.json", "ranker.json", "calibration.json")
"""The files of a folder of weights, in the order of their digest."""

CHOICES_FILE = "choices.json"
"""How sure choices are, beside the others; folders of before there were choices have none."""

ANSWERABLE_FILE = "answerable.json"
"""The file of what tells whether a page holds an answer; weights of before it was learned have none."""


@dataclass(frozen=True, slots=True)
class EmbeddedWeights:
    """All that was learned for questions about pages."""

    idf: StemWeights
    signature: SignatureModel
    references: ReferenceWeights
    leaves: Predictor
    ranker: Ranker
    calibration: Calibration = field(default_factory=Calibration)
    choices: ChoiceCalibration = field(default_factory=ChoiceCalibration)
    answerable: Answerability | None = None


def clean_column_names(table: dict[str, str]) -> tuple[str, ...]:
    """Return the names of a feature table as XGBoost takes them, which forbids `[`, `]` and `<`."""
    return tuple(table)


@lru_cache(maxsize=4)
def load_weights(folder: Path | None = None) -> EmbeddedWeights:
    """Return the weights of a folder, by default those shipped with the package.

    Raises:
        ModelError: A file is missing, damaged, or of other columns than this version's.
    """
    folder = folder or SHIPPED_WEIGHTS
    if not folder.is_dir():
        raise ModelError(f"no weights in {folder}; make them with `quaestor train`")
    try:
        return _read_folder(folder)
    except (ValueError, TypeError, OverflowError) as error:
        raise ModelError(
            f"the weights in {folder.name} have an unexpected format: {error}; regenerate them with `quaestor train`"
        ) from error


def _read_folder(folder: Path) -> EmbeddedWeights:
    return EmbeddedWeights(
        idf=_read_idf(folder / "idf.json"),
        signature=_read_signature(folder / "signature.json"),
        references=_read_references(folder / "references.json"),
        leaves=Trees.read(folder / "leaves.json", clean_column_names(LEAF_FEATURES)),
        ranker=_read_ranker(folder / "ranker.json"),
        calibration=_read_calibration(folder / "calibration.json"),
        choices=_read_choices(folder / CHOICES_FILE),
        answerable=_read_answerable(folder / ANSWERABLE_FILE),
    )


def _read_json(path: Path) -> dict[str, object]:
    try:
        data = from_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ModelError(
            f"cannot read the weights {path.name}: {error}; regenerate them with `quaestor train`"
        ) from error
    if not isinstance(data, dict):
        raise ModelError(f"the weights {path.name} are not a JSON object; regenerate them with `quaestor train`")
    return data


def _read_idf(path: Path) -> StemWeights:
    data = _read_json(path)
    match data:
        case {"weight": dict(weight), "unseen": float(unseen) | int(unseen)}:
            return StemWeights({str(stem): float(value) for stem, value in weight.items()}, float(unseen))
    raise ModelError(f"the weights {path.name} have an unexpected format; regenerate them with `quaestor train`")


def _read_signature(path: Path) -> SignatureModel:
    data = _read_json(path)
    match data:
        case {"classes": list(classes), "features": dict(features), "intercept": list(intercept)}:
            if len(intercept) != len(classes):
                raise ValueError(f"the lists of {path.name} differ in length")
            return SignatureModel(
                classes=tuple(map(str, classes)),
                features={str(name): row for row, name in enumerate(features)},
                weights=read_sparse_rows(list(features.values()), len(classes), path),
                intercept=np.array(intercept, np.float32),
            )
    raise ModelError(f"the weights {path.name} have an unexpected format; regenerate them with `quaestor train`")


def _read_references(path: Path) -> ReferenceWeights:
    fitted = _read_json(path)
    if not all(isinstance(cues, dict) for cues in fitted.values()):
        raise ModelError(f"the weights {path.name} have an unexpected format; regenerate them with `quaestor train`")
    # EmbeddedWeights of before had words for keys.
    return {
        trait_id(trait): {trait_id(str(cue)): float(weight) for cue, weight in cues.items()}
        for trait, cues in fitted.items()
        if isinstance(cues, dict)
    }


def _read_ranker(path: Path) -> Ranker:
    data = _read_json(path)
    match data:
        case {"columns": list(columns), "mean": list(mean), "scale": list(scale), "weights": dict(weights)}:
            if tuple(columns) != clean_column_names(CANDIDATE_FEATURES) or tuple(weights) != FORMS:
                raise ModelError(
                    f"the weights {path.name} were trained on other columns; regenerate them with `quaestor train`"
                )
            rows = np.array(list(weights.values()), np.float32)
            # Weights of before make no difference between questions.
            alone = np.array(data.get("alone", [0.0] * rows.shape[1]), np.float32)
            if alone.shape != rows.shape[1:] or not len(mean) == len(scale) == len(columns):
                raise ValueError(f"the lists of {path.name} differ in length")
            return Ranker(np.array(mean, np.float32), np.array(scale, np.float32), rows, alone)
    raise ModelError(f"the weights {path.name} have an unexpected format; regenerate them with `quaestor train`")


def _read_calibration(path: Path) -> Calibration:
    data = _read_json(path)
    match data:
        # Weights of before make no difference between questions.
        case {"intercept": float(intercept) | int(intercept), "weights": dict(weights)} if tuple(weights) in (
            MEASURES,
            MEASURES[:4],
        ):
            known = {name: float(weights.get(name, 0.0)) for name in MEASURES}
            return Calibration(tuple(known.values()), float(intercept))
    raise ModelError(f"the weights {path.name} have an unexpected format; regenerate them with `quaestor train`")


def _read_choices(path: Path) -> ChoiceCalibration:
    if not path.exists():
        return ChoiceCalibration()
    data = _read_json(path)
    match data:
        case {"intercept": float(intercept) | int(intercept), "weights": dict(weights)}:
            if tuple(weights) == CHOICE_MEASURES:
                return ChoiceCalibration(tuple(float(weight) for weight in weights.values()), float(intercept))
    raise ModelError(f"the weights {path.name} have an unexpected format; regenerate them with `quaestor train`")


def _read_answerable(path: Path) -> Answerability | None:
    """Return what was learned of questions without an answer; None if that was never, or of other measures."""
    if not path.exists():
        return None
    data = _read_json(path)
    match data:
        case {
            "stems": dict(stems),
            "unseen": float(unseen) | int(unseen),
            "intercept": float(intercept) | int(intercept),
            "measures": dict(measures),
        }:
            if tuple(measures) != tuple(ANSWERABLE_MEASURES):
                return None
            mean, scale, weights = np.array([*measures.values()], np.float32).reshape(-1, 3).T
            words = StemWeights({str(stem): float(weight) for stem, weight in stems.items()}, float(unseen))
            return Answerability(words, mean, scale, weights, float(intercept))
    raise ModelError(f"the weights {path.name} have an unexpected format; regenerate them with `quaestor train`")
