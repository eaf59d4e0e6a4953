"""Periods of columns that contain changes: "Change" between 2024 and 2023 belongs to 2024.

Such headings rarely have a year, or have the one compared with ("change vs. 2023").
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import Period
from quaestor.documents.table import Header

_CHANGE = lazy_regex(r"\b(?:change|variance|increase|decrease|growth rate)\b(?! rates?\b)", re.IGNORECASE)
_LONGEST = 60
_PAIR = 2
_YEAR = lazy_regex(r"\b(?:19|20)\d\d\b")
_VERSUS = lazy_regex(r"\b(?:vs\.?|versus|from|over|compared (?:to|with))\s", re.IGNORECASE)


def dated_changes(columns: Sequence[Header]) -> tuple[Header, ...]:
    """Return the column headers; a column of changes gets the later of the two periods it compares.

    Either each period is followed by its change from the next one (2024, change, 2023, change, 2022), or two periods by
    the change between them (2024, 2023, change).
    """
    found, periods = list[Header](), list[Period]()
    follows_one: bool | None = None
    for place, header in enumerate(columns):
        if not place or not _is_change(header):
            found.append(header)
            if place and header.period is not None and (not periods or periods[-1] != header.period):
                periods.append(header.period)
            continue
        if follows_one is None:
            follows_one = len(periods) == 1
        if (period := _later_year(header, columns)) is not None:
            found.append(replace(header, period=period))
            continue
        ahead = next((later.period for later in columns[place + 1 :] if later.period and not _is_change(later)), None)
        pair = [*periods[-1:], *([ahead] if ahead else [])] if follows_one else periods[-2:]
        found.append(replace(header, period=_later_period(pair)) if _later_period(pair) is not None else header)
    return tuple(found)


def names_change(label: str) -> bool:
    """Return whether a column header is that of changes."""
    return len(label) <= _LONGEST and bool(_CHANGE.search(label))


def _is_change(header: Header) -> bool:
    """Whether a column contains changes without a single period in its header."""
    if not names_change(header.label):
        return False
    return header.period is None or bool(_VERSUS.search(header.label))


def _later_year(header: Header, columns: Sequence[Header]) -> Period | None:
    """Return the later of two years in a header of changes ("2024 vs. 2023 change"), as in the other columns."""
    years = sorted({int(year) for year in _YEAR.findall(" ".join(header.levels))})
    if len(years) < _PAIR:
        return None
    return next((other.period for other in columns if other.period and other.period.year == years[-1]), None)


def _later_period(pair: Sequence[Period]) -> Period | None:
    """Return the later of two periods of the same kind, or None."""
    if len(pair) < _PAIR or len({(period.kind, period.month, period.quarter, period.months) for period in pair}) > 1:
        return None
    return max(pair, key=lambda period: period.year)
