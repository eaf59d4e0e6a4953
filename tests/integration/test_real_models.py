"""Each solver with a real model, if one is named: `QUAESTOR_TEST_MODEL=anthropic:NAME pytest tests/integration`.

The wording of the model is not tested, only that simple questions get verified answers with sources.
"""

import os
from collections.abc import Iterator

import pytest
from pydantic_ai.models import override_allow_model_requests

import quaestor

MODEL = os.environ.get("QUAESTOR_TEST_MODEL", "")
PAGE = "sample#QUIL/2007/page_88.pdf"
QUESTIONS = ("what was the exercise price in 2007?", "and in 2006?", "what is the difference?")

pytestmark = [
    pytest.mark.real_model,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not MODEL, reason="no real model is named: set QUAESTOR_TEST_MODEL, such as anthropic:NAME"),
]


@pytest.fixture(autouse=True)
def live_model(no_live_models: None) -> Iterator[None]:
    """Allow live model requests, which are refused in all other tests."""
    with override_allow_model_requests(True):
        yield


@pytest.mark.parametrize("solver", ["agent", "sparql", "workflow", "reflection"])
def test_a_solver_answers_with_sources(solver: str) -> None:
    answers = quaestor.open(PAGE).ask(QUESTIONS, solver=solver, model=MODEL)
    assert [answered.turn.error for answered in answers] == [None] * len(QUESTIONS)
    assert [str(answered) for answered in answers] == ["$ 48.65", "$ 33.20", "$ 15.45"]
    assert all(answered.turn.verified and answered.sources for answered in answers)
    assert all(answered.turn.usage.requests for answered in answers)
