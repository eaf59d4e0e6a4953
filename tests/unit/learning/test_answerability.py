"""The probability that a page contains the answer is learned from generated measures."""

import numpy as np
import pytest
from pages import page
from values import a_value

from quaestor.learning.answerability import MeasuredQuestion, fit_answerability, fit_stem_weights
from quaestor.learning.examples import Example
from quaestor.learning.unanswerable import KINDS, OWN, put_questions
from quaestor.scoring.gold import GoldTurn
from quaestor.solvers.embedded.models import ANSWERABLE_MEASURES
from quaestor.solvers.embedded.page import StemWeights

WORDS = StemWeights({}, 1.0)
PLACE = list(ANSWERABLE_MEASURES).index("unknown")


def samples(count: int = 200) -> list[MeasuredQuestion]:
    """Return samples in which one measure nearly separates answerable from unanswerable questions."""
    chance = np.random.default_rng(0)
    found = []
    for n in range(count):
        kind = OWN if n % 2 else KINDS[1 + (n // 2) % (len(KINDS) - 1)]
        measured = chance.normal(size=len(ANSWERABLE_MEASURES)).astype(np.float32)
        measured[PLACE] = abs(measured[PLACE]) * (0.2 if kind == OWN else 3)
        found.append(MeasuredQuestion(measured, kind))
    return found


def test_predictors_are_learned_and_half_have_an_answer() -> None:
    model = fit_answerability(samples(), WORDS)
    assert model is not None
    assert model.weights.argmin() == PLACE
    probabilities = [model.probability(one.measured) for one in samples()]
    assert np.mean(probabilities) == pytest.approx(0.5, abs=0.1)
    own = [p for p, one in zip(probabilities, samples(), strict=True) if one.kind == OWN]
    assert np.mean(own) > 0.75


def test_one_set_of_questions_gives_one_model() -> None:
    first, again = fit_answerability(samples(), WORDS), fit_answerability(samples(), WORDS)
    assert first is not None
    assert again is not None
    assert (first.weights.tolist(), first.intercept) == (again.weights.tolist(), again.intercept)


def test_questions_of_a_single_class_cannot_be_learned_from() -> None:
    assert fit_answerability([one for one in samples() if one.kind == OWN], WORDS) is None
    assert fit_answerability([], WORDS) is None


def test_words_often_missing_on_answering_pages_have_low_weights() -> None:
    def asked(company: str, question: str) -> Example:
        document = page([["", "2008", "2007"], ["rent", "135", "70"]], name=f"{company}/2008/page_1.pdf")
        return Example(company, (question,), (GoldTurn("135", a_value("135"), None, 0),), document, company)

    question = "roughly how much was the rent in 2008?"
    weights = fit_stem_weights(put_questions([asked("ACME", question), asked("BOLT", question.replace("?", " ?"))]))
    assert weights.of("rough") < 0.7 < weights.of("rent")
