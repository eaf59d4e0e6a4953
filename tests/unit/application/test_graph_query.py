import pytest
from toolboxes import OPTIONS, sample_knowledge, sample_pages

from quaestor.application.graph_query import query_graph, value_object
from quaestor.core.provenance import CellRef
from quaestor.errors import QueryError
from quaestor.graph.sparql import Limits

GRAPH = sample_knowledge().graph(sample_pages()[OPTIONS])


def test_rows_come_with_the_places_of_their_numbers() -> None:
    found = query_graph(GRAPH, "SELECT ?o ?v WHERE { ?o kg:value ?v ; kg:rowLabel ?r . FILTER(?v = 48.65) }")
    assert (found.form, found.columns) == ("SELECT", ("o", "v"))
    ((node, value),) = found.rows
    assert value_object(value) == "48.65"
    assert found.places is not None
    place = found.places[str(node)]
    assert isinstance(place, CellRef)
    assert sample_pages()[OPTIONS].cell(place).text == "$ 48.65"


def test_ask_gives_yes_or_no() -> None:
    assert query_graph(GRAPH, "ASK { ?i kg:exercise_price 48.65 }").answer is True
    assert query_graph(GRAPH, "ask { ?i kg:exercise_price 1 }").answer is False


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?i { SERVICE <http://127.0.0.1:1/> { ?i ?p ?o } }",
        "LOAD <file:///etc/passwd>",
        "SELECT * FROM <file:///etc/passwd> { ?s ?p ?o }",
        "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }",
        "",
        "SELECT" + "(" * 100,
        "x" * 10_000,
    ],
)
def test_what_is_no_query_of_this_graph_is_refused(query: str) -> None:
    with pytest.raises(QueryError):
        query_graph(GRAPH, query)


def test_more_rows_than_may_be_are_refused() -> None:
    with pytest.raises(QueryError):
        query_graph(GRAPH, "SELECT * { ?s ?p ?o }", Limits(rows=3))
