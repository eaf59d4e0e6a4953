"""Routes for questions: ask one, follow its progress, stop or remove it, and show an answer with its trace."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import Field, JsonValue
from starlette.responses import StreamingResponse

from quaestor.application.error_lines import error_line
from quaestor.application.plan_steps import PlanNode, turn_nodes
from quaestor.application.replies import AnswerReply, answers_of
from quaestor.application.session_manager import AnsweredNow
from quaestor.conversation.display import show_number
from quaestor.conversation.events import dump_events, event_lines
from quaestor.conversation.turn import Turn
from quaestor.core import serial
from quaestor.core.serial import Value
from quaestor.datasets.dataset import MAX_QUESTION
from quaestor.documents.document import Document
from quaestor.errors import QuaestorError
from quaestor.web.api.bodies import RequestBody, StrictRoute
from quaestor.web.api.conversations import ConversationId, SolverId
from quaestor.web.api.problems import code_of, problem_json, problem_of, problems, status_of
from quaestor.web.errors import INTERNAL
from quaestor.web.site import Site, TheSite, follow_question

router = APIRouter(route_class=StrictRoute, prefix="/conversations/{conversation}", tags=["questions"])


class QuestionBody(RequestBody):
    """A question; one of several parts is answered with a list.

    Attributes:
        question: The text; it can refer to earlier answers.
        solver: The solver from now on; null keeps the current one.
    """

    question: str = Field(max_length=MAX_QUESTION)
    solver: SolverId | None = None


class AnswersReply(Value):
    """The answers to a text.

    Attributes:
        answers: The answer alone; to a question of several parts it is a list.
        run: The id of the run that stores them; null if they are not stored.
        unkept: Why they are not stored, or null.
    """

    answers: tuple[AnswerReply, ...]
    run: str | None
    unkept: str | None


class TakenBackReply(Value):
    """The questions that were removed; empty if there were none."""

    questions: tuple[str, ...]


class StoppedReply(Value):
    """The number of questions that were stopped; 0 if none was being answered."""

    questions: int


class WholeAnswerReply(Value):
    """An answer with its plan and trace.

    Attributes:
        plan: The nodes of the calculation, each after its inputs.
        turn: The full record: plan steps and their results, references to earlier turns, events, tool calls and
            model usage.
    """

    answer: AnswerReply
    plan: tuple[PlanNode, ...]
    turn: dict[str, JsonValue]


_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events: `step` for each step (`question`, `event`, `lines`), `answered` for each answer "
        "(`question`, `display`, `kind`, `confidence`, `reason`), and finally `done` (AnswersReply) or `problem` "
        "(Problem). All data is JSON.",
        "content": {"text/event-stream": {}},
    }
}


@router.post("/questions", responses=problems(502, changes=True, body=True))
async def _ask(site: TheSite, conversation: ConversationId, wanted: QuestionBody) -> AnswersReply:
    """Ask, and wait for the answer. Questions of one conversation are answered in the order in which they came."""
    return _answers(await site.sessions.ask(conversation, wanted.question, answerer=wanted.solver))


@router.post(
    "/questions/stream",
    response_class=StreamingResponse,
    responses={**_STREAM, **problems(502, changes=True, body=True)},
)
async def _ask_and_follow(site: TheSite, conversation: ConversationId, wanted: QuestionBody) -> StreamingResponse:
    """Ask, and receive the steps as server-sent events. A client that disconnects stops the question."""
    site.sessions.saved.get(conversation)
    return StreamingResponse(_messages(site, conversation, wanted), media_type="text/event-stream")


@router.delete("/questions/current", responses=problems(changes=True))
async def _stop(site: TheSite, conversation: ConversationId) -> StoppedReply:
    """Stop the current question and those queued behind it; their requests fail with an error."""
    return StoppedReply(questions=site.sessions.stop(conversation))


@router.delete("/questions/last", responses=problems(changes=True))
async def _take_back(site: TheSite, conversation: ConversationId) -> TakenBackReply:
    """Remove the last question and its answers."""
    return TakenBackReply(questions=tuple(turn.question for turn in await site.sessions.undo(conversation)))


@router.get("/turns/{number}", responses=problems())
async def _read_answer(
    site: TheSite,
    conversation: ConversationId,
    number: Annotated[int, Path(ge=1, le=1_000_000, description="The number of the answer, from 1.")],
) -> WholeAnswerReply:
    """Show an answer with its plan and trace."""
    state = await site.sessions.read_state(conversation)
    state.require_turn(number)
    return await asyncio.to_thread(_whole, state.turns, number, state.document, state.saved.run)


async def _messages(site: Site, conversation: str, wanted: QuestionBody) -> AsyncIterator[str]:
    following = follow_question(site, conversation, wanted.question, wanted.solver, stop_if_left=True)
    async with aclosing(following):
        async for news in following:
            match news:
                case None:
                    yield ": still here\n\n"
                case (question, Turn() as turn):
                    answer = turn.answer
                    fields = {"display": show_number(answer), "kind": answer.kind, "confidence": answer.confidence}
                    fields |= {"question": turn.question, "reason": turn.error or answer.reason}
                    yield _message("answered", json.dumps(fields))
                case (question, event):
                    (dumped,) = dump_events((event,))
                    step = {"question": question, "event": dumped, "lines": event_lines((event,))}
                    yield _message("step", json.dumps(step))
                case AnsweredNow():
                    yield _message("done", _answers(news).model_dump_json())
                case QuaestorError():
                    problem = problem_of(status_of(news), error_line(news), code_of(news))
                    yield _message("problem", problem_json(problem))
                case _:
                    yield _message("problem", problem_json(problem_of(500, INTERNAL)))


def _message(event: str, data: str) -> str:
    return f"event: {event}\ndata: {data}\n\n"


def _answers(found: AnsweredNow) -> AnswersReply:
    # Not in a thread: there are at most a dozen answers, and converting each is faster than switching threads.
    answers = tuple(answers_of(found.turns, found.document, found.run, found.first))
    return AnswersReply(answers=answers, run=found.run, unkept=found.unkept)


def _whole(turns: Sequence[Turn], number: int, document: Document, run: str | None) -> WholeAnswerReply:
    turn = turns[number - 1]
    (answer,) = answers_of(turns[:number], document, run, number)
    nodes = turn_nodes(turn, [one.answer for one in turns[: number - 1]])
    return WholeAnswerReply(answer=answer, plan=nodes, turn=serial.dump(turn))
