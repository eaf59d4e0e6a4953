import asyncio
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from scripted import ScriptedSolver, a_conversation, a_document
from values import a_value

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import Note
from quaestor.conversation.references.expressions import References
from quaestor.conversation.turn import Turn
from quaestor.core.answer_value import Number
from quaestor.core.computing import compute
from quaestor.core.quantity import Scale
from quaestor.datasets.dataset import Conversation
from quaestor.errors import OutageError, QuestionTimeoutError
from quaestor.evaluation.recording import ConversationResult
from quaestor.evaluation.runner import ConversationRunner, answer_conversation, run_conversation
from quaestor.plan.steps import Compute, Constant, Plan
from quaestor.solvers.base import TurnContext


def play(*questions: str) -> tuple[Turn, ...]:
    return asyncio.run(answer_conversation(a_conversation(*questions), ScriptedSolver()))


def value(row: int, column: int) -> Decimal:
    quantity = a_document("NORD/2012/page_41.pdf").tables[0].cells[row][column].quantity
    assert quantity
    return quantity.value


def test_history_has_the_answers_of_the_solver() -> None:
    turns = play("cell 0 1", "cell 1 1", "change", "ratio")
    change = value(1, 1) - value(0, 1)
    assert [turn.answer.number for turn in turns[:3]] == [value(0, 1), value(1, 1), change]
    assert all(turn.verified and turn.error is None for turn in turns)


def test_one_question_at_a_time_is_revealed() -> None:
    seen: list[tuple[str, tuple[str, ...], str]] = []

    class Watching(ScriptedSolver):
        async def solve(self, question: str, context: TurnContext) -> Answer:
            seen.append((question, context.memory.questions, context.document.id))
            assert not hasattr(context, "questions")
            return await super().solve(question, context)

    asyncio.run(answer_conversation(a_conversation("cell 0 1", "cell 0 2", "change"), Watching()))
    page = "NORD/2012/page_41.pdf"
    assert seen == [
        ("cell 0 1", (), page),
        ("cell 0 2", ("cell 0 1",), page),
        ("change", ("cell 0 1", "cell 0 2"), page),
    ]


def test_independent_questions_have_no_history() -> None:
    seen: list[tuple[int, int]] = []

    class Counting(ScriptedSolver):
        async def solve(self, question: str, context: TurnContext) -> Answer:
            seen.append((len(context.memory.turns), len(context.references.expressions)))
            return Answer(None)

    asked = a_conversation("what was row 1?", "and what was it before?", "what is the difference?")
    asyncio.run(answer_conversation(replace(asked, chained=False), Counting()))
    assert seen == [(0, 0)] * 3


def test_reference_to_a_turn_without_an_answer_is_an_operand_error() -> None:
    turns = play("cell 0 1", "why", "change")
    assert turns[2].answer.value is None
    assert turns[2].error
    assert turns[2].error.startswith("OperandError: ")


def test_a_plan_that_gives_another_number_is_not_verified() -> None:
    turns = play("lie 0 1", "cell 0 1", "change")
    assert [turn.verified for turn in turns] == [False, True, True]
    # Later turns refer to the answer that was shown.
    assert turns[2].answer.number == value(0, 1) - 999


def test_an_answer_without_a_plan_is_not_verified() -> None:
    turns = play("guess 5", "cell 0 1", "change")
    assert [turn.verified for turn in turns] == [False, True, True]
    assert turns[2].answer.number == value(0, 1) - 5


def test_invalid_plan_is_recorded_without_an_answer() -> None:
    (turn,) = play("far")
    assert turn.answer.value is None
    assert turn.answer.plan is not None
    assert turn.error
    assert turn.error.startswith("PlanValidationError: ")


HALF = Plan((Compute(1, "divide", (Constant(Decimal(1), "const_1"), Constant(Decimal(2), "const_2"))),))
YES = Plan((Compute(1, "greater", (Constant(Decimal(2), "const_2"), Constant(Decimal(1), "const_1"))),))


@pytest.mark.parametrize(
    ("answer", "verified"),
    [
        (Answer(a_value("0.50"), plan=HALF), True),
        (Answer(a_value("0.5000001"), plan=HALF), False),
        (Answer(a_value("0.5"), Scale.PERCENT, plan=HALF), False),
        (Answer(a_value(True), plan=YES), True),
        (Answer(a_value(False), plan=YES), False),
        (Answer(a_value(1), plan=YES), False),
        (Answer(a_value("0.5"), unit="USD", plan=HALF), True),
    ],
)
def test_verified_means_same_kind_value_and_scale(answer: Answer, verified: bool) -> None:
    (turn,) = asyncio.run(answer_conversation(a_conversation("x"), ConstantSolver(answer)))
    assert turn.verified is verified
    assert turn.answer == answer


