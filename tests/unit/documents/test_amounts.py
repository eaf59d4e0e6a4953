"""Captions of filings give the scales of amounts and shares."""

import pytest

from quaestor.core.quantity import Scale
from quaestor.documents.amounts import Amounts, amounts_in_text, is_amounts_line, read_amounts


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("(Dollars in millions, except per share data)", Amounts(Scale.MILLION, "USD", Scale.MILLION)),
        ("(in thousands, except share and per share data)", Amounts(Scale.THOUSAND, None, Scale.ONE)),
        (
            "(In millions, except number of shares, which are reflected in thousands, and per-share amounts)",
            Amounts(Scale.MILLION, None, Scale.THOUSAND),
        ),
        ("(shares in thousands)", Amounts(None, None, Scale.THOUSAND)),
        ("(millions of dollars)", Amounts(Scale.MILLION, "USD", Scale.MILLION)),
        ("(unaudited; €'000s)", Amounts(Scale.THOUSAND, "EUR", Scale.THOUSAND)),
        ("(unaudited)", Amounts()),
    ],
)
def test_captions(text: str, amounts: Amounts) -> None:
    assert read_amounts(text) == amounts


@pytest.mark.parametrize(
    "text", ["(In millions)", "Amounts in millions of dollars except per share amounts.", "in thousands, except shares"]
)
def test_a_line_that_is_a_caption(text: str) -> None:
    assert is_amounts_line(text)


@pytest.mark.parametrize("text", ["Revenue in millions of dollars rose", "Cash fell in 2024 (in millions)", ""])
def test_line_that_is_not_a_caption(text: str) -> None:
    assert not is_amounts_line(text)


def test_sentence_gives_the_unit_of_its_table() -> None:
    assert amounts_in_text("Rent was as follows (dollars in millions):").scale is Scale.MILLION
    assert amounts_in_text("Rent was as follows, in thousands:").scale is Scale.THOUSAND
    assert amounts_in_text("Rent was $5 million in 2024.") == Amounts()
