"""Resolves what a question refers to: the results it uses, what each of its expressions means, the entity in focus.

One reading: the results that the question most likely uses together are settled first, and an expression for a result
means one of them, so the two never contradict each other. An expression that nothing earlier answers to means nothing.
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
from quaestor.conversation.references.lineage import (
    Result,
    latest_results,
    results_of_turns,
    years_of,
)
from quaestor.conversation.references.pointing import Likeness, find_focus, in_focus_of, likeness
from quaestor.conversation.references.ranking import Weights, rank_sets, read_weights
from quaestor.conversation.turn import Memory
from quaestor.core.patterns import lazy_regex
from quaestor.questions.question import Question, names_in

_LEAST = 0.02
"""Candidates with a smaller share are left out."""

_FITS = -1.5
"""From which likeness on a result can be what an expression means."""

_NEVER = -100.0
"""The likeness of a result that an expression cannot mean."""

_MOST_TOGETHER = 4
"""How many expressions are read together; a question has seldom more than two."""

_ITSELF = lazy_regex(r"\b(?:value|amount|number|balance|price|figure)s? (?:\w+ )?(?:in|for|of|at|as of|specifically)\b")
"""A question for a value, which a change or a ratio before it does not ask again."""

_ITS_THING = lazy_regex(r"^(?:and\s+|now,?\s+)?(?:concerning|regarding|considering|as for)\s.+\b(?:what|how)\b")
"""A question that names its thing first: its "their" points at that, and at no turn before."""

_SPANS = ("time", "period", "timeframe")
_OVER = lazy_regex(r"\b(?:over|during|through|throughout|across|within|in|for)\s+$")
_ITS_YEAR = lazy_regex(r"\s*[,(]\s*(?:(?:in|of|for|from)\s+)?(?:the\s+)?(?:year\s+)?(?:19|20)\d\d\b")


def resolve(question: Question, memory: Memory, weights: Weights | None = None) -> References:
    """Return what a question refers to of the turns before it; deterministic, and without a model.

    Args:
        memory: The turns so far; empty for the first question.
        weights: Of traits and cues; None for those of the package.
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


Meant = tuple[tuple[Antecedent, ...], str]
"""The turns that an expression can mean, and what it means where that is not a result."""


