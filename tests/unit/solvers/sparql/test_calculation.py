"""Formulas over retrieved values: faults, repeated formulas, and remarks."""

import pytest
from sparql_bench import CASH_2008, CASH_2009, formula, retrieval, values

from quaestor.core import serial
from quaestor.solvers.signs import SIGN_DROPPED
from quaestor.solvers.sparql.retrieval import Formula, WantedValues
from quaestor.solvers.sparql.solver import FormulaPhase


@pytest.fixture
def calculation() -> FormulaPhase:
    found = retrieval(question="by how much, less 17 and 2.5%, did it change?")
    assert found.check(serial.load(WantedValues, values(new=CASH_2009, old=CASH_2008))) == []
    return FormulaPhase(found)


def check(calculation: FormulaPhase, text: str | None) -> list[str]:
    return calculation.check(serial.load(Formula, formula(text)))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("new - before", "'before'"),
        ("new /", ""),
        ("__import__('os')", ""),
        ("new / (old - old)", ""),
        ("new ** new", ""),
        ("(new > old) + 1", ""),
    ],
)
def test_invalid_calculation_is_reported(calculation: FormulaPhase, text: str, named: str) -> None:
    for _ in range(2):
        (fault,) = check(calculation, text)
        assert named in fault
        assert calculation.plan is None


@pytest.mark.parametrize("text", ["new - 17", "new * 0.025", "new * 2.5", "new / 1000", "-new", "new - old > 0"])
def test_numbers_of_the_question_and_common_constants_need_no_source(calculation: FormulaPhase, text: str) -> None:
    assert check(calculation, text) == []


def test_ratio_times_one_hundred_is_questioned_once(calculation: FormulaPhase) -> None:
    assert len(check(calculation, "new / old * 100")) == 1
    assert check(calculation, "100 * (new / old)") == []  # repeated
    assert calculation.plan is not None


def test_unrequested_absolute_value_is_reported_once_and_remarked(calculation: FormulaPhase) -> None:
    (fault,) = check(calculation, "abs(old - new)")
    assert fault.startswith(SIGN_DROPPED)
    assert check(calculation, "abs(old - new)") == []
    assert calculation.remarks == (SIGN_DROPPED,)
    assert check(calculation, "old - new") == []
    assert not calculation.remarks
