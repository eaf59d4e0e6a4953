"""Calculations that follow a list of numbers."""

import asyncio

import pytest
from pages import sample_pages

from quaestor.conversation.turn import Turn
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import answer_conversation
from quaestor.solvers.registry import make_solver

LISTED = "what was the exercise price in 2007 and 2006?"


def last_turn_of(*questions: str) -> Turn:
    page = next(page for page in sample_pages() if page.id == "QUIL/2007/page_88.pdf")
    conversation = Conversation("listed", page, questions)
    solver = make_solver("embedded", {"answers": "all"})
    return asyncio.run(answer_conversation(conversation, solver, GraphProvider.of([page])))[-1]


@pytest.mark.parametrize(
    ("question", "formula"),
    [
        ("and the change?", "48.65 - 33.20"),
        ("what is the average?", "average({48.65; 33.20})"),
        ("and the percentage change?", "(48.65 - 33.20) / 33.20"),
        ("what is the sum?", "sum({48.65; 33.20})"),
        ("and the change from 2005 to 2006?", "33.20 - 27.95"),
    ],
)
def test_calculation_uses_the_listed_numbers(question: str, formula: str) -> None:
    assert last_turn_of(LISTED, question).answer.formula == formula