@dataclass(frozen=True, slots=True)
class _Scene:
    """A question among the results before it.

    Attributes:
        latest: The distinct results, the latest first.
        sets: What it uses, the likeliest first.
        before: The entity in focus before the question.
        focus: The entity in focus with it.
    """

    asked: Question
    latest: Sequence[Result]
    sets: Sequence[AntecedentSet]
    before: str | None
    focus: str | None

    @property
    def used(self) -> Sequence[Result]:
        """What it most likely uses, the latest first."""
        turns = self.sets[0].turns if self.sets else ()
        return [result for result in self.latest if result.turn in turns]

    def meaning(self, expression: Expression, assigned: Result | None) -> Meant:
        """What an expression means; `assigned` is the result that it was given among those used."""
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
        """Give each expression one of the results used, another one to each if there are enough."""
        few, used = list(expressions[:_MOST_TOGETHER]), self.used
        judged = {(e, r.turn): self._likeness(e, r).score if _fits_years(e, r) else _NEVER for e in few for r in used}
        choices = permutations(used, len(few)) if len(few) <= len(used) else product(used, repeat=len(few))
        best = max(choices, key=lambda some: sum(judged[e, r.turn] for e, r in zip(few, some, strict=True)), default=())
        return {e: r for e, r in zip(few, best, strict=False) if judged[e, r.turn] >= _FITS}

    def _likeness(self, expression: Expression, result: Result) -> Likeness:
        distance = next(place for place, other in enumerate(self.latest) if other.turn == result.turn)
        focus = in_focus_of(expression, self.asked, _words(self.before), _words(self.focus))
        return likeness(expression, result, distance, focus)

    def _result(self, expression: Expression, assigned: Result | None) -> Meant:
        if assigned is None and (self.used or not self.sets):
            return (), self._thing(expression)
        # If no result is used, one is meant as what is asked again, for years of its own.
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
        meant = _rank(shares, {turn: like.reasons for turn, like in fits.items()}, first)
        selected = self._selected(meant)
        return (() if again and not selected and not self._asks_value_again(meant) else meant), selected

    def _selected(self, meant: tuple[Antecedent, ...]) -> str:
        """The line or thing that the likeliest turn came to, if it selected one: no number can be meant."""
        likeliest = next((r for r in self.latest if meant and r.turn == meant[0].turn), None)
        return likeliest.entity or "" if likeliest is not None and likeliest.metric == "selection" else ""

    def _asks_value_again(self, meant: tuple[Antecedent, ...]) -> bool:
        """Whether a value is asked for and the likeliest turn looked one up; other questions are seldom repeated."""
        values = {result.turn for result in self.latest if result.made == "value"}
        return self.asked.metric_types(None)[0].metric_type == "value" and any(m.turn in values for m in meant[:1])

    def _results(self, expression: Expression) -> tuple[Antecedent, ...]:
        """Judge "these two values": the results used."""
        shares = {result.turn: 1.0 for result in self.used}
        return _rank(shares, dict.fromkeys(shares, ()), None)

    def _entity(self, expression: Expression) -> Meant:
        """Judge "its", "that stock": the latest turn about the thing, one that is used before others."""
        own = self.asked.lowered[expression.end :].startswith(" own")
        if own or (not expression.words and _ITS_THING.match(self.asked.lowered[: expression.start])):
            return (), ""
        used = {result.turn for result in self.used}
        for result in sorted(self.latest, key=lambda r: (r.turn not in used, -r.turn)):
            shared = expression.words & (result.words | result.things)
            if shared == expression.words:
                reason = (
                    f"the question names: {' '.join(sorted(shared))}"
                    if shared
                    else "the latest turn that names something"
                )
                return (Antecedent(result.turn, 1.0, reason),), result.entity or ""
        return (), ""

    def _period(self, expression: Expression) -> Meant:
        """Judge "that year", "the same period": the years of what is used, else of the latest turn that names one."""
        if self.asked.year_set and (not expression.offset or self._is_named(expression)):
            return (), ""
        dated = [result for result in self.used if result.years] or [r for r in self.latest if r.years][:1]
        if expression.count == 2 and len(dated) == 1 and len(dated[0].years) < 2:
            dated = [result for result in self.latest if result.years][:2]
        if not dated:
            return (), ""
        years = sorted(frozenset().union(*(result.years for result in dated)))
        if len(years) == 1 and self._is_span(expression):
            # "as a share of the 2016 total" names one year of a change over two.
            years = sorted(frozenset(years).union(*(years_of(result.period) for result in dated)))
        if expression.offset:
            years = [(max(self.asked.year_set) if self.asked.year_set else min(dated[0].years)) + expression.offset]
        elif expression.count > len(years):
            return (), ""
        elif expression.count == 1 and len(years) == 2 and len(dated) > 1 and not self._is_span(expression):
            years = sorted(dated[0].years)
        reason = "counted from" if expression.offset else "about"
        turns = tuple(Antecedent(r.turn, 1 / len(dated), f"{reason} {_years(sorted(r.years))}") for r in dated)
        return turns, _quarter(expression, self.asked, dated[0]) or _years(years)

    def _is_named(self, expression: Expression) -> bool:
        """Whether the question names itself which year an expression means: "in the previous year, in 2005"."""
        return bool(_ITS_YEAR.match(self.asked.lowered, expression.end))

    def _is_span(self, expression: Expression) -> bool:
        """Whether an expression is for all of the time between two results: "over that period"."""
        text = self.asked.lowered[: expression.end]
        return text.endswith(_SPANS) and bool(_OVER.search(text[: expression.start]))

    def _ellipsis(self) -> tuple[Antecedent, ...]:
        """Judge "and in 2008?", which asks again what was asked; if results are used, about those."""
        if self.used:
            return ()
        itself = "the_value_itself" in self.asked.cues or (
            _ITSELF.search(self.asked.lowered) and self.asked.metric_types(None)[0].metric_type == "value"
        )
        wanted = "value" if itself else None
        for result in self.latest:
            if wanted in (None, result.made) and result.years != self.asked.year_set:
                meant = (Antecedent(result.turn, 1.0, "repeats this question"),)
                return meant if self._asks_value_again(meant) else ()
        return ()

    def _thing(self, expression: Expression) -> str:
        return self.focus or "" if expression.kind == "cell" else ""


def _fits_years(expression: Expression, result: Result) -> bool:
    """Whether a turn can have found the number of just the years that an expression names."""
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


def _quarter(expression: Expression, asked: Question, result: Result) -> str:
    """The quarter that "that quarter" means, if the result before is of one."""
    period = result.period
    if expression.offset or period is None or period.kind != "quarter":
        return ""
    return period_words(period) if "quarter" in asked.lowered[expression.start : expression.end] else ""


def _years(years: Sequence[int]) -> str:
    return " to ".join(map(str, dict.fromkeys((years[0], years[-1]))))
