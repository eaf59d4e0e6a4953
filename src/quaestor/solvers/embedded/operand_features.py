"""Features of a plan's operands: of each one, of pairs and of groups.

Columns have one entry per candidate. `turns` and `probability` have one entry per reading of the earlier turns: the
turn after it, and the leaf scorer's probability of each leaf. Pairs are given as indexes into the pool.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from quaestor.conversation.references.lineage import find_latest_turn
from quaestor.core.matrices import multiply
from quaestor.questions.metric_types import SEVERAL
from quaestor.questions.question import Question
from quaestor.solvers.embedded.candidates import (
    ADD,
    AVERAGE,
    DIVIDE,
    LOOKUP,
    MULTIPLY,
    SUBTRACT,
    SUM,
    Candidates,
    find_same_printed_pairs,
)
from quaestor.solvers.embedded.number_features import OPERATION_WORDS
from quaestor.solvers.embedded.operand_pool import CONSTANT, GROUP, GROUP_KINDS, NONE, Pool
from quaestor.solvers.embedded.page import NumberMatrix, clip, is_among
from quaestor.solvers.embedded.page_numbers import LEADS
from quaestor.solvers.embedded.turn_state import DialogueState, Operand, TurnAction, TurnView

_LAST_RANK = 30
_NO_LABEL = frozenset[str]()
_FROM, _TO = LEADS.index("from"), LEADS.index("to")
_LEAST, _UNLISTED = 1e-6, 1e-3

Column = NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class OperandView:
    """Operands of a pool, as columns.

    Attributes:
        columns: Features of the operands by name.
        question_words: Operands x stems of the question: whether the operand's label has that stem.
        labels: Labels x stems of all labels.
        label: Row in `labels` of each operand's label.
        year: Year of each operand; 0 if unknown.
    """

    columns: Mapping[str, Column]
    question_words: NDArray[np.bool_]
    labels: NDArray[np.float32]
    label: NDArray[np.intp]
    year: NDArray[np.int32]


def view_operands(pool: Pool, probability: Sequence[NDArray[np.float64]], turns: Sequence[TurnView]) -> OperandView:
    """Return the operands of a pool as columns for the ranker's features."""
    has, leaves, parsed_question = pool.leaf >= 0, turns[0].leaves, turns[0].question
    named, readings = leaves.named, pool.reading.tolist()
    of_operand = [
        named[leaf] if leaf >= 0 else _NO_LABEL if kind in (CONSTANT, NONE) else _label(pool, n, turns[readings[n]])
        for n, (leaf, kind) in enumerate(zip(pool.leaf.tolist(), pool.kind.tolist(), strict=True))
    ]
    place = {label: n for n, label in enumerate(dict.fromkeys(of_operand))}
    label = np.array([place[one] for one in of_operand], np.intp)
    question = list(dict.fromkeys(parsed_question.stems))
    flags = np.array([[stem in one for stem in question] or [False] for one in place], bool)[label]
    year = _find_years(pool, turns)
    newest = max(parsed_question.years, default=0)
    columns: dict[str, Column] = {
        "kind": pool.kind,
        "score": pool.score,
        "rank": _rank_leaves(pool, probability),
        "turn": pool.turn,
        "year": np.where((year > 0) & (newest > 0), clip(year - newest, -9, 8), 9),
        "lead": _take_of_leaves(pool, leaves.lead, 0),
        "table": _take_of_leaves(pool, leaves.table >= 0, -1),
        "word": _find_first_places(flags),
        "said": flags.mean(axis=1),
        "percent": pool.percent,
        "magnitude": pool.magnitude,
        "negative": pool.value < 0,
        "total": _take_of_leaves(pool, leaves.total, 0),
        "size": np.log10(1 + np.abs(pool.value)),
        "computed": ~has & (pool.turn > 0),
        **_compare_operation_words(parsed_question, list(place), label),
    }
    return OperandView(columns, flags, _build_label_matrix(list(place)), label, year)


