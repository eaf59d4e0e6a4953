"""The addresses of a page's graph: the thing that is looked at, and the picture beside it."""

from urllib.parse import quote, urlencode

from fastapi import APIRouter
from pydantic import JsonValue
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from quaestor.application.graph_network import GraphNetwork, Network, NetworkNode
from quaestor.core.computing import compute
from quaestor.web.site import Site, TheSite
from quaestor.web.templating import is_partial

router = APIRouter()


@router.get("/{run}/graph/{conversation:path}")
async def _show_graph(request: Request, site: TheSite, run: str, conversation: str, node: str = "") -> Response:
    """Show a thing of the graph of a conversation's page with all that it leads to; without one where to begin."""
    network = await _network(site, run, conversation, node)

    def address(id: str | None) -> str:
        there = f"/runs/{quote(run)}/graph/{quote(conversation)}"
        return f"{there}?{urlencode({'node': id})}" if id else there

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
    """Give the same for a picture."""
    network = await _network(site, run, conversation, node)
    nodes: list[JsonValue] = [{"id": one.id, "label": one.label, "kind": one.kind} for one in network.nodes]
    edges: list[JsonValue] = [{"source": one.source, "target": one.target, "label": one.label} for one in network.edges]
    focus = network.focus.id if network.focus else None
    return JSONResponse({"focus": focus, "nodes": nodes, "edges": edges, "hidden": network.hidden})


async def _network(site: Site, run: str, conversation: str, node: str) -> Network:
    triples = await site.store.load_graph(run, conversation)
    graph = await compute(GraphNetwork, triples)
    return graph.around(node) if node else graph.start()


def _neighbours(network: Network) -> list[tuple[str, NetworkNode]]:
    """Return what the thing in the middle leads to, with what joins them; what leads to it is told backwards."""
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
