"""Questions that choose: the plans that answer them, the likeliest first."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from quaestor.documents.document import Document
from quaestor.plan.steps import Plan
from quaestor.questions.question import Question
from quaestor.questions.selection import AskedSelection
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.decode.prior import prior_of
from quaestor.solvers.embedded.decode.spoken_periods import spoken_period
from quaestor.solvers.embedded.model.choice_confidence import ChoiceEvidence
from quaestor.solvers.embedded.model.loading import EmbeddedWeights
from quaestor.solvers.embedded.page.features import PageFeatures
from quaestor.solvers.embedded.selection.cells import LabelledCell, labelled_cells
from quaestor.solvers.embedded.selection.finding import GroupCandidate, find_item_groups, find_period_groups
from quaestor.solvers.embedded.selection.groups import GroupedCells, item_groups
from quaestor.solvers.embedded.selection.measured import as_number_question, likely_cells, measured_words
from quaestor.solvers.embedded.selection.members import (
    Members,
    columns_called,
    lines_of_tables,
    members_called,
    members_of,
)
from quaestor.solvers.embedded.selection.steps import choice_plan, members_plan, moved_items_plan
from quaestor.solvers.embedded.selection.yes_no import two_years, yes_no_plan
from quaestor.solvers.embedded.state.dialogue import DialogueState
from quaestor.solvers.embedded.state.turn_view import last_leaves

_NOWHERE: Mapping[int, float] = MappingProxyType({})
_WHOLE = 0.99
"""What "X consists of" must be called so word for word: most that consists of something is told in the text."""


@dataclass(frozen=True, slots=True)
class ChosenPlan:
    """A plan that answers a question by a choice.

    Attributes:
        group: The cells that it chooses among; None if it names lines.
        members: The lines that it names, or that it is limited to; None if there are none.
        evidence: What its confidence is computed from.
    """

    plan: Plan
    group: GroupedCells | None
    members: Members | None
    evidence: ChoiceEvidence


def chosen_plans(
    question: Question,
    document: Document,
    page: PageFeatures,
    state: DialogueState,
    weights: EmbeddedWeights,
    places: Mapping[int, float] = _NOWHERE,
) -> Iterator[ChosenPlan]:
    """Yield the plans that answer a question by a choice, the likeliest first; none if it asks for no choice.

    Args:
        state: The conversation before.
        places: How likely an answer is in a block of an excerpt, as `Excerpt.weights`.
    """
    selection = question.wants.selection
    if selection is None:
        return
    probability = _probability(selection, document, page, state, weights, places)
    if selection.among == "items" and not selection.condition.asked:
        yield from _members(selection, document, page, probability)
        return
    cells = _of_period(question, labelled_cells(document, page.leaves), document)
    if not cells:
        return
    if selection.among == "items":
        yield from _items(selection, question, document, cells, probability, page)
        return

    @lru_cache(maxsize=1024)  # each line of a page is compared with the same few
    def cell_of(words: str) -> LabelledCell | None:
        other = as_number_question(words)
        found = likely_cells(other, state, page, weights, prior_of(other, page.leaves, document, places))
        return max(cells, key=lambda cell: float(found[cell.leaf]))

    for found in find_period_groups(selection, question, cells, probability):
        plan = _period_plan(selection, question, found.group, page, state, cell_of)
        if plan is not None:
            every = selection.form == "members"
            yield ChosenPlan(plan, found.group, None, ChoiceEvidence(found.mass, found.share, every_period=every))


def _of_period(question: Question, cells: Sequence[LabelledCell], document: Document) -> Sequence[LabelledCell]:
    """The cells of a filing that are of the kind of period that a question speaks of, if there are such."""
    if document.is_page:
        return cells
    period = spoken_period(question)
    return [cell for cell in cells if not period.away(document.table(cell.source.table), cell.source)] or cells


def _probability(
    selection: AskedSelection,
    document: Document,
    page: PageFeatures,
    state: DialogueState,
    weights: EmbeddedWeights,
    places: Mapping[int, float],
) -> NDArray[np.float64]:
    measure, last = measured_words(selection.measure), last_leaves(state)
    if not measure and last:
        meant = np.zeros(len(page.leaves))
        meant[list(last)] = 1 / len(last)
        return meant
    question = as_number_question(measure)
    return likely_cells(question, state, page, weights, prior_of(question, page.leaves, document, places))


def _members(
    selection: AskedSelection, document: Document, page: PageFeatures, probability: NDArray[np.float64]
) -> Iterator[ChosenPlan]:
    consists = bool(selection.whole) and not selection.measure
    members = members_of(document, selection.whole, _WHOLE if consists else 0.6)
    if members is None and not consists:
        members = members_called(selection.noun, document)
    if members is None and not consists and _is_spoken_of(selection.whole, page):
        members = columns_called(selection.whole, document) or _lines_of_likeliest(document, page, probability)
    if members is not None:
        named = bool(members.heading)
        evidence = ChoiceEvidence(under_heading=named, of_table=not named)
        yield ChosenPlan(members_plan(selection, members, page.leaves), None, members, evidence)


def _is_spoken_of(whole: str, page: PageFeatures) -> bool:
    """Whether the page has a word for what lines are asked to be parts of."""
    said = stems(whole)
    return not said or whole.startswith(("which", "that")) or any(stem in page.leaves.vocabulary for stem in said)


def _lines_of_likeliest(document: Document, page: PageFeatures, probability: NDArray[np.float64]) -> Members | None:
    tables = page.leaves.table
    found = {lines.sources[0].table: lines for lines in lines_of_tables(document)}
    likeliest = max(found, key=lambda table: float(probability[tables == table].sum()), default=None)
    return None if likeliest is None else found[likeliest]


def _items(
    selection: AskedSelection,
    question: Question,
    document: Document,
    cells: Sequence[LabelledCell],
    probability: NDArray[np.float64],
    page: PageFeatures,
) -> Iterator[ChosenPlan]:
    for found in find_item_groups(selection, question, document, cells, probability):
        plan = (
            _moved_items(selection, question, found, cells, page)
            if selection.condition.move
            else choice_plan(selection, found.group, page.leaves)
        )
        if plan is not None:
            evidence = ChoiceEvidence(found.mass, found.share, lines=True)
            yield ChosenPlan(plan, found.group, found.members, evidence)


def _moved_items(
    selection: AskedSelection,
    question: Question,
    found: GroupCandidate,
    cells: Sequence[LabelledCell],
    page: PageFeatures,
) -> Plan | None:
    """The plan for lines that moved: between the years that are named, or to the one named, or to the last."""
    table = found.group.cells[0].source.table
    years = sorted({cell.year for cell in cells if cell.source.table == table and cell.year})
    pair = two_years(years, question)
    if pair is None:
        return None
    rows = {cell.source.row for cell in found.group.cells}
    of_years = {
        group.cells[0].year: group.of(lambda cell: cell.source.row in rows)
        for group in reversed(item_groups([cell for cell in cells if cell.source.table == table]))
        if not group.across and group.cells[0].counts == found.group.cells[0].counts
    }
    old, new = (of_years.get(year) for year in pair)
    return moved_items_plan(selection, new, old, page.leaves) if new and old else None


def _period_plan(
    selection: AskedSelection,
    question: Question,
    group: GroupedCells,
    page: PageFeatures,
    state: DialogueState,
    cell_of: Callable[[str], LabelledCell | None],
) -> Plan | None:
    if selection.form != "yes_no":
        return choice_plan(selection, group, page.leaves)
    return yes_no_plan(selection, question, group, page, last_leaves(state), cell_of)
