"""Steps that extract words from a cell: words can be answers, but not operands."""

from dataclasses import replace
from decimal import Decimal

import pytest
from values import a_value

from quaestor.core import serial
from quaestor.core.answer_value import ListItem, Text, ValueList
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity
from quaestor.errors import OperandError, PlanValidationError, ProgramError
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.formula import render_formula
from quaestor.plan.operations import OPERATIONS
from quaestor.plan.program import to_program
from quaestor.plan.steps import Compute, Constant, Extract, Operand, Plan, Ref
from quaestor.plan.validate import validate

CELL = CellRef("doc", 0, 3, 0)
SEGMENT = Extract(1, CELL, "segment, 2008", None, text="North America")
NUMBER = Extract(1, CELL, "sales, 2008", Quantity(Decimal(7)))
ONE = Constant(Decimal(1), "1")
COMPUTING = sorted(name for name, op in OPERATIONS.items() if op.takes in ("numbers", "each", "all"))


def test_words_are_the_answer_with_their_place() -> None:
    result = execute(Plan((SEGMENT,))).result
    assert (result.value, result.number, result.sources) == (Text("North America"), None, (CELL,))
    again = execute(Plan((Compute(1, "identity", (Ref(-1),)),)), [result]).result
    assert (again.value, again.sources) == (result.value, result.sources)
    assert render_formula(Plan((SEGMENT,))) == "North America"


@pytest.mark.parametrize(
    ("earlier", "words"),
    [
        (Text("North America"), "'North America'"),
        (ValueList((ListItem("Europe"),)), "a list"),
        (a_value(True), "a yes or no"),
    ],
)
@pytest.mark.parametrize("name", COMPUTING)
def test_operations_refuse_earlier_answers_without_a_number(name: str, earlier: Text, words: str) -> None:
    operands: tuple[Operand, ...] = (Ref(-1), *[ONE] * (OPERATIONS[name].arity[0] - 1))
    with pytest.raises(OperandError, match=rf"step 1 \({name}\).*{words}") as caught:
        execute(Plan((Compute(1, name, operands),)), [StepResult(earlier)])
    assert caught.value.step == 1


def test_a_step_takes_a_number_or_words() -> None:
    assert len(validate(Plan((replace(SEGMENT, text=None),)), 0)) == 1
    assert len(validate(Plan((replace(SEGMENT, text=""),)), 0)) == 1
    assert len(validate(Plan((replace(NUMBER, text="seven"),)), 0)) == 1
    with pytest.raises(PlanValidationError):
        execute(Plan((replace(SEGMENT, text=None),)))


def test_program_text_has_no_words() -> None:
    with pytest.raises(ProgramError):
        to_program(Plan((SEGMENT,)))


def test_words_are_stored_and_plans_of_numbers_as_before() -> None:
    for plan in (Plan((SEGMENT,)), Plan((NUMBER,))):
        assert serial.load(Plan, serial.dump(plan)) == plan
    assert "text" not in serial.dump(Plan((NUMBER,)))["steps"][0]
    assert serial.dump(Plan((SEGMENT,)))["steps"][0]["text"] == "North America"
