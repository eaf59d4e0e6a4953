import pytest

from quaestor.core.periods import Period
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, SectionPart, TablePart, assemble
from quaestor.documents.document import Document
from quaestor.documents.text_periods import periods_in_text, periods_of_words

COVER = ("Annual report for the fiscal year ended December 31, 2024",)
Y2024, Y2023 = Period("year", 2024), Period("year", 2023)
Q2, Q2_BEFORE = Period("quarter", 2024, quarter=2), Period("quarter", 2023, quarter=2)
HALF, HALF_BEFORE = Period("span", 2024, month=6, months=6), Period("span", 2023, month=6, months=6)


def first_periods(document: Document, place: int) -> tuple[Period | None, ...]:
    return tuple(next(iter(periods), None) for periods in periods_in_text(document, place))


def last_periods(*sentences: str) -> tuple[Period | None, ...]:
    document = assemble("file", [ParagraphPart(COVER), HeadingPart("Debt"), ParagraphPart(sentences)])
    return first_periods(document, len(document.sentences) - 1)


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
        (
            (
                "In the three and six months ended June 30, 2024, it was $5 and $9, "
                "and $4 and $7 in the same periods in 2023.",
            ),
            [Q2, HALF, Q2_BEFORE, HALF_BEFORE],
        ),
        (("Since 1998, we own mines.", "They hold 5 million tons."), [Y2024]),
        (("We may issue 5 million shares under the 2012 Incentive Program.",), [Y2024]),
        (("We paid $5 million under the March 2023 tax settlement.",), [Y2024]),
        (("She may sell 5 million shares over a period ending on November 30, 2025.",), [Y2024]),
        (("We expect to pay $5 million in 2025.",), [Period("year", 2025)]),
        (("We have bonds of $5 million that mature in 2025.",), [Y2024]),
        (("Maturities of deposits during 2023 were $5 million.",), [Y2023]),
    ],
)
def test_period_of_a_number_in_text(sentences: tuple[str, ...], expected: list[Period]) -> None:
    assert list(last_periods(*sentences)) == expected


def test_section_resets_the_period() -> None:
    parts: list[DocumentPart] = [
        ParagraphPart(COVER), HeadingPart("Plants"), ParagraphPart(("In 2023, we sold a plant for $5 million.",)),
        HeadingPart("Debt"), ParagraphPart(("We borrowed $2 million.",)),
    ]  # fmt: skip
    document = assemble("file", parts)
    assert first_periods(document, len(document.sentences) - 1) == (Y2024,)


def test_benchmark_page_is_read_sentence_by_sentence() -> None:
    texts = ("in 2023 , we sold a plant for $ 5 million .", "we recognized a gain of $ 2 million .")
    table = TablePart([["", "2023"], ["sales", "5"]])
    document = assemble("page", [SectionPart("pre_text"), ParagraphPart(texts), table])
    assert first_periods(document, 1) == (None,)


def test_a_day_dates_its_own_paragraph_and_a_month_its_section() -> None:
    cover, day, month = ParagraphPart(COVER), "On May 2, 2024, we sold a plant.", "In May 2024, we sold a plant."
    gain = "We recognized a gain of $2 million."

    def period(*paragraphs: tuple[str, ...]) -> Period | None:
        document = assemble("file", [cover, HeadingPart("Plants"), *map(ParagraphPart, paragraphs)])
        return first_periods(document, len(document.sentences) - 1)[0]

    assert period((day, gain)) == Period("date", 2024, month=5, day=2)
    assert period((day,), (gain,)) == Y2024
    assert period((month,), (gain,)) == Period("month", 2024, month=5)


def test_list_items_do_not_hide_the_period_of_the_list() -> None:
    items = tuple(f"\u2022Part {n} is of $2 million." for n in range(20))
    assert last_periods("In May 2023, we issued notes.", *items) == (Period("month", 2023, month=5),)


def test_all_periods_of_a_number_in_digits_or_words() -> None:
    texts = (
        "We had no loans at December 31, 2024 and 2023.",
        "Rent was $5 million in 2024 and 2023 and $4 million in 2022.",
    )
    document = assemble("file", [ParagraphPart(COVER), HeadingPart("Debt"), ParagraphPart(texts)])
    days = {Period("date", year, month=12, day=31) for year in (2024, 2023)}
    assert set(periods_of_words(document, 1, 7, 9)) == days
    assert set(periods_of_words(document, 2, 9, 10)) == {Y2024, Y2023}
    assert periods_of_words(document, 2, 45, 46) == (Period("year", 2022),)


def test_a_quarterly_report_without_a_period_is_of_the_quarter_or_of_its_year_to_date() -> None:
    cover = ParagraphPart(("Quarterly report for the quarterly period ended June 30, 2024",))
    table = TablePart([["", "Six Months Ended June 30, 2024", "Six Months Ended June 30, 2023"], ["sales", "5", "4"]])
    document = assemble("file", [cover, HeadingPart("Segments"), ParagraphPart(("We have two segments.",)), table])
    assert periods_of_words(document, 1, 8, 11) == (Q2, HALF)
