"""Independent questions are answered without history, and chained questions with it."""

import asyncio
from dataclasses import replace

from scripted import a_conversation

from quaestor.conversation.answer import Answer
from quaestor.evaluation.runner import answer_conversation
from quaestor.solvers.base import TurnContext

CONVERSATION = a_conversation("what was row 1?", "and what was it before?", "what is the difference?")


class MemoryRecorder:
    """Records the number of earlier turns and of reference candidates for each question."""

    name = "remembering"

    def __init__(self) -> None:
        self.memories: list[tuple[int, int]] = []

    async def solve(self, question: str, context: TurnContext) -> Answer:
        candidates = sum(len(reference.candidates) for reference in context.references.expressions)
        self.memories.append((len(context.memory.turns), candidates))
        return Answer(None)


def run_recorder(chained: bool) -> tuple[list[tuple[int, int]], list[str]]:
    solver = MemoryRecorder()
    turns = asyncio.run(answer_conversation(replace(CONVERSATION, chained=chained), solver))
    return solver.memories, [turn.question for turn in turns]


def test_independent_question_has_no_history() -> None:
    sizes, questions = run_recorder(chained=False)
    assert sizes == [(0, 0)] * 3
    assert questions == list(CONVERSATION.questions)


def test_chained_question_has_the_earlier_turns() -> None:
    sizes, questions = run_recorder(chained=True)
    assert [turns for turns, _ in sizes] == [0, 1, 2]
    assert questions == list(CONVERSATION.questions)
