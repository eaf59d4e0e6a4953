"""Numbers in words."""

import pytest

from quaestor.core.number_forms import read_number_words


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("one", 1),
        ("None", 0),
        ("no", 0),
        ("twenty-five", 25),
        ("one hundred and five", 105),
        ("a hundred", 100),
        ("three million two hundred thousand and one", 3_200_001),
    ],
)
def test_whole_numbers(text: str, number: int) -> None:
    assert read_number_words(text) == number


@pytest.mark.parametrize("text", ["", "and", "one plant", "5", "many"])
def test_anything_else_is_not_read(text: str) -> None:
    assert read_number_words(text) is None
