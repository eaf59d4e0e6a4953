"""What is measured of two operands together: years, places, words, sizes, and how one was made of the other."""

import numpy as np
from numpy.typing import NDArray

from quaestor.questions.stems import stems
from quaestor.solvers.embedded.candidates.enumerate import MULTIPLY, Candidates, same_printed_number
from quaestor.solvers.embedded.candidates.pool import CONSTANT, Pool
from quaestor.solvers.embedded.features.operands import Column, OperandView, distinct_positions, label_overlap
from quaestor.solvers.embedded.page.matrix import NumberMatrix, among
from quaestor.solvers.embedded.page.text import LEADS
from quaestor.solvers.embedded.state.dialogue import DialogueState, Operand
from quaestor.solvers.embedded.state.turn_view import TurnView

_FROM, _TO = LEADS.index("from"), LEADS.index("to")
_PRICES = frozenset(stems("price fare"))
_COUNTS = frozenset(stems("number shares options units securities"))


def pair_columns(candidates: Candidates, turn: TurnView, view: OperandView) -> dict[str, Column]:
    """Returns the columns of all candidates that compare their two operands.

    Args:
        candidates: The plans of the turn.
        turn: Page, conversation and question.
        view: The operands of the candidates' pool.

    Shape: Each column has one entry a candidate.
    """
    return {
        **_year_columns(candidates, turn, view),
        **_place_columns(candidates, turn.leaves),
        **_word_columns(candidates, view),
        **_size_columns(candidates, turn),
        **_origin_columns(candidates, turn.state),
        "text_order": _text_order(candidates, turn.leaves),
        "worth": _worth(candidates, turn.leaves),
    }


def _year_columns(candidates: Candidates, turn: TurnView, view: OperandView) -> dict[str, Column]:
    named = turn.question.years
    a, b = view.year[candidates.first], view.year[candidates.second]
    nothing = np.zeros(len(a))
    covered = sum((((a == year) | (b == year)).astype(float) for year in named), nothing)
    outside = ((a > 0) & ~among(a, named)).astype(int) + ((b > 0) & ~among(b, named))
    return {
        "year_gap": np.where((a > 0) & (b > 0), np.clip(a - b, -20, 20), 99),
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


def _size_columns(candidates: Candidates, turn: TurnView) -> dict[str, Column]:
    pool, i, j = candidates.pool, candidates.first, candidates.second
    a, b = pool.value[i], pool.value[j]
    constant = np.where(pool.kind[j] == CONSTANT, b, np.where(pool.kind[i] == CONSTANT, a, np.nan))
    size = np.where(np.isnan(constant), -1.0, np.log10(np.maximum(np.abs(np.nan_to_num(constant)), 1e-9)))
    return {
        "twins": same_printed_number(pool, i, j),
        "same_percent": pool.percent[i] == pool.percent[j],
        "size_gap": np.clip(np.log10((np.abs(a) + 1e-9) / (np.abs(b) + 1e-9)), -9, 9),
        "larger_first": np.abs(a) > np.abs(b),
        "constant": np.where(constant == -1.0, -2.0, size),
        "constant_asked": among(constant, turn.question.numbers),
        "constant_counted": among(constant, turn.question.counts),
    }


def _origin_columns(candidates: Candidates, state: DialogueState) -> dict[str, Column]:
    """How an operand was made of the other: 1 and 2 it was the first or second operand there, 0 neither."""
    inside = _inside(candidates.pool, state)
    return {
        "second_in_first": inside[candidates.first, candidates.second],
        "first_in_second": inside[candidates.second, candidates.first],
    }


def _inside(pool: Pool, state: DialogueState) -> NDArray[np.int8]:
    """For each pair of operands, the place that the second had in the operation that made the first."""
    inside = np.zeros((len(pool.operands), len(pool.operands)), np.int8)
    lookups = state.lookups()
    for n, made in enumerate(pool.operands):
        if made.kind != "result" or pool.leaf[n] >= 0:
            continue
        parts = state.outcomes[made.index].operands
        for m, other in enumerate(pool.operands):
            for place, part in enumerate(parts[:2], start=1):
                if _same(other, part, int(pool.leaf[m]), lookups):
                    inside[n, m] = place
    return inside


def _same(operand: Operand, part: Operand, leaf: int, lookups: dict[int, int]) -> bool:
    """Whether an operand of the pool is what an earlier operation took, itself or as the turn that looked it up."""
    if part.kind == "constant":
        return operand.kind == "constant" and operand.value == part.value
    if part.kind == "result" and operand.kind == "result" and operand.index == part.index:
        return True
    taken = part.index if part.kind == "leaf" else lookups.get(part.index, -1)
    return taken >= 0 and taken == leaf


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


def _worth(candidates: Candidates, leaves: NumberMatrix) -> Column:
    """True where a count is multiplied by the price of one."""
    pool, i, j = candidates.pool, candidates.first, candidates.second
    price, count = np.zeros(len(pool.operands), bool), np.zeros(len(pool.operands), bool)
    for n, leaf in enumerate(pool.leaf.tolist()):
        if leaf >= 0:
            label = {*leaves.leaves[leaf].row, *leaves.leaves[leaf].column}
            price[n] = not label.isdisjoint(_PRICES)
            count[n] = not price[n] and not label.isdisjoint(_COUNTS)
    worth: Column = (candidates.operation == MULTIPLY) & ((price[i] & count[j]) | (count[i] & price[j]))
    return worth
