"""Rules that complement the ranking of plans: for years in the question, and for operations it does not ask for."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import isclose, log10

import numpy as np
from numpy.typing import NDArray

from quaestor.core.patterns import lazy_regex
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.candidates import LOOKUP, Candidates
from quaestor.solvers.embedded.page import Floats, NumberMatrix, is_among
from quaestor.solvers.embedded.turn_state import PLAIN, DialogueState, TurnAction

# ---- Lookups of another year than the question names, although the line has that year.
#
# Conversations of the benchmark mostly stay in one year or line, so the ranker prefers numbers of the previous column
# even if another year is named. On benchmark pages this rule changes nothing (549 of 841 turns are right with and
# without it, with weights trained on other companies), but people who name a year mean it.


_OTHER_YEAR = -3.0
"""Penalty of such a lookup. It is not excluded, since a fiscal year may end in another calendar year."""


def score_named_years(question: Question, plans: Candidates, leaves: NumberMatrix) -> Floats:
    """Return the score of each plan for the years that a question names."""
    if not question.years or (question.offsets and not question.stated_years) or not len(leaves):
        return np.zeros(len(plans), np.float32)
    named = is_among(leaves.year, question.year_set) | is_among(leaves.other_year, question.year_set)
    in_table = leaves.table >= 0
    of_table = named & in_table
    in_line, in_place = (_find_neighbours(leaves, at, of_table) for at in (leaves.line, leaves.place))
    missed = in_table & (leaves.year > 0) & ~named & in_line
    # A total over all years is not meant either if the line has a number of that year.
    missed |= in_table & (leaves.year == 0) & ~named & leaves.total & (in_line | in_place)
    leaf = plans.pool.leaf[plans.first]
    wrong = (plans.operation == LOOKUP) & (leaf >= 0) & missed[np.maximum(leaf, 0)]
    return np.where(wrong, np.float32(_OTHER_YEAR), np.float32(0))


def _find_neighbours(leaves: NumberMatrix, at: NDArray[np.int32], selected: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Find the numbers in the same line or column of a table as any of the selected numbers."""
    across = (leaves.table + 1) * (1 + int(at.max())) + at
    has_some = np.zeros(int(across.max()) + 1, bool)
    has_some[across[selected]] = True
    neighbours: NDArray[np.bool_] = has_some[across]
    return neighbours


# ---- Plans with another operation than the question asks for: an amount for a change, a ratio for a total.
#
# In the ranker a likely number sometimes outweighs the question. These few phrases are unambiguous, on benchmark pages
# and in filings: the labelled turns of ConvFinQA confirm each rule, and exceptions are given beside it.


_NOUN = r"change|increase|decrease|decline|growth|rise|drop|fall|reduction|movement|improvement|swing"
_VERB = r"change|increase|decrease|decline|ris[ei]n?|fall(?:en)?|gr[eo]wn?|drop|improve|shrink|move"
_CHANGE = lazy_regex(
    rf"\b(?:{_NOUN}) (?!in control)(?:in|of|from|over|between|since|during)\b"
    rf"|\bhow much (?:did|has|have|do|does) .+ (?:{_VERB})(?:d|ped)?\b"
)
_OF_CHANGE = lazy_regex(rf"\bof (?:the|this|that) (?:{_NOUN})\b|\bdue to\b|\b(?:{_NOUN}) (?:then )?represent")
"""Phrases that ask for a part or a share of a change rather than for a change."""
CHANGES = frozenset(
    stems(
        "change increase decrease decline growth variance rise drop fall reduction improvement movement grew rose fell"
    )
)
"""Stems of words for changes."""
_VERB_FIRST = lazy_regex(
    r"^(?:and|so|but|then)?,? ?(?:is|was|are|were|do|does|did|has|have|had|can|could|will|would)\b"
)
_TOTAL = lazy_regex(
    r"^(?:and |so |then |but )?(?:[^?]{0,60}, )?(?:what|how much) (?:is|was|were|are|would be)(?:, then,| then|,)? "
    r"(?:the |that |this |their |its )?(?:full |combined |overall |grand )*(?:total|sum)\b"
)
_OVER = lazy_regex(
    r"percent|portion|ratio|average|\bper\b|relation|divided|\bover\b|share of|return|number of|proportion|times"
    r"|multipl"
)


