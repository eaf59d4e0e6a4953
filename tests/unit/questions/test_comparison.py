"""Operands of comparisons in questions."""

import pytest

from quaestor.questions.comparison import KINDS, boundary, read_comparison


@pytest.mark.parametrize(
    ("question", "kind", "first", "second"),
    [
        ("what is the ratio of sales to income?", "ratio", {"sale"}, {"incom"}),
        ("what is the rent as a percentage of the debt?", "share", {"rent"}, {"debt"}),
        ("what percentage of the debt is due to notes?", "share", {"due", "note"}, {"debt"}),
        ("what share of assets did goodwill represent?", "share", {"goodwil"}, {"asset"}),
        ("what is the revenue less the costs?", "less", {"revenu"}, {"cost"}),
        ("what is the rent plus the tax?", "plus", {"rent"}, {"tax"}),
        ("what is the price times the shares?", "times", {"price"}, {"share"}),
        ("what was the rent in 2008?", "", set(), set()),
    ],
)
def test_finds_the_two_compared_items(question: str, kind: str, first: set[str], second: set[str]) -> None:
    found = read_comparison(question)
    assert (found.kind, set(found.first.stems), set(found.second.stems)) == (kind, first, second)
    assert kind in KINDS


def test_arguments_have_years_ends_and_back_references() -> None:
    found = read_comparison("what was the change from the start of 2010 to the end of 2012?")
    assert (set(found.first.years), set(found.second.years)) == ({2012}, {2010})
    assert (found.first.boundary, found.second.boundary) == (1, -1)
    assert read_comparison("what is that change divided by the rent?").first.back


@pytest.mark.parametrize(
    ("text", "end"),
    [("balance at january 1", -1), ("closing balance", 1), ("the start and the end", 0), ("balance", 0)],
)
def test_the_ends_of_a_period(text: str, end: int) -> None:
    assert boundary(text) == end
