"""Rules beside the ranking of plans: what speaks for a plan, and which plans nobody asks for."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quaestor.core.patterns import lazy_regex
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.candidates import LOOKUP, Candidates
from quaestor.solvers.embedded.page import Floats, NumberMatrix, is_among
from quaestor.solvers.embedded.turn_state import DialogueState, TurnAction

# A look-up of a year that the question does not name, where the line has the year that it names.
#
# Conversations of the benchmark mostly stay in a year or in a line, so the learned ranking holds a number of the
# column before for likely even if another year is named. On the benchmark's own pages this mends and harms nothing
# (549 of 841 turns are right with it and without, by weights that had not seen the company); people name a year
# because they mean it.


_ELSEWHERE = -3.0
"""What such a look-up has less: a fiscal year may end in another one, so it is not ruled out."""


def score_named_years(question: Question, plans: Candidates, leaves: NumberMatrix) -> Floats:
    """Return what the years that a question names add to the score of each plan.

    Shape: One entry a plan.
    """
    if not question.years or (question.offsets and not question.stated_years) or not len(leaves):
        return np.zeros(len(plans), np.float32)
    named = is_among(leaves.year, question.year_set) | is_among(leaves.other_year, question.year_set)
    in_table = leaves.table >= 0
    of_table = named & in_table
    in_line, in_place = (_find_neighbours(leaves, at, of_table) for at in (leaves.line, leaves.place))
    missed = in_table & (leaves.year > 0) & ~named & in_line
    # Nor is the total over the years meant where that year has a number beside it.
    missed |= in_table & (leaves.year == 0) & ~named & leaves.total & (in_line | in_place)
    leaf = plans.pool.leaf[plans.first]
    wrong = (plans.operation == LOOKUP) & (leaf >= 0) & missed[np.maximum(leaf, 0)]
    return np.where(wrong, np.float32(_ELSEWHERE), np.float32(0))


def _find_neighbours(leaves: NumberMatrix, at: NDArray[np.int32], some: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which numbers share a line, or a place of a line, of a table with one of some numbers."""
    across = (leaves.table + 1) * (1 + int(at.max())) + at
    has_some = np.zeros(int(across.max()) + 1, bool)
    has_some[across[some]] = True
    neighbours: NDArray[np.bool_] = has_some[across]
    return neighbours


# Plans that do another thing than a question asks for: an amount for its change, a ratio for a total.
#
# The ranker weighs what it has seen, and now and then a likely number outweighs the question. These few
# turns of phrase leave no choice, on a benchmark's page and in a filing alike: the labelled turns of ConvFinQA bear
# each of them out, and what they have against it is told beside it.


_NOUN = r"change|increase|decrease|decline|growth|rise|drop|fall|reduction|movement|improvement|swing"
_VERB = r"change|increase|decrease|decline|ris[ei]n?|fall(?:en)?|gr[eo]wn?|drop|improve|shrink|move"
_CHANGE = lazy_regex(
    rf"\b(?:{_NOUN}) (?!in control)(?:in|of|from|over|between|since|during)\b"
    rf"|\bhow much (?:did|has|have|do|does) .+ (?:{_VERB})(?:d|ped)?\b"
)
_OF_CHANGE = lazy_regex(rf"\bof (?:the|this|that) (?:{_NOUN})\b|\bdue to\b|\b(?:{_NOUN}) (?:then )?represent")
"""A part of a change is not a change of its own, nor is what it is a share of."""
CHANGES = frozenset(
    stems(
        "change increase decrease decline growth variance rise drop fall reduction improvement movement grew rose fell"
    )
)
"""Words, without their ending, that speak of a change."""
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
    """Return whether a plan does another thing than the question asks for.

    Args:
        used: The number of the page that each operand is or looked up; -1 if it is not one.
    """
    match outcome.operation:
        case "lookup":
            # Of the eight labelled turns that ask for yes or no none looks a number up.
            return _asks_whether(question) or (asks_for_change(question) and _is_amount_for_change(used, leaves))
        case "divide":
            return _asks_for_total(question) and _is_ratio_for_total(outcome, used, leaves)
    return False


