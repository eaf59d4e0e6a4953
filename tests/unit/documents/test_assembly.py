"""Blocks in sections: parts are found by reference, and views show every block once and in order."""

from itertools import pairwise
from typing import Any

import pytest
from filings import PARTS, a_filing
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import Scale
from quaestor.core.serial import dump, load
from quaestor.datasets.convfinqa import read_convfinqa_page
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, SectionPart, TablePart, assemble
from quaestor.documents.document import Block, Document, Paragraph, Section, SectionHeading
from quaestor.documents.repairs import DocumentWarning, WarningKind
from quaestor.documents.table import Table
from quaestor.errors import DocumentError

FILING = a_filing()


def texts(sentences: Any) -> list[str]:
    return [sentence.text for sentence in sentences]


def test_sections_have_paths_and_ids_of_their_own() -> None:
    assert [(section.id, section.path, section.level) for section in FILING.sections] == [
        ("section_0", (), 0),
        ("section_1", ("Borrowings",), 1),
        ("section_2", ("Borrowings", "Maturities"), 2),
        ("section_3", ("Liquidity",), 1),
        ("section_4", ("Liquidity", "Maturities"), 2),
    ]
    assert [FILING.section_of(table).path for table in FILING.tables] == [
        ("Borrowings", "Maturities"),
        ("Liquidity", "Maturities"),
        ("Liquidity", "Maturities"),
    ]


def test_a_heading_of_a_lower_level_ends_those_of_the_same_and_higher_ones() -> None:
    levels = [("a", 1), ("b", 3), ("c", 2), ("d", 2), ("e", 1)]
    document = assemble("x", [HeadingPart(text, level) for text, level in levels])
    assert [section.path for section in document.sections] == [("a",), ("a", "b"), ("a", "c"), ("a", "d"), ("e",)]


def test_every_block_has_its_place() -> None:
    assert [block.content.kind for block in FILING.blocks] == [
        "paragraph", "heading", "heading", "paragraph", "table", "paragraph",
        "heading", "heading", "paragraph", "table", "table", "paragraph",
    ]  # fmt: skip
    assert [block.order for block in FILING.blocks] == list(range(12))
    assert [block.page for block in FILING.blocks] == [None, 2, 2, None, None, 3, 4, 4, 4, 4, 5, 5]
    assert FILING.block(FILING.tables[1].cells[0][0].ref).order == 9
    mention = FILING.sentences[3].mentions[0]
    assert (FILING.block(mention.ref).order, FILING.section(mention.ref).id) == (5, "section_2")


def test_sentences_are_counted_through_the_paragraphs_of_a_section() -> None:
    assert [(sentence.section, sentence.index) for sentence in FILING.sentences] == [
        ("section_0", 0), ("section_2", 0), ("section_2", 1), ("section_2", 2), ("section_4", 0), ("section_4", 1),
    ]  # fmt: skip


def test_the_text_that_leads_to_a_table() -> None:
    first, second, third = FILING.tables
    assert texts(FILING.lead_of(first)) == [
        "long-term debt of the company is shown below .",
        "debt matures as follows :",
    ]
    assert texts(FILING.lead_of(second)) == ["cash flows from operating activities rose by 10 ."]
    assert FILING.lead_of(third) == FILING.lead_of(second)


def test_no_text_leads_from_one_section_into_the_next() -> None:
    parts: list[DocumentPart] = [
        HeadingPart("a"),
        ParagraphPart(("( in millions ) rent rose :",)),
        HeadingPart("b"),
        TablePart([["", "2008"], ["x", "1"]]),
    ]
    document = assemble("x", parts)
    assert document.lead_of(document.tables[0]) == ()
    assert document.tables[0].scale is None


def test_the_text_around_a_table_is_that_under_its_heading() -> None:
    first, second, third = FILING.tables
    assert texts(FILING.sentences_around(first)) == texts(FILING.sentences[1:4])
    assert texts(FILING.sentences_around(second)) == texts(FILING.sentences[4:])
    assert FILING.sentences_around(third) is FILING.sentences_around(second)