def find_distinct_places(
    view: OperandView, first: NDArray[np.intp], second: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the position in the question of the first stem that only one operand's label has, for each of the two.

    Positions are shares of the question's length; 2 if there is no such stem.
    """
    a, b = view.question_words[first], view.question_words[second]
    return _find_first_places(a & ~b), _find_first_places(b & ~a)


def compare_labels(view: OperandView, first: NDArray[np.intp], second: NDArray[np.intp]) -> tuple[Column, Column]:
    """Return the Jaccard similarity of each pair's labels, and the share of the question's stems in either label."""
    inside = multiply(view.labels, view.labels.T)
    size = view.labels.sum(axis=1)
    one, other = view.label[first], view.label[second]
    shared = inside[one, other]
    alike = shared / np.maximum(size[one] + size[other] - shared, 1)
    return alike, (view.question_words[first] | view.question_words[second]).mean(axis=1)


def _find_first_places(flags: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Position of the first true flag in each row, as a share of its length; 2 if there is none."""
    places: NDArray[np.float64] = np.where(flags.any(axis=1), flags.argmax(axis=1) / flags.shape[1], 2.0)
    return places


def _label(pool: Pool, n: int, turn: TurnView) -> frozenset[str]:
    """Stems that name a group (of its leaves) or a result (of its question and leaves)."""
    operand, leaves, state = pool.operands[n], turn.leaves, turn.state
    if operand.kind == "group":
        members = [m.index for m in pool.members(n) if m.kind == "leaf"]
        return frozenset().union(*(leaves.named[leaf] for leaf in members))
    words = set(state.questions[operand.index].stems)
    for index in state.find_leaves_of(operand.index):
        words.update(leaves.leaves[index].row)
    return frozenset(words)


def _compare_operation_words(
    question: Question, labels: Sequence[frozenset[str]], label: NDArray[np.intp]
) -> dict[str, Column]:
    """For each kind of operation: 1 if the label has the question's word for it, -1 if not, 0 without such a word."""
    question_stems, nothing = frozenset(question.stems), np.zeros(len(label))
    found: dict[str, Column] = {}
    for name, words in OPERATION_WORDS.items():
        own = question_stems & words
        found[name] = np.array([1 if own & one else -1 for one in labels])[label] if own else nothing
    return found


def _build_label_matrix(labels: list[frozenset[str]]) -> NDArray[np.float32]:
    vocabulary = {stem: n for n, stem in enumerate(dict.fromkeys(chain.from_iterable(labels)))}
    matrix = np.zeros((len(labels), max(1, len(vocabulary))), np.float32)
    rows = np.repeat(np.arange(len(labels)), [len(label) for label in labels])
    matrix[rows, [vocabulary[stem] for label in labels for stem in label]] = 1
    return matrix


def _find_years(pool: Pool, turns: Sequence[TurnView]) -> NDArray[np.int32]:
    """Year of each leaf, or of a result whose leaves share one year or whose question names only one; else 0."""
    leaves = turns[0].leaves
    years = _take_of_leaves(pool, leaves.year, 0).astype(np.int32)
    for n in np.flatnonzero((pool.leaf < 0) & (pool.turn > 0)).tolist():
        operand, state = pool.operands[n], turns[pool.reading[n]].state
        if operand.kind == "result":
            found = {int(leaves.year[leaf]) for leaf in state.find_leaves_of(operand.index)} - {0}
            named = state.questions[operand.index].years
            years[n] = found.pop() if len(found) == 1 else named[0] if len(named) == 1 else 0
    return years


def _rank_leaves(pool: Pool, probability: Sequence[NDArray[np.float64]]) -> Column:
    """Rank of each operand's leaf by probability in its reading; -1 if it is not a leaf."""
    ranks = np.zeros((len(probability), max(1, len(probability[0]))), np.int32)
    for row, likely in zip(ranks, probability, strict=True):
        row[np.argsort(-likely, kind="stable")] = np.minimum(np.arange(len(likely)), _LAST_RANK)
    return np.where(pool.leaf >= 0, ranks[pool.reading, np.maximum(pool.leaf, 0)], -1)


def _take_of_leaves(pool: Pool, values: Column, otherwise: float) -> Column:
    """Values of the operands' leaves; `otherwise` for operands that are not leaves."""
    if not len(values):
        return np.full(len(pool.leaf), otherwise)
    return np.where(pool.leaf >= 0, values[np.maximum(pool.leaf, 0)], otherwise)


def measure_pairs(candidates: Candidates, turns: Sequence[TurnView], view: OperandView) -> dict[str, Column]:
    """Return the columns that compare the two operands of each candidate."""
    leaves, question = turns[0].leaves, turns[0].question
    return {
        **_measure_years(candidates, question, view),
        **_measure_places(candidates, leaves),
        **_measure_words(candidates, view),
        **_measure_sizes(candidates, question),
        **_measure_origins(candidates, turns),
        "text_order": _measure_text_order(candidates, leaves),
        **_measure_kinds(candidates, leaves),
    }


def _measure_years(candidates: Candidates, question: Question, view: OperandView) -> dict[str, Column]:
    named = question.years
    a, b = view.year[candidates.first], view.year[candidates.second]
    nothing = np.zeros(len(a))
    covered = sum((((a == year) | (b == year)).astype(float) for year in named), nothing)
    outside = ((a > 0) & ~is_among(a, named)).astype(int) + ((b > 0) & ~is_among(b, named))
    return {
        "year_gap": np.where((a > 0) & (b > 0), clip(a - b, -20, 20), 99),
        "years_covered": covered / max(1, len(named)),
        "years_outside": outside if named else nothing,
        "first_is_first": (a == named[0]) if named else nothing,
        "second_is_first": (b == named[0]) if named else nothing,
    }


def _measure_places(candidates: Candidates, leaves: NumberMatrix) -> dict[str, Column]:
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


def _measure_words(candidates: Candidates, view: OperandView) -> dict[str, Column]:
    i, j = candidates.first, candidates.second
    alike, covered = compare_labels(view, i, j)
    first, second = find_distinct_places(view, i, j)
    return {
        "same_words": alike,
        "words_covered": covered,
        "first_distinct": first,
        "second_distinct": second,
        "word_order": np.sign(second - first),
    }


def _measure_sizes(candidates: Candidates, question: Question) -> dict[str, Column]:
    pool, i, j = candidates.pool, candidates.first, candidates.second
    a, b = np.abs(pool.value[i]), np.abs(pool.value[j])
    # Index of each plan's constant; plans without one use an extra entry after all operands.
    at = np.where(pool.kind[j] == CONSTANT, j, np.where(pool.kind[i] == CONSTANT, i, len(pool.value)))
    value, nothing = np.append(pool.value, np.nan), [-1.0]
    size = np.append(np.log10(np.maximum(np.abs(pool.value), 1e-9)), nothing)
    return {
        "twins": find_same_printed_pairs(pool, i, j),
        "same_percent": pool.percent[i] == pool.percent[j],
        "size_gap": np.clip(np.log10((a + 1e-9) / (b + 1e-9)), -9, 9),
        "larger_first": a > b,
        "constant": np.where(value == -1.0, -2.0, size)[at],
        "constant_asked": is_among(value, question.numbers)[at],
        "constant_counted": is_among(value, question.counts)[at],
    }


def _measure_origins(candidates: Candidates, turns: Sequence[TurnView]) -> dict[str, Column]:
    """Whether one operand was computed from the other: 1 or 2 if that was its first or second operand, else 0."""
    inside = _find_inner_operands(candidates.pool, turns)
    return {
        "second_in_first": inside[candidates.first, candidates.second],
        "first_in_second": inside[candidates.second, candidates.first],
    }


def _find_inner_operands(pool: Pool, turns: Sequence[TurnView]) -> NDArray[np.int8]:
    """For each pair: 1 or 2 if the second was the first or second operand of the operation behind the first, else 0."""
    inside = np.zeros((len(pool.operands), len(pool.operands)), np.int8)
    lookups = [turn.state.lookups for turn in turns]
    for n in np.flatnonzero((pool.leaf < 0) & (pool.result >= 0)).tolist():
        reading = int(pool.reading[n])
        for place, part in enumerate(turns[reading].state.outcomes[pool.result[n]].operands[:2], start=1):
            inside[n, is_operand(pool, part, lookups[reading]) & (pool.reading == reading)] = place
    return inside


def is_operand(pool: Pool, part: Operand, lookups: Mapping[int, int]) -> NDArray[np.bool_]:
    """Return which operands of a pool equal an operand of an earlier operation, or are the lookup of the same leaf."""
    if part.kind == "constant":
        same: NDArray[np.bool_] = (pool.kind == CONSTANT) & (pool.value == part.value)
        return same
    leaf = part.index if part.kind == "leaf" else lookups.get(part.index, -1)
    same = (pool.leaf == leaf) if leaf >= 0 else np.zeros(len(pool.operands), bool)
    if part.kind == "result":
        same |= pool.result == part.index
    return same


def _measure_text_order(candidates: Candidates, leaves: NumberMatrix) -> Column:
    """1 if a sentence says "from [second operand] to [first operand]", -1 if it says the reverse, else 0."""
    if not len(leaves):
        return np.zeros(len(candidates))
    a, b = candidates.pool.leaf[candidates.first], candidates.pool.leaf[candidates.second]
    first, second = np.maximum(a, 0), np.maximum(b, 0)
    in_sentence = (a >= 0) & (b >= 0) & (leaves.table[first] < 0) & (leaves.line[first] == leaves.line[second])
    upward = (leaves.lead[second] == _FROM) & (leaves.lead[first] == _TO)
    downward = (leaves.lead[first] == _FROM) & (leaves.lead[second] == _TO)
    order: Column = in_sentence * (upward.astype(int) - downward)
    return order


def _measure_kinds(candidates: Candidates, leaves: NumberMatrix) -> dict[str, Column]:
    """Columns that relate the kinds of the two operands: money, counts of things, prices."""
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


COLUMNS = ("group_kind", "group_size", "group_counted", "group_asked", "group_least", "group_reference")


def measure_groups(
    candidates: Candidates, probability: Sequence[NDArray[np.float64]], turns: Sequence[TurnView]
) -> dict[str, Column]:
    """Return the columns that describe the group that each candidate uses; 0 without a group."""
    pool = candidates.pool
    values = np.zeros((len(pool.operands), len(COLUMNS)))
    asks_several = not SEVERAL.isdisjoint(turns[0].question.pattern_names)
    for n in np.flatnonzero(pool.kind == GROUP).tolist():
        group, turn = pool.groups[pool.operands[n].index], turns[pool.reading[n]]
        likely = probability[pool.reading[n]]
        found = [float(likely[member.index]) for member in group.members if member.kind == "leaf"]
        values[n] = (
            group.kind,
            len(group.members),
            _compare_count(group.members, turn),
            asks_several,
            np.log(max(min(found, default=1.0), _LEAST)),
            _score_reference(group.members, turn) if group.kind == GROUP_KINDS.index("results") else 0.0,
        )
    return {name: values[candidates.first, n] for n, name in enumerate(COLUMNS)}


def _compare_count(members: Sequence[Operand], turn: TurnView) -> int:
    """1 if the numbers match the count or the years in the question, -1 if they do not, 0 if it gives neither."""
    now, leaves = turn.question, turn.leaves
    counts = {n for n in (*now.counts, *now.numbers) if 1 < n < len(leaves)}
    years = {int(leaves.year[member.index]) for member in members if member.kind == "leaf"} - {0}
    if len(now.years) > 1 and years:
        return 1 if (min(years), max(years)) == (min(now.years), max(now.years)) else -1
    if counts:
        return 1 if len(members) in counts else -1
    return int(bool(years) and (now.years, min(years), max(years)) == ((max(years),), max(years) - 1, max(years)))


def _score_reference(members: Sequence[Operand], turn: TurnView) -> float:
    turns = {member.index for member in members}
    return float(np.log(max((use.score for use in turn.uses if set(use.turns) == turns), default=_UNLISTED)))


_REFERENCES_LEAST = 1e-3
_LOG_OF_LEAST = float(np.log(_REFERENCES_LEAST))


def measure_references(candidates: Candidates, turns: Sequence[TurnView]) -> dict[str, Column]:
    """Return the log probability of the earlier results that each candidate uses, and its difference to the best."""
    size, before = len(candidates), len(turns[0].results)
    if not before:
        return {"reference": np.zeros(size), "reference_gap": np.zeros(size)}
    # Many readings share the same sets.
    distinct = {id(turn.uses): turn for turn in turns}
    known = {key: _tabulate_pairs(turn) for key, turn in distinct.items()}
    tables = np.stack([known[id(turn.uses)] for turn in turns])
    pool, reading = candidates.pool, candidates.reading
    place = np.array([_find_latest_places(turn) for turn in turns])[pool.reading, pool.result]
    scores = tables[reading, place[candidates.first], place[candidates.second]]
    return {"reference": scores, "reference_gap": scores - tables.max(axis=(1, 2))[reading]}


def _find_latest_places(turn: TurnView) -> list[int]:
    """Latest turn with the same result, for each earlier result, counted from 1; then 0 for other operands."""
    expressions = [result.expression for result in turn.results]
    return [*((find_latest_turn(expression, expressions) or 0) + 1 for expression in expressions), 0]


def _tabulate_pairs(turn: TurnView) -> NDArray[np.float64]:
    """Log probability of each pair of results, counted from 1; 0 means that there is no result."""
    table = np.full((len(turn.results) + 1, len(turn.results) + 1), _LOG_OF_LEAST)
    for chosen in turn.uses:
        score = np.log(max(chosen.score, _REFERENCES_LEAST))
        places = [earlier + 1 for earlier in chosen.turns]
        if len(places) == 1:
            table[places[0], 0] = table[0, places[0]] = table[places[0], places[0]] = score
        elif len(places) == 2:
            table[places[0], places[1]] = table[places[1], places[0]] = score
        elif not places:
            table[0, 0] = score
    return table


# Whether the result of a plan has the scale that its question asks for: "in millions", "in dollars".


def measure_scale(candidates: Candidates, turns: Sequence[TurnView]) -> Column:
    """Return 1 if the result has the requested scale, -1 if it has another, 0 if none is requested or known."""
    asked = turns[0].question.power
    if asked is None:
        return np.zeros(len(candidates))
    pool, i, j, code = candidates.pool, candidates.first, candidates.second, candidates.operation
    power = _find_powers(pool, turns)
    shift = np.log10(np.where((pool.kind[j] == CONSTANT) & (pool.value[j] > 0), pool.value[j], np.nan))
    moved = np.select(
        [code == MULTIPLY, code == DIVIDE, is_among(code, (LOOKUP, ADD, SUBTRACT, SUM, AVERAGE))],
        [-shift, shift, 0.0],
        np.nan,
    )
    result = power[i] + moved
    return np.where(np.isnan(result), 0, np.where(np.abs(result - asked) < 0.01, 1, -1))


def _find_powers(pool: Pool, turns: Sequence[TurnView]) -> NDArray[np.float64]:
    powers, leaves = np.full(len(pool.operands), np.nan), turns[0].leaves
    for n, operand in enumerate(pool.operands):
        state = turns[pool.reading[n]].state
        if pool.leaf[n] >= 0:
            powers[n] = leaves.power[pool.leaf[n]]
        elif operand.kind == "group":
            first = pool.members(n)[0]
            powers[n] = _find_operand_power(first.kind, first.index, state, leaves)
        elif operand.kind == "result":
            powers[n] = power_of(state.outcomes[operand.index], state, leaves)
    return powers


def power_of(outcome: TurnAction, state: DialogueState, leaves: NumberMatrix) -> float:
    """Return the power of ten in which a result is given; nan if unknown, as for ratios."""
    if not outcome.operands:
        return math.nan
    powers = [_find_operand_power(operand.kind, operand.index, state, leaves) for operand in outcome.operands]
    if outcome.operation in ("lookup", "add", "subtract", "sum", "average"):
        return powers[0]
    factor = next((o.value for o in outcome.operands if o.kind == "constant" and o.value > 0), None)
    if factor is None:
        return math.nan
    if outcome.operation == "multiply":
        return next((power for power in powers if not math.isnan(power)), math.nan) - math.log10(factor)
    divided = outcome.operation == "divide" and outcome.operands[1].kind == "constant"
    return powers[0] + math.log10(factor) if divided else math.nan


def _find_operand_power(kind: str, index: int, state: DialogueState, leaves: NumberMatrix) -> float:
    if kind == "leaf":
        return float(leaves.power[index])
    return power_of(state.outcomes[index], state, leaves) if kind == "result" else math.nan