@lru_cache(maxsize=64)
def _asks_whether(question: Question) -> bool:
    # Most questions begin otherwise, and then need not be read for it.
    return _VERB_FIRST.search(question.lowered) is not None and question.wants.kind == "yes_no"


@lru_cache(maxsize=64)
def _asks_for_total(question: Question) -> bool:
    return _TOTAL.search(question.lowered) is not None and not _OVER.search(question.lowered)


@lru_cache(maxsize=64)
def asks_for_change(question: Question) -> bool:
    """Return whether a question asks how far one thing changed: "the increase in debt", "how much did sales fall"."""
    return bool(_CHANGE.search(question.lowered)) and not _OF_CHANGE.search(question.lowered)


def _is_amount_for_change(used: Sequence[int], leaves: NumberMatrix) -> bool:
    """Whether, where a change is asked for, neither label nor sentence of what is looked up speaks of one.

    Of 709 turns that ask for one 21 are answered by a look-up, of numbers that are a change as they are printed.
    """
    return all(leaf >= 0 and not _speaks_of_change(leaf, leaves) for leaf in used)


def _speaks_of_change(leaf: int, leaves: NumberMatrix) -> bool:
    number = leaves.leaves[leaf]
    return number.moved or bool(CHANGES & {*number.row, *number.column, *number.around})


def _is_ratio_for_total(outcome: TurnAction, used: Sequence[int], leaves: NumberMatrix) -> bool:
    """Whether "what was the total" is answered by one number over another, neither of them a constant or a percentage.

    Of 509 turns none is: four divide by a thousand, a million or a percentage.
    """
    if any(operand.kind == "constant" for operand in outcome.operands):
        return False
    return not any(leaf >= 0 and leaves.counts[leaf].percent for leaf in used)


# Plans that nobody asks for of a filing: one number used twice, an amount for its change, the change of a change.
#
# A long document prints one amount in several places and changes beside amounts, and what was answered before stays a
# candidate. The benchmark's pages print most numbers once, and its questions take a change in two turns, so the
# ranker has not learned against these.


_TOGETHER = frozenset({"add", "subtract", "divide", "multiply", "percentage_change", "sum", "average"})
_DIFFERENCES = frozenset({"subtract", "percentage_change"})
_SCALED = frozenset({"multiply", "divide"})
_IMPLAUSIBLE_NO_RATIOS = frozenset({"add", "sum", "multiply"})
_IMPLAUSIBLE_RATIO = lazy_regex(r"\b(?:margin|ratio|rate)\b")
_SUM = lazy_regex(r"\b(?:sum|total|combined|together|plus|times|add\w*|multipl\w+)\b")
_ONE_OF_TWO = lazy_regex(r"differen|\b(?:less|more|fewer|minus|between)\b")
_IN_YEAR = lazy_regex(r"\b(?:in|for|during) (?:the )?(?:fiscal )?(?:year )?(?:19|20)\d\d\b")


def is_implausible(question: Question, outcome: TurnAction, state: DialogueState, leaves: NumberMatrix) -> bool:
    """Return whether nobody who asks a question of a filing means what a plan does."""
    used = find_leaves(outcome, state)
    if is_of_other_answers(question, outcome, state):
        return True
    if uses_one_twice(outcome, used, leaves) or is_no_comparison(question, outcome, leaves):
        return True
    if (
        outcome.operation in _IMPLAUSIBLE_NO_RATIOS
        and _IMPLAUSIBLE_RATIO.search(question.lowered)
        and not _SUM.search(question.lowered)
    ):
        return True
    return asks_for_change(question) and is_no_change(question, outcome, used, leaves)


def is_of_other_answers(question: Question, outcome: TurnAction, state: DialogueState) -> bool:
    """Return whether a question that stands alone would be answered by earlier answers about other things.

    "What was the return on equity?" names what it takes; the margin and the tax rate asked for before are none of it.
    """
    results = [operand.index for operand in outcome.operands if operand.kind == "result"]
    if not results or any(operand.kind == "leaf" for operand in outcome.operands) or not question.is_self_contained:
        return False
    return all(question.names.isdisjoint(_list_things(turn, state)) for turn in results)


