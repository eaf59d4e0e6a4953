"""Concurrent conversations on one solver do not affect each other."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from pages import page

from quaestor.conversation.turn import Turn
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.evaluation.runner import answer_conversation
from quaestor.solvers.embedded.loading import load_weights
from quaestor.solvers.embedded.solver import EmbeddedSolver

RENT = page(
    [["( in millions )", "2010", "2009", "2008"], ["rent", "30", "20", "16"], ["net revenue", "310", "290", "200"]],
    ["rent rose by 4 million in 2009 ."],
)
TAX = page(
    [["( in millions )", "2010", "2009", "2008"], ["income taxes", "7", "5", "2"], ["net income", "71", "55", "20"]],
    ["income taxes were lower in 2009 than in 2010 ."],
)
QUESTIONS = {
    "rent": ("what was the rent in 2010?", "and in 2009?", "what is the change?", "what share of that is the rent?"),
    "revenue": ("what was net revenue in 2009?", "and in 2010?", "what is the sum?", "and in 2008?"),
    "taxes": ("what were income taxes in 2010?", "and net income?", "what is the ratio?", "and in 2009?"),
}


def conversations() -> list[Conversation]:
    pages: dict[str, Document] = {"rent": RENT, "revenue": RENT, "taxes": TAX}
    found = [Conversation(f"{name} {n}", pages[name], QUESTIONS[name][n:]) for name in pages for n in range(3)]
    # Each conversation is run twice at the same time.
    return [*found, *found]


def comparable_answers(turns: tuple[Turn, ...]) -> list[tuple[object, ...]]:
    return [(turn.answer.value, turn.answer.confidence, turn.answer.plan, turn.answer.reason) for turn in turns]


@pytest.mark.very_slow
def test_concurrent_conversations_have_the_same_answers_as_sequential_ones() -> None:
    solver, all_conversations = EmbeddedSolver(load_weights()), conversations()

    async def together() -> list[tuple[Turn, ...]]:
        return list(
            await asyncio.gather(*(answer_conversation(conversation, solver) for conversation in all_conversations))
        )

    alone = [
        comparable_answers(asyncio.run(answer_conversation(c, EmbeddedSolver(load_weights()))))
        for c in all_conversations
    ]
    assert any(value is not None for turns in alone for value, *_ in turns)
    assert [comparable_answers(turns) for turns in asyncio.run(together())] == alone
    with ThreadPoolExecutor(6) as pool:
        threads = list(pool.map(lambda c: asyncio.run(answer_conversation(c, solver)), all_conversations))
    assert [comparable_answers(turns) for turns in threads] == alone
