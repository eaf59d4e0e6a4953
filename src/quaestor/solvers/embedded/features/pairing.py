"""What is measured of two operands together: years, places, words, sizes, and how one was made of the other."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from quaestor.questions.question import Question
from quaestor.solvers.embedded.candidates.combining import same_printed_number
from quaestor.solvers.embedded.candidates.enumerate import Candidates
from quaestor.solvers.embedded.candidates.operations import DIVIDE, MULTIPLY
from quaestor.solvers.embedded.candidates.pool import CONSTANT, Pool
from quaestor.solvers.embedded.features.operands import Column, OperandView, distinct_positions, label_overlap
from quaestor.solvers.embedded.page.matrix import NumberMatrix, among, within
from quaestor.solvers.embedded.page.text import LEADS
from quaestor.solvers.embedded.state.dialogue import Operand
from quaestor.solvers.embedded.state.turn_view import TurnView

_FROM, _TO = LEADS.index("from"), LEADS.index("to")


def pair_columns(candidates: Candidates, turns: Sequence[TurnView], view: OperandView) -> dict[str, Column]:
    """Return the columns of all candidates that compare their two operands.

    Args:
        turns: Page, conversation and question, after each reading of the turns before.
        view: The operands of the candidates' pool.

    Shape: Each column has one entry a candidate.
    """
    leaves, question = turns[0].leaves, turns[0].question
    return {
        **_year_columns(candidates, question, view),
        **_place_columns(candidates, leaves),
        **_word_columns(candidates, view),
        **_size_columns(candidates, question),
        **_origin_columns(candidates, turns),
        "text_order": _text_order(candidates, leaves),
        **_kinds(candidates, leaves),
    }


def _year_columns(candidates: Candidates, question: Question, view: OperandView) -> dict[str, Column]:
    named = question.years
    a, b = view.year[candidates.first], view.year[candidates.second]
    nothing = np.zeros(len(a))
    covered = sum((((a == year) | (b == year)).astype(float) for year in named), nothing)
    outside = ((a > 0) & ~among(a, named)).astype(int) + ((b > 0) & ~among(b, named))
    return {
        "year_gap": np.where((a > 0) & (b > 0), within(a - b, -20, 20), 99),
        "years_covered": covered / max(1, len(named)),
        "years_outside": outside if named else nothing,
        "first_is_first": (a == named[0]) if named else nothing,
        "second_is_first": (b == named[0]) if named else nothing,
    }


def _place_columns(candidates: Candidates, leaves: NumberMatrix) -> dict[str, Column]:
    pool, i, j = candidates.pool, candidates.first, candidates.second
    both = (pool.leaf[i] >= 0) & (pool.leaf[j] >= 0)
    if not len(leaves):
        return {"same_row": both, "same_column": both, "sentence_order": both}
    a, b = np.maximum(pool.leaf[i], 0), np.maximum(pool.leaf[j], 0)
    same_table = both & (leaves.table[a] == leaves.table[b])
    same_line = same_table & (leaves.line[a] == leaves.line[b])
    order = np.sign(leaves.place[b] - leaves.place[a])
    return {
        "same_row": same_line,
        "same_column": same_table & (leaves.table[a] >= 0) & (leaves.place[a] == leaves.place[b]),
        "sentence_order": np.where(same_line, order, 0),
    }


def _word_columns(candidates: Candidates, view: OperandView) -> dict[str, Column]:
    i, j = candidates.first, candidates.second
    alike, covered = label_overlap(view, i, j)
    first, second = distinct_positions(view, i, j)
    return {
        "same_words": alike,
        "words_covered": covered,
        "first_distinct": first,
        "second_distinct": second,
        "word_order": np.sign(second - first),
    }


def _size_columns(candidates: Candidates, question: Question) -> dict[str, Column]:
    pool, i, j = candidates.pool, candidates.first, candidates.second
    a, b = np.abs(pool.value[i]), np.abs(pool.value[j])
    # The constant of each plan, after all operands one that stands for none.
    at = np.where(pool.kind[j] == CONSTANT, j, np.where(pool.kind[i] == CONSTANT, i, len(pool.value)))
    value, nothing = np.append(pool.value, np.nan), [-1.0]
    size = np.append(np.log10(np.maximum(np.abs(pool.value), 1e-9)), nothing)
    return {
        "twins": same_printed_number(pool, i, j),
        "same_percent": pool.percent[i] == pool.percent[j],
        "size_gap": np.clip(np.log10((a + 1e-9) / (b + 1e-9)), -9, 9),
        "larger_first": a > b,
        "constant": np.where(value == -1.0, -2.0, size)[at],
        "constant_asked": among(value, question.numbers)[at],
        "constant_counted": among(value, question.counts)[at],
    }


def _origin_columns(candidates: Candidates, turns: Sequence[TurnView]) -> dict[str, Column]:
    """How an operand was made of the other: 1 and 2 it was the first or second operand there, 0 neither."""
    inside = _inside(candidates.pool, turns)
    return {
        "second_in_first": inside[candidates.first, candidates.second],
        "first_in_second": inside[candidates.second, candidates.first],
    }


def _inside(pool: Pool, turns: Sequence[TurnView]) -> NDArray[np.int8]:
    """For each pair of operands, the place that the second had in the operation that made the first."""
    inside = np.zeros((len(pool.operands), len(pool.operands)), np.int8)
    lookups = [turn.state.lookups for turn in turns]
    for n in np.flatnonzero((pool.leaf < 0) & (pool.result >= 0)).tolist():
        reading = int(pool.reading[n])
        for place, part in enumerate(turns[reading].state.outcomes[pool.result[n]].operands[:2], start=1):
            inside[n, is_operand(pool, part, lookups[reading]) & (pool.reading == reading)] = place
    return inside


def is_operand(pool: Pool, part: Operand, lookups: Mapping[int, int]) -> NDArray[np.bool_]:
    """Return which operands of a pool are what an earlier operation took, itself or as the turn that looked it up.

    Args:
        lookups: The leaf of each turn before that looked one up.

    Shape: One entry an operand of the pool.
    """
    if part.kind == "constant":
        same: NDArray[np.bool_] = (pool.kind == CONSTANT) & (pool.value == part.value)
        return same
    taken = part.index if part.kind == "leaf" else lookups.get(part.index, -1)
    same = (pool.leaf == taken) if taken >= 0 else np.zeros(len(pool.operands), bool)
    if part.kind == "result":
        same |= pool.result == part.index
    return same


def _text_order(candidates: Candidates, leaves: NumberMatrix) -> Column:
    """1 where the second operand is what the first came from, "from 3 to 4"; -1 where it is the reverse."""
    if not len(leaves):
        return np.zeros(len(candidates))
    a, b = candidates.pool.leaf[candidates.first], candidates.pool.leaf[candidates.second]
    first, second = np.maximum(a, 0), np.maximum(b, 0)
    beside = (a >= 0) & (b >= 0) & (leaves.table[first] < 0) & (leaves.line[first] == leaves.line[second])
    came = (leaves.lead[second] == _FROM) & (leaves.lead[first] == _TO)
    went = (leaves.lead[first] == _FROM) & (leaves.lead[second] == _TO)
    order: Column = beside * (came.astype(int) - went)
    return order


def _kinds(candidates: Candidates, leaves: NumberMatrix) -> dict[str, Column]:
    """What each operand counts beside the other: money, things, prices."""
    pool, i, j = candidates.pool, candidates.first, candidates.second
    price, count, money = (np.zeros(len(pool.operands), bool) for _ in range(3))
    if len(leaves):
        is_leaf, leaf = pool.leaf >= 0, np.maximum(pool.leaf, 0)
        price, count, money = (is_leaf & of_leaf[leaf] for of_leaf in (leaves.priced, leaves.counted, leaves.money))
    for n in np.flatnonzero((pool.leaf < 0) & (pool.kind != CONSTANT)).tolist():
        money[n] = pool.counts[n].money
    things = count & ~money
    worth = (candidates.operation == MULTIPLY) & ((price[i] & count[j]) | (count[i] & price[j]))
    divided = candidates.operation == DIVIDE
    return {
        "worth": worth,
        "kinds_apart": (money[i] & things[j]) | (things[i] & money[j]),
        "price_of": divided * ((money[i] & things[j]).astype(int) - (things[i] & money[j])),
    }
