"""Which answers of two runs are the same."""

import pytest

from quaestor.scoring.sameness import says_the_same


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("0.37743", "0.3774", True), ("0.3774", "0.37743", True), ("0.37743", "0.377428", True), ("4", "4.0", True),
        ("0.37743", "37.743", False), ("5", "-5", False), ("0.12", "0.13", False), ("yes", "no", False),
        ("yes", "yes", True), ('{"text": "a"}', '{"text": "a"}', True), ("4", "yes", False), ("4", None, False),
        (None, "4", False), (None, None, True), ("{", "4", False), ("{", "{", True), ("4.6", "5", False),
    ],
)  # fmt: skip
def test_answers_are_the_same_where_one_is_the_other_rounded(first: str | None, second: str | None, same: bool) -> None:
    assert says_the_same(first, second) is same