@pytest.mark.parametrize("number", ["NaN", "sNaN", "Infinity", "-Infinity", "1E+999999", "1E-999999"])
@pytest.mark.parametrize("plan", [None, HALF])
def test_unrepresentable_number_is_not_an_answer(number: str, plan: Plan | None) -> None:
    (turn,) = asyncio.run(
        answer_conversation(a_conversation("x"), ConstantSolver(Answer(Number(Decimal(number)), plan=plan)))
    )
    assert turn.answer.value is None
    assert turn.error
    assert turn.error.startswith("MagnitudeError: ")


def test_references_of_a_question_are_passed_to_the_solver_and_recorded() -> None:
    given: list[References] = []

    class Watching(ScriptedSolver):
        async def solve(self, question: str, context: TurnContext) -> Answer:
            given.append(context.references)
            return await super().solve(question, context)

    turns = asyncio.run(answer_conversation(a_conversation("cell 0 1", "cell 0 2", "change"), Watching()))
    assert given[0] == References()
    assert given[2].used == (0, 1)
    assert [turn.references for turn in turns] == given


class ConstantSolver:
    """Gives the same answer to every question."""

    name = "saying"

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    async def solve(self, question: str, context: TurnContext) -> Answer:
        return self._answer


def test_times_and_trace_are_kept() -> None:
    first, second = play("cell 0 1", "sleep 0.005 cell 0 2")
    assert first.started.utcoffset() == timedelta(0)
    assert all(moment.microsecond % 1000 == 0 for turn in (first, second) for moment in (turn.started, turn.finished))
    assert first.started <= first.finished <= second.started < second.finished
    assert second.events == (Note("reads 'sleep 0.005 cell 0 2' after 1 turns"),)


def test_an_outage_ends_the_conversation() -> None:
    conversation = a_conversation("cell 0 1", "down", "cell 0 2")
    with pytest.raises(OutageError):
        asyncio.run(answer_conversation(conversation, ScriptedSolver()))
    run = asyncio.run(run_conversation(conversation, ScriptedSolver()))
    assert (run.status, [turn.question for turn in run.turns]) == ("outage", ["cell 0 1"])
    assert run.error == "OutageError: the model does not answer"
    assert run.broken is not None
    assert (run.broken.question, run.broken.error, run.broken.answer.value) == ("down", run.error, None)


def test_defect_ends_the_conversation_and_is_located() -> None:
    run = asyncio.run(run_conversation(a_conversation("cell 0 1", "break"), ScriptedSolver()))
    assert (run.status, len(run.turns)) == ("failed", 1)
    assert run.error
    assert run.broken is not None
    assert run.broken.error == run.error
    assert run.error.startswith("KeyError: 'a defect' (in _answer, scripted.py:")


def test_cancelling_is_not_a_defect() -> None:
    async def scenario() -> None:
        conversation: Conversation = a_conversation("sleep 60 cell 0 1")
        task = asyncio.create_task(run_conversation(conversation, ScriptedSolver()))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())


class Endless(ScriptedSolver):
    """Computes forever if the question is "endless"."""

    async def solve(self, question: str, context: TurnContext) -> Answer:
        if question == "endless":
            await compute(_forever)
        return await super().solve(question, context)


def _forever() -> None:
    while True:
        pass


@pytest.mark.very_slow
@pytest.mark.parametrize("others", [0, 1])
def test_turn_fails_after_its_time_limit_and_the_conversation_continues(others: int) -> None:
    async def played() -> ConversationResult:
        # Other tasks make the solver compute in a thread.
        waiting = [asyncio.create_task(asyncio.sleep(600)) for _ in range(others)]
        try:
            conversation = a_conversation("cell 0 1", "endless", "cell 0 2")
            return await run_conversation(conversation, Endless(), seconds=2.0)
        finally:
            for one in waiting:
                one.cancel()

    result = asyncio.run(played())
    assert result.status == "complete"
    first, late, last = result.turns
    assert late.error is not None
    assert late.error.startswith("QuestionTimeoutError")
    assert late.answer.value is None
    assert (first.error, last.error, last.answer.number) == (None, None, value(0, 2))


@pytest.mark.slow
def test_timeout_is_raised_by_run_all_turns() -> None:
    with pytest.raises(QuestionTimeoutError) as caught:
        asyncio.run(ConversationRunner(a_conversation("endless"), Endless(), seconds=2.0).run_all_turns())
    assert caught.value.seconds == 2.0
