from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import page
from plan_steps import cell, compute, extract_from_sentence, number
from values import a_value, quantity_of

from quaestor.conversation.answer import Answer, Variable
from quaestor.conversation.describe import describe
from quaestor.conversation.turn import Memory, Turn
from quaestor.core import serial
from quaestor.core.periods import Period
from quaestor.core.provenance import SentenceRef
from quaestor.documents.assembly import HeadingPart, TablePart, assemble
from quaestor.documents.document import Document
from quaestor.documents.table import Table
from quaestor.ontology.core import read_core
from quaestor.plan.execute import execute
from quaestor.plan.operations import OPERATIONS
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Plan, Ref, RowRef, Step
from quaestor.questions.question import read_question
from quaestor.store.records import now

RETURNS = page(
    [
        ["", "12/31/04", "12/31/09"],
        ["united parcel service inc .", "$ 100.00", "$ 75.95"],
        ["s&p 500 index", "$ 100.00", "$ 102.11"],
    ]
)
ACCOUNTS = page(
    [
        ["( in millions )", "2008", "2007", "2006"],
        ["net revenue", "120", "100", "90"],
        ["operating costs", "80", "-70", "60"],
    ],
    before=[
        "rent expense was $ 12 million in 2008 and $ 10 million in 2007 .",
        "we had $ 31 million of unsecured debt at december 31 , 2008 .",
        "they were 7 and 8 .",
    ],
)


class DescribedConversation:
    """A conversation about a page whose turns are given as plans."""

    def __init__(self, document: Document) -> None:
        self.document, self.memory = document, Memory()

    def turn(self, question: str, *steps: Step) -> Answer:
        plan = Plan(tuple(steps))
        described = describe(plan, self.memory, self.document, read_question(question))
        result = execute(plan, self.memory.registers).result
        answer = replace(described, value=result.value, scale=result.scale, plan=plan)
        assert serial.load(Answer, serial.dump(answer)) == answer
        self.memory = self.memory.add(Turn(question, answer, True, now(), now()))
        return answer


def test_two_shares_stay_distinct_through_a_conversation() -> None:
    talk = DescribedConversation(RETURNS)
    first = talk.turn(
        "what was the change in the ups share?",
        cell(RETURNS, 1, 2),
        cell(RETURNS, 1, 1, 2),
        compute(3, "subtract", 1, 2),
    )
    assert first.description == "Change in united parcel service inc. from 2004 to 2009"
    assert (first.entity, first.metric_type) == ("united parcel service inc.", "change")
    assert first.period == Period("range", 2004, last=2009)
    share = talk.turn("how much does this change represent?", cell(RETURNS, 1, 1), compute(2, "divide", -1, 1))
    assert share.description == "Percentage change in united parcel service inc. from 2004 to 2009"
    assert (share.metric_type, share.base) == ("percentage_change", "united parcel service inc. in 2004")
    value = talk.turn("what was the index in 2009?", cell(RETURNS, 2, 2))
    assert (value.description, value.metric_type, value.base) == ("S&p 500 index in 2009", "value", None)
    talk.turn("and in 2004?", cell(RETURNS, 2, 1))
    change = talk.turn("what was, then, the change?", compute(1, "subtract", -2, -1))
    assert (change.description, change.entity) == ("Change in s&p 500 index from 2004 to 2009", "s&p 500 index")
    last = talk.turn("how much does this change represent?", compute(1, "divide", -1, -2))
    assert last.description == "Percentage change in s&p 500 index from 2004 to 2009"
    assert [variable.name for variable in last.variables] == ["result_4", "result_3"]


def test_an_index_is_relative_to_its_hundred() -> None:
    talk = DescribedConversation(RETURNS)
    talk.turn("what is it less 100?", cell(RETURNS, 2, 2), cell(RETURNS, 2, 1, 2), compute(3, "subtract", 1, 2))
    described = talk.turn("what is that divided by 100?", compute(1, "divide", -1, number("100", "const_100")))
    assert (described.metric_type, described.base) == ("percentage_change", "s&p 500 index in 2004")


