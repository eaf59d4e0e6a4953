"""Splitting of compound questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.questions.splitting import split_question


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "what were sales in 2008 and 2009, and the change?",
            ("what were sales in 2008?", "what were sales in 2009?", "what was the change?"),
        ),
        (
            "What were sales in 2012 and what were they in 2011?",
            ("What were sales in 2012?", "what were they in 2011?"),
        ),
        ("sales in 2012 and what were they in 2011?", ("sales in 2012?", "what were they in 2011?")),
        ("what was revenue, and how much was cost?", ("what was revenue?", "how much was cost?")),
        ("what was revenue in 2012? What was cost?", ("what was revenue in 2012?", "What was cost?")),
        ("what was revenue; what was cost", ("what was revenue?", "what was cost?")),
        ("did sales increase, and by how much?", ("did sales increase?", "by how much?")),
        ("what was net income in 2010 and why?", ("what was net income in 2010?", "why?")),
        (
            "what was rent in 2012 and was it higher than in 2011?",
            ("what was rent in 2012?", "was it higher than in 2011?"),
        ),
        (
            "what was rent in 2010 and the change from 2009?",
            ("what was rent in 2010?", "what was the change from 2009?"),
        ),
        ("tell me the rent in 2012 and how it changed", ("tell me the rent in 2012?", "how it changed?")),
        ("in 2012, what was rent and what was cost?", ("in 2012, what was rent?", "what was cost?")),
        (
            "what was rent in 2008, 2009 and 2010 and their average?",
            ("what was rent in 2008?", "what was rent in 2009?", "what was rent in 2010?", "what was their average?"),
        ),
        (
            "what were sales and cost in 2009, and the difference?",
            ("what were sales in 2009?", "what were cost in 2009?", "what was the difference?"),
        ),
        (
            "what were the sales and the cost in 2009, and the difference since 2008?",
            ("what were the sales and the cost in 2009?", "what was the difference since 2008?"),
        ),
        (
            "how much did sales grow and which segment grew most?",
            ("how much did sales grow?", "which segment grew most?"),
        ),
        ("what was the rent? thanks!", ("what was the rent? thanks!",)),
        (
            "how much was rent in 2012, and how fast did it grow?",
            ("how much was rent in 2012?", "how fast did it grow?"),
        ),
        ("who is the auditor and since when?", ("who is the auditor?", "since when?")),
    ],
)
def test_questions_are_split_in_order(text: str, parts: tuple[str, ...]) -> None:
    assert split_question(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "what were sales in 2008 and 2009?",
        "what were sales and marketing expenses in 2009?",
        "how much, then, did it increase over the year?",
        "by how much, in percentage, does that change differ from this one?",
        "and in 2010, what was it?",
        "considering the interest and how much it represents of debt, what was debt?",
        "what was the full amount, considering the first one and how much it decreased?",
        "what is the difference between what was paid in 2008 and what was paid in 2009?",
        "what is, then, the return, or how much does it represent in relation to the price?",
        "what was the change in sales and the change in cost in 2009?",
        "what were domestic sales and the total?",
        "how many times was inventory sold in 2012? Calculate it from cost over the average. Round to two decimals.",
        "what was the quick ratio in 2012? If this is not a useful metric, say so and explain why.",
        "what was rent in 2012? Answer in USD millions, and use the cash flow statement.",
        "what is the price of shares which were issued and which were sold?",
        "",
        "??",
    ],
)
def test_one_question_stays_as_it_is(text: str) -> None:
    assert split_question(text) == (text,)


def test_a_change_of_more_than_two_values_stays_behind_the_question_for_them() -> None:
    values, change = split_question("what were sales in 2008, 2009 and 2010, and the change?")
    assert (values, change) == ("what were sales in 2008, 2009 and 2010?", "what was the change?")


_WORDS = (
    "what was were the sales cost and , ; ? in 2008 2009 2010 change their average how much did it by why between from "
    "to which tell me respectively also then considering"
).split()


@given(st.lists(st.sampled_from(_WORDS), max_size=30))
def test_splitting_never_crashes_and_adds_no_words(words: list[str]) -> None:
    text = " ".join(words)
    split = split_question(text)
    assert split
    if len(split) > 1:
        written = {word.strip("?") for part in split for word in part.replace(",", " ").replace(";", " ").split()}
        assert written <= {*words, "what", "was", ""}
        assert all(part.strip("? ") for part in split)


@given(st.text(max_size=60))
def test_any_text_is_at_least_one_question(text: str) -> None:
    assert split_question(text)
