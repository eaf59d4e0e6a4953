"""Parts that add up to a whole: lines, columns or headings of a table whose numbers sum to that of a total.

Numbers prove what is a group of parts where labels and indentation do not say it, and which number is their total.
"""

from collections.abc import Iterator, Sequence

from quaestor.core.quantity import Scale
from quaestor.facts.moments import Moment
from quaestor.facts.table import FactTable, Series

Groups = Iterator[tuple[Series, ...]]

_MOST_PARTS = 24
_FAR = 40
"""Lines of a table before and behind a number that are looked at."""
_LEAST_DIGITS = 100
"""Totals that are printed shorter may be another number by chance."""


def find_parts(total: Series, moment: Moment, table: FactTable) -> Groups:
    """Yield the groups of parts that add up to a number: where it is printed, and where the same number is a total."""
    amount = _amount_at(total, moment)
    if amount is None or abs(amount) < _LEAST_DIGITS * float(total.first.scale.factor):
        return
    seen: set[tuple[int, ...]] = set()
    for one in table.by_amount.get(f"{abs(amount):.9g}", ()):
        if one.line.sentence or one.first.scale is Scale.PERCENT or abs(_amount_at(one, moment) or 0.0) != abs(amount):
            continue
        for row in _rows_of(one, moment, table):
            amounts = [_amount_at(series, moment) or 0.0 for series in row]
            place = row.index(one)
            for step in (-1, 1):
                for parts in _levels(amounts, place, step, float(one.first.scale.factor)):
                    found = [row[part] for part in sorted(parts)]
                    key = tuple(series.place for series in found)
                    if key not in seen:
                        seen.add(key)
                        yield tuple(found)


def find_totals(part: Series, moment: Moment, table: FactTable) -> Iterator[Series]:
    """Yield the totals of the groups that a number is a part of, the nearest first."""
    for row in _rows_of(part, moment, table):
        amounts = [_amount_at(series, moment) or 0.0 for series in row]
        place = row.index(part)
        others = sorted((at for at in range(len(row)) if at != place), key=lambda at: (abs(at - place), -at))
        for other in others:
            step = -1 if other > place else 1
            if abs(amounts[other]) > abs(amounts[place]) and any(
                place in parts for parts in _levels(amounts, other, step, float(part.first.scale.factor))
            ):
                yield row[other]


def _amount_at(series: Series, moment: Moment) -> float | None:
    cell = series.cells.get(moment)
    return None if cell is None else cell.amount


def _rows_of(series: Series, moment: Moment, table: FactTable) -> Iterator[list[Series]]:
    """Yield the numbers that a number may be added up with: of its column, of its line, and of its label."""
    line = series.line
    lines = [
        place
        for place in range(max(0, line.place - _FAR), min(len(table.lines), line.place + _FAR))
        if table.lines[place].table == line.table
    ]
    by_label = [place for place in lines if table.lines[place].label_terms == line.label_terms]
    for places in (lines, by_label):
        if len(places) > 1:
            yield [
                next((one for one in found if one is series), found[0])
                for place in places
                if (found := [one for one in _there(place, moment, series, table) if one.column == series.column])
            ]
    across = [one for one in _there(line.place, moment, series, table) if not one.first.change]
    if series in across and len(across) > 2:
        yield across


def _there(place: int, moment: Moment, like: Series, table: FactTable) -> list[Series]:
    return [
        one
        for one in table.series_of_line.get(place, ())
        if moment in one.cells and one.first.scale == like.first.scale
    ]


def _levels(amounts: Sequence[float], at: int, step: int, unit: float) -> Iterator[tuple[int, ...]]:
    """Yield the parts of a total, those that have parts themselves as one, then with these in their places."""
    nested: dict[int, tuple[int, ...]] = {}
    top = _add_up(amounts, at, step, unit, nested)
    if not top:
        return
    yield top
    flat = tuple(deep for part in top for deep in (nested.get(part) or (part,)))
    if flat != top:
        yield flat


def _add_up(
    amounts: Sequence[float], at: int, step: int, unit: float, known: dict[int, tuple[int, ...]]
) -> tuple[int, ...]:
    """Return the places before (or behind) a total whose amounts add up to it; empty if there are none."""
    if at in known:
        return known[at]
    known[at] = ()
    if amounts[at]:
        for jumps in (True, False):
            found: list[int] = []
            rest, place = amounts[at], at + step
            while 0 <= place < len(amounts) and len(found) < _MOST_PARTS:
                inner = _add_up(amounts, place, step, unit, known) if jumps else ()
                if abs(amounts[place]) == abs(amounts[at]):
                    break
                if amounts[place]:
                    found.append(place)
                    rest -= amounts[place]
                if len(found) > 1 and abs(rest) <= unit * (0.01 + 0.5 * (unit > 1) * (len(found) > 2)):
                    known[at] = tuple(found)
                    return known[at]
                place = (inner[-1] if inner else place) + step
    return known[at]
