from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from many_cases import for_each_row

from quaestor.core.number_conventions import LOOSE
from quaestor.core.parsing import clean_label, find_quantities, parse_cell, parse_quantity
from quaestor.core.quantity import Quantity, Scale
from quaestor.errors import QuantityError

ONE, PERCENT, MILLION, BILLION = Scale.ONE, Scale.PERCENT, Scale.MILLION, Scale.BILLION

SINGLE = [
    ("206588", "206588", ONE, None),
    ("$ 206588", "206588", ONE, "USD"),
    ("1,234.50", "1234.50", ONE, None),
    ("72.0", "72.0", ONE, None),
    ("-435 ( 435 )", "-435", ONE, None),
    ("$ -435 ( 435 )", "-435", ONE, "USD"),
    ("( 435 )", "-435", ONE, None),
    ("(1,203)", "-1203", ONE, None),
    ("$ ( 2.38 )", "-2.38", ONE, "USD"),
    ("( $ 55 )", "-55", ONE, "USD"),
    ("-$ 5", "-5", ONE, "USD"),
    ("$-5", "-5", ONE, "USD"),
    ("12 ( 12 )", "12", ONE, None),
    ("13.7% ( 13.7 % )", "13.7", PERCENT, None),
    ("-13.7% ( 13.7 % )", "-13.7", PERCENT, None),
    ("( 0.4 ) % (  % )", "-0.4", PERCENT, None),
    ("9 % (  % )", "9", PERCENT, None),
    (".8% ( .8 % )", ".8", PERCENT, None),
    ("7 percent", "7", PERCENT, None),
    ("12%nm", "12", PERCENT, None),
    ("nm9.9% ( nm9.9 % )", "9.9", PERCENT, None),
    ("8310 ( c )", "8310", ONE, None),
    ("2022 ( 2 )", "2022", ONE, None),
    ("18322320 ( 1 )", "18322320", ONE, None),
    (".455", ".455", ONE, None),
    ("$ .455", ".455", ONE, "USD"),
    ("$ 2.7 billion", "2.7", BILLION, "USD"),
    ("$ 24.4 million", "24.4", MILLION, "USD"),
    ("3 thousand", "3", Scale.THOUSAND, None),
    ("$ 2.38 trillion", "2.38", Scale.TRILLION, "USD"),
    ("₹ 1,284 crore", "1284", Scale.CRORE, "INR"),
    ("Rs. 450 lakhs", "450", Scale.LAKH, "INR"),
    ("NT$ 3.2 billion", "3.2", BILLION, "TWD"),
    ("HK$64,210", "64210", ONE, "HKD"),
    ("R$ 9.1 million", "9.1", MILLION, "BRL"),
    ("S$ 40", "40", ONE, "SGD"),
    ("CAD $ 40", "40", ONE, "CAD"),
    ("EUR 12.4 m", "12.4", MILLION, "EUR"),
    ("MSEK 1,204", "1204", MILLION, "SEK"),
    ("TEUR (310)", "-310", Scale.THOUSAND, "EUR"),
    ("12.4 MEUR", "12.4", MILLION, "EUR"),
    ("5.2 Mrd. €", "5.2", BILLION, "EUR"),
    ("R1,204 million", "1204", MILLION, "ZAR"),
    ("1,234百万円", "1234", MILLION, "JPY"),
    ("3.5万元", "3.5", Scale.TEN_THOUSAND, "CNY"),
    ("12億円", "12", Scale.HUNDRED_MILLION, "JPY"),
    ("500 million yen", "500", MILLION, "JPY"),
    ("40 zł", "40", ONE, "PLN"),
    ("(190) bps", "-190", ONE, "basis points"),
    ("TOP 10", "10", ONE, None),
    ("5 pounds", "5", ONE, None),
    ("$5m", "5", MILLION, "USD"),
    ("€ 5 bn", "5", BILLION, "EUR"),
    ("\u2212435", "-435", ONE, None),
    ("$\u00a05", "5", ONE, "USD"),
    ("221219.1%", "-19.1", PERCENT, None),
    ("fffd19.1% ( fffd19.1 % )", "-19.1", PERCENT, None),
    ("201477.8%", "-77.8", PERCENT, None),
    ("20ac500", "500", ONE, "EUR"),
    ("a340", "40", ONE, "GBP"),
    ("chf250", "250", ONE, "CHF"),
    ("9 months", "9", ONE, "months"),
    ("1.6 years", "1.6", ONE, "years"),
    ("( 9.9 ) pt", "-9.9", ONE, "points"),
    ("(30bps)", "-30", ONE, "basis points"),
    ("(4)bpts", "-4", ONE, "basis points"),
    ("0.8ppt", "0.8", ONE, "percentage points"),
    ("24.84p", "24.84", ONE, "pence"),
    ("(3.3p)", "-3.3", ONE, "pence"),
    ("(1.2)p", "-1.2", ONE, "pence"),
    ("36p", "36", ONE, "pence"),
    ("15.6 pence", "15.6", ONE, "pence"),
    ("418.5c", "418.5", ONE, "cents"),
    ("(15.6 cents)", "-15.6", ONE, "cents"),
    ("15.6cps", "15.6", ONE, "cents"),
    ("11.2 HK cents", "11.2", ONE, "cents"),
    ("HK11.0 cents", "11.0", ONE, "cents"),
    ("US2.5 cents", "2.5", ONE, "cents"),
    ("15.58 € cent", "15.58", ONE, "cents"),
    ("RMB(2.3) cents", "-2.3", ONE, "cents"),
    ("-/- 234", "-234", ONE, None),
    ("45 -/-", "-45", ONE, None),
    ("23.0\u00a2", "23.0", ONE, "cents"),
    ("£(402.6)m", "-402.6", MILLION, "GBP"),
    ("(£402.6)m", "-402.6", MILLION, "GBP"),
    ("R(402.6)m", "-402.6", MILLION, "ZAR"),
    ("R12.34", "12.34", ONE, "ZAR"),
    ("£1.2trn", "1.2", Scale.TRILLION, "GBP"),
    ("2.5x", "2.5", ONE, "times"),
    ("high $ 60.15", "60.15", ONE, "USD"),
    ("liability as of december 31 2005 $ 20963", "20963", ONE, "USD"),
    ("2006 cash payments $ -12389 ( 12389 )", "-12389", ONE, "USD"),
    ("2014", "2014", ONE, None),
    ("$ 2014", "2014", ONE, "USD"),
    ("12345678901", "12345678901", ONE, None),
]


