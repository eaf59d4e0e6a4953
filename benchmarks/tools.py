"""Time of a tool call."""

from collections.abc import Iterable
from time import perf_counter

from pydantic import JsonValue

from benchmarks.figure import Figure, milliseconds
from benchmarks.workload import Workload
from quaestor.conversation.turn import Memory
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.solvers.tools.toolbox import Toolbox

_CALLS_A_PAGE = 8


def measure(workload: Workload) -> Iterable[Figure]:
    documents = {conversation.document.id: conversation.document for conversation in workload.dataset.conversations}
    knowledge = GraphProvider.of(documents.values())
    first: list[float] = []
    later: list[float] = []
    for document in documents.values():
        graph = knowledge.graph(document)
        box = Toolbox(graph, knowledge.ontology, Memory())
        for place, query in enumerate(_queries(graph)):
            started = perf_counter()
            reply = box.call("query_kg", query)
            (later if place else first).append(perf_counter() - started)
            assert reply["success"], (query, reply)
    yield milliseconds("query_kg, a call", later, "calls, each for another cell of its page")
    yield milliseconds("query_kg, the first call of a turn", first, "calls, the indexing of the page among it")


def _queries(graph: KnowledgeGraph) -> Iterable[dict[str, JsonValue]]:
    """Yield queries for cells spread over a page, each made unique as the tool itself suggests."""
    types = {table.index: table.name for table in graph.tables}
    step = max(len(graph.observations) // _CALLS_A_PAGE, 1)
    for observation in graph.observations[::step]:
        filters: dict[str, JsonValue] = {
            "instance": observation.instance, "row": observation.source.row, "order": observation.order,
            "column": observation.source.column,
        }  # fmt: skip
        yield {
            "entityType": types[observation.source.table],
            "property": observation.predicate,
            "filters": filters,
        }
