"""Converts a printed grid to a table with headers for rows and columns.

The printed text is never changed; repairs are recorded in cells and warnings.
"""

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from quaestor.core.currencies import currency_called, is_currency
from quaestor.core.number_conventions import ENGLISH, LOOSE, NumberConvention
from quaestor.core.parsing import clean_label, find_quantities, parse_cell
from quaestor.core.periods import Period, find_periods, leads_to_year, parse_period
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import LARGE_SCALES, Quantity, Scale
from quaestor.documents.captions import HUNDREDTHS, NOTHING, Caption, is_caption, read_caption, without_caption
from quaestor.documents.note_columns import find_note_columns
from quaestor.documents.repairs import DocumentWarning, Repair, RepairKind, WarningKind
from quaestor.documents.row_names import RowNames, has_numbering, name_rows
from quaestor.documents.table import Cell, Header, Orientation, Table
from quaestor.documents.unit_phrases import currency_alone

Grid = Sequence[Sequence[str]]
Repairs = dict[tuple[int, int], Repair]

_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_YEAR_AND_UNIT = re.compile(r"((?:19|20)[0-9]{2})\s{1,3}([^0-9\s][^0-9]{0,40})")
_DASH = re.compile(r"[^\w\u2010-\u2015\u2212-]{0,3}[\u2010-\u2015\u2212_-]")
"""A missing amount, also with its sign: "$ -"."""
_DASH_YEAR = re.compile(r"(?:\$ ?)?(201[34])")
_FUSED = re.compile(
    r"(?P<label>.{0,300}[a-z)].{0,300}?)\s+"
    r"(?P<value>\$ ?-?[0-9.].*|-?[0-9]{3,}(?: \( [0-9]+ \))?|[0-9.]+% \( [0-9.]+ % \)|[0-9]+\.[0-9]+)",
    re.IGNORECASE,
)
_LINE_ITEMS = "[line items]"
"""End of a heading that renderings of tags put between the member of a dimension and its rows."""
_TRAILING_DASH = re.compile(r"\s201[34]$")
_MARK = re.compile(r"\(?\s?[a-z0-9]\s?\)", re.IGNORECASE)
_INDEX = re.compile(r"(?:s ?& ?p|russell|nasdaq|msci|topix|nikkei)\b", re.IGNORECASE)
_WORD = re.compile(r"[a-z]{2,}", re.IGNORECASE)
_SCALE_WORD = re.compile(r"\b(?:thousand|million|billion|trillion|[mbt]n|[cd]r|approximately|pts?)\b", re.IGNORECASE)
_NAMED_BY_YEAR = re.compile(
    # "payments due by period 2008" is about 2008, "notes due 2008" is not.
    r"\b(?:due(?! (?:by|in|during) (?:fiscal )?(?:period|year))|matur\w+|plans?|programs?|notes|bonds|debentures"
    r"|senior|expir\w+|act)\b",
    re.IGNORECASE,
)
_YEAR_WITH_NOTE = re.compile(r"((?:19|20)[0-9]{2})[1-9]")
_LASTING = re.compile(r"\b(?:months?|weeks|quarters?|years?)\s+end(?:ed|ing)\s*:?\s*$", re.IGNORECASE)
_COMPARING = r"(?:compared (?:to|with)|vs\.?|versus)"
_COMPARED = re.compile(rf"\s{_COMPARING}\s", re.IGNORECASE)
_ABOUT_OTHER_YEARS = re.compile(rf"\b(?:origination|vintage)\b|\b(?:{_COMPARING}|change from)$", re.IGNORECASE)
"""Headings of years in which loans were granted, or of periods that another one is compared with."""
_SPANNING = re.compile(r"\bin\b", re.IGNORECASE)
_SHOCK = re.compile(r"[-+\u2212\u2013]\s?[0-9]{2,4}")
"""A change of interest rates in basis points, as the label of its effect: "+200"."""
_DURATION = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,2})?\s(?:years?|months?)", re.IGNORECASE)
"""The remaining term of a lease or an option; alone it may also be a column heading ("12 months")."""
_THOUSANDS = re.compile(r"[0-9],[0-9]{3}\b")
_RATIO = re.compile(r"\bratios?\b", re.IGNORECASE)
_NOTED = re.compile(r"(?<=[a-z])\s?\([0-9]{1,2}\)$", re.IGNORECASE)
"""A footnote mark at the end of a heading: "US$ million(1)"."""
_HEADER_ROWS_AT_MOST = 7
_LEAST_REPEATED = 2
_LEAST_YEARS = 2
_ONE_LINE = 2
"""Number of columns in a table with one column of values, whose heading applies only to that column."""


