import asyncio

import pytest
from scripted import ScriptedSolver, a_conversation

from quaestor.conversation.answer import Answer
from quaestor.datasets.dataset import MAX_QUESTION
from quaestor.errors import QuestionError
from quaestor.evaluation.runner import answer_conversation
from quaestor.solvers.base import TurnContext


@pytest.mark.parametrize(
    "question",
    ["", " \n\t", "\N{SLIGHTLY SMILING FACE} ?!", "x" * (MAX_QUESTION + 1), "y" * 100_000, "what \udc00 was"],
)
def test_invalid_question_is_refused_before_any_is_asked(question: str) -> None:
    class Untouched(ScriptedSolver):
        async def solve(self, question: str, context: TurnContext) -> Answer:
            raise AssertionError("asked")

    conversation = a_conversation("cell 0 1", question)
    with pytest.raises(QuestionError) as caught:
        asyncio.run(answer_conversation(conversation, Untouched()))
    assert len(str(caught.value)) < 200