REVENUE = (cell(ACCOUNTS, 1, 1), cell(ACCOUNTS, 1, 2, 2), cell(ACCOUNTS, 1, 3, 3))
BOTH = (cell(ACCOUNTS, 2, 1), cell(ACCOUNTS, 1, 1, 2))


@pytest.mark.parametrize(
    ("steps", "text", "metric_type"),
    [
        ((cell(ACCOUNTS, 1, 1),), "Net revenue in 2008", "value"),
        ((*REVENUE[:2], compute(3, "subtract", 1, 2)), "Change in net revenue from 2007 to 2008", "change"),
        ((*REVENUE[:2], compute(3, "subtract", 2, 1)), "Decline in net revenue from 2007 to 2008", "change"),
        ((*BOTH, compute(3, "subtract", 2, 1)), "Net revenue less operating costs in 2008", "change"),
        (
            (*REVENUE[:2], compute(3, "percentage_change", 1, 2)),
            "Percentage change in net revenue from 2007 to 2008",
            "percentage_change",
        ),
        (
            (*REVENUE[:2], compute(3, "divide", 1, 2), compute(4, "subtract", 3, number("1", "const_1"))),
            "Percentage change in net revenue from 2007 to 2008",
            "percentage_change",
        ),
        (
            (
                *REVENUE[:2],
                compute(3, "divide", 1, 2),
                compute(4, "exp", 3, number("0.5")),
                compute(5, "percentage_change", 4, number("1", "const_1")),
            ),
            "Percentage change a year in net revenue from 2007 to 2008",
            "percentage_change",
        ),
        (
            (*REVENUE[:2], compute(3, "subtract", 2, 1), compute(4, "divide", 3, 2)),
            "Percentage decline in net revenue from 2007 to 2008",
            "percentage_change",
        ),
        ((*REVENUE[:2], compute(3, "divide", 1, 2)), "Ratio of net revenue in 2008 to net revenue in 2007", "ratio"),
        ((*BOTH, compute(3, "divide", 1, 2)), "Ratio of operating costs to net revenue in 2008", "ratio"),
        (
            (*BOTH, compute(3, "percentage", 1, 2)),
            "Operating costs as a percentage of net revenue in 2008",
            "percentage",
        ),
        ((*REVENUE, compute(4, "sum", 1, 2, 3)), "Sum of net revenue in 2008, in 2007 and in 2006", "sum"),
        (
            (*REVENUE, compute(4, "add", 1, 2), compute(5, "add", 4, 3)),
            "Sum of net revenue in 2008, in 2007 and in 2006",
            "sum",
        ),
        ((*BOTH, compute(3, "add", 1, 2)), "Sum of operating costs and net revenue in 2008", "sum"),
        ((*REVENUE[:2], compute(3, "average", 1, 2)), "Average of net revenue in 2008 and in 2007", "average"),
        (
            (*REVENUE[:2], compute(3, "add", 1, 2), compute(4, "divide", 3, number("2", "const_2"))),
            "Average of net revenue in 2008 and in 2007",
            "average",
        ),
        (
            (*REVENUE[:2], compute(3, "add", 1, 2), compute(4, "divide", 3, number("1000", "const_1000"))),
            "Sum of net revenue in 2008 and in 2007 divided by 1000",
            "ratio",
        ),
        ((*BOTH, compute(3, "multiply", 1, 2)), "Operating costs times net revenue in 2008", "product"),
        (
            (*BOTH, compute(3, "greater", 2, 1)),
            "Whether net revenue is greater than operating costs in 2008",
            "comparison",
        ),
        ((*REVENUE, compute(4, "maximum", 1, 2, 3)), "Largest of net revenue in 2008, in 2007 and in 2006", "maximum"),
        ((cell(ACCOUNTS, 2, 2), compute(2, "absolute", 1)), "Size of operating costs in 2007", "value"),
        ((cell(ACCOUNTS, 2, 2), compute(2, "as_printed", 1)), "Operating costs as printed in 2007", "value"),
        ((compute(1, "table_sum", RowRef("net revenue")),), "Sum of the row net revenue", "sum"),
        ((cell(ACCOUNTS, 1, 1), compute(2, "exp", 1, number("2"))), "Net revenue to the power of 2 in 2008", "product"),
    ],
)  # fmt: skip
def test_a_plan_is_described_in_words(steps: tuple[Step, ...], text: str, metric_type: str) -> None:
    described = describe(Plan(steps), Memory(), ACCOUNTS)
    assert (described.description, described.metric_type) == (text, metric_type)


