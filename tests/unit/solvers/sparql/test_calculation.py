"""A formula over the values: what is asked about once, what can be run, what a reader should doubt."""

from decimal import Decimal

import pytest
from sparql_bench import CASH_2008, CASH_2009, formula, retrieval, values
from values import number_in

from quaestor.core import serial
from quaestor.plan.execute import execute
from quaestor.questions.question import read_question
from quaestor.solvers.sparql.calculation import FormulaPhase
from quaestor.solvers.sparql.messages import Formula, WantedValues


@pytest.fixture
def calculation() -> FormulaPhase:
    found = retrieval(question="by how much, less 17 and 2.5%, did it change?")
    assert found.check(serial.load(WantedValues, values(new=CASH_2009, old=CASH_2008))) == []
    return FormulaPhase(found)


def check(calculation: FormulaPhase, text: str | None) -> list[str]:
    return calculation.check(serial.load(Formula, formula(text)))


def test_a_formula_becomes_the_plan(calculation: FormulaPhase) -> None:
    assert check(calculation, "(new - old) / old") == []
    assert calculation.plan is not None
    result = execute(calculation.plan).result
    assert round(number_in(result.value), 6) == Decimal("0.141364")
    assert len(result.sources) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("new - before", "no value named 'before'; there are new, old"),
        ("new /", "the end"),
        ("__import__('os')", "unexpected"),
        ("new / (old - old)", "cannot be divided by zero"),
        ("new ** new", "too large"),
        ("(new > old) + 1", "yes or no"),
    ],
)
def test_what_cannot_be_run_is_told(calculation: FormulaPhase, text: str, said: str) -> None:
    for _ in range(2):
        (fault,) = check(calculation, text)
        assert said in fault
        assert calculation.plan is None


def test_no_formula_is_no_fault(calculation: FormulaPhase) -> None:
    assert check(calculation, None) == []
    assert calculation.plan is None


def test_a_number_without_a_source_is_asked_about_once(calculation: FormulaPhase) -> None:
    (fault,) = check(calculation, "new * 0.35")
    assert fault.startswith("ungrounded: 0.35 stands on no page: name it as a value with a query. If it is meant")
    assert check(calculation, "new * 0.35") == []
    assert calculation.remarks == ("ungrounded: 0.35 stands on no page",)
    assert check(calculation, "new - old") == []
    assert not calculation.remarks


@pytest.mark.parametrize("text", ["new - 17", "new * 0.025", "new * 2.5", "new / 1000", "-new", "new - old > 0"])
def test_what_the_question_says_and_conventional_constants_need_no_source(calculation: FormulaPhase, text: str) -> None:
    assert check(calculation, text) == []


def test_a_ratio_times_one_hundred_is_asked_about_once(calculation: FormulaPhase) -> None:
    (fault,) = check(calculation, "new / old * 100")
    assert "kept as the ratio itself" in fault
    assert check(calculation, "100 * (new / old)") == []  # the same again
    assert calculation.plan is not None


def test_an_absolute_value_that_nobody_asks_for_is_told_once_and_remarked(calculation: FormulaPhase) -> None:
    (fault,) = check(calculation, "abs(old - new)")
    assert fault.startswith("sign dropped: the question asks for no magnitude: leave abs out. If it is meant")
    assert check(calculation, "abs(old - new)") == []
    assert calculation.remarks == ("sign dropped: the question asks for no magnitude",)
    assert check(calculation, "old - new") == []
    assert not calculation.remarks


def test_an_absolute_value_that_is_asked_for_is_no_fault(calculation: FormulaPhase) -> None:
    calculation.retrieval.context.question = read_question("what is the absolute value of the change?")
    assert check(calculation, "abs(old - new)") == []
    assert not calculation.remarks
