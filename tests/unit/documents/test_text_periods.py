import pytest

from quaestor.core.periods import Period
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, SectionPart, TablePart, assemble
from quaestor.documents.text_periods import periods_in_text

COVER = ("Annual report for the fiscal year ended December 31, 2024",)
Y2024, Y2023 = Period("year", 2024), Period("year", 2023)
Q2, Q2_BEFORE = Period("quarter", 2024, quarter=2), Period("quarter", 2023, quarter=2)
HALF, HALF_BEFORE = Period("span", 2024, month=6, months=6), Period("span", 2023, month=6, months=6)


def last_periods(*sentences: str) -> tuple[Period | None, ...]:
    document = assemble("file", [ParagraphPart(COVER), HeadingPart("Debt"), ParagraphPart(sentences)])
    return periods_in_text(document, len(document.sentences) - 1)


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        (("In 2023, we sold a plant for $5 million.", "We recognized a gain of $2 million."), [Y2023]),
        (("We recognized a gain of $2 million.",), [Y2024]),
        (("We issued $500 million of notes due 2054.",), [Y2024]),
        (("Costs were $5 million and $4 million in 2024 and 2023, respectively.",), [Y2024, Y2023]),
        (
            ("Costs for the three and six months ended June 30, 2024 were $5 million and $9 million, respectively.",),
            [Q2, HALF],
        ),
        (
            ("Sales were $5 million and $9 million in the six months ended June 30, 2024 and 2023, respectively.",),
            [HALF, HALF_BEFORE],
        ),
        (("Since 1998, we own mines.", "They hold 5 million tons."), [Y2024]),
    ],
)
def test_when_a_number_of_text_is_of(sentences: tuple[str, ...], expected: list[Period]) -> None:
    assert list(last_periods(*sentences)) == expected


def test_a_section_starts_anew() -> None:
    parts: list[DocumentPart] = [
        ParagraphPart(COVER), HeadingPart("Plants"), ParagraphPart(("In 2023, we sold a plant for $5 million.",)),
        HeadingPart("Debt"), ParagraphPart(("We borrowed $2 million.",)),
    ]  # fmt: skip
    document = assemble("file", parts)
    assert periods_in_text(document, len(document.sentences) - 1) == (Y2024,)


def test_a_page_of_a_benchmark_is_taken_sentence_by_sentence() -> None:
    texts = ("in 2023 , we sold a plant for $ 5 million .", "we recognized a gain of $ 2 million .")
    table = TablePart([["", "2023"], ["sales", "5"]])
    document = assemble("page", [SectionPart("pre_text"), ParagraphPart(texts), table])
    assert periods_in_text(document, 1) == (None,)
