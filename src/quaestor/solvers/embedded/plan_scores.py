"""What speaks for a plan beside the ranking: words for operations, lists, what was done before, what is pointed at."""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quaestor.conversation.references.expressions import Expression, asks_again, find_expressions
from quaestor.conversation.references.lineage import latest_results
from quaestor.conversation.references.pointing import likeness, pointing_expressions
from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Scale
from quaestor.core.words import words
from quaestor.plan.scales import Dimension
from quaestor.questions.comparison import ComparisonArgument, boundary
from quaestor.questions.conversions import read_conversion
from quaestor.questions.cues import PLAIN_NOUNS, noun_fits_metric
from quaestor.questions.question import Question, read_question
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.candidates import CHANGE, DIVIDE, LOOKUP, MULTIPLY, OPERATIONS, SUBTRACT, Candidates
from quaestor.solvers.embedded.operand_features import is_operand, power_of
from quaestor.solvers.embedded.operand_pool import CONSTANT
from quaestor.solvers.embedded.page import Floats, NumberMatrix, is_among
from quaestor.solvers.embedded.turn_state import DialogueState, Operand, TurnView

# What "in millions?" after an answer leaves open: by which factor it is brought there.
#
# The wording can mean the last answer alone, times or over a power of a thousand. Which power is learned from few
# turns, and names itself: the answer's own scale, or its size where that is not known.


_RULED_OUT = -12.0
"""What is added to the log odds of a plan that is not a conversion of the last answer."""

_THOUSAND = 3
_POWERS = (3, 6, 9)


def score_conversions(
    question: Question, plans: Candidates, state: DialogueState, leaves: NumberMatrix
) -> NDArray[np.float64] | None:
    """Return what a question for the last answer in another scale adds to the score of each plan; None if it is none.

    Shape: One entry a plan.
    """
    asked = read_conversion(question.lowered)
    if asked is None or asked.to is Scale.PERCENT or not state.outcomes or not state.outcomes[-1].value:
        return None
    pool, i, j = plans.pool, plans.first, plans.second
    last = np.array([o.kind == "result" and o.index == len(state.outcomes) - 1 for o in pool.operands])
    factor = np.where(pool.kind[j] == CONSTANT, pool.value[j], 0.0)
    fits = np.zeros(len(plans), bool)
    for power in _find_shifts(abs(state.outcomes[-1].value), power_of(state.outcomes[-1], state, leaves), asked.to):
        code = MULTIPLY if power > 0 else DIVIDE
        fits |= last[i] & (plans.operation == code) & (factor == 10.0 ** abs(power))
    return np.where(fits, 0.0, _RULED_OUT) if fits.any() else None


def _find_shifts(size: float, power: float, to: Scale) -> tuple[int, ...]:
    """The powers of ten that may bring a number of a power that is known, or is not (0 or nan), to a scale."""
    asked = Dimension(to).exponent
    # Ones are also what a page counts in that does not say it.
    if power > 0 and power != asked:
        return (int(power) - asked,)
    if not asked:
        return _POWERS
    if size < 10**_THOUSAND:
        return (_THOUSAND,)
    return (-min(asked, _THOUSAND * int(math.log10(size) / _THOUSAND)),)


# Operations that a question names in so many words: "what is that plus 9?" is not a product.


_OPERATION_WORDS = (
    (lazy_regex(r"(?<!how many )\btimes\b"), frozenset({"multiply"})),
    (lazy_regex(r"\bplus\b"), frozenset({"add", "sum", "subtract"})),
    (lazy_regex(r"\bdivided by\b"), frozenset({"divide", "percentage_change", "add", "subtract"})),
    (lazy_regex(r"\bover 100\b"), frozenset({"divide"})),
)
"""Words that say an operation, and what they leave open: of 42, 8, 127 and 4 labelled turns none does anything else."""


def score_named_operations(question: Question, plans: Candidates) -> Floats:
    """Return what the words of a question for an operation add to the score of each plan.

    Shape: One entry a plan.
    """
    codes = _find_named_operations(question)
    if not codes:
        return np.zeros(len(plans), np.float32)
    return np.where(np.isin(plans.operation, codes), np.float32(0), np.float32(_RULED_OUT))


