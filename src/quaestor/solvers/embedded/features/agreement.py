"""What is measured of a plan against what its question says: metric type, order, sides, numbers.

The patterns that tell what is asked for are the core ontology's; a pattern added there changes these columns.
"""

from collections.abc import Sequence

import numpy as np

from quaestor.plan.operations import metric_of
from quaestor.questions.comparison import KINDS
from quaestor.questions.question import Question
from quaestor.solvers.embedded.candidates.enumerate import Candidates
from quaestor.solvers.embedded.candidates.operations import DIVIDE, OPERATIONS, SUBTRACT
from quaestor.solvers.embedded.candidates.pool import CONSTANT, NONE
from quaestor.solvers.embedded.features.operands import Column, OperandView, distinct_positions
from quaestor.solvers.embedded.page.matrix import among
from quaestor.solvers.embedded.state.turn_view import TurnView

_ALSO = {"divide": ("percentage", "average")}
"""The metric types that an operation may compute beside its own, by what its operands are."""
_METRICS = tuple((metric_of(name), *_ALSO.get(name, ())) for name in OPERATIONS)
"""All of them, by the code of the operation."""


def agreement_columns(candidates: Candidates, turns: Sequence[TurnView], view: OperandView) -> dict[str, Column]:
    """Return the columns of all candidates that compare them with what the question says.

    Args:
        turns: Page, conversation and question, after each reading of the turns before.
        view: The operands of the candidates' pool.

    Shape: Each column has one entry a candidate.
    """
    question = turns[0].question
    return {
        **_metric_columns(candidates, turns),
        "order": _order(candidates, question, view),
        **_side_columns(candidates, question, view),
        **_end_columns(candidates, turns[0]),
        **_number_columns(candidates, question),
    }


def _metric_columns(candidates: Candidates, turns: Sequence[TurnView]) -> dict[str, Column]:
    pool, i, j, reading, question = (
        candidates.pool, candidates.first, candidates.second, candidates.reading, turns[0].question
    )  # fmt: skip
    # Many readings end in the same metric.
    last = [turn.results[-1].metric if turn.results else None for turn in turns]
    heard = {metric: {m.metric_type: m.score for m in question.metric_types(metric)} for metric in set(last)}
    scored = [heard[metric] for metric in last]
    by_metric = {
        metric: [max(scores.get(one, 0.0) for one in metrics) for metrics in _METRICS]
        for metric, scores in heard.items()
    }
    fit = np.array([by_metric[metric] for metric in last])[reading, candidates.operation]
    # A change over its base, and a ratio less one, are percentage changes too.
    change, ratio = np.zeros((2, len(pool.operands)), bool)
    for n in np.flatnonzero(pool.result >= 0).tolist():
        made = turns[pool.reading[n]].results[pool.result[n]].made
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


def _order(candidates: Candidates, question: Question, view: OperandView) -> Column:
    order = question.order
    if order is None:
        return np.zeros(len(candidates))
    if order in ("later first", "earlier first"):
        a, b = view.year[candidates.first], view.year[candidates.second]
        later = np.where((a > 0) & (b > 0), np.sign(a - b), 0)
        return later if order == "later first" else -later
    first, second = distinct_positions(view, candidates.first, candidates.second)
    named = np.where((first < 2) & (second < 2), np.sign(second - first), 0)
    return named if order == "as named" else -named


def _side_columns(candidates: Candidates, asked: Question, view: OperandView) -> dict[str, Column]:
    sides, question = asked.comparison, list(dict.fromkeys(asked.stems))
    first = np.array([stem in sides.first.stems for stem in question] or [False])
    second = np.array([stem in sides.second.stems for stem in question] or [False])
    one = (view.said & first).sum(axis=1) / max(1, first.sum())
    lead = one - (view.said & second).sum(axis=1) / max(1, second.sum())
    year = among(view.year, sides.first.years).astype(int)
    year -= among(view.year, sides.second.years)
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


def _end_columns(candidates: Candidates, turn: TurnView) -> dict[str, Column]:
    pool, leaves, sides = candidates.pool, turn.leaves, turn.question.comparison
    ends = np.zeros(len(pool.operands))
    if len(leaves):
        ends = np.where(pool.leaf >= 0, leaves.boundary[np.maximum(pool.leaf, 0)], 0)
    return {
        "first_end": ends[candidates.first] * sides.first.boundary,
        "second_end": ends[candidates.second] * sides.second.boundary,
    }


def _number_columns(candidates: Candidates, question: Question) -> dict[str, Column]:
    pool, i, j = candidates.pool, candidates.first, candidates.second
    numbers, size = question.numbers, np.where(pool.kind == NONE, np.nan, np.abs(pool.value))
    said = among(size, numbers)
    covered = sum((((size == n)[i] | (size == n)[j]).astype(float) for n in numbers), np.zeros(len(candidates)))
    return {"first_asked": said[i], "second_asked": said[j], "asked_covered": covered / max(1, len(numbers))}
