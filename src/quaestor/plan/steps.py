"""Plans and their steps, and a plan as a tree of operations."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Annotated, Literal, TypeVar

from pydantic import Discriminator, Field

from quaestor.core.currencies import is_currency
from quaestor.core.provenance import Source
from quaestor.core.quantity import UNSCALED_UNITS, Quantity, Scale
from quaestor.plan.operations import require_in_range
from quaestor.plan.scales import Dimension, shift_decimal, write_literal

# A plan is the result of every solver: numbers and words from the document, and operations on them, on constants and on
# the answers of earlier turns. It contains no computed values; `execute` computes them.


Reading = Literal["signed", "magnitude"]
"""Whether a number keeps its printed sign."""


def _is_none(value: object) -> bool:
    """Whether to omit a field, so that plans are stored as before the field existed."""
    return value is None


@dataclass(frozen=True, slots=True)
class Ref:
    """Reference to the result of another step.

    Attributes:
        step: 1, 2, ... for a step of this plan; -1, -2, ... for the answer one, two, ... turns ago.
    """

    step: int
    kind: Literal["ref"] = field(default="ref", kw_only=True)


@dataclass(frozen=True, slots=True)
class Constant:
    """Number that is not from the document.

    Attributes:
        value: The number: `const_100` is 100, `const_m1` is -1, `27%` is 0.27.
        text: Its program text.
        scale: Its scale, if it was given with one ("add 325 million"), else None.
        unit: Its unit, if it was given with one ("over 365 days"), else None.
    """

    value: Decimal
    text: str
    scale: Annotated[Scale | None, Field(exclude_if=_is_none)] = None
    unit: Annotated[str | None, Field(exclude_if=_is_none)] = None
    kind: Literal["constant"] = field(default="constant", kw_only=True)

    @property
    def counts(self) -> Dimension:
        """The scale and unit; numbers other than money and percentages also count as constants."""
        scale, money = self.scale or Scale.ONE, is_currency(self.unit)
        times = None if money or scale is Scale.PERCENT else self.value
        single = scale is Scale.ONE and self.unit is not None and not money
        return Dimension(scale, self.unit, times, in_ones=single)

    @property
    def number(self) -> Decimal:
        """The number in units: 0.27 for 27 percent."""
        return shift_decimal(self.value, self.counts.exponent)

    @property
    def limits(self) -> Dimension:
        """The scale and unit as a limit for a list: `3%` is a fraction, and a given scale of one is known."""
        in_ones = self.scale is Scale.ONE or (self.scale is None and self.text.endswith("%"))
        return replace(self.counts, in_ones=True) if in_ones else self.counts


_POINTS = {"percentage points": 0, "basis points": -2}
"""Units that are converted to percent, with their power of ten."""


def given_number(quantity: Quantity) -> Constant:
    """Return a number that a user gives as a constant, with its scale and unit."""
    value, scale, unit = require_in_range(quantity.value), quantity.scale, quantity.unit
    if unit in _POINTS:
        value, scale, unit = shift_decimal(value, _POINTS[unit]), Scale.PERCENT, None
    text = f"{value:f}" if scale is Scale.PERCENT else write_literal(value)
    return Constant(value, text, None if scale is Scale.ONE else scale, unit)


def counted(quantity: Quantity, label_scale: Scale | None, label_unit: str | None) -> Dimension:
    """Return the scale and unit of a number of the page: as printed beside it, else as given by its labels.

    A percent sign in a label makes a bare number a percentage, but does not affect an amount of money.
    """
    if quantity.scale is Scale.PERCENT:
        return Dimension(quantity.scale, quantity.unit)
    if label_scale is Scale.PERCENT and quantity.scale is Scale.ONE:
        return Dimension(Scale.ONE if quantity.unit else Scale.PERCENT, quantity.unit)
    unit = quantity.unit or label_unit
    if quantity.scale is not Scale.ONE or label_scale is None or quantity.unit in UNSCALED_UNITS:
        return Dimension(quantity.scale, unit)
    return Dimension(label_scale, unit, in_ones=label_scale is Scale.ONE)


@dataclass(frozen=True, slots=True)
class RowRef:
    """Exact label of a table row, the operand of the `table_*` operations.

    Attributes:
        values: The numbers of the row; empty until the plan is bound to a document.
        table: The index of the table, from 0; None if the document has only one.
        label_scale: The common scale of the labels of its cells, as in `Extract.label_scale`; None if they differ.
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
        """The scale and unit of each number."""
        return tuple(counted(quantity, self.label_scale, self.label_unit) for quantity in self.values)


