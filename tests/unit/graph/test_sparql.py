import random
import socket
import threading
from decimal import Decimal
from time import monotonic

import pytest
from pages import page, sample_pages

from quaestor.errors import QueryError
from quaestor.graph.builder import build_graph
from quaestor.graph.process import shared_worker
from quaestor.graph.sparql import Limits
from quaestor.ontology.builder import build_ontology
from quaestor.ontology.terms import Iri

GRAPH = build_graph(next(d for d in sample_pages() if d.id.startswith("QUIL")), build_ontology(sample_pages()))
OTHER = build_graph(page([["", "2008"], ["cash", "1"]]), build_ontology([]))
EVERYTHING_CUBED = "?a ?b ?c . ?d ?e ?f . ?g ?h ?i"


def test_rows_are_typed() -> None:
    (row,) = GRAPH.select(
        "SELECT ?value ?cell ?row WHERE { ?o kg:instance kg:StockOption_2007 ; kg:property kg:exercise_price ;"
        " kg:value ?value ; prov:wasDerivedFrom ?cell . ?cell kg:row ?row }"
    )
    assert isinstance(row["value"], Decimal)
    assert row["cell"] == Iri("doc:cell_0_1_1")
    assert isinstance(row["cell"], Iri)
    assert row["row"] == 1


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT (COUNT(*) AS ?n) WHERE { ?o a kg:Observation }", {"n": len(GRAPH.observations)}),
        ("SELECT (AVG(?x) AS ?n) WHERE { VALUES ?x { 1 2 } }", {"n": Decimal("1.5")}),
        ("SELECT ?n ?m WHERE { BIND(true AS ?n) OPTIONAL { ?n kg:none ?m } }", {"n": True, "m": None}),
        ("SELECT ?n WHERE { ?x dcterms:identifier ?n }", {"n": GRAPH.document}),
        ("SELECT (1e0 AS ?n) WHERE { ?x dcterms:identifier ?y }", {"n": Decimal(1)}),
    ],
)
def test_small_and_large_queries_give_one_kind_of_rows(query: str, expected: dict[str, object]) -> None:
    assert GRAPH.select(query) == (expected,)


def test_here_and_there_agree() -> None:
    group = "?o a kg:Observation ; kg:value ?v ; kg:rowLabel ?r"
    here = GRAPH.select(f"SELECT ?o ?v ?r WHERE {{ {group} }} ORDER BY ?o")
    there = GRAPH.select(f"SELECT ?o ?v ?r WHERE {{ {{ {group} }} }} ORDER BY ?o")
    assert here == there
    assert len(here) == len(GRAPH.observations)


def test_ask() -> None:
    assert GRAPH.ask('ASK { ?x kg:year "2007" }')
    assert not GRAPH.ask('ASK { ?x kg:year "1907" }')
    assert GRAPH.ask('ASK { { ?x kg:year "2007" } UNION { ?x kg:year "1907" } }')


def test_graphs_do_not_see_each_other() -> None:
    query = "SELECT ?n WHERE { { ?x dcterms:identifier ?n } }"
    for _ in range(2):
        assert GRAPH.select(query)[0]["n"] == GRAPH.document
        assert OTHER.select(query)[0]["n"] == OTHER.document


@pytest.mark.parametrize("head", ["SELECT *", "SELECT (COUNT(*) AS ?n)", "SELECT ?a", "ASK"])
def test_a_runaway_is_stopped_and_the_next_query_runs(head: str) -> None:
    began = monotonic()
    query = f"{head} WHERE {{ {EVERYTHING_CUBED} FILTER(CONCAT(STR(?a), STR(?d), STR(?i)) = 'x') }}"
    with pytest.raises(QueryError, match=r"took (more than 0\.5 seconds|too much memory)"):
        (GRAPH.ask if head == "ASK" else GRAPH.select)(query, Limits(seconds=0.5))
    assert monotonic() - began < 20  # it would run for minutes
    assert GRAPH.ask("ASK { { ?a ?b ?c } }")


def test_a_sort_of_everything_is_stopped() -> None:
    with pytest.raises(QueryError, match="took"):
        GRAPH.select(f"SELECT ?a WHERE {{ {EVERYTHING_CUBED} }} ORDER BY ?i LIMIT 1", Limits(seconds=0.5))


