"""Routes for working with a document directly: find places, query facts, check numbers, calculate, explain answers.

They use the same functions of `application` as the tools of `quaestor mcp`.
"""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field, JsonValue, model_validator

from quaestor.application.document_tools import calculation_fault
from quaestor.application.graph_query import MOST_ROWS
from quaestor.application.named_values import MOST_VALUES, NamedValues
from quaestor.application.number_check import LONGEST, MOST_MATCHES
from quaestor.application.replies import (
    AnswerReply,
    ExplanationReply,
    NumberCheckReply,
    PlaceReply,
    QueryReply,
    StepReply,
    answers_of,
    check_reply,
    explain_turn,
    place_reply,
    query_reply,
    step_replies,
)
from quaestor.application.resolve import DocumentInCorpus
from quaestor.conversation.turn import Turn
from quaestor.core.computing import compute
from quaestor.core.serial import Value
from quaestor.datasets.dataset import MAX_QUESTION
from quaestor.graph.guard import LONGEST as LONGEST_QUERY
from quaestor.graph.sparql import Limits
from quaestor.plan.expressions import LONGEST as LONGEST_FORMULA
from quaestor.web.api.bodies import RequestBody, StrictRoute
from quaestor.web.api.conversations import AnswerNumber, ConversationId
from quaestor.web.api.documents import DocumentId
from quaestor.web.errors import problems
from quaestor.web.site import Site, TheSite

router = APIRouter(route_class=StrictRoute, tags=["tools"])


class PlacesReply(Value):
    """Places that may contain an answer, best first; empty if nothing matches."""

    places: tuple[PlaceReply, ...]


class QueryBody(RequestBody):
    """A query over the graph of a document.

    Attributes:
        sparql: SELECT or ASK; prefixes are predefined: `SELECT ?o ?v WHERE { ?o kg:rowLabel 'rent' ; kg:value ?v }`.
        limit: The maximum number of rows; a query with more is rejected.
    """

    sparql: str = Field(min_length=1, max_length=LONGEST_QUERY)
    limit: int = Field(MOST_ROWS, ge=1, le=MOST_ROWS)


class CalculationBody(RequestBody):
    """A formula over named values, or a plan in words with the question that it answers.

    Attributes:
        formula: A formula of names, numbers, + - * / **, one < or >, abs min max sum avg, parentheses.
        values: The value of each name: a cell by its labels, a number in the text by the words around it, an earlier
            answer by its turn, or a given number.
        plan: A plan in the format of the prompt `write_plan` of `quaestor mcp`.
    """

    formula: str | None = Field(None, min_length=1, max_length=LONGEST_FORMULA)
    values: NamedValues = Field(default_factory=dict, max_length=MOST_VALUES)
    plan: dict[str, JsonValue] | None = None
    question: str | None = Field(None, min_length=1, max_length=MAX_QUESTION)

    @model_validator(mode="after")
    def _one_of_both(self) -> "CalculationBody":
        if fault := calculation_fault(self.formula, self.plan, self.question):
            raise ValueError(fault)
        return self


class CalculationReply(Value):
    """The result of a formula or plan.

    Attributes:
        answer: The answer; its number is that of the next turn.
        steps: The steps, each after its inputs.
    """

    answer: AnswerReply
    steps: tuple[StepReply, ...]


@router.get("/documents/{document}/places", responses=problems())
async def _find_places(
    site: TheSite,
    document: DocumentId,
    words: Annotated[
        str, Query(min_length=1, max_length=MAX_QUESTION, description="A question, or words of the document.")
    ],
    limit: Annotated[int, Query(ge=1, le=20, description="The maximum number of places.")] = 5,
) -> PlacesReply:
    """Find the tables and passages of a document that may contain an answer, best first."""
    found = await site.bench.find(await site.sessions.library.open(document), words, most=limit)
    return PlacesReply(places=tuple(map(place_reply, found)))


@router.get("/documents/{document}/numbers", responses=problems())
async def _check_number(
    site: TheSite,
    document: DocumentId,
    number: Annotated[
        str,
        Query(min_length=1, max_length=LONGEST, description="The number as printed, such as 5,300 or $ 5.3 million."),
    ],
    limit: Annotated[int, Query(ge=1, le=MOST_MATCHES, description="The maximum number of places.")] = 10,
) -> NumberCheckReply:
    """Check whether a document contains a number, where, and how it matches: exactly, scaled, rounded, ..."""
    page = await site.sessions.library.open(document)
    found = await site.bench.check_number(page.document, number, limit)
    return check_reply(found, page.document)


@router.post("/documents/{document}/queries", responses=problems(changes=True, body=True))
async def _query_graph(site: TheSite, document: DocumentId, wanted: QueryBody) -> QueryReply:
    """Query the facts of a document with SPARQL: every number with its row, column, period, scale and unit."""
    page = await site.sessions.library.open(document)
    found = await site.bench.query(page, wanted.sparql, Limits(rows=wanted.limit))
    return query_reply(found, page.document)


@router.post("/documents/{document}/calculations", responses=problems(changes=True, body=True))
async def _calculate(site: TheSite, document: DocumentId, wanted: CalculationBody) -> CalculationReply:
    """Calculate a formula or plan over a document, exactly and with sources. The result is not stored."""
    return await _evaluate(site, await site.sessions.library.open(document), wanted, ())


@router.post("/conversations/{conversation}/calculations", responses=problems(changes=True, body=True))
async def _calculate_in_conversation(
    site: TheSite, conversation: ConversationId, wanted: CalculationBody
) -> CalculationReply:
    """Calculate with the corrected document of a conversation and its answers. The result is not stored."""
    state = await site.sessions.read_state(conversation)
    return await _evaluate(site, state.corrected_page, wanted, state.turns)


@router.get("/conversations/{conversation}/turns/{number}/explanation", responses=problems())
async def _explain_answer(site: TheSite, conversation: ConversationId, number: AnswerNumber) -> ExplanationReply:
    """Explain an answer: its grounds, other interpretations, steps and trace."""
    state = await site.sessions.read_state(conversation)
    state.require_turn(number)
    return await compute(explain_turn, state.turns, number, state.document)


async def _evaluate(
    site: Site, page: DocumentInCorpus, wanted: CalculationBody, turns: Sequence[Turn]
) -> CalculationReply:
    turn = await site.bench.calculate(page, turns, wanted.formula, wanted.values, wanted.plan, wanted.question)
    (answer,) = answers_of([*turns, turn], page.document, None, len(turns) + 1)
    return CalculationReply(answer=answer, steps=step_replies(turn, turns, page.document))