def is_off_question(question: Question, outcome: TurnAction, used: Sequence[int], leaves: NumberMatrix) -> bool:
    """Return whether a plan has another operation than the question asks for.

    Args:
        used: The result of `find_leaves`.
    """
    match outcome.operation:
        case "lookup":
            # None of the eight labelled turns that ask for yes or no is a lookup.
            return _asks_whether(question) or (asks_for_change(question) and _is_amount_for_change(used, leaves))
        case "divide":
            return _asks_for_total(question) and _is_ratio_for_total(outcome, used, leaves)
    return False


@lru_cache(maxsize=64)
def _asks_whether(question: Question) -> bool:
    # The pattern is checked first, since determining the kind of answer is slow.
    return _VERB_FIRST.search(question.lowered) is not None and question.wants.kind == "yes_no"


@lru_cache(maxsize=64)
def _asks_for_total(question: Question) -> bool:
    return _TOTAL.search(question.lowered) is not None and not _OVER.search(question.lowered)


@lru_cache(maxsize=64)
def asks_for_change(question: Question) -> bool:
    """Return whether a question asks for a change: "the increase in debt", "how much did sales fall"."""
    return bool(_CHANGE.search(question.lowered)) and not _OF_CHANGE.search(question.lowered)


def _is_amount_for_change(used: Sequence[int], leaves: NumberMatrix) -> bool:
    """Whether neither the labels nor the sentence of a looked-up number mention a change.

    Of 709 labelled turns that ask for a change, 21 are lookups of numbers that are printed as changes.
    """
    return all(leaf >= 0 and not _mentions_change(leaf, leaves) for leaf in used)


def _mentions_change(leaf: int, leaves: NumberMatrix) -> bool:
    number = leaves.leaves[leaf]
    return number.moved or bool(CHANGES & {*number.row, *number.column, *number.around})


def _is_ratio_for_total(outcome: TurnAction, used: Sequence[int], leaves: NumberMatrix) -> bool:
    """Whether "what was the total" is answered by a quotient of two numbers other than constants and percentages.

    None of 509 labelled turns does this; four divide by a thousand, a million or a percentage.
    """
    if any(operand.kind == "constant" for operand in outcome.operands):
        return False
    return not any(leaf >= 0 and leaves.counts[leaf].percent for leaf in used)


def find_leaves(outcome: TurnAction, state: DialogueState) -> tuple[int, ...]:
    """Return the number of the page that each operand is or looked up; -1 if it is not one."""
    return tuple(state.find_leaf(operand) for operand in outcome.operands if operand.kind != "group")


# ---- Rules that overrule the ranking.
#
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


def is_ruled_out(question: Question, outcome: TurnAction) -> bool:
    """Return whether an outcome only looks up an amount although the question asks for a percentage change."""
    if outcome.operation != "lookup" or _ASKED not in question.pattern_names or _COMPARES.search(question.lowered):
        return False
    return not outcome.counts.percent


def apply_overrides(question: Question, outcome: TurnAction) -> TurnAction:
    """Replace a difference by a relative change if the question asks for a percentage change.

    A ratio minus one is relative already and stays.
    """
    if outcome.operation != "subtract" or _ASKED not in question.pattern_names or _COMPARES.search(question.lowered):
        return outcome
    return _build_relative(outcome)


def _build_relative(outcome: TurnAction) -> TurnAction:
    first, base = outcome.operands
    if outcome.value is None or base.value == 0 or (base.kind == "constant" and base.value == 1):
        return outcome
    # If the operands have different scales, the difference is in the smaller one, to which one of them was converted.
    converted = first.value - outcome.value
    digits = log10(converted / base.value) if converted / base.value > 0 else 0.0
    divisor = converted if isclose(digits, round(digits), abs_tol=1e-9) else base.value
    return replace(outcome, operation="percentage_change", value=outcome.value / divisor, counts=PLAIN)
