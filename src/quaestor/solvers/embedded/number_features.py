"""Features of a page's numbers for the choice of the numbers that a question means: one named column per feature."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quaestor.conversation.references.expressions import find_expressions
from quaestor.core.matrices import multiply
from quaestor.core.patterns import lazy_regex
from quaestor.ontology.word_vectors import SIMILARITIES, read_word_vectors
from quaestor.questions.comparison import boundary
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.page import Floats, NumberMatrix, PageFeatures, clip, is_among
from quaestor.solvers.embedded.turn_state import DialogueState, TurnView, last_leaves

# Words of a question that a number's label may have: those after "that", and those for an operation.


OPERATION_WORDS: dict[str, frozenset[str]] = {
    "average_word": frozenset(stems("average mean")),
    "change_word": frozenset(
        stems(
            "change increase decrease decline growth variance variation difference rise drop fall reduction "
            "improvement movement grew rose fell"
        )
    ),
    "ratio_word": frozenset(stems("ratio percent percentage rate margin portion share proportion return")),
    "total_word": frozenset(stems("total sum combined aggregate")),
}
"""Stems for operations whose result a number may be, by the column that compares them with its label."""


@lru_cache(maxsize=256)
def list_pointed_words(question: Question) -> tuple[frozenset[str], ...]:
    """Return the stems of each expression that refers back to a named thing, such as "that long-term debt"."""
    found = (frozenset(stems(" ".join(e.words | e.of))) for e in find_expressions(question) if e.kind != "ellipsis")
    return tuple(words for words in found if words)


# The columns compare the words, period or place of a leaf with the question and the earlier turns. None depends on
# the company, the page or the number.


LEAF_FEATURES: dict[str, str] = {
    "question_in_leaf": "share of the question's weighted stems that describe the leaf in any way",
    "question_in_row": "the same, by its row label or the words before it",
    "question_in_column": "the same, by its column label or the words after it",
    "row_in_question": "share of the row label's weighted stems that the question has",
    "column_in_question": "the same for the column label",
    "question_near": "share of the question's weighted stems, each weighted by its nearness",
    "context_near": "the same for the earlier questions' decayed stems",
    "best_near": "question_near less the best of the page",
    "whole_row": "the question has the whole row label; 0.5 all but one stem",
    "pairs_in_question": "share of the row label's stem pairs that the question has in order",
    "context_in_row": "share of the earlier questions' decayed stems in its row label",
    "context_in_leaf": "the same, in any description",
    "row_in_context": "share of the row label's stems that the question or an earlier one has",
    "column_in_context": "the same for the column label",
    "best_leaf": "question_in_leaf less the best of the page",
    "best_row": "question_in_row less the best of the page",
    "best_label": "row_in_question less the best of the page",
    "best_context": "row_in_context less the best of the page",
    "best_pairs": "pairs_in_question less the best of the page",
    "year_named": "1 the question names its year, -1 it names others, 0 it names none or the leaf has none",
    "other_year_named": "1 the question names the other year of its labels, -1 it names others, 0 either has none",
    "year_first": "its year is the first one named",
    "year_last": "its year is the last one named",
    "year_relative": "its year is the one that a relative period points at",
    "year_context": "its year was named by the last question that named one",
    "year_step": "its year less that of the last leaf taken, within +-5; 9 where unknown",
    "year_newest": "its year less the newest of the page; -20 where unknown",
    "same_row": "it is in the row of the last leaf taken",
    "same_column": "it is in the column of the last leaf taken",
    "row_taken": "share of the earlier turns that took a leaf of its row",
    "column_taken": "share of the earlier turns that took a leaf of its column",
    "taken": "turns since it was taken; 0 never",
    "percent": "it is printed as a percentage",
    "question_percent": "the question has a word for a percentage or a rate",
    "in_table": "it is in a table",
    "last_in_table": "the last leaf taken is in a table; -1 none was taken",
    "total": "its label has the word total",
    "question_total": "the question has the word total",
    "lead": "code of the word that leads to it in a sentence",
    "line": "its row from the top, or its sentence from the top",
    "place": "its column, or its order in the sentence",
    "places": "how many numbers its sentence or row has",
    "magnitude": "log10 of 1 + |value|",
    "whole": "it is a whole number",
    "currency": "it is printed as an amount of money",
    "turn": "turns before this one",
    "years_named": "how many years the question names",
    "question_in_caption": "share of the question's weighted stems in the caption and the sentence before the table",
    "year_near": "nearness of a named year in its sentence; -1 only other years, 0 none",
    "moved": "a verb of change leads to it",
    "question_moved": "the question has a word for an increase, decrease or change",
    "boundary": "1 its labels and the question name the same end of a period, -1 opposite ones",
    "side_first": "share of the stems of the first side of a comparison that its labels have",
    "side_second": "the same for the second side",
    "side_best": "the larger of both, less the best of the page",
    "scale_asked": "1 its scale is the requested one, -1 another is requested, 0 none is",
    "asked": "the question has it in digits",
    "telling": "share of the question's stems that describe it, weighted by how few leaves of the page they describe",
    "best_telling": "telling less the best of the page",
    "best_telling_label": "the same by its labels alone, less the best of the page",
    "label_told": "share of its labels' stems, so weighted, that the question has",
    "best_label_told": "label_told less the best of the page",
    "pointed": "share of the words of an expression such as that debt that its labels have",
    "role": "1 it was the first operand of the last turn that took two, 2 the second; 0 neither",
    "points_back": "1 the first side of a comparison points back, 2 the second, 3 both; 0 neither",
    "question_count": "the question asks how many",
    "question_price": "the question asks for the price of one",
    "similar": "cosine of the mean vectors of the question's words and of its labels",
    "similar_asked": "mean over the question's words of the cosine of the most similar word in its labels",
    "similar_text": "mean over the words in its labels of the cosine of the most similar one in the question",
    "similar_least": "the lowest cosine of a word of the question with the most similar one in its labels",
    "similar_around": "similar, by all its words",
    "similar_around_asked": "similar_asked, by all its words",
    "best_similar": "similar less the best of the page",
    "best_similar_asked": "similar_asked less the best of the page",
    "best_similar_around": "similar_around_asked less the best of the page",
    "lookup": "probability that the turn is a lookup",
    "fresh": "expected number of new leaves that the turn takes",
}
"""The leaf scorer's columns with their descriptions."""

