"""Questions are normalised to their document: misspelled words, and the company's own name."""

import pytest

from quaestor.documents.assembly import HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.retrieval.index import PlaceIndex
from quaestor.retrieval.question_texts import normalize_questions

INDEX = PlaceIndex.of(
    assemble(
        "report",
        [
            HeadingPart("Birch & Alder Timber, Inc."),
            ParagraphPart(("Birch & Alder Timber, Inc.", "We run plants for planks .")),
            TablePart(
                [["", "2024", "2023"], ["Operating income", "12", "11"], ["Birch Americas operations", "3", "2"]]
            ),
        ],
    )
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what was the operting income in 2024?", "what was the operating income in 2024?"),
        ("what was the opperating income?", "what was the operating income?"),
        ("what were the recievables?", "what were the receivables?"),
        ("what were the Birch Americas operatons?", "what were the Birch Americas operations?"),
        ("how many people does Birch & Alder employ?", "how many people does the company employ?"),
        ("what was Birch's operating income?", "what was the company's operating income?"),
        ("how many mills does birch have?", "how many mills does the company have?"),
        ("and a year earlier than March 2024?", "and in March 2023?"),
        ("what was operating income for the year before 2024?", "what was operating income for 2023?"),
        ("what was operating income two years after 2022?", "what was operating income in 2024?"),
        ("how many employees work at B&AT?", "how many employees work at the company?"),
    ],
)
def test_question_is_normalized_to_the_words_of_its_document(question: str, expected: str) -> None:
    assert normalize_questions([question], INDEX) == {question: expected}


@pytest.mark.parametrize(
    "question",
    [
        "what was operating income in 2024?",
        "how many planes were sold?",  # a different word, not a misspelling of "plants"
        "what did Birch Americas earn?",  # names a part of the company
        "how many trees were birch?",
        "what was net income attributable to Birch in 2024?",  # part of the name of a line
        "what was capex in 2024?",
        "which sawmill did Operon buy?",
    ],
)
def test_other_words_of_a_question_are_unchanged(question: str) -> None:
    assert normalize_questions([question], INDEX) == {}
