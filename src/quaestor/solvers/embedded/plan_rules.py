"""Rules that complement the ranking of plans: for years in the question, and for operations it does not ask for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import prod

from quaestor.core.patterns import lazy_regex
from quaestor.questions.developments import as_change, as_share
from quaestor.questions.question import Question, read_question
from quaestor.retrieval.everyday import in_words_of_reports
from quaestor.solvers.embedded.page import NumberMatrix
from quaestor.solvers.embedded.turn_state import PLAIN, DialogueState, Operand, TurnAction

# ---- Rules that overrule the ranking.


_NOUN = r"change|increase|decrease|decline|growth|rise|drop|fall|reduction|movement|improvement|swing"
_VERB = r"change|increase|decrease|decline|ris[ei]n?|fall(?:en)?|gr[eo]wn?|drop|improve|shrink|move"
_CHANGE = lazy_regex(
    rf"\b(?:{_NOUN}) (?!in control)(?:in|of|from|over|between|since|during)\b"
    rf"|\bhow much (?:did|has|have|do|does) .+ (?:{_VERB})(?:d|ped)?\b"
)
_OF_CHANGE = lazy_regex(rf"\bof (?:the|this|that) (?:{_NOUN})\b|\bdue to\b|\b(?:{_NOUN}) (?:then )?represent")
"""Phrases that ask for a part or a share of a change rather than for a change."""


@lru_cache(maxsize=64)
def asks_for_change(question: Question) -> bool:
    """Return whether a question asks for a change: "the increase in debt", "how much did sales fall"."""
    return bool(_CHANGE.search(question.lowered)) and not _OF_CHANGE.search(question.lowered)


def find_leaves(outcome: TurnAction, state: DialogueState) -> tuple[int, ...]:
    """Return the number of the page that each operand is or looked up; -1 if it is not one."""
    return tuple(state.find_leaf(operand) for operand in outcome.operands if operand.kind != "group")


def find_asked_years(question: Question, used: Sequence[int], leaves: NumberMatrix) -> tuple[int, ...]:
    """Return the year of each number, preferring one that the question names; 0 if unknown.

    An amount owed in 2024 and due in 2026 has the year 2026 if the question names that.

    Args:
        used: The result of `find_leaves`.
    """
    own = ((int(leaves.year[leaf]), int(leaves.other_year[leaf])) if leaf >= 0 else (0, 0) for leaf in used)
    return tuple(other if other in question.year_set else year for year, other in own)


# The benchmark computes a relative change in two turns, the difference and then its share of the base, so the ranker
# was hardly trained on questions for both at once. Neither a difference nor an amount answers a question for a
# percentage change: of 229 labelled turns that certainly ask for one, none looks up a number other than a percentage.


_ASKED = "kg:PatternPercentageChange"
_COMPARES = lazy_regex(
    r"differen|points?\b|compar|\bless\b|minus|\babsolute\b"
    r"|\bin (?:the )?(?:percent(?:age)?|%) of (?!(?:the )?(?:change|increase|decrease|decline|growth))"
)
"""Phrases that ask for a difference of percentages: "the difference between the two percentage changes", "the change in
the percentage of sales"."""


_IN_PERCENT = lazy_regex(r"\b(?:in|by) (?:percent\b|per cent\b|%)|\bpercentage[- ]?wise\b|\bin percentage terms\b")
_SHARE = lazy_regex(
    r"\b(?:percent(?:age)?|share|proportion|fraction) of\b|% of\b|\bas a (?:percent|share|proportion|%)"
)
_AMOUNTS = frozenset({"lookup", "subtract", "add", "sum", "average"})


_FROM_TO = lazy_regex(
    r"\b(?:from|between)\b[a-z\s]{0,60}((?:19|20)\d\d)\b[a-z\s]{0,60}\b(?:to|and)\b[a-z\s]{0,60}((?:19|20)\d\d)\b"
)
_ONE_OF_TWO = lazy_regex(r"differen|\b(?:less|more|fewer|minus)\b")
"""Phrases that compare two numbers in the order of the question, rather than ask for a change over time."""
_CHANGES = frozenset({"subtract", "percentage_change"})


