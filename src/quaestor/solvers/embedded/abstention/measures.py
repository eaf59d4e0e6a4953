"""What is measured of a question and a page to tell whether the page holds the answer.

Most of it is which words of the question describe no number of the page, or not the numbers that would be taken. No
measure knows the company, the page or a number.
"""

import math
from collections.abc import Container, Sequence

import numpy as np
from numpy.typing import NDArray

from quaestor.questions.question import Question
from quaestor.questions.stems import stems, without_owner
from quaestor.questions.times import without_time_words
from quaestor.retrieval.everyday import in_words_of_reports
from quaestor.solvers.embedded.decode.beam import Hypotheses
from quaestor.solvers.embedded.features.numbers import LEAF_FEATURES
from quaestor.solvers.embedded.model.answerable import ANSWERABLE_MEASURES
from quaestor.solvers.embedded.page.number import CandidateNumber
from quaestor.solvers.embedded.page.stem_weights import StemWeights
from quaestor.solvers.embedded.page.word_matrix import Floats

_COLUMN = {name: n for n, name in enumerate(LEAF_FEATURES)}
_MOST_WORDS = 12
_SUREST = 1e-6


def asked_stems(question: Question) -> tuple[str, ...]:
    """Return the stems of a question's words, everyday turns in the words of reports; nobody whose report it is.

    >>> asked_stems(Question("what was the company's capex?"))
    ('capit', 'expenditur')
    """
    said = stems(without_owner(in_words_of_reports(without_time_words(question.lowered))))
    return tuple(dict.fromkeys(stem for stem in said if len(stem) > 1))


def answerable_measures(
    choices: Hypotheses, weights: StemWeights, elsewhere: Container[int] = frozenset()
) -> Floats | None:
    """Return what is measured of a question; None if no plan fits it.

    Args:
        choices: The plans for it, and what they were ranked by.
        elsewhere: The years that the document has outside of the excerpt that was read: of those nothing is measured.

    Shape: `len(ANSWERABLE_MEASURES)`, in that order.
    """
    first = choices.first
    if first is None or not choices.ranked:
        return None
    taken = choices.ranked[0].outcome.operands
    turn, measured = first.reading.turn, first.reading.measured
    page, question = turn.leaves, turn.question
    weight = {stem: weights.of(stem) for stem in asked_stems(question)}
    whole = max(sum(weight.values()), _SUREST)
    known = [(column, own) for stem, own in weight.items() if (column := page.vocabulary.get(stem)) is not None]
    unknown = [own for stem, own in weight.items() if stem not in page.vocabulary]
    columns, values = [column for column, _ in known], np.array([value for _, value in known], np.float32)
    said, labelled = page.described.dot_of(columns, values), page.labels.dot_of(columns, values)
    # Of a page whose numbers have no years nothing can be said of them.
    years = [year for year in question.years if page.years and (year in page.years or year not in elsewhere)]
    then = _of_years(measured, bool(years))
    best_then = float(said[then].max()) if then.any() else 0.0
    likeliest = int(first.likely.argmax())
    places = [operand.index for operand in taken if operand.kind == "leaf"]
    leaves = [page.leaves[place] for place in places]
    signatures = first.reading.signatures
    _, share = choices.results[0]
    share = min(max(share, _SUREST), 1 - _SUREST)
    found = {
        "words": min(len(weight), _MOST_WORDS),
        "unknown": sum(unknown),
        "unknown_most": max(unknown, default=0.0),
        "unknown_share": sum(unknown) / whole,
        "lacking": whole - float(said.max()),
        "lacking_then": whole - best_then,
        "said_then": best_then / whole,
        "no_number_then": not then.any(),
        "lacking_label": whole - float(labelled.max()),
        "lacking_likeliest": whole - float(said[likeliest]),
        "lacking_taken": whole - _said(weight, leaves, labels=False),
        "lacking_taken_labels": whole - _said(weight, leaves, labels=True),
        "taken_then": bool(then[places].all()) if places else 0.5,
        "earlier": sum(operand.kind == "result" for operand in taken),
        "years": len(years),
        "years_lacking": sum(year not in page.years for year in years),
        "label_told": measured[:, _COLUMN["label_told"]].max(),
        "label_told_taken": measured[places, _COLUMN["label_told"]].mean() if places else -1.0,
        "row_told": measured[:, _COLUMN["row_in_question"]].max(),
        "first": not turn.state.questions,
        "cues": len(question.cues),
        "fresh": signatures.new_leaves,
        "again": sum(p for name, p in signatures.items() if "result" in name),
        "numbers": math.log(len(page)),
        "share": math.log(share / (1 - share)),
        "likeliest": first.likely[likeliest],
        "spread": -float((first.likely * np.log(first.likely + _SUREST)).sum()),
    }
    return np.array([found[name] for name in ANSWERABLE_MEASURES], np.float32)


def _of_years(measured: Floats, named: bool) -> NDArray[np.bool_]:
    """Which numbers are of a year that the question names; all where it names none."""
    if not named:
        return np.ones(len(measured), bool)
    own, other, near = (measured[:, _COLUMN[name]] > 0 for name in ("year_named", "other_year_named", "year_near"))
    found: NDArray[np.bool_] = own | other | near
    return found


def _said(weight: dict[str, float], leaves: Sequence[CandidateNumber], *, labels: bool) -> float:
    """The weight of the words that describe one number or another."""
    of = [(*leaf.row, *leaf.column) if labels else (*leaf.around, *leaf.caption) for leaf in leaves]
    return sum(weight.get(stem, 0.0) for stem in set().union(*of))
