"""Signs that accounts print once: a column's first line and its total have `$`, those between count the same."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from quaestor.core.currencies import is_currency
from quaestor.core.quantity import Quantity, Scale

_TOTAL = re.compile(r"^(?:sub)?-?total|\btotal$|^net\b|^balance\b|\bend(?:ing)? (?:balance|of)\b", re.IGNORECASE)
_OTHER = re.compile(
    r"\b(?:shares?|units?|options?|awards?|number|volumes?|count|customers|employees|contracts|barrels|tons|gallons"
    r"|percent\w*|rates?|ratios?|margins?|yield|weighted|average|per|effective|m?bpd"
    r"|mboe|bcf|mmcf|mwh|gwh|twh)\b|(?<![0-9])(?<![0-9]\s)%",
    re.IGNORECASE,
)
"""A line that counts something else than money, or whose print does not say that it counts money."""
_MOST = 80
"""Lines that are looked at above and below a cell."""

Line = tuple[str, Sequence[Quantity]]
"""The label of a row, and the numbers of its cell in one column."""


def currency_between(above: Iterable[Line], label: str, below: Iterable[Line]) -> str | None:
    """Return the currency that the number of a line counts in, although its cell prints no sign; None if it has none.

    Args:
        above: The lines over it in its column, the nearest first.
        below: The lines under it, the nearest first.
    """
    if _counts_otherwise(label):
        return None
    code = _currency_at(above, total=False)
    return code if code is not None and code == _currency_at(below, total=True) else None


def _currency_at(lines: Iterable[Line], *, total: bool) -> str | None:
    """Return the currency of the nearest line with a printed unit, over lines that could count in it too."""
    for _, (label, numbers) in zip(range(_MOST), lines, strict=False):
        if not numbers:
            continue
        if is_currency(numbers[0].unit):
            counts = not _counts_otherwise(label) and (not total or _TOTAL.search(label) is not None)
            return numbers[0].unit if counts else None
        if numbers[0].unit is not None or numbers[0].scale is not Scale.ONE or _counts_otherwise(label):
            return None
    return None


@lru_cache(maxsize=8192)
def _counts_otherwise(label: str) -> bool:
    """Whether a line counts something else than money; asked again of the same labels for each cell near them."""
    return _OTHER.search(label) is not None
