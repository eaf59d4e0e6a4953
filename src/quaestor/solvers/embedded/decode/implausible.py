"""Plans that nobody asks for of a filing: one number taken twice, an amount for its change, the change of a change.

A long document prints one amount in several places and changes beside amounts, and what was answered before stays a
candidate. The benchmark's pages print most numbers once, and its questions take a change in two turns, so the ranker
has not learned against these.
"""

import re
from collections.abc import Sequence

from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.decode.off_question import CHANGES, asks_for_change
from quaestor.solvers.embedded.page.matrix import NumberMatrix
from quaestor.solvers.embedded.state.dialogue import DialogueState, TurnAction

_TOGETHER = frozenset({"add", "subtract", "divide", "multiply", "percentage_change", "sum", "average"})
_DIFFERENCES = frozenset({"subtract", "percentage_change"})
_SCALED = frozenset({"multiply", "divide"})
_NO_RATIOS = frozenset({"add", "sum", "multiply"})
_RATIO = re.compile(r"\b(?:margin|ratio|rate)\b")
_SUM = re.compile(r"\b(?:sum|total|combined|together|plus|times|add\w*|multipl\w+)\b")
_ONE_OF_TWO = re.compile(r"differen|\b(?:less|more|fewer|minus|between)\b")
_IN_YEAR = re.compile(r"\b(?:in|for|during) (?:the )?(?:fiscal )?(?:year )?(?:19|20)\d\d\b")


def is_implausible(question: Question, outcome: TurnAction, state: DialogueState, leaves: NumberMatrix) -> bool:
    """Return whether nobody who asks a question of a filing means what a plan does."""
    taken = leaves_of(outcome, state)
    if is_of_other_answers(question, outcome, state):
        return True
    if takes_one_twice(outcome, taken, leaves) or is_no_comparison(question, outcome, leaves):
        return True
    if outcome.operation in _NO_RATIOS and _RATIO.search(question.lowered) and not _SUM.search(question.lowered):
        return True
    return asks_for_change(question) and is_no_change(question, outcome, taken, leaves)


def is_of_other_answers(question: Question, outcome: TurnAction, state: DialogueState) -> bool:
    """Return whether a question that stands alone would be answered by earlier answers about other things.

    "What was the return on equity?" names what it takes; the margin and the tax rate asked for before are none of it.
    """
    results = [operand.index for operand in outcome.operands if operand.kind == "result"]
    if not results or any(operand.kind == "leaf" for operand in outcome.operands) or not question.stands_alone:
        return False
    return all(question.names.isdisjoint(_things_of(turn, state)) for turn in results)


def _things_of(turn: int, state: DialogueState) -> frozenset[str]:
    """What an earlier question names, or the one that it goes on from: "and in 2022?" is about the same."""
    return next((names for n in range(turn, -1, -1) if (names := state.questions[n].names)), frozenset())


def leaves_of(outcome: TurnAction, state: DialogueState) -> tuple[int, ...]:
    """Return the number of the page that each operand is or looked up; -1 of what is none."""
    lookups = state.lookups
    taken = (operand for operand in outcome.operands if operand.kind != "group")
    return tuple(operand.index if operand.kind == "leaf" else lookups.get(operand.index, -1) for operand in taken)


def years_spoken_of(question: Question, taken: Sequence[int], leaves: NumberMatrix) -> tuple[int, ...]:
    """Return the year of each number as a question speaks of it; 0 if none is known.

    What was owed in 2024 and is due in 2026 is of 2026 where that is named.

    Args:
        taken: Numbers of the page, as `leaves_of` has them.
    """
    own = ((int(leaves.year[leaf]), int(leaves.other_year[leaf])) if leaf >= 0 else (0, 0) for leaf in taken)
    return tuple(other if other in question.year_set else year for year, other in own)


def is_no_comparison(question: Question, outcome: TurnAction, leaves: NumberMatrix) -> bool:
    """Return whether yes or no is asked for and an outcome is a number, or it compares an amount with a percentage."""
    if outcome.operation != "greater":
        return question.wants.kind == "yes_no"
    counts = [leaves.counts[operand.index] for operand in outcome.operands if operand.kind == "leaf"]
    return len({one.percent for one in counts}) > 1


def takes_one_twice(outcome: TurnAction, taken: Sequence[int], leaves: NumberMatrix) -> bool:
    """Return whether an outcome calculates with one number and that number again, be it printed elsewhere.

    Args:
        taken: Its numbers of the page, as `leaves_of` has them.
    """
    if outcome.operation not in _TOGETHER or -1 in taken:
        return False
    said = [(float(leaves.value[leaf]), int(leaves.year[leaf])) for leaf in taken]
    return any(
        one == other and set(leaves.leaves[taken[n]].row) & set(leaves.leaves[taken[m]].row)
        for n, one in enumerate(said)
        for m, other in enumerate(said[:n])
    )


def is_no_change(question: Question, outcome: TurnAction, taken: Sequence[int], leaves: NumberMatrix) -> bool:
    """Return whether an outcome cannot be the change that is asked for.

    A difference is none if one of its numbers is a change already, where both are of one year, or where the year
    whose change it is is not the later one. An amount times or over a percentage of the page never is.

    Args:
        taken: Its numbers of the page, as `leaves_of` has them.
    """
    if outcome.operation in _SCALED:
        percent = [leaf >= 0 and leaves.counts[leaf].percent for leaf in taken]
        return any(percent) and not all(percent)
    if outcome.operation not in _DIFFERENCES:
        return False
    changes = sum(stem in CHANGES for stem in stems(question.lowered))
    of_changes = any(leaf >= 0 and CHANGES & {*leaves.leaves[leaf].column[-1:]} for leaf in taken)
    return (changes == 1 and of_changes) or _is_of_other_years(question, taken, leaves)


def _is_of_other_years(question: Question, taken: Sequence[int], leaves: NumberMatrix) -> bool:
    """Whether the numbers of a difference are of one year, or not of the one whose change is asked for."""
    years = years_spoken_of(question, taken, leaves)
    if not all(years):
        return False
    if len(set(years)) == 1:
        lines = {(int(leaves.table[leaf]), int(leaves.line[leaf])) for leaf in taken}
        return len(lines) > 1 and not _ONE_OF_TWO.search(question.lowered)
    if len(question.years) != 1 or _IN_YEAR.search(question.lowered) is None:
        return False
    later = taken[years.index(max(years))]
    line = (leaves.table == leaves.table[later]) & (leaves.line == leaves.line[later])
    before = max(years) - 1
    return max(years) != question.years[0] or (before not in years and bool((leaves.year[line] == before).any()))
