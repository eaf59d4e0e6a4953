"""Lines and years of a document that can be asked about, and example questions."""

import asyncio

from pages import page

from quaestor.application.ask_service import AskRequest, answer_questions
from quaestor.application.askable import find_askable
from quaestor.application.resolve import DocumentInCorpus
from quaestor.documents.document import Document
from quaestor.settings import Settings

BAKERY = page(
    [
        ["( in thousands )", "2012", "2011", "2010"],
        ["net sales", "980", "910", "850"],
        ["cost of sales", "640", "600", "590"],
        ["EBITDA", "120", "110", "105"],
        ["note 3 items", "1", "2", "3"],
    ]
)
BY_YEAR = page([["year", "rent", "wages"], ["2011", "30", "210"], ["2012", "34", "230"]])
NO_YEARS = page([["", "shops", "staff"], ["north", "12", "130"], ["south", "9", "88"]])


def askable_parts(document: Document) -> tuple[dict[str, str], tuple[str, ...]]:
    found = asyncio.run(find_askable(DocumentInCorpus.of(document), AskRequest(Settings())))
    return {line.label: line.when for line in found.lines}, found.examples


def test_askable_lines_have_years() -> None:
    lines, _ = askable_parts(BAKERY)
    assert lines == {"net sales": "2010 to 2012", "cost of sales": "2010 to 2012", "EBITDA": "2010 to 2012"}


def test_columns_are_lines_if_rows_are_years() -> None:
    lines, _ = askable_parts(BY_YEAR)
    assert lines == {"rent": "2011, 2012", "wages": "2011, 2012"}


def test_page_without_years_lists_no_line_and_no_example() -> None:
    assert askable_parts(NO_YEARS) == ({}, ())


def test_every_example_is_answered_from_the_right_cells() -> None:
    _, examples = askable_parts(BAKERY)
    assert len(examples) == 3
    for question in examples:
        (turn,) = asyncio.run(answer_questions(DocumentInCorpus.of(BAKERY), [question], AskRequest(Settings()))).turns
        assert turn.answer.value is not None
        assert turn.verified
    assert any("percentage change" in question for question in examples)
