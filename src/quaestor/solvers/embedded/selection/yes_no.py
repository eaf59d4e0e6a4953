"""Yes or no of the cells of a line: whether it moved, whether it holds against a limit, whether it is above another.

What is unclear has no plan: then other readings of the question are for others.
"""

import re
from collections.abc import Callable, Mapping, Sequence, Set

from quaestor.plan.steps import Plan
from quaestor.questions.question import Question, read_question
from quaestor.questions.selection import AskedSelection
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.page.features import PageFeatures
from quaestor.solvers.embedded.selection.cells import LabelledCell
from quaestor.solvers.embedded.selection.groups import GroupedCells
from quaestor.solvers.embedded.selection.steps import any_plan, is_size_meant, limit_plan, moved_plan

_ANY = re.compile(r"\b(?:any|some|either) (?:of the |fiscal )?(?:years?|quarters?|periods?|months?)\b|\bever\b")
_SINCE = re.compile(r"\bsince\b")


def two_years(years: Sequence[int], question: Question) -> tuple[int, int] | None:
    """Return the two years that a move is between; None if there are not two.

    Args:
        question: "From 2010 to 2012", "since 2010", "in 2012" against the year before; where it names none the last.
    """
    named = [year for year in question.years if year in years]
    if len(named) > 1:
        return min(named), max(named)
    if named and _SINCE.search(question.lowered):
        return (named[0], max(years)) if max(years) > named[0] else None
    later = named[0] if named else max(years, default=0)
    earlier = [year for year in years if year < later]
    return (max(earlier), later) if earlier else None


def yes_no_plan(
    selection: AskedSelection,
    question: Question,
    group: GroupedCells,
    page: PageFeatures,
    last: Set[int],
    cell_of: Callable[[str], LabelledCell | None],
) -> Plan | None:
    """Return the plan that tells yes or no; None if it is unclear of what.

    Args:
        group: The cells of the line that it asks about.
        last: The numbers that the last answer rests on.
        cell_of: Finds the cell that some words name.
    """
    by_year = {cell.year: cell for cell in reversed(group.cells) if cell.year}
    condition, size = selection.condition, is_size_meant(selection, group)
    if condition.limit is not None:
        if _ANY.search(question.lowered):
            return any_plan(group, condition.limit, page.leaves, size=size)
        cell = _meant(by_year, question.years, group, last) or by_year.get(max(by_year, default=0))
        return None if cell is None else limit_plan(cell, condition.limit, group, page.leaves, size=size)
    if condition.compared:
        pair = _compared(selection, question, by_year, group, last, cell_of)
        rose = condition.extreme == "largest"
    else:
        years = two_years(sorted(by_year), question)
        pair = None if years is None else (by_year[years[1]], by_year[years[0]])
        rose = condition.move == "rose"
    if pair is None:
        return None
    size = size and all(cell.value <= 0 for cell in pair)
    return moved_plan(*pair, page.leaves, rose=rose, size=size)


def _meant(
    by_year: Mapping[int, LabelledCell], years: Sequence[int], group: GroupedCells, last: Set[int]
) -> LabelledCell | None:
    """The cell of a year that is named, else that of the last answer."""
    named = [by_year[year] for year in years if year in by_year]
    return next(iter([*named, *(cell for cell in group.cells if cell.leaf in last)]), None)


def _compared(
    selection: AskedSelection,
    question: Question,
    by_year: Mapping[int, LabelledCell],
    group: GroupedCells,
    last: Set[int],
    cell_of: Callable[[str], LabelledCell | None],
) -> tuple[LabelledCell, LabelledCell] | None:
    """The two cells of "was that more than in 2011?", or of "was rent more than wages in 2011?"."""
    than = read_question(selection.condition.than)
    theirs = [year for year in than.years if year in by_year]
    # A year that is told by its distance is that of the other side: "more than in the prior year".
    own = [year for year in question.years if year not in (*theirs, *question.told_years)]
    if set(stems(_without_distances(than))) - set(stems(group.text)):
        # Another line: of the same year.
        mine = _meant(by_year, [*own, *theirs], group, last) or by_year.get(max(by_year, default=0))
        year = 0 if mine is None else mine.year
        other = cell_of(than.lowered if than.years or not year else f"{than.lowered} in {year}")
        named = other is not None and bool({*stems(other.row_label)} & {*stems(than.lowered)})
        return (mine, other) if mine is not None and other is not None and named and mine is not other else None
    mine = _meant(by_year, own, group, last)
    if mine is not None and not theirs:
        theirs = [year for offset in than.offsets if (year := mine.year + offset) in by_year]
    if mine is None or len(theirs) != 1 or by_year[theirs[0]] is mine:
        return None
    return mine, by_year[theirs[0]]


def _without_distances(question: Question) -> str:
    """The words of a question, in lower case, without the years that it names by their distance."""
    text = question.lowered
    for relative in reversed(question.relative_periods):
        text = f"{text[: relative.start]} {text[relative.end :]}"
    return text
