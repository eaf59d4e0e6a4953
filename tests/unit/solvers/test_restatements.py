"""Two filings with different numbers for one line and period: the later one is used, with a remark."""

from decimal import Decimal

import pytest

import quaestor
from quaestor import AnsweredQuestion, Answers
from quaestor.core.provenance import CellRef
from quaestor.documents.assembly import HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.combining import combine, file_of
from quaestor.documents.document import Document


def report(year: int, sales: tuple[str, str], cost: tuple[str, str]) -> Document:
    head = ["( in millions )", str(year), str(year - 1)]
    lines = [head, ["net sales", *sales], ["cost of sales", *cost], ["capital expenditures", f"{year - 1980}", "41"]]
    cash = [head, ["net sales of plants", "3", "2"], ["dividends paid", "( 9 )", "( 8 )"]]
    return assemble(
        f"report {year}",
        [
            HeadingPart("Consolidated Statements of Operations", page=30),
            TablePart(lines, page=30, title="CONSOLIDATED STATEMENTS OF OPERATIONS"),
            HeadingPart("Consolidated Statements of Cash Flows", page=32),
            TablePart(cash, page=32, title="CONSOLIDATED STATEMENTS OF CASH FLOWS"),
        ],
    )


THEN = report(2022, ("720", "660"), ("450", "420"))
NOW = report(2023, ("800", "705"), ("480", "450"))


def combine_reports(*, later_first: bool) -> Document:
    files = [("10k-2022.html", THEN), ("10k-2023.html", NOW)]
    return combine(files[::-1] if later_first else files)


def ask_all(document: Document, *questions: str) -> Answers:
    return quaestor.open(document).ask(questions, solver="embedded")


def files(document: Document, answered: AnsweredQuestion) -> list[str | None]:
    return [file_of(document, source) for source in answered.answer.sources]


@pytest.mark.parametrize("later_first", [False, True])
def test_later_filing_is_used_and_the_earlier_one_mentioned(later_first: bool) -> None:
    document = combine_reports(later_first=later_first)
    (answered,) = ask_all(document, "what were net sales in 2022?")
    assert answered.answer.number == Decimal(705)
    assert files(document, answered) == ["10k-2023.html"]
    assert answered.answer.reason is not None
    assert "705 in 10k-2023.html, 720 in 10k-2022.html" in answered.answer.reason
    assert answered.turn.verified


@pytest.mark.parametrize("later_first", [False, True])
def test_equal_numbers_in_both_reports_are_not_doubted(later_first: bool) -> None:
    (answered,) = ask_all(combine_reports(later_first=later_first), "what was the cost of sales in 2022?")
    assert answered.answer.number == Decimal(450)
    assert "10k-2022.html" not in (answered.answer.reason or "")


def test_change_uses_each_year_from_the_filing_that_has_it() -> None:
    document = combine_reports(later_first=False)
    first, second, change = ask_all(
        document, "what were net sales in 2021?", "and in 2023?", "what is the percentage change from 2021 to 2023?"
    )
    assert (first.answer.number, files(document, first)) == (Decimal(660), ["10k-2022.html"])
    assert (second.answer.number, files(document, second)) == (Decimal(800), ["10k-2023.html"])
    assert change.display == "21.2 %"
    assert files(document, change) == ["10k-2023.html", "10k-2022.html"]


def test_a_computed_answer_is_computed_from_the_later_filing() -> None:
    document = combine_reports(later_first=False)
    (answered,) = ask_all(document, "what was the change in net sales from 2022 to 2023?")
    assert answered.answer.number == Decimal(95)
    assert isinstance(answered.answer.sources[0], CellRef)
    assert "720 in 10k-2022.html" in (answered.answer.reason or "")


@pytest.mark.parametrize(("other", "restated"), [("ASH BOATS, INC.", True), ("BIRCH MILLS, INC.", False)])
def test_filings_of_other_companies_restate_nothing(other: str, restated: bool) -> None:
    def of_company(name: str, year: int, sales: tuple[str, str]) -> Document:
        lines = [["( in millions )", str(year), str(year - 1)], ["net sales", *sales], ["cost of sales", "9", "8"]]
        title = "CONSOLIDATED STATEMENTS OF OPERATIONS"
        return assemble(name, [ParagraphPart((name,)), HeadingPart(title), TablePart(lines, title=title)])

    document = combine(
        [
            ("one.html", of_company("ASH BOATS, INC.", 2022, ("720", "660"))),
            ("other.html", of_company(other, 2023, ("800", "705"))),
        ]
    )
    (answered,) = ask_all(document, "what were net sales in 2022?")
    assert ("restated" in (answered.answer.reason or "")) is restated
