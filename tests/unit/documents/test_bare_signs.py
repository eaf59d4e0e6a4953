"""Bare signs of a document that counts in another country's currency."""

import pytest

from quaestor.documents.assembly import HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.document import Document
from quaestor.documents.table import Table


def _document(says: str, sign: str) -> Document:
    return assemble(
        "report.md",
        [
            HeadingPart("Results"),
            ParagraphPart((says,)),
            TablePart([[f"({sign} millions)", "2023", "2022"], ["Revenue", f"{sign}1,204.5", f"{sign}1,100.2"]]),
            ParagraphPart((f"The group spent {sign}45 million at home and US$12 million abroad.",)),
        ],
        filing=True,
    )


def _units(document: Document) -> list[str | None]:
    (table,) = document.tables
    assert isinstance(table, Table)
    mentions = [mention for sentence in document.sentences for mention in sentence.mentions]
    return [table.cells[1][1].quantities[0].unit, table.unit_at(1, 1), *(m.quantity.unit for m in mentions)]


@pytest.mark.parametrize(
    ("says", "sign", "currency"),
    [
        ("All dollar amounts are in Canadian dollars unless otherwise stated.", "$", "CAD"),
        ("The financial statements are presented in Australian dollars.", "$", "AUD"),
        ("Amounts are expressed in thousands of Hong Kong dollars.", "$", "HKD"),
        ("All amounts are in RMB unless otherwise noted.", "¥", "CNY"),
        ("All amounts are in millions of U.S. dollars unless otherwise noted.", "$", "USD"),
        ("The company sells widgets in Canada.", "$", "USD"),
        ("The company sells widgets in Japan.", "¥", "JPY"),
    ],
)
def test_the_document_says_whose_sign_it_is(says: str, sign: str, currency: str) -> None:
    assert _units(_document(says, sign)) == [currency, currency, currency, "USD"]
