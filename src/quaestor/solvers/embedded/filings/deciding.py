"""Choosing the answer to a question about a filing: estimates which result of its plans is right.

One model estimates the probability that a result is right, another one the probability that the filing has an answer;
the answer is the result with the highest probability.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp

import numpy as np
from numpy.typing import NDArray

from quaestor.facts.table import FactTable
from quaestor.questions.question_parts import split_filing_question
from quaestor.questions.quoted_names import mark_quoted_names, restore_names
from quaestor.questions.word_patterns import names_other_owner
from quaestor.solvers.embedded.filings.binding import TurnState
from quaestor.solvers.embedded.filings.composing.measures import describe_lack
from quaestor.solvers.embedded.filings.compound_answers import answer_all_parts
from quaestor.solvers.embedded.filings.confidence_features import measure_results
from quaestor.solvers.embedded.filings.results import PlanResult, collect_results
from quaestor.solvers.embedded.filings.rules import drop_other_verdicts, weigh_by_rules
from quaestor.solvers.embedded.filings.turns import (
    FilingWeights,
    PastTurn,
    UnderstoodQuestion,
    advance_state,
    read_past,
    understand_turn,
)
from quaestor.solvers.embedded.trees import Trees

_MOST_UNMENTIONED = 0.05
"""Maximum probability that a filing answers a question about a company that it does not mention, or none of whose words
it has.
"""
_LEAST_FOUND = 0.4
"""Minimum share of a question's needs that a filing must cover by synonyms if it has none of its words."""
_CAUTION = 1.5
"""Minimum ratio of the probability of an answer to that of having none, because a wrong number is worse than none."""


@dataclass(frozen=True)
class Decision:
    """The possible answers to a question, with their probabilities.

    Attributes:
        results: The results, likeliest first.
        features: The features of each result whose probability was estimated.
        answerable: The probability that the filing has an answer.
        parts: The decision for each part, if the question has several.
        lack: The missing inputs of the requested measure; "" if none.
    """

    results: tuple[PlanResult, ...]
    features: tuple[Mapping[str, float], ...]
    answerable: float
    parts: "tuple[Decision, ...]" = ()
    lack: str = ""

    @property
    def right(self) -> float:
        """The probability that the first result is right."""
        return self.results[0].right if self.results else 0.0

    @property
    def declines(self) -> bool:
        """Whether no answer is better than the first result."""
        return not self.results or _CAUTION * (1 - self.answerable) > self.right


@dataclass(frozen=True)
class ConfidenceModel:
    """Classifiers over the features of results: whether a result is right, and whether a question has an answer.

    Attributes:
        names: The features, in order.
        right: Trees whose score is the log odds.
    """

    names: tuple[str, ...]
    right: Trees = field(repr=False)
    answerable: Trees = field(repr=False)

    def predict(self, features: Sequence[Mapping[str, float]]) -> tuple[list[float], float]:
        """Return the probability that each result is right, and that an answer exists, from the likeliest result."""
        rows = np.array([[one.get(name, np.nan) for name in self.names] for one in features], np.float32)
        rights = _predict(self.right, rows)
        first = int(np.argmax(rights))
        (answerable,) = _predict(self.answerable, rows[first : first + 1])
        return rights, answerable


def _predict(trees: Trees, rows: NDArray[np.float32]) -> list[float]:
    return [1 / (1 + exp(-float(score))) for score in trees.scores(rows)]


def decide_question(text: str, past: Iterable[PastTurn], table: FactTable, weights: FilingWeights) -> Decision:
    """Decide the answer to a question in the context of the turns before it."""
    state = read_past(past, table, weights)
    understood = understand_turn(text, state, table, weights)
    results = _collect_results(understood)
    outline, names = mark_quoted_names(text, table.line_names)
    texts = [restore_names(part, names) for part in split_filing_question(outline)]
    parts = list(_decide_parts(texts, state, table, weights)) if len(texts) > 1 else []
    if not parts or not all(decision.results for _, decision in parts):
        return _estimate_confidence(understood, results, weights.confidence)
    known = [(part.likely, decision.results) for part, decision in parts]
    joined = tuple(answer_all_parts(known, results, table.document))
    decision = _estimate_confidence(understood, joined or results, weights.confidence)
    return replace(decision, parts=tuple(decision for _, decision in parts))


def _collect_results(understood: UnderstoodQuestion) -> tuple[PlanResult, ...]:
    proposals = drop_other_verdicts(understood.question, understood.proposals)
    return collect_results(proposals, understood.question.table.document)


def _decide_parts(
    texts: Sequence[str], state: TurnState, table: FactTable, weights: FilingWeights
) -> Iterator[tuple[UnderstoodQuestion, Decision]]:
    """Yield the decision for each part of a question, in the context of the parts before it."""
    for text in texts:
        understood = understand_turn(text, state, table, weights)
        decision = _estimate_confidence(understood, _collect_results(understood), weights.confidence)
        yield understood, decision
        plan = decision.results[0].proposal.plan if decision.results else None
        state = advance_state(state, PastTurn(text, plan, decision.right), table, weights)


def _estimate_confidence(
    understood: UnderstoodQuestion, results: tuple[PlanResult, ...], model: ConfidenceModel | None
) -> Decision:
    """Estimate the probability that each result is right, and sort the results by it."""
    question = understood.question
    lack = describe_lack(question)
    if not results:
        return Decision((), (), 0.0, lack=lack)
    features = measure_results(understood, results)
    if model is None:
        return Decision(tuple(replace(result, right=result.share) for result in results), features, 1.0)
    rights, answerable = model.predict(features)
    if names_other_owner(question.reading.text, question.table.mentions) or _is_unmentioned(features[0]):
        answerable = min(answerable, _MOST_UNMENTIONED)
    judged, others = results[: len(features)], results[len(features) :]
    rights = weigh_by_rules(question, judged, rights, lack)
    judged = tuple(replace(result, right=right) for result, right in zip(judged, rights, strict=True))
    order = sorted(range(len(judged)), key=lambda place: -rights[place])
    ranked = (*(judged[place] for place in order), *others)
    return Decision(ranked, tuple(features[place] for place in order), answerable, lack=lack)


def _is_unmentioned(features: Mapping[str, float]) -> bool:
    """Return whether a filing has none of the words of a question, and hardly any synonyms of them."""
    found = features.get("joint_kind", 0.0) + features.get("joint_apart", 0.0)
    return 0 < features["asked"] == features["unheard"] and found < _LEAST_FOUND