@for_each_row(SINGLE)
def test_a_cell_with_one_number(text: str, value: str, scale: Scale, unit: str | None) -> None:
    (quantity,) = parse_cell(text)
    assert (quantity.value, quantity.scale, quantity.unit) == (Decimal(value), scale, unit)
    assert quantity.text in text
    assert parse_quantity(text) == quantity


SEVERAL = [
    ("17900 ( rental ) 4800 ( services )", ["17900", "4800"]),
    ("31 to 150 ( 84/78 )", ["31", "150", "84", "78"]),
    ("39-40", ["39", "40"]),
    ("10% ( 10 % ) to 95% ( 95 % ) ( 71%/79% ( 71%/79 % ) )", ["10", "95", "71", "79"]),
    ("( 10 ) % (  % ) to 95% ( 95 % ) ( 71%/79% ( 71%/79 % ) )", ["-10", "95", "71", "79"]),
    ("$ ( 2.38 ) to $ 3.34 ( $ ( 0.22 ) /$ ( 0.12 ) )", ["-2.38", "3.34", "-0.22", "-0.12"]),
    ("4.98% ( 4.98 % ) 20145.05% ( 20145.05 % )", ["4.98", "5.05"]),
    ("20ac500 ( approximately $ 697 )", ["500", "697"]),
    ("3.75% ( 3.75 % ) above 6-month libor", ["3.75", "6"]),
]


@pytest.mark.parametrize(("text", "values"), SEVERAL)
def test_a_cell_with_several_numbers(text: str, values: list[str]) -> None:
    assert [quantity.value for quantity in parse_cell(text, LOOSE)] == [Decimal(value) for value in values]


