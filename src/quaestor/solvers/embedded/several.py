"""Answers questions for several numbers: one line at several times, or several lines."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import ValueList
from quaestor.core.patterns import lazy_regex
from quaestor.core.words import compound_spans, search_words
from quaestor.documents.document import Document
from quaestor.documents.table import Table
from quaestor.errors import PlanError
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.questions.listing import Listing, asks_one, read_enumeration, read_listing
from quaestor.questions.question import Question, read_question
from quaestor.questions.stems import stems
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.loading import EmbeddedWeights
from quaestor.solvers.embedded.page import Floats, NumberMatrix
from quaestor.solvers.embedded.readings import AskedTurn
from quaestor.solvers.embedded.writing import score_cells

# ---- Lines that a question lists: "the expected volatility and dividend yield in 2019".
#
# A label may contain "and" itself ("research and development"), so only the document shows whether one line is named or
# two.


_SEPARATOR = lazy_regex(
    r"[\s,]*(?:(?:and|&|as well as)\s+)?(?:(?:for|of|from|in)\s+)?(?:(?:the|its|their|a|an)\s+)?", re.I
)
_AND = lazy_regex(r"\band\b|&|\bas well as\b", re.I)
_MOST_LINES = 12
_LONGEST_LABEL = 12


_Labels = dict[tuple[str, ...], bool]
"""Labels as stems, and whether each contains "and"."""


@dataclass(frozen=True, slots=True)
class _LabelPlace:
    start: int
    end: int
    label: tuple[str, ...]


def find_listed_lines(question: Question, document: Document) -> Listing | None:
    """Return the parts of a question for several lines or columns of a table; None for other questions."""
    text = question.lowered
    if " and " not in text and "&" not in text:
        return None
    for labels in _find_label_sets(document):
        chain = _find_chain(text, sorted(_find_labels(text, labels), key=lambda each: each.start))
        if chain and not asks_one(text[: chain[0].start] + " " + text[chain[-1].end :]):
            return _build_listing(question.text, chain)
    return None


def _find_label_sets(document: Document) -> Iterator[_Labels]:
    """Yield labels that may be listed together: the rows of a table, or its columns."""
    for table in document.tables:
        yield _index_labels(table, rows=True)
        yield _index_labels(table, rows=False)


def _list_stems(text: str) -> list[tuple[str, int, int]]:
    """Return the stems of a text with their spans, and its commas: "rent, selling" is not "rent and selling"."""
    found: list[tuple[str, int, int]] = []
    last = 0
    for start, end in compound_spans(text):
        own = stems(text[start:end])
        if own and found and "," in text[last:start]:
            found.append((",", last, start))
        found += [(stem, start, end) for stem in own]
        last = end if own else last
    return found


def _index_labels(table: Table, *, rows: bool) -> _Labels:
    headers = table.rows[table.header_rows :] if rows else table.columns[1:]
    found = {_read_stems(header.label): _AND.search(header.label) is not None for header in headers}
    fitting = (label for label in found if 0 < len(label) <= _LONGEST_LABEL and not all(map(str.isdigit, label)))
    return {label: found[label] for label in fitting}


def _read_stems(label: str) -> tuple[str, ...]:
    return tuple(stem for stem, _, _ in _list_stems(label.lower()))


def _find_labels(text: str, labels: _Labels) -> Iterator[_LabelPlace]:
    """Yield the spans of complete labels in a question, preferring longer labels."""
    spans = _list_stems(text)
    sizes = sorted({len(label) for label in labels if label}, reverse=True)
    free = 0
    for place, (_, start, _) in enumerate(spans):
        for size in sizes if place >= free else ():
            label = tuple(stem for stem, _, _ in spans[place : place + size])
            # "Net income and total assets" does not contain the label "Net income, total".
            if label in labels and (labels[label] or not _AND.search(text[start : spans[place + len(label) - 1][2]])):
                yield _LabelPlace(start, spans[place + len(label) - 1][2], label)
                free = place + len(label)
                break


def _find_chain(text: str, found: list[_LabelPlace]) -> list[_LabelPlace]:
    """Return the adjacent labels joined by "and"; empty if there are fewer than two."""
    chains: list[list[_LabelPlace]] = []
    for named in found:
        if chains and _SEPARATOR.fullmatch(text[chains[-1][-1].end : named.start]):
            chains[-1].append(named)
        else:
            chains.append([named])
    longest = max(chains, key=len, default=[])
    joined = any(_AND.search(text[a.end : b.start]) for a, b in pairwise(longest))
    different = len({named.label for named in longest}) == len(longest)
    return longest if 1 < len(longest) <= _MOST_LINES and joined and different else []


def _build_listing(text: str, chain: list[_LabelPlace]) -> Listing:
    items = tuple(text[named.start : named.end] for named in chain)
    before, after = text[: chain[0].start], text[chain[-1].end :]
    questions = tuple(" ".join(f"{before}{item}{after}".split()) for item in items)
    return Listing(questions, items, respective=False, total=False)


Alike = Literal["line", "place"]
"""What the numbers of a list share: the line (if their times differ) or the column (if their lines differ)."""

_EPSILON = 1e-6
_OTHER_YEAR = 6.0
"""Penalty, as a logarithm, of a number of another year than the one asked for."""
_NO_YEAR = 1.0
"""Penalty, as a logarithm, of a number without a year."""
_SAME_PLACE = 1.5
"""Bonus if all numbers are in the same line or column."""


@dataclass(frozen=True, slots=True)
class ChosenNumbers:
    """Numbers chosen for a list.

    Attributes:
        leaves: The leaf of each part, in order.
        share: The leaf scorer's probability of each leaf.
        alike: Whether all are in the same line or column.
    """

    leaves: tuple[int, ...]
    share: tuple[float, ...]
    alike: bool


def choose_numbers(
    shares: Sequence[NDArray[np.float64]], years: Sequence[int], leaves: NumberMatrix, alike: Alike
) -> ChosenNumbers | None:
    """Choose the best combination of numbers for the parts of a question; None if there are too few numbers.

    Args:
        shares: For each part the probability of each leaf.
        years: The year that each part asks for; 0 if it asks for none.
    """
    scores = [_score_leaves(share, year, leaves) for share, year in zip(shares, years, strict=True)]
    found: list[tuple[float, tuple[int, ...], bool]] = []
    everywhere = np.arange(len(leaves))
    if (chosen := _choose_one_each(scores, everywhere)) is not None:
        found.append((_sum_scores(scores, chosen), chosen, False))
    for group in _group_leaves(leaves, alike):
        if (chosen := _choose_one_each(scores, group)) is not None:
            found.append((_sum_scores(scores, chosen) + _SAME_PLACE, chosen, True))
    if not found:
        return None
    _, chosen, same = max(found, key=lambda each: (each[0], each[2]))
    return ChosenNumbers(chosen, tuple(float(s[i]) for s, i in zip(shares, chosen, strict=True)), same)


def _score_leaves(share: NDArray[np.float64], year: int, leaves: NumberMatrix) -> Floats:
    scores = np.log(share + _EPSILON)
    if year:
        scores = scores - np.where(leaves.year == year, 0.0, np.where(leaves.year == 0, _NO_YEAR, _OTHER_YEAR))
    return scores.astype(np.float32)


def _group_leaves(leaves: NumberMatrix, alike: Alike) -> Iterable[NDArray[np.int64]]:
    """Yield the leaves of each line, or of each column of a table; a sentence is a line."""
    across = leaves.line if alike == "line" else leaves.place
    keys = leaves.table.astype(np.int64) * 100_000 + across
    usable = keys if alike == "line" else np.where(leaves.table >= 0, keys, np.int64(-1) << 40)
    for key in np.unique(usable):
        if key != np.int64(-1) << 40:
            yield np.flatnonzero(usable == key)


def _choose_one_each(scores: Sequence[Floats], among: NDArray[np.int64]) -> tuple[int, ...] | None:
    """Return a different leaf for each part, in order of decreasing scores."""
    if len(among) < len(scores):
        return None
    left = np.array([score[among] for score in scores])
    chosen = [0] * len(scores)
    for _ in scores:
        part, place = np.unravel_index(int(np.argmax(left)), left.shape)
        chosen[int(part)] = int(among[place])
        left[part, :] = -np.inf
        left[:, place] = -np.inf
    return tuple(chosen)


def _sum_scores(scores: Sequence[Floats], chosen: Sequence[int]) -> float:
    return float(sum(score[leaf] for score, leaf in zip(scores, chosen, strict=True)))


_ANOTHER_TIME = lazy_regex(
    r"\s*(?:and|what about|how about|what were they|what are they|then|now|also|[\s,])*(?:in|for|at|during|as"
    r" of|the year|year|of"
    r"|fiscal|the end|end|[\s,])*[\s?.!]*"
)
_KINDS = frozenset({"number", "numbers"})


def answer_with_list(weights: EmbeddedWeights, turn: AskedTurn, least: float) -> Iterator[Answer]:
    """Yield the list that a question asks for, unless it asks for none or the page has too few numbers."""
    listing, alike = _find_listing(turn.question, turn.context)
    if listing is None or not len(turn.page.leaves):
        return
    parts = [read_question(part) for part in listing.questions]
    if any(part.wants.kind not in _KINDS for part in parts):
        return
    shares = [score_cells(part, turn.state, turn.page, weights) for part in parts]
    years = [
        max(read_question(item).years or part.years or (0,)) for item, part in zip(listing.items, parts, strict=True)
    ]
    chosen = choose_numbers(shares, years, turn.page.leaves, alike)
    if chosen is None:
        return
    try:
        plan = _build_plan(chosen, listing, turn.page.leaves)
        answer = answer_from_plan(plan, turn.context, question=turn.question.text)
    except PlanError:
        return
    places = "one line" if alike == "line" else "one column"
    grounds = f"the question asks for {len(listing.items)}: {', '.join(listing.items)}" + f"; {places}" * chosen.alike
    yield replace(answer, confidence=_estimate_confidence(chosen), grounds=grounds)


def _find_listing(question: Question, context: TurnContext) -> tuple[Listing | None, Alike]:
    listing = read_listing(question.text)
    if listing is not None:
        return (None if listing.total and not _names_a_total(question, context.document) else listing), "line"
    question = _repeat_at_time(question, context)
    return find_listed_lines(question, context.document) or read_enumeration(question.text), "place"


def _names_a_total(question: Question, document: Document) -> bool:
    """Whether the total that a question asks for is a separate line, such as "Total costs"."""
    question_words = set(search_words(question.lowered))
    labels = (set(search_words(row.label)) for table in document.tables for row in table.rows[table.header_rows :])
    return any("total" in label and question.names <= label <= question_words for label in labels)


def _repeat_at_time(question: Question, context: TurnContext) -> Question:
    """Repeat the question for the last list with another time if only that is asked for: "and in 2006?"."""
    if len(question.periods) != 1 or not _ANOTHER_TIME.fullmatch(_remove_time(question)):
        return question
    for each, answer in zip(reversed(context.memory.parsed_questions), reversed(context.memory.answers), strict=True):
        if not isinstance(answer.value, ValueList):
            return question
        if len(each.periods) == 1 and not _ANOTHER_TIME.fullmatch(_remove_time(each)):
            old, new = each.periods[0], question.periods[0]
            return Question(f"{each.text[: old.start]}{question.text[new.start : new.end]}{each.text[old.end :]}")
    return question


def _remove_time(question: Question) -> str:
    time = question.periods[0]
    return " ".join(f"{question.lowered[: time.start]}{question.lowered[time.end :]}".split())


def _build_plan(chosen: ChosenNumbers, listing: Listing, page: NumberMatrix) -> Plan:
    leaves = [page.leaves[index] for index in chosen.leaves]
    labels = [leaf.label for leaf in leaves]
    if len(set(labels)) < len(labels) or not all(leaf.table >= 0 for leaf in leaves):
        # Words around a number of the text are not a label, so use the words of the question.
        labels = [_label_item(item) for item in listing.items]
    extracts = [
        Extract(step, leaf.source, label, leaf.quantity)
        for step, (leaf, label) in enumerate(zip(leaves, labels, strict=True), start=1)
    ]
    return Plan((*extracts, Compute(len(extracts) + 1, "items", tuple(Ref(step.id) for step in extracts))))


def _label_item(item: str) -> str:
    years = read_question(item).years
    return str(years[0]) if len(years) == 1 and item.lower().startswith(("fiscal", "year")) else item


def _estimate_confidence(chosen: ChosenNumbers) -> float:
    """Estimate the confidence of a list from the shares of its numbers, with a bonus for one line or column."""
    mean = sum(map(math.log, (max(share, 1e-6) for share in chosen.share))) / len(chosen.share)
    return 1 / (1 + math.exp(-(mean + (2.2 if chosen.alike else 0.5))))
