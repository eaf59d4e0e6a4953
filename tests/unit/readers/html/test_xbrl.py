"""Facts from the tags of a filing: periods, units, scales and signs, and broken tags."""

from datetime import date
from decimal import Decimal

import pytest
from inline_xbrl import CONTEXTS, HEAD, UNITS, filing, number, tree_of

from quaestor.documents.facts import Fact
from quaestor.readers.html.tags import Tags, printed_number, read_tags


def tags_of(body: str, **parts: str) -> Tags:
    return read_tags(tree_of(filing(body, **parts)))


def fact_of(body: str, **parts: str) -> Fact:
    (tag,) = tags_of(body, **parts).numbers
    return tag.fact


def test_a_number_of_a_year_in_millions() -> None:
    fact = fact_of(f"<p>Sales were ${number('9,447', scale='6', decimals='-6')} million</p>")
    days = date(2023, 10, 1), date(2024, 9, 28)
    value = Decimal(9_447_000_000)
    assert fact == Fact("us-gaap:Revenues", value, "USD", *days, scale=6, decimals=-6, year=2024, quarter=3)


def test_an_instant_has_no_start() -> None:
    fact = fact_of(number("5", "us-gaap:Assets", "d24"))
    assert (fact.start, fact.end) == (None, date(2024, 9, 28))


def test_dimensions_explicit_and_typed() -> None:
    assert fact_of(number("5", context="east")).dimensions == (
        ("nord:LotAxis", "7"),
        ("us-gaap:StatementBusinessSegmentsAxis", "nord:EastMember"),
    )


def test_a_value_is_exact_whatever_its_scale() -> None:
    assert fact_of(number("0.1", scale="-2")).value == Decimal("0.001")
    digits = "12345678901234567890123456789012345"
    assert fact_of(number(digits, scale="3")).value == Decimal(digits + "000")


def test_sign_comes_from_the_tag_and_not_from_brackets() -> None:
    payment, loss = tags_of(f"<td>({number('9', scale='6')})</td><td>({number('9', sign='-')})</td>").numbers
    assert (payment.fact.value, payment.fact.negated) == (Decimal(9_000_000), False)
    assert (loss.fact.value, loss.fact.negated) == (Decimal(-9), True)


@pytest.mark.parametrize(
    ("unit", "expected"),
    [("usd", "USD"), ("shares", "shares"), ("pure", "pure"), ("eps", "USD/shares"), ("none", None)],
)
def test_units(unit: str, expected: str | None) -> None:
    assert fact_of(number("5", unit=unit)).unit == expected


def test_nil_has_no_value() -> None:
    assert fact_of(number("", xsi__nil="true", format="")).value is None


def test_nested_tags_give_two_facts_of_one_number() -> None:
    outer, inner = tags_of(number(number("820", "us-gaap:Inner"), "us-gaap:Outer")).numbers
    assert [(tag.fact.concept, tag.fact.value) for tag in (outer, inner)] == [
        ("us-gaap:Outer", Decimal(820)),
        ("us-gaap:Inner", Decimal(820)),
    ]


def test_a_number_within_tags_around_a_whole_report_is_read() -> None:
    around = number("5").partition(">")[0] + ">"
    tags = tags_of(around * 5 + "<p>word</p>" * 5_000 + number("7") + "</ix:nonFraction>" * 5)
    assert [tag.text for tag in tags.numbers] == ["7"]


def test_the_fact_of_an_element() -> None:
    root = tree_of(filing(f"<p>{number('5')} and <b>6</b></p>"))
    tags = read_tags(root)
    found = [tags.fact(element) for element in root.iter()]
    assert [fact.value for fact in found if fact] == [Decimal(5)]


def test_namespace_prefixes_may_differ() -> None:
    text = filing(number("5", "gaap:Assets"))
    for old, new in (("us-gaap", "gaap"), ("ix", "i"), ("xbrli", "x"), ("iso4217", "money")):
        text = text.replace(f"xmlns:{old}=", f"xmlns:{new}=").replace(f"<{old}:", f"<{new}:")
        text = text.replace(f"</{old}:", f"</{new}:").replace(f">{old}:", f">{new}:")
    (tag,) = read_tags(tree_of(text)).numbers
    assert (tag.fact.concept, tag.fact.unit, tag.fact.value) == ("us-gaap:Assets", "USD", Decimal(5))


def test_facts_outside_the_text_are_hidden() -> None:
    hidden, shown = tags_of(number("5"), hidden=number("4")).numbers
    assert (hidden.hidden, shown.hidden) == (True, False)


