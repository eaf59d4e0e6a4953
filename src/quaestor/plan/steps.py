"""The steps of a plan, and a plan as a tree of operations."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Annotated, Literal, TypeVar

from pydantic import Discriminator, Field

from quaestor.core.currencies import is_currency
from quaestor.core.provenance import Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.plan.operations import require_in_range
from quaestor.plan.scales import Dimension, shift_decimal, write_literal

# The steps of a plan.
#
# A plan is the one thing in which every solver ends: numbers and words taken from the document, and operations on
# them, on constants and on the answers of earlier turns. It owns no values beyond the numbers as printed; `execute`
# does.


Reading = Literal["signed", "magnitude"]
"""Whether a number is taken with its printed sign."""


def _is_none(value: object) -> bool:
    """Whether a plan is written without a field: as it was stored before there was the field."""
    return value is None


@dataclass(frozen=True, slots=True)
class Ref:
    """Another step's result.

    Attributes:
        step: 1, 2, ... a step of this plan; -1, -2, ... the answer one, two, ... turns ago.
    """

    step: int
    kind: Literal["ref"] = field(default="ref", kw_only=True)


@dataclass(frozen=True, slots=True)
class Constant:
    """A number that is in no document.

    Attributes:
        value: The number: `const_100` is 100, `const_m1` is -1, `27%` is 0.27.
        text: How program text writes it.
        scale: The multiplier of one unit of it, if it was given with one ("add 325 million"); None for a bare one.
        unit: What it counts, if it was given with one ("over 365 days"); None for a bare one.
    """

    value: Decimal
    text: str
    scale: Annotated[Scale | None, Field(exclude_if=_is_none)] = None
    unit: Annotated[str | None, Field(exclude_if=_is_none)] = None
    kind: Literal["constant"] = field(default="constant", kw_only=True)

    @property
    def counts(self) -> Dimension:
        """What it counts: money and a percentage as on the page, everything else also how many times."""
        scale, money = self.scale or Scale.ONE, is_currency(self.unit)
        times = None if money or scale is Scale.PERCENT else self.value
        single = scale is Scale.ONE and self.unit is not None and not money
        return Dimension(scale, self.unit, times, in_ones=single)

    @property
    def number(self) -> Decimal:
        """The number in units: 0.27 of 27 percent."""
        return shift_decimal(self.value, self.counts.exponent)

    @property
    def limits(self) -> Dimension:
        """What it counts among numbers that are compared with it: `3%` is a fraction, a scale of one single things."""
        in_ones = self.scale is Scale.ONE or (self.scale is None and self.text.endswith("%"))
        return replace(self.counts, in_ones=True) if in_ones else self.counts


_POINTS = {"percentage points": 0, "basis points": -2}
"""What counts in percent, with the power of ten that it is of one."""


def given_number(quantity: Quantity) -> Constant:
    """Return a number that is given and in no document, with all that its print states.

    Raises:
        MagnitudeError: It is too large or too fine.
    """
    value, scale, unit = require_in_range(quantity.value), quantity.scale, quantity.unit
    if unit in _POINTS:
        value, scale, unit = shift_decimal(value, _POINTS[unit]), Scale.PERCENT, None
    text = f"{value:f}" if scale is Scale.PERCENT else write_literal(value)
    return Constant(value, text, None if scale is Scale.ONE else scale, unit)


def counted(quantity: Quantity, label_scale: Scale | None, label_unit: str | None) -> Dimension:
    """Return what a number of the page counts: as its print states, else as the labels around it do.

    A percent sign in a label makes a bare number a percentage; of an amount of money next to it, it means nothing.
    """
    if quantity.scale is Scale.PERCENT:
        return Dimension(quantity.scale, quantity.unit)
    if label_scale is Scale.PERCENT and quantity.scale is Scale.ONE:
        return Dimension(Scale.ONE if quantity.unit else Scale.PERCENT, quantity.unit)
    unit = quantity.unit or label_unit
    if quantity.scale is not Scale.ONE or label_scale is None:
        return Dimension(quantity.scale, unit)
    return Dimension(label_scale, unit, in_ones=label_scale is Scale.ONE)


@dataclass(frozen=True, slots=True)
class RowRef:
    """The exact label of a table row, the operand of the `table_*` operations.

    Attributes:
        text: The label as the table prints it.
        values: The numbers of that row, read when the plan was bound to a document; empty before.
        table: The index of its table, from 0; None if the document has no other one.
        label_scale: The scale that the labels of all its cells name, as `Extract.label_scale`; None if they differ.
    """

    text: str
    values: tuple[Quantity, ...] = ()
    sources: tuple[Source, ...] = ()
    table: Annotated[int | None, Field(exclude_if=_is_none)] = None
    label_scale: Annotated[Scale | None, Field(exclude_if=_is_none)] = None
    label_unit: Annotated[str | None, Field(exclude_if=_is_none)] = None
    kind: Literal["label"] = field(default="label", kw_only=True)

    @property
    def counts(self) -> tuple[Dimension, ...]:
        """What each of its numbers counts."""
        return tuple(counted(quantity, self.label_scale, self.label_unit) for quantity in self.values)


@dataclass(frozen=True, slots=True)
class CellGroup:
    """A group of labelled cells: a row by its columns, a column by its rows, or any cells that are listed.

    Attributes:
        text: What the group is called, for people: the label of its row or column.
        labels: What distinguishes each cell: the header of its column in a row, of its row in a column.
        sources: The cells, or spans of the text, in the same order.
        table: The index of its table, from 0; None if that is not one.
        label_scale: The scale that the labels of all its cells name, as `Extract.label_scale`; None if they differ.
    """

    text: str
    labels: tuple[str, ...]
    values: tuple[Quantity, ...]
    sources: tuple[Annotated[Source, Discriminator("kind")], ...]
    table: Annotated[int | None, Field(exclude_if=_is_none)] = None
    label_scale: Annotated[Scale | None, Field(exclude_if=_is_none)] = None
    label_unit: Annotated[str | None, Field(exclude_if=_is_none)] = None
    kind: Literal["cells"] = field(default="cells", kw_only=True)

    @property
    def counts(self) -> tuple[Dimension, ...]:
        """What each of its numbers counts."""
        return tuple(counted(quantity, self.label_scale, self.label_unit) for quantity in self.values)


Operand = Annotated[Ref | Constant | RowRef | CellGroup, Discriminator("kind")]


@dataclass(frozen=True, slots=True)
class Extract:
    """A number, or words, from the document.

    Attributes:
        id: The step's number, from 1.
        source: The cell or span.
        label: What it is, for people: "net revenue, 2008".
        quantity: The number as printed; None if it is words.
        reading: `signed` keeps the printed sign; `magnitude` drops it, if a question asks how large.
        query: What the solver looked for, if it searched by words.
        text: The words, such as the label of a row; None if it is a number.
        label_scale: The scale that labels and captions around the number name, if its print has none: `Scale.ONE`
            if they state that single things are counted (per share, years); None if they name none.
        label_unit: The unit that they name, or None.
    """

    id: int
    source: Annotated[Source, Discriminator("kind")]
    label: str
    quantity: Quantity | None
    reading: Reading = "signed"
    query: str | None = None
    text: Annotated[str | None, Field(exclude_if=_is_none)] = None
    label_scale: Annotated[Scale | None, Field(exclude_if=_is_none)] = None
    label_unit: Annotated[str | None, Field(exclude_if=_is_none)] = None
    kind: Literal["extract"] = field(default="extract", kw_only=True)

    @property
    def counts(self) -> Dimension:
        """What the number counts, as its print or else its labels state; nothing if it is words."""
        return Dimension() if self.quantity is None else counted(self.quantity, self.label_scale, self.label_unit)

    @property
    def number(self) -> Decimal | None:
        """The number, with its sign as `reading` has it; None if it is words."""
        if self.quantity is None:
            return None
        return self.quantity.value.copy_abs() if self.reading == "magnitude" else self.quantity.value


@dataclass(frozen=True, slots=True)
class Compute:
    """An operation on earlier steps, earlier turns or constants.

    Attributes:
        id: The step's number, from 1.
        operation: A name in `quaestor.plan.operations`.
    """

    id: int
    operation: str
    operands: tuple[Operand, ...]
    kind: Literal["compute"] = field(default="compute", kw_only=True)


Step = Annotated[Extract | Compute, Discriminator("kind")]


@dataclass(frozen=True, slots=True)
class Plan:
    """A short list of steps; the last one is the answer.

    Attributes:
        steps: Numbered 1, 2, ... by their `id`. A plan whose only operand is an earlier answer or a constant is a
            single `Compute` with the operation `identity`.
        explanation: The sentences with the answer, or that are the answer, as `quaestor.core.explanation` has them
            written; none if nothing is explained.
    """

    steps: tuple[Step, ...]
    thought: str = ""
    explanation: Annotated[tuple[str, ...], Field(exclude_if=operator.not_)] = ()

    @property
    def explains_alone(self) -> bool:
        """Whether the sentences are the answer, and no step is."""
        last = self.steps[-1] if self.steps else None
        return isinstance(last, Compute) and last.operation == "explain"

    @property
    def extracts(self) -> tuple[Extract, ...]:
        """The steps that take something from the document."""
        return tuple(step for step in self.steps if isinstance(step, Extract))


Made = TypeVar("Made")
Tree = tuple[object, ...]
"""A program as nested tuples: `("number", value, text)`, `(operation, operand, ...)`; equal for equal programs."""

LEAVES = frozenset({"number", "constant", "row"})
"""What a leaf of a program is: a number of the page, a constant (`const_100`), the label of a row."""


def closed_plan(steps: Sequence[Step]) -> Plan:
    """Return the last step with all that it needs, numbered from 1."""
    needed = {len(steps)}
    for step in reversed(steps):
        if step.id in needed and isinstance(step, Compute):
            needed.update(o.step for o in step.operands if isinstance(o, Ref) and o.step > 0)
    numbers = {old: new for new, old in enumerate(sorted(needed), 1)}

    return Plan(tuple(renumber_step(step, numbers) for step in steps if step.id in needed))


def renumber_step(step: Step, numbers: Mapping[int, int]) -> Step:
    """Return a step of a plan with new numbers for it and for the steps that it refers to."""
    moved = replace_references(step, lambda ref: Ref(numbers[ref.step]) if ref.step > 0 else ref)
    return replace(moved, id=numbers[step.id])


def replace_references(step: Step, replaced: Callable[[Ref], Operand]) -> Step:
    """Return a step with something else for each step and earlier answer that it refers to."""
    if not isinstance(step, Compute):
        return step
    return replace(step, operands=tuple(replaced(o) if isinstance(o, Ref) else o for o in step.operands))


def refer_further_back(step: Step, back: int) -> Step:
    """Return a step of the plan of some turns ago as one asked now: the answers that it refers to are further back."""
    return replace_references(step, lambda ref: Ref(ref.step - back) if ref.step < 0 else ref)


def without_explanation(plan: Plan) -> Plan:
    """Return the steps that an answer needs; a plan whose answer is its explanation as it is."""
    return closed_plan(plan.steps) if plan.explanation and not plan.explains_alone else plan


def fold_plan(
    plan: Plan, leaf: Callable[[Operand], Made], made_of: Callable[[Step, tuple[Made, ...]], Made]
) -> tuple[Made, ...]:
    """Return what each step becomes, the last one with all that it rests on.

    Args:
        leaf: What a constant, a row label or a reference to an earlier turn becomes.
        made_of: What a step becomes, from what its operands did; an extract has none.
    """
    made: list[Made] = []
    for step in plan.steps:
        operands = step.operands if isinstance(step, Compute) else ()
        arguments = (made[o.step - 1] if isinstance(o, Ref) and o.step > 0 else leaf(o) for o in operands)
        made.append(made_of(step, tuple(arguments)))
    return tuple(made)


def program_tree(plan: Plan) -> Tree:
    """Return a parsed program as a tree.

    Raises:
        TypeError: The plan is not a parsed program: it extracts, or names an earlier turn.
    """
    return fold_plan(plan, _leaf, _operation)[-1]


def _leaf(operand: Operand) -> Tree:
    match operand:
        case Constant(value=value, text=text):
            return ("constant" if text.startswith("const_") else "number", float(value), text)
        case RowRef(text=text):
            return ("row", text)
    raise TypeError("a parsed program cannot refer to an earlier turn")


def _operation(step: Step, operands: tuple[Tree, ...]) -> Tree:
    if not isinstance(step, Compute):
        raise TypeError("a parsed program cannot contain an extract")
    return operands[0] if step.operation == "identity" else (step.operation, *operands)
