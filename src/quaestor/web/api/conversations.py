"""Routes for conversations: start, list, show, rename, export and delete them; ask in them, and correct answers.

Also lists the solvers.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field, JsonValue
from starlette.responses import Response, StreamingResponse

from quaestor.application.choices import answerers
from quaestor.application.error_lines import error_line
from quaestor.application.exporting import FORMATS, ExportFormat
from quaestor.application.fixing import act_words, author_name, change_words, read_fix
from quaestor.application.plan_steps import PlanNode, turn_nodes
from quaestor.application.replies import AnswerReply, answers_of
from quaestor.application.saved_conversations import LONGEST_TITLE, SavedConversation
from quaestor.application.session_manager import AnsweredNow
from quaestor.conversation.display import show_number
from quaestor.conversation.events import dump_events, event_lines
from quaestor.conversation.turn import Correction, Turn, active_corrections
from quaestor.core import serial
from quaestor.core.computing import compute
from quaestor.core.serial import Value
from quaestor.datasets.dataset import MAX_QUESTION
from quaestor.documents.document import Document
from quaestor.errors import QuaestorError
from quaestor.repair.ledger import Ledger, possible_corrections
from quaestor.store.listing import ListPage
from quaestor.web.api.bodies import Part, RequestBody, StrictRoute
from quaestor.web.errors import INTERNAL, code_of, problem_json, problem_of, problems, status_of
from quaestor.web.site import Site, TheSite, download, follow_question

router = APIRouter(route_class=StrictRoute, prefix="/conversations", tags=["conversations"])

ConversationId = Annotated[str, Path(max_length=100, description="The id of a conversation.")]
AnswerNumber = Annotated[int, Path(ge=1, le=1_000_000, description="The number of the answer, from 1.")]
SolverId = Annotated[str, Field(max_length=200, description="The id of a solver.")]
FileFormat = Annotated[ExportFormat, Query(description="The file format; `xlsx` contains each answer as a formula.")]

_Title = Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE)]

FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file.",
        "content": {
            kind.partition(";")[0]: {"schema": {"type": "array"} if name == "json" else {"type": "string"}}
            for name, (_, kind) in FORMATS.items()
        },
    }
}
"""The response of an export, for the OpenAPI document."""


class NewConversationBody(RequestBody):
    """A new conversation.

    Attributes:
        title: Its title; by default its first question.
    """

    document: str = Field(max_length=100)
    title: _Title | None = None
    solver: SolverId | None = None


class ConversationChangeBody(RequestBody):
    """Changes to a conversation; omitted fields are unchanged."""

    title: _Title | None = None
    solver: SolverId | None = None


class ConversationReply(Value):
    """A conversation without its answers.

    Attributes:
        title: Its title; "" before the first question.
        solver: The solver that answers the next question.
        run: The id of the run that stores it; null before the first question.
        used: When a question was last asked or the title changed.
    """

    id: str
    document: str
    about: str
    title: str
    answers: int
    solver: str
    run: str | None
    created: datetime
    used: datetime


class WholeConversationReply(ConversationReply):
    """A conversation with its corrected answers.

    Attributes:
        turns: The answers in order.
        unkept: Why part of the conversation is not stored, or null.
    """

    turns: tuple[AnswerReply, ...]
    unkept: str | None


class ExamplesReply(Value):
    """Questions that a document is known to answer."""

    questions: tuple[str, ...]


@router.get("", responses=problems())
async def _list_conversations(site: TheSite, part: Part) -> ListPage[ConversationReply]:
    """List all conversations, most recently changed first."""
    return (await asyncio.to_thread(site.sessions.saved.part, part)).map(conversation_of)


@router.post(
    "",
    status_code=201,
    responses={
        201: {
            "headers": {"Location": {"description": "The address of the conversation.", "schema": {"type": "string"}}}
        },
        **problems(502, changes=True, body=True),
    },
)
async def _begin_conversation(site: TheSite, wanted: NewConversationBody, response: Response) -> ConversationReply:
    """Start a conversation about a document."""
    saved = await site.sessions.begin(wanted.document, title=wanted.title or "", answerer=wanted.solver)
    response.headers["Location"] = f"/api/v1/conversations/{saved.id}"
    return conversation_of(saved)


@router.get("/{conversation}", responses=problems())
async def _read_conversation(site: TheSite, conversation: ConversationId) -> WholeConversationReply:
    """Show a conversation with its answers."""
    state = await site.sessions.read_state(conversation)
    turns = await asyncio.to_thread(lambda: tuple(answers_of(state.turns, state.document, state.saved.run)))
    head = conversation_of(state.saved, state.answerer.id)
    return WholeConversationReply(**head.model_dump(), turns=turns, unkept=state.unkept)


@router.patch("/{conversation}", responses=problems(502, changes=True, body=True))
async def _change_conversation(
    site: TheSite, conversation: ConversationId, wanted: ConversationChangeBody
) -> ConversationReply:
    """Rename a conversation, or switch its solver or model."""
    if wanted.solver is not None:
        await site.sessions.change(conversation, wanted.solver)
    if wanted.title is not None:
        site.sessions.rename(conversation, wanted.title)
    return conversation_of(site.sessions.saved.get(conversation))


@router.delete("/{conversation}", status_code=204, response_class=Response, responses=problems(changes=True))
async def _delete_conversation(site: TheSite, conversation: ConversationId) -> None:
    """Delete a conversation permanently, including its stored answers."""
    await site.sessions.delete(conversation)


@router.get("/{conversation}/examples", responses=problems())
async def _list_examples(site: TheSite, conversation: ConversationId) -> ExamplesReply:
    """List up to three questions that the document is known to answer, found without a model."""
    return ExamplesReply(questions=await site.sessions.examples(conversation))


@router.get("/{conversation}/export", response_class=Response, responses={**FILES, **problems()})
async def _export_conversation(site: TheSite, conversation: ConversationId, format: FileFormat = "json") -> Response:
    """Export a conversation as a file."""
    saved = site.sessions.saved.get(conversation)
    return await download([await site.sessions.export(conversation)], saved.about, format)


def conversation_of(saved: SavedConversation, solver: str | None = None) -> ConversationReply:
    """Return a conversation for a list; `solver` replaces a chosen solver that is no longer available."""
    return ConversationReply.of(saved, answers=saved.turns, solver=solver or saved.answerer)


solvers = APIRouter(route_class=StrictRoute, tags=["solvers"])


class SolverReply(Value):
    """A solver, with its model if it uses one.

    Attributes:
        summary: A one-line description.
    """

    id: str
    name: str
    summary: str
    asks_model: bool


@solvers.get("/solvers", responses=problems())
async def _list_solvers(site: TheSite, part: Part) -> ListPage[SolverReply]:
    """List the available solvers, each with the configured models; the default first."""
    return part.page_of(answerers(site.ask_request)).map(SolverReply.of)


questions = APIRouter(route_class=StrictRoute, prefix="/conversations/{conversation}", tags=["questions"])


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


@questions.post("/questions", responses=problems(502, changes=True, body=True))
async def _ask(site: TheSite, conversation: ConversationId, wanted: QuestionBody) -> AnswersReply:
    """Ask, and wait for the answer. Questions of one conversation are answered in the order in which they came."""
    return _answers(await site.sessions.ask(conversation, wanted.question, answerer=wanted.solver))


@questions.post(
    "/questions/stream",
    response_class=StreamingResponse,
    responses={**_STREAM, **problems(502, changes=True, body=True)},
)
async def _ask_and_follow(site: TheSite, conversation: ConversationId, wanted: QuestionBody) -> StreamingResponse:
    """Ask, and receive the steps as server-sent events. A client that disconnects stops the question."""
    site.sessions.saved.get(conversation)
    return StreamingResponse(_messages(site, conversation, wanted), media_type="text/event-stream")


@questions.delete("/questions/current", responses=problems(changes=True))
async def _stop(site: TheSite, conversation: ConversationId) -> StoppedReply:
    """Stop the current question and those queued behind it; their requests fail with an error."""
    return StoppedReply(questions=site.sessions.stop(conversation))


@questions.delete("/questions/last", responses=problems(changes=True))
async def _take_back(site: TheSite, conversation: ConversationId) -> TakenBackReply:
    """Remove the last question and its answers."""
    return TakenBackReply(questions=tuple(turn.question for turn in await site.sessions.undo(conversation)))


@questions.get("/turns/{number}", responses=problems())
async def _read_answer(site: TheSite, conversation: ConversationId, number: AnswerNumber) -> WholeAnswerReply:
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


corrections = APIRouter(route_class=StrictRoute, prefix="/conversations/{conversation}", tags=["corrections"])

_LONGEST_FIX = 4_000


class CorrectionBody(RequestBody):
    """A correction to make.

    Attributes:
        fix: In the syntax of `/fix` (docs/corrections.md): `2 cell "Net sales" 2014 = 5,400`, `2 reading 2`, `undo 1`.
        author: Who makes it; by default the author in the settings.
    """

    fix: str = Field(min_length=1, max_length=_LONGEST_FIX)
    author: str | None = Field(default=None, max_length=80)


class ChangeReply(Value):
    """An answer that a correction changed.

    Attributes:
        number: The number of the answer, from 1.
        change: Its old and new value, in words.
    """

    number: int
    change: str


class CorrectionReply(Value):
    """A correction.

    Attributes:
        number: Its number in the conversation, from 1.
        reason: Why it was made, or "".
        stands: Whether it is in effect, that is, not undone.
    """

    number: int
    says: str
    author: str
    made: datetime
    reason: str
    stands: bool
    act: dict[str, JsonValue]
    changes: tuple[ChangeReply, ...]


class OfferReply(Value):
    """A possible correction.

    Attributes:
        gives: The resulting answer.
    """

    fix: str
    says: str
    gives: str


class OffersReply(Value):
    """Possible corrections of an answer: interpretations, then cells for each step, then operations."""

    offers: tuple[OfferReply, ...]


@corrections.get("/corrections", responses=problems())
async def _list_corrections(site: TheSite, conversation: ConversationId, part: Part) -> ListPage[CorrectionReply]:
    """List the corrections of a conversation in order, including undone ones."""
    ledger = (await site.sessions.read_state(conversation)).ledger
    return part.page_of(ledger.corrections).map(lambda one: correction_reply(one, ledger))


@corrections.post("/corrections", status_code=201, responses=problems(changes=True, body=True))
async def _correct(site: TheSite, conversation: ConversationId, wanted: CorrectionBody) -> CorrectionReply:
    """Correct an answer. Dependent answers are recalculated without asking a model."""
    author = (wanted.author or "").strip() or author_name(site.settings)
    correction = await site.sessions.correct(conversation, lambda ledger: read_fix(wanted.fix, ledger), author)
    return correction_reply(correction, (await site.sessions.read_state(conversation)).ledger)


@corrections.get("/turns/{number}/offers", responses=problems())
async def _list_offers(site: TheSite, conversation: ConversationId, number: AnswerNumber) -> OffersReply:
    """List possible corrections of an answer, each with the resulting answer."""
    state = await site.sessions.read_state(conversation)
    state.require_turn(number)
    found = await compute(possible_corrections, state.ledger, number - 1)
    offers = (
        OfferReply(fix=f"{number} {place}", says=one.description, gives=one.result)
        for place, one in enumerate(found, 1)
    )
    return OffersReply(offers=tuple(offers))


def correction_reply(one: Correction, ledger: Ledger) -> CorrectionReply:
    """Convert a correction to its reply."""
    return CorrectionReply.of(
        one,
        made=one.time,
        says=act_words(one.act, ledger),
        stands=one.number in {active.number for active in active_corrections(ledger.corrections)},
        act=serial.dump(one.act),
        changes=tuple(ChangeReply(number=change.turn + 1, change=change_words(change)) for change in one.changes),
    )
