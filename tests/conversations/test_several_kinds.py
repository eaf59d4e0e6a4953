"""A conversation that asks for numbers, lists, words and missing values in turn."""

from decimal import Decimal

import quaestor
from quaestor.core.answer_value import ListItem, Number, Text, ValueList

PAGE = "sample#NORD/2012/page_41.pdf"
ASKED = (
    "what were net sales of power cables in 2012 and 2011, and the change?",
    "why did they grow?",
    "what were power cables and data cables in 2010?",
    "and in 2011?",
    "what did the company spend on research and development in 2012 and 2011, respectively?",
    "who is the treasurer?",
    "and what was operating income in 2012?",
)


def test_each_answer_has_the_requested_kind() -> None:
    answers = quaestor.open(PAGE).ask(ASKED)
    assert [answer.answer.value for answer in answers] == [
        ValueList(
            (
                ListItem("2012", Decimal("642.3")),
                ListItem("2011", Decimal("598.7")),
                ListItem("change", Decimal("43.6")),
            )
        ),
        Text("because two offshore grid projects were delivered ahead of plan"),
        ValueList((ListItem("power cables", Decimal("561.0")), ListItem("data cables", Decimal("251.9")))),
        ValueList((ListItem("power cables", Decimal("598.7")), ListItem("data cables", Decimal("287.4")))),
        ValueList((ListItem("2012", Decimal("24.7")), ListItem("2011", Decimal("22.9")))),
        None,
        Number(Decimal("88.1")),
    ]
    assert all(answer.turn.verified for answer in answers if answer.answer.value is not None)
    assert all(answer.sources for answer in answers if answer.answer.value is not None)


def test_benchmark_options_give_numbers_only() -> None:
    """With `answers=numbers`, as for ConvFinQA, every answer is a number."""
    answers = quaestor.open(PAGE).ask(ASKED[1:5], options={"answers": "numbers", "decline": False})
    assert all(isinstance(answer.answer.value, Number) for answer in answers)
