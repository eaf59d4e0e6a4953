"""What a question says in so many words to compute from two numbers.

Owns only wordings that leave no doubt. Of all others a classifier tells the operation.
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
_TWO = 2


def read_stated_operation(reading: Reading) -> str:
    """Return the intent that a question states of two times: `change`, `ratio`, or ""."""
    if not _names_two_times(reading):
        return ""
    text = reading.text.lower().replace("\u2019", "'")
    if _RATIO.search(text) and len(reading.moments) == _TWO and not reading.relation:
        return "ratio"
    found = _CHANGE.search(text)
    if found is None or _PERCENT.search(text) or reading.unit in ("percent", "points"):
        return ""
    # "the difference between sales and costs in 2023 and 2022" relates two things.
    related = reading.relation in ("difference", "versus") or (bool(reading.relation) and found[0].endswith("between"))
    return "" if related else "change"


def _names_two_times(reading: Reading) -> bool:
    """Return whether a question names two years or more, as a span of years or one by one."""
    times = reading.moments
    if len(times) == 1:
        return times[0].year is not None and times[0].back is not None and times[0].count is not None
    return len(times) == _TWO and all(one.year is not None and one.count is None for one in times)
