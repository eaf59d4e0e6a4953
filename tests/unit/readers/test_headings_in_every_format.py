"""Periods of columns in the same small tables, read from every format."""

from pathlib import Path

import pytest
from every_format import FORMATS, Rows, read_sections

from quaestor.core.periods import Period

BODY = [["Net sales", "640", "600"], ["Cost of sales", "410", "395"], ["Net income", "38", "30"]]


def year(of: int) -> Period:
    return Period("year", of)


def quarter(of: int, number: int) -> Period:
    return Period("quarter", of, quarter=number)


def day(of: int, month: int, number: int) -> Period:
    return Period("date", of, month=month, day=number)


def span(of: int, months: int) -> Period:
    return Period("span", of, month=months, months=months)


def periods(kind: str, rows: Rows, folder: Path) -> list[list[Period | None]]:
    tables = read_sections(kind, [(["Report"], rows)], folder).tables
    return [[column.period for column in table.columns[1:]] for table in tables]


@pytest.mark.parametrize("kind", FORMATS)
def test_a_row_that_names_the_column_of_labels_heads_the_others(kind: str, tmp_path: Path) -> None:
    rows = [
        ["", "Hardware", "Hardware", "Software", "Software"][: 3 if kind in ("txt", "pdf") else 5],
        ["Region", "2026", "2025", "2026", "2025"][: 3 if kind in ("txt", "pdf") else 5],
        *([label, "120", "110", "45", "40"][: 3 if kind in ("txt", "pdf") else 5] for label in ("Europe", "Asia")),
    ]
    (found,) = periods(kind, rows, tmp_path)
    assert found == [year(2026), year(2025), year(2026), year(2025)][: len(found)]


@pytest.mark.parametrize("kind", FORMATS)
def test_headings_within_a_table_are_not_numbers(kind: str, tmp_path: Path) -> None:
    again = ["Six Months Ended June 30,", "2023", "2022"]
    rows = [["Quarters Ended June 30,", "2023", "2022"], *BODY, again, *BODY]
    assert periods(kind, rows, tmp_path) == [[quarter(2023, 2), quarter(2022, 2)], [span(2023, 6), span(2022, 6)]]


@pytest.mark.parametrize("kind", ["html", "md", "csv", "xlsx"])
@pytest.mark.parametrize("headings", [["2,023", "2,022"], ["2023.0", "2022.0"], ["2,023.00", "2,022.00"]])
def test_years_formatted_as_numbers_are_years(kind: str, headings: list[str], tmp_path: Path) -> None:
    assert periods(kind, [["", *headings], *BODY], tmp_path) == [[year(2023), year(2022)]]


@pytest.mark.parametrize("kind", ["html", "md", "csv", "xlsx"])
def test_the_day_of_the_first_year_holds_for_the_next(kind: str, tmp_path: Path) -> None:
    rows = [["", "December 31, 2023", "2022"], *BODY]
    assert periods(kind, rows, tmp_path) == [[day(2023, 12, 31), day(2022, 12, 31)]]


@pytest.mark.parametrize("kind", FORMATS)
def test_the_year_before_is_that_of_the_column_beside_it(kind: str, tmp_path: Path) -> None:
    for heading in ("Vorjahr", "Prior year"):
        assert periods(kind, [["", "2023", heading], *BODY], tmp_path) == [[year(2023), year(2022)]]


def test_unnamed_year_stays_unknown(tmp_path: Path) -> None:
    assert periods("md", [["", "Current year", "Prior year"], *BODY], tmp_path) == [[None, None]]
