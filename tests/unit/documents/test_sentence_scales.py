"""Scales of amounts in sentences of filings, if the sentence does not print one for each."""

import pytest

from quaestor.core.quantity import Scale
from quaestor.documents.assembly import ParagraphPart, TablePart, assemble


def read_scales(sentence: str, *tables: TablePart) -> list[str]:
    document = assemble("quill", [ParagraphPart((sentence,)), *tables], filing=True)
    quantities = [mention.quantity for mention in document.sentences[0].mentions]
    return [str(q.value) if q.scale is Scale.ONE else f"{q.value} {q.scale}" for q in quantities]


@pytest.mark.parametrize(
    ("sentence", "amounts"),
    [
        ("Capital spending will be between $2.2 and $2.4 billion.", ["2.2 billion", "2.4 billion"]),
        ("We expect sales of $10 to $12 billion.", ["10 billion", "12 billion"]),
        ("Gains were $79.1 and $80.1 million, respectively.", ["79.1 million", "80.1 million"]),
        ("Sales rose by $2 and costs were $3 million.", ["2", "3 million"]),
        ("He paid $500,000 to $1 million.", ["500000", "1 million"]),
        ("Rent was (in millions): $39.6 here; $69.2 there.", ["39.6 million", "69.2 million"]),
        ("At $1.50 per share, costs were (in millions): $39.", ["1.50", "39 million"]),
    ],
)
def test_a_scale_that_is_printed_once_applies_to_all_amounts(sentence: str, amounts: list[str]) -> None:
    assert read_scales(sentence) == amounts


@pytest.mark.parametrize(
    ("sentence", "amounts"),
    [
        ("Revenue was $18,883 and $9,226.", ["18883 thousand", "9226 thousand"]),
        ("Revenue was $18,883, or $37.25 per share.", ["18883 thousand", "37.25"]),
        ("Revenue was $18,884.", ["18884"]),
        ("Revenue was $18,883 and the fee $433,000.", ["18883", "433000"]),
    ],
)
def test_a_number_of_a_table_has_its_scale_in_sentences(sentence: str, amounts: list[str]) -> None:
    table = TablePart([["", "2024", "2023"], ["Revenue", "$18,883", "$9,226"]], "(In thousands)", header_rows=1)
    assert read_scales(sentence, table) == amounts