@dataclass(frozen=True, slots=True)
class _Section:
    """The heading that applies to the rows below it."""

    label: str = ""
    period: Period | None = None
    caption: Caption = NOTHING


def read_table(
    document: str,
    index: int,
    grid: Grid,
    leading: Caption | None = None,
    header_rows: int | None = None,
    *,
    dashes: bool = True,
    convention: NumberConvention = ENGLISH,
) -> tuple[Table, tuple[DocumentWarning, ...]]:
    """Convert a printed grid to a table; also return a warning for each repair and each missing part.

    Args:
        grid: R x C printed cells, never ragged, R and C at least 1.
        leading: Caption in the sentences before the table.
        header_rows: Number of header rows if known; headings are then repeated in all columns they span. None to detect
            it.
        dashes: Whether dashes may have been converted to years.
    """
    printed, grid = grid, with_plain_years(grid)
    if grid[0] is not printed[0] and not header_rows:
        header_rows = None  # its first row was mistaken for numbers
    spread = header_rows is None
    header_rows, fused = _header_rows(grid) if header_rows is None else (header_rows, False)
    repairs = _find_repairs(grid, header_rows, dashes=dashes)
    names = name_rows(grid, header_rows, is_amount)
    notes = find_note_columns(grid, header_rows)
    without_numbers = {*names.columns, *notes}
    cells = tuple(
        tuple(
            Cell(
                text,
                CellRef(document, index, row, column),
                *_read_cell(grid, row, column, header_rows, without_numbers, repairs, convention),
            )
            for column, text in enumerate(texts)
        )
        for row, texts in enumerate(printed)
    )
    columns = tuple(
        replace(column, scale=None)
        if column.scale is Scale.PERCENT and _prints_money(cells, header_rows, place)
        else column
        for place, column in enumerate(_read_columns(grid, header_rows, fused, spread))
    )
    # A section heading may have the number of a note beside it.
    plain = [["" if n in notes else text for n, text in enumerate(row)] for row in grid] if notes else grid
    rows = _read_rows(plain, header_rows, columns, names, dashes=dashes)
    is_labelled = any(header.label for header in rows[header_rows:]) or len(rows) == header_rows
    of_values = tuple(column for place, column in enumerate(columns) if place and place not in names.columns)
    corner = grid[0][0] if header_rows else ""
    caption = _table_caption(grid, header_rows, columns, leading or NOTHING)
    table = Table(
        index=index,
        cells=cells,
        rows=rows,
        columns=columns,
        header_rows=header_rows,
        orientation=_orientation(rows[header_rows:], of_values if is_labelled else columns),
        caption=clean_label(corner),
        scale=caption.scale,
        unit=caption.unit,
    )
    return table, _collect_warnings(table, grid, fused)


@lru_cache(maxsize=16384)
def is_amount(text: str) -> bool:
    """Whether a cell contains an amount rather than a heading: a number other than a bare year, with hardly any words.

    Accepts all number conventions, because that of the document is not known yet.
    """
    if not parse_cell(text, LOOSE) or is_caption(text) or is_period_heading(text) or _INDEX.search(text):
        return False
    return not _WORD.search(_SCALE_WORD.sub("", text))


@lru_cache(maxsize=4096)
def is_period_heading(text: str) -> bool:
    """Whether a cell contains only a period, optionally with a unit: "2019", "2019 €m", "2019 %"."""
    if parse_period(text) is not None:
        return True
    periods = find_periods(text)
    if len(periods) == 1 and periods[0].start == 0:
        return _is_unit(text[periods[0].end :].strip())
    year = _YEAR_AND_UNIT.fullmatch(text.strip())
    return year is not None and _is_unit(year[2])


def _is_unit(text: str) -> bool:
    return is_caption(text) or currency_alone(text) is not None


