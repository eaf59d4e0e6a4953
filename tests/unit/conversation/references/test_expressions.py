import pytest

from quaestor.conversation.references.expressions import Expression, find_expressions
from quaestor.questions.question import read_question

FOUND = [
    ("how much does this change represent in relation to rent?", "this change", "result"),
    ("what is that value divided by 12?", "that value", "result"),
    ("what was it in 2008?", "it", "result"),
    ("and what is that in millions?", "that", "result"),
    ("what is the revenue over the sum?", "the sum", "result"),
    ("how much does the former represent in thousands of rent?", "the former", "result"),
    ("what is the previous number times 1000?", "the previous number", "result"),
    ("what is the difference between these two values?", "these two values", "results"),
    ("what is the average of both?", "both", "results"),
    ("what is the ratio of the two amounts?", "the two amounts", "results"),
    ("what was the change over these two years?", "these two years", "period"),
    ("what was the rent in that same period?", "that same period", "period"),
    ("and in the same year, what was the rent?", "the same year", "period"),
    ("what was the rent in the prior year?", "the prior year", "period"),
    ("how much was the rent two years before?", "two years before", "period"),
    ("what was that stock in 2015?", "that stock in 2015", "cell"),
    ("what is the change over that 2015 balance?", "that 2015 balance", "cell"),
    ("how did that index do?", "that index", "entity"),
    ("what is its share of the rent?", "its", "entity"),
    ("what about in 2008?", "what about in 2008?", "ellipsis"),
    ("and for the second quarter?", "and for the second quarter?", "ellipsis"),
    ("what is the difference?", "what is the difference?", "ellipsis"),
    ("and the percentage change?", "and the percentage change?", "ellipsis"),
]


def expressions_of(question: str) -> tuple[Expression, ...]:
    return find_expressions(read_question(question))


@pytest.mark.parametrize(("question", "words", "kind"), FOUND, ids=[question for question, _, _ in FOUND])
def test_an_expression_is_found_with_its_kind(question: str, words: str, kind: str) -> None:
    assert (words, kind) in [(question[e.start : e.end], e.kind) for e in expressions_of(question)]


@pytest.mark.parametrize(
    "question",
    [
        "what was the rent expense in 2008?",
        "how many options that were granted in 2008 were exercised?",
        "what was the change in rent from 2007 to 2008?",
        "what is the total rent expense?",
    ],
)
def test_complete_question_contains_no_expression(question: str) -> None:
    assert expressions_of(question) == ()


def test_an_asked_difference_is_not_a_reference() -> None:
    first, used = expressions_of("what was, then, the difference?"), expressions_of("what is rent over the difference?")
    assert [e.kind for e in first] == ["ellipsis"]
    assert [(e.kind, e.noun) for e in used] == [("result", "difference")]


def test_expression_has_noun_words_years_and_count() -> None:
    (both,) = expressions_of("what was the sum of those two rent balances?")
    assert (both.noun, set(both.words), both.count) == ("balance", {"rent"}, 2)
    (cell,) = expressions_of("how much is that S&P performance in 2004, in percentage?")
    assert (set(cell.words), set(cell.years), cell.count) == ({"s&p", "performance"}, {2004}, 1)


def test_expressions_are_in_order_and_do_not_overlap() -> None:
    question = "how much does this change represent in relation to that rent in 2004, in that same period?"
    found = expressions_of(question)
    assert [question[e.start : e.end] for e in found] == ["this change", "that rent in 2004", "that same period"]
