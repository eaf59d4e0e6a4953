"""Alignment of the periods in a sentence with its numbers.

A number that is compared with another one does not get the other's period.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import Period, shifted
from quaestor.core.quantity import Scale
from quaestor.documents.document import Sentence

Span = tuple[int, int]
Dated = tuple[Period, int, int]

_FILLER = r"(?:approximately|about|nearly|a|an|net|of|\$|\()?"
_WORD = r"(?!(?:and|or)\b)[a-z]{2,12}\b"
_JOINT = lazy_regex(
    rf"(?: (?:[a-z]{{3,12}}s\b|(?P<counted>{_WORD}(?: {_WORD}){{0,2}})))?"
    rf"[\s,;)]*(?:and|or|&)?\s*{_FILLER}\s*{_FILLER}\s*",
    re.IGNORECASE,
)
"""Text between two numbers of one list, such as a comma, or a counted noun and "and"."""
_DATE_JOINT = lazy_regex(
    r"[\s,;]*(?:and|or|&)?[\s,]*(?:at|as of|in|for|for the years? ended)?\s*(?:fiscal(?: year)?)?\s*", re.IGNORECASE
)
_AGAINST = lazy_regex(
    r"[\s,)]*(?:(?:was|were|is|are) )?(?:as )?(?:compared|versus|vs|down from|up from|lower than|higher than|from)\b",
    re.IGNORECASE,
)
_FROM = lazy_regex(r"\bfrom (?:approximately |about |an? )?\$?\s*$", re.IGNORECASE)
_TO = lazy_regex(r"[\s,)]*\bto (?:approximately |about |an? )?\$?\s*", re.IGNORECASE)
_BASE = lazy_regex(
    r"\b(?:compared (?:with|to)|versus|vs ?\.?|than|over|from|against|same as)"
    r"(?: (?:in|for|that|of|fiscal|the|same|year|period))*\s*$",
    re.IGNORECASE,
)
"""Text before a period that a number is only compared with: "rose by $ 3 in 2012 from 2011"."""
_BOUNDS = lazy_regex(r"\bbetween $", re.IGNORECASE)
_RANGE = lazy_regex(r"\s*(?:to|through|until|and)\b", re.IGNORECASE)
"""Text after the first of two periods that are the bounds of a range."""
_BETWEEN = 60
"""Distance in characters added for each number between a number and a period."""
LOOKED_BACK = 2
"""Number of earlier sentences in which a list of numbers without periods looks for a list of periods."""


def aligned_periods(sentence: Sentence, earlier: Sequence[Sentence] = ()) -> tuple[Period | None, ...]:
    """Return the period of each number of a sentence, None if it has none.

    A list of numbers takes the periods of the nearest list of equal length, in order; if the sentence has no period, a
    list in a sentence shortly before. In "from A to B in 2012", A is of the year before; in "A compared with B in
    2012", A is of the year after, unless it has its own period. If numbers and periods alternate ("A in 2012 and B in
    2011"), each number has the next period, or the previous one if a period comes first. Otherwise the nearest period
    counts, and one after the number is preferred. A period used only for a comparison ("less than in 2011") counts only
    if there is no other one.

    Args:
        earlier: The sentences before it, oldest first; the last `LOOKED_BACK` suffice.
    """
    return tuple(_align_periods(sentence, earlier)[0])


def all_aligned_periods(sentence: Sentence, earlier: Sequence[Sentence] = ()) -> list[tuple[Period, ...]]:
    """Return all periods of each number of a sentence, beginning with that of `aligned_periods`.

    A number next to several periods has all of them ("$ 2 in both 2012 and 2011"), unless each has a separate number.
    """
    found, listed = _align_periods(sentence, earlier)
    periods: list[tuple[Period, ...]] = [(period,) if period else () for period in found]
    for dated in _find_period_lists(sentence):
        named = [period for period, _, _ in dated]
        takers = [n for n, period in enumerate(found) if n not in listed and period in named]
        if len({found[n] for n in takers}) != 1 or _BOUNDS.search(sentence.text, 0, dated[0][1]):
            continue
        for n in takers:
            periods[n] += tuple(period for period in named if period not in periods[n])
    return periods


def _align_periods(sentence: Sentence, earlier: Sequence[Sentence]) -> tuple[list[Period | None], set[int]]:
    """Return the period of each number, and which numbers take theirs from a list of periods."""
    spans = [(mention.ref.start, mention.ref.end) for mention in sentence.mentions]
    dates = own_periods(sentence)
    found = _align_in_turn(spans, sentence.text, dates) or _align_nearest(spans, sentence.text, dates)
    lists, listed = _Lists(sentence, earlier), set[int]()
    runs = ((run, lists.for_run(run, spans)) for run in _find_runs(sentence.text, spans, _JOINT))
    for run, periods in runs:
        for n, period in zip(run, periods, strict=False):
            found[n] = period
            listed.add(n)
    for n, after in zip(range(len(spans)), range(1, len(spans)), strict=False):
        moved = _period_before(spans[n], spans[after], found[after], sentence)
        found[n] = moved or found[n] or _period_compared(spans[n], found[after], sentence)
    return found, listed


def list_of(sentence: Sentence, number: int) -> range:
    """Return the indices of the numbers in the same list as a number of a sentence, including its own."""
    spans = [(mention.ref.start, mention.ref.end) for mention in sentence.mentions]
    runs = _find_runs(sentence.text, spans, _JOINT)
    return next((run for run in runs if number in run), range(number, number + 1))


def _find_runs(text: str, spans: Sequence[Span], joint: re.Pattern[str]) -> Iterator[range]:
    """Yield the lists of two or more spans that are separated only by joints."""
    start = 0
    for n in range(1, len(spans) + 1):
        if n < len(spans) and _is_joined(text, spans[n - 1], spans[n], joint):
            continue
        if n - start > 1:
            yield range(start, n)
        start = n


def _is_joined(text: str, one: Span, next_one: Span, joint: re.Pattern[str]) -> bool:
    """Whether two spans are separated only by a joint; a counted noun must follow both of them."""
    between = joint.fullmatch(text, one[1], next_one[0])
    if between is None:
        return False
    counted = between.groupdict().get("counted")
    return counted is None or text.startswith(f" {counted}", next_one[1])


class _Lists:
    """Lists of periods in a sentence and in the sentences before it."""

    def __init__(self, sentence: Sentence, earlier: Sequence[Sentence]) -> None:
        self._own = _group_by_length(_find_period_lists(sentence))
        self._text = sentence.text
        self._named = bool(sentence.periods)
        quantities = [mention.quantity for mention in sentence.mentions]
        self._counted = [(quantity.unit, quantity.scale is Scale.PERCENT) for quantity in quantities]
        self._used = 0
        self._before = [
            {length: lists[-1] for length, lists in _group_by_length(_find_period_lists(before)).items()}
            for before in reversed(earlier[-LOOKED_BACK:])
            if before.section == sentence.section
        ]

    def for_run(self, run: range, spans: Sequence[Span]) -> Sequence[Period]:
        """Return the periods for a list of numbers, in order; empty if no list has the same length."""
        start, end = spans[run[0]][0], spans[run[-1]][1]
        own = self._own.get(len(run))
        if own is None and len(self._own) == 1:
            # A longer list of numbers takes several lists of periods in turn, or repeats the only one.
            (lists,) = self._own.values()
            periods = [period for dated in lists for period, _, _ in dated]
            times, left_over = divmod(len(run), len(periods))
            return () if left_over or (times > 1 and len(lists) > 1) else periods * times
        if own:
            # A list of periods after the numbers it dates does not apply to later numbers, and one after the numbers of
            # a comparison applies only to those.
            compared = _AGAINST.match(self._text, end) and run[-1] + 1 < len(spans)
            until = spans[run[-1] + 1][0] if compared else len(self._text)
            left = [dated for dated in own if self._used <= dated[0][1] < until] or own
            nearest = min(
                left, key=lambda dated: dated[0][1] - end if dated[0][1] >= end else 2 * (start - dated[-1][2])
            )
            if nearest[0][1] >= end:
                self._used = nearest[-1][2]
            return [period for period, _, _ in nearest]
        if self._named or len({self._counted[n] for n in run}) > 1:
            return ()
        return [period for period, _, _ in next((lists[len(run)] for lists in self._before if len(run) in lists), ())]


def _group_by_length(lists: Sequence[list[Dated]]) -> dict[int, list[list[Dated]]]:
    found: dict[int, list[list[Dated]]] = {}
    for dated in lists:
        found.setdefault(len(dated), []).append(dated)
    return found


def _find_period_lists(sentence: Sentence) -> list[list[Dated]]:
    spans = [(start, end) for _, start, end in sentence.periods]
    return [[sentence.periods[n] for n in run] for run in _find_runs(sentence.text, spans, _DATE_JOINT)]


def own_periods(sentence: Sentence) -> Sequence[Dated]:
    """Return the periods of a sentence except those used only for comparisons; all if there are no others."""
    text = sentence.text
    own = [
        (period, start, end)
        for period, start, end in sentence.periods
        if _RANGE.match(text, end) or not _BASE.search(text, 0, start)
    ]
    return own or sentence.periods


def _align_in_turn(spans: Sequence[Span], text: str, dates: Sequence[Dated]) -> list[Period | None]:
    """Return periods for numbers that alternate with them at least twice, with one at either end; else nothing.

    A number that is compared with the next one does not get its period.
    """
    numbers = [(start, n, None) for n, (start, _) in enumerate(spans)]
    places = sorted([*numbers, *((begin, -1, period) for period, begin, _ in dates)], key=lambda place: place[0])
    if not numbers or not dates or (places[0][2] is None) == (places[-1][2] is None):
        return []
    leads = places[0][2] is not None
    ordered = places if leads else places[::-1]
    if sum(one[2] is not None and other[2] is None for one, other in pairwise(ordered)) < 2:
        return []
    found: list[Period | None] = [None] * len(spans)
    current, last = None, None
    for _, n, period in ordered:
        if period is not None:
            current = period
        elif leads or last is not None or not _AGAINST.match(text, spans[n][1]):
            found[n] = current
        last = period
    return found


def _align_nearest(spans: Sequence[Span], text: str, dates: Sequence[Dated]) -> list[Period | None]:
    starts = [start for start, _ in spans]
    return [_nearest_period(n, spans, starts, text, dates) for n in range(len(spans))]


def _nearest_period(
    n: int, spans: Sequence[Span], starts: Sequence[int], text: str, dates: Sequence[Dated]
) -> Period | None:
    start, end = spans[n]
    compared = _AGAINST.match(text, end) is not None

    def numbers_between(one: int, other: int) -> int:
        return max(0, bisect_left(starts, other) - bisect_left(starts, one))

    def distance(dated: Dated) -> tuple[int, int]:
        # The period of a number follows it more often than it precedes it.
        _, begin, stop = dated
        if begin >= end:
            return begin - end + _BETWEEN * numbers_between(end, begin), 0
        return 2 * (start - stop) + _BETWEEN * numbers_between(stop, start), 1

    following = spans[n + 1][0] if n + 1 < len(spans) else len(text)
    allowed = [dated for dated in dates if not (compared and dated[1] >= following)]
    return min(allowed, key=distance)[0] if allowed else None


def _period_before(span: Span, after: Span, period: Period | None, sentence: Sentence) -> Period | None:
    """Return the period of A in "from A to B", a year before that of B; None for other phrases."""
    between = sentence.text[span[1] : after[0]]
    if period is None or not _FROM.search(sentence.text, 0, span[0]) or not _TO.fullmatch(between):
        return None
    return shifted(period, -1)


def _period_compared(span: Span, other: Period | None, sentence: Sentence) -> Period | None:
    """Return the period of A in "A compared with B in 2012", a year after that of B; None for other phrases."""
    if other is None or not _AGAINST.match(sentence.text, span[1]):
        return None
    return shifted(other, 1)
