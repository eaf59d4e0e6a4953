"""Which answers of two runs count as the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.answer_value import Number, value_from_text
from quaestor.errors import InputError
from quaestor.plan.operations import rounds_to
from quaestor.scoring.metrics import are_same_answer, executed_equal, same_answers

NUMBERS = st.decimals(-2000, 2000, allow_nan=False, places=6) | st.decimals(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("0.37743", "0.3774", True), ("0.3774", "0.37743", True), ("0.37743", "0.377428", True), ("4", "4.0", True),
        ("0.37743", "37.743", False), ("5", "-5", False), ("0.12", "0.13", False), ("yes", "no", False),
        ("yes", "yes", True), ('{"text": "a"}', '{"text": "a"}', True), ("4", "yes", False), ("4", None, False),
        (None, "4", False), (None, None, True), ("{", "4", False), ("{", "{", True), ("4.6", "5", False),
    ],
)  # fmt: skip
def test_answers_are_equal_if_one_is_the_rounded_other(first: str | None, second: str | None, same: bool) -> None:
    assert are_same_answer(first, second) is same


@st.composite
def near_answers(draw: st.DrawFn) -> tuple[str | None, str | None]:
    """Draw two answers: close numbers, possibly rounded, or other texts."""
    one = draw(NUMBERS)
    other = one + draw(
        st.sampled_from(["0", "0.000001", "0.00001", "0.004", "0.005", "0.5", "0.51", "1", "-49"]).map(type(one))
    )
    places = draw(st.sampled_from([None, 0, 1, 2, 3]))
    texts = [str(one), str(other) if places is None else f"{other:.{places}f}"]
    odd = st.sampled_from([None, "yes", "no", "{", '{"text": "a"}', "", "nan", "inf", "1e400", "1E+2", "100"])
    return draw(st.sampled_from(texts) | odd), draw(st.sampled_from(texts) | odd)


def compare_by_rule(first: str | None, second: str | None) -> bool:
    """Compare two answers by the rule without short cuts."""
    if first is None or second is None or first == second:
        return first == second
    try:
        one, other = value_from_text(first), value_from_text(second)
    except InputError:
        return False
    if isinstance(one, Number) and isinstance(other, Number):
        rounded = rounds_to(one.value, other.value) or rounds_to(other.value, one.value)
        return rounded or executed_equal(one, other)
    return executed_equal(one, other)


@pytest.mark.slow
@given(st.lists(near_answers(), max_size=6))
def test_batch_comparison_equals_single_comparisons(pairs: list[tuple[str | None, str | None]]) -> None:
    found = same_answers([one for one, _ in pairs], [other for _, other in pairs])
    assert found == [compare_by_rule(one, other) for one, other in pairs]
