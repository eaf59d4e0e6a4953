"""What speaks for a number or a plan before the ranking, and the few rules that overrule it."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import CellRef, Source
from quaestor.documents.document import Document
from quaestor.documents.table import Table
from quaestor.questions.developments import as_change, as_share
from quaestor.questions.question import Question, read_question
from quaestor.questions.stems import stems
from quaestor.questions.times import AskedTime, times_asked
from quaestor.retrieval.everyday import in_words_of_reports
from quaestor.solvers.embedded.candidates import LOOKUP, Candidates
from quaestor.solvers.embedded.number_fit import (
    OTHER_KIND,
    LabelMentions,
    read_asked_kind,
    weigh_look_alikes,
)
from quaestor.solvers.embedded.operand_pool import NEW, NONE, USED, Pool, Signatures
from quaestor.solvers.embedded.page import Floats, Ints, NumberMatrix, is_among
from quaestor.solvers.embedded.period_fit import is_of_other_time, read_asked_period
from quaestor.solvers.embedded.turn_state import PLAIN, Operand, TurnAction, TurnView

# Rules that overrule the ranking: few, each with its reason.
#
# The benchmark takes a relative change in two turns, the difference and then its share of the base, so the ranker
# hardly ever saw one asked at once. Neither a difference nor an amount of the page answers who asks for the
# percentage change: of 229 turns of the labelled files that surely ask for one, none is a look-up of what is not a
# percentage.


_ASKED = "kg:PatternPercentageChange"
_COMPARES = lazy_regex(
    r"differen|points?\b|compar|\bless\b|minus|\babsolute\b"
    r"|\bin (?:the )?(?:percent(?:age)?|%) of (?!(?:the )?(?:change|increase|decrease|decline|growth))"
)
"""Of these the difference itself is asked: "the difference between the two percentage changes", "the change in the
percentage of sales"."""


_IN_PERCENT = lazy_regex(r"\b(?:in|by) (?:percent\b|per cent\b|%)|\bpercentage[- ]?wise\b|\bin percentage terms\b")
_SHARE = lazy_regex(
    r"\b(?:percent(?:age)?|share|proportion|fraction) of\b|% of\b|\bas a (?:percent|share|proportion|%)"
)
_FROM_TO = lazy_regex(
    r"\b(?:from|between)\b[a-z\s]{0,60}((?:19|20)\d\d)\b[a-z\s]{0,60}\b(?:to|and)\b[a-z\s]{0,60}((?:19|20)\d\d)\b"
)
_ONE_OF_TWO = lazy_regex(r"differen|\b(?:less|more|fewer|minus)\b")
"""What is compared as it is named, and did not change from one to the other."""
_CHANGES = frozenset({"subtract", "percentage_change"})
_CONSTANTS_ASKED = lazy_regex(r"thousand|million|billion|percent|%|average|\bmean\b|\bhalf\b|twice|double|index|invest")
_YEAR_WORDS = lazy_regex(
    r"\b(?:prior|previous|preceding|last|next|following|same|year|years|fiscal|earlier|before|ago)\b"
)
_AMOUNTS = frozenset({"lookup", "subtract", "add", "sum", "average"})


def translate_question(question: Question) -> Question:
    """Return a filing's question in the words that the weights know: those of reports, a development as a change."""
    worded = as_share(as_change(in_words_of_reports(question.text)))
    return question if worded == question.text else read_question(worded)


def order_by_years(question: Question, outcome: TurnAction, years: Sequence[int]) -> TurnAction:
    """Return a filing's change from the year that the question names to the other, else from the earlier to the later.

    Args:
        years: Of its operands, 0 if none is known.
    """
    if outcome.operation not in _CHANGES or outcome.value is None or len(years) != 2 or years[0] == years[1]:
        return outcome
    named = _FROM_TO.search(question.lowered)
    if named is not None:
        turned = tuple(years) == (int(named[1]), int(named[2]))
    else:
        developed = question.order == "later first" and not _ONE_OF_TWO.search(question.lowered)
        turned = developed and 0 < years[0] < years[1]
    if not turned:
        return outcome
    new, old = outcome.operands[1], outcome.operands[0]
    difference = new.value - old.value
    value = difference if outcome.operation == "subtract" else difference / old.value if old.value else None
    return outcome if value is None else replace(outcome, operands=(new, old), value=value)