@lru_cache(maxsize=64)
def _find_named_operations(question: Question) -> tuple[int, ...]:
    """The codes of the operations that a question names; empty if it names none."""
    names = frozenset[str]().union(*(names for words, names in _OPERATION_WORDS if words.search(question.lowered)))
    return tuple(code for code, name in enumerate(OPERATIONS) if name in names)


# What is calculated right after a list of numbers: "and the change?" is that of the numbers listed.
#
# Benchmark conversations have no lists, so the ranker has not seen one before such a question.


_MEANT = 5.0
"""What is added to the log odds of a plan on the numbers of the list and no other."""


def score_lists(plans: Candidates, turns: Sequence[TurnView]) -> Floats:
    """Return what is added to the score of each plan, where a list was answered and the question names nothing.

    Args:
        plans: Those after each reading of the turns before.
        turns: Page, conversation and question, likewise.

    Shape: One entry a plan.
    """
    scores = np.zeros(len(plans), np.float32)
    for turn, part in zip(turns, plans.parts, strict=True):
        listed = _find_listed_leaves(turn)
        if listed:
            of_list = [_read_leaves(outcome.operands) == listed for outcome in plans.take(part).outcomes()]
            scores[part] = np.where(of_list, np.float32(_MEANT), np.float32(0))
    return scores


def _find_listed_leaves(turn: TurnView) -> frozenset[int]:
    """The numbers of the list that the last turn answered; none if it did not, or where the question names more."""
    question = turn.question
    return frozenset() if question.names or question.years else _read_leaves(turn.state.last_list)


def _read_leaves(operands: Sequence[Operand]) -> frozenset[int]:
    """The numbers of the page that operands are; empty if any operand is something else."""
    if any(operand.kind != "leaf" for operand in operands):
        return frozenset()
    return frozenset(operand.index for operand in operands)


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


# What a side of a comparison means that points back: "what percentage of it", "divided by that net change".
#
# A bare pronoun means what was there in the ratio before, a noun for the result that is called so, words for
# the number of that name that was taken before. After gold's history 55 labelled turns have a plan with that operand
# on that side, and 52 of them are answered by one.


_OPERATIONS = {"share": DIVIDE, "ratio": DIVIDE, "less": SUBTRACT}
"""What each kind of comparison calculates."""

_NAMED_FIRST = lazy_regex(r"^(?:and |so |then )?(?:concerning|considering|regarding|in relation to|of|as for|given)\b")
"""What a pronoun means in such a question comes before it: "concerning that debt, what percentage of it"."""
_PLAINLY, _AHEAD = 1.0, 1.0
"""How well a result must answer to an expression, and how much better than each other."""


def score_pointed_sides(plans: Candidates, turns: Sequence[TurnView]) -> Floats:
    """Return what is added to the score of each plan.

    Args:
        plans: Those after each reading of the turns before.
        turns: Page, conversation and question, likewise.

    Shape: One entry a plan.
    """
    scores = np.zeros(len(plans), np.float32)
    sides = turns[0].question.comparison
    operation = _OPERATIONS.get(sides.kind)
    if operation is None or not turns[0].state.outcomes or sides.first.back is sides.second.back:
        return scores
    place = 0 if sides.first.back else 1
    index = (plans.first, plans.second)[place]
    for turn, part in zip(turns, plans.parts, strict=True):
        meant = _find_meant_operand((sides.first, sides.second)[place], place, turn)
        if meant is not None:
            own = is_operand(plans.pool, meant, turn.state.lookups)[index[part]] & (plans.operation[part] == operation)
            scores[part] = np.where(own, np.float32(_MEANT), np.float32(0))
    return scores


def _find_meant_operand(side: ComparisonArgument, place: int, turn: TurnView) -> Operand | None:
    """What a side means that points back; None if its words leave it open."""
    ratio = turn.question.comparison.kind != "less"
    if ratio and not side.stems and not side.years and (before := _find_ratio_side(place, turn)) is not None:
        return before
    pointing = [e for e in pointing_expressions(read_question(side.text.strip())) if e.noun or e.words]
    if len(pointing) != 1 or pointing[0].noun in PLAIN_NOUNS:
        return None
    if pointing[0].noun:
        return _find_result(pointing[0], turn)
    return _find_used_number(pointing[0], turn) if turn.question.comparison.kind == "share" else None


