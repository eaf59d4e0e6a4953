"""The groups of cells that a question may choose among: one line over the periods, or one column over its lines.

Which group is meant, is for `finding`.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from quaestor.plan.scales import Dimension
from quaestor.solvers.embedded.selection.cells import LabelledCell, common_counts, is_part_of_a_year, without_times


@dataclass(frozen=True, slots=True)
class GroupedCells:
    """Cells that a question may choose among.

    Attributes:
        text: What the group is called: its line, or its column.
        cells: In reading order.
        labels: What tells each cell from the others, in the same order.
        heading: The section that its lines are in, or "".
        across: Whether it is a line with its columns; else a column with its lines.
        headings: Whether it is one line under several headings, its cells called by these.
    """

    text: str
    cells: tuple[LabelledCell, ...]
    labels: tuple[str, ...]
    heading: str = ""
    across: bool = True
    headings: bool = False

    def of(self, keep: Callable[[LabelledCell], bool]) -> "GroupedCells":
        """Return the group with some of its cells."""
        kept = [n for n, cell in enumerate(self.cells) if keep(cell)]
        return GroupedCells(
            self.text,
            tuple(self.cells[n] for n in kept),
            tuple(self.labels[n] for n in kept),
            self.heading,
            self.across,
            self.headings,
        )


def period_groups(cells: Iterable[LabelledCell]) -> tuple[GroupedCells, ...]:
    """Return the groups whose cells differ in their period alone, two of them at least."""
    lines: dict[Hashable, list[LabelledCell]] = {}
    for cell in cells:
        if cell.period is not None:
            place = cell.source.row if cell.by_column else cell.source.column
            lines.setdefault((cell.source.table, cell.by_column, place), []).append(cell)
    found = []
    for line in lines.values():
        for members in [line] if _told_by_year(line) else _but_for_period(line):
            labels = _period_labels(members)
            first = dict(zip(reversed(labels), reversed(members), strict=True))
            kept = [(label, cell) for label, cell in zip(labels, members, strict=True) if first[label] is cell]
            if len(kept) > 1:
                found.append(_group([cell for _, cell in kept], [label for label, _ in kept], across=line[0].by_column))
    return tuple(found)


def _told_by_year(line: Sequence[LabelledCell]) -> bool:
    """Whether each cell of a line is of another year: whatever else is printed over them tells nothing more."""
    return len({cell.year for cell in line}) == len(line)


def _but_for_period(line: Sequence[LabelledCell]) -> Iterable[list[LabelledCell]]:
    """The cells of a line, those together whose headings name one thing: "amount" of 2019 and of 2018."""
    named: dict[Hashable, list[LabelledCell]] = {}
    for cell in line:
        levels = cell.column if cell.by_column else cell.row
        named.setdefault(tuple(name for level in levels if (name := without_times(level))), []).append(cell)
    return named.values()


def _period_labels(cells: Sequence[LabelledCell]) -> list[str]:
    """The years of cells, where they are told apart by them; else what is printed over or beside them."""
    years = [str(cell.year) for cell in cells]
    parts = any(cell.period is not None and cell.period.kind == "quarter" for cell in cells)
    if not parts and len(set(years)) == len(years):
        return years
    return [_heading(cell, by_column=cell.by_column) for cell in cells]


def _heading(cell: LabelledCell, *, by_column: bool) -> str:
    levels = cell.column if by_column else cell.row
    return levels[-1] if levels else str(cell.year or "")


def part_year_groups(cells: Iterable[LabelledCell]) -> tuple[GroupedCells, ...]:
    """Return the groups of quarters, months and the like: of a line, or of a column within one section."""
    grouped: dict[Hashable, list[LabelledCell]] = {}
    for cell in cells:
        if is_part_of_a_year(cell.column_label) or any(map(is_part_of_a_year, cell.column)):
            grouped.setdefault((cell.source.table, "row", cell.source.row), []).append(cell)
        elif is_part_of_a_year(cell.row_label):
            grouped.setdefault((cell.source.table, "column", cell.source.column, cell.row[:-1]), []).append(cell)
    found = []
    for key, members in grouped.items():
        across = isinstance(key, tuple) and key[1] == "row"
        labels = [_heading(cell, by_column=across) for cell in members]
        if len(set(labels)) > 1:
            found.append(_group(members, labels, across=across))
    return tuple(found)


def item_groups(
    cells: Sequence[LabelledCell], members: frozenset[tuple[int, int]] = frozenset()
) -> tuple[GroupedCells, ...]:
    """Return the groups whose cells differ in what they are of: columns with their lines, lines with their columns.

    Times and totals are left out, and what counts something else than most. A line that is printed under several
    headings ("net sales" of each segment) is a group of its own, its cells called by the headings.

    Args:
        members: Lines that are taken though they are totals, by table and row.
    """
    cells = [replace(cell, total=False) if (cell.source.table, cell.source.row) in members else cell for cell in cells]
    columns: dict[Hashable, list[LabelledCell]] = {}
    rows: dict[Hashable, list[LabelledCell]] = {}
    for cell in cells:
        columns.setdefault((cell.source.table, cell.source.column), []).append(cell)
        rows.setdefault((cell.source.table, cell.source.row, cell.year if cell.by_column else 0), []).append(cell)
    found = [_items(members, across=False) for members in columns.values()]
    found += [
        _items(members, across=True)
        for members in rows.values()
        if len({name for cell in members if (name := without_times(" ".join(cell.column)))}) > 1
    ]
    found += _under_headings(cells)
    return tuple(group for group in found if len(group.cells) > 1)


def _under_headings(cells: Sequence[LabelledCell]) -> Iterable[GroupedCells]:
    lines: dict[Hashable, list[LabelledCell]] = {}
    for cell in cells:
        if len(cell.row) > 1 and without_times(cell.row[-2]):
            lines.setdefault((cell.source.table, cell.source.column, cell.row_label), []).append(cell)
    for line in lines.values():
        if len({cell.row[-2] for cell in line}) == len(line) > 1:
            labels = tuple(cell.row[-2] for cell in line)
            yield GroupedCells(line[0].row_label, tuple(line), labels, "", across=False, headings=True)


def _items(cells: Sequence[LabelledCell], *, across: bool) -> GroupedCells:
    plain = [cell for cell in cells if not _is_total(cell, across=across) and _named(cell, across=across)]
    counts = common_counts(plain) if plain else None
    kept = [cell for cell in plain if counts is not None and _is_comparable(cell.counts, counts)]
    labels = [_heading(cell, by_column=across) for cell in kept]
    return _group(kept, labels, across=across)


def _is_comparable(one: Dimension, other: Dimension) -> bool:
    """Whether two numbers count the same, as far as their labels say: a dollar sign is at the first alone."""
    return one.scale is other.scale and (one.unit == other.unit or None in (one.unit, other.unit))


def _named(cell: LabelledCell, *, across: bool) -> bool:
    levels = cell.column if across else cell.row
    return bool(levels and without_times(levels[-1]))


def _is_total(cell: LabelledCell, *, across: bool) -> bool:
    if not across:
        return cell.total
    return "total" in cell.column_label.lower() or "change" in cell.column_label.lower()


def _group(cells: Sequence[LabelledCell], labels: Sequence[str], *, across: bool) -> GroupedCells:
    if not cells:
        return GroupedCells("", (), ())
    first = cells[0]
    levels = first.row if across else first.column
    heading = first.row[-2] if len(first.row) > 1 else ""
    return GroupedCells(levels[-1] if levels else "", tuple(cells), tuple(labels), heading, across)
