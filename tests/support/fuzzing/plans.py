"""Targets for programs, formulas and plans; a plan that runs has the same result after serialization."""

import random
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

from pydantic import ValidationError

from fuzzing.drawing import Drawing, changed, text_or_words
from fuzzing.target import Reads, Target
from quaestor.core import serial
from quaestor.core.answer_value import Number
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.errors import PlanError, QuaestorError
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.expressions import Variable, parse_expression
from quaestor.plan.formula import render_formula
from quaestor.plan.operations import OPERATIONS
from quaestor.plan.program import parse_program, to_program
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref
from quaestor.plan.validate import validate

PROGRAMS = (
    *(f"{name}(" for name, operation in OPERATIONS.items() if operation.in_programs), ", ", "), ", ")", "#0", "#1",
    "#99", "none", "const_100", "const_m1", "206588", "-3.5", "13.7%", "net revenue", "( in millions )", " ", "1e99",
    "yes", "", "9" * 70,
)  # fmt: skip
FORMULAS = (
    "a", "b", "c", "list", "+", "-", "*", "/", "**", "(", ")", "sum(", "mean(", "max(", "min(", "abs(", ", ", "2",
    "100", "0", ".5", "1e9", "%", " ", "^", "average(", "greater(", "a", "if", "[", "0.000001", "99999999999",
)  # fmt: skip
_SOURCE = CellRef("doc", 0, 1, 1)


def _quantity(value: str, scale: Scale = Scale.ONE) -> Quantity:
    return Quantity(Decimal(value), scale, None, value)


def _group() -> CellGroup:
    cells = tuple(CellRef("doc", 0, 1, column) for column in (1, 2, 3))
    return CellGroup("sales", ("2009", "2008", "2007"), tuple(map(_quantity, ("3", "1", "2"))), cells)


VARIABLES: dict[str, Variable] = {
    "a": Extract(1, _SOURCE, "a", _quantity("206588")),
    "b": Extract(1, _SOURCE, "b", _quantity("13.7", Scale.PERCENT)),
    "c": Ref(-1),
    "list": _group(),
}
HISTORY: Sequence[StepResult | None] = (None, StepResult(Number(Decimal("14.1")), Scale.PERCENT, sources=(_SOURCE,)))


def _check_execution(plan: Plan) -> None:
    """Check that a plan either raises or is valid, deterministic and equal after serialization."""
    faults = validate(plan, len(HISTORY))
    try:
        result = execute(plan, HISTORY)
    except PlanError:
        return
    assert not faults, faults
    assert execute(plan, HISTORY) == result
    assert serial.load(Plan, serial.dump(plan)) == plan
    render_formula(plan, [None, "a - b"])
    with suppress(PlanError):
        to_program(plan, [None, None])


def _programs(_: Path) -> Reads:
    def read(data: bytes) -> None:
        with suppress(QuaestorError):
            _check_execution(parse_program(text_or_words(data, PROGRAMS)))

    return read


def _formulas(_: Path) -> Reads:
    def read(data: bytes) -> None:
        with suppress(QuaestorError):
            _check_execution(parse_expression(text_or_words(data, FORMULAS), VARIABLES))

    return read


def _plans(_: Path) -> Reads:
    operations = random.Random(1)
    sound = [serial.dump(parse_program("subtract(206588, 181001), divide(#0, 181001)"))]
    for name, operation in OPERATIONS.items():
        first = Extract(1, _SOURCE, "a", _quantity("3"))
        givable: list[Operand] = [Ref(1), Constant(Decimal(2), "2"), _group(), Ref(-1)]
        operands = [operations.choice(givable) for _ in range(operation.arity[0])]
        sound.append(serial.dump(Plan((first, Compute(2, name, tuple(operands))))))

    def read(data: bytes) -> None:
        with suppress(ValidationError):  # raised by the loader for invalid plans
            _check_execution(serial.load(Plan, changed(sound, Drawing(data))))

    return read


TARGETS = (
    Target("programs", _programs, 120, PROGRAMS),
    Target("formulas", _formulas, 120, FORMULAS),
    Target("plans", _plans, 90),
)
