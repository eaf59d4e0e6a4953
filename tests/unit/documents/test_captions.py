import pytest
from many_cases import for_each_row

from quaestor.core.quantity import Scale
from quaestor.documents.captions import Caption, caption_in_text, is_caption, read_caption, without_caption


@for_each_row(
    [
        ("", None, None),
        ("in millions", Scale.MILLION, None),
        ("( millions )", Scale.MILLION, None),
        ("$ in millions", Scale.MILLION, "USD"),
        ("( dollars in thousands , except per share )", Scale.THOUSAND, "USD"),
        ("in billions of dollars at year end", Scale.BILLION, "USD"),
        ("year ended december 31 ( in millions )", Scale.MILLION, None),
        ("years ended december 31 ( inmillions )", Scale.MILLION, None),
        ("operating leases ( in $ 000s )", Scale.THOUSAND, "USD"),
        ("shares ( 000 )", Scale.THOUSAND, "shares"),
        ("shares ( thous. )", Scale.THOUSAND, "shares"),
        ("passenger miles (000,000)", Scale.MILLION, None),
        ("number of rsus ( in thousands )", Scale.THOUSAND, "rsus"),
        ("millions except percentages", Scale.MILLION, None),
        ("for 2009 ( in millions of u.s . dollars except for percentages )", Scale.MILLION, "USD"),
        ("as of december 31 2013 ( in percentages )", Scale.PERCENT, None),
        ("% (  % ) change", Scale.PERCENT, None),
        ("percent of total", Scale.PERCENT, None),
        ("5.00% ( 5.00 % ) notes", None, None),
        ("average price paid per share", Scale.ONE, None),
        ("tier 1 capital ratio", Scale.ONE, None),
        ("inventory turnover", Scale.ONE, None),
        ("net debt to equity", Scale.ONE, None),
        ("days sales outstanding", Scale.ONE, None),
        ("diluted eps", Scale.ONE, None),
        ("shares for diluted eps", None, "shares"),
        ("net earnings for diluted eps", None, None),
        ("weighted average useful life ( years )", Scale.ONE, "years"),
        ("december 31 ( in dollars )", Scale.ONE, "USD"),
        ("variance in dollars", None, "USD"),
        ("2018 $\u2019000 restated3", Scale.THOUSAND, "USD"),
        ("size ( square feet )", None, "square feet"),
        ("cash flowsmillions", Scale.MILLION, None),
        ("years ended december 31 thousands", Scale.THOUSAND, None),
        ("december 31millions of dollars", Scale.MILLION, "USD"),
        ("volatility (bps)", Scale.ONE, "basis points"),
        ("charge-offs to average loans", Scale.ONE, None),
        ("average price paid per share2", Scale.ONE, None),
        ("vested performance unit awards", None, None),
        ("total staff", None, "staff"),
        ("total cost of shares purchased", None, None),
        ("net revenue", None, None),
        ("€m", Scale.MILLION, "EUR"),
        ("2019 £m", Scale.MILLION, "GBP"),
        ("amount ( US$m )", Scale.MILLION, "USD"),
        ("$'000", Scale.THOUSAND, "USD"),
        ("$\u2019000 restated", Scale.THOUSAND, "USD"),
        ("all figures in USD \u2018000, except rates per day", Scale.THOUSAND, "USD"),
        ("RMB\u2019Million", Scale.MILLION, "CNY"),
        ("$ million", Scale.MILLION, "USD"),
        ("(S$ billion)", Scale.BILLION, "SGD"),
        ("USDm", Scale.MILLION, "USD"),
        ("(in million)", Scale.MILLION, None),
        ("earnings (in thousand NT dollars)", Scale.THOUSAND, "TWD"),
        ("notes of $ million 2019", None, None),
        ("a market", None, None),
        ("Adjusted EPS (cent)", Scale.ONE, "cents"),
        ("Dividends per share \u2013 pence", Scale.ONE, "pence"),
        ("Pence per share", Scale.ONE, "pence"),
        ("2025 pence", Scale.ONE, "pence"),
        ("Earnings (in cents per share)", Scale.ONE, "cents"),
        ("Dividend (cps)", Scale.ONE, "cents"),
        ("Net dividend (S\u00a2)", Scale.ONE, "cents"),
        ("HK cents", Scale.ONE, "cents"),
        ("Earnings per share (Singapore cents)", Scale.ONE, "cents"),
        ("Dividend (\u00a2)", Scale.ONE, "cents"),
        ("Proceeds from shares at 250p per share", None, None),
        ("Final dividend of 12.5p (2023: 11.8p) per share", None, None),
        ("Cost to income ratio (%)", Scale.PERCENT, None),
        ("2025 % of total", Scale.PERCENT, None),
        ("Dec 25 v Jun 25 %", Scale.PERCENT, None),
        ("2025 Million", Scale.MILLION, None),
        ("Number of shares million", Scale.MILLION, "shares"),
        ("Number '000", Scale.THOUSAND, None),
        ("Sales per square metre ($)", Scale.ONE, "USD"),
        ("Rent per annum ($)", None, "USD"),
    ]
)
def test_scale_and_unit_of_a_caption(text: str, scale: Scale | None, unit: str | None) -> None:
    assert read_caption(text) == Caption(scale, unit)


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("( in thousands )", True),
        ("millions of dollars", True),
        ("$ in millions", True),
        ("( dollars in millions )", True),
        ("$", True),
        ("€m", True),
        ("(RMB\u2019Million)", True),
        ("2019 €m", False),
        ("amount ( in millions )", False),
        ("2014", False),
        ("", False),
        ("year", False),
    ],
)
def test_a_cell_that_is_nothing_but_a_caption(text: str, alone: bool) -> None:
    assert is_caption(text) is alone


def test_a_label_is_freed_of_its_caption() -> None:
    assert without_caption("amount ( in millions )") == "amount"
    assert without_caption("( in millions )") == "( in millions )"
    assert without_caption("inventories ( net )") == "inventories ( net )"


def test_the_last_sentence_before_a_table_gives_its_scale() -> None:
    sentences = ["the figures ( in thousands ) follow .", "they are ( dollars in millions , except ratios ) : ."]
    assert caption_in_text(sentences) == Caption(Scale.MILLION, "USD")
    assert caption_in_text(sentences[:1]) == Caption(Scale.THOUSAND)
    assert caption_in_text(["it cost $ 5 million ."]) == Caption()
