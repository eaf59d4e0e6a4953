"""Trains the weights for questions about filings on labelled conversations, and saves them."""

import gzip
import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import numpy as np

from quaestor.documents.document import Document
from quaestor.facts.table import FactTable, build_facts
from quaestor.learning.filing_confidence import MatcherFits, PlayedQuestion, fit_confidence, play_folds, play_questions
from quaestor.learning.filings import LabelledQuestion, fit_filing_weights, label_questions
from quaestor.learning.trees import FittedTrees
from quaestor.questions.intents import QuestionClassifier
from quaestor.solvers.embedded.filings.loading import HUNDREDTHS, MATCHER_FILE, MILLIONTHS, THOUSANDTHS, locate_weights
from quaestor.solvers.embedded.filings.text_matching import save_text_matcher
from quaestor.solvers.embedded.filings.translation import Translation
from quaestor.solvers.embedded.filings.turns import FilingWeights

_FOLDS = 5


@dataclass(frozen=True, slots=True)
class FilingTraining:
    """Result of training.

    Attributes:
        questions: Number of questions.
        right: Number of questions answered right by weights that were trained without their filings.
    """

    weights: FilingWeights
    questions: int
    right: int


def train_on_filings(questions: Sequence[LabelledQuestion], documents: Mapping[str, Document]) -> FilingTraining:
    """Return weights trained on labelled questions, with a confidence fitted on held-out filings.

    Args:
        questions: The questions, in the order of each conversation.
    """
    tables = {name: build_facts(document) for name, document in documents.items()}
    folds = split_by_company(sorted(tables), min(_FOLDS, len(tables)))
    asked: list[list[LabelledQuestion]] = []
    learned: list[FilingWeights] = []
    for fold in folds:
        others = {name: table for name, table in tables.items() if name not in fold}
        rest = [one for one in questions if one.filing not in fold]
        learned.append(fit_filing_weights(rest, others, folds=[other for other in folds if other is not fold]))
        own = [one for name in sorted(fold) for one in questions if one.filing == name]
        asked.append(own + [one for name in sorted(fold) for one in label_questions(name, tables[name])])

    def play(known: Sequence[FilingWeights]) -> list[list[PlayedQuestion]]:
        return [_play_fold(questions, tables, own) for questions, own in zip(asked, known, strict=True)]

    played = play_folds(learned, play)
    answered = [one for fold_answers in played for one in fold_answers]
    confidence = fit_confidence(played, MatcherFits(played))
    weights = replace(fit_filing_weights(questions, tables, folds=folds), confidence=confidence)
    labelled = {id(one) for one in questions}
    return FilingTraining(weights, len(questions), sum(one.right for one in answered if id(one.question) in labelled))


def _play_fold(
    questions: Sequence[LabelledQuestion], tables: Mapping[str, FactTable], weights: FilingWeights
) -> list[PlayedQuestion]:
    by_filing = groupby(questions, key=lambda question: question.filing)
    return [one for filing, asked in by_filing for one in play_questions(list(asked), tables[filing], weights)]


def split_by_company(
    filings: Sequence[str], count: int, company: Callable[[str], str] | None = None
) -> list[frozenset[str]]:
    """Return filings in folds, all filings of a company in the same one.

    Args:
        company: Returns the company of a filing by its name; by default `company_of`.
    """
    named = {filing: (company or company_of)(filing) for filing in filings}
    companies = sorted(set(named.values()))
    random.Random(0).shuffle(companies)
    return [
        frozenset(filing for filing in filings if named[filing] in companies[place::count]) for place in range(count)
    ]


def company_of(filing: str) -> str:
    """Return the company of a filing: the first word of its name."""
    return re.split(r"[-_ .]", filing, maxsplit=1)[0].lower()


def save_filing_weights(weights: FilingWeights, folder: Path) -> None:
    """Write weights to a folder in the format of `read_filing_weights`."""
    folder.mkdir(parents=True, exist_ok=True)
    trees = {"words": weights.words, "series": weights.ranker}
    if weights.confidence is not None:
        trees |= {"right": weights.confidence.right, "answerable": weights.confidence.answerable}
        if weights.confidence.matcher is not None:
            save_text_matcher(weights.confidence.matcher, folder / MATCHER_FILE)
    written = {
        "intents": _write_classifier(weights.intents).encode(),
        "kinds": _write_classifier(weights.kinds).encode(),
        "translation": _write_translation(weights.translation).encode(),
    }
    for name, fitted in trees.items():
        assert isinstance(fitted, FittedTrees)
        written[name] = fitted.document
    for name, document in written.items():
        locate_weights(folder, name).write_bytes(gzip.compress(document, mtime=0))


def _write_translation(translation: Translation) -> str:
    pairs = {term: _round(found, THOUSANDTHS) for term, found in sorted(translation.asked_for.items())}
    written = {"pairs": pairs, "frequencies": _round(translation.frequencies, MILLIONTHS)}
    return json.dumps(written, separators=(",", ":")) + "\n"


def _round(numbers: Mapping[str, float], whole: float) -> dict[str, int]:
    rounded = {term: round(number * whole) for term, number in sorted(numbers.items())}
    return {term: number for term, number in rounded.items() if number}


def _write_classifier(classifier: QuestionClassifier) -> str:
    rows = {}
    for name, row in classifier.rows.items():
        hundredths = np.rint(classifier.matrix[row] * HUNDREDTHS).astype(int)
        rows[name] = [int(number) for place in hundredths.nonzero()[0] for number in (place, hundredths[place])]
    return json.dumps({"classes": list(classifier.classes), "weights": rows}, separators=(",", ":")) + "\n"
