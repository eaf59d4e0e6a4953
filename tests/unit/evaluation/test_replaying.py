"""Replay of a cascade of a solver and a stored run."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from scripted import a_conversation, answered, extract

from quaestor.application.simulated_cascade import THRESHOLDS, CascadeTurn, RecordedAnswers, replay_cascade
from quaestor.conversation.answer import Answer
from quaestor.datasets.dataset import Conversation
from quaestor.errors import SolverError
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.evaluation.runner import answer_conversation
from quaestor.plan.steps import Compute, Plan, Ref
from quaestor.solvers.base import Solver, TurnContext
from quaestor.solvers.cascade.solver import CascadeSolver, Stage
from quaestor.store.records import TurnRecord

QUESTIONS = ("which?", "twice", "which?", "twice", "nothing", "twice")


class UnsureSolver:
    """Answers "which?" from its row and "twice" with twice the last answer, less surely if that answer is its own."""

    def __init__(self, name: str, row: int) -> None:
        self.name, self._row, self.calls = name, row, 0

    async def solve(self, question: str, context: TurnContext) -> Answer:
        self.calls += 1
        own = answered(Plan((extract(context.document, self._row, 0),)), context)
        if question == "which?":
            return replace(own, confidence=0.4)
        if question == "nothing":
            raise SolverError(f"{self.name} finds nothing")
        twice = answered(Plan((Compute(1, "add", (Ref(-1), Ref(-1))),)), context)
        is_own = context.memory.turns[-1].answer.value == own.value
        return replace(twice, confidence=0.55 if is_own else 0.85)


def conversation_of(*, chained: bool = True) -> Conversation:
    return replace(a_conversation(*(QUESTIONS if chained else QUESTIONS[:1])), chained=chained)


def stored(solver: Solver, conversation: Conversation) -> Sequence[TurnRecord]:
    turns = asyncio.run(answer_conversation(conversation, solver))
    return turn_records(TurnPlace("run", conversation.id), turns, chained=conversation.chained)


def replayed(first: Solver, second: Solver, thresholds: Sequence[float]) -> Sequence[Sequence[CascadeTurn]]:
    conversation = conversation_of()
    recorded = RecordedAnswers("recorded", conversation, stored(second, conversation))
    return asyncio.run(replay_cascade(conversation, first, recorded, thresholds))


@pytest.mark.parametrize("second_row", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_replayed_cascade_equals_the_cascade_when_run(second_row: int) -> None:
    first, second = UnsureSolver("first", 0), UnsureSolver("second", second_row)
    for least, turns in zip(THRESHOLDS, replayed(first, second, THRESHOLDS), strict=True):
        recorded = RecordedAnswers("second", conversation_of(), stored(second, conversation_of()))
        real = stored(CascadeSolver([Stage(first, least), Stage(recorded)]), conversation_of())
        assert [turn.record.number for turn in turns] == [turn.number for turn in real]


def test_follow_up_is_surer_after_an_answer_of_the_run() -> None:
    alone, low, high = replayed(UnsureSolver("first", 0), UnsureSolver("second", 1), [0.0, 0.5, 0.7])
    assert not any(turn.passed for turn in alone[:4])
    assert [turn.passed for turn in low[:4]] == [True, False, True, False]
    # The follow-up has confidence 0.55 after the solver's own answer, and 0.85 after that of the run.
    assert [turn.passed for turn in high] == [turn.passed for turn in low]
    assert [turn.record.number for turn in low] != [turn.record.number for turn in alone]


def test_repeated_question_is_solved_once() -> None:
    first = UnsureSolver("first", 0)
    replayed(first, UnsureSolver("second", 1), THRESHOLDS)
    assert first.calls <= 2 * len(QUESTIONS) + 2


class RoutingSolver:
    """Passes "twice" to the second solver, and other questions to the first."""

    name = "mixed"

    def __init__(self, first: Solver, second: Solver) -> None:
        self._first, self._second = first, second

    async def solve(self, question: str, context: TurnContext) -> Answer:
        return await (self._second if question == "twice" else self._first).solve(question, context)


def test_replayed_plan_uses_the_actual_earlier_answer() -> None:
    conversation = conversation_of()
    recorded = RecordedAnswers("recorded", conversation, stored(UnsureSolver("second", 1), conversation))
    same, other = (
        asyncio.run(answer_conversation(conversation, RoutingSolver(UnsureSolver("first", row), recorded)))
        for row in (1, 0)
    )
    for turns in (same, other):
        assert turns[0].answer.number is not None
        assert turns[1].answer.number == 2 * turns[0].answer.number
        assert turns[1].verified
    assert same[1].answer.number != other[1].answer.number


def test_answer_without_a_plan_is_unchanged() -> None:
    conversation = conversation_of()
    alone = stored(UnsureSolver("second", 1), conversation)
    unplanned = [replace(turn, answer={**turn.answer, "plan": None}) for turn in alone]
    recorded = RecordedAnswers("recorded", conversation, unplanned)
    turns = asyncio.run(answer_conversation(conversation, RoutingSolver(UnsureSolver("first", 0), recorded)))
    assert turns[1].answer.value is not None
    assert str(turns[1].answer.number) == alone[1].number


def test_missing_turn_falls_back_to_the_solver() -> None:
    conversation = conversation_of()
    recorded = RecordedAnswers("recorded", conversation, ())
    (turns,) = asyncio.run(replay_cascade(conversation, UnsureSolver("first", 0), recorded, [1.0]))
    assert turns[0].passed
    assert turns[0].record.number is not None
    assert turns[4].record.number is None


def test_independent_questions_are_found_by_their_text() -> None:
    conversation = conversation_of(chained=False)
    recorded = RecordedAnswers("recorded", conversation, stored(UnsureSolver("second", 1), conversation))
    (turns,) = asyncio.run(replay_cascade(conversation, UnsureSolver("first", 0), recorded, [1.0]))
    assert [turn.record.number for turn in turns] == [
        turn.number for turn in stored(UnsureSolver("second", 1), conversation)
    ]
