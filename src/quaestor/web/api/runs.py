"""Routes for runs: list, show, score, compare and export them and their turns."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from pydantic import JsonValue
from starlette.responses import Response, StreamingResponse

from quaestor.application.exporting import read_conversations
from quaestor.application.files import json_line
from quaestor.application.plan_steps import PlanNode
from quaestor.application.reports import read_traces, trace_objects
from quaestor.application.run_views import RunCounts, RunTurn, RunTurnPair, RunView, by_chance, read_turn_detail
from quaestor.application.stored_turns import kind_objects
from quaestor.core import serial
from quaestor.core.serial import Value
from quaestor.scores import ScoreRecord, Tally, Verdict
from quaestor.store.listing import ListPage
from quaestor.store.records import ExampleStatus, RunKind, RunStatus
from quaestor.web.api.bodies import Part, StrictRoute
from quaestor.web.api.conversations import FILES, FileFormat
from quaestor.web.errors import problems
from quaestor.web.runs.filters import PairQuery, RunQuery, TurnQuery
from quaestor.web.runs.words import dataset_name, model_name
from quaestor.web.site import TheSite, download

router = APIRouter(route_class=StrictRoute, prefix="/runs")
comparisons = APIRouter(route_class=StrictRoute, prefix="/comparisons", tags=["scores"])

_Run = Query(max_length=200, description="The id of a run.")

RunId = Annotated[str, Path(max_length=200, description="The id of a run.")]
_TRACES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "One line with a JSON object for each turn.",
        "content": {"application/jsonl": {"schema": {"type": "string"}}},
    }
}


class ProportionReply(Value):
    """A share with its 95 % interval.

    Attributes:
        correct: The number of right turns, or the sum of the metric if turns can be partly right.
        total: The number of turns.
        value: The share, from 0 to 1; null if there are no turns.
        low: The lower bound of the interval.
        high: The upper bound of the interval.
        pages: The number of pages that the interval is resampled from.
    """

    correct: float
    total: int
    value: float | None
    low: float
    high: float
    pages: int


class ScoreReply(Value):
    """The score of a run.

    Attributes:
        version: The version of quaestor that scored it.
        dataset: The labelled file.
        accuracy: The share of right turns.
        correct_answers: The number of right turns.
        turns: The number of labelled turns.
        unanswered: The number of turns without an answer.
        mean_turns: The mean number of turns per conversation.
        mean_tool_calls: The mean number of tool calls per turn.
        metrics: The result of each scorer by its name.
    """

    scored: datetime
    version: str
    dataset: str
    accuracy: float
    correct_answers: int
    turns: int
    unanswered: int
    conversations: int
    mean_turns: float
    mean_tool_calls: float
    metrics: dict[str, ProportionReply]


class RunReply(Value):
    """A run.

    Attributes:
        kind: Questions of a dataset, questions of a person, or answers of another program.
        dataset: The name of the dataset file.
        model: The model that the solver asked, or null.
        conversations: The number of conversations in the run.
        progress: The number of conversations with each status; empty if the run is complete.
        finished: When it last finished, or null.
        score: Its latest score; null if it is not scored, or continued after it was scored.
        outdated: Whether it continued after it was scored.
    """

    id: str
    kind: RunKind
    status: RunStatus
    dataset: str
    dataset_digest: str
    solver: str
    model: str | None
    options: dict[str, JsonValue]
    conversations: int
    played: int
    progress: dict[ExampleStatus, int]
    started: datetime
    finished: datetime | None
    score: ScoreReply | None
    outdated: bool


class ScoresReply(Value):
    """The accuracy of a run, overall and by class of turn.

    Attributes:
        score: The latest score; null if it is not scored, or continued after it was scored.
        outdated: Whether it continued after it was scored.
        breakdowns: By number of the turn (from 1), operation, source of the numbers and type of the answer.
        causes: The number of wrong turns with each cause.
    """

    run: str
    score: ScoreReply | None
    outdated: bool
    breakdowns: dict[str, tuple[Tally, ...]]
    causes: dict[str, int]


def run_of(view: RunView) -> RunReply:
    """Convert a run to its reply."""
    options = view.run.spec.get("solver_options")
    return RunReply.of(
        view,
        view.run,
        dataset=dataset_name(view.run.dataset),
        solver=str(view.run.spec.get("solver", "")),
        model=model_name(view.run) or None,
        options=options if isinstance(options, dict) else {},
        played=view.finished_conversations,
        score=_score(view.score),
    )


def scores_of(view: RunView, counts: RunCounts) -> ScoresReply:
    """Return the accuracy of a run."""
    breakdowns = {
        "turn" if by == "index" else by: [
            replace(one, name=one.name + 1) if isinstance(one.name, int) else one
            for one in sorted(tallies, key=lambda one: (one.name is None, str(one.name).zfill(9)))
        ]
        for by, tallies in counts.tallies.items()
    }
    return ScoresReply.of(view, counts, run=view.run.id, score=_score(view.score), breakdowns=breakdowns)


def _score(score: ScoreRecord | None) -> ScoreReply | None:
    if score is None:
        return None
    metrics = {
        name: {field: figure.get(field) for field in ProportionReply.model_fields}
        for name, figure in score.metrics.items()
        if isinstance(figure, Mapping)
    }
    return ScoreReply.of(score, dataset=dataset_name(score.dataset), metrics=metrics)


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
    plan: tuple[PlanNode, ...]
    exchanges: tuple[dict[str, JsonValue], ...]
    corrected: dict[str, JsonValue] | None
    verdict: Verdict | None


class ComparisonReply(Value):
    """A comparison of two runs over the turns that both have.

    Attributes:
        first: The id of the first run.
        second: The id of the second run.
        turns: The number of turns that both have.
        both: The number right in both.
        wins: The number right in the first run only.
        losses: The number right in the second run only.
        neither: The number wrong in both.
        unjudged: The number not scored in one of the runs.
        differ: The number with different answers.
        p: The p-value of the exact McNemar test; null if no turn is scored in both runs, or if the extra `compare` is
            not installed.
    """

    first: str
    second: str
    turns: int
    both: int
    wins: int
    losses: int
    neither: int
    unjudged: int
    differ: int
    p: float | None


@router.get("", tags=["runs"], responses=problems())
async def _list_runs(site: TheSite, wanted: Annotated[RunQuery, Depends()], part: Part) -> ListPage[RunReply]:
    """List runs, latest first. Datasets are given by file name."""
    datasets = (await site.views.choices()).datasets if wanted.dataset is not None else ()
    page = await site.views.runs(wanted.filter(datasets), part)
    return page.map(run_of)


@router.get("/{run}", tags=["runs"], responses=problems())
async def _read_run(site: TheSite, run: RunId) -> RunReply:
    """Show a run: its dataset, solver, progress and score."""
    return run_of(await site.views.run(run))


@router.get("/{run}/scores", tags=["scores"], responses=problems())
async def _read_scores(site: TheSite, run: RunId) -> ScoresReply:
    """Show the accuracy of a run, overall and by class of turn, with intervals."""
    view = await site.views.run(run)
    return scores_of(view, await site.views.counts(view))


@router.get("/{run}/turns", tags=["runs"], responses=problems())
async def _list_turns(
    site: TheSite, run: RunId, wanted: Annotated[TurnQuery, Depends()], part: Part
) -> ListPage[RunTurn]:
    """List turns of a run, with verdicts if it is scored; `least` and `most` bound the confidence."""
    view = await site.views.run(run)
    return await site.views.turns(view, wanted.filter, wanted.verdicts, part)


@router.get("/{run}/turns/{number}", tags=["runs"], responses=problems())
async def _read_turn(
    site: TheSite,
    run: RunId,
    number: Annotated[int, Path(ge=1, le=1_000_000, description="The number of the turn, from 1.")],
    conversation: Annotated[str, Query(max_length=1_000, description="The id of the conversation.")],
) -> WholeTurnReply:
    """Show a turn of a run with its plan, trace and model requests."""
    found = await read_turn_detail(site.views, site.store, run, conversation, number)
    return WholeTurnReply.of(
        found,
        turn=serial.dump(found.record),
        **kind_objects(found.record),
        plan=found.nodes,
        exchanges=[serial.dump(exchange.prompt) for exchange in found.exchanges],
        corrected=None if found.corrected is None else serial.dump(found.corrected.answer),
    )


@router.get("/{run}/export", tags=["runs"], response_class=Response, responses={**FILES, **problems()})
async def _export_run(
    site: TheSite,
    run: RunId,
    format: FileFormat = "json",
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
    return StreamingResponse(map(json_line, trace_objects(turns)), media_type="application/jsonl", headers=name)


@comparisons.get("", responses=problems())
async def _compare(site: TheSite, first: Annotated[str, _Run], second: Annotated[str, _Run]) -> ComparisonReply:
    """Compare two runs of the same questions."""
    one, other = await site.views.run(first), await site.views.run(second)
    counts = await site.views.count_pairs(one, other)
    outcomes = counts.outcomes
    return ComparisonReply.of(
        counts,
        first=one.run.id,
        second=other.run.id,
        turns=counts.total,
        both=outcomes.get("both", 0),
        wins=outcomes.get("first", 0),
        losses=outcomes.get("second", 0),
        neither=outcomes.get("neither", 0),
        unjudged=outcomes.get("unjudged", 0),
        p=by_chance(counts),
    )


@comparisons.get("/turns", responses=problems())
async def _list_pairs(
    site: TheSite,
    first: Annotated[str, _Run],
    second: Annotated[str, _Run],
    wanted: Annotated[PairQuery, Depends()],
    part: Part,
) -> ListPage[RunTurnPair]:
    """List the turns of two runs side by side."""
    return await site.views.compare(await site.views.run(first), await site.views.run(second), wanted.filter, part)
