from collections.abc import Sequence

import pytest
from benchmarks.kinds import Kind, kinds_by_place, kinds_of
from pages import page
from values import a_value

from quaestor.documents.document import Document
from quaestor.learning.examples import Example
from quaestor.scoring.gold import GoldTurn

GRID = [["( in millions )", "2008", "2007"], ["rent", "120", "100"], ["tax", "40", "13.7%"], ["fees", "120", "90"]]
TEXT = ["in 2003 we sold 30 lots at $ 7.5 each , and in 2008 we sold 31 .", "interest is 6.5% ( 6.5 % ) ."]
PAGE = page(GRID, TEXT)
IN_ROWS = page([["year", "rent", "tax"], ["2008", "120", "40"], ["2007", "100", "30"]], ["we paid $ 91 in fees ."])


def conversation(*turns: tuple[str, str], document: Document | None = PAGE, parts: Sequence[int] = ()) -> Example:
    gold = [
        GoldTurn(program, a_value(0.0), None, part) for (_, program), part in zip(turns, parts or [0] * 9, strict=False)
    ]
    return Example("Double_AB/2008/page_1.pdf", tuple(question for question, _ in turns), tuple(gold), document)


def last(*programs: str, question: str = "what was it?", document: Document = PAGE) -> frozenset[Kind]:
    """Return the kinds of the last turn, which is always preceded by another."""
    turns = [("what was it?", program) for program in ("1", *programs[:-1])]
    return kinds_of(conversation(*turns, (question, programs[-1]), document=document))[-1]


def test_the_first_turn_is_an_operation_or_a_look_up() -> None:
    computed, looked_up = conversation(("q", "add(40, 13.7%)"), ("q", "40")), conversation(("q", "40"))
    assert [Kind.FIRST_OPERATION in kinds for kinds in kinds_of(computed)] == [True, False]
    assert kinds_of(looked_up) == (frozenset(),)


def test_second_question_begins_only_once() -> None:
    hybrid = conversation(*[("q", "40")] * 4, parts=[0, 0, 1, 1])
    assert [Kind.SECOND_QUESTION in kinds for kinds in kinds_of(hybrid)] == [False, False, True, False]


@pytest.mark.parametrize(
    ("programs", "alone"), [(["30"], True), (["120"], False), (["add(30, 120)"], False), (["30", "30"], False)]
)
def test_numbers_only_in_the_text(programs: list[str], alone: bool) -> None:
    assert (Kind.TEXT_ONLY in last(*programs)) is alone


def test_periods_are_in_rows() -> None:
    assert Kind.YEARS_IN_ROWS in last("120", document=IN_ROWS)
    assert Kind.YEARS_IN_ROWS not in last("91", document=IN_ROWS)
    assert Kind.YEARS_IN_ROWS not in last("120")


@pytest.mark.parametrize(
    ("question", "program", "alone"),
    [
        ("what was sold in 2003?", "30", True),
        ("what was sold in 2008?", "31", False),
        ("and in all the years from 2003 to 2008?", "30", False),
        ("what was sold in 1999?", "30", False),
        # No number is taken from the page.
        ("and what is that of 2003 in percent?", "multiply(1, const_100)", False),
    ],
)
def test_years_are_only_in_the_text(question: str, program: str, alone: bool) -> None:
    assert (Kind.YEAR_IN_TEXT in last(program, question=question)) is alone


@pytest.mark.parametrize(
    ("programs", "several"),
    [
        (["add(100, 40)"], True),
        (["add(100, 40), add(#0, 90)"], True),
        (["add(120, 40)", "add(120, 40), add(#0, 90)"], True),
        # One row prints both numbers; two rows print 120, but no row prints it twice.
        (["add(120, 100)"], False),
        (["add(120, 120)"], True),
        (["add(100, 30)"], False),
        (["subtract(100, 40)"], False),
        # The sum was computed by an earlier turn.
        (["add(100, 40)", "add(100, 40), divide(#0, 40)"], False),
    ],
)
def test_sum_adds_several_rows(programs: list[str], several: bool) -> None:
    assert (Kind.ROWS_SUMMED in last(*programs)) is several


@pytest.mark.parametrize(
    ("programs", "average"),
    [
        (["add(120, 100), divide(#0, const_2)"], True),
        (["add(120, 100)", "add(120, 100), add(#0, 40)", "add(120, 100), add(#0, 40), divide(#1, const_3)"], True),
        (["multiply(40, const_4), add(#0, 90), divide(#1, const_5)"], True),
        (["table_average(rent, none)"], True),
        (["add(120, 100), divide(#0, const_3)"], False),
        (["divide(120, const_2)"], False),
        (["table_sum(rent, none)"], False),
    ],
)
def test_an_average_divides_a_sum_by_the_number_of_its_terms(programs: list[str], average: bool) -> None:
    assert (Kind.AVERAGE in last(*programs)) is average


