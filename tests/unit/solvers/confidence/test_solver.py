"""A measured solver: recorded measures, confidence, and several samples of one answer."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from scripted import a_conversation, answered, extract

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import AnswerMeasured, LookedUp, Note, PlanRefused, ReplyRejected
from quaestor.conversation.turn import Turn
from quaestor.core import serial
from quaestor.errors import OutageError, SettingsError, SolverError
from quaestor.evaluation.runner import answer_conversation
from quaestor.plan.steps import Plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.confidence.calibration import MEASURES, AnswerCalibration
from quaestor.solvers.confidence.solver import RatedSolver
from quaestor.solvers.registry import make_solver
from quaestor.solvers.spec import ConfidenceOptions
from quaestor.solvers.workflow.solver import WorkflowSolver
from quaestor.solvers.workflow.spec import WorkflowLimits

AGREES = "log odds of the agreement"


def row(context: TurnContext, number: int) -> Answer:
    return answered(Plan((extract(context.document, number, 0),)), context)


class Model:
    """Answers with the given rows, one per answer; None fails, -1 declines to answer."""

    name = "model"

    def __init__(self, *rows: int | None) -> None:
        self._rows: Iterator[int | None] = iter(rows)

    async def solve(self, question: str, context: TurnContext) -> Answer:
        number = next(self._rows)
        context.trace.append(Note(f"row {number}"))
        if number is None:
            raise SolverError("no plan")
        return Answer(None, reason="none") if number < 0 else row(context, number)


class Ranking:
    """Ranks row 0 first, then row 1."""

    name = "ranking"

    async def solve(self, question: str, context: TurnContext) -> Answer:
        return next(self.answers(question, context))

    def answers(self, question: str, context: TurnContext) -> Iterator[Answer]:
        context.trace.append(Note("ranked"))
        yield replace(row(context, 0), confidence=0.6)
        yield replace(row(context, 1), confidence=0.3)


def play(model: object, **options: object) -> Turn:
    rated = RatedSolver(model, Ranking(), ConfidenceOptions(**options))  # type: ignore[arg-type]
    (turn,) = asyncio.run(answer_conversation(a_conversation("what?"), rated))
    return turn


def measures(turn: Turn) -> Sequence[AnswerMeasured]:
    return [event for event in turn.events if isinstance(event, AnswerMeasured)]


@pytest.fixture
def calibration(tmp_path: Path) -> str:
    """Return the path of a calibration that gives the confidence of the ranking solver."""
    weights = dict.fromkeys(MEASURES, 0.0) | {AGREES: 1.0}
    path = tmp_path / "calibration.json"
    path.write_text(json.dumps(serial.dump(AnswerCalibration(0.0, weights, {}, {}))), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(("number", "agreement", "rank"), [(0, 0.6, 1), (1, 0.3, 2), (2, 0.0, 0)])
def test_agreement_with_the_ranking_is_recorded_without_confidence(number: int, agreement: float, rank: int) -> None:
    turn = play(Model(number), measure=True)
    (found,) = measures(turn)
    assert (found.agreement, found.rank, found.samples) == (agreement, rank, 1)
    assert turn.answer.confidence is None
    assert Note("ranked") not in turn.events


def test_refusals_and_ties_are_counted() -> None:
    class Clumsy(Model):
        async def solve(self, question: str, context: TurnContext) -> Answer:
            context.trace.extend([ReplyRejected("PLAN", "write_plan", 1, ("x",)), PlanRefused("PLAN", 1, ("y",))])
            context.trace.append(LookedUp(1, "a", "b", 90.0, "c", 89.0))
            context.trace.append(LookedUp(1, "a", "b", 90.0, "c", 50.0))
            return await super().solve(question, context)

    (found,) = measures(play(Clumsy(0), measure=True))
    assert (found.repairs, found.ties) == (2, 1)


def test_calibration_gives_a_confidence(calibration: str) -> None:
    turn = play(Model(0), calibration=calibration)
    assert turn.answer.confidence == pytest.approx(0.6)
    assert turn.verified


def test_an_answer_that_is_not_sure_enough_is_withheld(calibration: str) -> None:
    given = play(Model(0), calibration=calibration, abstain_below=0.5)
    withheld = play(Model(1), calibration=calibration, abstain_below=0.5)
    assert given.answer.value is not None
    assert withheld.answer.value is None
    assert all(number in str(withheld.answer.reason) for number in ("0.30", "0.5"))
    assert withheld.answer.plan is not None


def test_most_frequent_result_of_several_samples_is_the_answer() -> None:
    turn, alone = play(Model(2, 0, 0), measure=True, samples=3), play(Model(0))
    assert turn.answer.value == alone.answer.value
    (found,) = measures(turn)
    assert (found.agreeing, found.samples) == (2, 3)
    assert [event for event in turn.events if isinstance(event, Note)] == [Note("row 0")]


def test_a_failure_is_a_vote_for_no_answer() -> None:
    assert play(Model(None, 0, None), samples=3).error is not None
    assert play(Model(None, 0, 0), samples=3).answer.value is not None
    assert play(Model(-1, 0, -1), samples=3).answer.reason == "none"


def test_an_outage_ends_the_samples() -> None:
    class Away(Model):
        async def solve(self, question: str, context: TurnContext) -> Answer:
            raise OutageError("away")

    with pytest.raises(OutageError):
        play(Away(), samples=3)


def test_withholding_needs_a_calibration() -> None:
    with pytest.raises(SettingsError):
        make_solver("workflow", {"abstain_below": 0.5})


def test_solver_is_measured_if_its_options_ask_for_it(calibration: str) -> None:
    assert isinstance(make_solver("workflow"), WorkflowSolver)
    for options in ({"measure": True}, {"samples": 3}, {"calibration": calibration, "abstain_below": 0.2}):
        for name in ("workflow", "agent", "sparql", "reflection"):
            solver = make_solver(name, options)
            assert isinstance(solver, RatedSolver)
            assert solver.name == name
    typed = make_solver("workflow", WorkflowLimits(repairs=2, samples=2))
    assert isinstance(typed, RatedSolver)