def _caption_beside_year(text: str) -> tuple[str, Caption] | None:
    """Return the year, and the scale and unit beside it, of a heading like "2019 %" or "2019 Shares"; else None."""
    found = _YEAR_AND_UNIT.fullmatch(text.strip())
    if found is None:
        return None
    caption = next((c for c in (read_caption(found[2]), read_caption(f"({found[2]})")) if c != NOTHING), NOTHING)
    return (found[1], caption) if caption != NOTHING else None


def _match_fused(text: str) -> re.Match[str] | None:
    """Match a heading that the number of the first row is fused to ("high $ 60.15"); None for other headings."""
    plain = without_caption(text)
    match = _FUSED.fullmatch(plain) if len(plain) < 300 else None
    if match is None or _INDEX.search(match["label"]):
        return None
    return None if any(mention.end > match.start("value") for mention in find_periods(plain)) else match


_FORMATTED_YEAR = re.compile(
    r"(?:1,9[5-9]|2,0[0-9])[0-9](?:\.0{1,2})?|(?:19[5-9]|20[0-9])[0-9]\.0{1,2}|(?:1 9 [5-9]|2 0 [0-9]) [0-9]"
)


def with_plain_years(grid: Grid) -> Grid:
    """Return the grid with plain years in headers and labels if they are formatted as numbers or letter-spaced.

    The first row or column of numbers contains years if each number may be a year and neighbours differ by at most one:
    "2,023" beside "2,022" or "2022.0", "2 0 2 3" beside "2 0 2 2".

    >>> with_plain_years([["", "2,023", "2,022"], ["rent", "2,023", "5"]])[0]
    ['', '2023', '2022']
    """
    if not any(_FORMATTED_YEAR.fullmatch(text.strip()) for row in grid for text in row):
        return grid
    heads = next((n for n, row in enumerate(grid) if any(map(_year_of, row[1:])) or any(map(is_amount, row[1:]))), 0)
    own = grid[heads][1:], [row[0] for row in grid[1:]]
    if not any(_FORMATTED_YEAR.fullmatch(text.strip()) for texts in own for text in texts):
        return grid
    label = without_caption(grid[heads][0]).strip()
    found = list(grid)
    years = _plain_years(own[0]) if not heads or not label or leads_to_year(label) else own[0]
    if years is not own[0]:
        found[heads] = [grid[heads][0], *years]
    labels = _plain_years(own[1])
    return [found[0], *([label, *row[1:]] for label, row in zip(labels, found[1:], strict=True))]


def _plain_years(texts: Sequence[str]) -> Sequence[str]:
    """Return years without number format; texts unchanged if they are not all years."""
    years = [_year_of(text) for text in texts if _year_of(text) is not None or is_amount(text)]
    known = [year for year in years if year is not None]
    if len(known) < len(years) or len(known) < _LEAST_YEARS:
        return texts
    if any(abs(one - other) > 1 for one, other in pairwise(known)):
        return texts
    return [text if (year := _year_of(text)) is None else str(year) for text in texts]


def _year_of(text: str) -> int | None:
    plain = text.strip()
    if _FORMATTED_YEAR.fullmatch(plain):
        return int(plain.partition(".")[0].replace(",", "").replace(" ", ""))
    return int(plain) if _YEAR.fullmatch(plain) else None


def count_header_rows(grid: Grid) -> int:
    """Return the number of header rows of a printed grid."""
    return _header_rows(with_plain_years(grid))[0]


def _header_rows(grid: Grid) -> tuple[int, bool]:
    """Return how many rows head the columns, and whether numbers are fused into the headings."""
    if has_only_durations(grid[0]):
        return 0, False
    printed = [text for text in grid[0][1:] if text.strip()]
    values = sum(is_amount(text) for text in printed)
    fused = sum(_match_fused(text) is not None for text in printed)
    if printed and 2 * (values + fused) > len(printed):
        return 0, fused > 0
    count = 1
    if len(grid) > 1 and all(_MARK.fullmatch(text) for text in printed) and not any(map(is_amount, grid[1][1:])):
        count = 2
    while count < min(len(grid), _HEADER_ROWS_AT_MOST) and (
        _continues_header(grid[count]) or _names_columns(grid, count)
    ):
        count += 1
    return count, False


