from decimal import Decimal
from typing import Any

import pytest

from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import AnswerValue, ListItem, Number, Text, ValueList, YesNo
from quaestor.core.quantity import Scale
from quaestor.errors import DatasetError
from quaestor.scoring.filing_answers import FilingReference, answer_is_right, compare_prose
from quaestor.scoring.references.filings import read_reference_answer, read_text_reference

MILLION = {"value": 391035, "scale": "million", "unit": "USD"}
PERCENT = {"value": 24.1, "scale": "", "unit": "percent"}
SEVERAL = ValueList((ListItem("Europe", Decimal(30)), ListItem("Asia", Decimal("1.2"), Scale.BILLION, "USD")))

BOOKED = ValueList((ListItem("fine", Decimal(30)), ListItem("no")))


def number(text: str, scale: Scale = Scale.ONE) -> Answer:
    return Answer(Number(Decimal(text)), scale)


def words(text: str) -> Answer:
    return Answer(Text(text))


@pytest.mark.parametrize(
    ("answer", "given", "right"),
    [
        (MILLION, number("391035", Scale.MILLION), True),
        (MILLION, number("391", Scale.BILLION), True),
        (MILLION, number("388", Scale.BILLION), False),
        (MILLION, number("391035"), False),
        (MILLION, number("-391035", Scale.MILLION), False),
        (MILLION, Answer(None), False),
        (MILLION, words("sales came to 391,035 million"), True),
        (PERCENT, number("0.241"), True),
        (PERCENT, number("24.14", Scale.PERCENT), True),
        (PERCENT, number("24.3", Scale.PERCENT), False),
        ({"value": 0.51, "scale": "", "unit": "ratio"}, number("51", Scale.PERCENT), True),
        ({"value": 6.08, "scale": "", "unit": "USD"}, number("6.11"), True),
        ({"value": 6.08, "scale": "", "unit": "USD"}, number("6.15"), False),
        ({"values": [{"label": "Asia", "value": 1200, "scale": "million", "unit": "USD"}]}, Answer(SEVERAL), True),
        ({"values": [{"label": "Asia"}, {"label": "Africa"}]}, Answer(SEVERAL), False),
        ({"values": [{"label": "Asia"}, {"label": "Europe"}]}, Answer(SEVERAL), True),
        ({"label": "Greater China"}, words("China"), True),
        ({"yes": False}, Answer(YesNo(False)), True),
        ({"yes": False}, words("No, it fell."), True),
        ({"yes": False}, Answer(YesNo(True)), False),
        ({"none": "not in the filing"}, Answer(None), True),
        ({"none": "not in the filing"}, number("3"), False),
        ({"any_of": [MILLION, {"none": "two readings"}]}, Answer(None), True),
        ({"parts": [{"value": 30, "unit": "USD"}, {"label": "Asia"}]}, Answer(SEVERAL), True),
        ({"parts": [{"value": 31, "unit": "USD"}, {"label": "Asia"}]}, Answer(SEVERAL), False),
        ({"parts": [{"value": 30, "unit": "USD"}, {"yes": False}]}, Answer(BOOKED), True),
        ({"parts": [{"value": 30, "unit": "USD"}, {"yes": True}]}, Answer(BOOKED), False),
        ({"text": "higher prices and more stores"}, words("because of higher prices in all stores"), True),
        ({"text": "higher prices and more stores"}, words("because of the weather"), False),
    ],
)
def test_an_answer_is_right_in_value_unit_and_rounding(answer: dict[str, Any], given: Answer, right: bool) -> None:
    assert answer_is_right(given, FilingReference(read_reference_answer(answer, "here"), "lookup")) is right


@pytest.mark.parametrize(
    ("text", "question", "given", "right"),
    [
        ("$1577.00", "What is capex (in USD millions)?", number("1577", Scale.MILLION), True),
        ("$1577.00", "What is capex (in USD millions)?", number("1577"), False),
        ("$8.70", "What is net PPNE? Answer in USD billions.", number("8738", Scale.MILLION), True),
        ("1.9%", "What was the margin?", number("0.019"), True),
        ("0.66", "What was the turnover?", number("0.664"), True),
        ("$5.4 billion", "What was debt?", number("5400", Scale.MILLION), True),
        ("-3.7", "What was growth?", number("3.7"), False),
        ("No", "Did it rise?", Answer(YesNo(False)), True),
        ("94", "What were sales?", number("94", Scale.MILLION), True),
    ],
)
def test_stated_text_that_is_only_a_number_is_a_number(text: str, question: str, given: Answer, right: bool) -> None:
    assert answer_is_right(given, FilingReference(read_text_reference(text, question, "here"), "")) is right


def test_yes_with_more_words_is_prose() -> None:
    wanted = read_text_reference("No, the company is managing its assets well.", "Is it capital-intensive?", "here")
    assert (wanted.yes, wanted.text, wanted.is_prose) == (False, "the company is managing its assets well.", True)


def test_prose_is_judged_by_recorded_verdicts_or_else_by_words() -> None:
    wanted = read_reference_answer({"text": "higher prices and more stores"}, "here")
    reference = FilingReference(wanted, "why", judged={"because prices rose": True})
    assert answer_is_right(words("because prices rose"), reference)
    assert compare_prose(words("because prices rose"), reference) is None
    assert not answer_is_right(words("the weather"), reference)
    assert compare_prose(words("the weather"), reference) is False
    assert compare_prose(Answer(None), reference) is None


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"value": 3, "scale": "million"}, "has a value without a unit"),
        ({"value": "3", "unit": "USD"}, "'value' must be a number"),
        ({"value": 3, "unit": "USD", "scale": "dozen"}, "'scale' must be empty or one of"),
        ({"values": []}, "must be a list of answers"),
        ({"parts": [{"unit": "USD"}]}, "entry 1 must be an object with one of"),
        ({"yes": "no"}, "'yes' must be true or false"),
        ({"text": 3}, "'text' must be text"),
        ({"text": "a", "txt": "b"}, "unknown field 'txt'"),
        ("3", "must be an object"),
    ],
)
def test_invalid_answer_is_reported(answer: object, message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        read_reference_answer(answer, "line 1")


@pytest.mark.parametrize(
    ("answer", "value", "shown"),
    [
        (MILLION, Number(Decimal(391035)), "391035 million USD"),
        ({"yes": True}, YesNo(True), "yes"),
        ({"label": "Asia", "value": 3, "unit": "percent"}, Text("Asia: 3 percent"), "Asia: 3 percent"),
        ({"values": [{"label": "Asia", "value": 3, "unit": "USD"}, {"label": "Europe"}]},
         ValueList((ListItem("Asia", Decimal(3)), ListItem("Europe"))), "Asia: 3 USD; Europe"),
        ({"none": "not told"}, Text("no answer: not told"), "no answer: not told"),
    ],
)  # fmt: skip
def test_a_reference_is_shown_in_words(answer: dict[str, Any], value: AnswerValue, shown: str) -> None:
    wanted = read_reference_answer(answer, "here")
    assert (wanted.value, str(wanted)) == (value, shown)


@pytest.mark.parametrize(
    "answer",
    [
        {"value": float("nan"), "unit": "USD"},
        {"value": float("-inf"), "unit": "USD"},
        {"value": 10**5000, "unit": "USD"},
        {"value": 1, "unit": "USD", "scale": ["million"]},
    ],
)
def test_value_that_is_not_a_number_is_rejected(answer: dict[str, Any]) -> None:
    with pytest.raises(DatasetError, match="must be"):
        read_reference_answer(answer, "line 1")
