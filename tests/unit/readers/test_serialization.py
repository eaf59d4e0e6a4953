"""Documents are unchanged after a round trip through the cache."""

import dataclasses
import json
import zlib
from datetime import date
from decimal import Decimal

import pytest
from filed_tables import many_tables
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.provenance import CellRef
from quaestor.documents.assembly import HeadingPart, ParagraphPart, SectionPart, TablePart, assemble
from quaestor.documents.document import Document
from quaestor.documents.facts import Fact
from quaestor.readers.serialization import document_bytes, document_of
from quaestor.sample import sample_path

FACT = Fact("us-gaap:Rent", Decimal("-5E+6"), "USD", date(2008, 1, 1), date(2008, 12, 31), (("a", "b"),), 6, -6, "Rent")
NIL = Fact("us-gaap:Rent", None, None, None, date(2008, 12, 31))


def _filing() -> Document:
    grid = [["( in millions )", "2009", "2008"], ["rent", "$ 5 ( a )", "2014"], ["share", "-13.7 %", "( 4.0 )"]]
    sentence = "rent fell by $ 5.0 million in 2009 ."
    return assemble(
        "made-10-k.html",
        [
            SectionPart("front"),
            ParagraphPart(("made up .",), page=1),
            HeadingPart("Notes", 1, 2, "notes"),
            ParagraphPart((sentence, "nothing is here ."), 2, "p1", [(0, 15, 18, FACT)]),
            TablePart(grid, "( in millions )", 3, "t1", "RENT", 1, [(1, 1, FACT), (1, 2, NIL)]),
        ],
        ["one page is a picture"],
    )


def test_document_is_restored() -> None:
    document = _filing()
    again = document_of(document_bytes(document))
    assert again == document
    assert again.digest == document.digest
    assert again.fact(CellRef(document.id, 0, 1, 1)) == FACT


def test_document_of_many_tables_is_restored() -> None:
    document = many_tables(5)
    assert document_of(document_bytes(document)) == document


def test_corrected_document_is_restored() -> None:
    document = many_tables(1)
    first = document.tables[0]
    cells = ((dataclasses.replace(first.cells[0][0], misread="5"), *first.cells[0][1:]), *first.cells[1:])
    blocks = tuple(
        dataclasses.replace(block, content=dataclasses.replace(first, cells=cells)) if block.content == first else block
        for block in document.blocks
    )
    corrected = dataclasses.replace(document, blocks=blocks)
    assert document_of(document_bytes(corrected)).tables[0].cells[0][0].misread == "5"


@given(st.lists(st.lists(st.text(max_size=12), max_size=4), max_size=5), st.lists(st.text(max_size=40), max_size=3))
def test_any_document_is_restored(grid: list[list[str]], sentences: list[str]) -> None:
    document = assemble("d", [TablePart(grid), ParagraphPart(tuple(sentences))])
    assert document_of(document_bytes(document)) == document


@pytest.mark.parametrize("data", [b"", b"\xff", b"[]", b"{}", b'{"id": 1}', b"[" * 100_000])
def test_invalid_bytes_are_refused(data: bytes) -> None:
    for written in (data, zlib.compress(data)):
        with pytest.raises(ValueError):  # noqa: PT011  # the message is that of a library
            document_of(written)


def test_changed_bytes_are_refused() -> None:
    written = document_bytes(_filing())
    for place in range(0, len(written) - 8, 37):
        with pytest.raises(ValueError):  # noqa: PT011  # the message is that of a library
            document_of(written[:place])
    changed = json.loads(zlib.decompress(written))
    for key in changed:
        with pytest.raises(ValueError, match="validation error"):
            document_of(zlib.compress(json.dumps({**changed, key: [[7]]}).encode()))


def test_an_excerpt_is_not_written() -> None:
    with pytest.raises(ValueError, match="excerpt"):
        document_bytes(_filing().excerpt([0]))


def test_pages_of_a_dataset_are_restored() -> None:
    from quaestor.datasets.formats import read_dataset

    for conversation in read_dataset(sample_path()).conversations[:5]:
        assert document_of(document_bytes(conversation.document)) == conversation.document
