"""Questions about pages that lack the answer, and pages with lines removed."""

from pathlib import Path

import pytest
from pages import page, sample_pages
from tatqa_pages import write_tatqa
from values import a_value

from quaestor.documents.document import Document
from quaestor.graph.builder import build_graph
from quaestor.learning.examples import Example, read_examples
from quaestor.learning.unanswerable import KINDS, SyntheticQuestion, lines_with, put_questions, without_lines
from quaestor.ontology.builder import build_ontology
from quaestor.sample import sample_path
from quaestor.scoring.gold import GoldTurn
from quaestor.solvers.embedded.page import NumberMatrix, build_number_matrix


@pytest.fixture(scope="module")
def examples() -> tuple[Example, ...]:
    return read_examples([sample_path()])[:16]


@pytest.fixture(scope="module")
def synthetic_questions(examples: tuple[Example, ...]) -> list[SyntheticQuestion]:
    return put_questions(examples)


def test_synthetic_questions_include_the_own_page_and_history(
    examples: tuple[Example, ...], synthetic_questions: list[SyntheticQuestion]
) -> None:
    questions = {
        (e.document.digest, e.questions[:n], e.questions[n])
        for e in examples
        if e.document
        for n in range(len(e.questions))
    }
    assert {
        (put.document.digest, put.history, put.question) for put in synthetic_questions if put.answerable
    } == questions


def test_all_possible_kinds_of_questions_are_generated(synthetic_questions: list[SyntheticQuestion]) -> None:
    # No company has two pages in the sample.
    assert {put.kind for put in synthetic_questions} == {*KINDS} - {"other page"}


def test_one_seed_gives_one_set(examples: tuple[Example, ...], synthetic_questions: list[SyntheticQuestion]) -> None:
    again = put_questions(examples)
    assert [(p.document.digest, p.history, p.question, p.kind) for p in again] == [
        (p.document.digest, p.history, p.question, p.kind) for p in synthetic_questions
    ]


def test_the_other_year_is_printed_nowhere(synthetic_questions: list[SyntheticQuestion]) -> None:
    for put in (put for put in synthetic_questions if put.kind == "other year"):
        printed = " ".join(
            [cell.text for table in put.document.tables for row in table.cells for cell in row]
            + [sentence.text for sentence in put.document.sentences]
        )
        words = {word.strip("?,.") for word in put.question.split()} - {*printed.split()}
        assert any(word.isdigit() and len(word) == 4 for word in words)


def test_a_page_of_another_company_is_not_the_questions_own(synthetic_questions: list[SyntheticQuestion]) -> None:
    own = {(put.question, put.document.id) for put in synthetic_questions if put.answerable and not put.history}
    others = [put for put in synthetic_questions if put.kind == "other company"]
    assert others
    assert not any((put.question, put.document.id) in own for put in others)


def test_removed_number_is_not_on_the_page(
    synthetic_questions: list[SyntheticQuestion], examples: tuple[Example, ...]
) -> None:
    whole = {e.document.id: e.document for e in examples if e.document}
    removed = [put for put in synthetic_questions if put.kind == "line removed"]
    assert removed
    for put in removed:
        before = whole[put.document.id]
        lines = [
            len(document.sentences) + sum(len(t.cells) for t in document.tables) for document in (put.document, before)
        ]
        columns = [sum(len(t.columns) for t in document.tables) for document in (put.document, before)]
        assert lines[0] < lines[1] or columns[0] < columns[1]


def _example(name: str, label: str, value: str, question: str) -> Example:
    document = page([["", "2008", "2007"], [label, value, "70"], ["other costs", "12", "15"]], name=name)
    return Example(name, (question,), (GoldTurn(value, a_value(value), None, 0),), document, name[:4])


def test_other_page_that_answers_the_question_is_skipped() -> None:
    question = "what was the net revenue in 2008?"
    same = [
        _example("ACME/2008/page_1.pdf", "net revenue", "135", question),
        _example("BOLT/2008/page_1.pdf", "net revenue", "150", question),
    ]
    assert not [put for put in put_questions(same) if put.kind == "other company"]
    other = [same[0], _example("BOLT/2008/page_1.pdf", "rent of towers", "150", "what was the rent of towers in 2008?")]
    assert "what was the net revenue in 2008?" in [put.question for put in put_questions(other) if not put.answerable]


def test_independent_choice_questions_are_included(tmp_path: Path) -> None:
    examples = read_examples([write_tatqa(tmp_path)])
    own = {put.question for put in put_questions(examples) if put.answerable}
    chosen = {
        question
        for example in examples
        for question, gold in zip(example.questions, example.gold, strict=True)
        if gold.stated and gold.stated.kind in ("count", "multi-span") and "table" in gold.stated.source
    }
    assert chosen
    assert chosen <= own


def numbers(document: Document) -> NumberMatrix:
    return build_number_matrix(build_graph(document, build_ontology(()), "extend"))


@pytest.mark.parametrize("document", sample_pages(), ids=lambda document: document.id)
def test_page_without_removals_is_unchanged(document: Document) -> None:
    again = without_lines(document, frozenset())
    assert (again.digest, again.tables, again.sentences) == (document.digest, document.tables, document.sentences)


def test_rows_and_sentences_are_removed_with_their_numbers() -> None:
    document = page(
        [["", "2008", "2007"], ["rent", "5", "4"], ["fuel", "7", "6"]], ("rent was $ 5 .", "we own 12 towers .")
    )
    leaves = numbers(document)
    gone = lines_with((n for n, leaf in enumerate(leaves.leaves) if leaf.quantity.value == 5), leaves)
    left = without_lines(document, gone)
    assert [[cell.text for cell in row] for row in left.tables[0].cells] == [["", "2008", "2007"], ["fuel", "7", "6"]]
    assert [sentence.text for sentence in left.sentences] == ["we own 12 towers ."]


def test_column_of_a_transposed_table_is_removed() -> None:
    document = page([["", "rent", "fuel"], ["2008", "5", "7"], ["2007", "4", "6"]])
    leaves = numbers(document)
    gone = lines_with((n for n, leaf in enumerate(leaves.leaves) if leaf.quantity.value == 5), leaves)
    left = without_lines(document, gone)
    assert [[cell.text for cell in row] for row in left.tables[0].cells] == [["", "fuel"], ["2008", "7"], ["2007", "6"]]