@pytest.mark.parametrize(
    "text",
    ["", "-", "$ -", "\u2014", "n/a", "nm", "none", "*", "owned ( 2 )", "( a )", "december 31 2009", "4/25/2010",
     "november 2012", "leased", "%", "12c", "£000", "NZ$000", "R\u2019000", "5.5p.a."],
)  # fmt: skip
def test_a_cell_without_a_number(text: str) -> None:
    assert parse_cell(text) == ()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", None),
        ("-", None),
        ("n/a", None),
        ("1,2O3", "'O'"),
        ("(1,2O3)", "'O'"),
        ("december 31 2009", None),
        ("9" * 40, "30"),
        ("b1", None),
    ],
)
def test_text_without_a_number_is_refused_with_its_place(text: str, named: str | None) -> None:
    with pytest.raises(QuantityError, match=named) as caught:
        parse_quantity(text, "AAPL/2009, table 0, row 3, column 2")
    assert "(AAPL/2009, table 0, row 3, column 2)" in str(caught.value)
    assert caught.value.text == text


TEXTS = [
    ("sold for $ 91 million in 2008", [("$ 91 million", "91", MILLION, "USD")]),
    ("a life of 1.6 years", [("1.6", "1.6", ONE, "years")]),
    ("grew 4.02% ( 4.02 % ) again", [("4.02% ( 4.02 % )", "4.02", PERCENT, None)]),
    ("an aside ( 4.02 % ) is positive", [("4.02 %", "4.02", PERCENT, None)]),
    ("10 % , 499 , 397097677",
     [("10 %", "10", PERCENT, None), ("499", "499", ONE, None), ("397097677", "397097677", ONE, None)]),
    ("at december 31 , 2014 and 2013 , $ 5 million", [("$ 5 million", "5", MILLION, "USD")]),
    ("50-55% ( 50-55 % ) of it", [("50", "50", PERCENT, None), ("55% ( 50-55 % )", "55", PERCENT, None)]),
    ("$ 950-$ 1025 million", [("$ 950", "950", MILLION, "USD"), ("$ 1025 million", "1025", MILLION, "USD")]),
    ("a 10-year bond", [("10", "10", ONE, "years")]),
    ("a fall of 100-basis-points", [("100", "100", ONE, "basis points")]),
    ("see ( 1 ) and ( 98.1 ) 2014 2014", [("( 98.1 )", "-98.1", ONE, None)]),
    ("( $ 2.9 million after tax )", [("$ 2.9 million", "2.9", MILLION, "USD")]),
    ("about 20ac7.9 billion", [("20ac7.9 billion", "7.9", BILLION, "EUR")]),
    ("about 36000 20ac ( euro )", [("36000 20ac", "36000", ONE, "EUR")]),
    ("the 201c7.50% ( 201c7.50 % ) notes", [("7.50% ( 201c7.50 % )", "7.50", PERCENT, None)]),
    ("in 2003 2014$ 34 million", [("$ 34 million", "34", MILLION, "USD")]),
    ("$ 16.6 a0million", [("$ 16.6 a0million", "16.6", MILLION, "USD")]),
    ("a dividend of 12.5p (2024: 11.8p)", [("12.5", "12.5", ONE, "pence"), ("11.8", "11.8", ONE, "pence")]),
    ("a loss of £(12.3)m", [("£(12.3)m", "-12.3", MILLION, "GBP")]),
    ("a fall (30bps) is positive", [("30", "30", ONE, "basis points")]),
    ("sales were SEK 5,678 m (5,432)",
     [("SEK 5,678 m", "5678", MILLION, "SEK"), ("(5,432)", "5432", MILLION, "SEK")]),
    ("profit was EUR 34.5 (-1.7) million",
     [("EUR 34.5", "34.5", MILLION, "EUR"), ("(-1.7) million", "-1.7", MILLION, "EUR")]),
    ("a margin of 12.3% (2024: 11.8)", [("12.3%", "12.3", PERCENT, None), ("11.8", "11.8", PERCENT, None)]),
    ("the number of employees was 1,234 (1,198)", [("1,234", "1234", ONE, None), ("(1,198)", "1198", ONE, None)]),
    ("net income EUR 34.5 million (56.7)",
     [("EUR 34.5 million", "34.5", MILLION, "EUR"), ("(56.7)", "-56.7", ONE, None)]),
    ("net income was $ 34.5 million (56.7)",
     [("$ 34.5 million", "34.5", MILLION, "USD"), ("(56.7)", "-56.7", ONE, None)]),
    ("growth was minus 3.4 percent or negative $1.2 billion",
     [("minus 3.4 percent", "-3.4", PERCENT, None), ("$1.2 billion", "1.2", BILLION, "USD")]),
    ("cash flow of negative $1.2 billion , at prime minus 5 %",
     [("negative $1.2 billion", "-1.2", BILLION, "USD"), ("5 %", "5", PERCENT, None)]),
    ("12 mil- lion shares", [("12 mil- lion", "12", MILLION, "shares")]),
    ("sold 2000 shares in 2000", [("2000", "2000", ONE, "shares")]),
    ("note 5 , level 3 , class b-1 , s&p 500 , form 10-k , rule 10b5-1 , the 90th day , page 7 , ratio 1:1", []),
    ("section 12c , warming of 1.5C", []),
    ("sic code 3711 , zip code 94304 , docket 12 , our sic 7372 and section 382 of the code", []),
    ("14 .", []),
    ("no digits", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "found"), TEXTS)