def test_places_are_those_in_the_file() -> None:
    assert [tag.fact.place for tag in tags_of(number("x") + number("5")).numbers] == [1]


@pytest.mark.parametrize(
    ("broken", "named"),
    [
        (number("5", context="none"), "'none'"),
        (number("5", scale="many"), "scale 'many'"),
        (number("5", scale="999999999"), "999999999"),
        (number("5", decimals="two"), "decimals 'two'"),
        (number("five"), "'five'"),
        (number("5", ""), ""),
        (number("1" * 200), "1111"),
    ],
)
def test_broken_tag_is_reported_and_skipped(broken: str, named: str) -> None:
    tags = tags_of(broken + number("6"))
    assert [tag.fact.value for tag in tags.numbers] == [Decimal(6)]
    (warning,) = tags.warnings
    assert named in warning


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2024-09-28</xbrli:instant>", "soon</xbrli:instant>"),
        ("<xbrli:instant>2024-09-28</xbrli:instant>", ""),
        ("2024-09-28</xbrli:instant>", "0001-01-01T00:00:00</xbrli:instant>"),
    ],
)
def test_broken_context_is_reported_and_skipped(old: str, new: str) -> None:
    tags = tags_of(number("6"), contexts=CONTEXTS.replace(old, new))
    assert len(tags.numbers) == 1
    (warning,) = tags.warnings
    assert "'d24'" in warning


def test_a_file_of_broken_tags_gives_few_warnings() -> None:
    tags = tags_of("".join(number(letters) for letters in ("a", "b", "c", "d", "e", "a")))
    assert len(tags.warnings) == 4
    assert "2" in tags.warnings[0]
    assert "2" in tags.warnings[-1]


def test_unit_without_a_measure_is_ignored() -> None:
    tags = tags_of(number("6"), units=UNITS.replace("<xbrli:measure>iso4217:USD</xbrli:measure>", ""))
    assert tags.numbers[0].fact.unit is None
    assert len(tags.warnings) == 2


def test_a_file_without_tags_has_none() -> None:
    assert read_tags(tree_of("<html><body><p>5</p></body></html>")) == Tags()


def test_midnight_ends_the_day_before() -> None:
    contexts = CONTEXTS.replace(
        "<xbrli:instant>2024-09-28</xbrli:instant>", "<xbrli:instant>2024-09-29T00:00:00</xbrli:instant>"
    )
    assert fact_of(number("5", context="d24"), contexts=contexts).end == date(2024, 9, 28)


def test_file_without_ix_header_is_read() -> None:
    assert read_tags(tree_of(f"{HEAD}<body>{number('5')}</body></html>")).numbers == ()


@pytest.mark.parametrize(
    ("text", "format", "value"),
    [
        ("1,234.5", "num-dot-decimal", "1234.5"),
        ("1 234.50", "numspacedot", "1234.50"),
        (" 1\u00a0234 ", "num-dot-decimal", "1234"),
        ("1'234.5", "num-dot-decimal-apos", "1234.5"),
        (".5", "numdotdecimal", "0.5"),
        ("1.234,5", "num-comma-decimal", "1234.5"),
        ("1.234,5", "numdotcomma", "1234.5"),
        ("12,34,567.8", "numdotdecimalin", "1234567.8"),
        ("1 EUR 5 CENT", "num-unit-decimal", "1.05"),
        ("\u2014", "fixed-zero", "0"),
        ("-", "zerodash", "0"),
        ("no", "numwordsen", "0"),
        ("Twenty-five", "numwordsen", "25"),
        ("one hundred and five", "numwordsen", "105"),
        ("1,234", None, "1234"),
        ("1.5", None, "1.5"),
        ("\u2014", "of-no-registry", "0"),
        ("1,234", "of-no-registry", "1234"),
    ],
)
def test_transformations(text: str, format: str | None, value: str) -> None:
    assert printed_number(text, format) == Decimal(value)


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("1.234,5", "num-dot-decimal"),
        ("(5)", "num-dot-decimal"),
        ("", "num-dot-decimal"),
        ("1,5.5", "num-comma-decimal"),
        ("5", "num-unit-decimal"),
        ("many", "numwordsen"),
        ("", "numwordsen"),
        ("5 %", None),
    ],
)
def test_text_of_another_form_is_an_error(text: str, format: str | None) -> None:
    with pytest.raises(ValueError, match="number"):
        printed_number(text, format)
