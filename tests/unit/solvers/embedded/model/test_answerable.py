import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.solvers.embedded.models import Answerability
from quaestor.solvers.embedded.page import StemWeights

MODEL = Answerability(
    StemWeights({"net": 0.1}, 2.0),
    np.array([1, 0], np.float32),
    np.array([2, 1], np.float32),
    np.array([0.5, -1], np.float32),
    0.0,
)


def test_unknown_words_have_the_default_weight() -> None:
    assert (MODEL.stems.of("net"), MODEL.stems.of("zeppelin")) == (0.1, 2.0)


def test_an_average_question_has_the_probability_of_the_intercept() -> None:
    assert MODEL.probability(np.array([1, 0], np.float32)) == 0.5
    assert MODEL.probability(np.array([5, 0], np.float32)) == pytest.approx(1 / (1 + np.exp(-1.0)))


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=2, max_size=2))
def test_result_is_a_probability(measured: list[float]) -> None:
    assert 0 <= MODEL.probability(np.array(measured, np.float32)) <= 1