def test_numbers_in_running_text(text: str, found: list[tuple[str, str, Scale, str | None]]) -> None:
    spans = find_quantities(text)
    assert [(text[s.start : s.end], s.quantity.value, s.quantity.scale, s.quantity.unit) for s in spans] == [
        (printed, Decimal(value), scale, unit) for printed, value, scale, unit in found
    ]


@pytest.mark.parametrize(
    "text",
    [
        "a third ( 1/3 ) of it",
        "open 24/7",
        "on march 18 and september 18 of each year",
        "see table 121 and chart 4",
        "the s&p midcap 400 index",
        "the composite 500 index",
        "the standard & poor 2019s 500 index",
        "the standard and poor 2019s ( s&p ) 500 index",
        "under the securities act of 1933 , as amended",
        "our 401 ( k ) plan",
        "see notes 2 , 6 and 15 for more , and notes 1 and 10. .",
        "notes to consolidated financial statements 2014 ( continued ) 16 .",
        "80 2013 global payments inc . | 2015 form 10-k annual report",
        "64 | 2017 form 10-k notes to statements",
        "since jan- uary 1 , 2007",
    ],
)
def test_names_and_dates_are_not_numbers(text: str) -> None:
    assert find_quantities(text) == ()


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("401 people", "401"),
        ("statements ( continued ) $ 30000 was paid", "$ 30000"),
        ("notes 2 , 6 and 15 cover 300 leases", "300"),
        ("64 stores | 2017 was a year", "64"),
    ],
)
def test_an_amount_next_to_a_name_is_a_number(text: str, amount: str) -> None:
    assert [span.quantity.text for span in find_quantities(text)] == [amount]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("the company 2019s 201cplan 201d", 'the company\'s "plan "'),
        ("total stockholders 2019 equity", "total stockholders' equity"),
        ("loans 2013 reported", "loans - reported"),
        ("5.000% ( 5.000 % ) notes", "5.000% notes"),
        ("% (  % ) change", "% change"),
        ("net loss -5 ( 5 ) ( 1 ) ( 2 )", "net loss -5"),
        ("gross [1] [2]", "gross"),
        ("( a )", "(a)"),
        ("years ended december 31 , 2013 ( 1 )", "years ended december 31, 2013"),
        ("december 31,", "december 31"),
        ("u.s . dollars", "u.s. dollars"),
        ("working capital2", "working capital"),
        ("basel iii cet1", "basel iii cet1"),
        ("total tier 1capital ( a )", "total tier 1 capital"),
        ("", ""),
    ],
)
def test_labels_are_cleaned(text: str, label: str) -> None:
    assert clean_label(text) == label