def _find_ratio_side(place: int, turn: TurnView) -> Operand | None:
    """The operand on that side of the ratio of the last turn."""
    last = turn.state.outcomes[-1]
    if last.operation != "divide" or len(last.operands) != 2 or _NAMED_FIRST.search(turn.question.lowered):
        return None
    return None if last.operands[place].kind == "constant" else last.operands[place]


def _find_result(expression: Expression, turn: TurnView) -> Operand | None:
    """The one result that plainly answers to a noun: "that net change"."""
    latest = latest_results(turn.results)
    judged = [(likeness(expression, result, n, frozenset()).score, result.turn) for n, result in enumerate(latest)]
    (score, meant), *others = sorted(judged, reverse=True)
    if score < _PLAINLY or (others and score < others[0][0] + _AHEAD):
        return None
    return Operand("result", meant, turn.state.outcomes[meant].value or 0.0)


def _find_used_number(expression: Expression, turn: TurnView) -> Operand | None:
    """The number that an earlier turn took whose labels have all words of an expression, and the fewest others."""
    named, leaves = frozenset(stems(" ".join(expression.words | expression.of))), turn.leaves
    candidates = [
        (-len(leaves.named[leaf] - named), last, leaf)
        for leaf, last in turn.state.used_leaves.items()
        if named and named <= leaves.named[leaf]
    ]
    if not candidates:
        return None
    leaf = max(candidates)[2]
    return Operand("leaf", leaf, float(leaves.value[leaf]))


# Plans that do once more what an earlier turn did, elsewhere: "and in 2012?", "what was that change for the index?".
#
# Such a question leaves out all but what is new in it, so it can mean little else; the ranker has seen too few of
# them to know. After gold's history 17 labelled turns have such a plan, and 16 of them are answered by one; of 75
# that ask for another year of what was looked up 72 are.


_CALCULATED = frozenset({"subtract", "divide", "multiply", "percentage_change"})
"""What can be asked for again. A sum cannot: "and in 2008?" after one asks for its next term."""

_GOES_ON = lazy_regex(
    r"(?:and|so|then|now|but|or)?,?\s*(?:(?:what|how) about)?\s*(?:what (?:was|is|were|are) (?:it|they),?\s+)?"
    r"(?:only|also|then|just)?,?\s*"
    r"(?:in|for|during|as of|at|between|from|related to|under|over|on)\b(?!.*\b(?:what|how|which)\b)[^?]*\?*"
)
"""A question that names a time, a place or a thing alone."""
_CONVERTS = lazy_regex(r"\b(?:thousands?|mill?i?ons?|billions?|hundreds?|tens|percent\w*|dollars|terms|decimal)\b")
_OVER = lazy_regex(
    r"\bover (?!the (?:same |next |previous |following |subsequent |last |prior |full )*(?:year|period|time|month)"
    r"|th(?:is|at) |(?:19|20)\d\d\b)"
)
"""A ratio: "what is that change over the 2015 value?"."""
_FITS = 0.6

_Calculation = tuple[int, tuple[int | float, ...]]
"""The code of an operation and its operands, one or two: the number of the page that each is, or the constant."""


def score_restatements(plans: Candidates, turns: Sequence[TurnView]) -> Floats:
    """Return what is added to the score of each plan.

    Args:
        plans: Those after each reading of the turns before.
        turns: Page, conversation and question, likewise.

    Shape: One entry a plan.
    """
    scores = np.zeros(len(plans), np.float32)
    for turn, part in zip(turns, plans.parts, strict=True):
        meant = find_restated_turn(turn)
        calculation = None if meant is None else _read_calculation(turn.state, meant)
        if calculation is not None:
            scores[part] = np.where(_find_repeats(plans, part, turn, calculation), np.float32(_MEANT), np.float32(0))
    return scores


def find_restated_turn(turn: TurnView) -> int | None:
    """Return the earlier turn whose calculation a question asks for again, from 0; None if it asks for none."""
    question, outcomes = turn.question, turn.state.outcomes
    if not outcomes or not len(turn.leaves):
        return None
    last, asked = outcomes[-1].operation, _find_repeated_nouns(question)
    if asked is None:
        return len(outcomes) - 1 if last in _CALCULATED or (last == "lookup" and _names_years(question)) else None
    return next((found for noun in asked if (found := _find_turn(noun, turn)) is not None), None)


