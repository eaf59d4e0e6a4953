"""Labels determine the kind of their numbers."""

import pytest

from quaestor.documents.kinds import Kind, kind_of


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Diluted earnings per share", "price"),
        ("Shares used in computing earnings per share", "shares"),
        ("Weighted-average shares outstanding:", "shares"),
        ("Net income used in computing basic net income per share", "money"),
        ("Proceeds from issuance of common shares", "money"),
        ("Cash dividends paid ($0.25 per share)", "money"),
        ("Cash dividends paid, at a quarterly amount of $0.52 per class A common stock", "money"),
        ("Weighted average grant date fair value", "price"),
        ("Aggregate intrinsic value", "money"),
        ("Weighted-average remaining term (years)", "time"),
        ("Percent of sales", "percent"),
        ("Number of stores", "count"),
        ("Net sales", "money"),
        ("Final dividend of 12.5p (2023: 11.8p) per share", None),
        ("Proceeds from issue of shares at 250p per share", "money"),
        ("Issue price", "price"),
        ("Average revenue per user (\u00a3)", "price"),
        ("Basic", None),
        ("", None),
    ],
)
def test_kinds(label: str, kind: Kind | None) -> None:
    assert kind_of(label) == kind