@pytest.mark.parametrize(
    ("question", "program", "unnamed"),
    [
        ("what were the lots worth?", "multiply(30, 7.5)", True),
        ("what is the interest?", "multiply(120, 6.5%)", True),
        ("what is 30 times 7.5?", "multiply(30, 7.5)", False),
        ("what is the product of both?", "multiply(30, 7.5)", False),
        ("how much is 6.5% of it?", "multiply(120, 6.5%)", False),
        ("what is that in thousands?", "multiply(120, const_1000)", False),
        ("what is it as a positive number?", "multiply(120, const_m1)", False),
    ],
)
def test_unnamed_product_is_recognised(question: str, program: str, unnamed: bool) -> None:
    assert (Kind.UNNAMED_PRODUCT in last(program, question=question)) is unnamed


def test_an_amount_is_multiplied_by_a_count() -> None:
    assert Kind.COUNT_MULTIPLIED in last("multiply(40, const_4)")
    assert Kind.COUNT_MULTIPLIED not in last("multiply(const_4, const_1000)")
    assert Kind.COUNT_MULTIPLIED not in last("multiply(30, 7.5)")


@pytest.mark.parametrize(
    ("programs", "over", "of"),
    [
        (["subtract(120, 100)", "subtract(120, 100), divide(#0, 100)"], True, False),
        (["add(120, 100)", "add(120, 100), divide(40, #0)"], False, True),
        (
            ["subtract(120, 100)", "subtract(90, 40)", "subtract(120, 100), subtract(90, 40), divide(#0, #1)"],
            True,
            True,
        ),
        (["120", "multiply(120, 6.5%)"], False, True),
        (["120", "divide(120, 6.5%)"], False, True),
        (["multiply(120, 6.5%)"], False, False),
        (["6.5%", "multiply(120, 6.5%)"], False, False),
        (["120", "divide(120, 100)"], False, False),
        (["subtract(120, 100), divide(#0, 100)"], False, False),
        (["add(120, 100)", "add(120, 100), divide(#0, const_2)"], False, False),
        (["add(120, 100)", "add(120, 100), divide(#0, const_1000)"], False, False),
    ],
)
def test_earlier_result_is_divided_or_its_share_is_computed(programs: list[str], over: bool, of: bool) -> None:
    assert (Kind.RESULT_DIVIDED in last(*programs)) is over
    assert (Kind.SHARE_OF_RESULT in last(*programs)) is of


@pytest.mark.parametrize(
    ("programs", "kinds"),
    [
        (["multiply(1.2, const_1000)"], {Kind.UNIT_CHANGE}),
        (["divide(120, const_1000000)"], {Kind.UNIT_CHANGE}),
        (["divide(40, 13.7%), multiply(#0, const_100)"], {Kind.HUNDRED}),
        (["divide(40, const_100)"], {Kind.HUNDRED}),
        (["multiply(1.2, const_1000)", "multiply(1.2, const_1000), subtract(#0, 40)"], set()),
        # An index that starts at 100, and a division of 1000.
        (["subtract(120, const_100), divide(#0, const_100)"], set()),
        (["divide(const_1000, 40)"], set()),
    ],
)
def test_a_power_of_ten_changes_the_unit(programs: list[str], kinds: set[Kind]) -> None:
    assert last(*programs) & {Kind.UNIT_CHANGE, Kind.HUNDRED} == kinds


def test_yes_no_kind_is_recognised_by_the_answer() -> None:
    compared = Example(
        "Single_AB/2008/page_1.pdf-1", ("is it more?",), (GoldTurn("greater(120, 100)", a_value("yes"), None, 0),), PAGE
    )
    assert Kind.YES_NO in kinds_of(compared)[0]
    assert Kind.YES_NO not in last("subtract(120, 100)")


def test_kinds_are_found_by_conversation_and_turn() -> None:
    example = conversation(("q", "40"), ("q", "30"))
    assert kinds_by_place([example]) == {
        (example.id, 0): frozenset(),
        (example.id, 1): frozenset({Kind.TEXT_ONLY}),
    }


def test_a_conversation_without_its_page_is_refused() -> None:
    with pytest.raises(ValueError, match="page"):
        kinds_of(conversation(("q", "40"), document=None))
