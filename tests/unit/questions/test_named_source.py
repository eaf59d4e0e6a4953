"""Notes and tables that a question names as the source of a number."""

import pytest

from quaestor.questions.understanding import read_filing_question


@pytest.mark.parametrize(
    ("question", "source", "terms"),
    [
        (
            "what was net income in 2022 according to Note 3 - Earnings Per Share?",
            ("earn", "per", "share"),
            ("net", "incom"),
        ),
        ("total debt per the debt note", ("debt",), ("total", "debt")),
        ("inventories in the held for sale table (2023)", ("sale",), ("inventori",)),
        ("biggest class of assets in the note?", (), ("class", "asset", "note")),
        ("proceeds from senior notes", (), ("proceed", "senior", "note")),
        ("interest on the 4.875% notes", (), ("interest", "note")),
    ],
)
def test_named_note_is_not_part_of_the_measure(question: str, source: tuple[str, ...], terms: tuple[str, ...]) -> None:
    reading = read_filing_question(question)
    assert reading.source == source
    assert [operand.terms for operand in reading.operands] == [terms]
