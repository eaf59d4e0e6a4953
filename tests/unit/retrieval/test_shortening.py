"""Long tables in an excerpt: which rows are shown or omitted."""

from long_filing import OPERATIONS, a_long_filing

from quaestor.documents.assembly import HeadingPart, ParagraphPart, assemble
from quaestor.questions.question import read_question
from quaestor.retrieval.excerpt import shorten_block
from quaestor.retrieval.index import PlaceIndex
from quaestor.retrieval.retrieval_query import parse_retrieval_query

INDEX = PlaceIndex.of(a_long_filing())
BLOCK = next(block for block in INDEX.document.blocks if block.content == INDEX.document.tables[0])


def rows_shown(question: str, *kept: int) -> list[str]:
    block = shorten_block(INDEX, parse_retrieval_query(INDEX, read_question(question)), BLOCK, kept)
    return [row[0].text for row in getattr(block.content, "cells", ()) if row[0].text]


def test_rows_that_are_asked_for_are_shown_with_their_headings_and_sums() -> None:
    shown = rows_shown("what were net sales of services in 2022?", 7)
    assert shown[:4] == ["( in millions , except per share data )", "net sales :", "services", "total net sales"]
    assert {"net income", "research and development"} <= {*shown}
    assert "interest expense" not in shown


def test_a_table_without_a_row_that_is_asked_for_is_shown_whole() -> None:
    assert len(rows_shown("how many employees are there?")) == len(OPERATIONS)


def test_long_passage_is_shortened_to_relevant_sentences_and_the_previous_one() -> None:
    sentences = [
        "Ships are old .",
        "They need care .",
        "Crews are large .",
        "Ports are near .",
        "Crews earn 12 .",
        "Tides turn .",
    ]
    index = PlaceIndex.of(assemble("fleet", [HeadingPart("Fleet"), ParagraphPart(tuple(sentences))]))
    wanted = parse_retrieval_query(index, read_question("what do ports earn?"))
    block = shorten_block(index, wanted, index.document.blocks[1])
    assert [sentence.text for sentence in getattr(block.content, "sentences", ())] == sentences[2:5]
