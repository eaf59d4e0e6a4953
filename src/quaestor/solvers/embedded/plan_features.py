"""Features of candidate plans: one named column per feature, with one entry per candidate.

`turns`, `measured`, `probability` and `signatures` have one entry per reading of the earlier turns: the turn after it,
the features and the probability of each leaf, and the probability of each signature.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quaestor.core.patterns import lazy_regex
from quaestor.plan.operations import metric_of
from quaestor.questions.comparison import KINDS
from quaestor.questions.question import Question
from quaestor.solvers.embedded.candidates import ADD, DIVIDE, MULTIPLY, OPERATIONS, SUBTRACT, Candidates
from quaestor.solvers.embedded.number_features import LEAF_FEATURES
from quaestor.solvers.embedded.operand_features import (
    Column,
    OperandView,
    find_distinct_places,
    is_operand,
    measure_groups,
    measure_pairs,
    measure_references,
    measure_scale,
    view_operands,
)
from quaestor.solvers.embedded.operand_pool import CONSTANT, GROUP, NONE, Pool, Signatures
from quaestor.solvers.embedded.page import Floats, NumberMatrix, is_among
from quaestor.solvers.embedded.turn_state import DialogueState, TurnAction, TurnView

# Comparison of a plan with its question: metric type, order, sides, numbers.
#
# The metric types of a question come from the patterns of the core ontology: a new pattern changes these columns.


_ALSO = {"divide": ("percentage", "average")}
"""Additional metric types that an operation can compute, depending on its operands."""
_METRICS = tuple((metric_of(name), *_ALSO.get(name, ())) for name in OPERATIONS)
"""All metric types of each operation, by its code."""


def measure_agreement(candidates: Candidates, turns: Sequence[TurnView], view: OperandView) -> dict[str, Column]:
    """Return the columns that compare the candidates with the question."""
    question = turns[0].question
    return {
        **_measure_metrics(candidates, turns),
        "order": _measure_order(candidates, question, view),
        **_measure_sides(candidates, question, view),
        **_measure_ends(candidates, turns[0]),
        **_measure_asked_numbers(candidates, question),
    }


def _measure_metrics(candidates: Candidates, turns: Sequence[TurnView]) -> dict[str, Column]:
    pool, i, j, reading, question = (
        candidates.pool, candidates.first, candidates.second, candidates.reading, turns[0].question
    )  # fmt: skip
    # Many readings end in the same metric.
    last = [turn.results[-1].metric if turn.results else None for turn in turns]
    type_scores = {metric: {m.metric_type: m.score for m in question.metric_types(metric)} for metric in set(last)}
    scored = [type_scores[metric] for metric in last]
    by_metric = {
        metric: [max(scores.get(name, 0.0) for name in names) for names in _METRICS]
        for metric, scores in type_scores.items()
    }
    fit = np.array([by_metric[metric] for metric in last])[reading, candidates.operation]
    # A change divided by its base and a ratio minus one are percentage changes too.
    change, ratio = np.zeros((2, len(pool.operands)), bool)
    for n in np.flatnonzero(pool.result >= 0).tolist():
        made = turns[pool.reading[n]].results[pool.result[n]].operation_kind
        change[n], ratio[n] = made == "change", made == "ratio"
    relative = (candidates.operation == DIVIDE) & change[i]
    relative |= (candidates.operation == SUBTRACT) & ratio[i] & (pool.value[j] == 1)
    of_change, surest = (
        np.array(scores)[reading]
        for scores in ([s.get("percentage_change", 0.0) for s in scored], [max(s.values()) for s in scored])
    )
    fit = np.where(relative, np.maximum(fit, of_change), fit)
    return {
        "metric": fit,
        "metric_gap": fit - surest,
        "magnitude_asked": np.full(len(candidates), question.magnitude),
    }


def _measure_order(candidates: Candidates, question: Question, view: OperandView) -> Column:
    order = question.order
    if order is None:
        return np.zeros(len(candidates))
    if order in ("later first", "earlier first"):
        a, b = view.year[candidates.first], view.year[candidates.second]
        later = np.where((a > 0) & (b > 0), np.sign(a - b), 0)
        return later if order == "later first" else -later
    first, second = find_distinct_places(view, candidates.first, candidates.second)
    named = np.where((first < 2) & (second < 2), np.sign(second - first), 0)
    return named if order == "as named" else -named


def _measure_sides(candidates: Candidates, parsed_question: Question, view: OperandView) -> dict[str, Column]:
    sides, question = parsed_question.comparison, list(dict.fromkeys(parsed_question.stems))
    first = np.array([stem in sides.first.stems for stem in question] or [False])
    second = np.array([stem in sides.second.stems for stem in question] or [False])
    one = (view.question_words & first).sum(axis=1) / max(1, first.sum())
    lead = one - (view.question_words & second).sum(axis=1) / max(1, second.sum())
    year = is_among(view.year, sides.first.years).astype(int)
    year -= is_among(view.year, sides.second.years)
    pool, i, j = candidates.pool, candidates.first, candidates.second
    single = pool.kind[j] == NONE
    result = np.where((pool.kind != CONSTANT) & (pool.turn > 0), 1, -1)
    a, b = lead[i], np.where(single, 0, -lead[j])
    return {
        "first_side": a,
        "second_side": b,
        "sides": a + b,
        "first_side_year": year[i],
        "second_side_year": -year[j],
        "first_back": result[i] * sides.first.back,
        "second_back": np.where(single, 0, result[j] * sides.second.back),
        "side_kind": np.full(len(candidates), KINDS.index(sides.kind)),
    }


def _measure_ends(candidates: Candidates, turn: TurnView) -> dict[str, Column]:
    pool, leaves, sides = candidates.pool, turn.leaves, turn.question.comparison
    ends = np.zeros(len(pool.operands))
    if len(leaves):
        ends = np.where(pool.leaf >= 0, leaves.boundary[np.maximum(pool.leaf, 0)], 0)
    return {
        "first_end": ends[candidates.first] * sides.first.boundary,
        "second_end": ends[candidates.second] * sides.second.boundary,
    }


def _measure_asked_numbers(candidates: Candidates, question: Question) -> dict[str, Column]:
    pool, i, j = candidates.pool, candidates.first, candidates.second
    numbers, size = question.numbers, np.where(pool.kind == NONE, np.nan, np.abs(pool.value))
    is_asked = is_among(size, numbers)
    covered = sum((((size == n)[i] | (size == n)[j]).astype(float) for n in numbers), np.zeros(len(candidates)))
    return {"first_asked": is_asked[i], "second_asked": is_asked[j], "asked_covered": covered / max(1, len(numbers))}


_ALIKE = 3
"""Number of latest turns that a question such as "and in 2012?" can continue."""

_VERB = lazy_regex(r"\b(?:is|was|were|are|be|been|did|does|do|has|have|had|would|will|can|could|came|come|changed?)\b")
_DIFFERENCE = lazy_regex(r"\bdifferences?\b")
_AGAIN = lazy_regex(r"\b(?:was|is|were|are|about)(?:,? then,?)? (?:this|that|these|those|it|they|the same)\b")


def measure_dialogue(candidates: Candidates, turns: Sequence[TurnView]) -> dict[str, Column]:
    """Return the columns that depend on the earlier turns and on the question as a whole."""
    pool, i, j, reading = candidates.pool, candidates.first, candidates.second, candidates.reading
    size, states, question = len(candidates), [turn.state for turn in turns], turns[0].question
    last_result = (pool.turn == 1) & (pool.kind != NONE)
    second_last = (pool.turn == 2) & (pool.kind != NONE)
    constant = np.where(pool.kind[j] == CONSTANT, pool.value[j], -1)
    last_code = np.array([_find_code(state.outcomes[-1]) if state.outcomes else -1 for state in states])[reading]
    terms, unused = (np.array([count(state) for state in states])[reading] for count in (_count_terms, _count_unused))
    return {
        "value_said": _is_earlier_answer(candidates, states),
        "constant_turns": constant == terms,
        "same_operation": candidates.operation == last_code,
        "last_operation": last_code,
        "analogy": _repeats_pattern(candidates, states),
        **_measure_parallels(candidates, turns),
        **_measure_roles(candidates, turns),
        "first_repeat": _is_repeated(candidates, turns),
        **measure_references(candidates, turns),
        "uses_last": last_result[i] | last_result[j],
        "uses_all": (last_result[i] & second_last[j]) | (last_result[j] & second_last[i]),
        "unused_results": unused,
        "turn": np.full(size, len(states[0].outcomes)),
        "question_length": np.full(size, len(question.shapes)),
        "years_named": np.full(size, len(question.years)),
    }


def _find_code(outcome: TurnAction) -> int:
    return OPERATIONS.index(outcome.operation) if outcome.operation in OPERATIONS else -1


def _is_earlier_answer(candidates: Candidates, states: Sequence[DialogueState]) -> Column:
    parts = zip(candidates.parts, states, strict=True)
    values = (
        (candidates.value[part], [o.value for o in state.outcomes if o.value is not None]) for part, state in parts
    )
    return np.concatenate([is_among(found, answers) for found, answers in values])


def _count_terms(state: DialogueState) -> int:
    """Number of terms that the latest lookups and sums collected."""
    terms = 0
    for outcome in reversed(state.outcomes):
        if outcome.operation not in ("lookup", "add"):
            break
        terms += 2 if outcome.operation == "add" and terms == 0 else 1
    return terms


def _count_unused(state: DialogueState) -> int:
    """Number of lookups that no later turn has used."""
    used = {o.index for outcome in state.outcomes for o in outcome.operands if o.kind == "result"}
    return sum(1 for turn in state.lookups if turn not in used)


def _repeats_pattern(candidates: Candidates, states: Sequence[DialogueState]) -> Column:
    """Whether an earlier turn did the same operation on results from equally many turns before it."""
    pool, turns = candidates.pool, len(states[0].outcomes)
    back_of = np.where(pool.result >= 0, turns - pool.result, 0)
    first, second = back_of[candidates.first], back_of[candidates.second]
    found = np.zeros(len(candidates), bool)
    for part, state in zip(candidates.parts, states, strict=True):
        for code, a, b in _list_patterns(state):
            hit = (first[part] == a) & (second[part] == b)
            if code in (ADD, MULTIPLY):
                hit |= (first[part] == b) & (second[part] == a)
            found[part] |= hit & (candidates.operation[part] == code)
    return found


def _list_patterns(state: DialogueState) -> set[tuple[int, int, int]]:
    """Operation of each turn and how many turns back its two operands are; 0 for operands that are not results."""
    patterns = set()
    for turn, outcome in enumerate(state.outcomes):
        back = [turn - o.index if o.kind == "result" else 0 for o in outcome.operands]
        if len(back) == 2 and outcome.operation in OPERATIONS:
            patterns.add((OPERATIONS.index(outcome.operation), back[0], back[1]))
    return patterns


def _measure_parallels(candidates: Candidates, turns: Sequence[TurnView]) -> dict[str, Column]:
    question = turns[0].question.lowered
    parallel = _find_parallel(candidates, turns[0].leaves, [turn.state for turn in turns])
    is_parallel = parallel.astype(bool)
    short = _VERB.search(question) is None
    again = not short and _AGAIN.search(question) is not None
    return {"parallel": parallel, "parallel_short": is_parallel & short, "parallel_again": is_parallel & again}


def _find_parallel(candidates: Candidates, leaves: NumberMatrix, states: Sequence[DialogueState]) -> Column:
    """1 if one of the last turns did the same on these lines in other places, 2 in these places on other lines."""
    found = np.zeros(len(candidates))
    if not len(leaves):
        return found
    pool, before = candidates.pool, len(states[0].outcomes)
    leaf, at = pool.leaf, np.maximum(pool.leaf, 0)
    for turn in range(max(0, before - _ALIKE), before):
        code, *turn_leaves = _read_turn_leaves(states, turn)[:, pool.reading]
        line = candidates.operation == code[candidates.first]
        if not line.any():
            continue
        place = line
        for was, operand in zip(turn_leaves, (candidates.first, candidates.second), strict=True):
            moved = (leaf >= 0) & (leaves.table[at] == leaves.table[was]) & (leaf != was)
            same_line, same_place = leaves.line[at] == leaves.line[was], leaves.place[at] == leaves.place[was]
            line = line & ((was < 0) | (moved & same_line))[operand]
            place = place & ((was < 0) | (moved & same_place & ~same_line))[operand]
        found = np.where(line, 1, np.where(place, 2, found))
    return found


def _read_turn_leaves(states: Sequence[DialogueState], turn: int) -> NDArray[np.int32]:
    """Operation, first leaf and second leaf of a turn in each reading; -1 if it did not use leaves alone.

    Shape: 3 x readings.
    """
    leaves = np.full((3, len(states)), -1, np.int32)
    for n, state in enumerate(states):
        outcome = state.outcomes[turn]
        before = [state.find_leaf(operand) for operand in outcome.operands]
        if outcome.operation in OPERATIONS and before and min(before) >= 0:
            leaves[: 1 + len(before[:2]), n] = (OPERATIONS.index(outcome.operation), *before[:2])
    return leaves


def _measure_roles(candidates: Candidates, turns: Sequence[TurnView]) -> dict[str, Column]:
    """Roles of the operands in the last turn, separately for sides of the question that do and do not point back.

    "How much did it represent in relation to total assets?" after "what percentage did cash represent in relation to
    current assets?" uses the part of the last turn, not its whole.
    """
    sides, role = turns[0].question.comparison, _find_roles(candidates.pool, turns)
    return {
        "first_role": _encode_role(role[candidates.first], sides.first.back),
        "second_role": _encode_role(role[candidates.second], sides.second.back),
    }


def _encode_role(role: NDArray[np.int8], back: bool) -> Column:
    return np.where(role > 0, role + 2 * back, 0)


def _find_roles(pool: Pool, turns: Sequence[TurnView]) -> NDArray[np.int8]:
    """1 or 2 if the operand was the first or second of two in the last turn, else 0."""
    roles = np.zeros(len(pool.operands), np.int8)
    for reading, state in enumerate(turn.state for turn in turns):
        if not state.outcomes or len(state.outcomes[-1].operands) != 2:
            continue
        of_reading, lookups = pool.reading == reading, state.lookups
        for place, part in enumerate(state.outcomes[-1].operands, start=1):
            if part.kind != "constant":
                roles[is_operand(pool, part, lookups) & of_reading] = place
    return roles


def _is_repeated(candidates: Candidates, turns: Sequence[TurnView]) -> Column:
    result, text = candidates.pool.result, turns[0].question.lowered
    # The last entry, at index -1, is for operands that are not results.
    same = np.array([*(question.lowered == text for question in turns[0].state.questions), False])
    return same[result[candidates.first]]


# Columns of the ranker: how the operation fits the question, how the operands fit it and each other, and what the
# result looks like. None depends on the company, the page or an answer.


_LEAF_COLUMNS = (
    "question_in_leaf", "question_in_row", "question_in_column", "row_in_question", "row_in_context",
    "question_near", "best_near", "question_in_caption", "year_near", "moved", "boundary", "side_first", "side_second",
    "scale_asked", "whole_row", "other_year_named", "pairs_in_question", "best_label", "best_row",
    "year_named", "year_relative", "same_row", "same_column", "taken",
)  # fmt: skip


def _both(name: str, described: str, again: str = "the same for the second") -> dict[str, str]:
    """Return the columns of the first and of the second operand, with their descriptions."""
    return {f"first_{name}": described, f"second_{name}": again}


CANDIDATE_FEATURES: dict[str, str] = {
    "signature": "log probability of the plan's signature",
    "signature_gap": "the same less the best candidate's",
    "operation_p": "probability of the operation with any operands",
    "operation": "code of the operation",
    **_both("kind", "code of the kind of the first operand"),
    **_both("score", "log probability that the first operand's leaf is meant; 0 for a result or constant"),
    **_both("rank", "place of the first operand among all leaves by that probability; -1 no leaf"),
    "prior": "signature plus both scores",
    "prior_gap": "prior less the best candidate's",
    **_both("turn", "turns since the first operand was found or taken"),
    "first_year": "year of the first operand less the newest one named; 9 unknown",
    "year_gap": "year of the first operand less that of the second; 99 unknown",
    "years_covered": "share of the years named in the question that the operands have",
    "years_outside": "operands whose year the question does not name though it names some",
    "first_is_first": "the first operand's year is the first one named",
    "second_is_first": "the second operand's year is the first one named",
    "same_row": "both are in one row or sentence",
    "same_column": "both are in one column of a table",
    "same_words": "share of the two row labels' stems that both have",
    **_both("table", "the first operand is in a table; -1 no leaf"),
    **_both("word", "where the first operand's label begins in the question, as a share; 2 nowhere"),
    **_both("said", "share of the question's stems that the first operand's label or earlier question has"),
    **_both(
        "distinct",
        "position of the first stem that only the first operand's label has, as a share; 2 none",
        "the same for the second from the first",
    ),
    "word_order": "sign of second_distinct less first_distinct",
    "second_in_first": "code of the second operand in what made the first: its first (1) or second (2) one; 0 neither",
    "first_in_second": "the same the other way round",
    **_both("computed", "the first operand is a computed result"),
    "words_covered": "share of the question's stems that either label has",
    **_both("percent", "the first operand is printed as a percentage"),
    "same_percent": "both are or neither is",
    "twins": "both are leaves that print the same number",
    **_both("magnitude", "the first operand's printed minus sign is dropped"),
    **_both("negative", "the first operand is below zero"),
    **_both("total", "the first operand's label has the word total"),
    "first_size": "log10 of 1 + |first operand|",
    "size_gap": "log10 of the first operand over the second, within +-9",
    "larger_first": "the first operand is larger in magnitude",
    "constant": "log10 of the constant; -1 none, -2 minus one",
    "constant_asked": "the question has the constant in digits",
    "constant_counted": "the question has it in words, such as two or millions",
    "constant_turns": "the constant is the number of lookups or sums just before",
    "value_negative": "the result is below zero",
    "difference_negative": "the same for a question that asks for a difference",
    "value_size": "log10 of 1 + |result|",
    "value_small": "the result's magnitude is below one",
    "value_zero": "the result is zero",
    "value_said": "the result equals an earlier answer",
    "same_operation": "the turn before did the same operation",
    "last_operation": "code of the operation of the turn before; -1 none",
    "parallel": "one of the last turns did the same: 1 on these lines in other places, 2 in these places of others",
    "parallel_short": "parallel is 1 or 2, and the question has no verb: and in 2012?",
    "parallel_again": "parallel is 1 or 2, and the question refers to it again",
    "first_role": "code of the first operand in the last turn: its first (1) or second (2) one, 2 more where the "
    "first side points back; 0 neither",
    "second_role": "the same for the second operand and side",
    "scale_fit": "1 the result has the scale that the question asks for, -1 another, 0 none is requested or known",
    "first_side": "share of a comparison's first side that the first operand's label has, less the second side's",
    "second_side": "share of the second side that the second operand's label has, less the first side's",
    "sides": "sum of first_side and second_side",
    **_both(
        "side_year",
        "1 the first operand's year is named in the first side, -1 in the second",
        "the same for the second operand and side",
    ),
    **_both("back", "the first side points back: 1 the first operand is a result, -1 it is not; 0 it does not"),
    "side_kind": "code of the comparison",
    **_both("asked", "the question has the first operand in digits"),
    "asked_covered": "share of the question's numbers in digits that are operands",
    **_both("end", "1 the first operand is at the end of a period that its side names, -1 at the other"),
    "worth": "a count times a price",
    "text_order": "1 a sentence goes from the second operand to the first, -1 the reverse",
    "reference": "log probability of its set of earlier results by the resolution of references",
    "reference_gap": "the same less the best set's",
    "first_average_word": "1 the question and the first operand's label name an average, -1 only the question",
    "first_change_word": "the same of a change",
    "first_ratio_word": "the same of a ratio or percentage",
    "first_total_word": "the same of a total",
    "second_average_word": "the same of an average, for the second operand",
    "second_change_word": "the same of a change",
    "second_ratio_word": "the same of a ratio or percentage",
    "second_total_word": "the same of a total",
    "kinds_apart": "one operand is an amount of money and the other a count of things",
    "price_of": "1 money is divided by a count, -1 a count by money",
    "metric": "score of its metric type by the patterns of the core",
    "metric_gap": "the same less the highest",
    "order": "1 its operands have the order that the question's pattern gives, -1 the other, 0 it gives none",
    "group_kind": "code of where the numbers of a group come from; 0 no group",
    "group_size": "how many numbers a group has; 0 no group",
    "group_counted": "1 the group matches the count or the years in the question, -1 it does not, 0 it gives neither",
    "group_asked": "the patterns of the core find that several numbers are combined; 0 no group",
    "group_least": "log probability that the least likely leaf of a group is meant; 0 no group or no leaf",
    "group_reference": "log probability that a question uses the results of a group together; 0 no group of results",
    "magnitude_asked": "the question asks for a magnitude",
    "first_repeat": "the first operand answered this very question before",
    "analogy": "an earlier turn did the same on the same rows with other years",
    "uses_last": "an operand is the last result",
    "uses_all": "both of the last two results are operands",
    "unused_results": "earlier lookups that no turn has used",
    "turn": "turns before this one",
    "question_length": "words in the question",
    "years_named": "years in the question",
    **_both("lead", "code of the word that leads to the first operand in its sentence"),
    "sentence_order": "sign of the second operand's place in their row or sentence less the first's; 0 not in one",
    **{f"first:{name}": f"of the first operand's leaf: {LEAF_FEATURES[name]}" for name in _LEAF_COLUMNS},
    **{f"second:{name}": f"of the second operand's leaf: {LEAF_FEATURES[name]}" for name in _LEAF_COLUMNS},
}
"""The ranker's columns with their descriptions."""

