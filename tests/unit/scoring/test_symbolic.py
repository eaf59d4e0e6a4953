import random
from typing import Any

import pytest
from examples import share
from hypothesis import given, settings
from hypothesis import strategies as st

from quaestor.plan.program import parse_program
from quaestor.plan.steps import Compute, Plan, Ref
from quaestor.scoring.metrics import is_literal, literals, same_value


def expression(plan: Plan) -> Any:
    """Return the last step as a sympy expression, with a symbol for each literal."""
    import sympy

    done: list[Any] = []
    for step in plan.steps:
        assert isinstance(step, Compute)
        left, right = (done[o.step - 1] if isinstance(o, Ref) else sympy.Symbol(f"v{o.text}") for o in step.operands)
        done.append(
            {
                "add": lambda a, b: a + b,
                "subtract": lambda a, b: a - b,
                "multiply": lambda a, b: a * b,
                "divide": lambda a, b: a / b,
            }[step.operation](left, right)
        )
    return done[-1]


@st.composite
def programs(draw: st.DrawFn) -> str:
    steps: list[str] = []
    for number in range(draw(st.integers(1, 4))):
        operand = st.sampled_from(
            ["2", "3", "5", *(f"#{k}" for k in range(number))] + [f"#{number - 1}"] * bool(number)
        )
        name = draw(st.sampled_from(["add", "subtract", "multiply", "divide"]))
        steps.append(f"{name}({draw(operand)}, {draw(operand)})")
    return ", ".join(steps)


@pytest.mark.very_slow
@settings(max_examples=share(60))
@given(programs(), programs())
def test_agrees_with_computer_algebra(one: str, other: str) -> None:
    import sympy

    plans = parse_program(one), parse_program(other)
    left, right = (sympy.together(expression(plan)) for plan in plans)
    if left.has(sympy.zoo, sympy.nan) or right.has(sympy.zoo, sympy.nan):
        assert not same_value(*plans)
    else:
        assert same_value(*plans) == (sympy.cancel(left - right) == 0)


@settings(max_examples=share(60))
@given(programs(), st.randoms(use_true_random=False))
def test_commuting_and_reordering_change_nothing(program: str, chance: random.Random) -> None:
    plan = parse_program(program)
    turned = []
    for step in plan.steps:
        assert isinstance(step, Compute)
        swap = step.operation in ("add", "multiply") and chance.random() < 0.5
        turned.append(Compute(step.id, step.operation, step.operands[::-1] if swap else step.operands))
    assert same_value(plan, Plan(tuple(turned))) == same_value(plan, plan)


def test_powers_are_the_same_for_the_same_base_and_exponent() -> None:
    one = parse_program("add(2, 3), exp(#0, 5)")
    assert same_value(one, parse_program("add(3, 2), exp(#0, 5)"))
    assert not same_value(one, parse_program("add(2, 3), exp(5, #0)"))


def test_huge_powers_take_no_time() -> None:
    plan = parse_program(", ".join(["exp(9, 9)"] + [f"exp(#{k}, #{k})" for k in range(60)]))
    assert same_value(plan, plan)


def test_comparison_is_not_a_number() -> None:
    plan = parse_program("greater(2, 3), add(#0, 1)")
    assert not same_value(plan, plan)


def test_literals_are_strings_not_values() -> None:
    plan = parse_program("add(5, 5.0), multiply(#0, const_100)")
    assert literals(plan) == {("literal", "5"), ("literal", "5.0"), ("literal", "const_100")}
    assert is_literal(parse_program("27%"))
    assert not is_literal(plan)
