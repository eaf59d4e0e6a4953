"""Loads the trained weights for questions about pages from JSON files.

A folder of weights contains `idf.json` (weights of stems), `signature.json` (logistic regression of operations),
`references.json` (which earlier results a question uses), `leaves.json` (boosted trees; the part of XGBoost's JSON
needed for prediction), `ranker.json` (conditional logit), `calibration.json` (of confidences), `choices.json` (the same
for choices among lines and years), `answerable.json` (whether a page has an answer), and `card.json` (data, counts,
digest). It contains no pickle and no code.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import numpy as np
from pydantic import FiniteFloat, TypeAdapter, ValidationError

from quaestor.conversation.references.ranking import Weights as ReferenceWeights
from quaestor.core.serial import first_fault
from quaestor.errors import ModelError
from quaestor.solvers.embedded.models import (
    ANSWERABLE_MEASURES,
    CHOICE_MEASURES,
    FORMS,
    MEASURES,
    UNFITTED,
    UNFITTED_CHOICES,
    Answerability,
    Calibration,
    Ranker,
)
from quaestor.solvers.embedded.number_features import LEAF_FEATURES
from quaestor.solvers.embedded.operand_pool import SignatureModel
from quaestor.solvers.embedded.page import StemWeights
from quaestor.solvers.embedded.plan_features import CANDIDATE_FEATURES
from quaestor.solvers.embedded.trees import SHIPPED_WEIGHTS, Trees, read_sparse_rows

WEIGHT_FILES = ("idf.json", "signature.json", "references.json", "leaves.json", "ranker.json", "calibration.json")
"""The files of a folder of weights, in the order of their digest."""

CHOICES_FILE = "choices.json"
"""The calibration of choices."""

ANSWERABLE_FILE = "answerable.json"
"""The model of whether a page has an answer."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EmbeddedWeights:
    """Trained weights for questions about pages."""

    idf: StemWeights
    signature: SignatureModel
    references: ReferenceWeights
    leaves: Trees
    ranker: Ranker
    calibration: Calibration = UNFITTED
    choices: Calibration = UNFITTED_CHOICES
    answerable: Answerability | None = None


@dataclass(frozen=True, slots=True)
class _Signature:
    classes: list[str]
    intercept: list[FiniteFloat]
    features: dict[str, list[FiniteFloat]]


@dataclass(frozen=True, slots=True)
class _Ranker:
    columns: list[str]
    mean: list[FiniteFloat]
    scale: list[FiniteFloat]
    weights: dict[str, list[FiniteFloat]]
    alone: list[FiniteFloat]


@dataclass(frozen=True, slots=True)
class _Regression:
    intercept: FiniteFloat
    weights: dict[str, FiniteFloat]


@dataclass(frozen=True, slots=True)
class _Answerable:
    """Content of `answerable.json`, with the mean, deviation and weight of each feature in `measures`."""

    intercept: FiniteFloat
    measures: dict[str, tuple[FiniteFloat, FiniteFloat, FiniteFloat]]
    unseen: FiniteFloat
    stems: dict[str, FiniteFloat]


@lru_cache(maxsize=4)
def load_weights(folder: Path | None = None) -> EmbeddedWeights:
    """Return the weights of a folder, by default those shipped with the package.

    Raises:
        ModelError: A file is missing, damaged, or has other columns than this version.
    """
    folder = folder or SHIPPED_WEIGHTS
    if not folder.is_dir():
        raise ModelError(f"no weights in {folder}; make them with `quaestor train`")
    try:
        return EmbeddedWeights(
            idf=_read(folder / "idf.json", StemWeights),
            signature=_read_signature(folder / "signature.json"),
            references=_read(folder / "references.json", dict[str, dict[str, FiniteFloat]]),
            leaves=Trees.read(folder / "leaves.json", tuple(LEAF_FEATURES)),
            ranker=_read_ranker(folder / "ranker.json"),
            calibration=Calibration(*_read_regression(folder / "calibration.json", MEASURES)),
            choices=Calibration(*_read_regression(folder / CHOICES_FILE, CHOICE_MEASURES)),
            answerable=_read_answerable(folder / ANSWERABLE_FILE),
        )
    except (OSError, ValueError, OverflowError) as error:
        raise ModelError(
            f"cannot read the weights in {folder.name}: {error}; regenerate them with `quaestor train`"
        ) from error


def _read(path: Path, kind: type[T]) -> T:
    try:
        return TypeAdapter(kind).validate_json(path.read_bytes())
    except ValidationError as error:
        raise ValueError(f"{path.name}: {first_fault(error)}") from error


def _require_columns(path: Path, columns: Iterable[str], expected: Iterable[str]) -> None:
    if tuple(columns) != tuple(expected):
        raise ValueError(f"{path.name} was trained on other columns")


def _read_signature(path: Path) -> SignatureModel:
    read = _read(path, _Signature)
    if len(read.intercept) != len(read.classes):
        raise ValueError(f"the lists of {path.name} differ in length")
    return SignatureModel(
        classes=tuple(read.classes),
        features={name: row for row, name in enumerate(read.features)},
        weights=read_sparse_rows(list(read.features.values()), len(read.classes), path),
        intercept=np.array(read.intercept, np.float32),
    )


def _read_ranker(path: Path) -> Ranker:
    read = _read(path, _Ranker)
    _require_columns(path, read.columns, CANDIDATE_FEATURES)
    _require_columns(path, read.weights, FORMS)
    rows, alone = np.array(list(read.weights.values()), np.float32), np.array(read.alone, np.float32)
    if alone.shape != rows.shape[1:] or not len(read.mean) == len(read.scale) == len(read.columns):
        raise ValueError(f"the lists of {path.name} differ in length")
    return Ranker(np.array(read.mean, np.float32), np.array(read.scale, np.float32), rows, alone)


def _read_regression(path: Path, measures: tuple[str, ...]) -> tuple[tuple[float, ...], float]:
    read = _read(path, _Regression)
    _require_columns(path, read.weights, measures)
    return tuple(read.weights.values()), read.intercept


def _read_answerable(path: Path) -> Answerability:
    read = _read(path, _Answerable)
    _require_columns(path, read.measures, ANSWERABLE_MEASURES)
    mean, scale, weights = np.array([*read.measures.values()], np.float32).T
    return Answerability(StemWeights(read.stems, read.unseen), mean, scale, weights, read.intercept)
