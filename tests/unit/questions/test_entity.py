"""The subject of a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.questions.entity import counted_thing
from quaestor.questions.question import entity_asked, read_question


@pytest.mark.parametrize(
    ("question", "entity"),
    [
        ("what was the net revenue in 2008?", "net revenue"),
        ("what was the change in net revenue from 2007 to 2008?", "net revenue"),
        ("what was the percentage change in the rent expense between 2007 and 2008?", "rent expense"),
        ("in 2008, what was the total of the rent expense?", "rent expense"),
        ("as of december 31, 2008, how much were total assets?", "assets"),
        ("what was the fair value of the notes due in 2015?", "fair value of the notes"),
        ("what was the value of the notes?", "notes"),
        ("what is the balance of the S&P 500 index in 2009?", "s&p 500 index"),
        ("what percentage of total assets was goodwill in 2010?", "goodwill"),
        ("what percentage did goodwill represent in relation to total assets?", "goodwill"),
        ("what portion of the debt is due in 2012?", "debt"),
        ("what is the interest rate of the notes?", "interest rate of the notes"),
        ("how many shares were repurchased?", "shares"),
        ("and concerning the goodwill, how much does it represent in relation to the sum?", "goodwill"),
        ("what was the gross amount of unrecognized tax benefits?", "gross amount of unrecognized tax benefits"),
        ("what was the revenue less net income?", "revenue"),
        ("what is the value of future minimum rent payments in 2008?", "future minimum rent payments"),
        ("what was the total maximum exposure in 2011?", "maximum exposure"),
        ("and what did the cost reduction initiatives represent in relation to them?", "cost reduction initiatives"),
        ("what was the maximum value of the stock?", "stock"),
    ],
)
def test_subject_of_a_question(question: str, entity: str) -> None:
    assert read_question(question).entity == entity


@pytest.mark.parametrize(
    "question",
    [
        "and in 2007?",
        "what was it in 2007?",
        "what is the difference?",
        "so what was the percentage change during this time?",
        "and how much does this change represent in relation to the rent of 2007, in percentage?",
        "what is that divided by 2?",
        "what was, then, the combined total of both years?",
        "what about in millions?",
        "which value is greater?",
    ],
)
def test_question_with_a_reference_is_about_the_previous_question(question: str) -> None:
    assert read_question(question).entity is None
    before = ["what was the debt?", "what was the net revenue in 2008?", "and in 2006?"]
    assert entity_asked(read_question(question), [*map(read_question, before)]) == "net revenue"


@pytest.mark.parametrize(
    ("after", "thing"),
    [
        (" of unsecured debt", "unsecured debt"),
        (" million of unsecured debt and some cash", "unsecured debt"),
        (" registered holders of our stock .", "registered holders of our stock"),
        (" in 2016 , $ 97.5 in 2015", None),
        (" , respectively", None),
        ("", None),
    ],
)
def test_counted_noun_follows_its_number(after: str, thing: str | None) -> None:
    assert counted_thing(after) == thing


@given(st.text(max_size=300), st.lists(st.text(max_size=80), max_size=3))
def test_any_text_is_parsed(question: str, earlier: list[str]) -> None:
    found = entity_asked(read_question(question), [*map(read_question, earlier)])
    assert found is None or found.strip()
    assert counted_thing(question) != ""
