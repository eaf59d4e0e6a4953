"""Which group of cells a question chooses among: by the number scorer, the turns before, and the words for the whole.

How sure it is, is the share of the scorer's word that the group has of all groups like it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from quaestor.core.periods import find_periods
from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.questions.conditions import Limit
from quaestor.questions.question import Question
from quaestor.questions.selection import AskedSelection
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.selection.cells import LabelledCell, without_times
from quaestor.solvers.embedded.selection.groups import GroupedCells, item_groups, part_year_groups, period_groups
from quaestor.solvers.embedded.selection.measured import measured_words
from quaestor.solvers.embedded.selection.members import Members, members_of, parts_of_totals, times_called

_YEARS = frozenset({"year", "fy"})
_SEGMENTS = frozenset(
    "segment division department business region country market geography component part constituent element expense "
    "cost asset liability source product service category".split()
)
"""Nouns for the parts that a total is made of."""
_NO_SEGMENT = re.compile(r"eliminat|reconcil|unallocated|not allocated|adjustments?\b", re.IGNORECASE)
_PARTS_OF_YEARS = frozenset({"quarter", "month"})


@dataclass(frozen=True, slots=True)
class GroupCandidate:
    """A group that may be meant.

    Attributes:
        mass: What the scorer gives its cells together, 0 to 1.
        share: The same of all groups that were looked at.
        members: The lines that it was limited to, where the question names what they are parts of.
    """

    group: GroupedCells
    mass: float
    share: float
    members: Members | None = None


def find_period_groups(
    selection: AskedSelection,
    question: Question,
    cells: Sequence[LabelledCell],
    probability: NDArray[np.float64],
) -> list[GroupCandidate]:
    """Return the groups of periods that a question may choose among, the likeliest first.

    Args:
        probability: Of each number of the page, that it is measured.
    """
    groups = part_year_groups(cells) if selection.noun in _PARTS_OF_YEARS else period_groups(cells)
    groups = groups or part_year_groups(cells)
    if not groups and selection.noun in ("period", "date"):
        groups = item_groups(cells)
    if years := years_limited_to(question):
        limited = [group.of(lambda cell: cell.year in years) for group in groups]
        groups = tuple(group for group in limited if len(group.cells) > 1) or groups
    if selection.noun in _PARTS_OF_YEARS and question.years:
        asked = {0, *question.years}
        dated = [group.of(lambda cell: _year_near(cell) in asked) for group in groups]
        groups = tuple(group for group in dated if len(group.cells) > 1) or groups
    if selection.noun in _YEARS:
        groups = tuple(_by_year(group) for group in groups)
    held = None if selection.condition.move else selection.condition.limit
    known = {cell.leaf: float(probability[cell.leaf]) for cell in cells}
    return _ranked(groups, known, cells, limit=held, by_line=False)


def find_item_groups(
    selection: AskedSelection,
    question: Question,
    document: Document,
    cells: Sequence[LabelledCell],
    probability: NDArray[np.float64],
) -> list[GroupCandidate]:
    """Return the groups of lines that a question may choose among, the likeliest first.

    Args:
        probability: Of each number of the page, that it is measured.
    """
    measure = without_times(measured_words(selection.measure))
    within = members_of(document, selection.whole) or members_of(document, measure)
    groups = item_groups(cells, frozenset() if within is None else within.rows)
    if named := _options_named(selection.options, groups):
        return _ranked(named, {c.leaf: float(probability[c.leaf]) for c in cells}, cells, by_line=True)
    under_headings = [group for group in groups if group.headings and set(stems(group.text)) == set(stems(measure))]
    if selection.noun in _SEGMENTS and under_headings:
        groups, within = tuple(under_headings), None
    elif within is not None:
        groups = _limited(groups, within.rows)
    elif selection.noun in _SEGMENTS:
        # Segments may be columns too: those stand across a line.
        others = [group for group in groups if group.across or group.headings]
        parts = _parts_meant(selection.noun, document, cells, probability)
        groups = tuple(dict.fromkeys((*_limited(groups, parts), *others)))
    if selection.noun in _SEGMENTS:
        groups = _of_many(group.of(lambda cell: not _NO_SEGMENT.search(cell.row_label)) for group in groups) or groups
    if question.years and not selection.condition.move:
        dated = [group for group in groups if not group.cells[0].year or group.cells[0].year in question.year_set]
        groups = tuple(dated) or groups
    held = None if selection.condition.move else selection.condition.limit
    known = {cell.leaf: float(probability[cell.leaf]) for cell in cells}
    return _ranked(groups, known, cells, within, held, by_line=True)


def _options_named(options: Sequence[str], groups: Sequence[GroupedCells]) -> list[GroupedCells]:
    """The groups of the cells that a question names to choose between, where it names them all; those that fit best."""
    if not options:
        return []
    found: list[tuple[float, GroupedCells]] = []
    for group in groups:
        called = [_called(option, group) for option in options]
        places = {place for _, place in called}
        least = min(share for share, _ in called)
        if least and len(places) == len(called):
            found.append((least, _at(group, {group.cells[place].leaf for place in places})))
    best = max((least for least, _ in found), default=0.0)
    return [group for least, group in found if least == best]


def _at(group: GroupedCells, leaves: set[int]) -> GroupedCells:
    return group.of(lambda cell: cell.leaf in leaves)


def _called(option: str, group: GroupedCells) -> tuple[float, int]:
    """The place of the cell whose label shares most words with an option, and which share of both that is."""
    wanted = set(stems(option))
    shares = [len(wanted & (own := set(stems(label)))) / max(1, len(wanted | own)) for label in group.labels]
    best = max(range(len(shares)), key=lambda place: shares[place])
    return shares[best], best


def _parts_meant(
    noun: str, document: Document, cells: Sequence[LabelledCell], probability: NDArray[np.float64]
) -> frozenset[tuple[int, int]]:
    """The lines of the total whose lines are called by a noun or given most by the scorer, else of the first total."""
    sums = parts_of_totals(document)
    if not sums:
        return frozenset()
    said: dict[tuple[int, int], float] = {}
    for cell in cells:
        place = cell.source.table, cell.source.row
        said[place] = said.get(place, 0.0) + float(probability[cell.leaf])
    named = set(stems(noun))

    def score(members: Members) -> float:
        return times_called(members, named) + sum(said.get(place, 0.0) for place in members.rows)

    return max(sums, key=score).rows


def _limited(groups: Sequence[GroupedCells], rows: frozenset[tuple[int, int]]) -> tuple[GroupedCells, ...]:
    """The columns with some of their lines; all groups where no column has two of them."""
    columns = [group for group in groups if not group.across and not group.headings]
    return _of_many(group.of(lambda cell: (cell.source.table, cell.source.row) in rows) for group in columns) or tuple(
        groups
    )


def _of_many(groups: Iterable[GroupedCells]) -> tuple[GroupedCells, ...]:
    return tuple(group for group in groups if len(group.cells) > 1)


def years_limited_to(question: Question) -> frozenset[int]:
    """Return the years between which a question chooses ("from 2015 to 2017"), where it names several."""
    spans = [(mention.period.year, mention.period.last) for mention in find_periods(question.lowered)]
    whole = {year for first, last in spans if last is not None for year in range(first, last + 1)}
    named = question.years
    if whole:
        return frozenset(whole)
    if len(named) == 2 and any(word in question.lowered for word in (" to ", "through", "until", " - ")):
        return frozenset(range(min(named), max(named) + 1))
    return frozenset(named) if len(named) > 1 else frozenset()


def _year_near(cell: LabelledCell) -> int:
    """The year of a cell of a part of a year, by whichever of its headings names one."""
    periods = (cell.column_period, cell.row_period)
    return next((period.last or period.year for period in periods if period is not None), 0)


def _meets(limit: Limit | None, group: GroupedCells) -> bool:
    """Whether the numbers of a group can be held against a limit: percentages against percentages."""
    percent = group.cells[0].counts.scale is Scale.PERCENT
    if limit is None or not limit.value:
        return True
    if limit.scale is Scale.PERCENT:
        return percent or all(abs(cell.value) <= 1 for cell in group.cells)
    return not percent or (limit.scale is Scale.ONE and limit.unit is None)


def _by_year(group: GroupedCells) -> GroupedCells:
    """A group whose cells are called by their years, where these tell them apart."""
    years = [str(cell.year) for cell in group.cells]
    return replace(group, labels=tuple(years)) if "0" not in years and len(set(years)) == len(years) else group


def _ranked(
    groups: Iterable[GroupedCells],
    probability: Mapping[int, float],
    cells: Sequence[LabelledCell],
    members: Members | None = None,
    limit: Limit | None = None,
    *,
    by_line: bool,
) -> list[GroupCandidate]:
    """The groups by what the scorer gives their cells; of a column with its lines it may mean the total."""
    masses: dict[tuple[int, bool, int], float] = {}
    if by_line:
        for cell in cells:
            for across, place in ((True, cell.source.row), (False, cell.source.column)):
                key = (cell.source.table, across, place)
                masses[key] = masses.get(key, 0.0) + probability[cell.leaf]

    def mass(group: GroupedCells) -> float:
        first = group.cells[0].source
        if by_line and not group.headings:
            return masses[first.table, group.across, first.row if group.across else first.column]
        return sum(probability[cell.leaf] for cell in group.cells)

    known = [(group, mass(group) if _meets(limit, group) else 0.0) for group in groups]
    whole = sum(own for _, own in known)
    found = [GroupCandidate(group, own, own / whole if whole else 0.0, members) for group, own in known]
    # Of groups that are as likely the newest, then the first.
    return sorted(found, key=lambda one: (-round(one.mass, 6), -max(cell.year for cell in one.group.cells)))