_COUNT = lazy_regex(r"how many|number of|\bcount\b")
_PRICE = lazy_regex(r"per share|per unit|price|\beach\b")
_DECAY = 0.6
_DIGITS = 4
_CHANGES = frozenset(stems("change increase decrease decline growth gain drop fall"))


_PLACE = {name: n for n, name in enumerate(LEAF_FEATURES)}

_Column = NDArray[np.generic] | float
"""Values of a feature for each leaf, or one value for all."""


def measure_leaves(turns: Sequence[TurnView], lookup: Sequence[float], fresh: Sequence[float]) -> list[Floats]:
    """Return the features of all leaves, for each reading of the earlier turns.

    Features that depend only on the questions are computed once for all readings.

    Args:
        lookup: The probability that the turn is a lookup, 0 to 1, one for each reading.
        fresh: The expected number of unused leaves that the turn takes, one for each reading.

    Shape: One array per reading, each leaves x `len(LEAF_FEATURES)`, in that order.
    """
    page = turns[0].page
    size = len(page.leaves)
    whole = np.zeros((len(LEAF_FEATURES), size), np.float32)
    _write_columns(whole, _measure_question(turns[0]))
    found = []
    for turn, looked_up, new in zip(turns, lookup, fresh, strict=True):
        _write_columns(
            whole,
            {**_measure_pointed_years(turn), **_measure_history(page, turn.state), "lookup": looked_up, "fresh": new},
        )
        # The last digits of a sum depend on the processor, and a tree can separate two leaves by them.
        found.append(np.ascontiguousarray(whole.T).round(_DIGITS))
    return found


def _write_columns(measured: Floats, columns: Mapping[str, _Column]) -> None:
    for name, column in columns.items():
        measured[_PLACE[name]] = column


def _measure_question(turn: TurnView) -> dict[str, _Column]:
    """Features that depend on the page and the questions, but not on the answers."""
    page, question = turn.page, turn.question
    return {
        **page.static,
        **_measure_words(turn),
        **_measure_years(turn),
        **_measure_sides(turn),
        **_measure_telling_words(turn),
        **_measure_similarities(turn),
        "pointed": _measure_pointed_words(turn),
        "points_back": question.comparison.first.back + 2 * question.comparison.second.back,
        "asked": is_among(np.abs(page.leaves.value), question.numbers),
        "question_moved": _speaks_of_change(turn),
        "question_percent": any(s in question.lowered for s in ("percent", "%", "rate", "ratio")),
        "question_count": _COUNT.search(question.lowered) is not None,
        "question_price": _PRICE.search(question.lowered) is not None,
        "question_total": "total" in question.shapes,
        "turn": len(turn.state.outcomes),
        "years_named": len(question.years),
    }


