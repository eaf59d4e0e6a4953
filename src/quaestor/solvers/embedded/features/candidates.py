"""What is measured of a candidate plan, one named column a measure.

Columns describe how the operation fits the question, how the operands fit it and each other, and what the result
looks like. None knows the company, the page or an answer.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quaestor.solvers.embedded.candidates.enumerate import Candidates
from quaestor.solvers.embedded.candidates.operations import OPERATIONS
from quaestor.solvers.embedded.candidates.pool import GROUP, Pool
from quaestor.solvers.embedded.features.agreement import agreement_columns
from quaestor.solvers.embedded.features.dialogue import dialogue_columns
from quaestor.solvers.embedded.features.grouping import group_columns
from quaestor.solvers.embedded.features.numbers import LEAF_FEATURES
from quaestor.solvers.embedded.features.operands import Column, view_operands
from quaestor.solvers.embedded.features.pairing import pair_columns
from quaestor.solvers.embedded.features.scale_asked import scale_column
from quaestor.solvers.embedded.model.signature import Signatures
from quaestor.solvers.embedded.page.word_matrix import Floats
from quaestor.solvers.embedded.state.turn_view import TurnView

_LEAF_COLUMNS = (
    "question_in_leaf", "question_in_row", "question_in_column", "row_in_question", "row_in_context",
    "question_near", "best_near", "question_in_caption", "year_near", "moved", "boundary", "side_first", "side_second",
    "scale_asked", "whole_row", "other_year_named", "pairs_in_question", "best_label", "best_row",
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
    "first_said": "share of the question's stems that the first operand's label or earlier question says",
    "second_said": "the same for the second",
    "first_distinct": "where the question first tells the first operand from the second, as a share; 2 nowhere",
    "second_distinct": "the same for the second from the first",
    "word_order": "sign of second_distinct less first_distinct",
    "second_in_first": "code of the second operand in what made the first: its first (1) or second (2) one; 0 neither",
    "first_in_second": "the same the other way round",
    "first_computed": "the first operand is a computed result",
    "second_computed": "the same for the second",
    "words_covered": "share of the question's stems that either label says",
    "first_percent": "the first operand is printed as a percentage",
    "second_percent": "the same for the second",
    "same_percent": "both are or neither is",
    "twins": "both are leaves that print one number",
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
    "parallel": "one of the last turns did the same: 1 on these lines in other places, 2 in these places of others",
    "parallel_short": "parallel is 1 or 2, and the question has no verb: and in 2012?",
    "parallel_again": "parallel is 1 or 2, and the question asks for this or it once more",
    "first_role": "code of the first operand in the last turn: its first (1) or second (2) one, 2 more where the "
    "first side points back; 0 neither",
    "second_role": "the same for the second operand and side",
    "scale_fit": "1 the result has the scale that the question asks for, -1 another, 0 none is asked or known",
    "first_side": "share of a comparison's first side that the first operand's label says, less the second side's",
    "second_side": "share of the second side that the second operand's label says, less the first side's",
    "sides": "sum of first_side and second_side",
    "first_side_year": "1 the first operand's year is named in the first side, -1 in the second",
    "second_side_year": "the same for the second operand and side",
    "first_back": "the first side points back: 1 the first operand is a result, -1 it is not; 0 it does not",
    "second_back": "the same for the second",
    "side_kind": "code of the comparison",
    "first_asked": "the question says the first operand in digits",
    "second_asked": "the same for the second",
    "asked_covered": "share of the numbers that the question says in digits that are operands",
    "first_end": "1 the first operand stands at the end of a period that its side speaks of, -1 at the other",
    "second_end": "the same for the second",
    "worth": "a count times a price",
    "text_order": "1 the first operand is what it went to and the second what it came from, -1 the reverse",
    "reference": "log probability of the set of earlier results that it uses, by the resolution of references",
    "reference_gap": "the same less the best set's",
    "first_average_word": "1 the question and the first operand's label speak of an average, -1 the question alone",
    "first_change_word": "the same of a change",
    "first_ratio_word": "the same of a ratio or percentage",
    "first_total_word": "the same of a total",
    "second_average_word": "the same of an average, for the second operand",
    "second_change_word": "the same of a change",
    "second_ratio_word": "the same of a ratio or percentage",
    "second_total_word": "the same of a total",
    "kinds_apart": "one operand is an amount of money and the other a count of things",
    "price_of": "1 money is divided by a count, -1 a count by money",
    "metric": "how sure the patterns of the core are that what it computes is asked for",
    "metric_gap": "the same less the surest",
    "order": "1 its operands stand in the order that the pattern tells, -1 in the other, 0 it tells none",
    "group_kind": "code of where the numbers of a group come from; 0 no group",
    "group_size": "how many numbers a group has; 0 no group",
    "group_counted": "the question says how many, or the years of a group are those that it names; -1 it says others",
    "group_asked": "the patterns of the core hear that several numbers are taken together; 0 no group",
    "group_least": "log probability that the least likely leaf of a group is meant; 0 no group or no leaf",
    "group_reference": "log probability that a question uses the results of a group together; 0 no group of results",
    "magnitude_asked": "the question wants the sign dropped",
    "first_repeat": "the first operand answered this very question before",
    "analogy": "an earlier turn did the same on the same rows with other years",
    "uses_last": "an operand is the last result",
    "uses_all": "both of the last two results are operands",
    "unused_results": "earlier lookups that no turn has used yet",
    "turn": "turns before this one",
    "question_length": "words in the question",
    "years_named": "years in the question",
    "first_lead": "code of the word that leads to the first operand in its sentence",
    "second_lead": "the same for the second",
    "sentence_order": "sign of the second operand's place in their row or sentence less the first's; 0 not in one",
    **{f"first:{name}": f"of the first operand's leaf: {LEAF_FEATURES[name]}" for name in _LEAF_COLUMNS},
    **{f"second:{name}": f"of the second operand's leaf: {LEAF_FEATURES[name]}" for name in _LEAF_COLUMNS},
}
"""The columns of the ranker and what each measures."""

CATEGORIES = (
    "first_kind", "second_kind", "second_in_first", "first_in_second", "last_operation", "side_kind", "first_lead",
    "second_lead", "group_kind", "first_role", "second_role",
)  # fmt: skip
"""The columns that hold codes."""

_PLACE = {name: n for n, name in enumerate(CANDIDATE_FEATURES)}
_LEAF_INDEX = [list(LEAF_FEATURES).index(name) for name in _LEAF_COLUMNS]
_STARTS = {side: _PLACE[f"{side}:{_LEAF_COLUMNS[0]}"] for side in ("first", "second")}
_OF_LEAF = {side: slice(start, start + len(_LEAF_COLUMNS)) for side, start in _STARTS.items()}
"""Where the columns of each operand's leaf stand."""


