"""Questions that choose, played on their pages, to learn how sure a choice may be.

Only predictions of weights for pages that they have not seen are learned from; the choices themselves follow rules.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from quaestor.errors import PlanError
from quaestor.learning.examples import Example
from quaestor.plan.execute import execute
from quaestor.questions.question import read_question
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.stated import exact_match, stated_value
from quaestor.solvers.embedded.choosing import ChosenPlan, choose_plans
from quaestor.solvers.embedded.loading import EmbeddedWeights
from quaestor.solvers.embedded.models import ChoiceCalibration, ChoiceEvidence
from quaestor.solvers.embedded.page import PageFeatures
from quaestor.solvers.embedded.turn_state import DialogueState

JudgedChoice = tuple[ChoiceEvidence, bool]
"""What the confidence of a choice is computed from, and whether it was right."""


def judged_choices(
    examples: Iterable[Example], pages: Mapping[str, PageFeatures], weights: EmbeddedWeights
) -> Iterator[JudgedChoice]:
    """Yield the first choice for each independent question that asks for one.

    Args:
        pages: By the digest of the document.
        weights: Of a training that has not seen these pages.
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


def fit_choice_calibration(judged: Sequence[JudgedChoice]) -> ChoiceCalibration:
    """Return the calibration fitted to choices that were right or not; of too few the one that is built in."""
    from sklearn.linear_model import LogisticRegression

    right = [was for _, was in judged]
    if len(set(right)) < 2:
        return ChoiceCalibration()
    fitted = LogisticRegression(C=1.0, max_iter=1000).fit(np.array([e.measures for e, _ in judged]), np.array(right))
    return ChoiceCalibration(tuple(round(float(w), 4) for w in fitted.coef_[0]), round(float(fitted.intercept_[0]), 4))