CATEGORIES = (
    "first_kind", "second_kind", "second_in_first", "first_in_second", "last_operation", "side_kind", "first_lead",
    "second_lead", "group_kind", "first_role", "second_role",
)  # fmt: skip
"""Columns with categorical codes."""

_PLACE = {name: n for n, name in enumerate(CANDIDATE_FEATURES)}
_LEAF_INDEX = [list(LEAF_FEATURES).index(name) for name in _LEAF_COLUMNS]
_STARTS = {side: _PLACE[f"{side}:{_LEAF_COLUMNS[0]}"] for side in ("first", "second")}
_OF_LEAF = {side: slice(start, start + len(_LEAF_COLUMNS)) for side, start in _STARTS.items()}
"""Slices of the columns of each operand's leaf."""


def measure_candidates(
    candidates: Candidates,
    turns: Sequence[TurnView],
    measured: Sequence[Floats],
    probability: Sequence[NDArray[np.float64]],
    signatures: Sequence[Signatures],
) -> Floats:
    """Return the features of all candidates over all readings of the earlier turns.

    All readings have the same questions: they differ only in operands and results.

    Shape: candidates x `len(CANDIDATE_FEATURES)`, in that order; each of `measured` is leaves x `len(LEAF_FEATURES)`,
        and each of `probability` has one entry per leaf.
    """
    view = view_operands(candidates.pool, probability, turns)
    columns: dict[str, Column] = {
        **_measure_fit(candidates, signatures),
        **measure_pairs(candidates, turns, view),
        **_measure_result(candidates, turns[0].question),
        **measure_dialogue(candidates, turns),
        **measure_agreement(candidates, turns, view),
        **measure_groups(candidates, probability, turns),
        "scale_fit": measure_scale(candidates, turns),
    }
    # Column by column, for contiguous writes.
    stacked = np.empty((len(CANDIDATE_FEATURES), len(candidates)), np.float32)
    for name, column in columns.items():
        stacked[_PLACE[name]] = column
    leaf_values = _measure_leaves(candidates.pool, measured)
    operand_values = np.array(list(view.columns.values()), np.float32)
    for side, index in (("first", candidates.first), ("second", candidates.second)):
        for name, values in zip(view.columns, operand_values, strict=True):
            if (place := _PLACE.get(f"{side}_{name}")) is not None:
                values.take(index, out=stacked[place], mode="clip")
        leaf_values.take(index, axis=1, out=stacked[_OF_LEAF[side]], mode="clip")
    return stacked.T


def _measure_leaves(pool: Pool, measured: Sequence[Floats]) -> Floats:
    """Features of each operand's leaf, or the mean over a group's leaves; -9 without a leaf.

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


def _measure_fit(candidates: Candidates, signatures: Sequence[Signatures]) -> dict[str, Column]:
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


def _measure_result(candidates: Candidates, question: Question) -> dict[str, Column]:
    value = candidates.value
    between = (candidates.operation == SUBTRACT) & (_DIFFERENCE.search(question.lowered) is not None)
    return {
        "value_negative": value < 0,
        "difference_negative": between & (value < 0),
        "value_size": np.log10(1 + np.abs(value)),
        "value_small": np.abs(value) < 1,
        "value_zero": value == 0,
    }
