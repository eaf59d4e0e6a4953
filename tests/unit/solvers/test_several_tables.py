"""Documents with several sections and tables: models and tools see the table of every number."""

from decimal import Decimal

import pytest
from filings import a_filing
from pydantic import JsonValue

from quaestor.conversation.turn import Memory
from quaestor.core.quantity import Quantity
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.plan.execute import execute
from quaestor.plan.expressions import bind_labels
from quaestor.plan.steps import Compute, Plan, RowRef
from quaestor.prompts import render
from quaestor.scoring.pages import benchmark_rows_of
from quaestor.solvers.reflection.drafts import locate
from quaestor.solvers.reflection.model_roles import page_for_prompt
from quaestor.solvers.reflection.numbers import NumberIndex
from quaestor.solvers.tools.toolbox import Toolbox

FILING = a_filing()
KNOWLEDGE = GraphProvider.of([FILING])
GRAPH = KNOWLEDGE.graph(FILING)


def calculate(operation: str, *values: JsonValue) -> dict[str, JsonValue]:
    return box().call("calculate", {"operation": operation, "values": list(values)})


def box() -> Toolbox:
    return Toolbox(GRAPH, KNOWLEDGE.ontology, Memory())


def test_a_row_that_two_tables_have_is_refused_until_the_table_is_named() -> None:
    refused = calculate("table_sum", "total")
    assert "'total'" in str(refused["error"])
    assert refused["nearest"] == ["table 0: total", "table 1: total"]
    assert calculate("table_sum", "table 0: total")["result"] == 190
    assert calculate("table_sum", "table 1: Total")["result"] == 13
    assert calculate("table_sum", "dividends paid")["result"] == 5
    assert calculate("table_sum", "table 2: total")["success"] is False


def test_the_rows_of_a_program_are_of_one_table() -> None:
    tables = benchmark_rows_of(FILING)
    assert [sorted(rows) for rows in tables] == [
        ["( in millions )", "notes payable", "total"],
        ["", "net cash from operating activities", "total"],
        ["", "dividends paid", "other"],
    ]
    plan = bind_labels(Plan((Compute(1, "table_sum", (RowRef("total", table=0),)),)), tables)
    assert execute(plan).result.number == 190


@pytest.mark.parametrize(
    ("value", "where", "section"),
    [("5", "SECTION_2.2", "section_2"), ("2", "section_4.1", "section_4"), ("12", "sentence SECTION_0.0", "section_0")],
)
def test_a_number_is_found_by_its_place(value: str, where: str, section: str) -> None:
    found = locate(Quantity(Decimal(value), text=value), "", where, NumberIndex(GRAPH))
    assert found.number is not None
    assert found.remarks == ()
    assert found.number.source.kind == "sentence"
    assert found.number.source.section == section


def test_an_expert_reads_the_section_of_each_table_and_sentence() -> None:
    page = render("reflection/page", page=page_for_prompt(FILING))
    assert page.splitlines()[1:] == [
        'Table T0 in "Borrowings > Maturities"',
        "| C0 | C1 | C2",
        "R0 | ( in millions ) | 2008 | 2007",
        "R1 | notes payable | 70 | 60",
        "R2 | total | 100 | 90",
        'Table T1 in "Liquidity > Maturities" ((in thousands))',
        "| C0 | C1 | C2",
        "R0 |  | 2008 | 2007",
        "R1 | net cash from operating activities | 50 | 40",
        "R2 | total | 7 | 6",
        'Table T2 in "Liquidity > Maturities"',
        "| C0 | C1 | C2",
        "R0 |  | 2008 | 2007",
        "R1 | dividends paid | 3 | 2",
        "R2 | other | 1 | 1",
        "SECTION_0.0: nord had 12 plants .",
        "",
        'Section "Borrowings > Maturities":',
        "SECTION_2.1: debt matures as follows :",
        "SECTION_2.2: interest on debt was 5 million in 2008 .",
        "",
        'Section "Liquidity > Maturities":',
        "SECTION_4.0: cash flows from operating activities rose by 10 .",
        "SECTION_4.1: the cash flows include 2 of taxes paid .",
    ]
