import pytest

from quaestor.core.provenance import CellRef
from quaestor.documents.assembly import HeadingPart, TablePart, assemble
from quaestor.documents.document import Document
from quaestor.documents.health import document_health, doubts_of_answer, health_words, table_health


def document(rows: list[list[str]], title: str = "", heading: str = "Report") -> Document:
    return assemble("any", [HeadingPart(heading), TablePart(rows, title=title)], filing=True)


def unread(text: str) -> bool:
    table = document([["", "2023", "2022"], ["Sales", "5", "4"], ["Other", text, "3"]]).tables[0]
    return [cell.text for cell in table_health(table).unread] == [text]


@pytest.mark.parametrize("text", ["12..4x", "1.9:1", "7?5", "~~ 12 ~~ 14 q"])
def test_a_cell_with_digits_and_no_number_is_unread(text: str) -> None:
    table = document([["", "2023", "2022"], ["Sales", "5", "4"], ["Other", text, "3"]]).tables[0]
    assert unread(text) or table.cells[2][1].quantities


@pytest.mark.parametrize(
    "text", ["", "—", "n/a", "nil", "Level 3", "KO26C", "Aa2", "10-K", "(1)", "due in 2030", "2030"]
)
def test_text_with_digits_is_not_counted_as_a_missed_number(text: str) -> None:
    assert not unread(text)


def test_lists_of_contents_have_no_unread_numbers() -> None:
    rows = [["Exhibit", "Form", "Filed"], ["3.1", "8-K", "4?5"], ["3.2", "10-Q", "4?6"]]
    assert not table_health(document(rows).tables[0]).unread


def test_columns_of_unknown_period_are_reported_for_statements() -> None:
    lines = [["Total assets", "9", "8", "1"], ["Total liabilities", "5", "4", "1"], ["Total equity", "4", "4", "0"]]
    table = document([["", "2023", "Vorvorjahr", "Change"], *lines], "Consolidated balance sheets").tables[0]
    assert table_health(table).undated == (2,)


def test_statement_columns_without_headings_are_reported_for_any_title_date() -> None:
    lines = [["Total assets", "9", "8"], ["Total liabilities", "5", "4"], ["Total equity", "4", "4"]]
    table = document(lines, "Consolidated balance sheets, December 31, 2023").tables[0]
    assert table.header_rows == 0
    assert table_health(table).undated == (1, 2)


def test_columns_with_unknown_digits_in_headings_are_reported() -> None:
    table = document([["", "Jg. 99x23", "Jg. 99x22"], ["Sales", "5", "4"]]).tables[0]
    assert table_health(table).undated == (1, 2)


def test_columns_without_period_are_not_reported() -> None:
    table = document([["", "Europe", "Asia"], ["Sales", "5", "4"]]).tables[0]
    assert not table_health(table).undated


def test_the_health_of_a_document_is_a_line() -> None:
    good = document_health(document([["", "2023"], ["Sales", "5"]]))
    assert (good.tables, good.numbers, good.is_good) == (1, 1, True)
    bad = document_health(document([["", "2023"], ["Sales", "5"], ["Other", "1.9:1"]]))
    assert (bad.unread, bad.is_good) == (1, False)
    assert "1 cell" in health_words(bad)
    assert health_words(document_health(assemble("any", []))) == "0 numbers in tables"


def test_doubts_use_the_context_of_the_numbers() -> None:
    found = document([["", "2023", "2022"], ["Sales", "5", "1.9:1"], ["Rent", "7", "6"], ["Tax", "1", "1"]])

    def doubts(row: int, column: int) -> tuple[str, ...]:
        return doubts_of_answer(found, [CellRef("any", 0, row, column)], "what were sales?")

    assert "1.9:1" in doubts(1, 1)[0]
    assert not doubts(2, 2)
    every_row = [CellRef("any", 0, row, 2) for row in (1, 2, 3)]
    assert "1.9:1" in doubts_of_answer(found, every_row, "what is the sum?")[0]


def test_an_answer_from_figures_of_others_is_doubted_unless_they_are_asked_for() -> None:
    rows = [["", "2023"], ["Revenue", "5"], ["Net income", "4"]]
    found = document(rows, "Unaudited pro forma results")
    source = [CellRef("any", 0, 1, 1)]
    assert "pro forma" in doubts_of_answer(found, source, "what was revenue?")[0]
    assert not doubts_of_answer(found, source, "what was pro forma revenue?")