def _names_columns(grid: Grid, place: int) -> bool:
    """Whether a row has headings for all columns of numbers that the rows above do not distinguish.

    Such a row also has a heading for the labels: "Contractual obligations | Total | Less than 1 year | 1-3 years", or
    "Region | 2026 | 2025 | 2026 | 2025" below "Hardware | Hardware | Software | Software".
    """
    above, row = grid[:place], grid[place]
    if place + 1 >= len(grid) or not row[0].strip() or has_only_durations(row):
        return False
    numbers = [n for n in range(1, len(row)) if any(is_amount(line[n]) for line in grid[place + 1 :])]
    if len(numbers) < _LEAST_REPEATED or not all(row[n].strip() and _is_heading_text(row[n]) for n in numbers):
        return False
    over = [tuple(line[n].strip() for line in above) for n in numbers]
    if not all(map(any, over)):
        return not any(line[0].strip() for line in above)
    distinct = len({(*texts, row[n].strip()) for texts, n in zip(over, numbers, strict=True)})
    return len(set(over)) < distinct == len(numbers)


def has_only_durations(row: Sequence[str]) -> bool:
    """Return whether a row with a label prints how long something lasts in each cell, and nothing else.

    >>> has_only_durations(["Remaining lease term", "10.6 years"]), has_only_durations(["", "12 months"])
    (True, False)
    """
    printed = [text.strip() for text in row[1:] if text.strip()]
    return bool(printed) and bool(row[0].strip()) and all(map(_DURATION.fullmatch, printed))


def _is_heading_text(text: str) -> bool:
    """Whether a cell contains words or a period, and no amount."""
    return not is_amount(text) and (is_period_heading(text) or _WORD.search(text) is not None)


def _continues_header(row: Sequence[str]) -> bool:
    """Whether a row below a header row belongs to the header: captions, or headings without a row label."""
    printed = [text for text in row[1:] if text.strip()]
    if not printed:
        return is_caption(row[0])
    scaled = read_caption(row[0]).scale in LARGE_SCALES and all(parse_period(text) for text in printed[:1])
    captioned = not row[0].strip() or is_caption(row[0]) or scaled
    if _names_units(row):
        return True
    if all(is_caption(text) for text in printed):
        # If every column has a scale, the label of the row belongs to the first line below.
        return captioned or all(read_caption(text).scale in LARGE_SCALES for text in printed)
    return captioned and not any(is_amount(text) for text in printed)


def _names_units(row: Sequence[str]) -> bool:
    """Whether a row has the units of columns below their names: "As of | Millions of yen | % | Yen"."""
    texts = [text.strip() for text in row[1:] if text.strip()]
    units = [is_caption(text) or text == "%" or currency_called(text) is not None for text in texts]
    scaled = any(read_caption(text).scale in LARGE_SCALES for text in texts)
    return len(units) > 1 and all(units) and scaled and leads_to_year(row[0])


def _find_repairs(grid: Grid, header_rows: int, *, dashes: bool) -> Repairs:
    """Return repairs by row and column for cells whose years are dashes or repeated headers."""
    repairs: Repairs = {}
    body = range(header_rows, len(grid))
    years_by_column = [
        {grid[row][column].strip() for row in body if _YEAR.fullmatch(grid[row][column].strip())}
        for column in range(len(grid[0]))
    ]
    for row in body:
        if repeats_heading(grid[row], grid[:header_rows]):
            repairs |= {(row, column): Repair(RepairKind.REPEATED_HEADER) for column in range(1, len(grid[row]))}
            continue
        years = {text.strip() for text in grid[row][1:] if _YEAR.fullmatch(text.strip())}
        for column in range(1, len(grid[row]) if dashes else 0):
            dash = _DASH_YEAR.fullmatch(grid[row][column].strip())
            if dash and not (years | years_by_column[column]) - {dash[1]}:
                repairs[row, column] = Repair(RepairKind.DASH_AS_YEAR, dash[1])
    return repairs


def repeats_heading(row: Sequence[str], header: Grid) -> bool:
    """Whether a row inside a table repeats a header row, ignoring its label."""
    texts = [text.strip() for text in row[1:]]
    printed = [text for text in texts if text]
    if not printed or any(map(is_amount, printed)):
        return False
    if len(printed) < _LEAST_REPEATED and any(map(_YEAR.fullmatch, printed)):
        return False
    return any(texts == [text.strip() for text in other[1:]] for other in header)


