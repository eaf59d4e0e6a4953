from dataclasses import replace
from decimal import Decimal

import pytest

from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import AnswerValue, ListItem, Number, Text, ValueList, YesNo
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.plan.steps import CellGroup, Compute, Extract, Plan, Ref
from quaestor.scoring.gold import StatedAnswer
from quaestor.scoring.stated import stated_answer


def number(digits: str) -> Number:
    return Number(Decimal(digits))


def test_list_fractions_shown_as_percentages_are_stated_as_percentages() -> None:
    changes = ValueList((ListItem("2019", Decimal("0.12345")), ListItem("2018", Decimal("-0.5"))))
    answer = Answer(changes, metric_type="percentage_change")
    assert stated_answer(answer) == StatedAnswer(("12.35", "-50"), "percent")
    some = Answer(ValueList((*changes.items, ListItem("2017"))), metric_type="percentage_change")
    assert stated_answer(some) == StatedAnswer(("0.1235", "-0.5", "2017"))


@pytest.mark.parametrize(
    ("value", "scale", "stated"),
    [
        (number("12.6"), Scale.MILLION, StatedAnswer(("12.6",), "million")),
        (number("12.345"), Scale.MILLION, StatedAnswer(("12.35",), "million")),
        (number("1200.00"), Scale.THOUSAND, StatedAnswer(("1200.00",), "thousand")),
        (number("0.123456"), Scale.ONE, StatedAnswer(("0.1235",))),
        (number("-0.001"), Scale.PERCENT, StatedAnswer(("0",), "percent")),
        (number("1E+6"), Scale.ONE, StatedAnswer(("1000000",))),
        (YesNo(True), Scale.ONE, StatedAnswer(("yes",))),
        (Text("Flour"), Scale.MILLION, StatedAnswer(("Flour",))),
        (ValueList((ListItem("Flour"), ListItem("Bran"))), Scale.ONE, StatedAnswer(("Flour", "Bran"))),
        (
            ValueList((ListItem("2019", Decimal("87.5")), ListItem("2018", Decimal(80)))),
            Scale.PERCENT,
            StatedAnswer(("87.5", "80"), "percent"),
        ),
        (ValueList(()), Scale.ONE, StatedAnswer(())),
    ],
)
def test_an_answer_is_stated_with_its_scale(value: AnswerValue, scale: Scale, stated: StatedAnswer) -> None:
    assert stated_answer(Answer(value, scale)) == stated


def test_missing_answer_is_stated_as_none() -> None:
    assert stated_answer(Answer(None)) is None


def test_fraction_shown_as_a_percentage_is_stated_as_a_percentage() -> None:
    change = Answer(number("-0.22222"), metric_type="percentage_change")
    assert stated_answer(change) == StatedAnswer(("-22.22",), "percent")


@pytest.mark.parametrize(
    ("question", "stated"),
    [
        ("What is the ratio of rent to sales?", StatedAnswer(("0.8731",))),
        ("What proportion of assets is goodwill?", StatedAnswer(("0.8731",))),
        ("What is the proportion of goodwill in percent?", StatedAnswer(("87.31",), "percent")),
        ("How much of the assets is goodwill?", StatedAnswer(("87.31",), "percent")),
    ],
)
def test_requested_ratio_is_stated_as_a_ratio(question: str, stated: StatedAnswer) -> None:
    assert stated_answer(Answer(number("0.87314"), metric_type="percentage"), question) == stated


def looked_up(text: str, value: str, scale: Scale = Scale.ONE) -> Answer:
    quantity = Quantity(Decimal(value), scale, None, text)
    plan = Plan((Extract(1, CellRef("page", 0, 1, 1), "loss", quantity),))
    return Answer(number(value), Scale.THOUSAND if scale is Scale.ONE else scale, plan=plan)


