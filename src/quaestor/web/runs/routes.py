"""The addresses of the area."""

from typing import Any, get_args

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from quaestor.application.run_views import BREAKDOWNS, RunCounts
from quaestor.application.turn_views import look_at_turn, read_references
from quaestor.scoring.cause import Cause
from quaestor.scoring.scorers import SCORERS
from quaestor.store.records import RunStatus
from quaestor.web.runs import comparing, graphs, words
from quaestor.web.runs.filters import (
    RUNS_SHOWN,
    TURNS_SHOWN,
    ListRequest,
    pager,
    run_filter,
    turn_filter,
    verdict_filter,
)
from quaestor.web.runs.looking import Views, looking
from quaestor.web.runs.turn_page import turn_values
from quaestor.web.site import TheSite

router = APIRouter(prefix="/runs", lifespan=looking)
router.include_router(comparing.router)
router.include_router(graphs.router)


def _same(values: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(value, value) for value in values]


@router.get("")
async def _list_runs(request: Request, site: TheSite, views: Views) -> Response:
    """Show the runs of the store, the latest first."""
    listed = ListRequest.of("/runs", request.query_params, RUNS_SHOWN)
    choices = await views.choices()
    page = await views.runs(run_filter(listed, choices.datasets), listed.part)
    return site.pages.page(
        request,
        "runs/list.html",
        views=page.items,
        pager=pager(listed, page),
        listed=listed,
        datasets=_same(tuple(dict.fromkeys(map(words.dataset_name, choices.datasets)))),
        solvers=_same(choices.solvers),
        models=_same(choices.models),
        states=_same(get_args(RunStatus)),
        words=words,
    )


@router.get("/{run}")
async def _show_run(request: Request, site: TheSite, views: Views, run: str) -> Response:
    """Show one run: its scores, what was right by several properties, and its turns."""
    listed = ListRequest.of(f"/runs/{run}", request.query_params, TURNS_SHOWN)
    view = await views.run(run)
    counts = await views.counts(view)
    page = await views.turns(view, turn_filter(listed), verdict_filter(listed), listed.part)
    return site.pages.page(
        request,
        "runs/run.html",
        view=view,
        breakdowns=[(by, words.BREAKDOWN_WORDS[by], _rows(counts, by)) for by in BREAKDOWNS],
        causes=list(counts.causes.items()),
        cause_choices=_same(tuple(Cause)),
        choices={by: _choices(counts, by) for by in BREAKDOWNS},
        turns=page.items,
        pager=pager(listed, page),
        listed=listed,
        words=words,
    )


_PARAMETERS = {"index": "turn", "kind": "kind", "operation": "operation", "origin": "origin"}


def _rows(counts: RunCounts, by: Any) -> list[tuple[str, dict[str, str | int] | None, Any]]:
    """Return the classes of a breakdown with what filters by them: turns in their order, others by size."""
    found = counts.tallies[by].items()
    ordered = sorted(found, key=lambda one: (one[0] if by == "index" else -one[1].turns, str(one[0])))
    return [(_class_words(by, name), _asked(by, name), tally) for name, tally in ordered]


def _choices(counts: RunCounts, by: Any) -> list[tuple[str | int, str]]:
    names = sorted((name for name in counts.tallies[by] if name is not None), key=str)
    if by == "index":
        return [(int(name) + 1, str(int(name) + 1)) for name in sorted(map(int, names))]
    return [(name, _class_words(by, name)) for name in names]


def _class_words(by: str, name: str | int | None) -> str:
    if name is None:
        return "none"
    if by == "index":
        return f"turn {int(name) + 1}"
    return words.KIND_WORDS.get(str(name), str(name))


def _asked(by: str, name: str | int | None) -> dict[str, str | int] | None:
    if name is None:
        return None
    return {_PARAMETERS[by]: int(name) + 1 if by == "index" else name}


@router.get("/{run}/references")
async def _show_references(request: Request, site: TheSite, views: Views, run: str) -> Response:
    """Show the figures of a run by its references, which are read again from its file."""
    view, score = await read_references(views, site.store, run)
    return site.pages.page(request, "runs/references.html", view=view, score=score, titles=SCORERS, words=words)


@router.get("/{run}/progress")
async def _show_progress(request: Request, site: TheSite, views: Views, run: str) -> Response:
    """Show how far a run is: a part of a page."""
    view = await views.run(run)
    return site.pages.page(request, "runs/progress.html", view=view, run=view.run)


@router.get("/{run}/turns/{number}/{conversation:path}")
async def _show_turn(
    request: Request, site: TheSite, views: Views, run: str, number: int, conversation: str
) -> Response:
    """Show one turn: what was asked and answered, how that came about, and the reference if there is one."""
    found = await look_at_turn(views, site.store, run, conversation, number)
    return site.pages.page(request, "runs/turn.html", words=words, **turn_values(found))