def asks_for_other_year(question: Question) -> bool:
    """Return whether the last look-up is asked for at another year, and nothing else: "and in the prior year?"."""
    left = _YEAR_WORDS.sub(" ", question.lowered)
    return bool(question.years or question.offsets) and not stems(left)


def is_amount_for_percentage(question: Question, outcome: TurnAction) -> bool:
    """Return whether an outcome is an amount where a filing is asked for a percentage, in so many words."""
    asked = _IN_PERCENT.search(question.lowered) or _SHARE.search(question.lowered)
    return bool(asked) and outcome.operation in _AMOUNTS and not outcome.counts.percent


def uses_unasked_constant(question: Question, outcome: TurnAction) -> bool:
    """Return whether an outcome calculates with a number that a filing's question neither has nor hints at."""
    if _CONSTANTS_ASKED.search(question.lowered):
        return False
    asked_numbers = {*question.numbers, *question.counts}
    return any(operand.kind == "constant" and operand.value not in asked_numbers for operand in outcome.operands)


def replace_by_change(question: Question, outcome: TurnAction) -> TurnAction:
    """Return the outcome for a filing, a ratio of two amounts made the change that is asked for in percent."""
    relative = outcome.operation == "divide" and _ASKED in question.pattern_names and outcome.value is not None
    if not relative or any(operand.kind == "constant" for operand in outcome.operands):
        return outcome
    return replace(outcome, operation="percentage_change", value=(outcome.value or 0.0) - 1, counts=PLAIN)


def replace_by_percentage(question: Question, outcome: TurnAction) -> TurnAction:
    """Return the outcome for a filing, a difference made a relative change: "how much more than 2020, in percent?"."""
    if not _IN_PERCENT.search(question.lowered) or outcome.operation != "subtract" or outcome.counts.percent:
        return outcome
    return _build_relative(outcome)


def is_ruled_out(question: Question, outcome: TurnAction) -> bool:
    """Return whether an outcome only looks an amount up where the question asks for a percentage change."""
    if outcome.operation != "lookup" or _ASKED not in question.pattern_names or _COMPARES.search(question.lowered):
        return False
    return not outcome.counts.percent


def apply_overrides(question: Question, outcome: TurnAction) -> TurnAction:
    """Return the outcome, a difference made a relative change where the question asks for the percentage change.

    A ratio less one is relative already, and stays.
    """
    if outcome.operation != "subtract" or _ASKED not in question.pattern_names or _COMPARES.search(question.lowered):
        return outcome
    return _build_relative(outcome)


def _build_relative(outcome: TurnAction) -> TurnAction:
    base = outcome.operands[1]
    if outcome.value is None or base.value == 0 or (base.kind == "constant" and base.value == 1):
        return outcome
    return replace(outcome, operation="percentage_change", value=outcome.value / base.value, counts=PLAIN)


# What speaks for a number of a long document before it is ranked: its place, and a row that the question names.
#
# The ranker has learned from pages with one table. On an excerpt several tables compete, so the places that were
# found and labels that the question says word by word are weighed beside it; the weights were set on filings of some
# companies and looked at on others. And a filing is read as printed: an amount in parentheses is negative, which the
# benchmark's references mostly leave out.


PLACE = 3.0
"""What the log of how likely an answer is in a block counts, beside the log-odds of a leaf."""
LABEL = 4.0
"""What a label that is whole in the question counts, by how much of the question it is."""
PLAN = 1.0
"""What both count of the numbers of a plan, beside the ranker's score."""
YEAR = 4.0
"""What a number of another year has less where a question points at one by its distance."""
MEANT = 4.0
"""What it counts that a plan looks up the line that a question names and nothing else."""
SURE = 0.7
"""How sure it is then what a plan does."""
_OF_LOOKUP = {"lookup(new)": 0.9, "lookup(used)": 0.1}
_PLACE_NAMED = lazy_regex(r"\baccording to\b|\bas (?:shown|stated|reported) in\b", re.IGNORECASE)
OTHER_TIME = 6.0
"""What a number of another time than is asked for has less."""
OTHER_LINE = 3.0
"""What a number of another line has less beside one of the line that the question names and nothing else."""
_ELSEWHERE = 0.5
"""What a block that was not found has less than the least likely one that was."""


