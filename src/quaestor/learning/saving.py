"""Saves weights as text files; the same weights give the same bytes."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quaestor.core import serial
from quaestor.errors import InputError, ModelError
from quaestor.learning.examples import Example
from quaestor.learning.signature import DIGITS
from quaestor.learning.trees import FittedTrees
from quaestor.scoring.scorers import SCORERS, measures_of
from quaestor.scoring.statistics import Proportion
from quaestor.solvers.embedded.loading import ANSWERABLE_FILE, CHOICES_FILE, WEIGHT_FILES, EmbeddedWeights
from quaestor.solvers.embedded.models import (
    ANSWERABLE_MEASURES,
    CHOICE_MEASURES,
    FORMS,
    MEASURES,
    Answerability,
    Calibration,
    Ranker,
)
from quaestor.solvers.embedded.operand_pool import SignatureModel
from quaestor.solvers.embedded.plan_features import CANDIDATE_FEATURES

LIMITS = (
    "learned from English annual report pages of large companies, each with one table, and from questions as phrased "
    "by the benchmarks' annotators",
    "a turn is one operation on numbers of the page, earlier results and constants, a percentage change, or the sum "
    "or the average of several numbers",
    "scores on the training files do not generalise to other pages",
)
"""Limits of the weights, for their card."""


def save_weights(weights: EmbeddedWeights, folder: Path, card: dict[str, object]) -> None:
    """Write the weights and their card to a folder, creating it if it is missing.

    Args:
        card: Description of the weights for users, as JSON; a digest of the files is added to it.

    Raises:
        ModelError: The folder cannot be written, or the weights have a kind that cannot be saved.
    """
    if not isinstance(weights.leaves, FittedTrees):
        raise ModelError("only newly fitted trees can be saved as the weights of the leaf scorer")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / "idf.json", {"weight": dict(weights.idf.weight), "unseen": weights.idf.unseen})
        _write(folder / "signature.json", _signature_json(weights.signature))
        _write(folder / "references.json", {trait: weights.references[trait] for trait in sorted(weights.references)})
        weights.leaves.save(folder / "leaves.json")
        _write(folder / "ranker.json", _ranker_json(weights.ranker))
        _write(folder / "calibration.json", _regression_json(weights.calibration, MEASURES))
        _write(folder / CHOICES_FILE, _regression_json(weights.choices, CHOICE_MEASURES))
        names = [*WEIGHT_FILES, CHOICES_FILE]
        if weights.answerable is not None:
            _write(folder / ANSWERABLE_FILE, _answerable_json(weights.answerable))
            names.append(ANSWERABLE_FILE)
        digest = hashlib.sha256()
        for name in names:
            digest.update((folder / name).read_bytes())
        _write(folder / "card.json", {**card, "digest": digest.hexdigest()})
    except OSError as error:
        raise ModelError(f"cannot write the weights to {folder}: {error.strerror}") from error


def training_card(
    files: Sequence[Path],
    examples: Sequence[Example],
    dialogues: Sequence[Example],
    seed: int,
    figures: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """Return a card: the training data (files by name and digest, counts, seed), figures, and limits.

    Args:
        examples: Conversations with pages from the files.
        dialogues: Conversations from which only the operations of turns were learned.
        figures: Result of `held_out_figures`; None if not measured.
    """
    return {
        "files": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files},
        "conversations with pages": len(examples),
        "turns with pages": sum(len(example.questions) for example in examples),
        "dialogues and single questions": len(dialogues),
        "turns of these": sum(len(example.questions) for example in dialogues),
        "companies": len({example.company for example in (*examples, *dialogues)}),
        "seed": seed,
        "figures": dict(figures) if figures else "not measured",
        "limits": list(LIMITS),
    }


def held_out_figures(path: Path) -> dict[str, object]:
    """Return the figures of a card from the output of `quaestor crossvalidate --json`, by file if there are several.

    Units: shares from 0 to 1.

    Raises:
        InputError: The file has another content.
    """
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        if "files" in report:
            return {str(name): _held_out(report) for name, report in report["files"].items()}
        return _held_out(report)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} is not the output of `quaestor crossvalidate --json`: {error}") from error


def _held_out(report: Mapping[str, Any]) -> dict[str, object]:
    score, turns, reachable = report["score"], int(str(report["turns"])), int(str(report["reachable"]))
    measures, sure = measures_of(score), score.get("certainty")

    def share(figure: object) -> float:
        return round(serial.restore(Proportion, figure).value, 4)

    return {
        "measured by": "quaestor crossvalidate, on companies held out, with own history",
        "turns": turns,
        **{SCORERS[name].title: share(score[name]) for name in (measures.right, measures.second)},
        "reference among the candidates": round(reachable / turns, 4),
        "calibration error": round(sure["error"], 4) if sure else None,
        "right of the surest half": share(sure["surest_half"]) if sure else None,
    }


def _signature_json(model: SignatureModel) -> dict[str, object]:
    """Weights other than zero by feature, as alternating classes and weights."""
    features = {
        name: [item for column, weight in enumerate(model.weights[row]) if weight for item in (column, _short(weight))]
        for name, row in model.features.items()
    }
    return {
        "classes": list(model.classes),
        "intercept": [round(float(value), 4) for value in model.intercept],
        "features": {name: items for name, items in features.items() if items},
    }


def _short(weight: np.float32) -> float:
    return round(float(weight), DIGITS)


def _ranker_json(ranker: Ranker) -> dict[str, object]:
    """Weights of the ranker by form of plan: columns, codes of each category, intercept.

    `alone` has the weights that independent questions add to all forms.
    """
    return {
        "columns": list(CANDIDATE_FEATURES),
        "mean": [round(float(value), 5) for value in ranker.mean],
        "scale": [round(float(value), 5) for value in ranker.scale],
        "weights": {
            name: [round(float(weight), 4) for weight in row] for name, row in zip(FORMS, ranker.weights, strict=True)
        },
        "alone": [round(float(weight), 4) for weight in ranker.alone],
    }


def _regression_json(calibration: Calibration, measures: Sequence[str]) -> dict[str, object]:
    return {"intercept": calibration.intercept, "weights": dict(zip(measures, calibration.weights, strict=True))}


def _answerable_json(model: Answerability) -> dict[str, object]:
    """Mean, deviation and weight of each feature for the probability of an answer."""
    columns = zip(ANSWERABLE_MEASURES, model.mean, model.scale, model.weights, strict=True)
    return {
        "intercept": model.intercept,
        "measures": {name: [round(float(value), 4) for value in values] for name, *values in columns},
        "unseen": model.stems.unseen,
        "stems": dict(model.stems.weight),
    }


def _write(path: Path, content: dict[str, object]) -> None:
    lines = ",\n".join(
        f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}" for key, value in content.items()
    )
    path.write_text("{\n" + lines + "\n}\n", encoding="utf-8")