SIGNS = st.sampled_from([*"()%$-.,/ 1", "2014", "2013", "2212", "20ac", "a3", "a0", "201c", "2019s", "fffd"])
WORDS = st.sampled_from(
    ["23", "4.5", ".6", "million", "billion", "december", "31", "q4", "fiscal", "to", "years", "nm", "x"]
)
PIECES = SIGNS | WORDS
TEXT = st.one_of(
    st.text(max_size=80), st.lists(PIECES, max_size=14).map(" ".join), st.lists(PIECES, max_size=14).map("".join)
)


@given(TEXT)
def test_any_text_is_a_quantity_or_a_named_error(text: str) -> None:
    quantities = parse_cell(text)
    if quantities:
        assert parse_quantity(text) == quantities[0]
    else:
        with pytest.raises(QuantityError):
            parse_quantity(text)
    assert all(isinstance(q, Quantity) and q.value.is_finite() and q.text in text for q in quantities)


@given(TEXT)
def test_spans_are_within_the_text_and_ordered(text: str) -> None:
    position = 0
    for span in find_quantities(text):
        assert position <= span.start < span.end <= len(text)
        assert span.quantity.text == text[span.start : span.end]
        assert span.quantity.value.is_finite()
        position = span.end


@given(TEXT)
def test_any_text_has_a_clean_label(text: str) -> None:
    label = clean_label(text)
    assert label == label.strip()
    assert "  " not in label


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=2))
def test_every_printed_form_of_a_number_is_parsed(value: Decimal) -> None:
    digits = format(abs(value), "f")
    assume(not digits.startswith(("2212", "2013", "2014")))  # these prefixes of a percentage are removed as debris
    forms = (
        [f"({digits})", f"-{digits} ( {digits} )", f"$ ( {digits} )"]
        if value < 0
        else [digits, f"$ {digits}", f"{digits}%"]
    )
    assert {parse_quantity(form).value for form in forms} == {value}


@pytest.mark.very_slow
@pytest.mark.parametrize("piece", ["(", " ", "9", "1,", "( ", "december ", "2014 ", "$ ", "1 (", "- ", "a0", "%( "])
def test_a_hundred_thousand_characters_are_read(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    assert all(span.end <= len(text) for span in find_quantities(text))
    assert all(quantity.value.is_finite() for quantity in parse_cell(text))
    assert clean_label(text) == clean_label(text).strip()


def test_a_number_glued_to_the_word_before_it_is_read_and_a_year_is_not() -> None:
    found = find_quantities("sales rose by140 million to3.5% , not in q2 , co2 , by2014 or at1 capital")
    assert [span.quantity.text for span in found] == ["140 million", "3.5%"]


@pytest.mark.parametrize(
    "glued", ["in the year of2019, sales", "until the end of2019.", "to31 December 2019", "of1.2.2019"]
)
def test_no_year_and_no_date_that_is_glued_to_a_word_is_an_amount(glued: str) -> None:
    assert [span.quantity.text for span in find_quantities(glued)] == []


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("12% (3%)", ["12", "-3"]),  # from two merged columns
        ("12.5 % ( 3.2 )", ["12.5", "-3.2"]),
        ("1,250 ( 435 )", ["1250", "-435"]),
        ("12.5 % 3.2 %", ["12.5", "3.2"]),
        ("12.5 % ( 12.5 % )", ["12.5"]),
        ("12 345", []),
        ("1.2.3", []),
    ],
)
def test_numbers_that_a_sign_parts_are_several_and_others_may_be_one_in_parts(text: str, values: list[str]) -> None:
    assert [quantity.value for quantity in parse_cell(text)] == [Decimal(value) for value in values]


@pytest.mark.parametrize(
    ("text", "value"), [("17 1/4", "17.25"), ("$ 9-7/8", "9.875"), ("12 8/4", None), ("3/4", None)]
)
def test_price_with_a_fraction(text: str, value: str | None) -> None:
    assert [quantity.value for quantity in parse_cell(text)] == ([Decimal(value)] if value else [])
