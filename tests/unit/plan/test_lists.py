from decimal import Decimal

import pytest

from quaestor.core.answer_value import AnswerValue, ListItem, Number, Text, ValueList
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.errors import DivisionByZeroError, MagnitudeError, OperandError
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.formula import render_formula
from quaestor.plan.lists import MOST_ENTRIES
from quaestor.plan.program import parse_program, to_program
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, Step
from quaestor.plan.validate import validate

YEARS = ("2009", "2010", "2011")


def cell(row: int, column: int) -> CellRef:
    return CellRef("doc", 0, row, column)


def group(row: int, *numbers: str, labels: tuple[str, ...] = YEARS, scale: Scale | None = None) -> CellGroup:
    values = tuple(Quantity(Decimal(number)) for number in numbers)
    return CellGroup("net sales", labels, values, tuple(cell(row, n) for n in range(1, len(numbers) + 1)), 0, scale)


SALES = group(1, "3.2", "4.1", "4.0")
COSTS = group(2, "2.0", "4.4", "3.0")


def number(value: str, scale: Scale | None = None) -> Constant:
    return Constant(Decimal(value), value, scale)


def plan(*steps: tuple[str, tuple[Operand, ...]]) -> Plan:
    return Plan(tuple(Compute(n, name, operands) for n, (name, operands) in enumerate(steps, 1)))


def value(*steps: tuple[str, tuple[Operand, ...]]) -> AnswerValue:
    return execute(plan(*steps)).result.value


def items(*entries: tuple[str | None, str | None]) -> ValueList:
    return ValueList(tuple(ListItem(label, number and Decimal(number)) for label, number in entries))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "beside", "expected"),
    [
        ("argmax", [], Text("2010")),
        ("argmin", [], Text("2009")),
        ("rank", ["2"], Text("2011")),
        ("rank", ["-2"], Text("2011")),
        ("largest", ["2"], items(("2010", "4.1"), ("2011", "4.0"))),
        ("smallest", ["2"], items(("2009", "3.2"), ("2011", "4.0"))),
        ("above", ["4"], items(("2010", "4.1"))),
        ("below", ["4"], items(("2009", "3.2"))),
        ("at_least", ["4"], items(("2010", "4.1"), ("2011", "4.0"))),
        ("at_most", ["4"], items(("2009", "3.2"), ("2011", "4.0"))),
        ("equal_to", ["4"], items(("2011", "4.0"))),
        ("above", ["9"], items()),
        ("count", [], Number(Decimal(3))),
        ("labels", [], items(("2009", None), ("2010", None), ("2011", None))),
        ("items", [], items(("2009", "3.2"), ("2010", "4.1"), ("2011", "4.0"))),
        ("sum", [], Number(Decimal("11.3"))),
        ("maximum", [], Number(Decimal("4.1"))),
    ],
)
def test_row_operations(name: str, beside: list[str], expected: AnswerValue) -> None:
    assert value((name, (SALES, *map(number, beside)))) == expected


def test_lists_are_combined_by_label() -> None:
    margin = value(("subtract", (SALES, COSTS)))
    assert margin == items(("2009", "1.2"), ("2010", "-0.3"), ("2011", "1.0"))
    turned = group(2, "3.0", "4.4", "2.0", labels=YEARS[::-1])
    assert value(("subtract", (SALES, turned))) == margin
    fell = plan(("subtract", (SALES, COSTS)), ("below", (Ref(1), number("0"))), ("labels", (Ref(2),)))
    assert execute(fell).result.value == items(("2010", None))
    assert execute(fell).result.sources[:2] == (cell(1, 2), cell(2, 2))


def test_lists_with_different_labels_are_not_combined() -> None:
    with pytest.raises(OperandError, match="'2011'"):
        value(("subtract", (SALES, group(2, "1", "2", labels=YEARS[:2]))))
    with pytest.raises(OperandError):
        value(("subtract", (group(1, "1", "2", "3", labels=("x", "x", "y")), group(2, "1", "2", labels=("x", "y")))))
    assert value(("subtract", (group(1, "1", "2", labels=("x", "x")),) * 2)) == items(("x", "0"), ("x", "0"))
    with pytest.raises(DivisionByZeroError):
        value(("divide", (SALES, group(2, "1", "0", "1"))))


