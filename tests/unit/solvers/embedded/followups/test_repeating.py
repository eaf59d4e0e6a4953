"""A question repeated in the same words has the same answer."""

import asyncio

import pytest
from pages import page

from quaestor.conversation.turn import Memory
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import run_turn
from quaestor.questions.question import read_question
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.direct_answers import find_repeated_turn
from quaestor.solvers.embedded.loading import load_weights
from quaestor.solvers.embedded.solver import EmbeddedSolver

PAGE = page([["", "2009", "2008", "2007"], ["rent", "5", "7", "4"], ["lease", "2", "3", "3"]])
KNOWLEDGE = GraphProvider.of([PAGE])
ASKED = ("what was the rent in 2009?", "and in 2008?", "what is the difference?", "what was the lease in 2008?")


@pytest.fixture(scope="module")
def memory() -> Memory:
    solver, memory = EmbeddedSolver(load_weights(), answers="all"), Memory()
    for question in (*ASKED, "What was the rent  in 2009", "and in 2008?"):
        context = TurnContext(PAGE, memory, KNOWLEDGE.graph(PAGE), KNOWLEDGE.ontology)
        memory = Memory((*memory.turns, asyncio.run(run_turn(question, context, solver))))
    return memory


def test_repeated_question_has_the_same_answer(memory: Memory) -> None:
    found = [answer.number for answer in memory.answers]
    assert found[:4] == [5, 7, -2, 3]
    again = memory.answers[4]
    assert again.number == 5
    assert again.confidence == memory.answers[0].confidence
    assert "question 1" in str(again.grounds)


def test_follow_up_uses_the_repeated_answer(memory: Memory) -> None:
    assert memory.answers[5].number == 7


@pytest.mark.parametrize("question", ["and in 2008?", "what was the rent in 2007?", "what is the difference?"])
def test_reference_or_new_question_is_no_repetition(memory: Memory, question: str) -> None:
    assert find_repeated_turn(read_question(question), memory) is None
