"""Runs: listed, one with its scores, its turns, one turn with plan and trace, taken away as a file."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import JsonValue
from starlette.responses import Response, StreamingResponse

from quaestor.application.answer_kinds import stored_kind_objects
from quaestor.application.exporting import ExportFormat, read_conversations
from quaestor.application.files import json_line
from quaestor.application.traces import TracedTurns, read_traces, trace_objects
from quaestor.application.turn_views import LookedAtTurn, look_at_turn
from quaestor.core import serial
from quaestor.scores.listing import VerdictFilter
from quaestor.scoring.cause import Cause
from quaestor.store.listing import RunFilter, TurnFilter, TurnOrder
from quaestor.store.records import RunKind, RunStatus
from quaestor.web.api.bodies import StrictRoute
from quaestor.web.api.conversations import FILES
from quaestor.web.api.problems import problems
from quaestor.web.api.run_values import (
    RunList,
    RunReply,
    RunTurnList,
    ScoresReply,
    VerdictReply,
    run_of,
    scores_of,
    turn_of,
)
from quaestor.web.api.turn_values import PlanNodeReply, nodes_of
from quaestor.web.api.values import Part, Value
from quaestor.web.downloads import download
from quaestor.web.runs.looking import Views
from quaestor.web.runs.words import dataset_name
from quaestor.web.site import TheSite

router = APIRouter(route_class=StrictRoute, prefix="/runs")

RunId = Annotated[str, Path(max_length=200, description="As the list of runs has it.")]
Text = Annotated[str, Query(max_length=200, description="Only where the question has this in it.")]
_Word = Query(max_length=200)
_Share = Query(ge=0, le=1)
_TRACES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "One JSON object a turn, a line each.",
        "content": {"application/jsonl": {"schema": {"type": "string"}}},
    }
}


class WholeTurnReply(Value):
    """A turn of a run with how it came about.

    Attributes:
        turn: As it is stored: the answer with its plan, what each step came to, events, calls of tools, what was used.
        kind: What the answer is.
        answerable: The probability that the document holds an answer, or null.
        plan: What it is computed of, each after those that lead to it.
        exchanges: Every request to a model and its reply, in their order.
        corrected: The answer as a person corrected it, or null.
        verdict: Right or wrong; null where it was not judged.
    """

    turn: dict[str, JsonValue]
    kind: str
    answerable: float | None
    plan: tuple[PlanNodeReply, ...]
    exchanges: tuple[dict[str, JsonValue], ...]
    corrected: dict[str, JsonValue] | None
    verdict: VerdictReply | None


@router.get("", tags=["runs"], responses=problems())
async def _list_runs(
    views: Views,
    part: Part,
    kind: Annotated[RunKind | None, Query(description="Over a dataset, of a person, or imported.")] = None,
    status: Annotated[RunStatus | None, Query(description="How it stands.")] = None,
    dataset: Annotated[str | None, _Word] = None,
    solver: Annotated[str | None, _Word] = None,
    model: Annotated[str | None, _Word] = None,
) -> RunList:
    """List runs, the latest first. A dataset is named without its folders."""
    paths = None
    if dataset is not None:
        paths = tuple(path for path in (await views.choices()).datasets if dataset_name(path) == dataset)
    page = await views.runs(RunFilter((kind,) if kind else None, paths, solver, model, status), part)
    items = tuple(run_of(view) for view in page.items)
    return RunList(items=items, total=page.total, offset=part.offset, limit=part.limit)


@router.get("/{run}", tags=["runs"], responses=problems())
async def _read_run(views: Views, run: RunId) -> RunReply:
    """Show a run: who answered what, how far it is, how right it was."""
    return run_of(await views.run(run))


@router.get("/{run}/scores", tags=["scores"], responses=problems())
async def _read_scores(views: Views, run: RunId) -> ScoresReply:
    """Show how right a run is, in all and by the classes of its turns, with intervals."""
    view = await views.run(run)
    return scores_of(view, await views.counts(view))


@router.get("/{run}/turns", tags=["runs"], responses=problems())
async def _list_turns(
    views: Views,
    run: RunId,
    part: Part,
    text: Text = "",
    conversation: Annotated[str | None, Query(max_length=1_000)] = None,
    number: Annotated[int | None, Query(ge=1, le=1_000_000, description="Of the turn, from 1.")] = None,
    kind: Annotated[str | None, _Word] = None,
    operation: Annotated[str | None, _Word] = None,
    origin: Annotated[str | None, _Word] = None,
    least: Annotated[float | None, _Share] = None,
    most: Annotated[float | None, _Share] = None,
    verdict: Annotated[Literal["right", "wrong"] | None, Query()] = None,
    cause: Annotated[Cause | None, Query()] = None,
    order: TurnOrder = "conversation",
) -> RunTurnList:
    """List turns of a run, with their verdicts where it was scored; `least` and `most` bound the confidence."""
    view = await views.run(run)
    index = None if number is None else number - 1
    wanted = TurnFilter(text, conversation, index, kind, operation, origin, least, most, order)
    verdicts = VerdictFilter(None if verdict is None else verdict == "right", None if cause is None else cause.value)
    page = await views.turns(view, wanted, verdicts, part)
    items = tuple(map(turn_of, page.items))
    return RunTurnList(items=items, total=page.total, offset=part.offset, limit=part.limit)


@router.get("/{run}/turns/{number}", tags=["runs"], responses=problems())
async def _read_turn(
    site: TheSite,
    views: Views,
    run: RunId,
    number: Annotated[int, Path(ge=1, le=1_000_000, description="From 1.")],
    conversation: Annotated[str, Query(max_length=1_000, description="The id of the conversation.")],
) -> WholeTurnReply:
    """Show a turn of a run with its plan, its trace, and what models were asked."""
    return _whole(await look_at_turn(views, site.store, run, conversation, number))


@router.get("/{run}/export", tags=["runs"], response_class=Response, responses={**FILES, **problems()})
async def _export_run(
    site: TheSite,
    run: RunId,
    format: Annotated[
        ExportFormat, Query(description="Of the file; a workbook has each answer as a formula.")
    ] = "json",
    conversation: Annotated[str | None, Query(max_length=1_000, description="Only this one.")] = None,
) -> Response:
    """Take the conversations of a run away as a file."""
    record = await site.store.run(run)
    found = await read_conversations(site.store, record.id, (conversation,) if conversation is not None else ())
    return await download(found, record.id, format)


@router.get("/{run}/traces", tags=["runs"], response_class=StreamingResponse, responses={**_TRACES, **problems()})
async def _export_traces(site: TheSite, run: RunId) -> StreamingResponse:
    """Take the traces of a run away: of every turn what was asked, said, called, judged and answered."""
    record = await site.store.run(run)
    turns = await read_traces(site.store, record.id)
    name = {"Content-Disposition": f'attachment; filename="{record.id} traces.jsonl"'}
    return StreamingResponse(_lines(turns), media_type="application/jsonl", headers=name)


def _lines(turns: TracedTurns) -> Iterator[str]:
    yield from map(json_line, trace_objects(turns))


def _whole(found: LookedAtTurn) -> WholeTurnReply:
    record = found.record
    listed = next((one for one in found.conversation if one.turn.index == record.index), None)
    return WholeTurnReply.model_validate(
        {
            "turn": serial.dump(record),
            **stored_kind_objects(record),
            "plan": nodes_of(found.nodes),
            "exchanges": [serial.dump(exchange.prompt) for exchange in found.exchanges],
            "corrected": None if found.corrected is None else serial.dump(found.corrected.answer),
            "verdict": turn_of(listed).verdict if listed else None,
        }
    )
