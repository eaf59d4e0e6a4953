"""Routes of the pages for runs."""

from dataclasses import replace
from typing import Any, get_args
from urllib.parse import quote, urlencode

from fastapi import APIRouter
from pydantic import JsonValue
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from quaestor.application.graph_network import GraphNetwork, Network, NetworkNode
from quaestor.application.run_service import OVER_DATASETS
from quaestor.application.run_views import BREAKDOWNS, RunCounts, by_chance, read_references, read_turn_detail
from quaestor.core.computing import compute
from quaestor.errors import InputError
from quaestor.scoring.scorers import SCORERS
from quaestor.scoring.taxonomy import Cause
from quaestor.store.records import RunStatus
from quaestor.web.runs import words
from quaestor.web.runs.filters import RUNS_SHOWN, TURNS_SHOWN, ListRequest, PairQuery, RunQuery, TurnQuery, pager
from quaestor.web.runs.turn_page import turn_values
from quaestor.web.site import Site, TheSite
from quaestor.web.templating import is_partial

router = APIRouter(prefix="/runs")

OUTCOMES = (
    ("both", "right in both"),
    ("first", "right in A only"),
    ("second", "right in B only"),
    ("neither", "wrong in both"),
    ("unjudged", "not scored"),
)


def _same(values: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(value, value) for value in values]


@router.get("")
async def _list_runs(request: Request, site: TheSite) -> Response:
    """List the runs in the store, latest first."""
    listed = ListRequest.of("/runs", request.query_params, RUNS_SHOWN)
    choices = await site.views.choices()
    page = await site.views.runs(
        replace(listed.query(RunQuery).filter(choices.datasets), kinds=OVER_DATASETS), listed.part
    )
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


@router.get("/compare")
async def _compare(request: Request, site: TheSite) -> Response:
    """Compare two runs turn by turn; runs selected in a list arrive as `run`, the later one first."""
    listed = ListRequest.of("/runs/compare", request.query_params, TURNS_SHOWN)
    if ticked := request.query_params.getlist("run"):
        if len(ticked) != 2:
            raise InputError(f"select two runs to compare, not {len(ticked)}")
        return RedirectResponse(ListRequest("/runs/compare", {}, 1).address(first=ticked[1], second=ticked[0]), 303)
    if not {"first", "second"} <= listed.values.keys():
        raise InputError("select two runs to compare")
    first, second = await site.views.run(listed.values["first"]), await site.views.run(listed.values["second"])
    page = await site.views.compare(first, second, listed.query(PairQuery).filter, listed.part)
    counts = await site.views.count_pairs(first, second)
    return site.pages.page(
        request,
        "runs/compare.html",
        first=first,
        second=second,
        counts=counts,
        chance=by_chance(counts),
        outcomes=OUTCOMES,
        pairs=page.items,
        pager=pager(listed, page),
        listed=listed,
        words=words,
    )


@router.get("/{run}")
async def _show_run(request: Request, site: TheSite, run: str) -> Response:
    listed = ListRequest.of(f"/runs/{run}", request.query_params, TURNS_SHOWN)
    view = await site.views.run(run)
    counts = await site.views.counts(view)
    wanted = listed.query(TurnQuery)
    page = await site.views.turns(view, wanted.filter, wanted.verdicts, listed.part)
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
    """Return the classes of a breakdown with the parameters that filter by them.

    Turn numbers come in order, other classes by size.
    """
    ordered = sorted(counts.tallies[by], key=lambda one: (one.name if by == "index" else -one.turns, str(one.name)))
    rows = []
    for one in ordered:
        value = int(one.name) + 1 if by == "index" and one.name is not None else one.name
        rows.append((_class_words(by, one.name), None if value is None else {_PARAMETERS[by]: value}, one))
    return rows


def _choices(counts: RunCounts, by: Any) -> list[tuple[str | int, str]]:
    names = sorted((one.name for one in counts.tallies[by] if one.name is not None), key=str)
    if by == "index":
        return [(int(name) + 1, str(int(name) + 1)) for name in sorted(map(int, names))]
    return [(name, _class_words(by, name)) for name in names]


def _class_words(by: str, name: str | int | None) -> str:
    if name is None:
        return "none"
    if by == "index":
        return f"turn {int(name) + 1}"
    return words.KIND_WORDS.get(str(name), str(name))


@router.get("/{run}/references")
async def _show_references(request: Request, site: TheSite, run: str) -> Response:
    """Show the scores of a run against its references, which are read again from their file."""
    view, score = await read_references(site.views, site.store, run)
    return site.pages.page(request, "runs/references.html", view=view, score=score, titles=SCORERS, words=words)


@router.get("/{run}/progress")
async def _show_progress(request: Request, site: TheSite, run: str) -> Response:
    """Show the progress of a run, as a fragment of a page."""
    view = await site.views.run(run)
    return site.pages.page(request, "runs/progress.html", view=view, run=view.run)


@router.get("/{run}/turns/{number}/{conversation:path}")
async def _show_turn(request: Request, site: TheSite, run: str, number: int, conversation: str) -> Response:
    found = await read_turn_detail(site.views, site.store, run, conversation, number)
    return site.pages.page(request, "runs/turn.html", words=words, **turn_values(found))


@router.get("/{run}/graph/{conversation:path}")
async def _show_graph(request: Request, site: TheSite, run: str, conversation: str, node: str = "") -> Response:
    """Show a node of a page's graph with its neighbours, or the start nodes if none is given."""
    network = await _network(site, run, conversation, node)

    def address(id: str | None) -> str:
        path = f"/runs/{quote(run)}/graph/{quote(conversation)}"
        return f"{path}?{urlencode({'node': id})}" if id else path

    return site.pages.page(
        request,
        "runs/node.html" if is_partial(request) else "runs/graph.html",
        run=run,
        conversation=conversation,
        network=network,
        neighbours=_neighbours(network),
        address=address,
    )


@router.get("/{run}/network/{conversation:path}")
async def _give_network(site: TheSite, run: str, conversation: str, node: str = "") -> Response:
    """Return the nodes and edges of the graph as JSON, for the picture."""
    network = await _network(site, run, conversation, node)
    nodes: list[JsonValue] = [{"id": one.id, "label": one.label, "kind": one.kind} for one in network.nodes]
    edges: list[JsonValue] = [{"source": one.source, "target": one.target, "label": one.label} for one in network.edges]
    focus = network.focus.id if network.focus else None
    return JSONResponse({"focus": focus, "nodes": nodes, "edges": edges, "hidden": network.hidden})


async def _network(site: Site, run: str, conversation: str, node: str) -> Network:
    triples = await site.store.load_graph(run, conversation)
    graph = await compute(GraphNetwork, triples)
    return graph.neighbourhood(node) if node else graph.start()


def _neighbours(network: Network) -> list[tuple[str, NetworkNode]]:
    """Return the neighbours of the focused node with the label of each edge; "←" marks incoming edges."""
    if network.focus is None:
        return []
    nodes, middle = {node.id: node for node in network.nodes}, network.focus.id
    found = []
    for edge in network.edges:
        if edge.source == middle:
            found.append((edge.label, nodes[edge.target]))
        elif edge.target == middle:
            found.append((f"← {edge.label}", nodes[edge.source]))
    return found
