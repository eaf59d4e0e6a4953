"""One conversation, played: questions one at a time, the solver's own answers as history.

Owns what the solver is shown and the second, independent execution of every plan. Knows nothing of stores, other
conversations or reference answers.
"""

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from quaestor.conversation.answer import Answer
from quaestor.conversation.memory import Memory
from quaestor.conversation.turn import Turn
from quaestor.documents.convfinqa import Conversation
from quaestor.errors import OutageError, QuaestorError, QuestionError
from quaestor.plan.execute import Register, execute
from quaestor.plan.operations import bounded
from quaestor.solvers.base import Solver, TurnContext
from quaestor.store.records import ExampleStatus, now

MAX_QUESTION = 10_000

SolverFactory = Callable[[], Solver]


@dataclass(frozen=True, slots=True)
class Played:
    """How a conversation went.

    Attributes:
        started: When it was begun.
        finished: When it ended.
        turns: One a question; empty unless `status` is `complete`.
        status: `complete`, `failed` (a defect in the solver) or `outage`.
        error: Why it is not complete.
    """

    started: datetime
    finished: datetime
    turns: tuple[Turn, ...] = ()
    status: ExampleStatus = "complete"
    error: str | None = None


def check_questions(conversation: Conversation) -> None:
    """Makes sure that every question of a conversation can be asked.

    Raises:
        QuestionError: One is empty, over 10,000 characters, or not valid text.
    """
    for number, question in enumerate(conversation.questions, start=1):
        where = f"question {number} of {conversation.id}"
        if not question.strip():
            raise QuestionError(f"{where} is empty: ask something")
        if len(question) > MAX_QUESTION:
            raise QuestionError(f"{where} has {len(question):,} characters: {MAX_QUESTION:,} are the most")
        if any("\ud800" <= character <= "\udfff" for character in question):
            raise QuestionError(f"{where} holds half a surrogate pair: the file is not valid Unicode")


async def play_conversation(conversation: Conversation, solver: Solver) -> tuple[Turn, ...]:
    """Returns the turns of a conversation, played in order.

    A named error of the solver leaves its turn without an answer, and the conversation goes on.

    Raises:
        QuestionError: A question cannot be asked; nothing was.
        OutageError: A service that the solver needs does not answer.
    """
    check_questions(conversation)
    memory = Memory()
    history: list[Register | None] = []
    for question in conversation.questions:
        context = TurnContext(document=conversation.document, memory=memory)
        turn, register = await _play_turn(question, context, solver, history)
        memory = memory.add(turn)
        history.append(register)
    return memory.turns


async def attempt_conversation(conversation: Conversation, solver: Solver) -> Played:
    """Returns how a conversation went, whatever the solver does."""
    started = now()
    try:
        turns = await play_conversation(conversation, solver)
    except OutageError as failure:
        return Played(started, now(), status="outage", error=_named(failure))
    except Exception as failure:  # noqa: BLE001 - a solver's defect must not cost a long run its other conversations
        frame = traceback.extract_tb(failure.__traceback__)[-1]
        error = f"{_named(failure)} (in {frame.name}, {Path(frame.filename).name}:{frame.lineno})"
        return Played(started, now(), status="failed", error=error)
    return Played(started, now(), turns)


async def _play_turn(
    question: str, context: TurnContext, solver: Solver, history: Sequence[Register | None]
) -> tuple[Turn, Register | None]:
    """Returns the turn, and its result as later turns refer to it."""
    started = now()
    register, verified, error = None, False, None
    answer = Answer(value=None)
    try:
        answer = await solver.solve(question, context)
        if answer.value is not None:
            register, verified = _verify(answer, history)
    except OutageError:
        raise
    except QuaestorError as failure:
        # What the solver said besides the number (its plan above all) stays, for whoever looks into the failure.
        answer, error = replace(answer, value=None, reason=str(failure)), _named(failure)
    turn = Turn(
        question=question,
        answer=answer,
        verified=verified,
        started=started,
        finished=now(),
        understanding="\n".join(context.trace) or None,
        error=error,
    )
    return turn, register


def _verify(answer: Answer, history: Sequence[Register | None]) -> tuple[Register, bool]:
    """Returns the answer as a register, and whether its plan, executed again, gave it.

    Raises:
        PlanError: The plan cannot be run, or the answer is no number that can be held.
    """
    assert answer.value is not None
    value = answer.value if isinstance(answer.value, bool) else bounded(answer.value)
    claimed = Register(value, answer.scale, answer.unit, answer.sources)
    if answer.plan is None:
        return claimed, False
    result = execute(answer.plan, history).result
    # The types are compared too: True equals 1 in Python, but yes is not a number.
    same = (type(result.value), result.value, result.scale) == (type(answer.value), answer.value, answer.scale)
    return (result, True) if same else (claimed, False)


def _named(failure: Exception) -> str:
    return f"{type(failure).__name__}: {failure}"
