"""Values requested by a model: found with their source, or refused with the existing names."""

from decimal import Decimal
from typing import Any

import pytest
from examples import share
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import page
from sparql_bench import retrieval, values

from quaestor.core import serial
from quaestor.core.quantity import Scale
from quaestor.plan.steps import Constant, Extract
from quaestor.solvers.sparql.retrieval import Retrieval, WantedValues
from quaestor.solvers.sparql.showing import value_schema

PAGE = page(
    [
        ["in millions", "2008", "2007"],
        ["net sales", "100", "90"],
        ["gross margin", "13.7%", "12.1%"],
        ["fees", "7", "-"],
    ],
    before=["in 2006 the company had sold 81 stores for $ 5.2 million ."],
)


def named(**given: Any) -> WantedValues:
    return serial.load(WantedValues, values(**given))


def checked(**given: Any) -> tuple[Retrieval, list[str]]:
    found = retrieval(PAGE, "what are net sales less 17, over 3 years?")
    return found, found.check(named(**given))


def query(patterns: str) -> str:
    return f"SELECT ?value WHERE {{ {patterns} }}"


def test_values_in_every_form() -> None:
    found, faults = checked(
        net_sales_2008={"sparql": query("?i kg:year '2008' ; kg:net_sales ?value"), "description": "net sales"},
        margin=query("?i kg:year '2008' ; kg:gross_margin ?value"),
        stores={"sparql": query("doc:mention_pre_text_0_0 kg:value ?value")},
        hundred=100,
        asked={"constant": 17.0},
    )
    assert faults == []
    sales = found.values["net_sales_2008"]
    assert isinstance(sales.variable, Extract)
    assert (sales.variable.number, sales.variable.label) == (Decimal(100), "net sales, 2008")
    assert sales.register.sources == (sales.variable.source,)
    assert found.values["margin"].register.scale is Scale.PERCENT
    assert found.values["hundred"].variable == Constant(Decimal(100), "const_100")
    listed = {value["name"]: f"{value['value']} ({value['place']})" for value in found.list_values()}
    assert listed == {
        "net_sales_2008": "100 million (net sales | 2008)",
        "margin": "13.7 percent (gross margin | 2008)",
        "stores": "81 stores (pre text, sentence 1: in 2006 the company had sold 81 stores for $ 5.2 million .)",
        "hundred": "100 (constant)",
        "asked": "17.0 (constant)",
    }


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (query("?i kg:year '2006' ; kg:net_sales ?value"), "doc:obs_0_1_1_0"),
        (query("?i kg:year 2008 ; kg:net_sales ?value"), '"2008"'),
        (query("?i kg:year '2008' ; kg:net_sale ?value"), "kg:net_sale"),
        (query("?i kg:zzzz ?value"), "kg:zzzz"),
        (query("?m kg:wordsBefore 'stores sold' ; kg:value ?value"), "0"),
        (query("?o kg:property kg:net_sales ; kg:value ?value"), "2"),
        (query("?o a kg:Observation ; kg:value ?value"), "SELECT"),
        ("SELECT (AVG(?v) AS ?value) WHERE { ?i kg:net_sales ?v }", ""),
        ("SELECT ?value WHERE {", ""),
        ("the net sales of 2008", "SELECT"),
        ({}, ""),
        ({"constant": 1, "result": "result_0"}, ""),
        ("result_0", "'result_0'"),
        (90, "90"),
        (-13.7, "-13.7"),
        (float("nan"), ""),
        (1e300, ""),
    ],
)  # fmt: skip
def test_missing_value_is_refused_with_a_list_of_existing_ones(value: object, named: str) -> None:
    found, faults = checked(it=value, hundred=100)
    (fault,) = faults
    assert fault.startswith("it: ")
    assert named in fault
    assert list(found.values) == ["hundred"]