def test_too_many_rows_are_an_error_that_says_so() -> None:
    for query in ("SELECT ?a WHERE { ?a ?b ?c }", "SELECT ?a WHERE { { ?a ?b ?c } }"):
        with pytest.raises(QueryError, match="more than 5 rows; add a LIMIT"):
            GRAPH.select(query, Limits(rows=5))
        assert len(GRAPH.select(query + " LIMIT 5", Limits(rows=5))) == 5


def test_service_makes_no_connection() -> None:
    reached = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.3)
        address = f"<http://127.0.0.1:{server.getsockname()[1]}/sparql>"

        def listen() -> None:
            try:
                server.accept()[0].close()
                reached.set()
            except TimeoutError:
                return

        listener = threading.Thread(target=listen)
        listener.start()
        for query in (
            f"SELECT * WHERE {{ SERVICE {address} {{ ?a ?b ?c }} }}",
            f"SELECT * WHERE {{ ?a ?b ?c . service silent{address}{{ ?a ?b ?c }} }}",
            f"PREFIX s: {address} SELECT * WHERE {{ SERVICE s: {{ ?a ?b ?c }} }}",
        ):
            with pytest.raises(QueryError, match="SERVICE is not allowed"):
                GRAPH.select(query)
        listener.join()
    assert not reached.is_set()


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT ?a WHERE { ?a foo:b ?c }", "no prefix 'foo'; there are dcterms, doc, kg"),
        (
            "SELECT ?a WHERE {\n ?a ?b }",
            r"line 2, column 9, after '.* \?b }': something before '}' is missing or wrong",
        ),
        ("SELECT ?a WHERE { ?a ?b ?c", r"line 1, column 27, after '.*': unexpected end"),
        ("SELECT ?a WHERE { { ?a ?b } }", "line 1, column 29, .*: unexpected '}'"),
        ("SELECT ?a WHERE ?a ?b ?c", 'line 1, column 17, .*: unexpected .\\?a., "{" is wanted'),
        ("SELECT WHERE { ?a ?b ?c }", "line 1"),
        ("SELECT", "line 1, column 7, after 'SELECT': unexpected end"),
        ("SELECT ?a { ?a ?b ?c } LIMIT x", "column 30, .*: unexpected 'x'"),
        ("SELECT ?a ?b { ?a ?b ?c } GROUP BY ?a", ": the SELECT contains a variable that is unbound"),
        ("SELECT (1 AS ?a) (2 AS ?a) WHERE { ?x ?y ?z }", "cannot be answered"),
    ],
)
def test_malformed_queries_say_where_and_what(query: str, reason: str) -> None:
    with pytest.raises(QueryError, match=reason) as raised:
        GRAPH.select(query)
    said = str(raised.value)
    assert "\n" not in said
    # No list of all that the grammar would have taken.
    assert "expected one of" not in said
    assert len(said) < 260


def test_the_query_that_messages_show_is_answered() -> None:
    with pytest.raises(QueryError, match="this would do: ") as raised:
        GRAPH.select("SELECT ?a { ?a ?b }")
    rows = GRAPH.select(str(raised.value).partition("this would do: ")[2])
    assert len(rows) >= len(GRAPH.observations)


def test_a_thousand_malformed_queries_raise_the_named_error() -> None:
    source = random.Random(7)
    whole = (
        'PREFIX ex: <urn:ex#> SELECT ?o (SUM(?v) AS ?s) WHERE { ?o a kg:Observation ; kg:year "2007" ; kg:value ?v .'
        " OPTIONAL { ?o kg:unit ?u } FILTER(?v > 10 && regex(?u, 'x')) } GROUP BY ?o ORDER BY DESC(?s) LIMIT 5"
    )
    reasons: list[str] = []
    while len(reasons) < 1000:
        cut, other = sorted((source.randrange(len(whole)), source.randrange(len(whole))))
        noise = "".join(source.choice("{}()<>\"'?:;.,#\\|*+^@ aZ9\x00é\n") for _ in range(source.randrange(6)))
        query = whole[:cut] + noise + whole[other:]
        try:
            GRAPH.select(query, Limits(seconds=2))
        except QueryError as error:
            reasons.append(error.reason)
    assert all(reasons)


def test_a_worker_that_was_ended_starts_again() -> None:
    assert GRAPH.ask("ASK { { ?a ?b ?c } }")
    shared_worker().close()
    assert GRAPH.ask("ASK { { ?a ?b ?c } }")