@dataclass(frozen=True, slots=True)
class CellGroup:
    """Group of labelled cells: a row by its columns, a column by its rows, or any list of cells.

    Attributes:
        text: The name of the group for people: the label of its row or column.
        labels: The label of each cell: the header of its column in a row, of its row in a column.
        sources: The cells, or spans of the text, in the same order.
        table: The index of the table, from 0; None if the cells are not of one table.
        label_scale: The common scale of the labels of its cells, as in `Extract.label_scale`; None if they differ.
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
        """The scale and unit of each number."""
        return tuple(counted(quantity, self.label_scale, self.label_unit) for quantity in self.values)


Operand = Annotated[Ref | Constant | RowRef | CellGroup, Discriminator("kind")]


@dataclass(frozen=True, slots=True)
class Extract:
    """Step that takes a number or words from the document.

    Attributes:
        label: A description for people: "net revenue, 2008".
        quantity: The number as printed; None for words.
        reading: `signed` keeps the printed sign; `magnitude` drops it, if a question asks how large.
        query: The solver's search query, if it searched by words.
        text: The words, such as the label of a row; None for a number.
        label_scale: The scale given by labels and captions around the number, if none is printed beside it:
            `Scale.ONE` if they state single things (per share, years); None if they give none.
        label_unit: The unit that they give, or None.
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
        """The scale and unit of the number; an empty `Dimension` for words."""
        return Dimension() if self.quantity is None else counted(self.quantity, self.label_scale, self.label_unit)

    @property
    def number(self) -> Decimal | None:
        """The number, with the sign according to `reading`; None for words."""
        if self.quantity is None:
            return None
        return self.quantity.value.copy_abs() if self.reading == "magnitude" else self.quantity.value


@dataclass(frozen=True, slots=True)
class Compute:
    """Step that applies an operation to earlier steps, earlier turns or constants."""

    id: int
    operation: str
    operands: tuple[Operand, ...]
    kind: Literal["compute"] = field(default="compute", kw_only=True)


Step = Annotated[Extract | Compute, Discriminator("kind")]


@dataclass(frozen=True, slots=True)
class Plan:
    """Plan of an answer: steps of which the last one gives the answer.

    Attributes:
        steps: Numbered 1, 2, ... by their `id`. A plan that only repeats an earlier answer or a constant is a single
            `Compute` with the operation `identity`.
        explanation: Sentence templates (see `quaestor.core.explanation`) that accompany the answer, or are the answer.
    """

    steps: tuple[Step, ...]
    thought: str = ""
    explanation: Annotated[tuple[str, ...], Field(exclude_if=operator.not_)] = ()

    @property
    def explains_alone(self) -> bool:
        """Whether the explanation itself is the answer."""
        last = self.steps[-1] if self.steps else None
        return isinstance(last, Compute) and last.operation == "explain"

    @property
    def extracts(self) -> tuple[Extract, ...]:
        """The steps that take numbers or words from the document."""
        return tuple(step for step in self.steps if isinstance(step, Extract))

    @property
    def computes(self) -> tuple[Compute, ...]:
        """The steps that apply an operation."""
        return tuple(step for step in self.steps if isinstance(step, Compute))

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The operands of all steps, in order."""
        return tuple(operand for step in self.computes for operand in step.operands)


Folded = TypeVar("Folded")
Tree = tuple[object, ...]
"""Program as nested tuples: `("number", value, text)`, `(operation, operand, ...)`; equal for equal programs."""

LEAVES = frozenset({"number", "constant", "row"})
"""Kinds of leaves of a program: a number of the page, a constant (`const_100`), the label of a row."""


def closed_plan(steps: Sequence[Step]) -> Plan:
    """Return a plan of the last step and the steps that it needs, numbered from 1."""
    needed = {len(steps)}
    for step in reversed(steps):
        if step.id in needed and isinstance(step, Compute):
            needed.update(o.step for o in step.operands if isinstance(o, Ref) and o.step > 0)
    numbers = {old: new for new, old in enumerate(sorted(needed), 1)}

    return Plan(tuple(renumber_step(step, numbers) for step in steps if step.id in needed))


def renumber_step(step: Step, numbers: Mapping[int, int]) -> Step:
    """Return a step with new numbers for itself and for the steps that it refers to."""
    moved = replace_references(step, lambda ref: Ref(numbers[ref.step]) if ref.step > 0 else ref)
    return replace(moved, id=numbers[step.id])


def replace_references(step: Step, replaced: Callable[[Ref], Operand]) -> Step:
    """Return a step with all of its references replaced."""
    if not isinstance(step, Compute):
        return step
    return replace(step, operands=tuple(replaced(o) if isinstance(o, Ref) else o for o in step.operands))


def refer_further_back(plan: Plan, back: int) -> Plan:
    """Adapt the steps of an earlier plan to the current turn: move their references to answers further back."""
    moved = (replace_references(step, lambda ref: Ref(ref.step - back) if ref.step < 0 else ref) for step in plan.steps)
    return Plan(tuple(moved))


def without_explanation(plan: Plan) -> Plan:
    """Return the plan without its explanation and the steps needed only by it, unless the explanation is the answer."""
    return closed_plan(plan.steps) if plan.explanation and not plan.explains_alone else plan


def fold_plan(
    plan: Plan, leaf: Callable[[Operand], Folded], made_of: Callable[[Step, tuple[Folded, ...]], Folded]
) -> tuple[Folded, ...]:
    """Fold a plan from its leaves upwards, and return the result of each step.

    Args:
        leaf: Returns the result of a constant, a row label, a group or a reference to an earlier turn.
        made_of: Returns the result of a step, given the results of its operands; an extract has none.
    """
    folded: list[Folded] = []
    for step in plan.steps:
        operands = step.operands if isinstance(step, Compute) else ()
        arguments = (folded[o.step - 1] if isinstance(o, Ref) and o.step > 0 else leaf(o) for o in operands)
        folded.append(made_of(step, tuple(arguments)))
    return tuple(folded)


def program_tree(plan: Plan) -> Tree:
    """Return a parsed program as a tree."""
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
