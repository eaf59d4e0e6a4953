"""Signs printed around tags, and fiscal calendars from tags."""

from datetime import date

import pytest
from inline_xbrl import filing, number, tree_of
from lxml import etree

from quaestor.core.fiscal import CALENDAR_YEARS, FiscalCalendar
from quaestor.documents.facts import PrintedFact
from quaestor.readers.html.printed import printed_facts
from quaestor.readers.html.tags import read_calendar, read_tags


def printed(body: str, hidden: str = "") -> tuple[PrintedFact, ...]:
    root = tree_of(filing(body, hidden))
    return printed_facts(root, read_tags(root))


FIVE = number("5")


@pytest.mark.parametrize(
    ("row", "negative"),
    [
        (f"<td>({FIVE})</td>", True),
        (f"<td>({FIVE}</td><td>)</td>", True),
        (f"<td>$</td><td>({FIVE}</td><td>)</td>", True),
        (f"<td>$ (<span>{FIVE}</span></td><td>)%</td>", True),
        (f"<td>($</td><td>{FIVE}</td><td>)</td>", True),
        (f"<td>-{FIVE}</td>", True),
        (f"<td>\u2212 {FIVE}</td>", True),
        (f"<td>{FIVE}</td><td>(6)</td>", False),
        (f"<td>(6)</td><td>{FIVE}</td>", False),
        (f"<td>\u2014</td><td>{FIVE}</td>", False),
        (f"<td>3\u2013{FIVE}</td>", False),
    ],
)
def test_signs_in_a_table(row: str, negative: bool) -> None:
    (found,) = printed(f"<table><tr>{row}</tr></table>")
    assert (found.negative, found.in_table) == (negative, True)


@pytest.mark.parametrize(
    ("text", "negative"),
    [
        (f"a loss of $({FIVE}) million", True),
        (f"a loss (${FIVE} million) of plants", False),
        (f"a change of -{FIVE}%", True),
        (f"sales of ${FIVE} (net)", False),
    ],
)
def test_signs_in_text(text: str, negative: bool) -> None:
    (found,) = printed(f"<p>{text}</p>")
    assert (found.negative, found.in_table, found.text) == (negative, False, "5")


def test_hidden_or_empty_facts_are_not_printed() -> None:
    nothing = number("", xsi__nil="true", format="")
    assert printed(f"<p>{nothing}</p>", hidden=FIVE) == ()


@pytest.mark.slow
def test_a_file_may_be_very_deep() -> None:
    root = deepest = etree.Element("html")
    for _ in range(50_000):
        deepest = etree.SubElement(deepest, "div")
    assert printed_facts(root, read_tags(root)) == ()


@pytest.mark.parametrize(
    ("focus", "year", "ended", "day", "calendar"),
    [
        ("FY", "2024", "September 28, 2024", "--09-28", FiscalCalendar(2024, date(2024, 9, 28))),
        ("FY", "2024", "February\u00a02, 2025", "February 2", FiscalCalendar(2024, date(2025, 2, 2))),
        ("Q2", "2025", "June 30, 2025", "--12-31", FiscalCalendar(2025, date(2025, 12, 31))),
        ("Q1", "2026", "2025-08-31", "MAY 31", FiscalCalendar(2026, date(2026, 5, 31))),
        ("Q1", "2025", "June 30, 2025", "never", CALENDAR_YEARS),
        ("FY", "2025", "soon", "--12-31", CALENDAR_YEARS),
        ("FY", "", "2025-06-30", "--06-30", FiscalCalendar(2025, date(2025, 6, 30))),
    ],
)
def test_calendars(focus: str, year: str, ended: str, day: str, calendar: FiscalCalendar) -> None:
    words = {
        "dei:DocumentFiscalPeriodFocus": focus,
        "dei:DocumentFiscalYearFocus": year,
        "dei:DocumentPeriodEndDate": ended,
        "dei:CurrentFiscalYearEndDate": day,
    }
    assert read_calendar(words) == calendar
