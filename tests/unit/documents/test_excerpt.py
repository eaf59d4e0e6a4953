"""An excerpt has some blocks of a document, with the references of the whole document."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.documents.assembly import HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.document import Document
from quaestor.documents.facts import Fact
from quaestor.graph.builder import build_graph
from quaestor.ontology.builder import build_ontology

RENT = Fact("us-gaap:RentExpense", Decimal(5_000_000), "USD", date(2008, 1, 1), date(2008, 12, 31), scale=6)


def filing() -> Document:
    return assemble(
        "10-K",
        [
            HeadingPart("Sales", page=3),
            ParagraphPart(("sales were as follows .",), page=3),
            TablePart([["", "2008"], ["sales", "90"]], page=3),
            HeadingPart("Rent", page=8, anchor="rent"),
            ParagraphPart(("rent was $ 5 million .", "it is due monthly ."), page=8, facts=[(0, 11, 12, RENT)]),
            TablePart(
                [["in millions", "2008"], ["rent", "5"]], page=9, title="RENT", header_rows=1, facts=[(1, 1, RENT)]
            ),
        ],
    )


def test_an_excerpt_keeps_places_and_indices() -> None:
    whole = filing()
    part = whole.excerpt([5, 3])
    assert [block.order for block in part.blocks] == [3, 5]
    assert [table.index for table in part.tables] == [1]
    assert [section.title for section in part.sections] == ["Rent"]
    assert part.blocks[0].anchor == "rent"
    assert part.lead_of(part.tables[0]) == ()
    assert len(whole.lead_of(whole.tables[1])) == 2
    assert part.excerpt([0, 1]).sentences == whole.sentences[:1]


def test_excerpt_search_finds_omitted_parts() -> None:
    part = filing().excerpt([3, 5])
    assert part.cell(CellRef("10-K", 0, 1, 1)).text == "90"
    assert part.table(0).rows[1].label == "sales"
    sentence = SentenceRef("10-K", "section_0", 0, 0, 5)
    assert part.sentence(sentence).text == "sales were as follows ."
    assert part.block(sentence).page == 3
    assert part.section(sentence).title == "Sales"
    with pytest.raises(IndexError):
        part.table(2)


def test_tags_are_attached_to_their_numbers() -> None:
    whole = filing()
    cell = CellRef("10-K", 1, 1, 1)
    assert whole.fact(cell) == RENT
    assert whole.excerpt([5]).fact(cell) == RENT
    assert whole.fact(CellRef("10-K", 0, 1, 1)) is None
    assert [tagged.source for tagged in whole.facts] == [SentenceRef("10-K", "section_1", 0, 11, 12), cell]
    assert whole.tables[1].title == "RENT"


def test_two_excerpts_have_two_digests() -> None:
    whole = filing()
    digests = {whole.digest, whole.excerpt([5]).digest, whole.excerpt([4, 5]).digest, whole.excerpt(range(6)).digest}
    assert len(digests) == 4
    assert whole.excerpt([5]).digest == filing().excerpt([5, 5]).digest


def test_the_graph_of_an_excerpt_names_the_sources_of_the_whole() -> None:
    whole = filing()
    graph = build_graph(whole.excerpt([3, 4, 5]), build_ontology([whole]))
    assert [seen.source for seen in graph.observations] == [CellRef("10-K", 1, 1, 1)]
    assert [seen.source.section for seen in graph.mentions] == ["section_1"]


def test_a_table_of_an_excerpt_is_led_to_by_no_other_sentences_than_in_the_whole() -> None:
    whole = filing()
    rent = whole.tables[1]
    assert whole.excerpt([1, 5]).lead_of(rent) == ()
    assert whole.excerpt([1, 5]).sentences_around(rent) == ()
    assert whole.excerpt([1, 4, 5]).lead_of(rent) == whole.lead_of(rent) == whole.sentences[1:]


def test_a_table_of_an_excerpt_may_have_some_of_its_rows() -> None:
    rows = [["( in millions )", "2008"], ["sales :", ""], ["ore", "$ 90"], ["coal", "7"], ["total sales", "$ 97"]]
    whole = assemble("10-K", [HeadingPart("Sales"), TablePart(rows)])
    table = whole.tables[0]
    part = whole.excerpt([0, 1], {1: replace(whole.blocks[1], content=table.with_rows({3}))})
    assert [[cell.text for cell in row if cell.text] for row in part.tables[0].cells] == [rows[0], [], [], rows[3], []]
    assert part.rows_left_out(0) == 3
    assert whole.rows_left_out(0) == 0
    assert part.cell(CellRef("10-K", 0, 2, 1)).text == "$ 90"
    (coal,) = build_graph(part, build_ontology([whole])).observations
    (same,) = (o for o in build_graph(whole, build_ontology([whole])).observations if o.source == coal.source)
    assert coal == same
