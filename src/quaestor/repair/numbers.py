"""Corrected numbers: the current ones, and plans that are updated to them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from quaestor.conversation.turn import Correction, NumberCorrection
from quaestor.core.provenance import Source
from quaestor.core.quantity import Quantity
from quaestor.errors import OperandError
from quaestor.plan.steps import CellGroup, Compute, Extract, Operand, Plan, RowRef, Step

Place = tuple[Source, Quantity | None]
"""The place of a number in the document, and the number as it was read; None if no number was read there."""


@dataclass(frozen=True)
class Numbers:
    """The corrected numbers at one time, and the corrections that set them."""

    now: Mapping[Place, Quantity] = field(default_factory=dict)
    by: Mapping[Place, int] = field(default_factory=dict)

    @classmethod
    def of(cls, corrections: Iterable[Correction]) -> "Numbers":
        """Collect the numbers of corrections; later ones take precedence."""
        now: dict[Place, Quantity] = {}
        by: dict[Place, int] = {}
        for correction in corrections:
            if isinstance(correction.act, NumberCorrection):
                place = correction.act.source, correction.act.was
                now[place], by[place] = correction.act.now, correction.number
        return cls(now, by)

    def at(self, place: Place) -> Quantity | None:
        """Return the current number at a place, or None if there is none."""
        return self.now.get(place, place[1])


def with_numbers(plan: Plan, before: Numbers, now: Numbers) -> Plan:
    """Return a plan with the current numbers; numbers that no longer exist are left unchanged."""
    if before.now == now.now:
        return plan
    return replace(plan, steps=tuple(_step(step, before, now) for step in plan.steps))


def require_numbers(plan: Plan, before: Numbers, now: Numbers) -> None:
    """Raise an error if a number of a plan no longer exists."""
    for source, quantity in _printed_numbers(plan):
        place = _place(source, quantity, before, now)
        if place is not None and now.at(place) is None:
            raise OperandError(f"the number {quantity.text or quantity.value} used here no longer exists")


def changed_places(plan: Plan, before: Numbers, now: Numbers) -> Iterator[Place]:
    """Yield the places of a plan whose number has changed."""
    for source, quantity in _printed_numbers(plan):
        place = _place(source, quantity, before, now)
        if place is not None and before.at(place) != now.at(place):
            yield place


def _printed_numbers(plan: Plan) -> Iterator[tuple[Source, Quantity]]:
    for step in plan.steps:
        if isinstance(step, Extract):
            if step.quantity is not None:
                yield step.source, step.quantity
            continue
        for operand in step.operands:
            if isinstance(operand, RowRef | CellGroup):
                yield from zip(operand.sources, operand.values, strict=False)


def _step(step: Step, before: Numbers, now: Numbers) -> Step:
    if isinstance(step, Extract):
        if step.quantity is None:
            return step
        return replace(step, quantity=_quantity(step.source, step.quantity, before, now))
    return _operands(step, before, now)


def _operands(step: Compute, before: Numbers, now: Numbers) -> Compute:
    def updated(operand: Operand) -> Operand:
        if not isinstance(operand, RowRef | CellGroup):
            return operand
        pairs = zip(operand.sources, operand.values, strict=True)
        return replace(operand, values=tuple(_quantity(source, value, before, now) for source, value in pairs))

    return replace(step, operands=tuple(map(updated, step.operands)))


def _place(source: Source, quantity: Quantity, before: Numbers, now: Numbers) -> Place | None:
    """Return the place of a number that is or was corrected, else None."""
    for place in (*before.now, *now.now):
        earlier = before.at(place) if place[0] == source else None
        if earlier is not None and earlier.value == quantity.value:
            return place
    return None


def _quantity(source: Source, quantity: Quantity, before: Numbers, now: Numbers) -> Quantity:
    place = _place(source, quantity, before, now)
    if place is None:
        return quantity
    earlier, current = before.at(place), now.at(place)
    if earlier is None or current is None or earlier == current:
        return quantity
    # The operations on rows read cells differently, without their unit.
    return replace(
        quantity,
        value=current.value,
        text=current.text,
        scale=current.scale if quantity.scale == earlier.scale else quantity.scale,
        unit=current.unit if quantity.unit == earlier.unit else quantity.unit,
    )