def test_a_decline_is_relative_to_the_earlier_value() -> None:
    steps = (*REVENUE[:2], compute(3, "subtract", 2, 1), compute(4, "divide", 3, 2))
    assert describe(Plan(steps), Memory(), ACCOUNTS).base == "net revenue in 2007"


def test_the_question_marks_a_percentage_among_ratios() -> None:
    plan = Plan((*BOTH, compute(3, "divide", 1, 2)))
    described = describe(
        plan, Memory(), ACCOUNTS, read_question("what percentage of net revenue were the operating costs?")
    )
    assert (described.metric_type, described.entity) == ("percentage", "operating costs")
    assert described.description == "Operating costs as a percentage of net revenue in 2008"
    assert described.base == "net revenue in 2008"
    assert describe(plan, Memory(), ACCOUNTS, read_question("what is the ratio of the two?")).metric_type == "ratio"


def test_the_numbers_that_went_in_are_named() -> None:
    plan = Plan(
        (
            cell(ACCOUNTS, 1, 1),
            extract_from_sentence(ACCOUNTS, 2, 0, 2),
            extract_from_sentence(ACCOUNTS, 2, 1, 3),
            compute(4, "sum", 1, 2, 3),
        )
    )
    variables = describe(plan, Memory(), ACCOUNTS).variables
    assert [variable.name for variable in variables] == ["net_revenue_2008", "words_around", "words_around_2"]
    assert [variable.value for variable in variables] == [Decimal(120), Decimal(7), Decimal(8)]
    assert isinstance(variables[1].source, SentenceRef)
    assert all(variable.name.isidentifier() for variable in variables)


def test_a_row_gives_a_name_for_each_of_its_numbers() -> None:
    cells = (cell(ACCOUNTS, 1, 1), cell(ACCOUNTS, 1, 2))
    label = RowRef("net revenue", tuple(map(quantity_of, cells)), tuple(c.source for c in cells))
    variables = describe(Plan((compute(1, "table_sum", label),)), Memory(), ACCOUNTS).variables
    assert [variable.name for variable in variables] == ["net_revenue_2008", "net_revenue_2007"]


def test_number_used_twice_has_one_name_and_dropped_sign_is_not_restored() -> None:
    costs = cell(ACCOUNTS, 2, 2)
    magnitude = Extract(1, costs.source, costs.label, costs.quantity, reading="magnitude")
    described = describe(Plan((magnitude, compute(2, "add", 1, 1))), Memory(), ACCOUNTS)
    assert described.variables == (
        Variable("operating_costs_2007", Decimal(70), quantity_of(costs).scale, costs.source),
    )


def test_answer_without_a_plan_is_described_by_its_stored_fields() -> None:
    claimed = Answer(a_value(5), description="Rent in 2008", entity="rent", metric_type="value")
    memory = Memory().add(Turn("what was the rent?", claimed, False, now(), now()))
    described = describe(Plan((compute(1, "multiply", -1, number("2")),)), memory, ACCOUNTS)
    assert (described.description, described.entity) == ("Rent in 2008 times 2", "rent")


def test_a_date_is_its_year_unless_another_date_of_the_year_is_near() -> None:
    quarters = page([["", "march 31 , 2009", "december 31 , 2009"], ["cash", "5", "7"]])
    assert describe(Plan((cell(quarters, 1, 2),)), Memory(), quarters).description == "Cash at december 31, 2009"


def test_a_long_description_is_cut() -> None:
    long = page([["", "2008", "2007"], ["net revenue " * 40, "1", "2"]])
    assert len(describe(Plan((cell(long, 1, 1),)), Memory(), long).description) <= 200


