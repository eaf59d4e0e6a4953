"""`find_in_text`: numbers of the sentences and labels by the words around them, what they count, and their period.

Owns the comparison. One number that fits is taken; of several all are shown, and none is chosen.
"""

import re
from collections.abc import Sequence

from quaestor.core.answer_value import json_number
from quaestor.core.periods import Period, parse_period
from quaestor.core.stop_words import SMALL_WORDS
from quaestor.core.words import search_words, singular
from quaestor.graph.facts import HeaderNumber, MentionFact, period_code, year_of
from quaestor.solvers.tools.messages import FindInText, MentionShown, Refusal, Scalar, TextMatches
from quaestor.solvers.tools.page import GraphPage, nearest
from quaestor.solvers.tools.plan_builder import PlanBuilder

_MOST_SHOWN = 10
# Of the words asked for; what has fewer of them is another sentence.
_SHARE_NEEDED = 0.5
_UNITS = {
    "$": "usd", "us$": "usd", "dollar": "usd", "dollars": "usd", "%": "percent", "percentage": "percent",
    "percentages": "percent", "€": "eur", "euro": "eur", "euros": "eur", "£": "gbp", "pounds": "gbp",
    "thousands": "thousand", "millions": "million", "billions": "billion",
}  # fmt: skip

InText = MentionFact | HeaderNumber


def find_in_text(page: GraphPage, draft: PlanBuilder, request: FindInText) -> TextMatches | Refusal:
    """Returns the numbers that fit, best first, and adds a step where there is exactly one.

    Args:
        page: The page.
        draft: The plan of the turn, which the step is added to.
        request: The arguments.
    """
    if request.words is None and request.unit is None and request.period is None:
        return Refusal("find_in_text needs something to look for", "Give words, unit or period")
    numbers: list[InText] = [*page.graph.mentions, *(label for label in page.graph.labels if not label.year)]
    period = None
    if request.period is not None and (period := read_period(request.period)) is None:
        return Refusal(
            f"'{request.period}' is no period", "Write a year (2007), a quarter (2007-Q3) or a date", _periods(numbers)
        )
    fitting = [n for n in numbers if counts(n, request.unit) and _is_of(n, period)]
    words = [word for word in search_words(request.words or "") if word not in SMALL_WORDS]
    shares = {i: _share(n, words) for i, n in enumerate(fitting)}
    best = max(shares.values(), default=0.0)
    if not fitting or best < _SHARE_NEEDED:
        return _nothing(numbers, words, request)
    return _matches([fitting[i] for i, share in shares.items() if share == best], best == 1, draft, request)


def _matches(found: Sequence[InText], complete: bool, draft: PlanBuilder, request: FindInText) -> TextMatches:
    for item in found[:_MOST_SHOWN]:
        draft.show(item)
    step = draft.extract(found[0], request.words) if len(found) == 1 and complete else None
    note = None if complete else "No number has all the words; these have the most of them"
    if len(found) > 1:
        several = "Several numbers fit and none was chosen: give more words, a unit or a period, or calculate with one"
        note = f"{note}. {several}" if note else several
    return TextMatches(len(found), tuple(_shown(item) for item in found[:_MOST_SHOWN]), step, note)


def _shown(item: InText) -> MentionShown:
    return MentionShown(
        value=json_number(item.quantity.value),
        raw_value=item.quantity.text,
        scale=item.counts.scale_word,
        unit=item.quantity.unit,
        period=period_code(item.period) if item.period else None,
        sentence=item.sentence if isinstance(item, MentionFact) else item.label,
        source=item.source,
    )


def _nothing(numbers: Sequence[InText], words: Sequence[str], request: FindInText) -> Refusal:
    # In the order of the page: of words equally near the first are named, the same in every process.
    said = dict.fromkeys(word for item in numbers for word in search_words(_text(item)))
    near = [close for word in words if word not in said for close in nearest(word, said, 2)]
    units = sorted({item.quantity.unit or item.quantity.scale.value for item in numbers})
    asked = {"words": request.words, "unit": request.unit, "period": request.period}
    return Refusal(
        "No number in the text has " + ", ".join(f"{k} = {v}" for k, v in asked.items() if v is not None),
        f"Use other words, or query_kg for numbers of a table; units here are {', '.join(units) or 'none'}, "
        f"periods {', '.join(_periods(numbers)) or 'none'}",
        nearest=tuple(dict.fromkeys(near)),
    )


def read_period(value: Scalar) -> Period | None:
    """Returns the period that a model writes (2007, 2007-Q3, a date); None where it writes none."""
    text = str(value).strip()
    if quarter := re.fullmatch(r"([12][0-9]{3})-?q([1-4])", text, re.IGNORECASE):
        return Period("quarter", int(quarter[1]), quarter=int(quarter[2]))
    return parse_period(text)


def _periods(numbers: Sequence[InText]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(period_code(n.period) for n in numbers if n.period))[:_MOST_SHOWN]


def _is_of(item: InText, period: Period | None) -> bool:
    """Whether a number is of a period; a year fits every period that ends in it."""
    if period is None:
        return True
    return item.period == period or (period.kind == "year" and year_of(item.period) == period.year)


def counts(item: InText, unit: str | None) -> bool:
    """Whether a number counts a unit or has a scale, by any of its names; every number does where none is asked for."""
    if unit is None:
        return True
    wanted = _unit(unit)
    return wanted in {_unit(name) for name in (item.quantity.scale.value, item.quantity.unit) if name} - {"", "one"}


def _unit(name: str) -> str:
    """Returns the one name of a unit or a scale: `$` and dollars are usd, shares are share."""
    said = name.strip().casefold()
    return " ".join(map(singular, _UNITS.get(said, said).split()))


def _share(item: InText, words: Sequence[str]) -> float:
    """Returns how many of the words stand in the same sentence or label, from 0 to 1."""
    said = search_words(_text(item))
    return sum(word in said for word in words) / len(words) if words else 1.0


def _text(item: InText) -> str:
    return item.sentence if isinstance(item, MentionFact) else item.label