@dataclass(frozen=True, slots=True)
class Prior:
    """What speaks for the leaves of an excerpt.

    Attributes:
        leaves: One entry a leaf, as log-odds: 0 for the best, less for others.
        years: The year of each leaf, 0 if none is known.
        named: Whether the question names the line of each leaf, and asks for nothing else ("change in taxes" may be a
            line).
        other_year: Whether the last look-up is asked for at another year, and nothing else.
        other_time: Whether each leaf is of none of the times that the question asks for.
    """

    leaves: Floats
    years: Ints
    named: NDArray[np.bool_]
    other_time: NDArray[np.bool_]
    other_year: bool = False

    def adjust_leaves(self, probability: NDArray[np.float64], answered: Iterable[int] = ()) -> NDArray[np.float64]:
        """Return the leaves' probabilities with what speaks for them.

        Args:
            probability: The leaf scorer's.
            answered: Leaves that are earlier answers: those are not looked for, wherever they are.

        Shape: One entry a leaf.
        """
        clipped, spoken = np.clip(probability, 1e-9, 1 - 1e-9), self.leaves.copy()
        spoken[list(answered)] = 0.0
        found: NDArray[np.float64] = 1 / (1 + np.exp(-(np.log(clipped / (1 - clipped)) + spoken)))
        return found

    def after(self, turn: TurnView) -> "Prior":
        """Return it for a turn: for the years that words point at, and the line of the last look-up ("and in 2020?").

        Args:
            turn: The question after one reading of the turns before.
        """
        found, leaves = self, turn.leaves
        if turn.target_years:
            other = (self.years > 0) & ~is_among(self.years, turn.target_years)
            found = replace(found, leaves=(self.leaves - YEAR * other).astype(np.float32))
        last = turn.state.lookups.get(len(turn.state.outcomes) - 1)
        if last is None:
            found = replace(found, other_year=False)
        elif self.other_year:
            line: NDArray[np.bool_] = (leaves.table == leaves.table[last]) & (leaves.line == leaves.line[last])
            of_year = is_among(self.years, turn.target_years or turn.question.years)
            if not (line & of_year).any():
                # A long table may go on in another one: the line of the same name there.
                line = np.array([leaf.row == leaves.leaves[last].row for leaf in leaves.leaves], bool)
            named = line & of_year
            # Of several columns of a year that one is meant that is called as the last one was.
            alike = np.array([leaf.column == leaves.leaves[last].column for leaf in leaves.leaves], bool)
            found = replace(found, named=named & alike if (named & alike).any() else named)
        return found

    def is_of_other_time(self, outcome: TurnAction) -> bool:
        """Return whether an outcome takes numbers of the document alone, of none of the times that are asked for."""
        return all(operand.kind == "leaf" and bool(self.other_time[operand.index]) for operand in outcome.operands)

    def adjust_signatures(self, signatures: Signatures) -> Signatures:
        """Return the probabilities of signatures, mostly of look-ups where a question can mean nothing else."""
        if not (self.other_year or self.named.any()):
            return signatures
        names = {**dict.fromkeys(signatures, 0.0), **_OF_LOOKUP}
        return Signatures(
            (name, SURE * _OF_LOOKUP.get(name, 0.0) + (1 - SURE) * signatures.get(name, 0.0)) for name in names
        )

    def weigh_plans(self, candidates: Candidates) -> Floats:
        """Return what speaks for each plan by the numbers that it takes: their mean, so that two need not be one.

        Shape: One entry a plan.
        """
        own, second = self._weigh_operands(candidates.pool), candidates.pool.kind[candidates.second] != NONE
        first = own[candidates.first]
        found = PLAN * np.where(second, (first + own[candidates.second]) / 2, first)
        leaf = candidates.pool.leaf[candidates.first]
        looked_up = (candidates.operation == LOOKUP) & (leaf >= 0) & self.named[np.maximum(leaf, 0)]
        meant: Floats = (found + MEANT * looked_up).astype(np.float32)
        return meant

    def _weigh_operands(self, pool: Pool) -> Floats:
        """What speaks for each operand of a turn; nothing speaks for or against other operands."""
        found = np.where((pool.kind == NEW) | (pool.kind == USED), self.leaves[np.maximum(pool.leaf, 0)], 0.0)
        for place, operand in enumerate(pool.operands):
            if operand.kind == "group":
                members = [member.index for member in pool.members(place) if member.kind == "leaf"]
                found[place] = float(np.mean(self.leaves[members])) if members else 0.0
        return found.astype(np.float32)