def test_description_of_an_exponential_plan_stays_short() -> None:
    doubled = [compute(step, "add", step - 1, step - 1) for step in range(2, 41)]
    again: list[Step] = [
        cell(ACCOUNTS, 1, 1, 41),
        *(compute(step, "add", step - 1, step - 1) for step in range(42, 81)),
    ]
    steps: tuple[Step, ...] = (
        cell(ACCOUNTS, 1, 1),
        *doubled,
        *again,
        compute(81, "subtract", 40, 80),
        compute(82, "divide", 81, 80),
    )
    described = describe(Plan(steps), Memory(), ACCOUNTS)
    assert len(described.description) <= 200
    assert described.metric_type == "percentage_change"
    assert (described.entity, described.period) == ("net revenue", Period("year", 2008))


CELLS = [(row, column) for row in (1, 2) for column in (1, 2, 3)]
COMPUTED = sorted(operation.name for operation in OPERATIONS.values() if not operation.of_row)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Draw plans over the accounts, constants and one earlier answer, with or without a result."""
    steps: list[Step] = [cell(ACCOUNTS, *draw(st.sampled_from(CELLS)))]
    for number_of_step in range(2, draw(st.integers(2, 9))):
        name = draw(st.sampled_from(COMPUTED))
        least, most = OPERATIONS[name].arity
        refs = st.integers(-1, number_of_step - 1).filter(bool).map(Ref)
        constants = st.sampled_from(["1", "2", "100", "1000"]).map(number)
        operands = draw(st.lists(refs | constants, min_size=least, max_size=min(most, 4)))
        steps.append(Compute(number_of_step, name, tuple(operands)))
    return Plan(tuple(steps))


@given(plans(), st.sampled_from(["", "what percentage is that?", "what is the average?"]))
def test_any_plan_is_described(plan: Plan, question: str) -> None:
    earlier = Plan((*BOTH, compute(3, "divide", 1, 2)))
    memory = Memory().add(Turn("what is the ratio?", Answer(a_value("0.67"), plan=earlier), True, now(), now()))
    described = describe(plan, memory, ACCOUNTS, read_question(question))
    assert 0 < len(described.description) <= 200
    assert described.metric_type in {*read_core().metric_types, "selection", "list", "count"}
    assert len({variable.name for variable in described.variables}) == len(described.variables)
    assert (described.base is not None) <= (described.metric_type in ("ratio", "percentage", "percentage_change"))


RENTS = page(
    [["( in millions )", "2008"], ["net revenue", "120"]],
    before=[
        "rent expense was $ 12 million and $ 10 million , respectively .",
        "notes of $ 4 million and $ 5 million .",
    ],
)


def test_a_number_without_a_period_is_of_the_asked_year() -> None:
    talk = DescribedConversation(RENTS)
    assert (
        talk.turn("what was the rent expense in 2008?", extract_from_sentence(RENTS, 0, 0)).description
        == "Rent expense in 2008"
    )
    assert (
        talk.turn("and in the year before?", extract_from_sentence(RENTS, 0, 1)).description == "Rent expense in 2007"
    )
    change = talk.turn("what was the change?", compute(1, "subtract", Ref(-2), Ref(-1)))
    assert change.description == "Change in rent expense from 2007 to 2008"


def test_an_earlier_number_outside_the_excerpt_of_a_question_keeps_its_period() -> None:
    report = page(
        [["", "2008"], ["revenue", "9"]],
        before=["rent expense was $ 12 million and $ 10 million in 2008 and 2007 , respectively ."],
    )
    talk = DescribedConversation(report)
    assert (
        talk.turn("what was the rent expense in 2007?", extract_from_sentence(report, 0, 1)).description
        == "Rent expense in 2007"
    )
    talk.document = report.excerpt(
        order for order, block in enumerate(report.blocks) if isinstance(block.content, Table)
    )
    doubled = talk.turn("what is that times two?", compute(1, "multiply", Ref(-1), Constant(Decimal(2), "2")))
    assert doubled.description == "Rent expense times 2 in 2007"


def test_measure_of_a_line_named_like_an_entity_is_described() -> None:
    talk = DescribedConversation(RETURNS)
    question = "what was the performance of the s&p 500 index in 2009?"
    assert talk.turn(question, cell(RETURNS, 2, 2)).description == "Performance of s&p 500 index in 2009"
    grown = talk.turn("and its change since 2004?", cell(RETURNS, 2, 1), compute(2, "subtract", Ref(-1), Ref(1)))
    assert grown.description == "Change in performance of s&p 500 index from 2004 to 2009"
    assert grown.entity == "s&p 500 index"


def test_base_100_of_an_index_has_the_first_named_year() -> None:
    talk = DescribedConversation(RETURNS)
    change = talk.turn(
        "what was the change in the s&p 500 index from 2004 to 2009?",
        cell(RETURNS, 2, 2), compute(2, "subtract", 1, number("100", "const_100")),
    )  # fmt: skip
    assert change.description == "Change in s&p 500 index from 2004 to 2009"
    share = talk.turn("and in percent?", compute(1, "divide", Ref(-1), number("100", "const_100")))
    assert share.description == "Percentage change in s&p 500 index from 2004 to 2009"


def test_another_scale_is_described_as_a_scale() -> None:
    talk = DescribedConversation(ACCOUNTS)
    talk.turn("what was net revenue in 2008?", cell(ACCOUNTS, 1, 1))
    scaled = talk.turn("what is that in thousands?", compute(1, "multiply", Ref(-1), number("1000")))
    assert scaled.description == "Net revenue in 2008, in thousands"


def test_two_answers_of_a_conversation_never_have_one_description() -> None:
    talk = DescribedConversation(RENTS)
    first = talk.turn("what were the notes due in march?", extract_from_sentence(RENTS, 1, 0))
    second = talk.turn("and the notes due in may?", extract_from_sentence(RENTS, 1, 1))
    again = talk.turn("what were the notes due in march?", extract_from_sentence(RENTS, 1, 0))
    assert first.description != second.description
    assert second.description.startswith(first.description)
    assert again.description == first.description


def test_an_earlier_answer_that_is_asked_for_again_keeps_its_name() -> None:
    talk = DescribedConversation(ACCOUNTS)
    first = talk.turn("what was net revenue in 2008?", cell(ACCOUNTS, 1, 1))
    talk.turn("and in 2007?", cell(ACCOUNTS, 1, 2))
    assert (
        talk.turn("what was, once more, the net revenue of 2008?", compute(1, "identity", -2)).description
        == first.description
    )
    change = talk.turn("what was the change?", compute(1, "subtract", -3, -2))
    again = talk.turn(
        "what was the change in net revenue?", cell(ACCOUNTS, 1, 1), cell(ACCOUNTS, 1, 2, 2),
        compute(3, "subtract", 1, 2),
    )  # fmt: skip
    assert again.description == change.description


def test_listed_numbers_of_one_name_and_period_are_counted() -> None:
    talk = DescribedConversation(RENTS)
    turn = talk.turn(
        "what was the rent expense of both years?",
        extract_from_sentence(RENTS, 0, 0),
        extract_from_sentence(RENTS, 0, 1, 2),
        compute(3, "add", 1, 2),
    )
    assert turn.description == "Sum of 2 numbers of rent expense"


def test_no_variable_is_named_number() -> None:
    for question in ("", "what was it?", "what were the notes?"):
        described = describe(Plan((extract_from_sentence(RENTS, 1, 0),)), Memory(), RENTS, read_question(question))
        assert all(not variable.name.startswith("number") for variable in described.variables)


def test_column_of_amounts_is_named_by_the_period_header_or_the_question() -> None:
    amounts = page([["", "amount"], ["2009 net revenue", "$ 40"], ["fuel", "5"], ["2010 net revenue", "$ 45"]])
    change = Plan((cell(amounts, 3, 1), cell(amounts, 1, 1, 2), compute(3, "subtract", 1, 2)))
    assert describe(change, Memory(), amounts).description == "Change in net revenue from 2009 to 2010"
    due = page([["", "amount"], ["2014", "$ 40"], ["2015", "50"]])
    reading = read_question("what is the amount of long-term debt due in 2014?")
    assert describe(Plan((cell(due, 1, 1),)), Memory(), due, reading).description == "Long-term debt in 2014"
    assert describe(Plan((cell(due, 1, 1),)), Memory(), due).description == "Amount in 2014"


def test_a_change_between_a_quarter_and_a_year_spans_both() -> None:
    prices = page([["", "price"], ["fourth quarter 2008", "$ 40"], ["2009", "$ 45"]])
    change = Plan((cell(prices, 2, 1), cell(prices, 1, 1, 2), compute(3, "subtract", 1, 2)))
    assert describe(change, Memory(), prices).period == Period("range", 2008, last=2009)


def test_a_total_is_part_of_the_name_and_a_carrying_amount_is_not() -> None:
    losses = page(
        [["", "federal", "state"], ["2006 to 2010", "5", "40"], ["2011 to 2015", "9", "20"], ["total", "14", "60"]]
    )
    both = Plan((cell(losses, 3, 1), cell(losses, 3, 2, 2), compute(3, "add", 1, 2)))
    assert describe(both, Memory(), losses).description == "Sum of federal total and state total"
    goodwill = page(
        [["", "gross carryingamount"], ["balance as of december 31 2016", "7"], ["balance as of december 30 2017", "9"]]
    )
    change = Plan((cell(goodwill, 2, 1), cell(goodwill, 1, 1, 2), compute(3, "subtract", 1, 2)))
    reading = read_question("what was the difference in goodwill between 2016 and 2017?")
    assert describe(change, Memory(), goodwill, reading).description == "Change in goodwill from 2016 to 2017"


def test_text_answer_is_named_by_shared_words_or_else_by_place() -> None:
    words = Extract(1, extract_from_sentence(ACCOUNTS, 0, 0).source, "words", None, text="rent expense was")
    for question, description in (
        ("what of the rent expense?", "Words on rent expense"),
        ("why that?", "Words of the page"),
    ):
        assert describe(Plan((words,)), Memory(), ACCOUNTS, read_question(question)).description == description


def test_an_ambiguous_label_has_its_heading_and_a_balance_its_subject() -> None:
    rows = [["", "2008"], ["product revenue :", ""], ["total", "5"], ["service revenue :", ""], ["total", "7"]]
    rows = [*rows, ["asia", "3"], ["other revenue :", ""], ["asia", "4"]]
    shared = page(rows)
    for row, description in ((4, "Total of service revenue in 2008"), (7, "Other revenue, asia in 2008")):
        assert describe(Plan((cell(shared, row, 1),)), Memory(), shared).description == description
    grids = (
        [["", "2008"], ["operating expenses :", ""], ["rent", "2"], ["net income", "5"]],
        [["", "2008"], ["net income", "7"]],
    )
    income, segments = TablePart(grids[0], title="Statements of income"), TablePart(grids[1], title="Segments")
    tables = assemble("two", [HeadingPart("Item 8"), income, segments])
    assert (
        describe(Plan((cell(tables, 3, 1),)), Memory(), tables).description
        == "Statements of income, net income in 2008"
    )
    lead = ["the following table summarizes the activity in our unrecognized tax benefits :"]
    tax = page([["", "2008"], ["balance at end of year", "5"]], before=lead)
    description = "Balance at end of year of unrecognized tax benefits in 2008"
    assert describe(Plan((cell(tax, 1, 1),)), Memory(), tax).description == description


def test_a_list_named_by_its_time_alone_is_named_by_its_heading() -> None:
    table = page([["", "2008"], ["revenue :", ""], ["asia", "5"], ["europe", "7"]])
    cells = (cell(table, 2, 1), cell(table, 3, 1))
    group = CellGroup("2008", ("asia", "europe"), tuple(map(quantity_of, cells)), tuple(c.source for c in cells), 0)
    assert describe(Plan((compute(1, "items", group),)), Memory(), table).description == "Revenue in 2008"
