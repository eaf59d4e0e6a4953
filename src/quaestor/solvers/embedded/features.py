"""What is measured of a candidate plan, one named column a measure.

Columns describe how the operation fits the question, how the operands fit it and each other, and what the result
looks like. None knows the company, the page or an answer.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from quaestor.solvers.embedded.candidates import ADD, CONSTANT, MULTIPLY, NONE, OPERATIONS, Candidates
from quaestor.solvers.embedded.leaves import Floats, LeafTable
from quaestor.solvers.embedded.question import HINTS
from quaestor.solvers.embedded.scoring import LEAF_FEATURES, Asked
from quaestor.solvers.embedded.state import State

_LEAF_COLUMNS = (
    "question_in_leaf", "question_in_row", "question_in_column", "row_in_question", "row_in_context",
    "question_near", "best_near", "whole_row", "other_year_named", "pairs_in_question", "best_label", "best_row",
    "year_named", "year_relative", "same_row", "same_column", "taken",
)  # fmt: skip

CANDIDATE_FEATURES: dict[str, str] = {
    "signature": "log probability of the plan's signature",
    "signature_gap": "the same less the best candidate's",
    "operation_p": "probability of the operation, whatever its operands",
    "operation": "code of the operation",
    "first_kind": "code of what the first operand is",
    "second_kind": "the same for the second",
    "first_score": "log probability that the first operand's leaf is meant; 0 for a result or constant",
    "second_score": "the same for the second",
    "first_rank": "place of the first operand among all leaves by that probability; -1 no leaf",
    "second_rank": "the same for the second",
    "prior": "signature plus both scores",
    "prior_gap": "prior less the best candidate's",
    "first_turn": "turns since the first operand was found or taken",
    "second_turn": "the same for the second",
    "first_year": "year of the first operand less the newest one named; 9 unknown",
    "year_gap": "year of the first operand less that of the second; 99 unknown",
    "years_covered": "share of the years named in the question that the operands have",
    "years_outside": "operands whose year the question does not name though it names some",
    "first_is_first": "the first operand's year is the first one named",
    "second_is_first": "the second operand's year is the first one named",
    "same_row": "both stand in one row or sentence",
    "same_column": "both stand in one column of a table",
    "same_words": "share of the two row labels' stems that both have",
    "first_table": "the first operand stands in a table; -1 no leaf",
    "second_table": "the same for the second",
    "first_word": "where the first operand's label begins in the question, as a share; 2 nowhere",
    "second_word": "the same for the second",
    "word_order": "sign of second_word less first_word",
    "words_covered": "share of the question's stems that either label says",
    "first_percent": "the first operand is printed as a percentage",
    "second_percent": "the same for the second",
    "same_percent": "both are or neither is",
    "first_magnitude": "the first operand's printed minus sign is dropped",
    "second_magnitude": "the same for the second",
    "first_negative": "the first operand is below zero",
    "second_negative": "the same for the second",
    "first_total": "the first operand's label says total",
    "second_total": "the same for the second",
    "first_size": "log10 of 1 + |first operand|",
    "size_gap": "log10 of the first operand over the second, within +-9",
    "larger_first": "the first operand is larger in magnitude",
    "constant": "log10 of the constant; -1 none, -2 minus one",
    "constant_asked": "the question says the constant in digits",
    "constant_counted": "the question says it in words, as two or millions",
    "constant_turns": "the constant is the number of lookups or sums just before",
    "value_negative": "the result is below zero",
    "value_size": "log10 of 1 + |result|",
    "value_small": "the result's magnitude is below one",
    "value_zero": "the result is zero",
    "value_said": "the result is an earlier answer already",
    "same_operation": "the turn before did the same operation",
    "last_operation": "code of the operation of the turn before; -1 none",
    "analogy": "an earlier turn did the same on the same rows with other years",
    "uses_last": "an operand is the last result",
    "uses_all": "both of the last two results are operands",
    "unused_results": "earlier lookups that no turn has used yet",
    "turn": "turns before this one",
    "question_length": "words in the question",
    "years_named": "years in the question",
    **{f"hint:{name}": f"the question says {pattern}" for name, pattern in HINTS.items()},
    "first_lead": "code of the word that leads to the first operand in its sentence",
    "second_lead": "the same for the second",
    "sentence_order": "sign of the second operand's place in their sentence less the first's; 0 not in one",
    **{f"first:{name}": f"of the first operand's leaf: {LEAF_FEATURES[name]}" for name in _LEAF_COLUMNS},
    **{f"second:{name}": f"of the second operand's leaf: {LEAF_FEATURES[name]}" for name in _LEAF_COLUMNS},
}
"""The columns of the ranker and what each measures."""

_LEAF_INDEX = [list(LEAF_FEATURES).index(name) for name in _LEAF_COLUMNS]


def candidate_features(
    candidates: Candidates,
    leaves: LeafTable,
    measured: Floats,
    probability: NDArray[np.float64],
    asked: Asked,
    state: State,
    signatures: Mapping[str, float],
) -> Floats:
    """Returns what is measured of every candidate.

    Shape: candidates x `len(CANDIDATE_FEATURES)`, in that order.

    Args:
        measured: The page's leaf features for this turn.
        probability: The leaf scorer's probability of each leaf.
        signatures: The probability of each signature.
    """
    pool, i, j = candidates.pool, candidates.first, candidates.second
    operands = _operand_columns(candidates, leaves, probability, asked)
    columns: dict[str, NDArray[np.generic]] = {}
    for name, array in operands.items():
        columns[f"first_{name}"] = array[i]
        columns[f"second_{name}"] = array[j]
    columns |= _fit(candidates, signatures)
    columns |= _pairs(candidates, leaves, asked, operands)
    columns |= _result(candidates, state)
    columns |= _conversation(candidates, asked, state)
    for side, index in (("first", i), ("second", j)):
        leaf = pool.leaf[index]
        values = measured[leaf][:, _LEAF_INDEX] if len(measured) else np.zeros((len(leaf), len(_LEAF_INDEX)))
        values = np.where((leaf >= 0)[:, None], values, np.float32(-9))
        for n, name in enumerate(_LEAF_COLUMNS):
            columns[f"{side}:{name}"] = values[:, n]
    size = len(candidates)
    stacked = np.empty((size, len(CANDIDATE_FEATURES)), np.float32)
    for n, name in enumerate(CANDIDATE_FEATURES):
        stacked[:, n] = columns[name]
    return stacked


def _operand_columns(
    candidates: Candidates, leaves: LeafTable, probability: NDArray[np.float64], asked: Asked
) -> dict[str, NDArray[np.generic]]:
    """What is measured of each operand of the pool, before it is paired."""
    pool = candidates.pool
    has = pool.leaf >= 0
    size = max(1, len(leaves))
    rank = np.zeros(size, np.int32)
    rank[np.argsort(-probability, kind="stable")] = np.arange(len(probability)) if len(leaves) else 0
    leaf = np.where(has, pool.leaf, 0)
    year = np.where(has, leaves.year[leaf], 0) if len(leaves) else np.zeros(len(leaf), np.int32)
    newest = max(asked.now.years, default=0)
    position = {stem: n for n, stem in reversed(list(enumerate(asked.now.stems)))}
    length = max(1, len(asked.now.stems))
    word = np.full(len(leaf), 2.0)
    for n in np.flatnonzero(has):
        entry = leaves.leaves[int(leaf[n])]
        word[n] = min((position[s] / length for s in (*entry.row, *entry.column) if s in position), default=2.0)
    table = np.where(has, leaves.table[leaf] >= 0, -1) if len(leaves) else np.full(len(leaf), -1)
    total = has & leaves.total[leaf] if len(leaves) else np.zeros(len(leaf), bool)
    return {
        "kind": pool.kind,
        "score": pool.score,
        "rank": np.where(has, np.minimum(rank[leaf], 30), -1),
        "turn": pool.turn,
        "year": np.where((year > 0) & (newest > 0), np.clip(year - newest, -9, 8), 9),
        "calendar": year,
        "lead": np.where(has, leaves.lead[leaf], 0) if len(leaves) else np.zeros(len(leaf), np.int32),
        "table": table,
        "word": word,
        "percent": pool.percent,
        "magnitude": pool.magnitude,
        "negative": pool.value < 0,
        "total": total,
        "size": np.log10(1 + np.abs(pool.value)),
    }


def _fit(candidates: Candidates, signatures: Mapping[str, float]) -> dict[str, NDArray[np.generic]]:
    by_operation = np.array([sum(p for s, p in signatures.items() if s.startswith(name)) for name in OPERATIONS])
    return {
        "signature": candidates.signature,
        "signature_gap": candidates.signature - candidates.signature.max(initial=-99),
        "operation_p": by_operation[candidates.operation],
        "operation": candidates.operation,
        "prior": candidates.prior,
        "prior_gap": candidates.prior - candidates.prior.max(initial=-99),
    }


def _pairs(
    candidates: Candidates, leaves: LeafTable, asked: Asked, operands: Mapping[str, NDArray[np.generic]]
) -> dict[str, NDArray[np.generic]]:
    pool, i, j = candidates.pool, candidates.first, candidates.second
    named = asked.now.years
    calendar = operands["calendar"].astype(np.int32)
    a, b = calendar[i], calendar[j]
    covered = sum(((a == year) | (b == year)).astype(float) for year in named) if named else np.zeros(len(i))
    outside = ((a > 0) & ~np.isin(a, named)).astype(int) + ((b > 0) & ~np.isin(b, named))
    la, lb = pool.leaf[i], pool.leaf[j]
    both = (la >= 0) & (lb >= 0)
    sa, sb = np.where(la >= 0, la, 0), np.where(lb >= 0, lb, 0)
    empty = not len(leaves)
    same_table = both & (leaves.table[sa] == leaves.table[sb]) if not empty else both
    overlap, words = _label_overlap(candidates, leaves, asked)
    word = operands["word"].astype(np.float64)
    va, vb = pool.value[i], pool.value[j]
    ratio = np.log10((np.abs(va) + 1e-9) / (np.abs(vb) + 1e-9))
    constant = np.where(pool.kind[j] == CONSTANT, vb, np.where(pool.kind[i] == CONSTANT, va, np.nan))
    size = np.where(np.isnan(constant), -1.0, np.log10(np.maximum(np.abs(np.nan_to_num(constant)), 1e-9)))
    return {
        "year_gap": np.where((a > 0) & (b > 0), np.clip(a - b, -20, 20), 99),
        "years_covered": covered / max(1, len(named)),
        "years_outside": outside if named else np.zeros(len(i)),
        "first_is_first": (a == named[0]) if named else np.zeros(len(i)),
        "second_is_first": (b == named[0]) if named else np.zeros(len(i)),
        "sentence_order": np.where(
            same_table & (leaves.line[sa] == leaves.line[sb]), np.sign(leaves.place[sb] - leaves.place[sa]), 0
        )
        if not empty
        else both,
        "same_row": same_table & (leaves.line[sa] == leaves.line[sb]) if not empty else both,
        "same_column": same_table & (leaves.table[sa] >= 0) & (leaves.place[sa] == leaves.place[sb])
        if not empty
        else both,
        "same_words": overlap,
        "words_covered": words,
        "word_order": np.sign(word[j] - word[i]),
        "same_percent": pool.percent[i] == pool.percent[j],
        "size_gap": np.clip(ratio, -9, 9),
        "larger_first": np.abs(va) > np.abs(vb),
        "constant": np.where(constant == -1.0, -2.0, size),
        "constant_asked": np.isin(constant, asked.now.numbers),
        "constant_counted": np.isin(constant, asked.now.counts),
    }


def _label_overlap(
    candidates: Candidates, leaves: LeafTable, asked: Asked
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How alike the operands' labels are, and how much of the question both together say."""
    pool = candidates.pool
    question = set(asked.now.stems)
    labels = [
        frozenset((*leaves.leaves[leaf].row, *leaves.leaves[leaf].column)) if leaf >= 0 else frozenset()
        for leaf in pool.leaf.tolist()
    ]
    said = [label & question for label in labels]
    n = len(labels)
    alike, covered = np.zeros((n, n)), np.zeros((n, n))
    length = max(1, len(question))
    for a in range(n):
        for b in range(n):
            if labels[a] and labels[b]:
                alike[a, b] = len(labels[a] & labels[b]) / len(labels[a] | labels[b])
            if said[a] or said[b]:
                covered[a, b] = len(said[a] | said[b]) / length
    return alike[candidates.first, candidates.second], covered[candidates.first, candidates.second]


