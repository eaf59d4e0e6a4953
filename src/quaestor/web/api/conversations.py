"""Routes for conversations: start, list, show, rename, export and delete them; list solvers."""

import asyncio
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field
from starlette.responses import Response

from quaestor.application.choices import answerers
from quaestor.application.exporting import FORMATS, ExportFormat
from quaestor.application.replies import AnswerReply, answers_of
from quaestor.application.saved_conversations import LONGEST_TITLE, SavedConversation
from quaestor.core.serial import Value
from quaestor.store.listing import ListPage
from quaestor.web.api.bodies import Part, RequestBody, StrictRoute
from quaestor.web.api.problems import problems
from quaestor.web.site import TheSite, download

router = APIRouter(route_class=StrictRoute, prefix="/conversations", tags=["conversations"])

ConversationId = Annotated[str, Path(max_length=100, description="The id of a conversation.")]
SolverId = Annotated[str, Field(max_length=200, description="The id of a solver.")]

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
async def _export_conversation(
    site: TheSite,
    conversation: ConversationId,
    format: Annotated[
        ExportFormat, Query(description="The file format; `xlsx` contains each answer as a formula.")
    ] = "json",
) -> Response:
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
