"""The company of a document, from its cover or a press release."""

from pathlib import Path

import pytest

from quaestor.documents.assembly import ParagraphPart, assemble
from quaestor.documents.document import Document
from quaestor.readers.content import FileContent
from quaestor.readers.reading import read_file
from quaestor.retrieval.company_name import cover_names, cover_symbols, without_company


def release(*sentences: str) -> Document:
    return assemble("release", [ParagraphPart((sentence,)) for sentence in sentences], filing=True)


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("Quill Reports Fourth-Quarter and Full-Year 2022 Financial Results", "Quill"),
        ("QUILL & SONS ANNOUNCES SECOND QUARTER RESULTS", "QUILL & SONS"),
        ("OSLO - August 30, 2023 - Quill (NYSE: QLL), a maker of pens, today announced results", "Quill"),
        ("Quill Corporation", "Quill"),
    ],
)
def test_a_release_names_its_company(sentence: str, name: str) -> None:
    assert set(cover_names(release(sentence))) == {name}


def test_listing_of_shares_gives_the_symbol() -> None:
    assert list(cover_symbols(release("Quill Inc. (NASDAQ: QLL) today announced its results"))) == ["QLL"]


def test_list_of_securities_without_columns_gives_the_symbols() -> None:
    headings = "Title of each class Trading Symbol Name of each exchange on which registered"
    listed = "Common Stock, par value $0.10 QLL New York Stock Exchange 1.625% Notes QLL 27 New York Stock Exchange"
    assert list(cover_symbols(release(headings, listed))) == ["QLL"]
    assert not list(cover_symbols(release(listed)))


@pytest.mark.parametrize(
    "rows",
    [
        "<tr><td>Class</td><td>Trading Symbol(s)</td></tr><tr><td>Common Stock</td><td>QLL</td></tr>",
        "<tr><td>Common Stock</td><td>QLL</td></tr><tr><td>(Class)</td><td>(Trading symbol)</td></tr>",
        "<tr><td>Class Common Stock</td><td>Trading symbol(s) QLL</td></tr><tr><td>Notes</td><td>-</td></tr>",
    ],
)
def test_table_of_securities_gives_the_symbol(rows: str) -> None:
    read = read_file(FileContent(Path("cover.html"), f"<p>Quill Inc.</p><table>{rows}</table>".encode()))
    assert read is not None
    assert list(cover_symbols(read[1])) == ["QLL"]


@pytest.mark.parametrize("question", ["what was Quill Corp's net loss?", "what was Quill's net loss?"])
def test_a_legal_form_belongs_to_the_name(question: str) -> None:
    document = release("Quill Reports 2022 Results")
    assert without_company(question, document, one_company=True) == "what was the company's net loss?"