def _read_cell(
    grid: Grid,
    row: int,
    column: int,
    header_rows: int,
    without_numbers: Set[int],
    repairs: Repairs,
    convention: NumberConvention,
) -> tuple[tuple[Quantity, ...], Repair | None]:
    """Return the numbers of a cell, and its repair if there is one."""
    if repair := repairs.get((row, column)):
        return (), repair
    text = grid[row][column]
    if column > 0 and row >= header_rows:
        has_none = column in without_numbers or ("000" in text and is_caption(text))
        return () if has_none else parse_cell(text, convention), None
    return _numbers_in_label(text, convention), None


def _numbers_in_label(text: str, convention: NumberConvention) -> tuple[Quantity, ...]:
    """Return the amounts in a heading: all if it is a number, else those with a sign or unit."""
    if is_amount(text):
        return parse_cell(text, convention)
    found = (span.quantity for span in find_quantities(without_caption(text), convention))
    return tuple(q for q in found if q.unit or q.scale is not Scale.ONE or len(q.text) > 4)


def _label(text: str) -> str:
    return clean_label(without_caption(text))


def _read_columns(grid: Grid, header_rows: int, fused: bool, spread: bool) -> tuple[Header, ...]:
    """Return the column headers; if `spread`, a heading also applies to empty columns to its right."""
    if header_rows == 0:
        labels = list(grid[0])
        if not fused:
            return tuple(Header("") for _ in labels)
        matches = [_match_fused(text) for text in labels]
        named = [_without_number(text, match) for text, match in zip(labels, matches, strict=True)]
        return (Header(""), *(_make_header((name,)) for name in named[1:]))
    stacks: list[list[str]] = []
    units = _names_units(grid[header_rows - 1])
    for column in range(len(grid[0])):
        stack = [grid[row][column] for row in range(header_rows)]
        if units and currency_called(stack[-1].strip()):
            stack[-1] = f"(in {stack[-1].strip()})"
        for row in range(header_rows - 1 - units):  # a heading over several columns is printed once
            if spread and column > 1 and not stack[row].strip() and not is_caption(grid[row][column - 1]):
                stack[row] = stacks[column - 1][row]
        stacks.append(stack)
    return tuple(_make_header(tuple(stack)) for stack in stacks)


def _prints_money(cells: Sequence[Sequence[Cell]], header_rows: int, place: int) -> bool:
    """Whether more numbers of a column have a currency sign than a percent sign."""
    numbers = [number for row in cells[header_rows:] for number in row[place].quantities]
    money = sum(number.unit is not None and is_currency(number.unit) for number in numbers)
    return money > sum(number.scale is Scale.PERCENT for number in numbers)


def _without_number(text: str, fused: re.Match[str] | None) -> str:
    """Return a heading without the number or dash that was fused to it."""
    return text[: text.rindex(fused["value"])] if fused else _TRAILING_DASH.sub("", text)


def _make_header(stack: tuple[str, ...]) -> Header:
    """Return the header that stacked headings make, outermost first."""
    stack = tuple(_NOTED.sub("", text) for text in stack)
    captions = [(_caption_beside_year(text) or ("", read_caption(text)))[1] for text in reversed(stack)]
    texts = [text for text in stack if text.strip() and not (is_caption(text) and len(stack) > 1)]
    levels = tuple(dict.fromkeys(_label(text) for text in texts))
    above = next((period for text in texts[:-1] if (period := _period_of_heading(text))), None)
    period = _period_of_heading(texts[-1], above.year if above else None) if texts else None
    if any(map(_ABOUT_OTHER_YEARS.search, texts[:-1])):
        period = None
    if period is not None and period.kind == "date" and any(map(_LASTING.search, texts[:-1])):
        # "Three months ended" above "June 30, 2024": a span rather than a day.
        lasting = parse_period(" ".join(texts))
        period = lasting if lasting is not None and lasting.kind in ("quarter", "span", "year") else period
    scale = _scale_of(stack, captions)
    return Header(
        label=levels[-1] if levels else "",
        levels=levels,
        period=period or above,
        scale=scale,
        unit=next((caption.unit for caption in captions if caption.unit and scale is not Scale.PERCENT), None),
    )


