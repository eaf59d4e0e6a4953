"""Look up a number in the text by the words around it, its unit and its period.

Queries never contain the value itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from quaestor.core.periods import Period
from quaestor.core.words import SMALL_WORDS, search_words
from quaestor.graph.facts import HeaderNumber, MentionFact, period_code, year_of
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.solvers.tools.text import InText, counts, read_period, share_among
from quaestor.solvers.workflow.schema import TextParams
from quaestor.solvers.workflow.table_lookup import LookupFailure

THRESHOLD = 50.0
"""Minimum score of a number."""

MARGIN = 8.0
"""Minimum lead over the next number in another sentence."""

SAME_SENTENCE = 20.0
"""Minimum lead over the next number in the same sentence, where distance to words means little."""

MOST_LISTED = 12
"""Limit of numbers listed for the model to choose from."""

ANY = frozenset({"any", "none", "number", "plain number", "unknown"})
"""Values for a unit or a period that does not matter."""

_NEAR, _ELSEWHERE = 60.0, 40.0
_WORDS_BEFORE, _WORDS_AFTER = 16, 8
_OTHER_UNIT, _OTHER_PERIOD = 0.6, 0.7
_AROUND = "$€£%().,;: "
_HALF = 0.5
"""Minimum share of matching words for a parameter to fit."""


@dataclass(frozen=True, slots=True)
class TextMatch:
    """Matching numbers in the text, best first."""

    numbers: tuple[InText, ...]
    score: float
    runner_up: float = 0.0

    @property
    def decided(self) -> bool:
        """Whether the words determine one number."""
        return len(self.numbers) == 1


def find_numbers(graph: KnowledgeGraph, params: TextParams) -> TextMatch:
    """Find the numbers in the text that fit the words best."""
    numbers: list[InText] = [*graph.mentions, *(label for label in graph.labels if not label.year)]
    query = _SearchTerms.of(params)
    scored = sorted(((query.score(item), item) for item in numbers), key=lambda pair: -pair[0])
    if not scored or scored[0][0] < THRESHOLD:
        raise LookupFailure(_explain_nothing([item for _, item in scored], params, query))
    best = scored[0][0]
    close = [item for score, item in scored if best - score < _margin(scored[0][1], item)]
    left = [score for score, item in scored if item not in close]
    close = _choose_number(close, query, params.value_context)
    return TextMatch(tuple(close[:MOST_LISTED]), round(best, 1), round(left[0], 1) if left else 0.0)


def _choose_number(close: Sequence[InText], query: "_SearchTerms", context: str) -> list[InText]:
    """Return the only number with the wanted period, or the only one in the copied words; else all."""
    copied = {word.strip(_AROUND) for word in context.split()}
    dated = [i for i in close if query.period and i.period is not None and _same_year(i.period, query.period)]
    quoted = [item for item in close if item.quantity.text.strip(_AROUND).partition(" ")[0] in copied]
    return next((found for found in (dated, quoted) if len(found) == 1), list(close))


def _margin(best: InText, other: InText) -> float:
    same = isinstance(best, MentionFact) and isinstance(other, MentionFact) and best.place == other.place
    return SAME_SENTENCE if same else MARGIN


@dataclass(frozen=True, slots=True)
class _SearchTerms:
    """Search terms."""

    words: tuple[str, ...]
    context: tuple[str, ...]
    units: tuple[str, ...]
    period: Period | None

    @classmethod
    def of(cls, params: TextParams) -> "_SearchTerms":
        unit, period = params.unit.strip().casefold(), params.period.strip().casefold()
        return cls(
            _content(f"{params.sought} {params.value_context}"),
            _content(params.value_context),
            () if unit in ANY else tuple(unit.split()),
            None if period in ANY else read_period(params.period),
        )

    def score(self, item: InText) -> float:
        """Score the fit of a number, from 0 to 100."""
        near, all_words = _around(item)
        score = _NEAR * share_among(self.context, near) + _ELSEWHERE * share_among(self.words, all_words)
        if self.units:
            score *= _OTHER_UNIT + (1 - _OTHER_UNIT) * self._counted(item)
        return score if self._dated(item) else score * _OTHER_PERIOD

    def _counted(self, item: InText) -> float:
        return sum(counts(item, unit) for unit in self.units) / len(self.units)

    def _dated(self, item: InText) -> bool:
        return self.period is None or item.period is None or _same_year(item.period, self.period)

    def misfits(self, item: InText) -> tuple[str, ...]:
        """Return the parameters that a number does not fit."""
        near, all_words = _around(item)
        fits = {
            "sought": share_among(self.words, all_words) >= _HALF,
            "value_context": share_among(self.context, near) >= _HALF,
            "unit": not self.units or self._counted(item) == 1,
            "period": self._dated(item),
        }
        return tuple(name for name, good in fits.items() if not good)


def _around(item: InText) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words near a number, and all words of its sentence or label."""
    if isinstance(item, HeaderNumber):
        words = frozenset(search_words(item.label))
        return words, words
    before = item.sentence[: item.source.start].split()[-_WORDS_BEFORE:]
    after = item.sentence[item.source.end :].split()[:_WORDS_AFTER]
    return frozenset(search_words(" ".join((*before, *after)))), frozenset(search_words(item.sentence))


def _content(text: str) -> tuple[str, ...]:
    words = search_words(text)
    return tuple(w for w in words if w not in SMALL_WORDS and not any(c.isdigit() for c in w)) or tuple(words)


def _same_year(one: Period, other: Period) -> bool:
    return one == other or year_of(one) == year_of(other)


def format_match(item: InText) -> str:
    """Format a number for a list: `91 (USD, million, 2008) in: we paid [$ 91 million] to owners`."""
    quantity = item.quantity
    facts = [part for part in (quantity.unit, quantity.scale.value if quantity.scale != "one" else None) if part]
    if item.period is not None:
        facts.append(period_code(item.period))
    where = (
        f"{item.before} [{quantity.text}] {item.after}" if isinstance(item, MentionFact) else f"label {item.label!r}"
    )
    details = f" ({', '.join(facts)})" if facts else ""
    return f"{quantity.value:f}{details} in: {where}"


def _explain_nothing(nearest: Sequence[InText], params: TextParams, wanted: _SearchTerms) -> str:
    """Explain that no number fits, and which parameters the nearest ones do not fit."""
    lines = (f"{format_match(item)}, not {' and '.join(wanted.misfits(item))}" for item in nearest[:3])
    near = "; ".join(line.removesuffix(", not ") for line in lines) or "the text has no number"
    request = f"{params.sought[:80]!r} around {params.value_context[:80]!r}"
    return f"no number in the text fits {request}; the nearest are {near}"
