import random
import re
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import page, sample_pages

from quaestor.application.graph_query import value_object
from quaestor.errors import QueryError
from quaestor.graph.builder import build_graph
from quaestor.graph.sparql import EXAMPLE, WORKER, Limits
from quaestor.ontology.builder import build_ontology

GRAPH = build_graph(next(d for d in sample_pages() if d.id.startswith("QUIL")), build_ontology(sample_pages()))
OTHER = build_graph(page([["", "2008"], ["cash", "1"]]), build_ontology([]))
EVERYTHING_CUBED = "?a ?b ?c . ?d ?e ?f . ?g ?h ?i"


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
def test_values_of_rows_are_typed(query: str, expected: dict[str, object]) -> None:
    assert GRAPH.select(query) == (expected,)


def test_ask() -> None:
    assert GRAPH.ask('ASK { ?x kg:year "2007" }')
    assert not GRAPH.ask('ASK { ?x kg:year "1907" }')
    assert GRAPH.ask('ASK { { ?x kg:year "2007" } UNION { ?x kg:year "1907" } }')


def test_graphs_do_not_see_each_other() -> None:
    query = "SELECT ?n WHERE { { ?x dcterms:identifier ?n } }"
    for _ in range(2):
        assert GRAPH.select(query)[0]["n"] == GRAPH.document
        assert OTHER.select(query)[0]["n"] == OTHER.document


@pytest.mark.slow
@pytest.mark.parametrize("head", ["SELECT (COUNT(*) AS ?n)", "ASK"])
def test_endless_query_is_stopped_and_the_next_one_runs(head: str) -> None:
    query = f"{head} WHERE {{ {EVERYTHING_CUBED} FILTER(CONCAT(STR(?a), STR(?d), STR(?i)) = 'x') }}"
    with pytest.raises(QueryError):
        (GRAPH.ask if head == "ASK" else GRAPH.select)(query, Limits(seconds=0.1))
    assert GRAPH.ask("ASK { { ?a ?b ?c } }")


def test_a_sort_of_everything_is_stopped() -> None:
    with pytest.raises(QueryError):
        GRAPH.select(f"SELECT ?a WHERE {{ {EVERYTHING_CUBED} }} ORDER BY ?i LIMIT 1", Limits(seconds=0.1))


def test_too_many_rows_are_an_error() -> None:
    for query in ("SELECT ?a WHERE { ?a ?b ?c }", "SELECT ?a WHERE { { ?a ?b ?c } }"):
        with pytest.raises(QueryError, match="5"):
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
            with pytest.raises(QueryError, match="SERVICE"):
                GRAPH.select(query)
        listener.join()
    assert not reached.is_set()


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("SELECT ?a WHERE { ?a foo:b ?c }", "'foo'.*dcterms, doc, kg"),
        ("SELECT ?a WHERE {\n ?a ?b }", r"line 2, column 9, .* \?b }': .*'}'"),
        ("SELECT ?a WHERE { ?a ?b ?c", r"line 1, column 27"),
        ("SELECT ?a WHERE { { ?a ?b } }", "line 1, column 29, .*'}'"),
        ("SELECT ?a WHERE ?a ?b ?c", 'line 1, column 17, .*\\?a.*"{"'),
        ("SELECT WHERE { ?a ?b ?c }", "line 1"),
        ("SELECT", "line 1, column 7, .*'SELECT'"),
        ("SELECT ?a { ?a ?b ?c } LIMIT x", "column 30, .*'x'"),
        ("SELECT ?a ?b { ?a ?b ?c } GROUP BY ?a", "SELECT"),
        ("SELECT (1 AS ?a) (2 AS ?a) WHERE { ?x ?y ?z }", "."),
    ],
)
def test_malformed_queries_name_place_and_fault(query: str, named: str) -> None:
    with pytest.raises(QueryError, match=named) as raised:
        GRAPH.select(query)
    message = str(raised.value)
    assert "\n" not in message
    # The list of tokens that the grammar expects is omitted.
    assert "expected one of" not in message
    assert len(message) < 260


def test_example_query_of_error_messages_is_valid() -> None:
    with pytest.raises(QueryError, match=re.escape(EXAMPLE)):
        GRAPH.select("SELECT ?a { ?a ?b }")
    rows = GRAPH.select(EXAMPLE)
    assert len(rows) >= len(GRAPH.observations)


@pytest.mark.slow
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


XSD = "http://www.w3.org/2001/XMLSchema#"
FUNCTION = "<http://x/f>(?v)"


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT ?v WHERE {{ ?o kg:value ?v FILTER({FUNCTION}) }}",
        f"SELECT ?v WHERE {{ ?o kg:value ?v }} ORDER BY {FUNCTION}",
        f"SELECT ({FUNCTION} AS ?y) WHERE {{ ?o kg:value ?v }}",
        "ASK { ?o kg:value ?v FILTER(<http://x/f>(1)) }",
        "ASK { FILTER(<http://x/f>(1)) }",
    ],
)
def test_an_unknown_function_is_named(query: str) -> None:
    with pytest.raises(QueryError, match="http://x/f"):
        (GRAPH.ask if query.startswith("ASK") else GRAPH.select)(query)


