"""Prior probability of the numbers of a user's file, which complements the ranking."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import CellRef, Source
from quaestor.documents.document import Document
from quaestor.questions.question import Question
from quaestor.questions.question_times import QuestionTime, times_asked
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.candidates import DIVIDE, LOOKUP, Candidates
from quaestor.solvers.embedded.number_fit import (
    OTHER_KIND,
    LabelMentions,
    read_asked_kind,
    weigh_look_alikes,
)
from quaestor.solvers.embedded.operand_pool import NEW, NONE, RESULT1, USED, Pool
from quaestor.solvers.embedded.page import Floats, Ints, NumberMatrix
from quaestor.solvers.embedded.period_fit import is_of_other_time, read_asked_period

# The ranker was trained on benchmark pages. In a user's file, labels that the question contains word for word also
# count, and so do the kind of number and the time that it asks for. The constants were tuned on filings of some
# companies and evaluated on others.


LABEL = 4.0
"""Factor of the share of the question that a completely contained label covers."""
MEANT = 4.0
"""Bonus of a plan that looks up the only line named by the question, or divides the last answer by it."""
_VERB = r"\b(?:is|are|was|were|did|does|do|has|had)\b"
_SHARE_OF = lazy_regex(
    r"\b(?:(?:as a |what |which )?(?:percent(?:age)?|share|proportion|fraction|part|portion|%)|(?P<much>how much)) of "
    rf"(?:(?!{_VERB}).)+?(?(much)(?=\s*{_VERB} (?:it|that|this|they|these|those)\b)"
    rf"|(?=$|[?.,]|{_VERB} (?:it|that|this|they|these|those)\b))"
)
_PLACE_NAMED = lazy_regex(r"\baccording to\b|\bas (?:shown|stated|reported) in\b", re.IGNORECASE)
OTHER_TIME = 6.0
"""Penalty of a number of another time than the one asked for."""


@dataclass(frozen=True, slots=True)
class Prior:
    """Prior of the leaves of a document.

    Attributes:
        leaves: The log-odds of each leaf: 0 for the best, negative for others.
        years: The year of each leaf, 0 if unknown.
        named: Whether the question names only the line of each leaf ("change in taxes" may be a line).
        share_of_last: Whether the question asks for the last answer as a share of a line that it names.
    """

    leaves: Floats
    years: Ints
    named: NDArray[np.bool_]
    share_of_last: bool = False

    def adjust_leaves(self, probability: NDArray[np.float64], answered: Iterable[int] = ()) -> NDArray[np.float64]:
        """Combine the leaves' probabilities with the prior.

        Args:
            answered: Leaves that are earlier answers, to which the prior does not apply.
        """
        clipped, log_odds = np.clip(probability, 1e-9, 1 - 1e-9), self.leaves.copy()
        log_odds[list(answered)] = 0.0
        found: NDArray[np.float64] = 1 / (1 + np.exp(-(np.log(clipped / (1 - clipped)) + log_odds)))
        return found

    def weigh_plans(self, candidates: Candidates) -> Floats:
        """Return the prior of each plan: the mean of its operands, so that more operands do not lower it."""
        own, second = self._weigh_operands(candidates.pool), candidates.pool.kind[candidates.second] != NONE
        first = own[candidates.first]
        found = np.where(second, (first + own[candidates.second]) / 2, first)
        leaf = candidates.pool.leaf[candidates.first]
        looked_up = (candidates.operation == LOOKUP) & (leaf >= 0) & self.named[np.maximum(leaf, 0)]
        looked_up = self._find_shares_of_last(candidates) if self.share_of_last else looked_up
        meant: Floats = (found + MEANT * looked_up).astype(np.float32)
        return meant

    def _find_shares_of_last(self, candidates: Candidates) -> NDArray[np.bool_]:
        """Return which plans divide the last answer by a number of the same year from the best line."""
        pool = candidates.pool
        last, base = pool.leaf[candidates.first], pool.leaf[candidates.second]
        one_year = self.years[np.maximum(last, 0)] == self.years[np.maximum(base, 0)]
        shares: NDArray[np.bool_] = (candidates.operation == DIVIDE) & (pool.kind[candidates.first] == RESULT1)
        shares &= (base >= 0) & (one_year | (last < 0))
        fit = self.leaves[np.maximum(base, 0)]
        shares &= fit == fit[shares].max(initial=-np.inf)
        return shares

    def _weigh_operands(self, pool: Pool) -> Floats:
        """Return the prior of each operand of the pool; 0 for earlier results and constants."""
        found = np.where((pool.kind == NEW) | (pool.kind == USED), self.leaves[np.maximum(pool.leaf, 0)], 0.0)
        for place, operand in enumerate(pool.operands):
            if operand.kind == "group":
                members = [member.index for member in pool.members(place) if member.kind == "leaf"]
                found[place] = float(np.mean(self.leaves[members])) if members else 0.0
        return found.astype(np.float32)


def build_prior(question: Question, leaves: NumberMatrix, document: Document) -> Prior | None:
    """Return the prior of the leaves of a user's file; None for a benchmark page or without leaves."""
    if document.is_page or not len(leaves):
        return None
    label_mentions = LabelMentions(_PLACE_NAMED.split(question.text)[0], document.tables)
    known = dict[tuple[int, int, int], tuple[float, bool]]()
    times = times_asked(question)
    found, named = np.zeros(len(leaves), np.float32), np.zeros(len(leaves), bool)
    labels = np.zeros(len(leaves), np.float32)
    period, kind, away = read_asked_period(question), read_asked_kind(question), np.zeros(len(leaves), np.float32)
    for place, leaf in enumerate(leaves.leaves):
        source = leaf.source
        away[place] = OTHER_TIME * _is_of_other_times(times, source, document)
        away[place] += OTHER_KIND * (bool(kind) and not kind.is_met(leaf, document))
        if not isinstance(source, CellRef):
            continue
        key = (source.table, source.row, source.column)
        if key not in known:
            known[key] = label_mentions.measure(document.table(source.table), source)
        label_share, named[place] = known[key]
        labels[place] = label_share
        away[place] += period.penalty(document.table(source.table), source)
        found[place] = LABEL * label_share
    # A number with a penalty is meant only if no other number is better.
    found, named = found - away, named & (away == away.min())
    less = weigh_look_alikes(question, leaves.leaves, labels, document)
    found, named = found - less, named & (less == less[named].min(initial=np.inf))
    return Prior(found - found.max(), leaves.year, named, _asks_share_of_last(question))


def _asks_share_of_last(question: Question) -> bool:
    """Return whether a question asks only for the last answer as a share of a line that it names."""
    named = _SHARE_OF.search(question.lowered)
    return named is not None and not stems(question.lowered[: named.start()] + " " + question.lowered[named.end() :])


def _is_of_other_times(times: Sequence[QuestionTime], source: Source, document: Document) -> bool:
    fine = bool(times) and all(time.is_fine for time in times)
    return fine and all(is_of_other_time(time, source, document) for time in times)