def translate_question(question: Question) -> Question:
    """Rephrase a question about a filing in words that the weights were trained on: those of reports, and "change"."""
    worded = as_share(as_change(in_words_of_reports(question.text)))
    return question if worded == question.text else read_question(worded)


def order_by_years(question: Question, outcome: TurnAction, years: Sequence[int]) -> TurnAction:
    """Order the operands of a change in a filing by the years of the question, otherwise from earlier to later.

    Args:
        years: The years of the operands, 0 if unknown.
    """
    if outcome.operation not in _CHANGES or outcome.value is None or len(years) != 2 or years[0] == years[1]:
        return outcome
    named = _FROM_TO.search(question.lowered)
    if named is not None:
        turned = tuple(years) == (int(named[1]), int(named[2]))
    else:
        asks_change = question.order == "later first" or asks_for_change(question)
        developed = asks_change and not _ONE_OF_TWO.search(question.lowered)
        turned = developed and 0 < years[0] < years[1]
    if not turned:
        return outcome
    new, old = outcome.operands[1], outcome.operands[0]
    difference = new.value - old.value
    value = difference if outcome.operation == "subtract" else difference / old.value if old.value else None
    return outcome if value is None else replace(outcome, operands=(new, old), value=value)


def replace_by_percentage(question: Question, outcome: TurnAction) -> TurnAction:
    """Replace a difference in a filing by a relative change: "how much more than 2020, in percent?"."""
    if not _IN_PERCENT.search(question.lowered) or outcome.operation != "subtract" or outcome.counts.percent:
        return outcome
    return _build_relative(outcome)


def is_ruled_out(question: Question, outcome: TurnAction) -> bool:
    """Return whether an outcome only looks up an amount although the question asks for a percentage change."""
    if outcome.operation != "lookup" or _ASKED not in question.pattern_names or _COMPARES.search(question.lowered):
        return False
    return not outcome.counts.percent


def is_amount_for_percentage(question: Question, outcome: TurnAction) -> bool:
    """Return whether an outcome is an amount although the question explicitly asks for a percentage; for filings."""
    asked = _IN_PERCENT.search(question.lowered) or _SHARE.search(question.lowered)
    return bool(asked) and outcome.operation in _AMOUNTS and not outcome.counts.percent


def apply_overrides(question: Question, outcome: TurnAction) -> TurnAction:
    """Replace a difference by a relative change if the question asks for a percentage change.

    A ratio minus one is relative already and stays.
    """
    if outcome.operation != "subtract" or _ASKED not in question.pattern_names or _COMPARES.search(question.lowered):
        return outcome
    return _build_relative(outcome)


def _build_relative(outcome: TurnAction) -> TurnAction:
    base = outcome.operands[1]
    if outcome.value is None or base.value == 0 or (base.kind == "constant" and base.value == 1):
        return outcome
    return replace(outcome, operation="percentage_change", value=outcome.value / base.value, counts=PLAIN)


def restore_signs(outcome: TurnAction, leaves: NumberMatrix) -> TurnAction:
    """Return an outcome with the printed signs of its numbers."""
    operands = tuple(_restore_sign(operand, leaves) for operand in outcome.operands)
    if operands == outcome.operands or outcome.value is None:
        return outcome
    value = _RESULTS[outcome.operation]([operand.value for operand in operands])
    return replace(outcome, operands=operands, value=value)


def _restore_sign(operand: Operand, leaves: NumberMatrix) -> Operand:
    return replace(operand, value=float(leaves.value[operand.index])) if operand.kind == "leaf" else operand


_RESULTS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "lookup": lambda values: values[0],
    "subtract": lambda values: values[0] - values[1],
    "add": sum,
    "multiply": prod,
    "greater": lambda values: float(values[0] > values[1]),
    "divide": lambda values: values[0] / values[1],
    "percentage_change": lambda values: (values[0] - values[1]) / values[1],
    "sum": sum,
    "average": lambda values: sum(values) / len(values),
}
"""The arithmetic of outcomes. Changing a sign cannot make a divisor zero."""
