import pytest

from quaestor.application.resolve import read_page
from quaestor.core.provenance import CellRef, Source
from quaestor.documents.assembly import HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.document import SectionHeading
from quaestor.web.document_view import Paper, source_at, source_key


def long_document(rows: int = 500, paragraphs: int = 200) -> Paper:
    table = [["line", "2009", "2008"], *([f"line {row}", str(row), str(row + 1)] for row in range(rows))]
    text = [
        part
        for number in range(paragraphs)
        for part in (HeadingPart(f"Heading {number}"), ParagraphPart((f"In 2009 there were {number} of them. " * 6,)))
    ]
    return Paper(assemble("long", [*text, TablePart(table)]))


def test_parts_are_the_document_in_order() -> None:
    paper = long_document()
    pieces = [piece for part in paper.parts for piece in part.pieces]
    orders = [piece.block.order for piece in pieces]
    assert sorted(orders) == orders
    assert set(orders) == {block.order for block in paper.document.blocks}
    rows = [(piece.first, piece.last) for piece in pieces if piece.last]
    assert rows[0][0] == 0
    assert [first for first, _ in rows[1:]] == [last for _, last in rows[:-1]]
    assert rows[-1][1] == len(paper.document.tables[0].rows)


def test_no_part_is_long_and_none_ends_with_a_heading() -> None:
    paper = long_document()
    assert len(paper.parts) > 5
    assert max(part.lines for part in paper.parts) < 200
    assert not [part for part in paper.parts if isinstance(part.pieces[-1].block.content, SectionHeading)]


def test_every_cell_and_sentence_is_in_its_stated_part() -> None:
    paper = long_document()
    (table,) = paper.document.tables
    for row in range(len(table.rows)):
        part = paper.parts[paper.part_of(CellRef(paper.document.id, 0, row, 1))]
        assert any(piece.first <= row < piece.last for piece in part.pieces)
    for sentence in paper.document.sentences:
        for mention in sentence.mentions:
            block = paper.document.block(mention.ref)
            assert block in [piece.block for piece in paper.parts[paper.part_of(mention.ref)].pieces]


def test_a_page_is_one_part() -> None:
    assert len(Paper(read_page("sample#NORD/2012/page_41.pdf").document).parts) == 1


DOCUMENT = read_page("sample#NORD/2012/page_41.pdf").document


def test_every_place_is_found_by_its_key() -> None:
    cells = [cell.ref for table in DOCUMENT.tables for row in table.cells for cell in row]
    spans = [mention.ref for sentence in DOCUMENT.sentences for mention in sentence.mentions]
    assert spans
    places: list[Source] = [*cells, *spans]
    for source in places:
        assert source_at(source_key(source), DOCUMENT) == source


@pytest.mark.parametrize(
    "key",
    ["", "t0", "t0-99-0", "t9-0-0", "t0-0--1", "s-pre_text-0", "s-pre_text-99-0-1", "s-pre_text-0-5-5",
     "s-pre_text-0-0-99999", "s-nowhere-0-0-1", "t0-0-0\n", "<script>", "t\u0660-0-0"],
)  # fmt: skip
def test_invalid_place_is_none(key: str) -> None:
    assert source_at(key, DOCUMENT) is None