def _scale_of(stack: Sequence[str], captions: Sequence[Caption]) -> Scale | None:
    """Return the scale of stacked headings; "(dollars in thousands)" over several columns is not about percentages."""
    scales = [caption.scale for caption in captions if caption.scale]
    if Scale.PERCENT in scales and all(
        caption.scale in (None, Scale.PERCENT) or (is_caption(text) and _SPANNING.search(text))
        for text, caption in zip(reversed(stack), captions, strict=True)
    ):
        return Scale.PERCENT
    return scales[0] if scales else None


def _period_of_heading(text: str, year: int | None = None) -> Period | None:
    """Return the period of a heading: its whole text, or the only period mentioned in it."""
    plain = without_caption(text)
    if captioned := _caption_beside_year(plain):
        plain, _ = captioned
    compared = _COMPARED.search(plain)
    whole = parse_period(plain[: compared.start()] if compared else plain, year)
    if whole is not None:
        return whole
    named = {mention.period for mention in find_periods(plain)}
    return named.pop() if len(named) == 1 and not _NAMED_BY_YEAR.search(plain) else None


def _read_rows(
    grid: Grid, header_rows: int, columns: tuple[Header, ...], names: RowNames, *, dashes: bool
) -> tuple[Header, ...]:
    """Return the row headers; rows inherit heading, period and scale of their section."""
    numbers: list[str] = []
    if has_numbering(grid, header_rows) and 1 in names.columns:
        numbers, grid, columns = [row[0] for row in grid], [row[1:] for row in grid], columns[1:]
    rows = [_make_header((grid[row][0],)) for row in range(header_rows)]
    corner = parse_period(grid[0][0]) if header_rows and not any(column.period for column in columns[1:]) else None
    section = _Section(_label(grid[0][0]), corner) if corner else _Section()
    bare_years = {text[0].strip() for text in grid if _YEAR.fullmatch(text[0].strip())}
    year: int | None = None
    heading = -1
    for place, row in enumerate(grid[header_rows:], start=header_rows):
        if numbers and numbers[place].strip():
            section = _Section()
        *outer, label = names.labels[place] or ("",)
        label = label.strip()
        noted = _YEAR_WITH_NOTE.fullmatch(label)
        if noted and any(abs(int(noted[1]) - int(other)) <= 3 for other in bare_years):
            label = noted[1]
        own = _make_header((*outer, "" if is_amount(label) and not _SHOCK.fullmatch(label) else label))
        period = names.periods[place] or _period_of_heading(label, section.period.year if section.period else year)
        if _heads_section(row, grid[:header_rows], dashes=dashes):
            if label.lower().endswith(_LINE_ITEMS):
                section = section if heading == place - 1 else _Section()
            else:
                caption = _caption_of_units(row) or read_caption(label)
                if heading == place - 1 and caption == NOTHING and section.caption.unit in HUNDREDTHS:
                    caption = section.caption  # "Earnings per share (pence)" above "Continuing operations"
                section = _Section(own.label, period, caption)
            heading = place
            rows.append(replace(own, period=period))
            continue
        if not label and (units := _caption_of_units(row)):
            section = replace(section, caption=units)
        year = period.year if period and period.kind == "quarter" else None
        # Nothing is 1,053 percent of sales, or a ratio of 31,011.
        is_ratio = section.caption.scale is Scale.PERCENT or _RATIO.search(section.label)
        over = NOTHING if is_ratio and any(map(_THOUSANDS.search, row[1:])) else section.caption
        rows.append(
            replace(
                own,
                levels=(section.label, *own.levels) if section.label else own.levels,
                period=period or section.period,
                scale=own.scale or over.scale,
                unit=own.unit or over.unit,
            )
        )
        if own.levels and own.levels[0].startswith("total") and not section.period:
            section = _Section()
    return tuple(rows)


def _heads_section(row: Sequence[str], header: Grid, *, dashes: bool) -> bool:
    """Whether a row heads a section: it has a label, but its other cells are empty or repeat the header."""
    if not row[0].strip() or is_amount(row[0]) or len(row) < _ONE_LINE:
        return False
    if not any(text.strip() for text in row[1:]) or _caption_of_units(row):
        return True
    if dashes and any(_YEAR.fullmatch(text.strip()) for text in row[1:]):
        return False
    return repeats_heading(row, header) and row[0].strip() not in {line[0].strip() for line in header}


