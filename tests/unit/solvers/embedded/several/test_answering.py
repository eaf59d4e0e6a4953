"""Lists of numbers by the solver without a model, through `quaestor.open` on the bundled pages."""

from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pages import page

import quaestor
from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import ListItem, Number, ValueList
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Scale

OPTIONS = "sample#QUIL/2007/page_88.pdf"
CASH = "sample#HALC/2009/page_52.pdf"


def answered(page: str, *questions: str, answers: str = "all") -> list[Answer]:
    return [one.answer for one in quaestor.open(page).ask(questions, options={"answers": answers})]


def listed(answer: Answer) -> list[tuple[str | None, Decimal | None]]:
    assert isinstance(answer.value, ValueList)
    return [(item.label, item.number) for item in answer.value.items]


def cells(answer: Answer) -> list[tuple[int, int]]:
    return [(source.row, source.column) for source in answer.sources if isinstance(source, CellRef)]


def test_a_total_that_is_a_line_is_listed_and_not_added_up() -> None:
    rows = [["", "2019", "2018"], ["General costs", "$ 210", "$ 190"], ["Total operating expense", "$ 431", "$ 402"]]
    question = "What was the Total operating expense in 2019 and 2018?"
    (answer,) = (one.answer for one in quaestor.open(page(rows, ["The mill was quiet."])).ask([question]))
    assert listed(answer) == [("2019", Decimal(431)), ("2018", Decimal(402))]


def test_one_line_at_several_times_is_listed_in_the_order_asked() -> None:
    (answer,) = answered(OPTIONS, "what was the exercise price in 2006 and 2007, respectively?")
    assert listed(answer) == [("2006", Decimal("33.20")), ("2007", Decimal("48.65"))]
    assert (answer.unit, answer.kind) == ("USD", "list")
    assert cells(answer) == [(1, 2), (1, 1)]
    assert answer.plan is not None
    assert [step.kind for step in answer.plan.steps] == ["extract", "extract", "compute"]
    assert "2006, 2007" in (answer.grounds or "")


def test_numbers_keep_their_printed_sign_and_scale() -> None:
    (answer,) = answered(CASH, "what were net cash from investing activities in 2009, 2008 and 2007?")
    assert [number for _, number in listed(answer)] == [Decimal(-72945), Decimal(-54812), Decimal(-61230)]
    assert answer.scale is Scale.THOUSAND


def test_listed_lines_keep_their_own_scale_and_unit() -> None:
    (answer,) = answered(OPTIONS, "what was the expected volatility and exercise price in 2007?")
    assert isinstance(answer.value, ValueList)
    assert answer.value.items == (
        ListItem("expected volatility", Decimal("31.5"), Scale.PERCENT),
        ListItem("exercise price", Decimal("48.65"), Scale.ONE, "USD"),
    )
    assert cells(answer) == [(4, 1), (1, 1)]


def test_numbers_in_the_text_are_listed_too() -> None:
    page = "sample#LUMI/2018/page_35.pdf"
    (answer,) = answered(page, "what was the rent expense in 2018 and 2017?")
    assert [label for label, _ in listed(answer)] == ["2018", "2017"]
    singles = answered(page, "what was the rent expense in 2018?", "what was the rent expense in 2017?")
    assert [number for _, number in listed(answer)] == [single.number for single in singles]


def test_one_number_is_given_if_only_numbers_are_requested() -> None:
    (answer,) = answered(OPTIONS, "what was the exercise price in 2006 and 2007, respectively?", answers="numbers")
    assert isinstance(answer.value, Number)


def test_a_total_of_several_years_is_one_number() -> None:
    (answer,) = answered(OPTIONS, "what was the total exercise price in 2006 and 2007?")
    assert isinstance(answer.value, Number)


def test_next_question_uses_the_list() -> None:
    _, change = answered(OPTIONS, "what was the exercise price in 2007 and 2006?", "and the change?")
    assert change.number == Decimal("15.45")


def test_another_time_alone_asks_for_the_same_list() -> None:
    _, earlier, earliest = answered(
        OPTIONS, "what was the expected volatility and exercise price in 2007?", "and in 2006?", "what about 2005?"
    )
    assert cells(earlier) == [(4, 2), (1, 2)]
    assert cells(earliest) == [(4, 3), (1, 3)]


@pytest.mark.very_slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.sampled_from(
            "what was the exercise price expected volatility and , in 2007 2006 2005 respectively respective of".split()
        ),
        min_size=1,
        max_size=14,
    )
)
def test_no_question_makes_a_list_fail(words: list[str]) -> None:
    for answer in answered(OPTIONS, " ".join(words).strip(" ,") or "what"):
        assert answer.value is None or answer.plan is not None
