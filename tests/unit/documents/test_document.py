import pytest

from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.serial import dump, load
from quaestor.datasets.convfinqa import read_convfinqa_page
from quaestor.documents.document import Document

RECORD: dict[str, object] = {
    "id": "Single_ACME/2008/page_1.pdf-1",
    "pre_text": ["sales rose ."],
    "post_text": ["costs were $ 5 million in 2008 ."],
    "table": [["", "2008"], ["net revenue", "$ 435"]],
}


def test_a_document_survives_the_round_trip() -> None:
    document = read_convfinqa_page(RECORD, "here")
    assert load(Document, dump(document)) == document


def test_digest_covers_the_printed_text() -> None:
    document = read_convfinqa_page(RECORD, "here")
    other_id = read_convfinqa_page(RECORD | {"id": "Double_ACME/2007/page_2.pdf"}, "here")
    other_cell = read_convfinqa_page(RECORD | {"table": [["", "2008"], ["net revenue", "$ 436"]]}, "here")
    assert document.digest == other_id.digest != other_cell.digest


def test_references_find_their_parts() -> None:
    document = read_convfinqa_page(RECORD, "here")
    for cell in document.tables[0].body():
        assert document.cell(cell.ref) is cell
    for sentence in document.sentences:
        for mention in sentence.mentions:
            assert document.sentence(mention.ref) is sentence
    with pytest.raises(LookupError):
        document.sentence(SentenceRef(document.id, "post_text", 7, 0, 1))
    with pytest.raises(IndexError):
        document.cell(CellRef(document.id, 0, 9, 9))
