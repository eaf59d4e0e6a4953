from sqlite3 import DatabaseError

import pytest
from examples import share
from hypothesis import given, settings
from hypothesis import strategies as st
from reports import a_report

from quaestor.documents.assembly import HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.questions.question import read_question
from quaestor.retrieval import blocks
from quaestor.retrieval.finding import find_places
from quaestor.retrieval.index import PlaceIndex, WordIndex
from quaestor.retrieval.retrieval_query import FindingContext

QUESTION = read_question("what were net sales of paper in 2024?")

TEXTS = st.text(st.sampled_from('abN 2024.,%$()-"*\n\u2019\ud7ff\U0001f600né') | st.characters(), max_size=12)
PARTS = st.one_of(
    st.builds(HeadingPart, TEXTS, st.integers(1, 3)),
    st.builds(ParagraphPart, st.lists(TEXTS, max_size=3).map(tuple)),
    st.builds(TablePart, st.lists(st.lists(TEXTS, min_size=1, max_size=4), min_size=1, max_size=4), title=TEXTS),
)


def test_index_survives_serialization() -> None:
    document = a_report()
    index = PlaceIndex.of(document)
    again = PlaceIndex(document, WordIndex.load(index.words.to_bytes()))
    assert find_places(again, QUESTION) == find_places(index, QUESTION)
    assert again.words.to_bytes() == index.words.to_bytes()


@pytest.mark.parametrize("data", [b"SQLite format 3\0", b"nothing of the kind" * 300])
def test_damaged_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(DatabaseError):
        WordIndex.load(data)


@settings(max_examples=share(60), deadline=None)
@given(st.lists(PARTS, max_size=6), TEXTS | st.text(), st.lists(st.text(max_size=20), max_size=2))
def test_any_document_and_question_can_be_searched(parts: list[TablePart], asked: str, earlier: list[str]) -> None:
    document = assemble("any", parts)
    index = PlaceIndex.of(document)
    context = FindingContext(tuple(map(read_question, earlier)))
    words = " ".join(sentence.text for sentence in document.sentences)
    for question in (asked, f"{asked} {words}"):
        for place in find_places(index, read_question(question), context):
            assert 0 <= place.score <= 1
            assert document.blocks[place.block].order == place.block


def test_only_the_first_rows_of_a_very_long_table_are_indexed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_MOST_ROWS", 100)
    rows = [[f"line {n}", "1"] for n in range(150)]
    index = PlaceIndex.of(assemble("long", [TablePart([["", "2024"], *rows])]))
    assert index.words.lines == 100
    (place,) = find_places(index, read_question("what was line 77 in 2024?"))
    assert place.rows[0] == 78
