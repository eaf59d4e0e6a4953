import pytest

from quaestor.ontology.line_matching import caption_key, readings


@pytest.mark.parametrize(
    ("caption", "other"),
    [
        ("Earnings (loss) before income taxes", "pre-tax income"),
        ("total stockholders' equity", "shareholders' equity, total"),
        ("(increase) decrease in receivables", "changes in receivables"),
        ("balance, beginning of the fiscal year", "balance at beginning of period"),
        ("non-current liabilities", "long-term liabilities"),
        ("U.S. pension plans", "pension plans in the United States"),
        ("weighted-average shares", "average weighted stock"),
    ],
)
def test_captions_of_one_line_have_one_key(caption: str, other: str) -> None:
    assert caption_key(caption) == caption_key(other)


@pytest.mark.parametrize(
    ("caption", "other"),
    [
        ("return on sales", "sales returns"),
        ("transfers to level 3", "transfers from level 3"),
        ("gross profit", "net profit"),
        ("income before taxes", "income after taxes"),
        ("level 2", "level 3"),
        ("earnings", "earnings per share"),
        ("net income", "net loss"),
    ],
)
def test_captions_of_different_lines_have_different_keys(caption: str, other: str) -> None:
    assert caption_key(caption) != caption_key(other)


@pytest.mark.parametrize(
    ("caption", "shortest"),
    [
        ("4.25% senior notes due 2021", "senior notes"),
        ("Less: accumulated depreciation (note 4)", "accumulated depreciation"),
        ("total operating expenses, net", "operating expenses"),
        ("accounts receivable, less allowances of $ 4.2 million", "accounts receivable"),
        ("goodwill as of december 31, 2011", "goodwill"),
        ("cash flows: capital expenditures", "capital expenditures"),
    ],
)
def test_words_around_the_name_of_a_caption_are_ignored(caption: str, shortest: str) -> None:
    assert list(readings(caption))[-1] == shortest
    assert next(iter(readings(caption))) == caption.lower()


@pytest.mark.parametrize(
    "caption",
    ["mortgage loans (average)", "net income excluding one-time items", "margin (percent)", "debt including interest"],
)
def test_qualifiers_of_a_caption_are_kept(caption: str) -> None:
    assert list(readings(caption)) == [caption]
