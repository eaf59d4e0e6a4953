"""Fits the confidence of answers and choices to answers of held-out weights on labelled questions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quaestor.core.quantity import Scale
from quaestor.errors import PlanError
from quaestor.learning.examples import Example
from quaestor.learning.labels import LabelledTurn
from quaestor.learning.pages import PlayedTurn, match_answer
from quaestor.plan.execute import execute
from quaestor.questions.question import read_question
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.stated import exact_match, stated_value
from quaestor.solvers.embedded.beam import START, advance_beam, rank_hypotheses
from quaestor.solvers.embedded.choosing import ChosenPlan, choose_plans
from quaestor.solvers.embedded.loading import EmbeddedWeights
from quaestor.solvers.embedded.models import Calibration, ChoiceEvidence, Evidence
from quaestor.solvers.embedded.page import PageFeatures
from quaestor.solvers.embedded.turn_state import DialogueState, TurnAction

JudgedChoice = tuple[ChoiceEvidence, bool]
"""Measures for the confidence of a choice, and whether it was right."""


@dataclass(frozen=True, slots=True)
class ReplayedTurn:
    """Turn answered after the solver's own history.

    Attributes:
        evidence: The measures for the confidence of its answer.
        right: Whether the answer equals the reference answer.
    """

    evidence: Evidence
    right: bool


def free_rollout(turns: Sequence[PlayedTurn], weights: EmbeddedWeights) -> Iterator[ReplayedTurn]:
    """Yield the turns of one labelled conversation with the solver's own answers; stop if no plan fits."""
    paths, history = START, 1.0
    for number, turn in enumerate(turns):
        question = turn.label.question
        choices = rank_hypotheses(paths, question, turn.page, weights, alone=turn.alone)
        if not choices.ranked:
            return
        evidence = choices.evidence(history, number)
        yield ReplayedTurn(evidence, is_right(choices.ranked[0].outcome, turn.label))
        history *= evidence.share
        paths = advance_beam(choices, question)


def is_right(outcome: TurnAction, label: LabelledTurn) -> bool:
    """Return whether the result of an outcome equals the reference answer."""
    value = np.array([np.nan if outcome.value is None else outcome.value])
    percent = np.array([outcome.operation == "lookup" and outcome.counts.scale is Scale.PERCENT])
    return bool(match_answer(value, percent, label.answer)[0])


def judged_choices(
    examples: Iterable[Example], pages: Mapping[str, PageFeatures], weights: EmbeddedWeights
) -> Iterator[JudgedChoice]:
    """Yield the first choice for each independent question that asks for one.

    Args:
        pages: The features of the pages by the digest of the document.
        weights: Weights that were trained on other pages.
    """
    for example in examples:
        page = pages.get(example.document.digest) if example.document is not None else None
        if page is None or example.document is None or example.chained:
            continue
        for text, gold in zip(example.questions, example.gold, strict=True):
            chosen = next(choose_plans(read_question(text), example.document, page, DialogueState(), weights), None)
            if chosen is not None and gold.stated is not None:
                yield chosen.evidence, _is_right(chosen, gold)


def _is_right(chosen: ChosenPlan, gold: GoldTurn) -> bool:
    try:
        result = execute(chosen.plan, ()).result
    except PlanError:
        return False
    return gold.stated is not None and exact_match(stated_value(result.value, result.scale), gold.stated)


def fit_calibration(
    judged: Sequence[tuple[Evidence | ChoiceEvidence, bool]], cost: float, default: Calibration
) -> Calibration:
    """Return the calibration fitted to answers; the default one if all are right or all are wrong. Deterministic.

    Args:
        cost: Inverse strength of the regularization.
    """
    from sklearn.linear_model import LogisticRegression

    right = [is_correct for _, is_correct in judged]
    if len(set(right)) < 2:
        return default
    fitted = LogisticRegression(C=cost, max_iter=1000).fit(np.array([e.measures for e, _ in judged]), np.array(right))
    return Calibration(tuple(round(float(w), 4) for w in fitted.coef_[0]), round(float(fitted.intercept_[0]), 4))
