"""Strategies for valid and invalid plans over lists, with all operations and operands, and for earlier answers."""

from decimal import Decimal

from hypothesis import strategies as st

from quaestor.core.answer_value import ListItem, Number, Text, ValueList, YesNo
from quaestor.core.provenance import CellRef, Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.plan.execute import StepResult
from quaestor.plan.operations import OPERATIONS, Operation
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, RowRef, Step

PLACES: tuple[Source, ...] = tuple(CellRef("doc", 0, row, column) for row in (1, 2) for column in (1, 2, 3))
LABELS = st.sampled_from(["2009", "2010", "2011", "europe", "(a {b", "", "\ud800", "net sales, 2009"]) | st.text(
    max_size=5
)
UNITS = st.sampled_from([None, None, "USD", "shares"])
SCALES = st.sampled_from([None, *Scale])
SOUND = st.integers(-5, 5).map(Decimal) | st.decimals(-(10**6), 10**6, places=2, allow_nan=False)
NUMBERS = SOUND | st.sampled_from(list(map(Decimal, ("0", "1e59", "1e-59", "1e99", "NaN", "Infinity"))))
PAIRS = (("3", "3"), ("1", "const_1"), ("0", "0"), ("-2", "-2"), ("0.03", "3%"), ("7", "six"))


def quantities(odd: bool) -> st.SearchStrategy[Quantity]:
    return st.builds(Quantity, NUMBERS if odd else SOUND, st.sampled_from(Scale), UNITS, st.just("as printed"))


def constants(odd: bool) -> st.SearchStrategy[Constant]:
    pairs = st.sampled_from(PAIRS if odd else PAIRS[:-1])
    return st.builds(lambda pair, scale: Constant(Decimal(pair[0]), pair[1], scale), pairs, SCALES)


@st.composite
def groups(draw: st.DrawFn, places: tuple[Source, ...] = PLACES, odd: bool = False) -> CellGroup:
    """Draw a group of cells; an odd one may have more labels than numbers, or none of either."""
    size = draw(st.integers(0 if odd else 1, 5))
    years = draw(st.booleans())
    labels = [str(2009 + n) for n in range(size)] if years else draw(st.lists(LABELS, min_size=size, max_size=size))
    return CellGroup(
        draw(LABELS),
        (*labels, "one more") if odd and draw(st.booleans()) else tuple(labels),
        tuple(draw(st.lists(quantities(odd), min_size=size, max_size=size))),
        tuple(draw(st.lists(st.sampled_from(places), min_size=size, max_size=size))),
        draw(st.sampled_from([None, 0])),
        draw(SCALES),
        draw(UNITS),
    )


@st.composite
def plans(draw: st.DrawFn, turns: int = 2, places: tuple[Source, ...] = PLACES) -> Plan:
    """Draw a plan of up to six steps with any operation; three quarters of the plans have fitting operands."""
    odd = draw(st.integers(0, 3)) == 0
    steps: list[Step] = []
    for step in range(1, draw(st.integers(1, 6)) + 1):
        kind = draw(st.integers(0, 9))
        if kind <= 1:
            steps.append(Extract(step, draw(st.sampled_from(places)), draw(LABELS), draw(quantities(odd))))
        elif kind == 2:
            steps.append(Extract(step, draw(st.sampled_from(places)), "", None, text=draw(LABELS) or "europe"))
        else:
            steps.append(Compute(step, name := draw(st.sampled_from(sorted(OPERATIONS))), ()))
            steps[-1] = Compute(step, name, _operands(draw, OPERATIONS[name], steps[:-1], turns, places, odd))
    return Plan(tuple(steps))


def _operands(
    draw: st.DrawFn, operation: Operation, before: list[Step], turns: int, places: tuple[Source, ...], odd: bool
) -> tuple[Operand, ...]:
    """Draw operands that fit an operation, or any operands for an odd plan."""
    group, constant = groups(places, odd), constants(odd)
    refs = [Ref(step.id) for step in before] + [Ref(-turn) for turn in range(1, turns + 1)]
    anything: st.SearchStrategy[Operand] = st.one_of(group, constant, st.sampled_from([*refs, Ref(9), Ref(0)]))
    numbers = [Ref(step.id) for step in before if isinstance(step, Extract) and step.text is None]
    lists = [
        Ref(step.id) for step in before if isinstance(step, Compute) and OPERATIONS[step.operation].gives == "list"
    ]
    number: st.SearchStrategy[Operand] = constant | (st.sampled_from(numbers) if numbers else constant)
    several: st.SearchStrategy[Operand] = group | (st.sampled_from(lists) if lists else group)
    least, most = operation.arity
    if operation.of_row:
        return (RowRef("net sales", (Quantity(Decimal(3)),), places[:1]),)
    if odd:
        return tuple(draw(st.lists(anything, min_size=least, max_size=min(most, 3))))
    if operation.takes == "list":
        return (draw(several), *(draw(number) for _ in range(most - 1)))
    fitting = {"numbers": number, "anything": st.sampled_from(refs or [Ref(9)])}.get(operation.takes, number | several)
    return tuple(draw(st.lists(fitting, min_size=least, max_size=min(most, 3))))


ITEMS = st.one_of(
    st.builds(ListItem, LABELS),
    st.builds(ListItem, st.none() | LABELS, NUMBERS.filter(Decimal.is_finite)),
    st.builds(ListItem, LABELS, NUMBERS.filter(Decimal.is_finite), st.sampled_from(Scale), UNITS),
)
VALUES = st.one_of(
    st.builds(Number, NUMBERS.filter(Decimal.is_finite)),
    st.builds(YesNo, st.booleans()),
    st.builds(Text, LABELS),
    st.builds(ValueList, st.lists(ITEMS, max_size=4).map(tuple)),
)
"""Values of every kind of answer."""

RESULTS = st.none() | st.builds(StepResult, VALUES, st.sampled_from(Scale), UNITS, st.just(PLACES[:2]))
