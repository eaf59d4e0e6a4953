import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.plan.program import parse_program
from quaestor.scoring.metrics import run_program
from quaestor.scoring.references.tatqa import derivation_program


@pytest.mark.parametrize(
    ("derivation", "program"),
    [
        ("44.1-56.7", "subtract(44.1, 56.7)"),
        ("(44.1 - 56.7) / 56.7 ", "subtract(44.1, 56.7), divide(#0, 56.7)"),
        ("[($1,200 + $800)/2] - 5%", "add(1200, 800), divide(#0, 2), subtract(#1, 5%)"),
        ("126 / 67 - 1", "divide(126, 67), subtract(#0, 1)"),
        ("-5,637-(-3,990)", "subtract(-5637, -3990)"),
        ("3 + (13)", "add(3, -13)"),
        ("US$7–5", "subtract(7, 5)"),  # noqa: RUF001
        ("1,234", "1234"),
    ],
)
def test_arithmetic_becomes_a_program(derivation: str, program: str) -> None:
    found = derivation_program(derivation)
    assert found is not None
    assert str(run_program(found, ())) == str(run_program(program, ()))


@pytest.mark.parametrize("derivation", ["", "2019", "barges##tugs", "60 million + 3", "1 +", "(1", "1 2", "a-b"])
def test_derivation_without_arithmetic_has_no_program(derivation: str) -> None:
    assert derivation_program(derivation) == ("2019" if derivation == "2019" else None)


@given(st.text("0123456789.,%$()[]+-*/ –n", max_size=30))  # noqa: RUF001
def test_any_text_is_a_program_or_none(text: str) -> None:
    found = derivation_program(text)
    assert found is None or parse_program(found).steps
