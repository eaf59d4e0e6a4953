"""Columns and rows of percentages in which only some numbers have the sign, of ratios and of exchange rates."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile

from quaestor.core.currencies import is_currency
from quaestor.core.quantity import Quantity, Scale
from quaestor.documents.kinds import kind_of, mentions_percent
from quaestor.documents.table import Cell, Header, Table

_RATIO = re.compile(r"\b(?:ratio|rate|margin|yield|return on [a-z ]{1,30})s?\b", re.IGNORECASE)
_RATIO_NAME = re.compile(
    # "Return on plan assets", "Loans to customers" and "Occupancy" are money.
    r"\bratios?$|^ratios? of\b|^tax rate$|\bdebt\s?/\s?ebitda(?: ratio)?$"
    r"|^return on\s(?!plan|scheme|pension|investment)|^rate of\s"
    r"|^(?:[a-z]+[\s-])?(?:average|effective)\s.{0,40}\brate$|^occupancy rate$"
    r"|\bnet interest (?:margin|spread)$|\b(?:ebitda|operating|ebit)[ -]margin$|\b(?:interest|dividend) cover(?:age)?$"
    r"|\b(?:inventory|assets?|receivables?) turnover$|\((?:x|times)\)$|,\stimes$"
    r"|\b(?:loans|debt|allowances?|charge-offs|capital) to (?:(?:total|average|gross|net) )?"
    r"(?:assets|deposits|equity|capital|loans|ebitda|sales|revenues?)$",
    re.IGNORECASE,
)
"""Lines of ratios and rates if their numbers are small and have decimals."""
_REMARK = re.compile(r"\s\((?!x\)|times\))[^()]{1,30}\)$")
_EXCHANGE_RATE = re.compile(r"\b(?:exchange|conversion) rates?(?:$| into\b)", re.IGNORECASE)
_YEARS = re.compile(r"\b(?:matur\w+|expir\w+|years?|due)\b", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_OTHERS = ("shares", "price", "time", "count")
"""Kinds of lines that are not percentages, although they follow lines of percentages."""
_HUNDRED = 100
_LARGEST = 1000
"""Largest percentage without a sign, and largest ratio."""


def with_percentages(table: Table, about: Sequence[str]) -> Table:
    """Return a table with percent as the scale of columns and rows in which only some numbers have the sign.

    Args:
        about: The texts above the table.
    """
    columns = tuple(_mark_percent_column(table, place, header, about) for place, header in enumerate(table.columns))
    percentages = _rows_of_percentages(table, columns) | _rows_between_percentages(table) | _rows_of_sections(table)
    rows = tuple(
        replace(header, scale=Scale.PERCENT)
        if place in percentages and header.scale in (None, Scale.ONE) and header.unit is None
        else header
        for place, header in enumerate(table.rows)
    )
    return replace(table, rows=rows, columns=columns)


def _mark_percent_column(table: Table, place: int, header: Header, about: Sequence[str]) -> Header:
    """Return a column header with percent as scale if `%` is printed only with some of the numbers.

    The first number must have `%`. In addition, the last number has it too, or all numbers have equally many decimals
    and there are decimals or a text mentions percentages.
    """
    if place == 0 or header.scale not in (None, Scale.ONE):
        return header
    numbers = [row[place].quantity for row in table.cells[table.header_rows :]]
    found = [number for number in numbers if number is not None]
    if len(found) < 2 or any(number.unit for number in found) or found[0].scale is not Scale.PERCENT:
        return header
    exponent = found[0].value.as_tuple().exponent
    alike = all(
        n.scale is Scale.PERCENT or (n.scale is Scale.ONE and n.value.as_tuple().exponent == exponent) for n in found
    )
    mentioned = any(mentions_percent(text) for text in (*about, *header.levels))
    if found[-1].scale is Scale.PERCENT or (alike and (mentioned or exponent != 0)):
        return replace(header, scale=Scale.PERCENT)
    return header


def prints_ratios(cells: Sequence[Cell]) -> bool:
    """Whether all numbers of a row may be percentages or ratios: small and without a currency."""
    numbers = [q for cell in cells[1:] for q in cell.quantities if q.scale is Scale.ONE]
    return bool(numbers) and all(abs(q.value) <= _LARGEST and not is_currency(q.unit) for q in numbers)


def mentions_ratio(label: str) -> bool:
    """Return whether a label names a ratio or rate: "Efficiency ratio", "Return on equity"."""
    return _RATIO.search(label) is not None


def as_ratio(table: Table, place: int, header: Header) -> Header:
    """Return the header of a row of ratios or rates with scale one: "Return on equity | 12.1"."""
    names = (header.label, table.cells[place][0].text.strip())  # the label may lack "(x)"
    if header.scale is not None or not any(_RATIO_NAME.search(_REMARK.sub("", name)) for name in names):
        return header
    printed = [cell for cell in table.cells[place][1:] if cell.quantities]
    if any(table.columns[cell.ref.column].scale is Scale.PERCENT for cell in printed):
        return header
    bare = [q for cell in printed for q in cell.quantities if q.scale is Scale.ONE]
    decimals = all(isinstance(exponent := q.value.as_tuple().exponent, int) and exponent < 0 for q in bare)
    return replace(header, scale=Scale.ONE) if decimals and prints_ratios(table.cells[place]) else header


def as_rates_or_years(table: Table, place: int, header: Header) -> Header:
    """Return the header of a column of exchange rates or of years with scale one: "Conversion rate | 1.5653"."""
    headings = (*header.levels, header.label)
    cells = [row[place] for row in table.cells[table.header_rows :] if row[place].quantities]
    if header.scale is not None or not place or not cells:
        return header
    bare = all(q.unit is None and q.scale is Scale.ONE and "." in q.text for cell in cells for q in cell.quantities)
    years = all(_YEAR.fullmatch(cell.text.strip()) for cell in cells)
    of_rates = bare and any(map(_EXCHANGE_RATE.search, headings))
    return replace(header, scale=Scale.ONE) if of_rates or (years and any(map(_YEARS.search, headings))) else header


def _rows_of_percentages(table: Table, columns: Sequence[Header]) -> set[int]:
    """Return the rows of a part of a table whose columns begin at 100% and print the sign again where the part ends."""
    body = range(table.header_rows, len(table.rows))
    parts = []
    for place, header in enumerate(columns):
        if place == 0 or header.scale is Scale.PERCENT:
            continue
        found = [(row, number) for row in body if (number := table.cells[row][place].quantity) is not None]
        if not found:
            continue
        start, first = found[0]
        if first.scale is not Scale.PERCENT or first.value != _HUNDRED:
            return set()
        alike = takewhile(partial(_is_printed_like, first), (number for _, number in found))
        closing = [row for (row, _), number in zip(found, alike, strict=False) if number.scale is Scale.PERCENT]
        parts.append((start, closing[-1]))
    if not parts:
        return set()
    start, end = max(start for start, _ in parts), min(end for _, end in parts)
    return set(range(start, end + 1)) if start < end else set()


def _rows_between_percentages(table: Table) -> set[int]:
    """Return the rows of ratios whose neighbours above and below print `%`: it is left out between the two."""
    numbers = {
        place: [cell.quantity for cell in table.cells[place][1:]] for place in range(table.header_rows, len(table.rows))
    }
    body = [place for place, row in numbers.items() if any(row)]
    found = set()
    for before, place, after in zip(body, body[1:], body[2:], strict=False):
        alike = all(
            above and below and above.scale is below.scale is Scale.PERCENT and _is_printed_like(above, number)
            for above, number, below in zip(numbers[before], numbers[place], numbers[after], strict=True)
            if number is not None
        )
        if alike and mentions_ratio(table.rows[place].label):
            found.add(place)
    return found


def _rows_of_sections(table: Table) -> set[int]:
    """Return the rows of sections of percentages, in which only the first numbers, or these and the last, have `%`.

    Either their heading mentions percentages, or the last numbers have the sign, too.
    """
    found, section, heading = set[int](), list[int](), ""
    for place in (*range(table.header_rows, len(table.rows)), None):
        label = "" if place is None else table.rows[place].label
        counts_others = kind_of(label) in _OTHERS
        if place is not None and not counts_others and any(cell.quantities for cell in table.cells[place][1:]):
            section.append(place)
            continue
        if len(section) > 1 and _are_percentages(table, section, named=mentions_percent(heading)):
            found.update(section)
        section, heading = [], label
    return found


def _are_percentages(table: Table, rows: Sequence[int], *, named: bool) -> bool:
    """Whether the first numbers of rows, and the last ones unless a heading `named` it, are percentages."""
    lines = [[q for cell in table.cells[row][1:] for q in cell.quantities] for row in rows]
    bare = [q for numbers in lines for q in numbers if q.scale is not Scale.PERCENT]
    signed = [all(q.scale is Scale.PERCENT for q in numbers) for numbers in (lines[0], lines[-1])]
    plain = all(q.unit is None and q.scale is Scale.ONE and abs(q.value) <= _LARGEST for q in bare)
    return signed[0] and (named or signed[1]) and plain


def _is_printed_like(percentage: Quantity, number: Quantity) -> bool:
    """Whether a number is a percentage, or has no sign and as many decimals as one."""
    if number.scale is Scale.PERCENT:
        return True
    plain = number.unit is None and number.scale is Scale.ONE and abs(number.value) <= _HUNDRED
    return plain and number.value.as_tuple().exponent == percentage.value.as_tuple().exponent