def _result(candidates: Candidates, state: State) -> dict[str, NDArray[np.generic]]:
    value = candidates.value
    said = [outcome.value for outcome in state.outcomes if outcome.value is not None]
    return {
        "value_negative": value < 0,
        "value_size": np.log10(1 + np.abs(value)),
        "value_small": np.abs(value) < 1,
        "value_zero": value == 0,
        "value_said": np.isin(value, said),
    }


def _conversation(candidates: Candidates, asked: Asked, state: State) -> dict[str, NDArray[np.generic]]:
    pool, i, j = candidates.pool, candidates.first, candidates.second
    size, turns = len(candidates), len(state.outcomes)
    last = state.outcomes[-1].operation if turns else ""
    last_code = OPERATIONS.index(last) if last in OPERATIONS else -1
    last_result = (pool.turn == 1) & (pool.kind != NONE)
    second_last = (pool.turn == 2) & (pool.kind != NONE)
    run = 0
    for outcome in reversed(state.outcomes):
        if outcome.operation not in ("lookup", "add"):
            break
        run += 2 if outcome.operation == "add" and run == 0 else 1
    used = {o.index for outcome in state.outcomes for o in outcome.operands if o.kind == "result"}
    unused = sum(1 for turn in state.lookups() if turn not in used)
    constant = np.where(pool.kind[j] == CONSTANT, pool.value[j], -1)
    return {
        "constant_turns": constant == run,
        "same_operation": candidates.operation == last_code,
        "last_operation": np.full(size, last_code),
        "analogy": _analogy(candidates, state),
        "uses_last": last_result[i] | last_result[j],
        "uses_all": (last_result[i] & second_last[j]) | (last_result[j] & second_last[i]),
        "unused_results": np.full(size, unused),
        "turn": np.full(size, turns),
        "question_length": np.full(size, len(asked.now.shapes)),
        "years_named": np.full(size, len(asked.now.years)),
        **{f"hint:{name}": np.full(size, name in asked.now.hints) for name in HINTS},
    }


def _analogy(candidates: Candidates, state: State) -> NDArray[np.generic]:
    """1 where an earlier turn did the same operation on operands of the same kind, in the same order of turns."""
    pool, turns = candidates.pool, len(state.outcomes)
    patterns = set()
    for turn, outcome in enumerate(state.outcomes):
        back = [turn - o.index if o.kind == "result" else 0 for o in outcome.operands]
        if len(back) == 2 and outcome.operation in OPERATIONS:
            patterns.add((OPERATIONS.index(outcome.operation), back[0], back[1]))
    back_of = np.array([turns - o.index if o.kind == "result" else 0 for o in pool.operands])
    found = np.zeros(len(candidates), bool)
    for code, a, b in patterns:
        hit = (candidates.operation == code) & (back_of[candidates.first] == a) & (back_of[candidates.second] == b)
        if code in (ADD, MULTIPLY):
            hit |= (candidates.operation == code) & (back_of[candidates.first] == b) & (back_of[candidates.second] == a)
        found |= hit
    return found