@lru_cache(maxsize=64)
def _find_repeated_nouns(question: Question) -> tuple[str, ...] | None:
    """The nouns of what a question asks for again; None of one that names a time, a place or a thing alone."""
    if _GOES_ON.fullmatch(question.lowered.strip()):
        return () if _CONVERTS.search(question.lowered) else None
    if _OVER.search(question.lowered):
        return ()
    again = (e for e in find_expressions(question) if e.kind != "period" and asks_again(question, e))
    return tuple(expression.noun for expression in again if expression.noun)


def _names_years(question: Question) -> bool:
    """Whether a question names years, and no end of one: the beginning of a year is the end of the one before."""
    return bool(question.years) and not boundary(question.lowered)


def _find_turn(noun: str, turn: TurnView) -> int | None:
    """The latest turn with a result that is called so: by what it is, or in its own question."""
    if noun in PLAIN_NOUNS:
        return None
    for result in reversed(turn.results):
        if turn.state.outcomes[result.turn].operation in _CALCULATED and (
            noun_fits_metric(noun, result.metric) >= _FITS or noun in words(turn.state.questions[result.turn].lowered)
        ):
            return result.turn
    return None


def _find_repeats(plans: Candidates, part: slice, turn: TurnView, calculation: _Calculation) -> NDArray[np.bool_]:
    """Which plans do the same, each operand as it was or moved along its line or across it, and one of them moved."""
    code, operands = calculation
    again: NDArray[np.bool_] = plans.operation[part] == code
    moved = np.zeros(len(again), bool)
    if not again.any():
        return again
    for was, index in zip(operands, (plans.first[part], plans.second[part]), strict=False):
        stays, moves = _compare(was, plans, turn)
        again = again & (stays | moves)[index]
        moved |= moves[index]
    return again & moved


def _compare(was: int | float, plans: Candidates, turn: TurnView) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which operands of the pool are what an operand was, and which are the same thing as the question names it."""
    pool, leaves = plans.pool, turn.leaves
    if isinstance(was, float):
        return (pool.kind == CONSTANT) & (pool.value == was), np.zeros(len(pool.kind), bool)
    leaf, at = pool.leaf, np.maximum(pool.leaf, 0)
    near = (leaf >= 0) & (leaf != was) & (leaves.table[at] == leaves.table[was])
    line, place = leaves.line[at] == leaves.line[was], leaves.place[at] == leaves.place[was]
    # The numbers of two sentences have nothing in common by their order.
    near &= line ^ place if leaves.table[was] >= 0 else line
    near &= (
        is_among(leaves.year[at], turn.question.year_set or turn.target_years)
        | _has_asked_words(was, turn.question, leaves)[at]
    )
    return leaf == was, near


def _has_asked_words(was: int, question: Question, leaves: NumberMatrix) -> NDArray[np.bool_]:
    """Which numbers have a word of the question in their labels that this one has not."""
    asked, own = frozenset(question.stems), leaves.named[was]
    return np.array([not asked.isdisjoint(named - own) for named in leaves.named], bool)


def _read_calculation(state: DialogueState, turn: int) -> _Calculation | None:
    """What a turn calculated from numbers of the page and constants; None if it has other parts."""
    outcome = state.outcomes[turn]
    if outcome.operation == "lookup" and turn in state.lookups:
        return LOOKUP, (state.lookups[turn],)
    if len(outcome.operands) != 2 or outcome.operation not in OPERATIONS:
        return None
    first, second = (_number_or_constant(operand, state) for operand in outcome.operands)
    if first is not None and second is not None:
        return OPERATIONS.index(outcome.operation), (first, second)
    changed = outcome.operands[0]
    if outcome.operation == "divide" and changed.kind == "result" and second is not None:
        inner = _read_calculation(state, changed.index)
        # A change over its base is a percentage change of what it is the change of.
        if inner is not None and OPERATIONS[inner[0]] == "subtract" and inner[1][1] == second:
            return CHANGE, inner[1]
    return None


def _number_or_constant(operand: Operand, state: DialogueState) -> int | float | None:
    match operand.kind:
        case "leaf":
            return operand.index
        case "constant":
            return float(operand.value)
        case "result":
            return state.lookups.get(operand.index)
    return None
