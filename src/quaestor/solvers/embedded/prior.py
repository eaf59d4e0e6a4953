"""Prior probability of the numbers of a user's document, which complements the ranking."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import CellRef, Source
from quaestor.documents.document import Document
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.questions.times import AskedTime, times_asked
from quaestor.solvers.embedded.candidates import DIVIDE, Candidates
from quaestor.solvers.embedded.number_fit import LabelMentions, asks_per_share, is_per_share, weigh_look_alikes
from quaestor.solvers.embedded.operand_pool import NEW, NONE, RESULT1, USED, Pool
from quaestor.solvers.embedded.page import Floats, Ints, NumberMatrix
from quaestor.solvers.embedded.period_fit import is_of_other_time, read_asked_period

# The ranker was trained on pages with one table. In a document with several tables, labels that the question contains
# word for word, and times, also count. The constants were tuned on filings of some companies and evaluated on others.


LABEL = 4.0
"""Factor of the share of the question that a completely contained label covers, added to the log-odds of a leaf."""
PLAN = 1.0
"""Factor of the prior of a plan's numbers, added to the ranker's score."""
MEANT = 4.0
"""Bonus of a plan that divides the last answer by the line that the question asks for a share of."""
_VERB = r"\b(?:is|are|was|were|did|does|do|has|had)\b"
_SHARE_OF = lazy_regex(
    r"\b(?:(?:as a |what |which )?(?:percent(?:age)?|share|proportion|fraction|part|portion|%)|(?P<much>how much)) of "
    rf"(?:(?!{_VERB}).)+?(?(much)(?=\s*{_VERB} (?:it|that|this|they|these|those)\b)"
    rf"|(?=$|[?.,]|{_VERB} (?:it|that|this|they|these|those)\b))"
)
_PLACE_NAMED = lazy_regex(r"\baccording to\b|\bas (?:shown|stated|reported) in\b", re.IGNORECASE)
OTHER_TIME, OTHER_KIND = 6.0, 5.0
"""Penalties of a number of another time than the one asked for, and of one that is not per share as asked for."""


@dataclass(frozen=True, slots=True)
class Prior:
    """Prior of the leaves of a document.

    Attributes:
        leaves: The log-odds of each leaf: 0 for the best, negative for others.
        years: The year of each leaf, 0 if unknown.
        share_of_last: Whether the question asks for the last answer as a share of a line that it names.
    """

    leaves: Floats
    years: Ints
    share_of_last: bool = False

    def adjust_leaves(self, probability: NDArray[np.float64], answered: Iterable[int] = ()) -> NDArray[np.float64]:
        """Combine the leaves' probabilities with the prior.

        Args:
            probability: The leaf scorer's probability of each leaf.
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
        found = PLAN * np.where(second, (first + own[candidates.second]) / 2, first)
        if self.share_of_last:
            found = found + MEANT * self._find_shares_of_last(candidates)
        return found.astype(np.float32)

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
    """Return the prior of the leaves of a document; None for a benchmark page, which has only one table."""
    if document.is_page or not len(leaves):
        return None
    label_mentions = LabelMentions(_PLACE_NAMED.split(question.text)[0], document.tables)
    times, period, per_share = times_asked(question), read_asked_period(question), asks_per_share(question)
    labels, away = np.zeros((2, len(leaves)), np.float32)
    for place, leaf in enumerate(leaves.leaves):
        source = leaf.source
        away[place] = OTHER_TIME * _is_of_other_times(times, source, document)
        away[place] += OTHER_KIND * (per_share and not is_per_share(leaf, document))
        if not isinstance(source, CellRef):
            continue
        labels[place] = label_mentions.measure(document.table(source.table), source)
        away[place] += period.penalty(document.table(source.table), source)
    found = LABEL * labels - away - weigh_look_alikes(question, leaves.leaves, labels, document)
    return Prior(found - found.max(), leaves.year, _asks_share_of_last(question))


def _asks_share_of_last(question: Question) -> bool:
    """Return whether a question asks only for the last answer as a share of a line that it names."""
    named = _SHARE_OF.search(question.lowered)
    return named is not None and not stems(question.lowered[: named.start()] + " " + question.lowered[named.end() :])


def _is_of_other_times(times: Sequence[AskedTime], source: Source, document: Document) -> bool:
    fine = bool(times) and all(time.is_fine for time in times)
    return fine and all(is_of_other_time(time, source, document) for time in times)