def test_a_page_without_headings_is_around_its_table() -> None:
    record = {"id": "A/2008/page_1.pdf", "pre_text": ["one .", "two ."], "table": [["", "x"]], "post_text": ["c ."]}
    page = read_convfinqa_page(record, "here")
    assert page.sentences_around(page.tables[0]) == page.sentences
    assert texts(page.lead_of(page.tables[0])) == ["one .", "two ."]
    assert page.sections == (Section("pre_text"), Section("post_text"))
    assert [(block.section, block.content.kind) for block in page.blocks] == [
        ("pre_text", "paragraph"),
        ("pre_text", "table"),
        ("post_text", "paragraph"),
    ]


def test_caption_gives_the_scale_of_its_table() -> None:
    first, second, third = FILING.tables
    assert (first.scale, second.scale, third.scale) == (Scale.MILLION, Scale.THOUSAND, None)
    assert second.caption == "(in thousands)"


def test_sentences_before_a_table_complete_its_caption() -> None:
    lead = ParagraphPart(("the following ( in thousands ) are rents :",))
    grid = [["", "2008"], ["rent", "5"]]
    alone, captioned = (
        assemble("x", [lead, TablePart(grid, caption)]).tables[0] for caption in ("", "( in millions )")
    )
    assert (alone.scale, captioned.scale) == (Scale.THOUSAND, Scale.MILLION)


@pytest.mark.parametrize(
    ("sentence", "scale"),
    [
        ("the changes were as follows , in millions : .", Scale.MILLION),
        ("rents in thousands of dollars were as follows :", Scale.THOUSAND),
        ("in millions , they came to 5 in 2008 .", None),
        ("we paid rent in millions of cases in 2008 .", None),
    ],
)
def test_the_sentence_before_a_table_needs_no_brackets(sentence: str, scale: Scale | None) -> None:
    table = TablePart([["", "2008"], ["rent", "5"]])
    assert assemble("x", [ParagraphPart((sentence,)), table]).tables[0].scale is scale


def test_scale_of_a_table_applies_to_amounts_of_its_caption() -> None:
    grid = [["", "2008"], ["rent", "5"], ["total staff", "900"], ["shares issued", "12"], ["loss per share", "0.5"]]

    def scales(caption: str) -> list[Scale | None]:
        table = assemble("x", [TablePart(grid, caption)]).tables[0]
        return [table.scale_at(row, 1) for row in range(1, 5)]

    million, one = Scale.MILLION, Scale.ONE
    assert scales("( in millions )") == [million, million, million, one]
    assert scales("( $ in millions )") == [million, None, million, one]
    assert scales("( in millions , except share and per share data )") == [million, million, None, one]
    assert scales("( in millions , except per share data )") == [million, million, million, one]


def test_rows_of_unequal_length_are_padded_with_a_warning() -> None:
    document = assemble("x", [TablePart([]), TablePart([[]]), TablePart([["", "2008"], ["a"]])], ["lost a page"])
    assert [[cell.text for cell in row] for row in document.tables[0].cells] == [["", "2008"], ["a", ""]]
    assert document.warnings[0] == DocumentWarning(WarningKind.LOST, detail="lost a page")
    assert document.warnings[1].kind is WarningKind.UNEQUAL_ROWS


@pytest.mark.parametrize(
    ("parts", "named"),
    [([SectionPart("a"), SectionPart("a")], "'a'"), ([SectionPart("a b")], "'a b'"), ([HeadingPart("a", 0)], " 0")],
)
def test_invalid_parts_are_refused(parts: Any, named: str) -> None:
    with pytest.raises(DocumentError, match=named):
        assemble("x", parts)


def test_a_block_without_a_place_is_refused() -> None:
    heading = SectionHeading("a", 1)
    for sections, block in (
        ((), Block(heading, 0, "a")),
        ((Section("a"),), Block(heading, 1, "a")),
        ((Section("a"), Section("a")), Block(heading, 0, "a")),
    ):
        with pytest.raises(ValueError, match="x:"):
            Document("x", sections, (block,))


def test_a_filing_survives_the_round_trip() -> None:
    again = load(Document, dump(FILING))
    assert again == FILING
    assert again.digest == FILING.digest
    assert [again.section_of(table) for table in again.tables] == [FILING.section_of(table) for table in FILING.tables]


