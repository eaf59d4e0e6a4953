import pytest

from quaestor.core.terms import terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("R&D and A/P", ("r&d", "a/p")),
        ("the company's long-term debt", ("compani", "long", "term", "debt")),
        ("gains/losses", ("gain", "loss")),
        ("net sales in the U.S. and the United States", ("net", "sale", "us", "us")),
        ("", ()),
    ],
)
def test_terms(text: str, expected: tuple[str, ...]) -> None:
    assert terms(text) == expected
