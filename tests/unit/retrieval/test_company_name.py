"""The company of a document, from its cover or a press release."""

import pytest

from quaestor.documents.assembly import ParagraphPart, assemble
from quaestor.documents.document import Document
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


@pytest.mark.parametrize("question", ["what was Quill Corp's net loss?", "what was Quill's net loss?"])
def test_a_legal_form_belongs_to_the_name(question: str) -> None:
    document = release("Quill Reports 2022 Results")
    assert without_company(question, document, one_company=True) == "what was the company's net loss?"
