"""Answers to questions that choose among labelled cells, from the group of cells to ranked plans."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import CandidateChosen, CandidatePassedOver
from quaestor.core.answer_value import AnswerValue
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import find_periods
from quaestor.core.quantity import Scale
from quaestor.core.words import words
from quaestor.documents.document import Document
from quaestor.errors import PlanError
from quaestor.plan.steps import Compute, Plan
from quaestor.questions.conditions import Limit
from quaestor.questions.question import Question
from quaestor.questions.selection import QuestionSelection
from quaestor.questions.stems import stems
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.embedded.cell_groups import (
    GroupedCells,
    LabelledCell,
    Members,
    count_labels_called,
    find_columns_called,
    find_members,
    find_members_called,
    find_total_members,
    group_items,
    group_parts_of_years,
    group_periods,
    list_table_lines,
    read_cells,
    remove_times,
)
from quaestor.solvers.embedded.choice_plans import (
    build_choice_plan,
    build_members_plan,
    build_moved_items_plan,
    build_yes_no_plan,
    read_two_years,
)
from quaestor.solvers.embedded.loading import EmbeddedWeights
from quaestor.solvers.embedded.models import ChoiceEvidence
from quaestor.solvers.embedded.page import PageFeatures
from quaestor.solvers.embedded.readings import AskedTurn
from quaestor.solvers.embedded.turn_state import DialogueState, last_leaves
from quaestor.solvers.embedded.writing import build_number_question, complete_question, score_cells, trim_measure

# The group of cells that a question chooses among, by the number scorer, the earlier turns, and the words for the
# whole.
#
# The confidence in a group is its share of the scores of all comparable groups.


_YEARS = frozenset({"year", "fy"})
_SEGMENTS = frozenset(
    "segment division department business region country market geography component part constituent element expense "
    "cost asset liability source product service category".split()
)
"""Nouns for the parts of a total."""
_NO_SEGMENT = lazy_regex(r"eliminat|reconcil|unallocated|not allocated|adjustments?\b", re.IGNORECASE)
_PARTS_OF_YEARS = frozenset({"quarter", "month"})


@dataclass(frozen=True, slots=True)
class GroupCandidate:
    """Candidate group of cells.

    Attributes:
        mass: Sum of the scorer's probabilities of its cells, 0 to 1.
        share: Share of `mass` in the sum over all candidates.
        members: Lines to which the group was limited if the question names the whole; else None.
    """

    group: GroupedCells
    mass: float
    share: float
    members: Members | None = None


def _find_named_options(options: Sequence[str], groups: Sequence[GroupedCells]) -> list[GroupedCells]:
    """Best matching groups of the cells that the question names as options, if a group has all of them."""
    if not options:
        return []
    found: list[tuple[float, GroupedCells]] = []
    for group in groups:
        matches = [_find_similar_cell(option, group) for option in options]
        places = {place for _, place in matches}
        least = min(share for share, _ in matches)
        if least and len(places) == len(matches):
            found.append((least, _select_leaves(group, {group.cells[place].leaf for place in places})))
    best = max((least for least, _ in found), default=0.0)
    return [group for least, group in found if least == best]


def _select_leaves(group: GroupedCells, leaves: set[int]) -> GroupedCells:
    return group.of(lambda cell: cell.leaf in leaves)


def _find_similar_cell(option: str, group: GroupedCells) -> tuple[float, int]:
    """Jaccard similarity and index of the cell whose label is most similar to an option."""
    wanted = set(stems(option))
    shares = [len(wanted & (own := set(stems(label)))) / max(1, len(wanted | own)) for label in group.labels]
    best = max(range(len(shares)), key=lambda place: shares[place])
    return shares[best], best


def _limit_to_rows(groups: Sequence[GroupedCells], rows: frozenset[tuple[int, int]]) -> tuple[GroupedCells, ...]:
    """Column groups limited to some lines; all groups if no column has two of these lines."""
    columns = [group for group in groups if not group.across]
    return _drop_singles(
        group.of(lambda cell: (cell.source.table, cell.source.row) in rows) for group in columns
    ) or tuple(groups)


def _drop_singles(groups: Iterable[GroupedCells]) -> tuple[GroupedCells, ...]:
    return tuple(group for group in groups if len(group.cells) > 1)


def _read_year_limits(question: Question) -> frozenset[int]:
    """Return the years between which a question chooses ("from 2015 to 2017"), if it names several."""
    spans = [(mention.period.year, mention.period.last) for mention in find_periods(question.lowered)]
    whole = {year for first, last in spans if last is not None for year in range(first, last + 1)}
    named = question.years
    if whole:
        return frozenset(whole)
    if len(named) == 2 and any(word in question.lowered for word in (" to ", "through", "until", " - ")):
        return frozenset(range(min(named), max(named) + 1))
    return frozenset(named) if len(named) > 1 else frozenset()


def _find_year(cell: LabelledCell) -> int:
    """Year of a cell for a part of a year, from either of its headings; 0 if none."""
    periods = (cell.column_period, cell.row_period)
    return next((period.last or period.year for period in periods if period is not None), 0)


def _is_comparable(limit: Limit | None, group: GroupedCells) -> bool:
    """Whether the numbers of a group can be compared with a limit; percentages only with percentages."""
    percent = group.cells[0].counts.scale is Scale.PERCENT
    if limit is None or not limit.value:
        return True
    if limit.scale is Scale.PERCENT:
        return percent or all(abs(cell.value) <= 1 for cell in group.cells)
    return not percent or (limit.scale is Scale.ONE and limit.unit is None)


def _label_by_year(group: GroupedCells) -> GroupedCells:
    """The group labelled by years, if every cell has a different one."""
    years = [str(cell.year) for cell in group.cells]
    return replace(group, labels=tuple(years)) if "0" not in years and len(set(years)) == len(years) else group


_WHOLE = 0.99
"""Least likeness of the whole in "what does X consist of": such questions are mostly answered by text, not by cells."""


@dataclass(frozen=True, slots=True)
class ChosenPlan:
    """Plan for a question that asks for a choice.

    Attributes:
        group: The cells to choose among; None if the answer is a list of lines.
        members: The listed lines, or the lines to which the choice is limited; None without such lines.
        evidence: The measures for its confidence.
    """

    plan: Plan
    group: GroupedCells | None
    members: Members | None
    evidence: ChoiceEvidence


def choose_plans(
    question: Question,
    document: Document,
    page: PageFeatures,
    state: DialogueState,
    weights: EmbeddedWeights,
) -> Iterator[ChosenPlan]:
    """Yield the plans for a question that asks for a choice, the likeliest first; none for other questions."""
    if question.wants.selection is not None:
        yield from _Chooser(question, question.wants.selection, document, page, state, weights).plans()


@dataclass
class _Chooser:
    """Question that asks for a choice, with its page and conversation."""

    question: Question
    selection: QuestionSelection
    document: Document
    page: PageFeatures
    state: DialogueState
    weights: EmbeddedWeights

    def plans(self) -> Iterator[ChosenPlan]:
        """Yield the plans, the likeliest first."""
        among_items = self.selection.among == "items"
        if among_items and not self.selection.condition.asked:
            yield from self._choose_members()
        elif self.cells:
            yield from self._choose_items() if among_items else self._choose_periods()

    @cached_property
    def cells(self) -> Sequence[LabelledCell]:
        """The cells to choose among."""
        return read_cells(self.document, self.page.leaves)

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """The probability of each number of the page that the question is about it."""
        measure, last = trim_measure(self.selection.measure), last_leaves(self.state)
        if not measure and last:
            probability = np.zeros(len(self.page.leaves))
            probability[list(last)] = 1 / len(last)
            return probability
        return score_cells(build_number_question(measure), self.state, self.page, self.weights)

    @cached_property
    def _limit(self) -> Limit | None:
        """The limit that the numbers themselves, not their changes, are compared with."""
        return None if self.selection.condition.move else self.selection.condition.limit

    # Lines and columns that are listed

    def _choose_members(self) -> Iterator[ChosenPlan]:
        selection, document = self.selection, self.document
        consists = bool(selection.whole) and not selection.measure
        members = find_members(document, selection.whole, _WHOLE if consists else 0.6)
        if members is None and not consists:
            members = find_members_called(selection.noun, document)
        if members is None and not consists and self._mentions_whole():
            members = find_columns_called(selection.whole, document) or self._find_likeliest_lines()
        if members is not None:
            named = bool(members.heading)
            evidence = ChoiceEvidence(under_heading=named, of_table=not named)
            yield ChosenPlan(build_members_plan(selection, members, self.page.leaves), None, members, evidence)

    def _mentions_whole(self) -> bool:
        """Whether the page has a word for the whole whose parts are requested."""
        whole = self.selection.whole
        named = stems(whole)
        vocabulary = self.page.leaves.vocabulary
        return not named or whole.startswith(("which", "that")) or any(stem in vocabulary for stem in named)

    def _find_likeliest_lines(self) -> Members | None:
        found = {lines.sources[0].table: lines for lines in list_table_lines(self.document)}
        of_table, probability = self.page.leaves.table, self.probability
        likeliest = max(found, key=lambda table: float(probability[of_table == table].sum()), default=None)
        return None if likeliest is None else found[likeliest]

    # Choices among periods

    def _choose_periods(self) -> Iterator[ChosenPlan]:
        @lru_cache(maxsize=1024)  # each line of a page is compared with the same few
        def cell_of(words: str) -> LabelledCell | None:
            found = score_cells(build_number_question(words), self.state, self.page, self.weights)
            return max(self.cells, key=lambda cell: float(found[cell.leaf]))

        selection, page = self.selection, self.page
        for found in self._find_period_groups():
            if selection.form == "yes_no":
                last = last_leaves(self.state)
                plan = build_yes_no_plan(selection, self.question, found.group, page, last, cell_of)
            else:
                plan = build_choice_plan(selection, found.group, page.leaves)
            if plan is not None:
                every = selection.form == "members"
                yield ChosenPlan(plan, found.group, None, ChoiceEvidence(found.mass, found.share, every_period=every))

    def _find_period_groups(self) -> list[GroupCandidate]:
        """Return the groups of periods that the question may choose among, the likeliest first."""
        noun, years, cells = self.selection.noun, self.question.years, self.cells
        groups = group_parts_of_years(cells) if noun in _PARTS_OF_YEARS else group_periods(cells)
        groups = groups or group_parts_of_years(cells)
        if not groups and noun in ("period", "date"):
            groups = group_items(cells)
        if limits := _read_year_limits(self.question):
            groups = _drop_singles(group.of(lambda cell: cell.year in limits) for group in groups) or groups
        if noun in _PARTS_OF_YEARS and years:
            asked = {0, *years}
            groups = _drop_singles(group.of(lambda cell: _find_year(cell) in asked) for group in groups) or groups
        if noun in _YEARS:
            groups = tuple(_label_by_year(group) for group in groups)
        return self._rank_groups(groups, self._sum_cells, limit=self._limit)

    # Choices among lines

    def _choose_items(self) -> Iterator[ChosenPlan]:
        for found in self._find_item_groups():
            plan = (
                self._build_moved_items_plan(found)
                if self.selection.condition.move
                else build_choice_plan(self.selection, found.group, self.page.leaves)
            )
            if plan is not None:
                evidence = ChoiceEvidence(found.mass, found.share, lines=True)
                yield ChosenPlan(plan, found.group, found.members, evidence)

    def _find_item_groups(self) -> list[GroupCandidate]:
        """Return the groups of lines that the question may choose among, the likeliest first."""
        selection, years = self.selection, self.question.year_set
        measure = remove_times(trim_measure(selection.measure))
        within = find_members(self.document, selection.whole) or find_members(self.document, measure)
        groups = group_items(self.cells, frozenset() if within is None else within.rows)
        if named := _find_named_options(selection.options, groups):
            return self._rank_groups(named, self._sum_line)
        if within is not None:
            groups = _limit_to_rows(groups, within.rows)
        elif selection.noun in _SEGMENTS:
            # Segments may also be columns: those groups are across a line.
            others = [group for group in groups if group.across]
            groups = tuple(dict.fromkeys((*_limit_to_rows(groups, self._find_likely_parts()), *others)))
        if selection.noun in _SEGMENTS:
            own = (group.of(lambda cell: not _NO_SEGMENT.search(cell.row_label)) for group in groups)
            groups = _drop_singles(own) or groups
        if years and not selection.condition.move:
            dated = [group for group in groups if not group.cells[0].year or group.cells[0].year in years]
            groups = tuple(dated) or groups
        return self._rank_groups(groups, self._sum_line, within, self._limit)

    def _find_likely_parts(self) -> frozenset[tuple[int, int]]:
        """Lines of the total whose parts match the noun or score highest; by default the first total."""
        sums = find_total_members(self.document)
        named = set(stems(self.selection.noun))

        def score(members: Members) -> float:
            masses = (self._masses.get((table, True, row), 0.0) for table, row in members.rows)
            return count_labels_called(members, named) + sum(masses)

        return max(sums, key=score).rows if sums else frozenset()

    def _build_moved_items_plan(self, found: GroupCandidate) -> Plan | None:
        """Plan for lines that changed between two years: the named ones, or the year before the named or last one."""
        first = found.group.cells[0]
        of_table = [cell for cell in self.cells if cell.source.table == first.source.table]
        pair = read_two_years(sorted({cell.year for cell in of_table if cell.year}), self.question)
        if pair is None:
            return None
        rows = {cell.source.row for cell in found.group.cells}
        of_years = {
            group.cells[0].year: group.of(lambda cell: cell.source.row in rows)
            for group in reversed(group_items(of_table))
            if not group.across and group.cells[0].counts == first.counts
        }
        old, new = (of_years.get(year) for year in pair)
        return build_moved_items_plan(self.selection, new, old, self.page.leaves) if new and old else None

    # Scores of groups

    @cached_property
    def _masses(self) -> dict[tuple[int, bool, int], float]:
        """The sum of the probabilities of each row (True) and column (False) of each table."""
        masses: dict[tuple[int, bool, int], float] = {}
        for cell in self.cells:
            for across, place in ((True, cell.source.row), (False, cell.source.column)):
                key = (cell.source.table, across, place)
                masses[key] = masses.get(key, 0.0) + float(self.probability[cell.leaf])
        return masses

    def _sum_cells(self, group: GroupedCells) -> float:
        return sum(float(self.probability[cell.leaf]) for cell in group.cells)

    def _sum_line(self, group: GroupedCells) -> float:
        """Sum of the whole line or column of a group."""
        first = group.cells[0].source
        return self._masses[first.table, group.across, first.row if group.across else first.column]

    def _rank_groups(
        self,
        groups: Iterable[GroupedCells],
        mass: Callable[[GroupedCells], float],
        members: Members | None = None,
        limit: Limit | None = None,
    ) -> list[GroupCandidate]:
        """Groups sorted by their scores."""
        known = [(group, mass(group) if _is_comparable(limit, group) else 0.0) for group in groups]
        whole = sum(own for _, own in known)
        found = [GroupCandidate(group, own, own / whole if whole else 0.0, members) for group, own in known]
        # Of equally likely groups, prefer the newest, then the first.
        return sorted(found, key=lambda one: (-round(one.mass, 6), -max(cell.year for cell in one.group.cells)))


_SHOWN = 6
"""Number of a group's labels that a reason names."""


