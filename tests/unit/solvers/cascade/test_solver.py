"""Solvers in sequence: which one answers, the recorded events, and the history of the next question."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest
from scripted import a_conversation, answered, extract
from solver_bench import run_with_script
from toolboxes import CASH_FLOWS
from workflow_bench import OPERATING, plan, script_of, table

from quaestor.conversation.answer import Answer, OtherReading
from quaestor.conversation.events import Note, StageAnswered, StageEvent
from quaestor.conversation.turn import Turn
from quaestor.errors import OutageError, SolverError
from quaestor.evaluation.runner import answer_conversation
from quaestor.plan.steps import Compute, Plan, Ref
from quaestor.solvers.base import TurnContext
from quaestor.solvers.cascade.solver import CascadeSolver, Stage
from quaestor.solvers.registry import make_solver


class ConfidentSolver:
    """Answers with the first number of a row and the given confidence, or confidence by question."""

    def __init__(self, name: str, row: int, confidence: Mapping[str, float | None] | float | None = None) -> None:
        self.name, self._row, self._confidence = name, row, confidence
        self.feedback: list[tuple[str, ...]] = []

    async def solve(self, question: str, context: TurnContext) -> Answer:
        self.feedback.append(context.feedback)
        context.trace.append(Note(f"{self.name} reads"))
        sure = self._confidence[question] if isinstance(self._confidence, Mapping) else self._confidence
        if "twice" in question:
            found = answered(Plan((Compute(1, "add", (Ref(-1), Ref(-1))),)), context)
        else:
            found = answered(Plan((extract(context.document, self._row, 0),)), context)
        return replace(found, confidence=sure)


class Failing:
    """Always raises the given error."""

    name = "failing"

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def solve(self, question: str, context: TurnContext) -> Answer:
        raise self._error


class Silent:
    name = "silent"

    async def solve(self, question: str, context: TurnContext) -> Answer:
        return Answer(None, reason="the page does not say", confidence=0.9)


def play(cascade: CascadeSolver, *questions: str) -> tuple[Turn, ...]:
    return asyncio.run(answer_conversation(a_conversation(*(questions or ("what?",))), cascade))


def stages(turn: Turn) -> list[StageAnswered]:
    return [event for event in turn.events if isinstance(event, StageAnswered)]


def test_first_sure_stage_answers_and_no_other_is_asked() -> None:
    second = ConfidentSolver("second", 1)
    (turn,) = play(CascadeSolver([Stage(ConfidentSolver("first", 0, 0.7), 0.7), Stage(second)]))
    first = ConfidentSolver("first", 0)
    (alone,) = play(CascadeSolver([Stage(first)]))
    assert turn.answer.value == alone.answer.value
    assert second.feedback == []
    assert [(event.solver, event.accepted, event.confidence, event.least) for event in stages(turn)] == [
        ("first", True, 0.7, 0.7)
    ]


@pytest.mark.parametrize("sure", [0.69, None])
def test_unsure_stage_passes_the_turn_to_the_next(sure: float | None) -> None:
    (turn,) = play(CascadeSolver([Stage(ConfidentSolver("first", 0, sure), 0.7), Stage(ConfidentSolver("second", 1))]))
    (alone,) = play(CascadeSolver([Stage(ConfidentSolver("second", 1))]))
    assert turn.answer.value == alone.answer.value
    assert [(event.stage, event.solver, event.accepted, event.confidence) for event in stages(turn)] == [
        (1, "first", False, sure),
        (2, "second", True, None),
    ]
    assert [(event.stage, event.event) for event in turn.events if isinstance(event, StageEvent)] == [
        (1, Note("first reads")),
        (2, Note("second reads")),
    ]


def test_an_answer_without_a_value_is_never_sure_enough() -> None:
    (turn,) = play(CascadeSolver([Stage(Silent(), 0.0), Stage(ConfidentSolver("second", 1))]))
    assert [event.accepted for event in stages(turn)] == [False, True]
    assert turn.answer.value is not None


def test_failed_stage_is_skipped_and_recorded() -> None:
    (turn,) = play(CascadeSolver([Stage(Failing(SolverError("no plan")), 0.5), Stage(ConfidentSolver("second", 1))]))
    assert [(event.accepted, event.error) for event in stages(turn)] == [(False, "no plan"), (True, None)]
    assert turn.error is None


def test_most_confident_earlier_answer_is_used_if_the_last_stage_fails() -> None:
    cascade = CascadeSolver(
        [
            Stage(ConfidentSolver("first", 0, 0.4), 0.7),
            Stage(ConfidentSolver("second", 1, 0.2), 0.7),
            Stage(Failing(SolverError("no plan"))),
        ]
    )
    (turn,) = play(cascade)
    (alone,) = play(CascadeSolver([Stage(ConfidentSolver("first", 0))]))
    assert turn.answer.value == alone.answer.value
    assert turn.answer.confidence == 0.4
    assert "no plan" in str(turn.answer.reason)
    assert turn.verified


def test_outage_of_a_stage_is_raised() -> None:
    with pytest.raises(OutageError, match="away"):
        play(CascadeSolver([Stage(ConfidentSolver("first", 0, 0.1), 0.5), Stage(Failing(OutageError("away")))]))


def test_stage_gets_doubts_only_if_enabled() -> None:
    first = ConfidentSolver("first", 0, 0.3)
    for show, expected in ((False, [()]), (True, None)):
        second = ConfidentSolver("second", 1)
        play(CascadeSolver([Stage(first, 0.7), Stage(second)], show_doubts=show))
        if expected is not None:
            assert second.feedback == expected
        else:
            (hints,) = second.feedback
            assert len(hints) == 1
            assert "0.30" in hints[0]


@pytest.mark.usefixtures("local_models")
def test_usage_is_shown_by_stage() -> None:
    solver = make_solver("workflow")
    cascade = CascadeSolver([Stage(Failing(SolverError("not mine")), 0.7), Stage(solver)])
    run = run_with_script(
        cascade, script_of([plan(table(1, OPERATING, "2008"))]), ("what was it in 2008?",), CASH_FLOWS
    )
    first, second = stages(run.turn)
    assert first.usage == {}
    assert second.usage["requests"] == 1
    assert second.usage == run.turn.usage.counts()
    assert second.accepted
    assert second.shown is not None


def test_the_runner_up_is_among_the_doubts() -> None:
    class Doubting(ConfidentSolver):
        async def solve(self, question: str, context: TurnContext) -> Answer:
            answer = await super().solve(question, context)
            assert answer.plan is not None
            other = OtherReading(answer.plan, "$ 7", "rent in 2007", 0.2)
            return replace(answer, description="rent in 2008", other_readings=(other,))

    second = ConfidentSolver("second", 1)
    play(CascadeSolver([Stage(Doubting("first", 0, 0.3), 0.7), Stage(second)], show_doubts=True))
    ((answer, other),) = second.feedback
    assert all(word in answer for word in ("rent in 2008", "0.30"))
    assert all(word in other for word in ("$ 7", "rent in 2007"))


@pytest.mark.parametrize(("sure", "given"), [(0.6, True), (0.59, False), (None, False)])
def test_answer_below_the_minimum_confidence_is_withheld(sure: float | None, given: bool) -> None:
    cascade = CascadeSolver(
        [Stage(ConfidentSolver("first", 0, 0.2), 0.7), Stage(ConfidentSolver("second", 1, sure))], abstain_below=0.6
    )
    (turn,) = play(cascade)
    assert (turn.answer.value is not None) is given
    assert turn.answer.confidence == sure
    if not given:
        assert "0.6" in str(turn.answer.reason)
        assert ("0.59" in str(turn.answer.reason)) is (sure is not None)


def test_the_answer_of_a_first_stage_is_withheld_too() -> None:
    (turn,) = play(
        CascadeSolver(
            [Stage(ConfidentSolver("first", 0, 0.6), 0.5), Stage(ConfidentSolver("second", 1, 1.0))], abstain_below=0.7
        )
    )
    assert turn.answer.value is None
    assert [event.accepted for event in stages(turn)] == [True]
