import pytest
from pages import page

from quaestor.application.number_check import check_number
from quaestor.errors import QuantityError

SHOP = page(
    [
        ["( in thousands )", "2012", "2011"],
        ["net sales", "$ 5,300", "$ 4,910"],
        ["loss on sale", "( 435 )", "12"],
        ["margin", "14.1 %", "9 %"],
        ["growth of 2011", "7", "8"],
    ],
    after=["the shop owes $ 2.7 billion to banks , and 31.4 % of it is due in 2013 ."],
)


def matches_of(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(match.printed, match.steps) for match in check_number(SHOP, text).matches]


@pytest.mark.parametrize(
    ("text", "printed", "steps"),
    [
        ("5,300", "$ 5,300", ()),
        ("$ 5,300", "$ 5,300", ()),
        ("5.3 million", "$ 5,300", ("in_its_scale",)),
        ("$ 5,300,000", "$ 5,300", ("in_its_scale",)),
        ("(435)", "( 435 )", ()),
        ("435", "( 435 )", ("without_sign",)),
        ("14.1 %", "14.1 %", ()),
        ("0.141", "14.1 %", ("as_fraction",)),
        ("$ 2.7 billion", "$ 2.7 billion", ()),
        ("2,700 million", "$ 2.7 billion", ("in_its_scale",)),
        ("31.4%", "31.4 %", ()),
        ("31%", "31.4 %", ("rounded",)),
        ("4.9 million", "$ 4,910", ("in_its_scale", "rounded")),
        ("2013", "2013", ("in_heading",)),
    ],
)
def test_number_is_found_with_its_conversion_steps(text: str, printed: str, steps: tuple[str, ...]) -> None:
    assert matches_of(text)[0] == (printed, steps)


@pytest.mark.parametrize("text", ["5,301", "53 million", "0.14 %", "141", "2.7 million", "€ 5,300", "2014"])
def test_unprinted_number_is_not_found(text: str) -> None:
    assert matches_of(text) == []


def test_nearest_numbers_are_listed() -> None:
    check = check_number(SHOP, "5,301")
    assert (check.count, [match.printed for match in check.nearest]) == (0, ["$ 5,300", "$ 4,910"])


def test_closest_matches_come_first_and_all_are_counted() -> None:
    check = check_number(page([["", "2012", "2011"], ["a", "-12", "12"], ["b", "12.3", "12"]]), "12", most=2)
    assert [match.steps for match in check.matches] == [(), ()]
    assert check.count == 4


@pytest.mark.parametrize("text", ["", "sales", "5,300 of it", "5 and 6", "1" * 200, "nm", "\x1b[2J"])
def test_input_that_is_not_one_number_is_refused(text: str) -> None:
    with pytest.raises(QuantityError):
        check_number(SHOP, text)