def candidate_features(
    candidates: Candidates,
    turns: Sequence[TurnView],
    measured: Sequence[Floats],
    probability: Sequence[NDArray[np.float64]],
    signatures: Sequence[Signatures],
) -> Floats:
    """Return what is measured of every candidate, whatever reading of the turns before it follows.

    The readings are of one question after the same questions, so what tells them apart are operands and results.

    Args:
        turns: Page, conversation and question, after each reading of the turns before.
        measured: The page's leaf features for this turn, likewise.
        probability: The leaf scorer's probability of each leaf, likewise.
        signatures: The probability of each signature, by its name, likewise.

    Shape: candidates x `len(CANDIDATE_FEATURES)`, in that order; each of `measured` is leaves x `len(LEAF_FEATURES)`,
        and each of `probability` has one entry a leaf.
    """
    view = view_operands(candidates.pool, probability, turns)
    columns: dict[str, Column] = {
        **_fit(candidates, signatures),
        **pair_columns(candidates, turns, view),
        **_result(candidates),
        **dialogue_columns(candidates, turns),
        **agreement_columns(candidates, turns, view),
        **group_columns(candidates, probability, turns),
        "scale_fit": scale_column(candidates, turns),
    }
    # Column by column, so that what is written lies together.
    stacked = np.empty((len(CANDIDATE_FEATURES), len(candidates)), np.float32)
    for name, column in columns.items():
        stacked[_PLACE[name]] = column
    leaf_values = _leaf_values(candidates.pool, measured)
    operand_values = np.array(list(view.columns.values()), np.float32)
    for side, index in (("first", candidates.first), ("second", candidates.second)):
        for name, values in zip(view.columns, operand_values, strict=True):
            if (place := _PLACE.get(f"{side}_{name}")) is not None:
                values.take(index, out=stacked[place], mode="clip")
        leaf_values.take(index, axis=1, out=stacked[_OF_LEAF[side]], mode="clip")
    return stacked.T


def _leaf_values(pool: Pool, measured: Sequence[Floats]) -> Floats:
    """What is measured of the leaf of each operand, of the leaves of a group the mean; -9 if there is none.

    Shape: `_LEAF_COLUMNS` x operands.
    """
    values = np.full((len(pool.operands), len(_LEAF_INDEX)), -9, np.float32)
    for reading, rows in enumerate(measured):
        leaf = np.flatnonzero((pool.leaf >= 0) & (pool.reading == reading))
        values[leaf] = rows[pool.leaf[leaf]][:, _LEAF_INDEX]
    for n in np.flatnonzero(pool.kind == GROUP).tolist():
        leaves = [member.index for member in pool.members(n) if member.kind == "leaf"]
        if leaves:
            values[n] = measured[pool.reading[n]][leaves][:, _LEAF_INDEX].mean(axis=0)
    return np.ascontiguousarray(values.T)


def _fit(candidates: Candidates, signatures: Sequence[Signatures]) -> dict[str, Column]:
    by_operation = np.array([[one.operations[name] for name in OPERATIONS] for one in signatures])
    parts = candidates.parts
    best = {}
    for name, values in (("signature", candidates.signature), ("prior", candidates.prior)):
        best[name] = np.repeat([values[part].max(initial=-99) for part in parts], [p.stop - p.start for p in parts])
    return {
        "signature": candidates.signature,
        "signature_gap": candidates.signature - best["signature"],
        "operation_p": by_operation[candidates.reading, candidates.operation],
        "operation": candidates.operation,
        "prior": candidates.prior,
        "prior_gap": candidates.prior - best["prior"],
    }


def _result(candidates: Candidates) -> dict[str, Column]:
    value = candidates.value
    return {
        "value_negative": value < 0,
        "value_size": np.log10(1 + np.abs(value)),
        "value_small": np.abs(value) < 1,
        "value_zero": value == 0,
    }
