"""Questions for one line at several times."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.questions.listing import asks_for_parts, read_enumeration, read_listing


@pytest.mark.parametrize(
    ("question", "items"),
    [
        ("what were sales in 2008 and 2009?", ("2008", "2009")),
        ("What were sales in 2010, 2009 and 2008, respectively?", ("2010", "2009", "2008")),
        ("what were the respective yields in 2008 & 2009?", ("2008", "2009")),
        ("cash at June 30 and December 31, 2009?", ("June 30, 2009", "December 31, 2009")),
        ("stock as of October 31, 2009 and 2008?", ("October 31, 2009", "October 31, 2008")),
        ("cash at June 30, 2009 and December 31, 2008?", ("June 30, 2009", "December 31, 2008")),
        ("rent during fiscal 2009 and fiscal 2008?", ("fiscal 2009", "fiscal 2008")),
        ("rent for fiscal years 2009 and 2008?", ("fiscal years 2009", "fiscal years 2008")),
        (
            "what was income for fiscal years 2009 to 2007 respectively?",
            tuple(f"fiscal years {y}" for y in (2009, 2008, 2007)),
        ),
        ("what was rent in 2009 and in 2008?", ("2009", "2008")),
        ("what was the weighted-average price in 2009 and 2008?", ("2009", "2008")),
    ],
)
def test_times_are_listed_in_the_order_asked(question: str, items: tuple[str, ...]) -> None:
    listing = read_listing(question)
    assert listing is not None
    assert listing.items == items
    assert len(listing.questions) == len(items)


@pytest.mark.parametrize(
    "question",
    [
        "what were sales in 2009?",
        "what was the change in sales between 2008 and 2009?",
        "what were sales from 2008 to 2009?",
        "what is the average of sales in 2008 and 2009?",
        "what were sales in 2008 and 2009 combined?",
        "in which of 2008 and 2009 were sales higher?",
        "why did sales differ in 2008 and 2009?",
        "did the company pay dividends in 2008 and 2009?",
        "what is the sum of sales in both 2008 and 2009?",
        "what are notes due in 2008 and 2009?",
        "what were sales in 2009 and 2009?",
        "what is the charge of $ 2008 and 2009 shares?",
        "x" * 2_000 + " in 2008 and 2009?",
    ],
)
def test_other_questions_are_not_lists(question: str) -> None:
    assert read_listing(question) is None


def test_each_part_is_a_complete_question() -> None:
    listing = read_listing("What was the rent for the years ended May 31, 2009 and 2008, respectively?")
    assert listing is not None
    assert listing.questions == (
        "What was the rent for the year ended May 31, 2009?",
        "What was the rent for the year ended May 31, 2008?",
    )


def test_total_may_cover_all_times_unless_each_is_requested() -> None:
    plain, each = (read_listing(f"what was the total rent in 2008 and 2009{end}?") for end in ("", " respectively"))
    assert plain is not None
    assert plain.total
    assert each is not None
    assert not each.total


@given(
    st.lists(
        st.sampled_from("what was rent in for and , 2008 2009 2010 may 31 , fiscal years to respectively ?".split())
    )
)
def test_listing_never_fails(words: list[str]) -> None:
    listing = read_listing(" ".join(words))
    if listing is not None:
        assert 1 < len(listing.items) == len(set(listing.items)) == len(listing.questions)
        assert all(
            item.replace("years", "year") in question
            for item, question in zip(listing.items, listing.questions, strict=True)
        )


@pytest.mark.parametrize(
    ("question", "items"),
    [
        ("what are the respective sales and purchases for 2009?", ("sales", "purchases")),
        (
            "what was the federal, state and foreign credit in 2009 respectively?",
            ("federal credit", "state credit", "foreign credit"),
        ),
        ("what are rates for Japanese Yen and Swiss Francs, respectively?", ("Japanese Yen", "Swiss Francs")),
    ],
)
def test_items_are_listed_if_each_is_requested(question: str, items: tuple[str, ...]) -> None:
    listing = read_enumeration(question)
    assert listing is not None
    assert listing.items == items
    assert len(listing.questions) == len(items)
    assert read_enumeration(question.replace("respectively", "").replace("respective", "")) is None


@given(st.text(alphabet="ab ,and respectively", max_size=60))
def test_enumeration_never_fails(text: str) -> None:
    assert read_enumeration(text) is None or "respective" in text


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("capex by segment", True),
        ("debt breakdown at year end", True),
        ("rent per region in the second quarter", True),
        ("which country is the largest by market?", False),
        ("earnings per share after the stock split", False),
        ("led by which country?", False),
    ],
)
def test_all_parts_are_asked_for_or_one_of_them(question: str, expected: bool) -> None:
    assert asks_for_parts(question) is expected
