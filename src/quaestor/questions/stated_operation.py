"""What a question states outright to compute: changes and ratios between times, and sums.

A classifier finds the operation of all others.
"""

import re

from quaestor.questions.understanding import Reading

_PREFACE = r"^(?:(?:between|from|in|during|for|over|as of)\b[^?]{0,60}?,\s*)?"
_CHANGE = re.compile(
    _PREFACE + r"what(?:'s| is| was| were| has been| would be)(?: the)? (?:(?:total|net|overall|absolute|annual) )*"
    r"(?:change|difference|increase|decrease|decline)s? (?:observed |seen |recorded )?(?:in|of|between)\b"
    r"|" + _PREFACE + r"how much (?:did|has|have) .{2,120} (?:changed?|differ(?:ed)?)\b"
)
_PERCENT = re.compile(r"%|\b(?:percent\w*|pct|rate of (?:change|growth)|relative|average (?:annual|yearly))\b")
_RATIO = re.compile(r"\bratio of\b")
_SUM = re.compile(_PREFACE + r"what(?:'s| is| was| were| would be)(?: the)? (?:total )?sum of\b")
_TOTAL = re.compile(_PREFACE + r"what(?:'s| is| was| were| would be)(?: the)? (?:combined )?total of\b")
_COMBINED = re.compile(r"\b(?:combined|taken together|put together|added together|altogether)\s*\??$")
_HIGH, _LOW = r"(?:highest|high)", r"(?:lowest|low)"
_SPREAD = re.compile(
    r"\b(?:difference|change|spread|range|gap|variance|fluctuation)\b.{0,60}"
    rf"(?:\b{_HIGH}\b.{{1,40}}\b{_LOW}\b|\b{_LOW}\b.{{1,40}}\b{_HIGH}\b)"
)
_PRICE = re.compile(r"\b(?:prices?|shares?|stock|traded?|trading)\b")
_TWO = 2


def read_stated_operation(reading: Reading) -> str:
    """Return the intent that a question states: `change` or `ratio` of two times, `change` of prices, `sum`, or ""."""
    text = reading.text.lower().replace("\u2019", "'")
    if asks_for_spread(text):
        return "change"
    if reading.relation == "sum" and _SUM.search(text):
        return "sum"
    return _of_two_times(reading, text) if _names_two_times(reading) else ""


def _of_two_times(reading: Reading, text: str) -> str:
    """Return what a question states to compute of two times."""
    if any(pattern.search(text) for pattern in (_SUM, _TOTAL, _COMBINED)):
        return "sum"
    if _RATIO.search(text) and not reading.relation and _counts_two(reading):
        return "ratio"
    found = _CHANGE.search(text)
    if found is None or _PERCENT.search(text) or reading.unit in ("percent", "points"):
        return ""
    # "the difference between sales and costs in 2023 and 2022" relates two things.
    related = reading.relation in ("difference", "versus") or (bool(reading.relation) and found[0].endswith("between"))
    return "" if related else "change"


def asks_for_spread(text: str) -> bool:
    """Return whether a text in lower case asks for the distance from the lowest to the highest price."""
    return bool(_SPREAD.search(text) and _PRICE.search(text))


def _names_two_times(reading: Reading) -> bool:
    """Return whether a question names two years or more, as a span of years or one by one."""
    times = reading.moments
    if len(times) == 1:
        return times[0].year is not None and times[0].back is not None and times[0].count is not None
    return len(times) == _TWO and all(one.year is not None and one.count is None for one in times)


def _counts_two(reading: Reading) -> bool:
    """Return whether of the times that a question names there are two."""
    return len(reading.moments) == _TWO or reading.moments[0].count == _TWO
