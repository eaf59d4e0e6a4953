"""Several questions in one, taken apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.questions.splitting import MOST_PARTS, split_question


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
            "how much did sales grow and which segment grew most?",
            ("how much did sales grow?", "which segment grew most?"),
        ),
        ("what was the rent? thanks!", ("what was the rent? thanks!",)),
    ],
)
def test_questions_are_taken_apart_in_order(text: str, parts: tuple[str, ...]) -> None:
    split = split_question(text)
    assert split.parts == parts
    assert split.unclear is None


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
        "what is the price of shares which were issued and which were sold?",
        "",
        "??",
    ],
)
def test_one_question_stays_as_it_is(text: str) -> None:
    assert split_question(text).parts == (text,)


def test_what_certainly_asks_several_things_but_not_which_is_asked_back() -> None:
    split = split_question("what were sales in 2008, 2009 and 2010, and the change?")
    assert len(split.parts) == 1
    assert split.unclear
    many = split_question("; ".join(["what was the rent"] * (MOST_PARTS + 1)))
    assert str(MOST_PARTS + 1) in (many.unclear or "")


_WORDS = (
    "what was were the sales cost and , ; ? in 2008 2009 2010 change their average how much did it by why between from "
    "to which tell me respectively also then considering"
).split()


@given(st.lists(st.sampled_from(_WORDS), max_size=30))
def test_no_question_crashes_it_and_no_word_is_made_up(words: list[str]) -> None:
    text = " ".join(words)
    split = split_question(text)
    assert 1 <= len(split.parts) <= MOST_PARTS
    if len(split.parts) > 1:
        said = {word.strip("?") for part in split.parts for word in part.replace(",", " ").replace(";", " ").split()}
        assert said <= {*words, "what", "was", ""}
        assert all(part.strip("? ") for part in split.parts)


@given(st.text(max_size=60))
def test_any_text_is_at_least_one_question(text: str) -> None:
    assert split_question(text).parts
