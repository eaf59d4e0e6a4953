"""A document of several sections and tables: every number says which of them it is of, to models and to tools."""

from decimal import Decimal

import pytest
from filings import a_filing
from pydantic import JsonValue

from quaestor.conversation.describe import describe
from quaestor.conversation.turn import Memory
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.plan.execute import execute
from quaestor.plan.expressions import bind_labels
from quaestor.plan.program import to_program
from quaestor.plan.steps import Compute, Extract, Plan, RowRef
from quaestor.prompts import render
from quaestor.scoring.pages import benchmark_rows_of
from quaestor.solvers import briefing
from quaestor.solvers.base import TurnContext
from quaestor.solvers.reflection.candidates import likely_lines, shown_numbers
from quaestor.solvers.reflection.drafts import locate
from quaestor.solvers.reflection.numbers import NumberIndex, place_code
from quaestor.solvers.sparql import showing
from quaestor.solvers.tools.toolbox import Toolbox
from quaestor.solvers.workflow.briefing import rendered_prompt

FILING = a_filing()
KNOWLEDGE = GraphProvider.of([FILING])
GRAPH = KNOWLEDGE.graph(FILING)
CONTEXT = TurnContext(FILING, Memory(), GRAPH, KNOWLEDGE.ontology)


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


def test_the_plan_of_a_row_says_its_table() -> None:
    tools = box()
    tools.call("calculate", {"operation": "table_sum", "values": ["table 1: total"]})
    plan = tools.draft.plan()
    (step,) = plan.steps
    assert isinstance(step, Compute)
    assert isinstance(step.operands[0], RowRef)
    assert step.operands[0].table == 1
    assert describe(plan, Memory(), FILING).text == "Sum of the row total of table 1"
    assert to_program(plan) == "add(7, 6)"
    assert execute(plan).result.number == 13


def test_the_rows_of_a_program_are_of_one_table() -> None:
    tables = benchmark_rows_of(FILING)
    assert [sorted(rows) for rows in tables] == [
        ["( in millions )", "notes payable", "total"],
        ["", "net cash from operating activities", "total"],
        ["", "dividends paid", "other"],
    ]
    plan = bind_labels(Plan((Compute(1, "table_sum", (RowRef("total", table=0),)),)), tables)
    assert execute(plan).result.number == 190


def test_every_number_has_a_place_of_its_own() -> None:
    numbers = NumberIndex(GRAPH)
    places = {number.source for number in numbers.all}
    assert len({place_code(source) for source in places if source.kind == "cell"}) == len(
        {source for source in places if source.kind == "cell"}
    )
    sentences = {(source.section, source.sentence) for source in places if source.kind == "sentence"}
    assert len({place_code(source) for source in places if source.kind == "sentence"}) == len(sentences) > 1
    assert {place_code(m.source) for m in GRAPH.mentions} == {
        "SECTION_0.0", "SECTION_2.2", "SECTION_4.0", "SECTION_4.1"
    }  # fmt: skip


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


def test_a_place_of_another_section_is_remarked_on() -> None:
    (remark,) = locate(Quantity(Decimal(12), text="12"), "", "SECTION_2.0", NumberIndex(GRAPH)).remarks
    assert remark[0] == "misplaced"
    assert "SECTION_2.0 prints no number" in remark[1]


def test_an_expert_reads_the_section_of_each_table_and_sentence() -> None:
    page = render("reflection/page", page=shown_numbers(FILING))
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


def test_a_planner_reads_the_section_of_each_table_and_sentence() -> None:
    prompt = rendered_prompt("what was the total of debt?", CONTEXT)
    assert 'Table 1 in "Borrowings > Maturities" (in millions)' in prompt
    assert "Table 3 in the section of table 2" in prompt
    assert "table 2 > total | 7 | 6\n" in prompt
    named = [line.partition(" | ")[0] for line in prompt.splitlines() if " | " in line]
    assert len(named) == len({*named} - {"row"}) + named.count("row")
    assert any(name != "row" and "table " not in name for name in named)
    text = prompt[prompt.index("Its sentences") : prompt.index("Question:")]
    assert text.index("nord had 12 plants") < text.index("Of table 1:")
    assert text.index("Of table 2:") < text.index("the cash flows include 2")


def test_types_are_told_with_the_sections_of_their_tables() -> None:
    told = {type_["name"]: type_["caption"] for type_ in briefing.outline(CONTEXT)["types"]}  # type: ignore[attr-defined]
    for place, table in enumerate(GRAPH.tables):
        assert f"table {place} in " in told[table.name.removeprefix("kg:")]
    shown = [(type_["name"], type_["caption"]) for type_ in showing.value_schema("", CONTEXT)["types"]]  # type: ignore[attr-defined]
    assert (GRAPH.tables[1].name, 'table 1 in "Liquidity > Maturities" (in thousands)') in shown
    assert len(shown) == len(GRAPH.tables)


def test_a_step_of_the_second_table_is_of_it() -> None:
    number = next(o for o in GRAPH.observations if o.source == CellRef(FILING.id, 1, 2, 1))
    plan = Plan((Extract(1, number.source, number.label, number.quantity),))
    assert NumberIndex(GRAPH).number_of(plan.extracts[0]) is number
    assert execute(plan).result.number == 7


def test_what_a_question_is_likely_about_is_named_with_its_place() -> None:
    context = TurnContext(FILING, Memory(), GRAPH, GraphProvider.of([FILING]).ontology)
    assert set(likely_lines("what was the total of debt?", context)) >= {"T0R2 (total)", "T1R2 (total)", "SECTION_2.2"}
