"""Resolve the references of a question: the results that it uses, the meaning of each expression, the entity in focus.

The set of results that the question most likely uses is decided first, and an expression for a result refers to one of
them, so that both are consistent. An expression without a match has no meaning.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product
from math import exp

from quaestor.conversation.meaning import period_words
from quaestor.conversation.references.expressions import (
    Antecedent,
    AntecedentSet,
    Coreference,
    Expression,
    References,
    find_expressions,
)
from quaestor.conversation.references.lineage import Result, latest_results, results_of_turns, years_of
from quaestor.conversation.references.pointing import Likeness, find_focus, in_focus_of, score_likeness
from quaestor.conversation.references.ranking import Weights, rank_sets, read_weights
from quaestor.conversation.turn import Memory
from quaestor.core.patterns import lazy_regex
from quaestor.questions.question import Question, names_in

_LEAST = 0.02
"""Minimum share of a candidate."""

_FITS = -1.5
"""Minimum score of a result that an expression may refer to."""

_NEVER = -100.0
"""Score of a result that an expression cannot refer to."""

_MOST_TOGETHER = 4
"""Limit of expressions resolved together; questions rarely have more than two."""

_ITSELF = lazy_regex(r"\b(?:value|amount|number|balance|price|figure)s? (?:\w+ )?(?:in|for|of|at|as of|specifically)\b")
"""A question for a value, which does not repeat an earlier change or ratio."""

_ITS_THING = lazy_regex(r"^(?:and\s+|now,?\s+)?(?:concerning|regarding|considering|as for)\s.+\b(?:what|how)\b")
"""A question that names its thing first, to which its "their" refers instead of an earlier turn."""

_SPANS = ("time", "period", "timeframe")
_OVER = lazy_regex(r"\b(?:over|during|through|throughout|across|within|in|for)\s+$")
_ITS_YEAR = lazy_regex(r"\s*[,(]\s*(?:(?:in|of|for|from)\s+)?(?:the\s+)?(?:year\s+)?(?:19|20)\d\d\b")


def resolve(question: Question, memory: Memory, weights: Weights | None = None) -> References:
    """Resolve what a question refers to in earlier turns, by deterministic rules without a model.

    Args:
        memory: The turns so far; empty for the first question.
        weights: The weights of traits and cues; None for those of the package.
    """
    if not memory.turns:
        return References()
    latest = latest_results(results_of_turns(memory))
    sets = rank_sets(question, latest, weights or read_weights())
    focus, switched = find_focus(question, memory)
    scene = _Scene(question, latest, sets, memory.entity_in_focus, focus)
    expressions = find_expressions(question)
    together = scene.assigned([e for e in expressions if e.kind in ("result", "cell")])
    return References(
        tuple(
            Coreference(question.text[e.start : e.end], e.start, e.end, e.kind, *scene.meaning(e, together.get(e)))
            for e in expressions
        ),
        sets,
        focus,
        switched,
    )


ExpressionMeaning = tuple[tuple[Antecedent, ...], str]
"""The turns that an expression may refer to, and its meaning if that is not a result."""


@dataclass(frozen=True, slots=True)
class _Scene:
    """A question with the earlier results.

    Attributes:
        latest: The distinct results, latest first.
        sets: The sets of results that it may use, most likely first.
        before: The entity in focus before the question.
        focus: The entity in focus with the question.
    """

    question: Question
    latest: Sequence[Result]
    sets: Sequence[AntecedentSet]
    before: str | None
    focus: str | None

    @property
    def used(self) -> Sequence[Result]:
        """The results that it most likely uses, latest first."""
        turns = self.sets[0].turns if self.sets else ()
        return [result for result in self.latest if result.turn in turns]

    def meaning(self, expression: Expression, assigned: Result | None) -> ExpressionMeaning:
        """Return the meaning of an expression; `assigned` is its result among those used."""
        match expression.kind:
            case "period":
                return self._period(expression)
            case "ellipsis":
                return self._ellipsis(), ""
            case "results":
                return self._results(expression), ""
            case "entity":
                return self._entity(expression)
            case _:
                return self._result(expression, assigned)

    def assigned(self, expressions: Sequence[Expression]) -> dict[Expression, Result]:
        """Assign each expression one of the results used, distinct ones if there are enough."""
        few, used = list(expressions[:_MOST_TOGETHER]), self.used
        judged = {(e, r.turn): self._likeness(e, r).score if _fits_years(e, r) else _NEVER for e in few for r in used}
        choices = permutations(used, len(few)) if len(few) <= len(used) else product(used, repeat=len(few))
        best = max(choices, key=lambda some: sum(judged[e, r.turn] for e, r in zip(few, some, strict=True)), default=())
        return {e: r for e, r in zip(few, best, strict=False) if judged[e, r.turn] >= _FITS}

    def _likeness(self, expression: Expression, result: Result) -> Likeness:
        distance = next(place for place, other in enumerate(self.latest) if other.turn == result.turn)
        focus = in_focus_of(expression, self.question, _words(self.before), _words(self.focus))
        return score_likeness(expression, result, distance, focus)

    def _result(self, expression: Expression, assigned: Result | None) -> ExpressionMeaning:
        if assigned is None and (self.used or not self.sets):
            return (), (self.focus or "") if expression.kind == "cell" else ""
        # If no result is used, the expression may repeat an earlier question for other years.
        again = not self.used
        judged = {r.turn: self._likeness(expression, r) for r in self.latest if again or _fits_years(expression, r)}
        fits = {turn: like for turn, like in judged.items() if like.score >= _FITS}
        shares = dict.fromkeys(fits, 0.0)
        for chosen in self.sets:
            among = [turn for turn in chosen.turns if turn in fits] or ([] if chosen.turns else list(fits))
            whole = sum(exp(fits[turn].score) for turn in among)
            for turn in among:
                shares[turn] += chosen.score * exp(fits[turn].score) / whole
        first = assigned.turn if assigned else None
        antecedents = _rank(shares, {turn: like.reasons for turn, like in fits.items()}, first)
        selected = self._selected(antecedents)
        return (() if again and not selected and not self._asks_value_again(antecedents) else antecedents), selected

    def _selected(self, antecedents: tuple[Antecedent, ...]) -> str:
        """Return the line or thing selected by the most likely turn, if it was a selection and has no number."""
        likeliest = next((r for r in self.latest if antecedents and r.turn == antecedents[0].turn), None)
        return likeliest.entity or "" if likeliest is not None and likeliest.metric == "selection" else ""

    def _asks_value_again(self, antecedents: tuple[Antecedent, ...]) -> bool:
        """Return whether a question for a value repeats a look-up; other questions are rarely repeated."""
        values = {result.turn for result in self.latest if result.operation_kind == "value"}
        return self.question.metric_types(None)[0].metric_type == "value" and any(
            m.turn in values for m in antecedents[:1]
        )

    def _results(self, expression: Expression) -> tuple[Antecedent, ...]:
        """Resolve "these two values" to the results used."""
        shares = {result.turn: 1.0 for result in self.used}
        return _rank(shares, dict.fromkeys(shares, ()), None)

    def _entity(self, expression: Expression) -> ExpressionMeaning:
        """Resolve "its" or "that stock" to the latest turn about the thing, preferring results that are used."""
        own = self.question.lowered[expression.end :].startswith(" own")
        if own or (not expression.words and _ITS_THING.match(self.question.lowered[: expression.start])):
            return (), ""
        used = {result.turn for result in self.used}
        for result in sorted(self.latest, key=lambda r: (r.turn not in used, -r.turn)):
            shared = expression.words & (result.words | result.subject_words)
            if shared == expression.words:
                reason = (
                    f"the question names: {' '.join(sorted(shared))}"
                    if shared
                    else "the latest turn that names something"
                )
                return (Antecedent(result.turn, 1.0, reason),), result.entity or ""
        return (), ""

    def _period(self, expression: Expression) -> ExpressionMeaning:
        """Resolve "that year" or "the same period" to the years of the results used, else of the latest dated turn."""
        if self.question.year_set and (not expression.offset or _ITS_YEAR.match(self.question.lowered, expression.end)):
            return (), ""
        dated = [result for result in self.used if result.years] or [r for r in self.latest if r.years][:1]
        if expression.count == 2 and len(dated) == 1 and len(dated[0].years) < 2:
            dated = [result for result in self.latest if result.years][:2]
        if not dated:
            return (), ""
        years = sorted(frozenset().union(*(result.years for result in dated)))
        if len(years) == 1 and self._is_span(expression):
            # "as a share of the 2016 total" names one year of a change between two.
            years = sorted(frozenset(years).union(*(years_of(result.period) for result in dated)))
        if expression.offset:
            years = [
                (max(self.question.year_set) if self.question.year_set else min(dated[0].years)) + expression.offset
            ]
        elif expression.count > len(years):
            return (), ""
        elif expression.count == 1 and len(years) == 2 and len(dated) > 1 and not self._is_span(expression):
            years = sorted(dated[0].years)
        reason = "counted from" if expression.offset else "about"
        turns = tuple(Antecedent(r.turn, 1 / len(dated), f"{reason} {_years(sorted(r.years))}") for r in dated)
        return turns, _quarter(expression, self.question, dated[0]) or _years(years)

    def _is_span(self, expression: Expression) -> bool:
        """Return whether an expression covers the whole time between two results: "over that period"."""
        text = self.question.lowered[: expression.end]
        return text.endswith(_SPANS) and bool(_OVER.search(text[: expression.start]))

    def _ellipsis(self) -> tuple[Antecedent, ...]:
        """Resolve "and in 2008?" to the question that it repeats, unless it uses earlier results."""
        if self.used:
            return ()
        itself = "the_value_itself" in self.question.cues or (
            _ITSELF.search(self.question.lowered) and self.question.metric_types(None)[0].metric_type == "value"
        )
        wanted = "value" if itself else None
        for result in self.latest:
            if wanted in (None, result.operation_kind) and result.years != self.question.year_set:
                antecedents = (Antecedent(result.turn, 1.0, "repeats this question"),)
                return antecedents if self._asks_value_again(antecedents) else ()
        return ()


def _fits_years(expression: Expression, result: Result) -> bool:
    """Return whether a turn's number may be of exactly the years in an expression."""
    return not expression.years or not result.years or expression.years == result.years


def _rank(shares: dict[int, float], reasons: dict[int, tuple[str, ...]], first: int | None) -> tuple[Antecedent, ...]:
    whole = sum(shares.values())
    likely = [
        Antecedent(turn, share / whole, ", ".join(reasons[turn]) or "an earlier result")
        for turn, share in shares.items()
        if whole and (share / whole >= _LEAST or turn == first)
    ]
    return tuple(sorted(likely, key=lambda c: (c.turn != first, -c.score, -c.turn)))


def _words(entity: str | None) -> frozenset[str]:
    return names_in((entity or "").lower())


def _quarter(expression: Expression, question: Question, result: Result) -> str:
    """Return the quarter that "that quarter" refers to, if the previous result is of a quarter; else ""."""
    period = result.period
    if expression.offset or period is None or period.kind != "quarter":
        return ""
    return period_words(period) if "quarter" in question.lowered[expression.start : expression.end] else ""


def _years(years: Sequence[int]) -> str:
    return " to ".join(map(str, dict.fromkeys((years[0], years[-1]))))
