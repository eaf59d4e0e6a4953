"""Causes of wrong turns, with expected causes determined by hand."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
from many_cases import for_each_row
from pages import page
from values import a_value

from quaestor.core.answer_value import value_to_text
from quaestor.datasets.dataset import Conversation
from quaestor.errors import PlanError
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.steps import Compute, Constant, Extract, Operand, Plan, Ref
from quaestor.scoring.diagnosis import find_causes
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.metrics import executed_equal, run_program
from quaestor.scoring.pages import benchmark_rows_of, page_numbers
from quaestor.scoring.scorers import Prediction
from quaestor.scoring.taxonomy import Cause

PAGE = page(
    [
        ["in thousands", "2010", "2009", "2008"],
        ["net sales", "512", "447", "391"],
        ["cost of sales", "318", "289", "274"],
        ["net loss", "-26 ( 26 )", "-19 ( 19 )", "-11 ( 11 )"],
        ["index", "100", "97", "88"],
    ],
    after=["orders were $ 733 in 2010 and $ 689 in 2009 .", "about 27% ( 27 % ) of the staff works abroad ."],
)
SALES, COSTS, LOSS, INDEX = 1, 2, 3, 4
NOW, BEFORE, FIRST = 1, 2, 3


def cell(number: int, row: int, column: int) -> Extract:
    """Return a step that reads a cell."""
    found = PAGE.tables[0].cells[row][column]
    return Extract(number, found.ref, "a cell", found.quantity)


def extract_from_sentence(number: int, sentence: int, place: int = 0) -> Extract:
    """Return a step that reads a number from a sentence."""
    mention = PAGE.sentences[sentence].mentions[place]
    return Extract(number, mention.ref, "words", mention.quantity)


def lookup(row: int, column: int) -> Plan:
    return Plan((cell(1, row, column),))


def on_two(operation: str, one: Extract, other: Extract) -> Plan:
    return Plan((one, other, Compute(3, operation, (Ref(1), Ref(2)))))


def compute(operation: str, *operands: Operand) -> Plan:
    return Plan((Compute(1, operation, operands),))


def constant(text: str, value: str) -> Constant:
    return Constant(Decimal(value), text)


def causes_of(programs: Sequence[str], plans: Sequence[Plan | None], *questions: str) -> list[Cause | None]:
    """Return the cause of each turn from its reference program and its plan; the plan of an unanswered turn is None."""
    tables, history = benchmark_rows_of(PAGE), list[StepResult | None]()
    golds = [GoldTurn(program, run_program(program, tables), None, 0) for program in programs]
    predictions = []
    for turn, plan in enumerate(plans):
        result, error = None, None
        try:
            result = execute(plan, history).result if plan else None
        except PlanError as failure:
            error = f"{type(failure).__name__}: {failure}"
        history.append(result)
        number = None if result is None else value_to_text(result.value)
        predictions.append(Prediction("c", turn, number, None, error, plan=plan))
    return judged(golds, predictions, questions)


def judged(
    golds: Sequence[GoldTurn], given: Sequence[Prediction | None], questions: Sequence[str]
) -> list[Cause | None]:
    texts = (*questions, *["what was it?"] * len(golds))[: len(golds)]
    correct = [
        executed_equal(None if p is None else p.value, gold.executed) for p, gold in zip(given, golds, strict=True)
    ]
    conversation = Conversation("c", PAGE, tuple(texts))
    return list(find_causes(conversation, golds, given, correct, page_numbers(PAGE), benchmark_rows_of(PAGE)))


MILLION = constant("const_1000000", "1000000")
SALES_NOW, SALES_BEFORE = lookup(SALES, NOW), lookup(SALES, BEFORE)
CHANGE = "subtract(512, 447)"
GROWTH = "subtract(512, 447), divide(#0, 447)"


@for_each_row([
        ("512", SALES_NOW, None),
        ("512", lookup(COSTS, NOW), Cause.LINE),
        ("512", lookup(COSTS, BEFORE), Cause.LINE),
        ("512", SALES_BEFORE, Cause.PERIOD),
        ("733", Plan((extract_from_sentence(1, 0, 1),)), Cause.PERIOD),
        ("733", SALES_NOW, Cause.PLACE),
        ("512", Plan((extract_from_sentence(1, 0),)), Cause.PLACE),
        ("733", Plan((extract_from_sentence(1, 1),)), Cause.PLACE),
        ("26", lookup(LOSS, NOW), Cause.SIGN),
        ("-26", Plan((replace(cell(1, LOSS, NOW), reading="magnitude"),)), Cause.SIGN),
        ("27%", Plan((extract_from_sentence(1, 1),)), Cause.SCALE),
        ("multiply(512, const_1000)", SALES_NOW, Cause.SCALE),
        ("divide(512, const_1000)", compute("divide", constant("512", "512"), MILLION), Cause.SCALE),
        ("divide(318, 512)", on_two("divide", cell(1, SALES, NOW), cell(2, COSTS, NOW)), Cause.ORDER),
        (CHANGE, on_two("subtract", cell(1, SALES, BEFORE), cell(2, SALES, NOW)), Cause.ORDER),
        (GROWTH, on_two("percentage_change", cell(1, SALES, BEFORE), cell(2, SALES, NOW)), Cause.ORDER),
        (GROWTH, on_two("percentage_change", cell(1, SALES, BEFORE), cell(2, SALES, FIRST)), Cause.PERIOD),
        (GROWTH, on_two("percentage_change", cell(1, COSTS, NOW), cell(2, COSTS, BEFORE)), Cause.LINE),
        (GROWTH, on_two("subtract", cell(1, SALES, NOW), cell(2, SALES, BEFORE)), Cause.OPERATION),
        (CHANGE, on_two("add", cell(1, SALES, NOW), cell(2, SALES, BEFORE)), Cause.OPERATION),
        (CHANGE, SALES_NOW, Cause.OPERATION),
        ("512", on_two("add", cell(1, SALES, NOW), cell(2, SALES, BEFORE)), Cause.OPERATION),
        ("subtract(-26, 19)", on_two("subtract", cell(1, LOSS, NOW), cell(2, LOSS, BEFORE)), Cause.SIGN),
        ("subtract(97, const_100)", on_two("subtract", cell(1, INDEX, FIRST), cell(2, INDEX, NOW)), Cause.PERIOD),
        ("table_average(net sales, none)", SALES_NOW, Cause.OPERATION),
        ("table_sum(net sales, none)", Plan((cell(1, COSTS, 1), cell(2, COSTS, 2), cell(3, COSTS, 3),
         Compute(4, "sum", (Ref(1), Ref(2), Ref(3))))), Cause.LINE),
        ("greater(512, 318)", on_two("greater", cell(1, COSTS, NOW), cell(2, SALES, NOW)), Cause.ORDER),
        ("add(512, 447)", on_two("add", cell(1, SALES, FIRST), cell(2, SALES, NOW)), Cause.PERIOD),
        ("512", None, Cause.NO_ANSWER),
        ("512", on_two("divide", cell(1, SALES, NOW), replace(cell(2, SALES, NOW), quantity=None, text="x")),
         Cause.UNUSABLE),
    ])  # fmt: skip
def test_the_cause_of_one_turn(program: str, plan: Plan | None, cause: Cause | None) -> None:
    assert causes_of([program], [plan]) == [cause]


def test_right_plan_on_a_wrong_answer_inherits_the_error() -> None:
    plans = [lookup(COSTS, NOW), SALES_BEFORE, compute("subtract", Ref(-2), Ref(-1))]
    assert causes_of(["512", "447", CHANGE], plans) == [Cause.LINE, None, Cause.INHERITED]
    # Also if the plan reads the same wrong cell again instead of referring to the answer.
    again = on_two("subtract", cell(1, COSTS, NOW), cell(2, SALES, BEFORE))
    assert causes_of(["512", "447", CHANGE], [*plans[:2], again])[2] is Cause.INHERITED


def test_own_error_has_priority_over_an_inherited_one() -> None:
    plans = [lookup(COSTS, NOW), Plan((cell(1, SALES, FIRST), Compute(2, "subtract", (Ref(-1), Ref(1)))))]
    assert causes_of(["512", CHANGE], plans) == [Cause.LINE, Cause.PERIOD]
    swapped = [lookup(COSTS, NOW), Plan((cell(1, SALES, BEFORE), Compute(2, "subtract", (Ref(1), Ref(-1)))))]
    assert causes_of(["512", CHANGE], swapped) == [Cause.LINE, Cause.ORDER]


def test_turn_that_lacks_an_earlier_answer_inherits_the_failure() -> None:
    assert causes_of(["512", "divide(512, const_2)"], [None, compute("divide", Ref(-1), constant("const_2", "2"))]) == [
        Cause.NO_ANSWER,
        Cause.INHERITED,
    ]


def test_a_reference_to_another_turn() -> None:
    programs, two = ["512", "318", "subtract(512, 318), divide(#0, const_2)"], constant("const_2", "2")
    three = ["512", "318", CHANGE, f"{CHANGE}, divide(#0, const_2)"]
    plans = [SALES_NOW, lookup(COSTS, NOW), on_two("subtract", cell(1, SALES, NOW), cell(2, SALES, BEFORE))]
    assert causes_of(three, [*plans, compute("divide", Ref(-2), two)])[3] is Cause.REFERENCE
    assert causes_of(three, [*plans, compute("divide", Ref(-1), two)])[3] is None
    assert causes_of(programs, [*plans[:2], compute("divide", Ref(-1), two)])[2] is Cause.REFERENCE
    # A number of the page instead of an earlier result.
    page_number = Plan((cell(1, INDEX, BEFORE), Compute(2, "divide", (Ref(1), two))))
    assert causes_of(three, [*plans, page_number])[3] is Cause.REFERENCE


def test_error_in_an_implied_operand_is_attributed_to_the_earlier_turn() -> None:
    programs, plans = ["512", "447"], [lookup(COSTS, NOW), lookup(COSTS, BEFORE)]
    assert causes_of(programs, plans, "what were the net sales in 2010?", "and in 2009?") == [
        Cause.LINE,
        Cause.INHERITED,
    ]
    both = ("what were the net sales in 2010?", "and what were the net sales in 2009?")
    assert causes_of(programs, plans, *both) == [Cause.LINE, Cause.LINE]
    years = [SALES_BEFORE, lookup(COSTS, BEFORE)]
    assert causes_of(["512", "318"], years, "what were the net sales in 2010?", "and the cost?") == [
        Cause.PERIOD,
        Cause.INHERITED,
    ]


def test_doubtful_reference() -> None:
    sales = Prediction("c", 0, "512", plan=SALES_NOW)
    assert judged([GoldTurn("512", a_value(215.0), None, 0)], [sales], ()) == [Cause.DOUBT]
    assert judged([GoldTurn("5120.7", a_value(5120.7), None, 0)], [sales], ()) == [Cause.DOUBT]
    # The displayed reference agrees with the answer, but the reference program gives another number.
    assert judged([GoldTurn("447", a_value(447.0), "512", 0)], [sales], ()) == [Cause.DOUBT]
    assert judged([GoldTurn("447", a_value(447.0), "447", 0)], [sales], ()) == [Cause.PERIOD]
    assert judged([GoldTurn("447", a_value(447.0), "318", 0)], [sales], ()) == [Cause.PERIOD]


def test_a_prediction_with_a_program_alone_is_read_as_the_reference_is() -> None:
    gold = [GoldTurn(CHANGE, a_value(65.0), None, 0)]
    assert judged(gold, [Prediction("c", 0, "29", "subtract(318, 289)")], ()) == [Cause.LINE]
    assert judged(gold, [Prediction("c", 0, "-65", "subtract(447, 512)")], ()) == [Cause.ORDER]
    assert judged(gold, [Prediction("c", 0, "65000")], ()) == [Cause.SCALE]
    assert judged(gold, [Prediction("c", 0, "66", "subtract(447")], ()) == [Cause.UNUSABLE]


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        ("0.8747", Cause.ROUNDED), ("0.87", Cause.ROUNDED), ("87.47", Cause.SCALE), ("-0.875", Cause.SIGN),
        ("-0.87472035794", Cause.SIGN), ("0.9", Cause.NO_PLAN), ("0.8748", Cause.NO_PLAN), ("yes", Cause.NO_PLAN),
    ],
)  # fmt: skip
def test_answer_without_plan_and_program_is_diagnosed_by_its_number(answer: str, cause: Cause) -> None:
    """Roundings of 391 / 447 = 0.874720... match in any sign and scale; other numbers do not."""
    gold = [GoldTurn("divide(391, 447)", a_value(0.87472), None, 0)]
    assert judged(gold, [Prediction("c", 0, answer)], ()) == [cause]
    assert judged(gold, [Prediction("c", 0, "{}")], ()) == [Cause.UNUSABLE]
    assert judged(gold, [None], ()) == [Cause.NO_ANSWER]


def test_answer_without_a_program_is_diagnosed_by_numbers_and_places() -> None:
    def gold(number: float) -> list[GoldTurn]:
        return [GoldTurn("", a_value(number), None, 0)]

    sales = [Prediction("c", 0, "512", plan=SALES_NOW)]
    assert judged(gold(447.0), sales, ()) == [Cause.PERIOD]
    assert judged(gold(0.512), sales, ()) == [Cause.SCALE]
    assert judged(gold(-512.0), sales, ()) == [Cause.SIGN]
    assert judged(gold(77.7), sales, ()) == [Cause.UNKNOWN]


def test_independent_questions_inherit_nothing() -> None:
    golds = [GoldTurn("512", a_value(512.0), None, 0), GoldTurn("447", a_value(447.0), None, 0)]
    given = [Prediction("c", 0, "318", plan=lookup(COSTS, NOW)), Prediction("c", 1, "289", plan=lookup(COSTS, BEFORE))]
    alone = Conversation("c", PAGE, ("what were the net sales in 2010?", "and in 2009?"), chained=False)
    found = find_causes(alone, golds, given, [False, False], page_numbers(PAGE), benchmark_rows_of(PAGE))
    assert found == (Cause.LINE, Cause.LINE)
