"""Replaces colloquial words of questions with those of statements: "capex", "buy back".

Contains only expressions that filings rarely use, and abbreviations in questions and labels.
"""

import re
from functools import lru_cache

from quaestor.core.patterns import lazy_regex

_ABBREVIATIONS = tuple(
    (lazy_regex(rf"(?<![\w&])(?:{pattern})(?![\w&])", re.IGNORECASE), formal)
    for pattern, formal in (
        (r"cap-?ex", "capital expenditures"),
        (r"op-?ex", "operating expenses"),
        (r"r ?(?:&|and) ?d", "research and development"),
        (r"sg ?& ?a", "selling, general and administrative"),
        (r"s ?& ?m", "sales and marketing"),
        (r"g ?& ?a", "general and administrative"),
        (r"d ?& ?a", "depreciation and amortization"),
        (r"eps", "earnings per share"),
        (r"dps", "dividends per share"),
        (r"pp ?& ?e", "property, plant and equipment"),
        (r"fcf", "free cash flow"),
        (r"sbc", "stock-based compensation expense"),
        (r"roe", "return on equity"),
        (r"roa", "return on assets"),
        (r"roic", "return on invested capital"),
        (r"a/r", "accounts receivable"),
        (r"a/p", "accounts payable"),
        (r"aoci", "accumulated other comprehensive income"),
        (r"apic", "additional paid-in capital"),
        (r"nii", "net interest income"),
        (r"pbt", "profit before tax"),
    )
)
_COST_OF_SALES = lazy_regex(r"\bcogs\b", re.IGNORECASE)
_TURNS = tuple(
    (lazy_regex(rf"\b(?:{pattern})\b", re.IGNORECASE), formal)
    for pattern, formal in (
        (r"(?:buy|buying|bought|buys) back (?:(?:its|their|his|our) )?(?:own )?(?:shares?|stock)", "share repurchases"),
        (r"buy-?backs?|(?:buy|buying|bought) back", "share repurchases"),
        (
            r"how much (?:money )?(?:did|does|do|has|have) (\S+ ){1,3}(?:make|made|earn|earned)(?! (?:from|on|with))",
            "net income",
        ),
        (r"how many (?:people|workers|persons) (?=(?:work|worked|are|were|do|does|did) )", "how many employees "),
        (r"bottom line", "net income"),
        (r"top line|turnover(?! (?:ratio|rate))", "revenue"),
        (r"cogs", "cost of sales"),
        (r"head-?count|staff|workforce", "employees"),
        (r"cash (?:on hand|pile|balance)", "cash and cash equivalents"),
        (r"(?:paid|pay|paying) (?:out )?(?:in )?dividends|paid (?:out )?to (?:share|stock)holders", "dividends paid"),
        (r"f[ae]ll(?:en|s)?|drop(?:s|ped)?|shr[aiu]nk|(?:go|goes|gone|went|come|came) down", "decrease"),
        (r"ris(?:e|es|en)|rose|gr[eo]wn?|climb(?:s|ed)?|(?:go|goes|gone|went) up", "increase"),
        (r"working capital changes?", "changes in operating assets and liabilities"),
    )
)


@lru_cache(maxsize=1024)
def in_words_of_reports(text: str) -> str:
    """Return a question with colloquial expressions replaced by those of reports.

    >>> in_words_of_reports("what was capex in 2024?")
    'what was capital expenditures in 2024?'
    """
    for turn, formal in (*_ABBREVIATIONS, *_TURNS):
        text = turn.sub(formal, text)
    return text


@lru_cache(maxsize=8192)
def expand_abbreviations(label: str) -> str:
    """Return a label with its abbreviations spelled out; cost of goods sold gets both of its names.

    >>> expand_abbreviations("EPS, diluted")
    'earnings per share, diluted'
    """
    label = _COST_OF_SALES.sub("cost of goods sold, cost of sales", label)
    for short, full in _ABBREVIATIONS:
        label = short.sub(full, label)
    return label
