"""Kinds of quantities by the label of a row or column: prices, shares, percentages, years, money, counts.

The resulting scales and units are determined in `units`.
"""

import re
from functools import lru_cache
from typing import Literal

from quaestor.core.currencies import CODE
from quaestor.core.patterns import lazy_regex

Kind = Literal["price", "shares", "percent", "time", "money", "count"]

_BRACKETED_NUMBER = lazy_regex(r"\s?\([^()]{0,120}[0-9][^()]{0,120}\)\s?")
_FUSED_MARK = lazy_regex(r"(?<=[a-z]{4})[1-9](?![0-9.,%])")
_PER = lazy_regex(
    r"(?<![0-9]\s)(?<![0-9][pc¢]\s)(?<![0-9]\scents\s)(?<![0-9]\spence\s)\bper[\s-]+(?:[a-z]+[\s-]+){0,3}?(?:shares?|(?:common|ordinary|preferred)\s+stock|unit|ads|adr|option|warrant|award|gallon|barrel|bbl|boe|mcf|ton|tonne|pound|ounce"
    r"|square\sfoot|kwh|mwh|mmbtu|therm|asm|rpm|available\sseat\smile|room|passenger|shipment|package)\b|\bpershare\b|\beps\b"
    r"|/\s?(?:oz(?:\ssold)?|lb|bbl|boe|mcf|mmbtu|[km]wh|t|ton(?:ne)?|kg|m2|sq\.?\s?(?:ft|m)|usd|us\$|eur|gbp)\)"
    # "Sales per square metre ($)", but not "Rent per annum ($)".
    r"|\bper\s(?!(?:annum|year|quarter|month|week|day|cent|note|the)\b)(?:[a-z]{1,20}\s){1,4}\((?:[a-z]{0,3}[$£€¥]|"
    rf"{CODE})\)|\b(?:earnings|dividends?)\s?/\s?share\b|\({CODE}\sper\s[a-z]{{1,12}}\)",
    re.IGNORECASE,
)
_SHARES_OF = lazy_regex(
    r"^(?:(?:total|basic|diluted|common|weighted|average|number|of|the|and|adjusted|approximate|maximum|treasury|net"
    r"|class|[ab]|ordinary|preferred|stock|anti-?dilutive|potentially|dilutive|additional|other)[\s:,\u2013\u2014-]*)*"
    r"shares\b(?!\s*(?:price|expense|compensation|repurchase\s+program|(?:re)?issued?\s+(?:for|under|in|upon|on)\b))"
    r"|\b(?:rsus|rsu['\u2019]s|psus|options|units|awards)\b[\s:,\u2013\u2014-]*(?:outstanding|granted|vested|exercised|forfeited|expired"
    r"|cancell?ed|excluded|exercisable|unvested|non-?vested)\b"
    r"|\b(?:number|amount|no\.?)\s+of\s+(?:[a-z-]+\.?\s+){0,3}(?:shares|units|options|rsus|awards)\b"
    r"|\bshares\s+(?:used|outstanding|issued|authorized|granted|repurchased|purchased|reserved|available|excluded|in)\b"
    r"|\bweighted[\s-]+average\s+(?:[a-z-]+\s+){0,5}(?:shares|stock)\b|\bweighted[\s-]+average\s+number\b"
    r"|\banti-?dilutive\b|\b(?:effect\s+of\s+)?dilutive\s+(?:effect|securities|impact|stock|awards|potential)"
    r"|^effect\s+of\s+dilut|\(\s?(?:in\s+)?(?:thousands\s+of\s+|millions\s+of\s+)?shares\b|\bin shares\b",
    re.IGNORECASE,
)
_MONEY = lazy_regex(
    r"\b(?:net\s+(?:income|earnings|loss|sales|revenues?)|revenues?|income|earnings|dividends?\s+(?:declared|paid)|cost|costs"
    r"|expenses?|proceeds|payments?|compensation|value|fair\svalue|amount|amounts|purchases?|repurchases?|sales|issuances?"
    r"|taxes|paid|assets|liabilities|equity|capital|cash|debt|gains?|loss(?:es)?|profit|\$|dollars)\b",
    re.IGNORECASE,
)
_USED_IN = lazy_regex(r"\b(?:used\s+(?:in|for|to)|numerator|for\s+(?:basic|diluted))\b", re.IGNORECASE)
_STOCK = lazy_regex(
    r"(?:[a-z]+\s+){0,4}(?:common|preferred|treasury|ordinary|capital|class\s[a-z])\s+(?:stock|shares?)\b"
    r".{0,200}(?:\bpar\b|\bstated\s+value|\bat\s+cost|\bauthorized)",
    re.IGNORECASE | re.DOTALL,
)
_PRICE = lazy_regex(
    r"\b(?:exercise|strike|conversion|market|offering|issue|redemption|closing|stock|share|purchase|average|grant)\s+price"
    r"|\bweighted[\s-]+average\s+(?:[a-z-]+\s+){0,4}(?:fair\s+value|price)|\bgrant(?:ed)?[\s-]+date\s+fair\s+value"
    r"|\baverage\s+(?:reali[sz]ed\s+|sales?\s+|selling\s+)?price\b"
    r"|\baverage\s+(?:ticket|basket)\b(?!.{0,60}(?:%|\b(?:change|increase|decrease|growth)\b))",
    re.IGNORECASE,
)
_PERCENT = lazy_regex(r"%|\bpercent(?:age)?s?\b", re.IGNORECASE)
_TIME = lazy_regex(
    r"\(\s?(?:in\s+)?years?\s?\)|\bin\s+years\b|\bremaining\s+(?:[a-z-]+\s+){0,3}(?:term|life|lives)\b|\buseful\s+li(?:fe|ves)\b"
    r"|\b(?:amortization|vesting|expected)\s+(?:period|term|life|lives)\b|\b(?:life|lives|term|period)\s+remaining\b",
    re.IGNORECASE,
)
_COUNT = lazy_regex(
    r"^(?:(?:total|average)\s+)?number\s+of\b|\bquantit(?:y|ies)$|\bunits\s+under\b|^(?:(?:total|average|full[\s-]time)\s+)*(?:employees|headcount|ftes?|stores"
    r"|full[\s-]time[\s-]equivalents?|branches|banking\s+offices|degree\s+days"
    r"|restaurants|locations|customers\b(?!,?\s+(?:net|less)\b)|subscribers|policies|vehicles\b(?!,?\s+and\b)|square\s+feet)\b|\b(?:store|head|unit|customer|employee|room|vessel|site|branch|rig|claims?)\s?counts?\b"
    r"|\bnumber\s+of\s+(?:[a-z]+\s+){0,2}claims\b|\(m{0,2}(?:bbls?|boe|cfe?|btu|gal|dth|therms?)(?:/d)?\)"
    r"|\b(?:(?:new|closed|opened|acquired|available|operating|ownership|off-?hire|total|average)\s){1,3}(?:days|stores|outlets|restaurants|shops|branches|vessels|hotels)$"
    r"|\((?:in\s)?(?:(?:thousand|million|billion)s?\s(?:of\s)?)?(?:[mgtk]wh|mw|gw|[km]?oz|ounces|g/t(?:\s[a-z]{2})?|carats|[mk]?t|tonnes|tons|kt\s?co2e?|t\s?co2e?|barrels|boe|boepd|mboe|bcf|hectares|acres|km|m[23²³]"
    r"|litres|liters|ftes|number|units|#)\)",
    re.I,
)
_UNIT_IN_BRACKETS = lazy_regex(
    r"\((?:in\s)?(?:(thousand|million|billion)s?\s(?:of\s)?)?([^()]{1,20})\)$", re.IGNORECASE
)
_TOTAL_VALUE = lazy_regex(
    r"\b(?:aggregate|total|unrecogni[sz]ed)\s+(?:[a-z-]+\s+){0,3}(?:value|price)|intrinsic\s+value", re.IGNORECASE
)
_WEIGHT_PER = lazy_regex(r"\bweight\s+per\b", re.IGNORECASE)
_LESS_ALLOWANCE = lazy_regex(r"\((?:net|less)(?:\sof)?\s(?:an\s|the\s)?allowances?\b", re.IGNORECASE)
"""Balances, whose first word may be taken for what they count: "Customers (net of allowance of $56)"."""


