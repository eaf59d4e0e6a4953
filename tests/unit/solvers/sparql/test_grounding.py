"""A query selects numbers of the page with their nodes; computed values are rejected."""

import pytest
from pages import page
from solver_bench import context_of
from sparql_bench import CASH_2008
from toolboxes import CASH_FLOWS

from quaestor.errors import QueryError
from quaestor.solvers.sparql.grounding import QueriedNumbers

CASH = "kg:net_cash_from_operating_activities"
PAIRS = page(
    [
        ["", "2008", "2007"],
        ["net sales", "100", "100"],
        ["notes due at 7.5 %", "-40", "-"],
        ["shares", "17900 ( rental ) 4800 ( services )", "5"],
    ],
    before=["sales were $ 5.2 million in 2008 and 4.1 % of them came from notes ."],
)


@pytest.fixture(scope="module")
def cash() -> QueriedNumbers:
    return QueriedNumbers(context_of(CASH_FLOWS).graph)


@pytest.fixture(scope="module")
def pairs() -> QueriedNumbers:
    return QueriedNumbers(context_of(PAIRS).graph)


@pytest.mark.parametrize(
    "query",
    [
        CASH_2008,
        f"SELECT * WHERE {{ kg:CashFlow_2008 {CASH} ?value }}",
        f"select distinct ?v {{ ?i {CASH} ?v ; kg:year '2008' }}",
        f"SELECT ?o WHERE {{ ?o a kg:Observation ; kg:property {CASH} ; kg:year '2008' }}",
        f"SELECT ?value WHERE {{ ?o a kg:Observation ; kg:property {CASH} ; kg:period '2008' ; kg:value ?value }}",
        f"SELECT ?o ?value WHERE {{ ?o kg:instance kg:CashFlow_2008 ; kg:property {CASH} ; kg:value ?value }} LIMIT 1",
        f"SELECT ?t WHERE {{ ?o kg:property {CASH} ; kg:year '2008' ; kg:value ?value ; kg:printedText ?t }}",
        "SELECT ?value WHERE { ?o kg:rowLabel ?l ; kg:columnLabel '2008' ; kg:value ?value "
        "FILTER(CONTAINS(?l, 'operating activities')) }",
        f"PREFIX kg: <urn:quaestor:kg#> SELECT ?v {{ ?o kg:property {CASH} ; kg:year '2008' ; kg:value ?v }}",
        f"SELECT ?v WHERE {{ {{ ?o kg:property {CASH} ; kg:year '2008' ; kg:value ?v }} UNION {{ ?o kg:none ?v }} }}",
        f"SELECT ?v # it {{\nWHERE {{ ?o kg:property {CASH} ; kg:value ?v ; kg:year ?y }} ORDER BY ?y OFFSET 1 LIMIT 1",
    ],
)  # fmt: skip
def test_a_query_in_any_wording_means_the_number_of_its_cell(cash: QueriedNumbers, query: str) -> None:
    (node,) = cash.find(query)
    assert str(cash.by_node[node].quantity.value) == "181001"
    assert node.startswith("doc:obs_")


def test_every_match_is_found_and_each_once(pairs: QueriedNumbers) -> None:
    assert len(pairs.find("SELECT ?v WHERE { ?i kg:net_sales ?v }")) == 2
    assert len(pairs.find("SELECT ?v WHERE { ?o kg:property kg:shares ; kg:year '2008' ; kg:value ?v }")) == 2
    assert not pairs.find("SELECT ?v WHERE { ?o kg:property kg:shares ; kg:year '1999' ; kg:value ?v }")
    assert not pairs.find("SELECT ?v WHERE { OPTIONAL { ?o kg:year '1999' ; kg:value ?v } }")


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("SELECT (SUM(?v) AS ?value) WHERE { ?i kg:net_sales ?v }", ""),
        ("SELECT (?v AS ?value) WHERE { ?i kg:net_sales ?v }", ""),
        ("SELECT ?i WHERE { ?i kg:net_sales ?v } GROUP BY ?i HAVING (COUNT(?v) > 1)", "GROUP"),
        ("SELECT ?d WHERE { ?i kg:net_sales ?v . ?i kg:shares ?w BIND(?v - ?w AS ?d) }", ""),
        ("SELECT ?n WHERE { { SELECT (COUNT(?v) AS ?n) WHERE { ?i kg:net_sales ?v } } }", ""),
        ("SELECT ?v WHERE { VALUES ?v { 12345 } }", "12345"),
        ("SELECT ?r WHERE { doc:cell_0_1_1 kg:row ?r }", ""),
        ("SELECT ?i WHERE { ?i kg:net_sales ?v }", "kg:value"),
        ("SELECT ?y WHERE { ?i kg:year ?y }", ""),
        ("SELECT ?t WHERE { ?c a kg:TextCell ; kg:printedText ?t }", ""),
        ("ASK { ?i kg:net_sales ?v }", "SELECT"),
        ("SELECT", "1"),
        ("SELECT ?v WHERE { ?i kg:net_sales ?v", "1"),
        ("SELECT ?v WHERE { ?i foo:net_sales ?v }", "'foo'"),
        ("SELECT ?v WHERE { SERVICE <http://example.org/> { ?i kg:net_sales ?v } }", "SERVICE"),
        ("SELECT ?v FROM <http://example.org/> WHERE { ?i kg:net_sales ?v }", "FROM"),
        ("DROP ALL", "DROP"),
        ("", ""),
        ("SELECT ?v WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?v }", ""),
    ],
)  # fmt: skip
def test_value_that_is_not_a_number_is_rejected(pairs: QueriedNumbers, query: str, named: str) -> None:
    with pytest.raises(QueryError) as caught:
        pairs.find(query)
    assert named in str(caught.value)
