"""The change of the last look-up from another year of its line, if the question is unambiguous."""

import asyncio

import pytest
from pages import page

from quaestor.conversation.turn import Memory
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import run_turn
from quaestor.plan.execute import execute
from quaestor.plan.steps import Compute
from quaestor.questions.question import read_question
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.direct_answers import plan_change
from quaestor.solvers.embedded.loading import load_weights
from quaestor.solvers.embedded.page import build_number_matrix
from quaestor.solvers.embedded.solver import EmbeddedSolver

PAGE = page([["", "2009", "2008", "2007"], ["rent", "5", "7", "4"], ["lease", "2", "3", "3"]])
KNOWLEDGE = GraphProvider.of([PAGE])


@pytest.fixture(scope="module")
def memory() -> Memory:
    """Return the memory after a look-up of the rent in 2008."""
    context = TurnContext(PAGE, Memory(), KNOWLEDGE.graph(PAGE), KNOWLEDGE.ontology)
    turn = asyncio.run(run_turn("what was the rent in 2008?", context, EmbeddedSolver(load_weights())))
    assert turn.answer.number == 7
    return Memory((turn,))


@pytest.mark.parametrize(
    ("question", "operation", "value"),
    [
        ("what was the change from 2007?", "subtract", 3),
        ("and the change to 2009?", "subtract", -2),
        ("what is the increase over the prior year?", "subtract", 3),
        ("what was the percentage change from 2007?", "percentage_change", 0.75),
        ("how much was the growth since the year before, in percent?", "percentage_change", 0.75),
    ],
)
def test_the_other_year_of_the_line_is_used(memory: Memory, question: str, operation: str, value: float) -> None:
    plan = plan_change(read_question(question), memory, build_number_matrix(KNOWLEDGE.graph(PAGE)))
    assert plan is not None
    last = plan.steps[-1]
    assert isinstance(last, Compute)
    assert last.operation == operation
    found = execute(plan, memory.registers).result.number
    assert found is not None
    assert float(found) == value


@pytest.mark.parametrize(
    "question",
    [
        "what was the change in lease from 2007?",
        "what was the change from 2003?",
        "what was the change from 2008?",
        "what was the change from 2007 to 2009?",
        "what was the lease in 2007?",
    ],
)
def test_ambiguous_question_is_left_to_the_ranker(memory: Memory, question: str) -> None:
    assert plan_change(read_question(question), memory, build_number_matrix(KNOWLEDGE.graph(PAGE))) is None


def test_without_an_answer_there_is_no_change() -> None:
    leaves = build_number_matrix(KNOWLEDGE.graph(PAGE))
    assert plan_change(read_question("what was the change from 2007?"), Memory(), leaves) is None