@pytest.mark.parametrize("kind", ["decimal", "integer", "double", "float", "boolean"])
@pytest.mark.parametrize(
    "text",
    ["abc", "", "1_000", " 5 ", "\u0661", "0x10", "1e999999999", "1e99999999999999999999", "7" * 4400, "nan", "--1"],
)
def test_ill_typed_literal_is_returned_as_text(kind: str, text: str) -> None:
    literal = f'"{text}"^^<{XSD}{kind}>'
    for query in (
        f"SELECT ?v WHERE {{ BIND({literal} AS ?v) }}",
        f"SELECT ({literal} AS ?v) WHERE {{ ?x kg:value ?y }}",
    ):
        for row in GRAPH.select(query.replace("LITERAL", literal)):
            assert isinstance(row["v"], str)
            value_object(row["v"])


@pytest.mark.slow
def test_long_texts_are_built_in_the_worker() -> None:
    text = '"aaaaaaaaaa"'
    for _ in range(12):
        text = f'REPLACE({text}, "a", "aaaaaaaaaa")'
    for query in (
        f"SELECT ?v WHERE {{ ?o kg:value ?v FILTER(STRLEN({text}) > 1) }}",
        f"SELECT ({text} AS ?v) WHERE {{ ?o kg:value ?w }}",
        f"SELECT ?v WHERE {{ ?o kg:value ?v }} ORDER BY {text}",
    ):
        with pytest.raises(QueryError):
            GRAPH.select(query, Limits(seconds=1))


FRAGMENTS = st.sampled_from([
    "?v", "?o", "kg:value", "kg:rowLabel", "<http://x/f>(?v)", "<http://x/f>(1)", "xsd:integer(?v)", "STR(?v)",
    f'"abc"^^<{XSD}decimal>', f'"1e99999999"^^<{XSD}double>', f'"99999999999999999999"^^<{XSD}integer>',
    "1/0", "-9e307",
    f'"x"^^<{XSD}boolean>', f'"2020-99-99"^^<{XSD}dateTime>', f'"P1Y"^^<{XSD}duration>', "'x'@en", "_:b", "[]", "()",
    "REGEX(?v, '(a{99}){99}')", "REPLACE(STR(?v), '.', '$0$0$0')", "CONCAT(STR(?v), STR(?v))", "BNODE()", "UUID()",
    "IRI('a b')", "STRDT('x', kg:value)", "SUBSTR('abc', -9, 99999999)", "COUNT(*)", "GROUP_CONCAT(?v)",
    "IF(1, ?v, ?o)",
    "COALESCE()", "EXISTS { ?o ?v ?o }", "NOW()", "SHA512('x')", "STRLANG('x', '?')", "<< ?o ?v ?o >>",
    "TRIPLE(?o, ?v, 1)",
])  # fmt: skip
JOINED = st.lists(
    st.tuples(FRAGMENTS, st.sampled_from(["+", "*", "/", "=", "<", "&&", "||", ",", " IN (", ")", "|", "^", " "])),
    min_size=1,
    max_size=6,
).map(lambda pairs: "".join(part for pair in pairs for part in pair).rstrip("+*/=<&|,^ "))
QUERIES = st.tuples(
    st.sampled_from([
        "SELECT ?v WHERE {{ ?o kg:value ?v FILTER({0}) }}", "SELECT ({0} AS ?y) WHERE {{ ?o kg:value ?v }}",
        "SELECT ?v WHERE {{ ?o kg:value ?v }} ORDER BY ({0})",
        "SELECT ?v WHERE {{ {{ ?o kg:value ?v }} BIND({0} AS ?z) }}",
        "SELECT ?v WHERE {{ VALUES ?v {{ {0} }} }}", "SELECT ?v WHERE {{ ?o kg:value ?v }} GROUP BY ?v HAVING ({0})",
        "ASK {{ FILTER({0}) }}", "ASK {{ ?o {0} ?v }}", "SELECT * WHERE {{ {0} kg:value ?v }}", "{0}", "SELECT {0}",
    ]),
    JOINED | st.text(max_size=20),
).map(lambda drawn: drawn[0].format(drawn[1]))  # fmt: skip


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(query=QUERIES)
def test_hostile_query_is_answered_or_refused_with_a_named_error(query: str) -> None:
    for run in (GRAPH.select, GRAPH.ask):
        with suppress(QueryError):
            run(query, Limits(rows=50, seconds=1))


def test_ended_worker_is_restarted() -> None:
    assert GRAPH.ask("ASK { { ?a ?b ?c } }")
    WORKER.close()
    assert GRAPH.ask("ASK { { ?a ?b ?c } }")


ASKS = """
from quaestor.graph.sparql import WORKER
query = {"graph": "g", "query": "SELECT ?s { ?s ?p ?o }", "prefixes": {}, "rows": 10, "seconds": 5.0}
WORKER.ask(query, "<http://a> <http://b> <http://c> .")
print(WORKER._process.pid)
"""


def test_the_worker_ends_with_its_process() -> None:
    done = subprocess.run([sys.executable, "-X", "dev", "-c", ASKS], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    gone = subprocess.run(["ps", "-p", done.stdout.strip()], capture_output=True, check=False)
    assert gone.returncode != 0