def _list_things(turn: int, state: DialogueState) -> frozenset[str]:
    """What an earlier question names, or the one that it goes on from: "and in 2022?" is about the same."""
    return next((names for n in range(turn, -1, -1) if (names := state.questions[n].names)), frozenset())


def find_leaves(outcome: TurnAction, state: DialogueState) -> tuple[int, ...]:
    """Return the number of the page that each operand is or looked up; -1 if it is not one."""
    lookups = state.lookups
    operands = (operand for operand in outcome.operands if operand.kind != "group")
    return tuple(operand.index if operand.kind == "leaf" else lookups.get(operand.index, -1) for operand in operands)


def find_asked_years(question: Question, used: Sequence[int], leaves: NumberMatrix) -> tuple[int, ...]:
    """Return the year of each number as a question speaks of it; 0 if none is known.

    What was owed in 2024 and is due in 2026 is of 2026 where that is named.

    Args:
        used: Numbers of the page, as `find_leaves` has them.
    """
    own = ((int(leaves.year[leaf]), int(leaves.other_year[leaf])) if leaf >= 0 else (0, 0) for leaf in used)
    return tuple(other if other in question.year_set else year for year, other in own)


def is_no_comparison(question: Question, outcome: TurnAction, leaves: NumberMatrix) -> bool:
    """Return whether yes or no is asked for and an outcome is a number, or it compares an amount with a percentage."""
    if outcome.operation != "greater":
        return question.wants.kind == "yes_no"
    counts = [leaves.counts[operand.index] for operand in outcome.operands if operand.kind == "leaf"]
    return len({one.percent for one in counts}) > 1


def uses_one_twice(outcome: TurnAction, used: Sequence[int], leaves: NumberMatrix) -> bool:
    """Return whether an outcome calculates with one number and that number again, be it printed elsewhere."""
    if outcome.operation not in _TOGETHER or -1 in used:
        return False
    values = [(float(leaves.value[leaf]), int(leaves.year[leaf])) for leaf in used]
    return any(
        one == other and set(leaves.leaves[used[n]].row) & set(leaves.leaves[used[m]].row)
        for n, one in enumerate(values)
        for m, other in enumerate(values[:n])
    )


def is_no_change(question: Question, outcome: TurnAction, used: Sequence[int], leaves: NumberMatrix) -> bool:
    """Return whether an outcome cannot be the change that is asked for.

    A difference is none if one of its numbers is a change already, if both are of one year, or where the year
    whose change it is is not the later one. An amount times or over a percentage of the page never is.
    """
    if outcome.operation in _SCALED:
        percent = [leaf >= 0 and leaves.counts[leaf].percent for leaf in used]
        return any(percent) and not all(percent)
    if outcome.operation not in _DIFFERENCES:
        return False
    changes = sum(stem in CHANGES for stem in stems(question.lowered))
    of_changes = any(leaf >= 0 and CHANGES & {*leaves.leaves[leaf].column[-1:]} for leaf in used)
    return (changes == 1 and of_changes) or _is_of_other_years(question, used, leaves)


def _is_of_other_years(question: Question, used: Sequence[int], leaves: NumberMatrix) -> bool:
    """Whether the numbers of a difference are of one year, or not of the one whose change is asked for."""
    years = find_asked_years(question, used, leaves)
    if not all(years):
        return False
    if len(set(years)) == 1:
        lines = {(int(leaves.table[leaf]), int(leaves.line[leaf])) for leaf in used}
        return len(lines) > 1 and not _ONE_OF_TWO.search(question.lowered)
    if len(question.years) != 1 or _IN_YEAR.search(question.lowered) is None:
        return False
    later = used[years.index(max(years))]
    line = (leaves.table == leaves.table[later]) & (leaves.line == leaves.line[later])
    before = max(years) - 1
    return max(years) != question.years[0] or (before not in years and bool((leaves.year[line] == before).any()))
