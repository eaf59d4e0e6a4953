"""What phrases about units say: the scale and the currency, and whether a text is nothing else."""

import pytest

from quaestor.core.quantity import Scale
from quaestor.documents.captions import read_caption
from quaestor.documents.unit_phrases import find_unit_phrase, is_unit_line

K, M, B = Scale.THOUSAND, Scale.MILLION, Scale.BILLION

PHRASES = [
    ("TEUR", K, "EUR"),
    ("T€", K, "EUR"),
    ("Tsd. EUR", K, "EUR"),
    ("Mio. EUR", M, "EUR"),
    ("in Mio. €", M, "EUR"),
    ("Mrd. EUR", B, "EUR"),
    ("EUR m", M, "EUR"),
    ("€ m", M, "EUR"),
    ("EURm", M, "EUR"),
    ("€m", M, "EUR"),
    ("M€", M, "EUR"),
    ("M EUR", M, "EUR"),
    ("(mEUR)", M, "EUR"),
    ("k€", K, "EUR"),
    ("K€", K, "EUR"),
    ("EUR k", K, "EUR"),
    ("EUR bn", B, "EUR"),
    ("€ bn", B, "EUR"),
    ("(EUR '000)", K, "EUR"),
    ("in thousands of euros", K, "EUR"),
    ("In millions of euro", M, "EUR"),
    ("en millions d\u2019euros", M, "EUR"),
    ("en milliers d'euros", K, "EUR"),
    ("Amounts are presented in thousands of euros unless otherwise stated.", K, "EUR"),
    ("MSEK", M, "SEK"),
    ("SEK m", M, "SEK"),
    ("SEKm", M, "SEK"),
    ("SEK million", M, "SEK"),
    ("in millions of Norwegian kroner", M, "NOK"),
    ("MNOK", M, "NOK"),
    ("in DKKm", M, "DKK"),
    ("in CHF 000", K, "CHF"),
    ("TCHF", K, "CHF"),
    ("in millions of Swiss francs", M, "CHF"),
    ("'000", K, None),
    ("000s", K, None),
    ("($000)", K, "USD"),
    ("$000s", K, "USD"),
    ("$'000", K, "USD"),
    ("$MM", M, "USD"),
    ("USD mm", M, "USD"),
    ("(USD thousands)", K, "USD"),
    ("US$ million", M, "USD"),
    ("$ in billions", B, "USD"),
    ("(expressed in thousands of United States dollars)", K, "USD"),
    ("RMB'000", K, "CNY"),
    ("RMB million", M, "CNY"),
    ("(Amounts in thousands of Renminbi, except per share data)", K, "CNY"),
    ("万元", Scale.TEN_THOUSAND, "CNY"),
    ("\u5355\u4f4d\uff1a人民币百万元", M, "CNY"),
    ("HK$'000", K, "HKD"),
    ("千港元", K, "HKD"),
    ("NT$ million", M, "TWD"),
    ("in thousands of New Taiwan dollars", K, "TWD"),
    ("S$ in thousands", K, "SGD"),
    ("A$m", M, "AUD"),
    ("AUD $m", M, "AUD"),
    ("C$ millions", M, "CAD"),
    ("Tabular amounts in millions of Canadian dollars", M, "CAD"),
    ("R$ thousand", K, "BRL"),
    ("R$ mil", K, "BRL"),
    ("(Yen in millions)", M, "JPY"),
    ("(¥ in billions)", B, "JPY"),
    ("百万円", M, "JPY"),
    ("千円", K, "JPY"),
    ("\u5358\u4f4d\uff1a億円", Scale.HUNDRED_MILLION, "JPY"),
    ("in trillions of yen", Scale.TRILLION, "JPY"),
    ("KRW million", M, "KRW"),
    ("(In millions of Korean won)", M, "KRW"),
    ("₹ crore", Scale.CRORE, "INR"),
    ("(₹ in crore)", Scale.CRORE, "INR"),
    ("INR Cr", Scale.CRORE, "INR"),
    ("Rs. in lakhs", Scale.LAKH, "INR"),
    ("(All amounts in ₹ lakhs, unless otherwise stated)", Scale.LAKH, "INR"),
    ("R million", M, "ZAR"),
    ("Rm", M, "ZAR"),
    ("R'000", K, "ZAR"),
    ("(in £ thousands)", K, "GBP"),
    ("£'m", M, "GBP"),
    ("£bn", B, "GBP"),
    ("in thousands of pounds sterling", K, "GBP"),
    ("PLN k", K, "PLN"),
    ("mln zł", M, "PLN"),
    ("CZK mil.", M, "CZK"),
    ("MXN mn", M, "MXN"),
    ("(in thousands, except per share data)", K, None),
]


@pytest.mark.parametrize(("text", "scale", "currency"), PHRASES)
def test_a_phrase_names_scale_and_currency(text: str, scale: Scale, currency: str | None) -> None:
    phrase = find_unit_phrase(text)
    assert phrase is not None
    assert (phrase.scale, phrase.currency) == (scale, currency)
    assert is_unit_line(text)


@pytest.mark.parametrize(("text", "scale", "currency"), PHRASES)
def test_a_label_says_it_in_brackets_or_at_its_end(text: str, scale: Scale, currency: str | None) -> None:
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
def test_a_name_is_no_phrase_about_units(text: str) -> None:
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