def _measure_pointed_words(turn: TurnView) -> Floats:
    """Largest share of the words of a back-referring expression that each leaf's labels have."""
    leaves, found = turn.leaves, np.zeros(len(turn.leaves), np.float32)
    for words in list_pointed_words(turn.question):
        columns = [column for word in sorted(words) if (column := leaves.vocabulary.get(word)) is not None]
        if columns and len(leaves):
            ones = np.ones(len(columns), np.float32)
            found = np.maximum(found, multiply(leaves.labels[:, columns], ones) / len(words))
    return found


def _find_roles(state: DialogueState, size: int) -> Floats:
    """1 or 2 for the leaves that were the first or second operand of the last turn with two, else 0."""
    roles = np.zeros(size, np.float32)
    last = next((outcome.operands for outcome in reversed(state.outcomes) if len(outcome.operands) == 2), ())
    for place, leaf in enumerate(map(state.find_leaf, last), start=1):
        if leaf >= 0:
            roles[leaf] = place
    return roles


def _speaks_of_change(turn: TurnView) -> bool:
    return bool(set(turn.question.shapes) & _CHANGES)


def _subtract_best(values: Floats) -> Floats:
    return values - values.max() if len(values) else values


def _weigh_stems(page: PageFeatures, weights: Mapping[str, float]) -> tuple[Floats, float]:
    """Weights of stems as a vector over the page's vocabulary, and their sum including stems outside of it."""
    vector = np.zeros(len(page.idf), np.float32)
    outside = 0.0
    for stem, weight in weights.items():
        column = page.leaves.vocabulary.get(stem)
        if column is None:
            outside += weight * page.mean_idf
        else:
            vector[column] = weight * page.idf[column]
    return vector, max(float(vector.sum()) + outside, 1e-6)


def _measure_words(turn: TurnView) -> dict[str, Floats]:
    page, leaves = turn.page, turn.leaves
    now = dict.fromkeys(turn.question.stems, 1.0)
    context: dict[str, float] = {}
    for distance, question in enumerate(reversed(turn.state.questions)):
        for stem in question.stems:
            context.setdefault(stem, _DECAY**distance)
    both = {**context, **now}
    q, q_weight = _weigh_stems(page, now)
    c, c_weight = _weigh_stems(page, context)
    b, _ = _weigh_stems(page, dict.fromkeys(both, 1.0))
    in_leaf, in_row, in_column = multiply(leaves.around, q), multiply(leaves.row, q), multiply(leaves.column, q)
    pair_vector = np.zeros(leaves.row_pairs.shape[1], np.float32)
    for pair in zip(turn.question.stems, turn.question.stems[1:], strict=False):
        if pair in leaves.pairs:
            pair_vector[leaves.pairs[pair]] = 1
    columns = {
        "question_in_leaf": in_leaf / q_weight,
        "question_in_row": in_row / q_weight,
        "question_in_column": in_column / q_weight,
        "question_near": multiply(leaves.near, q) / q_weight,
        "context_near": multiply(leaves.near, c) / c_weight,
        "row_in_question": in_row / page.row_weight,
        "whole_row": _measure_whole_row(leaves, q),
        "column_in_question": in_column / page.column_weight,
        "pairs_in_question": multiply(leaves.row_pairs, pair_vector) / page.pair_count,
        "question_in_caption": multiply(leaves.caption, q) / q_weight,
        "context_in_row": multiply(leaves.row, c) / c_weight,
        "context_in_leaf": multiply(leaves.around, c) / c_weight,
        "row_in_context": multiply(leaves.row, b) / page.row_weight,
        "column_in_context": multiply(leaves.column, b) / page.column_weight,
    }
    return {
        **columns,
        "best_near": _subtract_best(columns["question_near"]),
        "best_leaf": _subtract_best(columns["question_in_leaf"]),
        "best_row": _subtract_best(columns["question_in_row"]),
        "best_label": _subtract_best(columns["row_in_question"]),
        "best_context": _subtract_best(columns["row_in_context"]),
        "best_pairs": _subtract_best(columns["pairs_in_question"]),
    }


def _measure_telling_words(turn: TurnView) -> dict[str, Floats]:
    """Features that weigh stems by their rarity among the leaves of the page."""
    page = turn.page
    size = len(page.leaves)
    known = [
        column for s in dict.fromkeys(turn.question.stems) if (column := page.leaves.vocabulary.get(s)) is not None
    ]
    rarity = page.rarity[known]
    whole = max(float(rarity.sum()), 1e-6)
    telling = multiply(page.leaves.around[:, known], rarity) / whole if size else np.zeros(0, np.float32)
    label = multiply(page.leaves.labels[:, known], rarity) if size else np.zeros(0, np.float32)
    label_share = label / page.label_rarity
    return {
        "telling": telling,
        "best_telling": _subtract_best(telling),
        "best_telling_label": _subtract_best(label / whole),
        "label_told": label_share,
        "best_label_told": _subtract_best(label_share),
    }