def build_prior(
    question: Question, leaves: NumberMatrix, document: Document, weights: Mapping[int, float]
) -> Prior | None:
    """Return what speaks for the leaves of an excerpt; None on a page, where its one table has no rival.

    Args:
        weights: How likely an answer is in a block, as `Excerpt.weights`.
    """
    if not weights or not len(leaves):
        return None
    least = min(weights.values()) - _ELSEWHERE
    orders = {block.content.index: block.order for block in document.blocks if isinstance(block.content, Table)}
    label_mentions = LabelMentions(_PLACE_NAMED.split(question.text)[0], document.tables)
    known = dict[tuple[int, int, int], tuple[float, bool]]()
    asked, other_time = times_asked(question), np.zeros(len(leaves), bool)
    found, named = np.zeros(len(leaves), np.float32), np.zeros(len(leaves), bool)
    labels, another = np.zeros(len(leaves), np.float32), np.zeros(len(leaves), bool)
    period, kind, away = read_asked_period(question), read_asked_kind(question), np.zeros(len(leaves), np.float32)
    for place, leaf in enumerate(leaves.leaves):
        source = leaf.source
        other_time[place] = _is_of_other_times(asked, source, document)
        away[place] = OTHER_KIND * (bool(kind) and not kind.is_met(leaf, document))
        if not isinstance(source, CellRef):
            found[place] = PLACE * weights.get(document.block(source).order, least)
            continue
        key = (source.table, source.row, source.column)
        if key not in known:
            known[key] = label_mentions.measure(document.table(source.table), source)
        label_share, named[place] = known[key]
        labels[place] = label_share
        another[place] = label_mentions.names_another(document.table(source.table).rows[source.row])
        away[place] += period.penalty(document.table(source.table), source)
        found[place] = PLACE * weights.get(orders[source.table], least) + LABEL * label_share
    away += OTHER_TIME * other_time
    # What is away from what is asked is meant only if nothing else is there.
    found, named = found - away, named & (away == away.min())
    less = weigh_look_alikes(question, leaves.leaves, labels, document)
    if (named & ~another).any():
        less += OTHER_LINE * another
    found, named = found - less, named & (less == less[named].min(initial=np.inf))
    return Prior(found - found.max(), leaves.year, named, other_time, asks_for_other_year(question))


def _is_of_other_times(asked: Sequence[AskedTime], source: Source, document: Document) -> bool:
    fine = bool(asked) and all(time.is_fine for time in asked)
    return fine and all(is_of_other_time(time, source, document) for time in asked)


def restore_signs(outcome: TurnAction, leaves: NumberMatrix) -> TurnAction:
    """Return an outcome whose numbers have the sign that is printed."""
    operands = tuple(_restore_sign(operand, leaves) for operand in outcome.operands)
    if operands == outcome.operands or outcome.value is None:
        return outcome
    value = _RESULTS[outcome.operation]([operand.value for operand in operands])
    return replace(outcome, operands=operands, value=value)


def _restore_sign(operand: Operand, leaves: NumberMatrix) -> Operand:
    return replace(operand, value=float(leaves.value[operand.index])) if operand.kind == "leaf" else operand


_RESULTS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "lookup": lambda values: values[0],
    "subtract": lambda values: values[0] - values[1],
    "add": sum,
    "multiply": prod,
    "greater": lambda values: float(values[0] > values[1]),
    "divide": lambda values: values[0] / values[1],
    "percentage_change": lambda values: (values[0] - values[1]) / values[1],
    "sum": sum,
    "average": lambda values: sum(values) / len(values),
}
"""What the numbers of a plan come to; a number that has another sign is zero only where it was before."""
