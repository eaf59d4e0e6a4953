"""Offices and auditors are spelled as in the filing."""

import pytest

from quaestor.questions.word_patterns import spell_offices


@pytest.mark.parametrize(
    ("question", "spelled"),
    [
        ("Who is the CFO?", "Who is the chief financial officer?"),
        ("who runs it", "who chief executive officer it"),
        ("which co-CEO left?", "which co-CEO left?"),
        ("auditor?", "served as auditor?"),
        ("audit fees in 2024", "audit fees in 2024"),
    ],
)
def test_offices_are_spelled_out(question: str, spelled: str) -> None:
    assert spell_offices(question, lambda term: True) == spelled


def test_an_abbreviation_that_the_filing_does_not_spell_out_stays() -> None:
    assert spell_offices("who is the CEO?", "ceo".__eq__) == "who is the CEO?"