def listed(*texts: str, by_group: bool = False, scale: Scale = Scale.THOUSAND) -> Answer:
    """Return an answer that lists numbers of the page, read by separate steps or as a group."""
    signs = [-1 if "(" in text else 1 for text in texts]
    digits = [Decimal(text.strip("$ ()").replace(",", "")) for text in texts]
    values = [Quantity(d * sign, text=text) for d, sign, text in zip(digits, signs, texts, strict=True)]
    cells = [CellRef("page", 0, 1, place) for place in range(1, len(texts) + 1)]
    group = CellGroup("loss", tuple(texts), tuple(values), tuple(cells))
    taken = [Extract(n, cell, "loss", value) for n, (cell, value) in enumerate(zip(cells, values, strict=True), 1)]
    steps = () if by_group else tuple(taken)
    operands = (group,) if by_group else tuple(Ref(step.id) for step in taken)
    value = ValueList(tuple(ListItem(text, quantity.value) for text, quantity in zip(texts, values, strict=True)))
    return Answer(value, scale, plan=Plan((*steps, Compute(len(steps) + 1, "items", operands))))


@pytest.mark.parametrize(("text", "scale"), [("INR19", Scale.ONE), ("RMB77 million", Scale.MILLION)])
def test_printed_letters_other_than_a_scale_are_stated(text: str, scale: Scale) -> None:
    assert stated_answer(looked_up(text, "19", scale)) == StatedAnswer((text,))


@pytest.mark.parametrize("by_group", [False, True])
def test_numbers_of_the_page_in_a_list_are_stated_as_they_are_printed(by_group: bool) -> None:
    stated = stated_answer(listed("$ (1,250)", "900", by_group=by_group))
    assert stated == StatedAnswer(("$ (1,250)", "900"), "thousand")


def test_a_list_with_a_result_in_it_is_stated_by_its_values() -> None:
    answer = listed("(1,250)", "900")
    assert answer.plan is not None
    extracts = answer.plan.steps[:-1]
    summed = Compute(3, "add", (Ref(1), Ref(2)))
    plan = Plan((*extracts, summed, Compute(4, "items", (Ref(1), Ref(3)))))
    assert stated_answer(replace(answer, plan=plan)) == StatedAnswer(("-1250", "900"), "thousand")


def test_a_number_of_the_page_is_stated_as_it_is_printed() -> None:
    assert stated_answer(looked_up("$ (1,250)", "-1250")) == StatedAnswer(("$ (1,250)",), "thousand")
    assert stated_answer(looked_up("13.7%", "13.7", Scale.PERCENT)) == StatedAnswer(("13.7%",), "percent")
    signed = looked_up("$ (168)", "-168")
    assert signed.plan is not None
    (step,) = signed.plan.extracts
    step = replace(step, reading="magnitude")
    magnitude = replace(signed, value=number("168"), plan=Plan((step,)))
    assert stated_answer(magnitude) == StatedAnswer(("$ (168)",), "thousand")
    assert stated_answer(looked_up("$5.2 million", "5.2", Scale.MILLION)) == StatedAnswer(("5.2",), "million")


def test_computed_number_is_not_stated_as_printed() -> None:
    answer = looked_up("(1,250)", "-1250")
    assert answer.plan
    longer = Plan((*answer.plan.steps, Compute(2, "absolute", (Ref(1),))))
    assert stated_answer(Answer(number("1250"), plan=longer)) == StatedAnswer(("1250",))
    magnitude = Answer(number("1250"), plan=answer.plan)
    assert stated_answer(magnitude) == StatedAnswer(("1250",))


def test_a_list_of_numbers_of_the_page_is_stated_as_they_are_printed() -> None:
    prints = ("(5,062)", "6,533")
    values = (Decimal(-5062), Decimal(6533))
    taken = [
        Extract(step, CellRef("d", 0, 1, step), str(2010 - step), Quantity(value, text=text))
        for step, (text, value) in enumerate(zip(prints, values, strict=True), start=1)
    ]
    plan = Plan((*taken, Compute(3, "items", (Ref(1), Ref(2)))))
    items = ValueList(tuple(ListItem(step.label, value) for step, value in zip(taken, values, strict=True)))
    assert stated_answer(Answer(items, Scale.THOUSAND, plan=plan)) == StatedAnswer(prints, "thousand")
    computed = Plan((*taken, Compute(3, "items", (Ref(2), Ref(1)))))
    assert stated_answer(Answer(items, plan=computed)) == StatedAnswer(("-5062", "6533"))