def test_digest_depends_on_headings_order_and_pages() -> None:
    swapped = (*PARTS[:9], PARTS[10], PARTS[9], PARTS[11])
    renamed = (*PARTS[:1], HeadingPart("Loans", page=2), *PARTS[2:])
    unpaged = (*PARTS[:-1], ParagraphPart(("the cash flows include 2 of taxes paid .",)))
    moved = (*PARTS[:9], PARTS[11], *PARTS[9:11])
    digests = {assemble("NORD/2008/10-K", parts).digest for parts in (PARTS, swapped, renamed, unpaged, moved)}
    assert len(digests) == 5


WORDS = st.sampled_from(["rent was 5 million in 2008 .", "sales rose .", "Notes", ""])
PART = st.one_of(
    st.builds(HeadingPart, WORDS, st.integers(1, 3), st.none() | st.integers(1, 9)),
    st.builds(ParagraphPart, st.lists(WORDS, max_size=3).map(tuple)),
    st.builds(TablePart, st.lists(st.lists(st.sampled_from(["total", "2008", "5", ""]), max_size=3), max_size=3)),
)


@given(parts=st.lists(PART, max_size=8))
def test_views_show_every_block_once_in_order(parts: Any) -> None:
    document = assemble("x", parts)
    assert [table.index for table in document.tables] == list(range(len(document.tables)))
    assert document.tables == tuple(b.content for b in document.blocks if isinstance(b.content, Table))
    assert document.sentences == tuple(
        s for b in document.blocks if isinstance(b.content, Paragraph) for s in b.content.sentences
    )
    assert sum(isinstance(part, HeadingPart) for part in parts) == sum(s.level > 0 for s in document.sections)
    for table in document.tables:
        for cell in (cell for row in table.cells for cell in row):
            assert document.cell(cell.ref) is cell
            assert document.block(cell.ref).content is table
            assert document.section(cell.ref) is document.section_of(table)
        assert set(map(id, document.lead_of(table))) <= set(map(id, document.sentences_around(table)))
    for block in document.blocks:
        if isinstance(block.content, Paragraph):
            for sentence in block.content.sentences:
                ref = SentenceRef("x", sentence.section, sentence.index, 0, 0)
                assert document.sentence(ref) is sentence
                assert document.block(ref) is block
    for one, other in pairwise(document.sentences):
        assert one.section != other.section or other.index == one.index + 1
    assert load(Document, dump(document)) == document


def test_missing_part_is_not_found() -> None:
    with pytest.raises(LookupError):
        FILING.section(SentenceRef(FILING.id, "pre_text", 0, 0, 1))
    with pytest.raises(LookupError):
        FILING.block(CellRef(FILING.id, 3, 0, 0))


@pytest.mark.parametrize("lost", [False, True])
def test_a_year_is_a_dash_only_where_dashes_were_lost(lost: bool) -> None:
    parts = [TablePart([["", "2012", "2011"], ["stores opened", "2014", "7"]])]
    cell = assemble("a", parts, lost_dashes=lost).tables[0].cells[1][1]
    assert cell.is_dash is lost
    assert bool(cell.quantities) is not lost


def test_default_scale_does_not_apply_to_numbers_in_full() -> None:
    parts: list[DocumentPart] = [
        ParagraphPart(("All amounts are in millions of dollars unless otherwise stated.",)),
        HeadingPart("Cover"),
        TablePart([["", "2024"], ["Market value", "$1,815,014,489,485"]]),
        TablePart([["", "2024"], ["Sales", "$1,815"]]),
    ]
    cover, sales = assemble("file", parts, filing=True).tables
    assert (cover.scale, sales.scale) == (None, Scale.MILLION)


def test_scale_of_an_earlier_caption_ends_with_its_item_and_at_amounts_printed_in_full() -> None:
    def scale_after(*between: DocumentPart, sales: str) -> Scale | None:
        selected = TablePart([["", "1996"], ["Net sales", "$142,618"]], "(Dollars in thousands)")
        statement = TablePart([["", "1996"], ["Sales", f"${sales}"], ["Costs", "111,242"]])
        return assemble("f", [HeadingPart("Item 6"), selected, *between, statement], filing=True).tables[1].scale

    assert scale_after(sales="142,618") is Scale.THOUSAND
    assert scale_after(sales="142,618,214") is None
    assert scale_after(HeadingPart("Item 8. Financial Statements"), sales="142,618") is None