@pytest.mark.parametrize("name", ["", "net sales", "2008_sales", "sum", "größe", "x" * 81, "a;b"])
def test_names_are_identifiers(name: str) -> None:
    _, faults = checked(**{name: 100})
    assert len(faults) == 1


def test_no_two_values_have_one_name() -> None:
    found = retrieval(PAGE)
    wanted = serial.load(WantedValues, {"values": [{"name": "a", "constant": 1}, {"name": "a", "constant": 2}]})
    (fault,) = found.check(wanted)
    assert fault.startswith("a: ")


@pytest.mark.parametrize(("elsewhere", "taken"), [("7", True), ("0", False)])
def test_a_dash_is_zero_in_a_table_that_prints_no_zeros(elsewhere: str, taken: bool) -> None:
    found = retrieval(page([["", "2008", "2007"], ["sales", "9", "8"], ["fees", elsewhere, "-"]]), "fees in 2007?")
    (dash,) = found.context.graph.text_cells
    for patterns in (f"{dash.instance} {dash.predicate} ?value", f"?i kg:year '2007' ; {dash.predicate} ?value"):
        faults = found.check(named(fees=query(patterns)))
        assert ["empty (a dash)" in fault for fault in faults] == [True] * (not taken)
        assert [(v.register.number, v.register.sources) for v in found.values.values()] == [
            (Decimal(0), (dash.source,))
        ] * taken
    assert found.check(named(fees=query(f"?i kg:year '1999' ; {dash.predicate} ?value")))


QUERIES = st.text(max_size=60) | st.sampled_from(
    [
        "SELECT ?v { ?o kg:value ?v }",
        "SELECT ?v { ?o kg:value ?v } } ; DROP ALL",
        "SELECT ?l ?v { ?o kg:value ?v BIND('x' AS ?l) }",
        "SELECT * { SERVICE <http://127.0.0.1/> { ?s ?p ?o } }",
        "SELECT ?v FROM <file:///etc/passwd> { ?o kg:value ?v }",
        "SELECT (COUNT(?o) AS ?n) { ?o a kg:Observation }",
        "SELECT ?v { " + "{ " * 200 + "?o kg:value ?v" + " }" * 200 + " }",
        'SELECT ?v { ?o kg:rowLabel "net sales\\" ; kg:value ?v }',
    ]
)


@settings(max_examples=share(60), deadline=None)
@given(QUERIES, st.text(max_size=30) | st.just("net sales"))
def test_any_query_for_cells_and_any_words_are_found_or_refused(query: str, words: str) -> None:
    found, faults = checked(cells={"cells": query}, words={"words": words})
    assert len(found.values) + len(faults) == 2
    for value in found.values.values():
        assert value.register.sources


MADE_OF_WORDS = page(
    [["", "first plant", "second plant"], ["place", "Oslo", "Bergen"], ["size", "12", "n/a"], ["sold", "-", "may 2019"]]
)


def test_text_cells_are_shown_and_queried_if_all_kinds_are_allowed() -> None:
    found = retrieval(MADE_OF_WORDS, "where is the second plant?")
    shown: Any = value_schema("where is the second plant?", found.context, all_kinds=True)["types"]
    assert [line.partition(": ")[2] for line in shown[0]["lines"]] == ["Oslo | Bergen", "12 | n/a", "- | may 2019"]
    shown = value_schema("how large is it?", found.context)["types"]
    assert [line.partition(": ")[2] for line in shown[0]["lines"]] == ["12 | n/a"]
    cell = next(cell for cell in found.context.graph.text_cells if cell.text == "may 2019")
    arguments = {"sold": query(f"{cell.instance} {cell.predicate} ?value")}
    assert found.check(named(**arguments))  # if a number is asked for
    found.kinds.all = True
    assert found.check(named(**arguments)) == []
    assert found.values["sold"].shown == '"may 2019"'
    assert found.values["sold"].register.sources == (cell.source,)
    assert found.check(named(sold=query(f"?o kg:property {cell.predicate} ; kg:printedText ?value"))) == []
