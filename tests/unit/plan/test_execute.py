from decimal import Decimal

import pytest
from values import a_value, number_in

from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.errors import DivisionByZeroError, MagnitudeError, OperandError, PlanValidationError
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.steps import Compute, Constant, Extract, Plan, Ref, RowRef


def cell(column: int) -> CellRef:
    return CellRef("doc", 0, 1, column)


def extract(id: int, value: str, column: int | None = None, **options: str) -> Extract:
    return Extract(id, cell(column or id), "", Quantity(Decimal(value)), **options)  # type: ignore[arg-type]


def number(value: str) -> Constant:
    return Constant(Decimal(value), value)


def test_sources_are_propagated_once_and_in_order() -> None:
    plan = Plan(
        (
            extract(1, "1", column=9),
            extract(2, "2", column=3),
            Compute(3, "add", (Ref(2), Ref(1))),
            Compute(4, "divide", (Ref(3), Ref(1))),
            Compute(5, "add", (Ref(-1), Ref(4))),
        )
    )
    earlier = StepResult(a_value(5), sources=(cell(3), cell(4)))
    assert execute(plan, [earlier]).result.sources == (cell(3), cell(4), cell(9))


def test_earlier_turns_are_counted_backwards() -> None:
    history = [
        StepResult(a_value(1)),
        StepResult(a_value(20)),
        StepResult(a_value(300), Scale.MILLION, "USD", (cell(7),)),
    ]
    plan = Plan((Compute(1, "subtract", (Ref(-3), Ref(-2))),))
    assert execute(plan, history).result.number == -19
    assert execute(Plan((Compute(1, "identity", (Ref(-1),)),)), history).result == history[2]


def test_yes_can_be_repeated_but_not_computed_with() -> None:
    yes = Plan((Compute(1, "greater", (number("2"), number("1"))), Compute(2, "identity", (Ref(1),))))
    assert execute(yes).result.value == a_value(True)
    with pytest.raises(OperandError):
        execute(Plan((Compute(1, "add", (Ref(-1), number("1"))),)), [StepResult(a_value(True))])


def test_percentages_of_a_row_are_fractions() -> None:
    label = RowRef(
        "margin", (Quantity(Decimal(10), Scale.PERCENT), Quantity(Decimal(20), Scale.PERCENT)), (cell(1),) * 2
    )
    assert execute(Plan((Compute(1, "table_average", (label,)),))).result.number == Decimal("0.15")


def test_unbound_row_is_reported() -> None:
    with pytest.raises(OperandError, match="sales"):
        execute(Plan((Compute(1, "table_sum", (RowRef("sales"),)),)))


@pytest.mark.parametrize(
    ("steps", "error"),
    [
        ((Compute(1, "divide", (number("1"), number("0"))),), DivisionByZeroError),
        ((Compute(1, "exp", (number("9"), number("9999999999"))),), MagnitudeError),
        ((Extract(1, cell(1), "", Quantity(Decimal("1e1000000"))),), MagnitudeError),
        (
            tuple(Compute(i, "multiply", (Ref(i - 1) if i > 1 else number("10"),) * 2) for i in range(1, 60)),
            MagnitudeError,
        ),
        ((Compute(1, "add", (number("1"),)),), PlanValidationError),
    ],
)
def test_plan_without_result_raises_a_named_error(steps: tuple[Compute, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        execute(Plan(steps))


def test_results_do_not_depend_on_the_caller_s_context() -> None:
    from decimal import localcontext

    plan = Plan((Compute(1, "divide", (number("1"), number("3"))),))
    wide = execute(plan).result.number
    with localcontext(prec=3):
        assert execute(plan).result.number == wide == Decimal("0." + "3" * 50)


SHARE, OTHER = Compute(3, "percentage", (Ref(1), Ref(2))), Compute(4, "percentage", (Ref(2), Ref(1)))


@pytest.mark.parametrize(
    ("last", "fraction"),
    [
        (Compute(5, "subtract", (Ref(3), Ref(4))), True),
        (Compute(5, "average", (Ref(3), Ref(4))), True),
        (Compute(5, "absolute", (Ref(3),)), True),
        (Compute(5, "subtract", (number("1"), Ref(3))), True),
        (Compute(5, "subtract", (Ref(3), Ref(-1))), True),
        (Compute(5, "subtract", (Ref(1), Ref(2))), False),
        (Compute(5, "divide", (Ref(3), Ref(4))), False),
        (Compute(5, "multiply", (Ref(3), Ref(1))), False),
        (Compute(5, "greater", (Ref(3), Ref(4))), False),
    ],
)
def test_result_of_percentages_is_in_percent(last: Compute, fraction: bool) -> None:
    plan = Plan((extract(1, "3"), extract(2, "12"), SHARE, OTHER, last))
    assert execute(plan, [StepResult(a_value("0.1"), fraction=True)]).result.fraction is fraction


def test_a_rate_of_growth_in_steps_is_read_in_percent() -> None:
    steps = (
        extract(1, "121"),
        extract(2, "100"),
        Compute(3, "divide", (Ref(1), Ref(2))),
        Compute(4, "exp", (Ref(3), number("0.5"))),
        Compute(5, "subtract", (Ref(4), number("1"))),
    )
    result = execute(Plan(steps)).result
    assert (round(float(number_in(result.value)), 6), result.fraction) == (0.1, True)
