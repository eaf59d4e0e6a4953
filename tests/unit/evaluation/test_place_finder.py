"""Finding the relevant parts of a long document: selection, and the limit on its size."""

from dataclasses import replace

import pytest
from long_filing import a_long_filing
from remembered import ungrounded

from quaestor.conversation.turn import Memory
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.errors import InputError
from quaestor.evaluation.place_finder import PlaceFinder
from quaestor.questions.question import read_question
from quaestor.retrieval.index import PlaceIndex

LARGE = TablePart([["", "2021", "2020"], *([f"ship {row}", f"{row}1", f"{row}2"] for row in range(40))])
SMALL = TablePart([["", "2021", "2020"], ["crews", "12", "11"]])


@pytest.fixture(autouse=True)
def _lower_cell_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quaestor.documents.table.MOST_CELLS_ASKED", 100)


def test_too_large_table_is_reported() -> None:
    index = PlaceIndex.of(assemble("fleet", [HeadingPart("Ships"), LARGE]))
    with pytest.raises(InputError, match=r"fleet: table 0 has 123 cells"):
        PlaceFinder(index, 60).select(read_question("what was ship 30 in 2021?"), Memory())


def test_other_tables_are_searched_if_one_is_too_large() -> None:
    parts: list[DocumentPart] = [
        HeadingPart("Ships"),
        LARGE,
        HeadingPart("Crews"),
        ParagraphPart(("Crews are counted .",)),
        SMALL,
    ]
    excerpts = PlaceFinder(PlaceIndex.of(assemble("fleet", parts)), 60)
    shown = excerpts.select(read_question("what were crews in 2021?"), Memory())
    assert [table.index for table in shown.document.tables] == [1]
    assert [table.index for table in excerpts.search("ship 30", shown.document).document.tables] == [1]


def test_search_adds_places_if_the_best_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quaestor.documents.table.MOST_CELLS_ASKED", 1000)
    excerpts = PlaceFinder(PlaceIndex.of(a_long_filing()), 400)
    once = excerpts.search("net sales, income and debt in 2023", a_long_filing().excerpt(()))
    twice = excerpts.search("net sales, income and debt in 2023", once.document)
    assert len(twice.document.blocks) > len(once.document.blocks)


def test_source_of_the_last_answer_is_shown_beyond_the_size_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quaestor.documents.table.MOST_CELLS_ASKED", 1000)
    filing = a_long_filing()
    turn = ungrounded("what is due after 2026?")
    source = filing.tables[5].cells[4][1].ref
    memory = Memory((replace(turn, answer=replace(turn.answer, sources=(source,))), ungrounded("why?")))
    shown = PlaceFinder(PlaceIndex.of(filing), 1).select(read_question("what were net sales of products?"), memory)
    assert [table.index for table in shown.document.tables] == [0, 5]


def test_text_after_a_table_is_found_for_why_questions() -> None:
    parts: list[DocumentPart] = [
        HeadingPart("Taxes"),
        SMALL,
        ParagraphPart(("benefits of the year before are absent .",)),
        HeadingPart("Auditor"),
        ParagraphPart(("we have audited the balance sheets .", "/s/ Tern & Co LLP")),
        HeadingPart("Fleet"),
        *[ParagraphPart(("ships are why the fleet of ships jumps .",))] * 9,
    ]
    filing = assemble("fleet", parts)
    excerpts = PlaceFinder(PlaceIndex.of(filing), 1)
    turn = ungrounded("what were crews?")
    source = filing.tables[0].cells[1][1].ref
    memory = Memory((replace(turn, answer=replace(turn.answer, sources=(source,))),))
    why = excerpts.select(read_question("why the jump?"), memory).document
    assert "benefits of the year before are absent." in [
        " ".join(s.text.split()).replace(" .", ".") for s in why.sentences
    ]
    signed = excerpts.select(read_question("who is the auditor?"), Memory()).document
    assert "/s/ Tern & Co LLP" in [sentence.text for sentence in signed.sentences]


def test_long_secondary_table_is_cut_until_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quaestor.documents.table.MOST_CELLS_ASKED", 1000)
    ships = TablePart([*LARGE.grid, ["crews of ships", "12", "11"]])
    filler = ParagraphPart(("ships sail the sea .",) * 99)
    parts: list[DocumentPart] = [HeadingPart("Ships"), ships, HeadingPart("Crews"), SMALL, HeadingPart("Sea"), filler]
    excerpts = PlaceFinder(PlaceIndex.of(assemble("fleet", parts)), 600)
    shown = excerpts.select(read_question("what were crews in 2021?"), Memory()).document
    assert [shown.rows_left_out(index) for index in (0, 1)] == [40, 0]
    widened = excerpts.search("sail the sea", shown).document
    assert [widened.rows_left_out(index) for index in (0, 1)] == [0, 0]
