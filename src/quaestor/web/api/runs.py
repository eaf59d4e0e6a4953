"""Runs: listed, one with its scores, its turns, one turn with plan and trace, taken away as a file."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import JsonValue
from starlette.responses import Response, StreamingResponse

from quaestor.application.answer_kinds import stored_kind_objects
from quaestor.application.exporting import ExportFormat, read_conversations
from quaestor.application.files import json_line
from quaestor.application.replies import Value
from quaestor.application.reports import TracedTurns, read_traces, trace_objects
from quaestor.application.turn_views import TurnDetail, look_at_turn
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
from quaestor.web.api.values import Part, PlanNodeReply, nodes_of
from quaestor.web.downloads import download
from quaestor.web.runs.looking import Views
from quaestor.web.runs.words import dataset_name
from quaestor.web.site import TheSite

router = APIRouter(route_class=StrictRoute, prefix="/runs")

RunId = Annotated[str, Path(max_length=200, description="The id of a run.")]
Text = Annotated[str, Query(max_length=200, description="Only turns whose question contains this text.")]
_Word = Query(max_length=200)
_Share = Query(ge=0, le=1)
_TRACES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "One line with a JSON object for each turn.",
        "content": {"application/jsonl": {"schema": {"type": "string"}}},
    }
}


class WholeTurnReply(Value):
    """A turn of a run with its plan and trace.

    Attributes:
        turn: The stored record: the answer with its plan, step results, events, tool calls and usage.
        kind: The type of the answer.
        answerable: The probability that the document contains an answer, or null.
        plan: The nodes of the calculation, each after its inputs.
        exchanges: Every request to a model with its response, in order.
        corrected: The corrected answer, or null.
        verdict: Right or wrong; null if it is not scored.
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
    kind: Annotated[
        RunKind | None, Query(description="Questions of a dataset, questions of a person, or imported answers.")
    ] = None,
    status: Annotated[RunStatus | None, Query(description="The status of the run.")] = None,
    dataset: Annotated[str | None, _Word] = None,
    solver: Annotated[str | None, _Word] = None,
    model: Annotated[str | None, _Word] = None,
) -> RunList:
    """List runs, latest first. Datasets are given by file name."""
    paths = None
    if dataset is not None:
        paths = tuple(path for path in (await views.choices()).datasets if dataset_name(path) == dataset)
    page = await views.runs(RunFilter((kind,) if kind else None, paths, solver, model, status), part)
    return RunList.of_page(page.map(run_of))


@router.get("/{run}", tags=["runs"], responses=problems())
async def _read_run(views: Views, run: RunId) -> RunReply:
    """Show a run: its dataset, solver, progress and score."""
    return run_of(await views.run(run))


@router.get("/{run}/scores", tags=["scores"], responses=problems())
async def _read_scores(views: Views, run: RunId) -> ScoresReply:
    """Show the accuracy of a run, overall and by class of turn, with intervals."""
    view = await views.run(run)
    return scores_of(view, await views.counts(view))


@router.get("/{run}/turns", tags=["runs"], responses=problems())
async def _list_turns(
    views: Views,
    run: RunId,
    part: Part,
    text: Text = "",
    conversation: Annotated[str | None, Query(max_length=1_000)] = None,
    number: Annotated[int | None, Query(ge=1, le=1_000_000, description="The number of the turn, from 1.")] = None,
    kind: Annotated[str | None, _Word] = None,
    operation: Annotated[str | None, _Word] = None,
    origin: Annotated[str | None, _Word] = None,
    least: Annotated[float | None, _Share] = None,
    most: Annotated[float | None, _Share] = None,
    verdict: Annotated[Literal["right", "wrong"] | None, Query()] = None,
    cause: Annotated[Cause | None, Query()] = None,
    order: TurnOrder = "conversation",
) -> RunTurnList:
    """List turns of a run, with verdicts if it is scored; `least` and `most` bound the confidence."""
    view = await views.run(run)
    index = None if number is None else number - 1
    wanted = TurnFilter(text, conversation, index, kind, operation, origin, least, most, order)
    verdicts = VerdictFilter(None if verdict is None else verdict == "right", None if cause is None else cause.value)
    page = await views.turns(view, wanted, verdicts, part)
    return RunTurnList.of_page(page.map(turn_of))


@router.get("/{run}/turns/{number}", tags=["runs"], responses=problems())
async def _read_turn(
    site: TheSite,
    views: Views,
    run: RunId,
    number: Annotated[int, Path(ge=1, le=1_000_000, description="The number of the turn, from 1.")],
    conversation: Annotated[str, Query(max_length=1_000, description="The id of the conversation.")],
) -> WholeTurnReply:
    """Show a turn of a run with its plan, trace and model requests."""
    return _whole(await look_at_turn(views, site.store, run, conversation, number))


@router.get("/{run}/export", tags=["runs"], response_class=Response, responses={**FILES, **problems()})
async def _export_run(
    site: TheSite,
    run: RunId,
    format: Annotated[
        ExportFormat, Query(description="The file format; `xlsx` contains each answer as a formula.")
    ] = "json",
    conversation: Annotated[
        str | None, Query(max_length=1_000, description="Only the conversation with this id.")
    ] = None,
) -> Response:
    """Export the conversations of a run as a file."""
    record = await site.store.run(run)
    found = await read_conversations(site.store, record.id, (conversation,) if conversation is not None else ())
    return await download(found, record.id, format)


@router.get("/{run}/traces", tags=["runs"], response_class=StreamingResponse, responses={**_TRACES, **problems()})
async def _export_traces(site: TheSite, run: RunId) -> StreamingResponse:
    """Export the traces of a run: the requests, tool calls, verdict and answer of every turn."""
    record = await site.store.run(run)
    turns = await read_traces(site.store, record.id)
    name = {"Content-Disposition": f'attachment; filename="{record.id} traces.jsonl"'}
    return StreamingResponse(_lines(turns), media_type="application/jsonl", headers=name)


def _lines(turns: TracedTurns) -> Iterator[str]:
    yield from map(json_line, trace_objects(turns))


def _whole(found: TurnDetail) -> WholeTurnReply:
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
