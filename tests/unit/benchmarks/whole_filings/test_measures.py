"""Questions for measures that are computed from tags: their times and values."""

from datetime import date
from decimal import Decimal

from benchmarks.whole_filings.measures import measure_questions

from quaestor.documents.assembly import TablePart, assemble
from quaestor.documents.facts import Fact


def _flow(concept: str, value: int, year: int) -> Fact:
    return Fact(f"us-gaap:{concept}", Decimal(value), "USD", date(year, 1, 1), date(year, 12, 31), year=year, quarter=4)


def _balance(concept: str, value: int, year: int) -> Fact:
    return Fact(f"us-gaap:{concept}", Decimal(value), "USD", None, date(year, 12, 31), year=year, quarter=4)


def test_a_measure_is_asked_of_each_year_that_has_all_its_figures() -> None:
    facts = [
        (1, 1, _flow("NetIncomeLoss", 30, 2024)),
        (1, 2, _flow("NetIncomeLoss", 20, 2023)),
        (2, 1, _balance("StockholdersEquity", 120, 2024)),
    ]
    grid = [["", "2024", "2023"], ["net income", "30", "20"], ["equity", "120", "-"]]
    questions = measure_questions(assemble("10-K", [TablePart(grid, facts=facts)]))
    assert {question.text: question.value for question in questions} == {
        "what was the return on equity in 2024?": Decimal("0.25"),
        "how much was ROE in 2024?": Decimal("0.25"),
    }