@pytest.mark.parametrize(
    ("cells", "limit", "chosen"),
    [
        (group(1, "3.2", "4.1", "5.5", scale=Scale.MILLION), number("5", Scale.MILLION), ["2011"]),
        (group(1, "3200", "4100", "5500", scale=Scale.THOUSAND), number("5", Scale.MILLION), ["2011"]),
        (group(1, "3.2", "4.1", "5.5", scale=Scale.MILLION), number("5000000", Scale.ONE), ["2011"]),
        (group(1, "3.2", "4.1", "5.5", scale=Scale.MILLION), number("5"), ["2011"]),
        (group(1, "3.2", "4.1", "5.5"), number("5", Scale.MILLION), ["2011"]),
        (group(1, "3200000", "4100000", "5500000", scale=Scale.ONE), number("5", Scale.MILLION), ["2011"]),
        (group(1, "3.2", "4.1", "5.5", scale=Scale.PERCENT), Constant(Decimal("0.05"), "5%"), ["2011"]),
        (group(1, "3.2", "4.1", "5.5", scale=Scale.PERCENT), number("5", Scale.PERCENT), ["2011"]),
        (group(1, "3.2", "4.1", "5.5", scale=Scale.PERCENT), number("5"), ["2011"]),
    ],
)
def test_a_limit_is_read_in_the_scale_of_the_cells(cells: CellGroup, limit: Constant, chosen: list[str]) -> None:
    result = execute(plan(("above", (cells, limit)))).result
    assert isinstance(result.value, ValueList)
    assert [item.label for item in result.value.items] == chosen
    assert not chosen or result.scale is (cells.label_scale or Scale.ONE)
    assert all(item.number in [q.value for q in cells.values] for item in result.value.items)


def test_numbers_that_count_in_several_scales_are_compared_in_one_and_keep_their_own() -> None:
    quantities = tuple(Quantity(Decimal(n), scale) for n, scale in (("2.2", Scale.BILLION), ("500", Scale.MILLION)))
    mixed = CellGroup("debt", ("bonds", "loans"), quantities, (cell(1, 1), cell(2, 1)))
    assert value(("argmax", (mixed,))) == Text("bonds")
    assert value(("above", (mixed, number("1", Scale.BILLION)))) == items(("bonds", "2.2"))
    both = execute(plan(("items", (mixed,)))).result
    own = (ListItem("bonds", Decimal("2.2"), Scale.BILLION), ListItem("loans", Decimal(500), Scale.MILLION))
    assert both.value == ValueList(own)
    again = execute(plan(("argmin", (Ref(-1),))), [both]).result
    assert again.value == Text("loans")
    assert str(both.value) == "bonds: 2.2 billion; loans: 500 million"


def test_several_numbers_are_listed_in_order_each_with_a_distinct_name() -> None:
    steps: tuple[Step, ...] = (
        Extract(1, cell(1, 2), "net sales, 2010", Quantity(Decimal("4.1"))),
        Extract(2, cell(1, 1), "net sales, 2009", Quantity(Decimal("3.2"))),
        Extract(3, cell(0, 1), "segment", None, text="Europe"),
        Compute(4, "items", (Ref(1), Ref(2))),
        Compute(5, "items", (Ref(4), Ref(3))),
    )
    assert execute(Plan(steps[:4])).result.value == items(("2010", "4.1"), ("2009", "3.2"))
    assert execute(Plan(steps)).result.value == items(("2010", "4.1"), ("2009", "3.2"), ("Europe", None))
    assert render_formula(Plan(steps[:4])) == "{4.1; 3.2}"


def test_an_earlier_list_is_counted_and_selected_from() -> None:
    listed = execute(plan(("largest", (SALES, number("2"))))).result
    assert execute(plan(("count", (Ref(-1),))), [listed]).result.value == Number(Decimal(2))
    assert execute(plan(("argmin", (Ref(-1),))), [listed]).result.value == Text("2011")
    assert execute(plan(("average", (Ref(-1),))), [listed]).result.number == Decimal("4.05")
    assert execute(plan(("identity", (Ref(-1),))), [listed]).result == listed
    named = StepResult(items(("2010", None)))
    assert execute(plan(("count", (Ref(-1),))), [named]).result.value == Number(Decimal(1))
    with pytest.raises(OperandError, match="'2010'"):
        execute(plan(("argmax", (Ref(-1),))), [named])
    with pytest.raises(OperandError):
        execute(plan(("count", (Ref(-1),))), [StepResult(Text("2010"))])
    with pytest.raises(OperandError):
        execute(plan(("average", (Ref(-1),))), [StepResult(items())])


