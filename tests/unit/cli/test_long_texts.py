"""A page with a too long cell, label, heading or sentence is refused in one line; the others are run."""

import sqlite3
from pathlib import Path

import pytest
from command_line import Quaestor, refused
from made_up import TABLE, a_record, write_dataset
from tatqa_pages import page, question, write_tatqa

from quaestor.datasets.convfinqa import read_convfinqa_page
from quaestor.datasets.formats import read_dataset
from quaestor.documents.assembly import LONGEST_TEXT, DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.document import Document
from quaestor.documents.sentences import LONGEST_SENTENCE
from quaestor.errors import DocumentError
from quaestor.ontology.labels import spellings

HUGE = 100_000
PAGE = "LONG/2012/page_1.pdf"


def a_page(spot: str, text: str) -> dict[str, object]:
    table, texts = [list(row) for row in TABLE], ["we paid a dividend of $ 91 million ."]
    places = {"cell": (1, 1), "label": (2, 0), "header": (0, 1), "corner": (0, 0)}
    if spot == "sentence":
        texts.append(text)
    else:
        row, column = places[spot]
        table[row][column] = text
    return a_record(f"Single_{PAGE}-1", table=table, text=texts)


def a_document(spot: str, text: str) -> Document:
    return read_convfinqa_page(a_page(spot, text), "here")


SPOTS = {
    "cell": "table 0, row 1: the cell of column 1",
    "label": "table 0, row 2: the cell of column 0",
    "header": "table 0, row 0: the cell of column 1",
    "corner": "table 0, row 0: the cell of column 0",
    "sentence": "pre_text, sentence 1",
}


@pytest.mark.parametrize(
    "spot",
    ["cell", "sentence", *(pytest.param(spot, marks=pytest.mark.slow) for spot in ("label", "header", "corner"))],
)
def test_endless_text_is_refused_with_one_line(spot: str) -> None:
    assert a_document(spot, "7 " * (LONGEST_TEXT // 2)).refusal is None
    found = a_document(spot, "7" * HUGE)
    assert found.refusal is not None
    assert found.refusal.startswith(SPOTS[spot])
    assert "100,000" in found.refusal
    assert (found.id, found.tables, found.sentences) == (PAGE, (), ())


@pytest.mark.parametrize(
    ("part", "what"),
    [
        (HeadingPart("x" * HUGE), "the heading 'xxx"),
        (ParagraphPart(("one .", "x" * HUGE)), "section_0, sentence 1"),
        (TablePart([["", "2012"], ["rent", "x" * HUGE]]), "table 0, row 1: the cell of column 1"),
        (ParagraphPart(("x" * 1_000 + " .",) * 1_000), "section_0: the paragraph of sentence 0"),
        (TablePart([["", "2012"], ["rent", "5"]], title="x" * HUGE), "the title of table 0"),
        (TablePart([["", "2012"], ["rent", "5"]], caption="x" * HUGE), "the caption of table 0"),
    ],
)
def test_no_part_of_a_document_exceeds_the_limit(part: DocumentPart, what: str) -> None:
    with pytest.raises(DocumentError, match=r"^10-K: ") as caught:
        assemble("10-K", [part])
    assert what in str(caught.value)
    assert len(str(caught.value)) < 250


def test_long_sentence_of_a_benchmark_is_split_without_loss() -> None:
    text = "sales were 7 and costs 5 " * 400
    pieces = [sentence.text for sentence in a_document("sentence", text).sentences[1:]]
    assert len(pieces) == 2
    assert max(map(len, pieces)) <= LONGEST_SENTENCE
    assert " ".join(pieces) == text.strip()


def test_an_endless_paragraph_of_tatqa_is_refused(tmp_path: Path) -> None:
    questions = [question("what was rent?", ["5"], "span", "table")]
    grid = [["", "2019"], ["rent", "5"]]
    records = [
        page("long", grid, ["Rent is paid. " * (HUGE // 10)], questions),
        page("good", grid, ["Rent is paid."], questions),
    ]
    found = read_dataset(write_tatqa(tmp_path, records))
    long, good = (conversation.document for conversation in found.conversations)
    assert "140,000" in str(long.refusal)
    assert good.refusal is None
    assert any(line.startswith("long: paragraph 0 has ") for line in found.warnings)


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    return write_dataset(tmp_path / "mixed.json", a_page("cell", "1" * HUGE), a_record("Single_GOOD/2012/page_2.pdf-1"))


@pytest.mark.slow
def test_other_pages_are_run_and_the_refused_one_has_an_error(quaestor: Quaestor, mixed: Path) -> None:
    outcome = quaestor("run mixed.json --workers 1 --store runs.db")
    assert outcome.code == 0, outcome.err
    line = f"{PAGE}: {SPOTS['cell']} has 100,000 characters"
    assert outcome.err.count(line) == 1
    with sqlite3.connect("runs.db") as store:
        rows = store.execute("SELECT document, status, error FROM examples ORDER BY document").fetchall()
    assert [(row[0], row[1]) for row in rows] == [("GOOD/2012/page_2.pdf", "complete"), (PAGE, "failed")]
    assert rows[1][2].startswith(f"DocumentError: {line}")


@pytest.mark.slow
def test_refused_page_is_reported_by_ask_and_check(quaestor: Quaestor, mixed: Path) -> None:
    assert f"{PAGE}: {SPOTS['cell']} has" in refused(quaestor(f"ask mixed.json#{PAGE}", "what was net revenue?"))
    checked = quaestor("check mixed.json")
    assert checked.code == 0
    assert f"{PAGE}: {SPOTS['cell']} has" in checked.err


def test_number_of_spellings_is_not_quadratic_in_the_label() -> None:
    word = "x" * 900
    assert len(spellings(word)) == 1 + 1  # leaving out any letter gives the same word
    assert len(spellings("revenue of abcdefghi")) == 1 + len("bcdefghi")  # the first letter is never left out
    assert spellings("abcdefghij " * 10_000) == {("abcdefghij " * 10_000).strip()}
