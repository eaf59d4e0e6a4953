"""Fits classifiers of questions: multinomial logistic regression on labelled and generated questions."""

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from quaestor.ontology.lexicon import read_lexicon
from quaestor.questions.intents import QuestionClassifier, question_features
from quaestor.questions.understanding import INTENTS, ParsedQuestion, read_filing_question

_LEAST = 3
"""Least number of samples with a feature."""
_INVERSE_PENALTY = 1.0
_STEPS = 150
_SMALLEST = 0.05
"""Least absolute weight that is stored."""
_TIMES = (
    "in 2023", "in fiscal 2024", "for FY22", "in the second quarter", "last year", "in Q3 2024", "for 2021", "2022",
    "FY25", "in the first half", "this year", "for the year", "",
)  # fmt: skip
_MEMBERS = ("the consumer segment", "Europe", "the northern division", "our largest unit", "Asia", "the retail arm")
_EACH = 6
_SHORT = 4
_BEFORE = ("lookup", "lookup", "lookup", "growth", "change", "ratio", "list", "sum")


@dataclass(frozen=True, slots=True)
class QuestionSample:
    """Question with its class.

    Attributes:
        before: Intent of the question before; "" for the first of a conversation.
        label: Class: one of `INTENTS`, or a kind of answer.
        weight: Training weight.
    """

    reading: ParsedQuestion
    before: str
    label: str
    weight: float = 1.0


def fit_classifier(
    samples: Sequence[QuestionSample], classes: tuple[str, ...] = INTENTS, *, by_terms: bool = False
) -> QuestionClassifier:
    """Return a classifier fitted to questions.

    Args:
        classes: The classes.
        by_terms: Whether the terms of a question are features too.
    """
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    features = [tuple(question_features(one.reading, before=one.before, by_terms=by_terms)) for one in samples]
    counts = Counter(name for sample in features for name in sample)
    rows = {name: row for row, name in enumerate(sorted(name for name, count in counts.items() if count >= _LEAST))}
    known = [[rows[name] for name in sample if name in rows] for sample in features]
    ends = np.cumsum([0, *map(len, known)])
    columns = np.concatenate([np.asarray(row, np.int32) for row in known])
    inputs = csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(samples), len(rows)))
    model = LogisticRegression(C=_INVERSE_PENALTY, max_iter=_STEPS, tol=1e-3, fit_intercept=False)
    model.fit(inputs, [classes.index(one.label) for one in samples], sample_weight=[one.weight for one in samples])
    matrix = np.zeros((len(rows), len(classes)), np.float32)
    matrix[:, model.classes_] = model.coef_.T
    matrix[np.abs(matrix) < _SMALLEST] = 0.0
    weighted = {name: row for name, row in rows.items() if matrix[row].any()}
    columns_of = {name: place for place, name in enumerate(weighted)}
    return QuestionClassifier(classes, columns_of, matrix[list(weighted.values())], by_terms)


def generate_samples(*, seed: int = 0, weight: float = 0.5) -> list[QuestionSample]:
    """Return questions generated from templates and the phrases of the lexicon."""
    choose = random.Random(seed)
    lexicon = read_lexicon()
    measures = [" ".join(one.phrases[0]) for one in lexicon.concepts.values() if len(one.phrases[0]) <= _SHORT]
    ratios = [" ".join(one.phrases[0]) for one in lexicon.measures.values() if one.formula and one.phrases]
    samples = []
    for line in (files("quaestor.learning") / "question_templates.tsv").read_text(encoding="utf-8").splitlines():
        intent, after, template = line.split("\t")
        places = set(re.findall(r"\{[A-Z]\}", template))
        for _ in range(_EACH if places else 1):
            text = template
            for place, values in zip("MNRXT", (measures, measures, ratios, _MEMBERS, _TIMES), strict=True):
                text = text.replace(f"{{{place}}}", choose.choice(values))
            before = "" if after == "first" else choose.choice(_BEFORE) if after == "after" else after
            samples.append(QuestionSample(read_filing_question(text.strip()), before, intent, weight))
    return samples