def _measure_similarities(turn: TurnView) -> dict[str, Floats]:
    """Features that compare words by their vectors."""
    asked, compare = dict.fromkeys(turn.question.stems), read_word_vectors().compare
    labels = compare(asked, [dict.fromkeys((*leaf.row, *leaf.column)) for leaf in turn.leaves.leaves]).T
    around = compare(asked, [dict.fromkeys(leaf.around) for leaf in turn.leaves.leaves]).T
    return {
        **dict(zip(SIMILARITIES, labels, strict=True)),
        "similar_around": around[0],
        "similar_around_asked": around[1],
        "best_similar": _subtract_best(labels[0]),
        "best_similar_asked": _subtract_best(labels[1]),
        "best_similar_around": _subtract_best(around[1]),
    }


def _measure_sides(turn: TurnView) -> dict[str, NDArray[np.generic]]:
    page, leaves = turn.page, turn.leaves
    first, second = turn.question.comparison.first, turn.question.comparison.second
    size = len(leaves)
    shares = []
    for slot in (first, second):
        vector, weight = _weigh_stems(page, dict.fromkeys(sorted(slot.stems), 1.0))
        shares.append(
            (multiply(leaves.near, vector) / weight).astype(np.float32) if slot.stems else np.zeros(size, np.float32)
        )
    end = boundary(turn.question.lowered)
    power = turn.question.power
    fits = np.zeros(size) if power is None else np.where(leaves.power == power, 1, -1)
    return {
        "side_first": shares[0],
        "side_second": shares[1],
        "side_best": _subtract_best(np.maximum(shares[0], shares[1])),
        "boundary": leaves.boundary * end,
        "scale_asked": fits,
    }


def _measure_whole_row(leaves: NumberMatrix, question: Floats) -> Floats:
    size = leaves.row.sum(axis=1)
    missing = size - multiply(leaves.row, (question > 0).astype(np.float32))
    return np.where((size > 0) & (missing < 1.5), 1 - 0.5 * missing, 0).astype(np.float32)


def _measure_years(turn: TurnView) -> dict[str, NDArray[np.generic]]:
    year, other = turn.leaves.year, turn.leaves.other_year
    known = year > 0
    named = turn.question.years
    return {
        "year_named": np.where(known & bool(named), np.where(is_among(year, named), 1, -1), 0),
        "other_year_named": np.where((other > 0) & bool(named), np.where(is_among(other, named), 1, -1), 0),
        "year_first": (year == named[0]) if named else np.zeros(len(year)),
        "year_last": (year == named[-1]) if named else np.zeros(len(year)),
        "year_context": is_among(year, turn.context_years),
        "year_near": _measure_near_years(turn.page, named),
    }


def _measure_pointed_years(turn: TurnView) -> dict[str, NDArray[np.generic]]:
    """Comparison of the years with those that the question refers to, and with that of the last leaf used."""
    year = turn.leaves.year
    last = [int(year[i]) for i in last_leaves(turn.state) if year[i] > 0]
    step = np.where(year > 0, clip(year - last[0], -5, 5), 9) if last else np.full(len(year), 9)
    return {"year_relative": is_among(year, turn.target_years), "year_step": step}


def _measure_near_years(page: PageFeatures, named: tuple[int, ...]) -> Floats:
    values = np.zeros(len(page.leaves), np.float32)
    for n, leaf in enumerate(page.leaves.leaves):
        if leaf.years and named:
            values[n] = max((1 / (1 + far / 6) for year, far in leaf.years if year in named), default=-1)
    return values


def _measure_history(page: PageFeatures, state: DialogueState) -> dict[str, _Column]:
    leaves, size = page.leaves, len(page.leaves)
    used = state.used_leaves
    turns = max(1, len(state.outcomes))
    last = sorted(last_leaves(state))
    row_uses, column_uses, since = np.zeros(size), np.zeros(size), np.zeros(size)
    same_row, same_column = np.zeros(size, bool), np.zeros(size, bool)
    for leaf, turn in used.items():
        row_uses += leaves.in_line_of(leaf) / turns
        column_uses += leaves.in_column_of(leaf) / turns
        since[leaf] = len(state.outcomes) - turn
    for leaf in last:
        same_row |= leaves.in_line_of(leaf)
        same_column |= leaves.in_column_of(leaf)
    return {
        "same_row": same_row,
        "same_column": same_column,
        "row_taken": row_uses,
        "column_taken": column_uses,
        "taken": since,
        "role": _find_roles(state, size),
        "last_in_table": float(leaves.table[last[0]] >= 0) if last else -1.0,
    }
