import pytest

from quaestor.errors import ProgramError
from quaestor.scoring.audits.following import following

WRONG, ACCEPTED = "subtract(5, 3)", "subtract(6, 3)"


@pytest.mark.parametrize(
    ("program", "instead"),
    [
        ("subtract(5, 3)", "subtract(6, 3)"),
        ("subtract(5, 3), divide(#0, 3)", "subtract(6, 3), divide(#0, 3)"),
        ("subtract(5, 3), add(7, 8), divide(#0, #1)", "subtract(6, 3), add(7, 8), divide(#0, #1)"),
        ("subtract(5, 3), table_sum(a, b (c), none), divide(#0, #1)", None),
        ("add(7, 8), subtract(5, 3), divide(#1, #0)", None),
        ("divide(5, 3)", None),
        ("5", None),
    ],
)
def test_a_later_reference_begins_with_what_is_accepted(program: str, instead: str | None) -> None:
    found = following(program, WRONG, ACCEPTED)
    if "table_sum" in program:
        instead = "subtract(6, 3), table_sum(a, b (c), none), divide(#0, #1)"
    assert found == instead


def test_references_move_with_the_number_of_steps() -> None:
    program = "subtract(5, 3), multiply(#0, 2), add(#1, #0)"
    longer = "add(1, 2), subtract(#0, 3)"
    assert following(program, WRONG, longer) == "add(1, 2), subtract(#0, 3), multiply(#1, 2), add(#2, #1)"


def test_a_looked_up_number_is_written_where_the_result_was() -> None:
    assert following("subtract(5, 3), divide(#0, #0)", WRONG, "2.5%") == "divide(2.5%, 2.5%)"


def test_what_rests_on_a_part_of_the_wrong_reference_does_not_follow() -> None:
    wrong = "subtract(5, 3), divide(#0, 3)"
    assert following(f"{wrong}, multiply(#0, 2)", wrong, "0.4") is None


def test_a_looked_up_number_is_not_replaced_in_other_references() -> None:
    assert following("subtract(5, 3)", "5", "6") is None
    assert following("5", "5", "6") == "6"


def test_a_program_that_does_not_read_is_refused() -> None:
    with pytest.raises(ProgramError):
        following("subtract(5", WRONG, ACCEPTED)