def test_exponentially_growing_list_is_refused() -> None:
    doubling: list[tuple[str, tuple[Operand, ...]]] = [
        ("items", (SALES, SALES)),
        *(("items", (Ref(n), Ref(n))) for n in range(1, 40)),
    ]
    with pytest.raises(MagnitudeError, match=str(MOST_ENTRIES)):
        value(*doubling)


@pytest.mark.parametrize(
    ("steps", "named"),
    [
        ([("argmax", (number("3"),))], "step 1 (argmax)"),
        ([("argmax", (SALES,)), ("count", (Ref(1),))], "step 1"),
        ([("above", (SALES, COSTS))], "'net sales'"),
        ([("greater", (SALES, number("1")))], "'net sales'"),
        ([("items", (SALES,)), ("exp", (Ref(1), number("1")))], "step 1"),
        ([("labels", (SALES,)), ("greater", (Ref(1), number("1")))], "step 1"),
        ([("identity", (SALES,))], "items"),
        ([("count", (CellGroup("x", (), (), ()),))], "'x'"),
        ([("count", (CellGroup("x", ("a",), (), ()),))], "'x'"),
        ([("count", (group(1, "1", "2"),))], "2 numbers, 3 labels"),
        ([("count", (group(1, "1", "2", "NaN"),))], "NaN"),
        ([("count", (group(1, *["1"] * 1001, labels=("a",) * 1001),))], "1000"),
    ],
)
def test_malformed_selections_are_reported_before_they_run(
    steps: list[tuple[str, tuple[Operand, ...]]], named: str
) -> None:
    (issue,) = validate(plan(*steps), 0)
    assert named in issue


@pytest.mark.parametrize(
    ("steps", "formula"),
    [
        ([("argmax", (SALES,))], "highest(net sales {2009: 3.2; 2010: 4.1; 2011: 4.0})"),
        (
            [("above", (SALES, number("3"))), ("count", (Ref(1),))],
            "count(net sales {2009: 3.2; 2010: 4.1; 2011: 4.0} > 3)",
        ),
        (
            [("subtract", (SALES, COSTS)), ("below", (Ref(1), number("0")))],
            "net sales {2009: 3.2; 2010: 4.1; 2011: 4.0} - net sales {2009: 2.0; 2010: 4.4; 2011: 3.0} < 0",
        ),
        (
            [("largest", (group(1, *"123456789", labels=tuple("abcdefghi")), number("2")))],
            "largest(net sales {a: 1; b: 2; c: 3; d: 4; e: 5; f: 6; ... 2 more ...; i: 9}, 2)",
        ),
        (
            [("above", (group(1, "3", "4", labels=("a (b", "{c}"), scale=Scale.THOUSAND), number("5", Scale.MILLION)))],
            "net sales {a b: 3; (c): 4} thousand > 5 million",
        ),
    ],
)
def test_selection_is_readable_text(steps: list[tuple[str, tuple[Operand, ...]]], formula: str) -> None:
    assert render_formula(plan(*steps)) == formula


@pytest.mark.parametrize(
    ("steps", "program"),
    [
        ([("sum", (SALES,))], "add(3.2, 4.1), add(#0, 4.0)"),
        ([("average", (SALES, number("5")))], "add(3.2, 4.1), add(#0, 4.0), add(#1, 5), divide(#2, const_4)"),
        ([("maximum", (SALES,)), ("add", (Ref(1), number("1")))], "add(4.1, 1)"),
        ([("sum", (group(1, "7", labels=("a",)),))], "7"),
    ],
)
def test_program_text_sums_the_numbers_of_the_cells(steps: list[tuple[str, tuple[Operand, ...]]], program: str) -> None:
    assert to_program(plan(*steps)) == program
    assert execute(parse_program(program)).result.value == value(*steps)


def test_computed_percentage_stays_a_percentage_in_a_list() -> None:
    result = value(("percentage", (number("1"), number("4"))), ("items", (Ref(1), number("12", Scale.MILLION))))
    assert result == ValueList(
        (ListItem("percentage", Decimal(25), Scale.PERCENT), ListItem(None, Decimal(12), Scale.MILLION))
    )
