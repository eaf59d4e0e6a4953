"""Tagged numbers as read are compared with their tags."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from quaestor.core.periods import Period
from quaestor.documents.assembly import DocumentPart, ParagraphPart, TablePart, assemble
from quaestor.documents.facts import Fact, PrintedFact, periods_of
from quaestor.scoring.tag_check import TagCheck, check_tags

YEAR = Fact(
    "us-gaap:Revenues", Decimal(120_000_000), "USD", date(2023, 10, 1), date(2024, 9, 28), scale=6, year=2024, quarter=4
)
HEAD = ["($ in millions)", "2024", "2023"]


def checked(fact: Fact, cell: str, *, text: str, negative: bool = False, label: str = "net sales") -> TagCheck:
    """Return the check of a fact that a table prints in the column of 2024."""
    part = TablePart([HEAD, [label, cell, "100"]], facts=[(1, 1, fact)])
    return check_tags(assemble("NORD/2024", [part]), [PrintedFact(fact, text, negative, in_table=True)])


def wrong(check: TagCheck) -> tuple[str, ...]:
    return check.different[0].wrong if check.different else ()


def test_a_number_that_is_read_as_tagged() -> None:
    check = checked(YEAR, "$ 120", text="120")
    assert wrong(check) == ()
    assert check.tables == check.all
    assert [check.tables[name] for name in ("facts", "located", "unit_right")] == [1, 1, 1]
    assert check.text["facts"] == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": Decimal(121_000_000)}, "value"),
        ({"scale": 3, "value": Decimal(120_000)}, "scale"),
        ({"start": date(2022, 10, 1), "end": date(2023, 9, 30), "year": 2023}, "period"),
        ({"start": None, "end": date(2024, 6, 30), "quarter": 3}, "period"),
        ({"unit": "shares"}, "unit"),
    ],
)
def test_differences_are_named(change: dict[str, object], message: str) -> None:
    check = checked(replace(YEAR, **change), "$ 120", text="120")  # type: ignore[arg-type]
    assert wrong(check) == (message,)
    assert check.tables["located"] == 1


def test_sign_is_checked_by_brackets_and_not_by_the_tag() -> None:
    check = checked(YEAR, "(120)", text="120", negative=True, label="payments for plants")
    assert wrong(check) == ()
    assert (check.tables["sign_right"], check.tables["sign_agrees"]) == (1, 0)
    assert wrong(checked(YEAR, "120", text="120", negative=True)) == ("sign",)
    loss = replace(YEAR, value=-YEAR.value if YEAR.value else None, negated=True)
    assert wrong(checked(loss, "120", text="120")) == ()


def test_dash_is_not_a_number() -> None:
    assert wrong(checked(replace(YEAR, value=Decimal(0)), "\u2014", text="\u2014")) == ()
    assert wrong(checked(YEAR, "\u2014", text="\u2014")) == ("located",)


def test_unread_number() -> None:
    check = check_tags(assemble("NORD/2024", []), [PrintedFact(YEAR, "120", False, in_table=True)])
    (difference,) = check.different
    assert (difference.wrong, difference.place) == (("located",), "nowhere")
    assert (check.tables["facts"], check.tables["located"]) == (1, 0)


def test_a_number_in_a_label_is_of_the_periods_of_its_line() -> None:
    fact = Fact("us-gaap:ParValue", Decimal("0.01"), "USD/shares", None, date(2024, 9, 28), year=2024, quarter=4)
    part = TablePart([HEAD, ["stock, $0.01 par value per share", "7", "6"]], facts=[(1, 0, fact)])
    check = check_tags(assemble("NORD/2024", [part]), [PrintedFact(fact, "0.01", False, in_table=True)])
    assert wrong(check) == ()


def test_a_number_in_a_sentence() -> None:
    text = "Sales were $120 million in 2024."
    facts = [(0, text.index("120"), text.index("120") + 3, YEAR)]
    parts: list[DocumentPart] = [ParagraphPart((text,), facts=facts)]
    check = check_tags(assemble("NORD/2024", parts), [PrintedFact(YEAR, "120", False, in_table=False)])
    assert wrong(check) == ()
    assert check.text["value_right"] == 1


INSTANT = replace(YEAR, start=None)


@pytest.mark.parametrize(
    ("fact", "period", "right"),
    [
        (YEAR, Period("year", 2024), True),
        (YEAR, Period("date", 2024, month=9, day=28), False),
        (YEAR, Period("quarter", 2024, quarter=4), False),
        (INSTANT, Period("date", 2024, month=9, day=28), True),
        (INSTANT, Period("year", 2024), True),
        (INSTANT, Period("year", 2025), False),
        (replace(YEAR, end=date(2025, 2, 2), start=date(2024, 1, 29)), Period("year", 2024), True),
        (replace(YEAR, end=date(2025, 2, 2), start=date(2024, 1, 29)), Period("year", 2025), True),
        (replace(YEAR, start=date(2024, 4, 1)), Period("span", 2024, month=9, months=6), True),
        (replace(YEAR, start=date(2024, 7, 1)), Period("quarter", 2024, quarter=3), True),
        (replace(YEAR, start=date(2024, 7, 1)), Period("quarter", 2024, quarter=4), True),
        (replace(YEAR, start=date(2024, 7, 1)), Period("quarter", 2024, quarter=2), False),
    ],
)
def test_which_periods_a_context_has(fact: Fact, period: Period, right: bool) -> None:
    assert (period in periods_of(fact)) is right


def test_opening_value_is_compared_with_the_end_of_the_previous_year() -> None:
    assert Period("year", 2025) in periods_of(INSTANT, ("balance at beginning of year",))
    assert Period("year", 2026) not in periods_of(INSTANT, ("balance at beginning of year",))
