"""Every plan over any steps, operands and earlier answers gives a result or a named error."""

from collections.abc import Sequence
from contextlib import suppress

import pytest
from examples import share
from hypothesis import given, settings
from hypothesis import strategies as st
from selecting import RESULTS, VALUES, plans

from quaestor.core import serial
from quaestor.core.answer_value import (
    AnswerValue,
    print_value,
    value_from_json,
    value_from_text,
    value_to_json,
    value_to_plain,
    value_to_text,
)
from quaestor.errors import PlanError
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.formula import render_formula
from quaestor.plan.program import to_program
from quaestor.plan.steps import Plan
from quaestor.plan.validate import validate


def run(plan: Plan, history: Sequence[StepResult | None]) -> None:
    """Execute a plan; anything other than a result or a named error fails the test."""
    faults = validate(plan, len(history))
    try:
        executed = execute(plan, history)
    except PlanError:
        return
    assert not faults
    assert execute(plan, history) == executed
    assert len(executed.registers) == len(plan.steps)
    assert len(set(executed.result.sources)) == len(executed.result.sources)
    render_formula(plan, [None, "a - b"])
    assert serial.load(Plan, serial.dump(plan)) == plan
    for register in executed.registers:
        assert serial.load(StepResult, serial.dump(register, compact=True)) == register
    with suppress(PlanError):
        to_program(plan, [None, None])


HISTORIES = st.lists(RESULTS, min_size=2, max_size=2)


@settings(max_examples=share(40), deadline=None)
@given(plans(), HISTORIES)
def test_a_plan_has_a_result_or_a_named_error(plan: Plan, history: list[StepResult | None]) -> None:
    run(plan, history)


@pytest.mark.very_slow
@settings(max_examples=200, deadline=None)
@given(plans(), HISTORIES)
def test_many_plans_have_a_result_or_a_named_error(plan: Plan, history: list[StepResult | None]) -> None:
    run(plan, history)


@settings(max_examples=50, deadline=None)
@given(VALUES)
def test_every_kind_of_answer_is_restored_from_json_and_text(value: AnswerValue) -> None:
    assert value_from_json(value_to_json(value)) == value
    assert value_from_text(value_to_text(value)) == value
    assert isinstance(print_value(value), str)
    value_to_plain(value)
