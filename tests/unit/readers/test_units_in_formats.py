"""Unit phrases have the same meaning in every format and at every place in a file."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from every_format import FORMATS, Rows, Section, read_sections

from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.documents.table import Table

PHRASES = [
    ("EUR m", Scale.MILLION, "EUR"),
    ("SEK million", Scale.MILLION, "SEK"),
    ("CHF 000", Scale.THOUSAND, "CHF"),
    ("HK$'000", Scale.THOUSAND, "HKD"),
    ("TEUR", Scale.THOUSAND, "EUR"),
    ("Rs. crore", Scale.CRORE, "INR"),
]
VALUES = (("Revenue", "64,210", "60,100"), ("Cost of sales", "41,480", "40,050"), ("Gross profit", "22,730", "20,050"))
YEARS = ("2023", "2022")


def _read(folder: Path, kind: str, lines: Sequence[str], rows: Rows) -> Document:
    return read_sections(kind, [(lines, rows)], folder)


def _counts(table: Table, label: str, column: int) -> tuple[Scale | None, str | None]:
    row = next(number for number, header in enumerate(table.rows) if header.label.startswith(label))
    return table.scale_at(row, column), table.unit_at(row, column)


@pytest.mark.parametrize(("phrase", "scale", "currency"), PHRASES)
@pytest.mark.parametrize("kind", FORMATS)
def test_in_the_corner_of_the_table(tmp_path: Path, kind: str, phrase: str, scale: Scale, currency: str) -> None:
    (table,) = _read(tmp_path, kind, ["Statement of income"], [(phrase, *YEARS), *VALUES]).tables
    assert _counts(table, "Revenue", 1) == (scale, currency)
    assert _counts(table, "Gross profit", 2) == (scale, currency)


@pytest.mark.parametrize(("phrase", "scale", "currency"), PHRASES)
@pytest.mark.parametrize("kind", ["html", "md", "csv", "xlsx"])
def test_in_a_column_of_units_or_in_headings(
    tmp_path: Path, kind: str, phrase: str, scale: Scale, currency: str
) -> None:
    rows = [("Line", "Unit", *YEARS), *((label, phrase, *values) for label, *values in VALUES)]
    (table,) = _read(tmp_path, kind, ["Key figures"], rows).tables
    assert _counts(table, "Revenue", 2) == (scale, currency)
    turned = [("Year", f"Revenue ({phrase})", "Employees"), ("2023", "64,210", "412"), ("2022", "60,100", "398")]
    (table,) = _read(tmp_path, kind, ["Key figures"], turned).tables
    assert (table.scale_at(1, 1), table.unit_at(1, 1)) == (scale, currency)
    assert table.scale_at(1, 2) in (None, Scale.ONE)


@pytest.mark.parametrize("kind", ["html", "md", "csv", "xlsx"])
def test_in_cells_and_in_sentences(tmp_path: Path, kind: str) -> None:
    text = "Revenue was SEK 1,204 million in 2023, after MSEK 1,100 in 2022 and NT$ 3.2 billion elsewhere in the group."
    rows = [("", *YEARS), ("Revenue", "EUR 64.2m", "EUR 60.1m"), ("Capital", "Rs. 450 lakhs", "Rs. 410 lakhs")]
    document = _read(tmp_path, kind, ["Key figures", text], rows)
    (table,) = document.tables
    cells = [row[1].quantities[0] for row in table.cells[table.header_rows :]]
    assert [(q.scale, q.unit) for q in cells] == [(Scale.MILLION, "EUR"), (Scale.LAKH, "INR")]
    mentions = [mention.quantity for sentence in document.sentences for mention in sentence.mentions]
    assert [(str(q.value), q.scale, q.unit) for q in mentions] == [
        ("1204", Scale.MILLION, "SEK"),
        ("1100", Scale.MILLION, "SEK"),
        ("3.2", Scale.BILLION, "TWD"),
    ]


@pytest.mark.parametrize("kind", ["html", "md"])
@pytest.mark.parametrize(
    ("note", "scale", "currency"),
    [
        ("Amounts are presented in thousands of euros unless otherwise stated.", Scale.THOUSAND, "EUR"),
        (
            "All values are rounded to the nearest million Swiss francs except where otherwise indicated.",
            Scale.MILLION,
            "CHF",
        ),
        ("The consolidated financial statements are presented in millions of yen.", Scale.MILLION, "JPY"),
    ],
)
def test_scale_of_the_whole_document_applies_unless_stated_nearer(
    tmp_path: Path, kind: str, note: str, scale: Scale, currency: str
) -> None:
    sections: list[Section] = [
        (["1. Basis of preparation", note], [("", *YEARS), *VALUES]),
        (["2. Personnel"], [("", *YEARS), ("Wages", "4,512", "4,400"), ("Employees", "14,512", "14,400")]),
        (["3. Fees", "(in US dollars)"], [("", *YEARS), ("Directors' fees", "310,500", "295,000")]),
        (["4. Rates"], [("", *YEARS), ("Discount rate", "2.1%", "1.9%"), ("Salary growth", "3.0%", "2.5%")]),
        (["5. Earnings"], [("", *YEARS), ("Profit", "8,120", "7,400"), ("Earnings per share", "4.51", "4.02")]),
    ]
    first, staff, fees, rates, earnings = read_sections(kind, sections, tmp_path).tables
    assert _counts(first, "Revenue", 1) == _counts(staff, "Wages", 1) == (scale, currency)
    assert _counts(staff, "Employees", 1)[0] is Scale.ONE
    assert _counts(fees, "Directors", 1) == (Scale.ONE, "USD")
    assert rates.cells[1][1].quantities[0].scale is Scale.PERCENT
    assert _counts(earnings, "Profit", 2) == (scale, currency)
    assert _counts(earnings, "Earnings per share", 2) == (Scale.ONE, currency)


@pytest.mark.parametrize("kind", ["html", "md", "csv", "xlsx"])
def test_amounts_per_share_and_shares_do_not_count_in_the_scale_of_money(tmp_path: Path, kind: str) -> None:
    rows = [
        ("", *YEARS),
        ("Net income", "18,360", "10,980"),
        ("Earnings per common share:", "", ""),
        ("Net income", "1.79", "1.03"),
        ("Net income - assuming dilution", "1.78", "1.02"),
        ("Weighted average shares outstanding", "104,398,618", "103,398,618"),
        ("Store count", "412", "398"),
    ]
    (table,) = _read(tmp_path, kind, ["Statement of income", "(USD in millions)"], rows).tables
    scales = [table.scale_at(row, 1) for row in range(table.header_rows, len(table.rows))]
    one = Scale.ONE
    assert [scales[0], *scales[2:]] == [Scale.MILLION, one, one, one, one]


@pytest.mark.parametrize("kind", ["html", "md", "csv", "xlsx"])
def test_a_percent_sign_is_printed_once_for_a_column(tmp_path: Path, kind: str) -> None:
    rows = [
        ("", *YEARS),
        ("Net sales", "100.0%", "100.0%"),
        ("Gross margin", "33.7", "33.6"),
        ("Profit", "15.2", "14.6"),
    ]
    (table,) = _read(tmp_path, kind, ["Results as a percentage of net sales"], rows).tables
    assert _counts(table, "Profit", 1)[0] is Scale.PERCENT
