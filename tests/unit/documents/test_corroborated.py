"""The scale of a table without a printed scale, from sentences that state its numbers."""

import pytest

from quaestor.core.quantity import Scale
from quaestor.documents.assembly import ParagraphPart, TablePart, assemble
from quaestor.documents.document import Document
from quaestor.documents.repairs import WarningKind, show_warning

GRID = [["", "2019", "2018"], ["Operating cash", "$45,007", "$31,497"], ["Rent paid", "1,204", "1,310"]]


def read(*sentences: str, grid: list[list[str]] = GRID, filing: bool = False) -> Document:
    return assemble("page", [TablePart(grid), ParagraphPart(sentences)], filing=filing)


def test_sentences_that_round_its_numbers_give_the_scale() -> None:
    document = read("Operating cash was $45.0 million in 2019.", "We had operating cash of $31.5 million in 2018.")
    assert document.tables[0].scale is Scale.THOUSAND
    assert [warning.kind for warning in document.warnings] == [WarningKind.SCALE_FROM_TEXT]
    assert "thousands" in show_warning(document.warnings[0])


def test_numbers_of_the_same_print_have_the_scale_of_the_sentence() -> None:
    grid = [["", "2019", "2018"], ["General expense", "$24.9", "$33.5"]]
    document = read("General expense fell to $24.9 million from $33.5 million.", grid=grid)
    assert document.tables[0].scale is Scale.MILLION


@pytest.mark.parametrize(
    "sentences",
    [
        ["Operating cash was $45.0 million in 2019."],
        ["Sales were $45.0 million in 2019.", "Profit was $31.5 million in 2018."],
        ["Operating cash was $45.0 million.", "Operating cash was $31.5 million.", "Rent paid was $1,204 million."],
        ["Operating cash was 45% in 2019.", "Operating cash was 31,497 in 2018."],
        ["Operating cash was 45.0 million shares.", "Operating cash was 31.5 million shares."],
        ["Operating cash was $45 million.", "Operating cash was $31 million."],
    ],
    ids=["one number", "of other lines", "of two scales", "without a scale", "shares", "too short"],
)
def test_uncertain_scale_is_none(sentences: list[str]) -> None:
    document = read(*sentences)
    assert document.tables[0].scale is None
    assert not document.warnings


def test_printed_scale_is_kept() -> None:
    grid = [["(in millions)", "2019", "2018"], *GRID[1:]]
    document = read("Operating cash was $45.0 million.", "Operating cash was $31.5 million.", grid=grid)
    assert document.tables[0].scale is Scale.MILLION


def test_full_numbers_have_no_scale() -> None:
    grid = [["", "2019", "2018"], ["Operating cash", "$45,007,120", "$31,497,400"]]
    document = read("Operating cash was $45.0 million.", "Operating cash was $31.5 million.", grid=grid)
    assert document.tables[0].scale is None


def test_a_filing_has_captions_elsewhere() -> None:
    document = read("Operating cash was $45.0 million.", "Operating cash was $31.5 million.", filing=True)
    assert document.tables[0].scale is None
