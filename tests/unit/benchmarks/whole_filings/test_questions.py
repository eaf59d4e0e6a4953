"""Questions generated from tags, and their right answers."""

from datetime import date
from decimal import Decimal

from benchmarks.whole_filings.answering import is_right
from benchmarks.whole_filings.questions import questions_of

from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import Number
from quaestor.core.quantity import Scale
from quaestor.documents.assembly import HeadingPart, TablePart, assemble
from quaestor.documents.document import Document
from quaestor.documents.facts import Fact


def _fact(concept: str, value: int, year: int) -> Fact:
    return Fact(f"us-gaap:{concept}", Decimal(value), "USD", date(year, 1, 1), date(year, 12, 31), scale=6)


def _filing() -> Document:
    income = TablePart(
        [["", "2024", "2023"], ["rent", "30", "20"], ["wages", "70", "60"], ["total costs", "100", "80"]],
        caption="(in millions)",
        title="INCOME",
        facts=[
            (1, 1, _fact("Rent", 30_000_000, 2024)),
            (1, 2, _fact("Rent", 20_000_000, 2023)),
            (2, 1, _fact("Wages", 70_000_000, 2024)),
            (3, 1, _fact("Costs", 100_000_000, 2024)),
        ],
    )
    note = TablePart(
        [["", "2024"], ["rent", "7"]],
        caption="(in millions)",
        title="LEASES",
        facts=[(1, 1, _fact("LeaseRent", 7_000_000, 2024))],
    )
    return assemble("10-K", [HeadingPart("Statements"), income, HeadingPart("Notes"), note])


def test_duplicate_label_must_be_given_with_its_place() -> None:
    by_text = {question.text: question for question in questions_of(_filing()) if question.kind == "look-up"}
    assert by_text["what was rent in 2024 according to INCOME?"].value == 30
    assert by_text["what was rent in 2024 according to LEASES?"].value == 7
    assert by_text["what was rent in 2023?"].scale is Scale.MILLION
    assert "what was rent in 2024?" not in by_text


def test_calculations_rest_on_the_cells_of_both_numbers() -> None:
    by_kind = {question.kind: question for question in questions_of(_filing()) if question.kind != "look-up"}
    share = by_kind["share"]
    assert share.value in (Decimal("0.3"), Decimal("0.7"))
    assert [len(cells) for cells in share.operands] == [1, 1]


def test_number_is_right_in_any_stated_scale() -> None:
    question = next(q for q in questions_of(_filing()) if q.value == 70)
    assert is_right(question, Answer(Number(Decimal(70)), Scale.MILLION))
    assert is_right(question, Answer(Number(Decimal(70_000)), Scale.THOUSAND))
    assert is_right(question, Answer(Number(Decimal(70))))
    assert not is_right(question, Answer(Number(Decimal(70)), Scale.BILLION))
    assert not is_right(question, Answer(None))
