"""Unit phrases: their scale and currency, and whether a text is only such a phrase."""

import pytest
from many_cases import for_each_row
from printed_forms import UNIT_PHRASES

from quaestor.core.quantity import Scale
from quaestor.documents.amounts import read_amounts
from quaestor.documents.captions import read_caption
from quaestor.documents.unit_phrases import find_unit_phrase, is_unit_line


@for_each_row(UNIT_PHRASES)
def test_a_phrase_names_scale_and_currency(text: str, scale: Scale, currency: str | None) -> None:
    phrase = find_unit_phrase(text)
    assert phrase is not None
    assert (phrase.scale, phrase.currency) == (scale, currency)
    assert is_unit_line(text)


@for_each_row(UNIT_PHRASES)
def test_label_has_its_unit_in_brackets_or_at_its_end(text: str, scale: Scale, currency: str | None) -> None:
    for label in (f"Revenue ({text.strip('()')})", f"Net sales, {text.strip('()')}"):
        caption = read_caption(label)
        assert (caption.scale, caption.unit) == (scale, currency), label
        assert not is_unit_line(label)


@pytest.mark.parametrize(
    "text",
    [
        "EUR million bonds",
        "ALL segments",
        "TOP 10",
        "Class B",
        "R&D",
        "million customers",
        "a market",
        "Establishing GMDB reserves",
        "20,000",
        "0.000% notes",
    ],
)
def test_name_is_not_a_unit_phrase(text: str) -> None:
    assert read_caption(text).scale is None
    assert not is_unit_line(text)


@pytest.mark.parametrize(
    ("text", "scale", "unit"),
    [
        ("(in euros)", Scale.ONE, "EUR"),
        ("in CHF", Scale.ONE, "CHF"),
        ("Directors' fees (in Swiss francs)", Scale.ONE, "CHF"),
        ("Price (€)", None, "EUR"),
        ("Share price (HK$)", None, "HKD"),
        ("Average price per share (NT$)", Scale.ONE, "TWD"),
        ("euro denominated debt", None, None),
        ("Japanese yen", None, None),
    ],
)
def test_a_currency_alone(text: str, scale: Scale | None, unit: str | None) -> None:
    caption = read_caption(text)
    assert (caption.scale, caption.unit) == (scale, unit)


@pytest.mark.parametrize(
    ("text", "scale", "currency"),
    [
        ("(NOK 1,000)", Scale.THOUSAND, "NOK"),
        ("EUR x 1,000", Scale.THOUSAND, "EUR"),
        ("x € 1.000", Scale.THOUSAND, "EUR"),
        ("2025 EUR 1,000", Scale.THOUSAND, "EUR"),
        ("(Rs in Cr)", Scale.CRORE, "INR"),
        ("(Mil. yen)", Scale.MILLION, "JPY"),
        ("RMBm", Scale.MILLION, "CNY"),
        ("(millions of Canadian $)", Scale.MILLION, "CAD"),
        ("(in $000 CDN)", Scale.THOUSAND, "CAD"),
        ("DKK mill.", Scale.MILLION, "DKK"),
        ("(100 millions of yen)", Scale.HUNDRED_MILLION, "JPY"),
        ("Unit: RMB 100 million", Scale.HUNDRED_MILLION, "CNY"),
        ("x € 1 million", Scale.MILLION, "EUR"),
        ("(x € 1,000,000)", Scale.MILLION, "EUR"),
        ("N'000", Scale.THOUSAND, "NGN"),
        ("Kshs 'M'", Scale.MILLION, "KES"),
        ("(Php Million)", Scale.MILLION, "PHP"),
        ("QR. '000", Scale.THOUSAND, "QAR"),
        ("USD Mil", Scale.MILLION, "USD"),
        ("kr m", Scale.MILLION, None),
        ("tkr", Scale.THOUSAND, None),
        ("Shs'000", Scale.THOUSAND, None),
    ],
)
def test_other_forms_of_scales_and_currencies(text: str, scale: Scale, currency: str | None) -> None:
    phrase = find_unit_phrase(text)
    assert phrase is not None
    assert (phrase.scale, phrase.currency) == (scale, currency)
    assert read_amounts(text).scale is scale


@pytest.mark.parametrize("text", ["Shares of EUR 1,000 each", "A loan of EUR 1,000", "($ 1,000)", "Mill, net"])
def test_an_amount_is_not_a_scale(text: str) -> None:
    assert read_caption(text).scale is None
