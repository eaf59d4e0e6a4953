"""Ranges that a filing gives instead of a number are answered with both ends."""

from decimal import Decimal

import pytest

from quaestor.core.answer_value import Text, ValueList
from quaestor.core.quantity import Scale
from quaestor.documents.assembly import ParagraphPart, TablePart, assemble
from quaestor.facts.table import FactTable, build_facts
from quaestor.plan.steps import Extract, Plan
from quaestor.solvers.embedded.filings.composing import Proposal
from quaestor.solvers.embedded.filings.evidence import extract_sentence
from quaestor.solvers.embedded.filings.past import read_past_answer
from quaestor.solvers.embedded.filings.ranges import answer_with_ranges, find_range
from quaestor.solvers.embedded.filings.results import PlanResult, collect_results


def _read(sentence: str) -> FactTable:
    return build_facts(assemble("report", [ParagraphPart((sentence,))]))


def _extract(table: FactTable, place: int) -> Extract:
    mention = table.document.sentences[0].mentions[place]
    return Extract(1, mention.ref, "spending", mention.quantity)


def _answer(question: str, table: FactTable, *places: int) -> list[PlanResult]:
    plans = (Plan((_extract(table, place),)) for place in places)
    results = collect_results((Proposal(plan, 0.0, "value", (), ()) for plan in plans), table.document)
    return [result for _, result in answer_with_ranges(question, results, table.document)]


@pytest.mark.parametrize(
    ("sentence", "low", "high", "scale"),
    [
        ("We expect revenue between $2.2 and $2.4 billion.", "2.2", "2.4", Scale.BILLION),
        ("We expect spending of $10 million to $12 million.", "10", "12", Scale.MILLION),
        ("The rate will be 3% to 5%.", "3", "5", Scale.PERCENT),
        ("The debt has rates ranging from 2.1% to 4.5%.", "2.1", "4.5", Scale.PERCENT),
        ("The assets have useful lives of 3 to 7 years.", "3", "7", Scale.ONE),
        ("Revenue of $10.5-11.5 billion is expected.", "10.5", "11.5", Scale.BILLION),
    ],
)
@pytest.mark.parametrize("place", [0, 1])
def test_either_end_finds_the_range(sentence: str, low: str, high: str, scale: Scale, place: int) -> None:
    table = _read(sentence)
    ends = find_range(_extract(table, place), table.document)
    assert ends is not None
    quantities = [end.quantity for end in ends if end.quantity is not None]
    assert [quantity.value for quantity in quantities] == [Decimal(low), Decimal(high)]
    assert {quantity.scale for quantity in quantities} == {scale}


@pytest.mark.parametrize(
    "sentence",
    [
        "Revenue increased from $2.2 billion to $2.4 billion.",
        "Sales grew $2 million to $24 million.",
        "Spending was $2 million and $4 million in the two years.",
        "Spending was between $2 million and $4 million, respectively.",
        "The high end of the range exceeded the liability by $1,000 and $1,002.",
        "See notes 3 to 7 for details.",
        "Spending fell by 5% to $12 million.",
    ],
)
def test_changes_and_lists_are_no_ranges(sentence: str) -> None:
    table = _read(sentence)
    places = range(len(table.document.sentences[0].mentions))
    assert all(find_range(_extract(table, place), table.document) is None for place in places)


def test_ends_in_a_cell_are_a_range() -> None:
    table = build_facts(assemble("report", [TablePart([["", "2025"], ["Earnings per share", "$8.70 - $8.72"]])]))
    (cell,) = table.document.tables[0].body()
    ends = find_range(Extract(1, cell.ref, "", cell.quantity), table.document)
    assert ends is not None
    assert [end.quantity for end in ends] == list(cell.quantities)
    assert {end.source for end in ends} == {cell.ref}


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("How much will they spend?", "low: 10; high: 12"),
        ("Low and high end of spending?", "low: 10; high: 12"),
        ("At least how much will they spend?", "10"),
        ("What is the upper end of spending?", "12"),
        ("Spending at the midpoint?", "11"),
    ],
)
def test_question_decides_which_end_is_answered(question: str, shown: str) -> None:
    (result, *others) = _answer(question, _read("We will spend $10 million to $12 million."), 0, 1)
    assert not others
    assert str(result.value).replace("spending, ", "") == shown
    assert result.scale is Scale.MILLION


@pytest.mark.parametrize(("question", "form"), [("What range do they plan?", "value"), ("What do they plan?", "words")])
def test_quoted_range_answers_a_question_for_a_range(question: str, form: str) -> None:
    table = _read("We will spend $10 million to $12 million.")
    plan = Plan((extract_sentence(1, 0, table, "plan"),))
    results = collect_results([Proposal(plan, 0.0, "words", (), ())], table.document)
    ((_, result),) = answer_with_ranges(question, results, table.document)
    assert result.proposal.form == form
    assert isinstance(result.value, ValueList if form == "value" else Text)


def test_follow_up_refers_to_the_measured_number() -> None:
    table = _read("We will spend $10 million to $12 million in 2025.")
    plan = _answer("How much will they spend?", table, 1)[0].proposal.plan
    past = read_past_answer(plan, table)
    assert past is not None
    assert past.form == "value"