_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("money", _TOTAL_VALUE),
    ("price", _PRICE),
    ("time", _TIME),
    ("percent", _PERCENT),
    ("count", _COUNT),
    ("money", _MONEY),
)
"""Tried in this order for labels about neither shares nor amounts per share."""


@lru_cache(maxsize=8192)
def kind_of(label: str) -> Kind | None:
    """Return the kind of the numbers under a label, or None.

    >>> [kind_of(t) for t in ("Diluted earnings per share", "Shares used in earnings per share", "Net sales")]
    ['price', 'shares', 'money']
    """
    text = _FUSED_MARK.sub("", _BRACKETED_NUMBER.sub(" ", label).strip())
    if _STOCK.match(label) or _LESS_ALLOWANCE.search(label):
        return "money"
    if _WEIGHT_PER.search(text):
        return "count"
    shares = _SHARES_OF.search(text)
    # A word for money before the shares makes it an amount: "Proceeds from issuance of shares".
    if shares and not (_PRICE.search(text) or _MONEY.search(text, 0, shares.start())):
        per = _PER.search(text)
        if per is None or shares.start() < per.start():
            return "shares"
    if _PER.search(text):
        return "money" if _USED_IN.search(text) and _MONEY.match(text) else "price"
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), None)


def is_per_item(label: str) -> bool:
    """Return whether a label is of an amount per item: "Diluted earnings per share", "Sales per square metre ($)"."""
    return _PER.search(label) is not None


def mentions_percent(text: str) -> bool:
    """Return whether a text has the sign or the word for percentages."""
    return _PERCENT.search(text) is not None


def unit_in_brackets(label: str) -> tuple[str | None, str | None]:
    """Return the scale and unit in brackets in the label of a count; None for what there is not.

    >>> unit_in_brackets("Sales (millions of kWh):"), unit_in_brackets("Number of stores")
    (('million', 'kWh'), (None, None))
    """
    text = label.strip().rstrip(":")
    found = _UNIT_IN_BRACKETS.search(text)
    if not found or not _COUNT.search(found[0]):
        return None, None
    return found[1] and found[1].casefold(), found[2]