def answer_with_choice(weights: EmbeddedWeights, turn: AskedTurn, least: float) -> Iterator[Answer]:
    """Yield the answers to a question that asks for a choice, the likeliest first; none to other questions."""
    question = complete_question(turn.question, turn.context.memory.parsed_questions)
    if question.wants.selection is None:
        return
    found = list(_execute_choices(question, turn, weights))
    enough = least * (found[0].confidence or 0.0) if found else 0.0
    yield from (answer for answer in found if answer is found[0] or (answer.confidence or 0.0) >= enough)


def _execute_choices(question: Question, turn: AskedTurn, weights: EmbeddedWeights) -> Iterator[Answer]:
    context, seen = turn.context, list[AnswerValue | None]()
    plans = [*choose_plans(question, context.document, turn.page, turn.state, weights)]
    for chosen in plans:
        operation = chosen.plan.steps[-1].operation if isinstance(chosen.plan.steps[-1], Compute) else "extract"
        try:
            answer = answer_from_plan(chosen.plan, context, question=question.text)
        except PlanError as error:
            context.trace.append(CandidatePassedOver(operation, str(error)))
            continue
        if answer.value in seen:
            continue
        seen.append(answer.value)
        context.trace.append(CandidateChosen(len(plans), operation, chosen.evidence.share))
        confidence = weights.choices.confidence(chosen.evidence)
        yield replace(answer, confidence=confidence, grounds=_explain_choice(chosen, question, context.question))


def _explain_choice(chosen: ChosenPlan, question: Question, typed: Question) -> str:
    """Reason for a choice, such as `row "net income"; of 2019, 2018 and 2017; "highest"`."""
    parts = [] if question.text == typed.text or not typed.text else [f'read as "{question.text}"']
    if chosen.group is not None:
        kind = "row" if chosen.group.across else "column"
        shared = [word for word in words(question.lowered) if set(stems(word)) & set(stems(chosen.group.text))]
        parts.append(f'{kind} "{" ".join(dict.fromkeys(shared)) or chosen.group.text}"')
        parts.append(f"of {_join_labels(chosen.group.labels)}")
    if chosen.members is not None and chosen.members.heading:
        parts.append(f'lines of "{chosen.members.heading}"')
    selection = question.wants.selection
    spans = () if selection is None else selection.condition.spans
    condition = [selection.text[start:end].strip() for start, end in spans] if selection is not None else []
    return "; ".join([*parts, *(f'"{shared}"' for shared in condition)])


def _join_labels(labels: tuple[str, ...]) -> str:
    shown = labels[:_SHOWN]
    more = len(labels) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
