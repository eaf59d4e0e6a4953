"""Simulation of a cascade of a solver and a stored run.

The stored run answers with its stored plans, recomputed if they build on earlier answers. Whether its model would have
planned the same after the solver's answers is unknown without asking it.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import StageAnswered
from quaestor.conversation.turn import Turn
from quaestor.core import serial
from quaestor.datasets.dataset import Conversation
from quaestor.errors import QuaestorError, SolverError
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.evaluation.runner import answer_conversation
from quaestor.llm.usage import Usage
from quaestor.solvers.answering import answer_from_plan, verify_answer
from quaestor.solvers.base import Solver, TurnContext
from quaestor.solvers.cascade.solver import CascadeSolver, Stage
from quaestor.store.records import TurnRecord


@dataclass(frozen=True, slots=True)
class CascadeTurn:
    """Turn of a simulated cascade; `passed` if it was passed on to the stored run."""

    record: TurnRecord
    passed: bool


class CachingSolver:
    """Caches the answers of a deterministic solver by question and conversation history."""

    def __init__(self, solver: Solver) -> None:
        """Wrap a solver; it may be asked about several pages."""
        self.name, self._solver = solver.name, solver
        self._answers: dict[Hashable, Answer] = {}

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the solver's answer."""
        before = tuple((turn.question, turn.answer.plan, turn.answer.value) for turn in context.memory.turns)
        key = (context.document.id, question, before)
        if key not in self._answers:
            self._answers[key] = await self._solver.solve(question, context)
        return self._answers[key]


class RecordedAnswers:
    """Answers the turns of one conversation as a stored run did."""

    def __init__(self, name: str, conversation: Conversation, turns: Sequence[TurnRecord]) -> None:
        """Set the name, the conversation, and its stored turns."""
        self.name, self._conversation = name, conversation
        self._turns = {turn.index: turn for turn in turns}

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the recorded answer; a plan that builds on earlier answers is recomputed from the current ones."""
        conversation = self._conversation
        index = len(context.memory.turns) if conversation.chained else conversation.questions.index(question)
        turn = self._turns.get(index)
        if turn is None or turn.error is not None:
            raise SolverError("not played" if turn is None else str(turn.error))
        context.usage = context.usage + Usage.of_counts(turn.usage)
        answer = serial.restore(Answer, turn.answer)
        if answer.value is None or answer.plan is None:
            return answer
        try:
            if verify_answer(answer, context.memory, context.document)[0]:
                return answer
            return answer_from_plan(
                answer.plan, context, question=question, confidence=answer.confidence, reason=answer.reason
            )
        except QuaestorError:
            return replace(answer, plan=None)  # an earlier answer that the plan uses is not a number here


async def replay_cascade(
    conversation: Conversation,
    first: Solver,
    second: RecordedAnswers,
    thresholds: Sequence[float],
    graphs: GraphProvider | None = None,
) -> tuple[tuple[CascadeTurn, ...], ...]:
    """Return the turns of a conversation as answered by the cascade, at each threshold."""
    graphs = graphs or GraphProvider.of([conversation.document])
    once, found, turns = CachingSolver(first), list[tuple[CascadeTurn, ...]](), tuple[Turn, ...]()
    for place, least in enumerate(thresholds):
        if place and all(_is_unchanged(turn, least) for turn in turns):
            found.append(found[-1])
            continue
        cascade = CascadeSolver([Stage(once, least), Stage(second)])
        turns = await answer_conversation(conversation, cascade, graphs)
        records = turn_records(TurnPlace("replay", conversation.id), turns, chained=conversation.chained)
        found.append(tuple(map(CascadeTurn, records, map(_has_escalated, turns))))
    return tuple(found)


def _stages(turn: Turn) -> list[StageAnswered]:
    return [event for event in turn.events if isinstance(event, StageAnswered)]


def _has_escalated(turn: Turn) -> bool:
    return any(event.stage > 1 for event in _stages(turn))


def _is_unchanged(turn: Turn, least: float) -> bool:
    """Return whether a turn is the same at a higher confidence threshold of the first stage."""
    return _has_escalated(turn) or all((event.confidence or 0.0) >= least for event in _stages(turn))
