"""Match referring expressions with earlier results, and find the thing that a question is about."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quaestor.conversation.references.expressions import Expression, find_expressions
from quaestor.conversation.references.lineage import Result
from quaestor.conversation.turn import Memory
from quaestor.core.patterns import lazy_regex
from quaestor.core.words import singular, words
from quaestor.questions.cues import PLAIN_NOUNS, noun_fits_metric
from quaestor.questions.question import Question, names_in

_ANOTHER_SIDE = lazy_regex(r"\b(?:and|than|versus|compared|less|minus|plus|or|exceed\w*)\b")
"""Words between an expression and the name of a thing that show that the name belongs to a compared thing."""


def find_focus(question: Question, memory: Memory) -> tuple[str | None, bool]:
    """Return the entity that the question is about, and whether it differs from the previous one.

    It is the known entity whose words the question contains. Without any, it is the entity of the latest answer, unless
    the question names something new, for which there is no entity yet.
    """
    current = memory.entity_in_focus
    entities = dict.fromkeys(turn.answer.entity for turn in reversed(memory.turns) if turn.answer.entity)
    named = [entity for entity in entities if (words := names_in(entity.lower())) and words <= question.names]
    if named:
        best = max(named, key=lambda entity: len(names_in(entity.lower())))
        return best, best != current
    known = frozenset().union(*(earlier.names for earlier in memory.parsed_questions))
    known |= frozenset().union(*(names_in(entity.lower()) for entity in entities))
    if question.names and not question.names & known:
        return None, True
    return current, False


def in_focus_of(
    expression: Expression, question: Question, before: frozenset[str], focus: frozenset[str]
) -> frozenset[str]:
    """Return the words of the thing that an expression without a name refers to.

    A thing named in the question applies to its expressions ("this change of the company"), unless the two are
    compared: "this percentage and that of the company".
    """
    if not before or focus == before:
        return focus or before
    text = question.lowered
    places = [match.start() for word in focus for match in re.finditer(rf"\b{re.escape(word)}", text)]
    behind = [place for place in places if place >= expression.end]
    between = text[expression.end : min(behind)] if behind else text[max(places, default=0) : expression.start]
    return before if _ANOTHER_SIDE.search(between) else focus


def find_subject_words(question_words: frozenset[str], latest: Sequence[Result]) -> frozenset[str]:
    """Return the words of the thing that a question turns to among the latest results; else the latest result's.

    Args:
        question_words: All words of the question, singular.
        latest: The distinct results, latest first; not empty.
    """
    current = latest[0].subject_words
    for result in latest[1:]:
        own = result.subject_words - current
        if own and current - result.subject_words and own <= question_words:
            return result.subject_words
    return current


# Match between an earlier result and the words of a referring expression: kind, thing, period, focus, recency.
#
# `ranking` uses the matches as traits to decide which results a question uses together; `resolving` decides what an
# expression means.


_POINTING = ("result", "results", "cell", "entity")
_PERCENT_NOUNS = frozenset("percentage percent rate portion share".split())
_NEARNESS = 0.6
"""Penalty for each later result."""

_PLAINLY = 1.0
"""Minimum score of a clear match."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How well a result matches an expression.

    Attributes:
        score: Higher is better; below 0 there is evidence against it.
        reasons: The evidence for it, in words.
    """

    score: float
    reasons: tuple[str, ...]


def score_likeness(expression: Expression, result: Result, distance: int, focus: frozenset[str]) -> Likeness:
    """Score one result as the meaning of an expression.

    Args:
        distance: The number of later distinct results.
        focus: The words of the thing that the conversation is about.
    """
    score, reasons = -_NEARNESS * distance, list[str]()
    if expression.back is not None:
        score += 4 if distance == expression.back else 0
    for part, reason in (_kind(expression, result), _thing(expression, result, focus), _period(expression, result)):
        score += part
        if reason and part > 0:
            reasons.append(reason)
    return Likeness(score, tuple(reasons))


def _kind(expression: Expression, result: Result) -> tuple[float, str]:
    noun = expression.noun
    if noun is None or noun in PLAIN_NOUNS:
        if expression.kind == "cell":
            return (1 if result.operation_kind == "value" else -1), ""
        return (0.5 if result.operation_kind == "value" else 0), ""
    fits = noun_fits_metric(noun, result.metric) or (0.8 if result.percent and noun in _PERCENT_NOUNS else 0)
    if fits:
        kind = result.metric.replace("_", " ")
        return 2 * fits, f"a {noun}" if kind == noun else f"a {kind} can be called a {noun}"
    # A line of the page may have such a name too: "that increase in inventories", "this total".
    return (1, f"the question calls it a {noun}") if noun in result.question_words else (-2, "")


def _thing(expression: Expression, result: Result, focus: frozenset[str]) -> tuple[float, str]:
    if named := expression.words | expression.of:
        shared = named & (result.words | result.subject_words)
        if not shared:
            return -2, ""
        return 3 * len(shared) / len(named), f"the question names: {' '.join(sorted(shared))}"
    if focus and result.subject_words:
        same = len(focus & result.subject_words) / len(focus | result.subject_words)
        return 2 * same - 1, "same thing as the latest turn"
    return 0, ""


def _period(expression: Expression, result: Result) -> tuple[float, str]:
    if not expression.years or not result.years:
        return 0, ""
    if expression.years == result.years:
        return 3, f"of {' and '.join(map(str, sorted(expression.years)))}"
    return (
        (1, f"of {' and '.join(map(str, sorted(expression.years)))}") if expression.years < result.years else (-2, "")
    )


def pointing_expressions(question: Question) -> tuple[Expression, ...]:
    """Return the expressions of a question that may refer to the result of one turn."""
    return tuple(
        e
        for e in find_expressions(question)
        if e.kind in _POINTING and e.count <= 1 and (e.kind != "entity" or e.words)
    )


@dataclass(frozen=True, slots=True)
class Pointing:
    """The earlier results that a question points at, computed once for all sets that it may use.

    Attributes:
        meant: The turns that clearly match its expressions.
        sides: The number of expressions that may refer to the result of one turn.
        counts: The numbers of results stated in the question ("these two values").
        question_words: All words of the question, singular.
        called: For each expression with a noun for results, the latest turn whose result has that kind.
        dated: For each year in the question, the latest turn that looked up a value of only that year.
    """

    meant: frozenset[int]
    sides: int
    counts: frozenset[int]
    question_words: frozenset[str]
    called: tuple[int, ...]
    dated: tuple[int, ...]


def read_pointing(question: Question, latest: Sequence[Result]) -> Pointing:
    """Collect the earlier results that a question points at.

    Args:
        latest: The distinct results, latest first; not empty.
    """
    expressions = pointing_expressions(question)
    question_words = frozenset(map(singular, words(question.lowered)))
    before, named = latest[0].subject_words, find_subject_words(question_words, latest)
    best = []
    for expression in expressions:
        focus = in_focus_of(expression, question, before, named)
        judged = (score_likeness(expression, result, distance, focus).score for distance, result in enumerate(latest))
        best.append(max(zip(judged, (result.turn for result in latest), strict=True)))
    called = (
        next((result.turn for result in latest if noun_fits_metric(expression.noun, result.metric)), None)
        for expression in find_expressions(question)
        if expression.noun and expression.kind in ("result", "results")
    )
    dated = (
        next((result.turn for result in latest if result.years == {year} and result.operation_kind == "value"), None)
        for year in question.years
    )
    return Pointing(
        meant=frozenset(turn for score, turn in best if score >= _PLAINLY),
        sides=len(expressions),
        counts=frozenset(e.count for e in find_expressions(question) if e.kind == "results" and e.count > 1),
        question_words=question_words,
        called=tuple(turn for turn in called if turn is not None),
        dated=tuple(turn for turn in dated if turn is not None),
    )