def _caption_of_units(row: Sequence[str]) -> Caption | None:
    """Return the scale and unit if a row prints nothing else beside its label: "Earnings per share | pence | pence"."""
    printed = {text.strip() for text in row[1:] if text.strip()}
    text = printed.pop() if len(printed) == 1 else ""
    if not text or _DASH.match(text) or any(character.isdigit() and character != "0" for character in text):
        return None
    caption = read_caption(text) if is_caption(text) else read_caption(f"({text})")
    is_unit = is_caption(text) or caption.unit in HUNDREDTHS
    return caption if is_unit and caption.scale else None


def _orientation(rows: tuple[Header, ...], columns: tuple[Header, ...]) -> Orientation:
    """Return the axis whose headers have periods in at least half of its lines, trying columns first."""
    if columns and 2 * sum(header.period is not None for header in columns) >= len(columns):
        return "columns"
    if rows and 2 * sum(header.period is not None for header in rows) >= len(rows):
        return "rows"
    return "neither"


def _table_caption(grid: Grid, header_rows: int, columns: tuple[Header, ...], leading: Caption) -> Caption:
    """Return the scale and unit of a table: from its corner or headings, else from the sentences before it.

    The scale of a heading that is alone in its row applies to all columns.

    If a column has a scale, that of the sentences before the table is not used.
    """
    corner = [read_caption(grid[row][0]) for row in range(header_rows)]
    own = next((caption for caption in corner if caption.scale), None)
    if own is not None and (own.scale is not Scale.PERCENT or is_caption(grid[0][0])):
        return own
    for row in grid[:header_rows]:
        printed = [text for text in row if text.strip()]
        if len(row) > _ONE_LINE and len(printed) == 1 and read_caption(printed[0]).scale in LARGE_SCALES:
            return read_caption(printed[0])
    named = [column for column in columns[1:] if column.scale in LARGE_SCALES]
    if len(named) == 1 and len(columns) > _ONE_LINE and all(column.period for column in columns[1:]):
        # Above the middle one of several periods, the scale applies to all of them.
        return Caption(named[0].scale, named[0].unit or leading.unit)
    if named:
        return NOTHING
    return Caption(leading.scale, leading.unit or next((caption.unit for caption in corner if caption.unit), None))


def _collect_warnings(table: Table, grid: Grid, fused: bool) -> tuple[DocumentWarning, ...]:
    """Return a warning for each repair and irregularity of a table."""
    place, found = table.index, list[DocumentWarning]()
    if table.header_rows == 0:
        found.append(DocumentWarning(WarningKind.FUSED_NUMBERS if fused else WarningKind.NO_HEADER, place))
    if len(grid) == max(table.header_rows, 1):
        found.append(DocumentWarning(WarningKind.NO_ROWS, place))
    empty = [
        str(column) for column in range(1, len(table.columns)) if table.header_rows and not table.columns[column].label
    ]
    if empty:
        found.append(DocumentWarning(WarningKind.NO_HEADING, place, detail=", ".join(empty)))
    body = table.rows[table.header_rows :]
    for kind, headers in ((WarningKind.SAME_COLUMNS, table.columns[1:]), (WarningKind.SAME_ROWS, body)):
        same = Counter((header.levels, header.period) for header in headers if header.label)
        for (levels, _), count in same.items():
            if count > 1:
                found.append(DocumentWarning(kind, place, count=count, detail=levels[-1]))
    repaired = Counter((cell.repair, row) for row, cells in enumerate(table.cells) for cell in cells if cell.repair)
    for (repair, row), count in repaired.items():
        found.append(DocumentWarning(WarningKind.REPAIRED, place, row, count, repair=repair))
    for row in range(table.header_rows, len(grid)):
        if re.search(r"[a-z]{4}[1-9]$", grid[row][0]):
            found.append(DocumentWarning(WarningKind.FUSED_FOOTNOTE, place, row, detail=grid[row][0]))
    if not any(cell.quantities for row in table.cells for cell in row[1:]):
        found.append(DocumentWarning(WarningKind.NO_NUMBER, place))
    return tuple(found)
