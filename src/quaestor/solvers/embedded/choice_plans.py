"""Builds plans for choices among a group of cells, and for yes/no questions about them."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from decimal import Decimal

from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Scale
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Plan, Reading, Ref
from quaestor.plan.steps import Operand as PlanOperand
from quaestor.questions.conditions import Limit, Test
from quaestor.questions.question import Question, read_question
from quaestor.questions.selection import QuestionSelection
from quaestor.questions.stems import stem, stems
from quaestor.solvers.embedded.cell_groups import GroupedCells, LabelledCell, Members
from quaestor.solvers.embedded.page import NumberMatrix, PageFeatures

_OPPOSITE: dict[Test, Test] = {"above": "below", "below": "above", "at_least": "at_most", "at_most": "at_least"}
_IN_ONES_FACTOR = 100
"""A limit without a scale that exceeds all numbers of a group by this factor is taken to be in ones."""
_SIZES = frozenset(
    stem(word)
    for word in (
        "expense cost charge loss movement change payment repayment decrease reduction deduction outflow dividend tax "
        "impairment depreciation amortization amortisation allowance provision write-off spending purchase repurchase"
    ).split()
)
"""Things that are printed as negative numbers and compared by their absolute value."""
_ZERO = Constant(Decimal(0), "0")


class PlanSteps:
    """Builder of the steps of a plan."""

    def __init__(self, leaves: NumberMatrix) -> None:
        """Create a builder for numbers of a page."""
        self.steps: list[Extract | Compute] = []
        self._leaves = leaves

    def plan(self) -> Plan:
        """Return the steps so far as a plan."""
        return Plan(tuple(self.steps))

    def compute(self, operation: str, *operands: PlanOperand) -> Ref:
        """Add an operation and return a reference to its result."""
        self.steps.append(Compute(len(self.steps) + 1, operation, operands))
        return Ref(len(self.steps))

    def number(self, cell: LabelledCell, *, size: bool = False) -> Ref:
        """Add the number of a cell, without its sign for `size`."""
        leaf = self._leaves.leaves[cell.leaf]
        reading: Reading = "magnitude" if size else "signed"
        self.steps.append(
            Extract(
                len(self.steps) + 1,
                leaf.source,
                leaf.label,
                leaf.quantity,
                reading,
                label_scale=leaf.label_scale,
                label_unit=leaf.label_unit,
            )
        )
        return Ref(len(self.steps))

    def listed(self, group: GroupedCells, *, size: bool = False) -> PlanOperand:
        """Return a group of cells as an operand, or for `size` add the list of their absolute values."""
        return self.compute("absolute", self.group(group)) if size else self.group(group)

    def group(self, group: GroupedCells) -> CellGroup:
        """Return a group of cells as an operand."""
        leaves = [self._leaves.leaves[cell.leaf] for cell in group.cells]
        scales, units = {leaf.label_scale for leaf in leaves}, {leaf.label_unit for leaf in leaves} - {None}
        return CellGroup(
            group.text or group.heading or "cells",
            group.labels,
            tuple(leaf.quantity for leaf in leaves),
            tuple(leaf.source for leaf in leaves),
            group.cells[0].source.table,
            scales.pop() if len(scales) == 1 else None,
            units.pop() if len(units) == 1 else None,
        )


def build_choice_plan(selection: QuestionSelection, group: GroupedCells, leaves: NumberMatrix) -> Plan | None:
    """Return the plan that selects or counts the cells of a group that meet a condition; None if it is impossible."""
    builder, condition = PlanSteps(leaves), selection.condition
    size = _is_size_meant(selection, group)
    listed: PlanOperand | None
    if condition.move and selection.among == "periods":
        listed = _add_yearly_changes(builder, group, _change_operation(condition.limit), size=size)
    else:
        listed = None if condition.move else builder.listed(group, size=size)
    if listed is None:
        return None
    if condition.limit is not None:
        limit = _reverse_limit(condition.limit) if condition.move == "fell" else condition.limit
        selected = builder.compute(limit.test, listed, _convert_limit(limit, group))
    elif condition.extreme is not None:
        return _add_extreme(builder, selection, listed, len(group.cells))
    elif condition.move is not None:
        selected = builder.compute("above" if condition.move == "rose" else "below", listed, _ZERO)
    else:
        selected = builder.compute("items", listed) if selection.form == "count" else builder.compute("labels", listed)
        if selection.form != "count":
            return builder.plan()
    builder.compute("count" if selection.form == "count" else "labels", selected)
    return builder.plan()


def _reverse_limit(limit: Limit) -> Limit:
    """Return the limit of a negative change, as in "fell by more than 5 %"."""
    return replace(limit, test=_OPPOSITE.get(limit.test, limit.test), value=-limit.value)


def _change_operation(limit: Limit | None) -> str:
    """Return the operation of a change: in percent if the limit is a percentage."""
    return "percentage_change" if limit is not None and limit.scale is Scale.PERCENT else "subtract"


def _is_size_meant(selection: QuestionSelection, group: GroupedCells) -> bool:
    """Return whether a question means the absolute values of a group whose numbers are all negative.

    That is the case for expenses and movements, and for comparisons with a positive limit.
    """
    if not group.cells or any(cell.value > 0 for cell in group.cells):
        return False
    limit = selection.condition.limit
    if limit is not None and not selection.condition.move:
        return limit.value > 0
    headings = [set(stems(" ".join(cell.row[:-1]))) for cell in group.cells]
    named = {*stems(selection.noun), *stems(selection.measure), *stems(group.text), *set.intersection(*headings)}
    return bool(named & _SIZES)


def _add_extreme(builder: PlanSteps, selection: QuestionSelection, listed: PlanOperand, cell_count: int) -> Plan:
    condition = selection.condition
    up = (condition.extreme == "largest") is not (condition.move == "fell")
    if condition.move == "changed":
        listed = builder.compute("absolute", listed)
    if condition.many > 1:
        builder.compute("largest" if up else "smallest", listed, _build_count(min(condition.many, cell_count)))
    elif condition.place > 1:
        builder.compute("rank", listed, _build_count(condition.place if up else -condition.place))
    else:
        builder.compute("argmax" if up else "argmin", listed)
    return builder.plan()


def build_moved_items_plan(
    selection: QuestionSelection, new: GroupedCells, old: GroupedCells, leaves: NumberMatrix
) -> Plan | None:
    """Return the plan that selects lines by their change between two periods; None if too few have both periods."""
    rows = {cell.source.row: cell for cell in old.cells}
    in_both = new.of(lambda cell: cell.source.row in rows)
    if len(in_both.cells) < 2 or len(set(in_both.labels)) != len(in_both.labels):
        return None
    before = replace(old, cells=tuple(rows[cell.source.row] for cell in in_both.cells), labels=in_both.labels)
    builder, condition = PlanSteps(leaves), selection.condition
    size = _is_size_meant(selection, in_both)
    change = _change_operation(condition.limit)
    moved = builder.compute(change, builder.listed(in_both, size=size), builder.listed(before, size=size))
    if condition.extreme is not None:
        return _add_extreme(builder, selection, moved, len(in_both.cells))
    if condition.limit is None:
        selected = builder.compute("above" if condition.move == "rose" else "below", moved, _ZERO)
    else:
        limit = _reverse_limit(condition.limit) if condition.move == "fell" else condition.limit
        selected = builder.compute(limit.test, moved, _convert_limit(limit, in_both))
    builder.compute("count" if selection.form == "count" else "labels", selected)
    return builder.plan()


def _add_yearly_changes(builder: PlanSteps, group: GroupedCells, change: str, *, size: bool) -> Ref | None:
    """Add the change of each year from the year before, labelled with the later year."""
    ordered = sorted(zip(group.cells, group.labels, strict=True), key=lambda one: one[0].year)
    if len(ordered) < 2 or not all(cell.year for cell, _ in ordered):
        return None
    cells, labels = [cell for cell, _ in ordered], tuple(label for _, label in ordered)
    later = replace(group, cells=tuple(cells[1:]), labels=labels[1:])
    earlier = replace(group, cells=tuple(cells[:-1]), labels=labels[1:], text=f"{group.text}, the year before")
    return builder.compute(change, builder.listed(later, size=size), builder.listed(earlier, size=size))


def build_members_plan(selection: QuestionSelection, members: Members, leaves: NumberMatrix) -> Plan:
    """Return the plan that lists lines by their labels, or counts them."""
    builder = PlanSteps(leaves)
    for label, source in zip(members.labels, members.sources, strict=True):
        builder.steps.append(Extract(len(builder.steps) + 1, source, label, None, text=label))
    listed = builder.compute("items", *(Ref(step + 1) for step in range(len(members.labels))))
    if selection.form == "count":
        builder.compute("count", listed)
    return builder.plan()


def _build_move_plan(
    later: LabelledCell, earlier: LabelledCell, leaves: NumberMatrix, *, rose: bool, size: bool = False
) -> Plan:
    """Return the plan that compares two numbers.

    Args:
        rose: Whether to ask if the later number is larger rather than smaller.
        size: Whether to compare absolute values.
    """
    builder = PlanSteps(leaves)
    new, old = builder.number(later, size=size), builder.number(earlier, size=size)
    builder.compute("greater", *((new, old) if rose else (old, new)))
    return builder.plan()


def _build_any_plan(group: GroupedCells, limit: Limit, leaves: NumberMatrix, *, size: bool = False) -> Plan:
    """Return the plan that answers whether any number of a group meets a limit."""
    builder = PlanSteps(leaves)
    selected = builder.compute(limit.test, builder.listed(group, size=size), _convert_limit(limit, group))
    builder.compute("greater", builder.compute("count", selected), _ZERO)
    return builder.plan()


def _convert_limit(limit: Limit, group: GroupedCells) -> Constant:
    """Convert a limit to the constant with which the cells of a group are compared."""
    if limit.scale is Scale.PERCENT:
        return Constant(limit.value.scaleb(-2), f"{limit.value:f}%")
    text = f"{limit.value:f}"
    if limit.scale is not Scale.ONE:
        return Constant(limit.value, text, limit.scale)
    largest = max(abs(cell.value) for cell in group.cells)
    in_full = abs(float(limit.value)) > _IN_ONES_FACTOR * largest
    return Constant(limit.value, text, Scale.ONE if in_full else None)


def _build_count(count: int) -> Constant:
    return Constant(Decimal(count), str(count))


# ---- Yes/no questions about the cells of a line: did it rise, is it above a limit, is it above another line?
#
# Ambiguous questions get no plan and are left to other answerers.


_ANY = lazy_regex(r"\b(?:any|some|either) (?:of the |fiscal )?(?:years?|quarters?|periods?|months?)\b|\bever\b")
_SINCE = lazy_regex(r"\bsince\b")


def read_two_years(years: Sequence[int], question: Question) -> tuple[int, int] | None:
    """Return the two years of a change, or None.

    Args:
        question: "From 2010 to 2012", "since 2010", or "in 2012" (compared with the year before). If it names no year,
            the last two years.
    """
    named = [year for year in question.years if year in years]
    if len(named) > 1:
        return min(named), max(named)
    if named and _SINCE.search(question.lowered):
        return (named[0], max(years)) if max(years) > named[0] else None
    later = named[0] if named else max(years, default=0)
    earlier = [year for year in years if year < later]
    return (max(earlier), later) if earlier else None


def build_yes_no_plan(
    selection: QuestionSelection,
    question: Question,
    group: GroupedCells,
    page: PageFeatures,
    last: Set[int],
    cell_of: Callable[[str], LabelledCell | None],
) -> Plan | None:
    """Return the plan of a yes/no question; None if it is ambiguous."""
    by_year = {cell.year: cell for cell in reversed(group.cells) if cell.year}
    condition, size = selection.condition, _is_size_meant(selection, group)
    if condition.limit is not None:
        if _ANY.search(question.lowered):
            return _build_any_plan(group, condition.limit, page.leaves, size=size)
        cell = _find_meant_cell(by_year, question.years, group, last) or by_year.get(max(by_year, default=0))
        if cell is None:
            return None
        one = replace(group, cells=(cell,), labels=(str(cell.year or cell.row_label),))
        return _build_any_plan(one, condition.limit, page.leaves, size=size)
    if condition.compared:
        pair = _find_compared_cells(selection, question, by_year, group, last, cell_of)
        rose = condition.extreme == "largest"
    else:
        years = read_two_years(sorted(by_year), question)
        pair = None if years is None else (by_year[years[1]], by_year[years[0]])
        rose = condition.move == "rose"
    if pair is None:
        return None
    size = size and all(cell.value <= 0 for cell in pair)
    return _build_move_plan(*pair, page.leaves, rose=rose, size=size)


def _find_meant_cell(
    by_year: Mapping[int, LabelledCell], years: Sequence[int], group: GroupedCells, last: Set[int]
) -> LabelledCell | None:
    """Return the cell of a named year, else that of the last answer."""
    named = [by_year[year] for year in years if year in by_year]
    return next(iter([*named, *(cell for cell in group.cells if cell.leaf in last)]), None)


def _find_compared_cells(
    selection: QuestionSelection,
    question: Question,
    by_year: Mapping[int, LabelledCell],
    group: GroupedCells,
    last: Set[int],
    cell_of: Callable[[str], LabelledCell | None],
) -> tuple[LabelledCell, LabelledCell] | None:
    """Return the two cells of "was that more than in 2011?", or of "was rent more than wages in 2011?"."""
    than = read_question(selection.condition.than)
    theirs = [year for year in than.years if year in by_year]
    # A relative year belongs to the second operand: "more than in the prior year".
    own = [year for year in question.years if year not in (*theirs, *question.stated_years)]
    if set(stems(_remove_distances(than))) - set(stems(group.text)):
        # Another line, in the same year.
        mine = _find_meant_cell(by_year, [*own, *theirs], group, last) or by_year.get(max(by_year, default=0))
        year = 0 if mine is None else mine.year
        other = cell_of(than.lowered if than.years or not year else f"{than.lowered} in {year}")
        named = other is not None and bool({*stems(other.row_label)} & {*stems(than.lowered)})
        return (mine, other) if mine is not None and other is not None and named and mine is not other else None
    mine = _find_meant_cell(by_year, own, group, last)
    if mine is not None and not theirs:
        theirs = [year for offset in than.offsets if (year := mine.year + offset) in by_year]
    if mine is None or len(theirs) != 1 or by_year[theirs[0]] is mine:
        return None
    return mine, by_year[theirs[0]]


def _remove_distances(question: Question) -> str:
    """Return the text of a question in lower case, without relative periods."""
    text = question.lowered
    for relative in reversed(question.relative_periods):
        text = f"{text[: relative.start]} {text[relative.end :]}"
    return text
