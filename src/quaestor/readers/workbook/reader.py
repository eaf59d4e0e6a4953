"""Reader of workbooks: each sheet becomes a section with its tables and text."""

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from quaestor.core.parsing import parse_cell
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import parse_period
from quaestor.core.quantity import Quantity, Scale
from quaestor.documents.assembly import DocumentPart, HeadingPart, TablePart, assemble
from quaestor.documents.document import Document
from quaestor.errors import DatasetError
from quaestor.readers.content import FileContent
from quaestor.readers.tabular import MOST_CELLS, MOST_COLUMNS, Sheet, sheet_parts
from quaestor.readers.workbook.sheets import Archive, SheetCell, SheetContent, column_letters, read_workbook

_SCALES = {-3: Scale.THOUSAND, -6: Scale.MILLION, -9: Scale.BILLION, 2: Scale.PERCENT}
_CORNER = lazy_regex(
    # The top left cell of a statement in workbooks generated from the tags of a filing.
    r"(?P<title>.{3,200}?) - (?:USD \(\$\)|shares|\$ / shares|[A-Z]{3}\b)(?P<rest>.{0,100})",
    re.DOTALL,
)
_SHARES_IN = lazy_regex(r"\bshares in (Thousands|Millions|Billions)\b")
_MONEY_IN = lazy_regex(r"[$€£] in (?:Thousands|Millions|Billions)\b")
_WORDS = {"Thousands": Scale.THOUSAND, "Millions": Scale.MILLION, "Billions": Scale.BILLION}
_COUNTS_SHARES = lazy_regex(r"\bin shares\b|\bshares (?:issued|outstanding|authorized|repurchased)\b", re.IGNORECASE)


class WorkbookReader:
    """Reads XLSX workbooks."""

    name = "xlsx"

    def recognises(self, content: FileContent) -> bool:
        """Return whether a file is an XLSX archive."""
        return content.head.startswith(b"PK") and "xl/workbook.xml" in content.members

    def read(self, content: FileContent) -> Document:
        """Return a document with the visible sheets of a workbook as sections.

        Raises:
            DatasetError: The file is damaged, too large, or has no visible content.
        """
        sheets, hidden = read_workbook(Archive(content))
        warnings = []
        if hidden:
            names = ", ".join(hidden[:5]) + (" ..." if len(hidden) > 5 else "")
            warnings.append(f"{len(hidden)} hidden sheets were left out: {names}")
        parts: list[DocumentPart] = []
        for sheet in sheets:
            warnings += _sheet_warnings(sheet)
            if sheet.rows:
                parts.append(HeadingPart(sheet.name.strip() or "sheet", 1, None, _address(sheet.name, 1, 0, 1, 0)))
                parts += map(_apply_corner, sheet_parts(_sheet(sheet)))
        if not parts:
            raise DatasetError(f"cannot read {content.path}: all of its sheets are empty or hidden")
        return assemble(content.name, parts, warnings, filing=True)


def _sheet_warnings(sheet: SheetContent) -> Iterator[str]:
    if (rows := len(sheet.hidden_rows)) or sheet.hidden_columns:
        yield f"sheet {sheet.name!r}: {rows} hidden rows and {sheet.hidden_columns} hidden columns were left out"
    if sheet.without_value:
        yield (
            f"sheet {sheet.name!r}: {sheet.without_value} formulas have no stored value; open the file in a "
            "spreadsheet program and save it"
        )
    if sheet.cut:
        yield f"sheet {sheet.name!r} was cut short at {MOST_CELLS:,} cells and {MOST_COLUMNS:,} columns"


def _sheet(content: SheetContent) -> Sheet:
    """Return the visible rows of a sheet; several empty rows become one."""
    _fill_merged(content)
    numbers: dict[tuple[int, int], Quantity] = {}
    unknown: set[tuple[int, int]] = set()
    rows: list[list[str]] = []
    places: list[int] = []
    for number in sorted(content.rows):
        if places and any(between not in content.hidden_rows for between in range(places[-1] + 1, number)):
            rows.append([])
            places.append(number - 1)
        cells = content.rows[number]
        row = [""] * (max(cells, default=-1) + 1)
        for column, cell in cells.items():
            row[column] = " ".join(cell.text.split())
            if (exact := _exact(cell)) is not None:
                numbers[len(rows), column] = exact
            if cell.is_unknown:
                unknown.add((len(rows), column))
        rows.append(row)
        places.append(number)

    def anchor(top: int, left: int, bottom: int, right: int) -> str:
        return _address(content.name, places[top], left, places[bottom], right)

    return Sheet(rows, numbers, anchor, frozenset(unknown))


def _address(sheet: str, top: int, left: int, bottom: int, right: int) -> str:
    """Return a range as spreadsheet programs write it."""
    first, last = f"{column_letters(left)}{top}", f"{column_letters(right)}{bottom}"
    return f"'{sheet}'!{first}" if first == last else f"'{sheet}'!{first}:{last}"


def _fill_merged(content: SheetContent) -> None:
    """Copy text into all cells of a merged range, so that headings apply to all their columns, labels to all rows."""
    least = min((column for row in content.rows.values() for column in row), default=0)
    for top, left, bottom, right in content.merged:
        cell = content.rows.get(top, {}).get(left)
        if cell is None or cell.value is not None or cell.is_unknown:
            continue
        if left > least and right - left < 50:
            for column in range(left + 1, right + 1):
                content.rows[top].setdefault(column, cell)
        # In header rows, a label that spans two rows is a single one.
        if left == right and any(other.value is not None for other in content.rows[top].values()):
            for row in range(top + 1, min(bottom, top + 200) + 1):
                if row in content.rows:
                    content.rows[row].setdefault(left, cell)


def _exact(cell: SheetCell) -> Quantity | None:
    """Return the value of a cell in the scale in which it is displayed; None for text and periods."""
    if cell.value is None:
        return None
    printed = parse_cell(cell.text)
    if not printed and parse_period(cell.text) is not None:
        return None
    scale = _SCALES.get(cell.shift, Scale.ONE)
    value = cell.value.scaleb(cell.shift) if cell.shift in _SCALES else cell.value
    unit = printed[0].unit if len(printed) == 1 else None
    if len(printed) == 1 and (printed[0].value, printed[0].scale) == (value, scale):
        return printed[0]
    plain = value.normalize()
    return Quantity(plain if plain.as_tuple().exponent <= 0 else Decimal(f"{plain:f}"), scale, unit, cell.text)  # type: ignore[operator]  # finite


def _apply_corner(part: DocumentPart) -> DocumentPart:
    """Use the corner cell as title, and apply the scale that it gives to share counts."""
    if not isinstance(part, TablePart) or not part.grid or not (corner := _CORNER.fullmatch(part.grid[0][0])):
        return part
    shares = _SHARES_IN.search(corner["rest"])
    numbers = list(part.numbers)
    if shares and _MONEY_IN.search(corner["rest"]):
        scale = _WORDS[shares[1]]
        known = {(row, column): quantity for row, column, quantity in numbers}
        for place, row in enumerate(part.grid):
            if not _COUNTS_SHARES.search(row[0]):
                continue
            for column, text in enumerate(row[1:], start=1):
                found = known.get((place, column)) or next(iter(parse_cell(text)), None)
                if found is not None and found.scale is Scale.ONE:
                    numbers.append((place, column, replace(found, scale=scale, unit="shares")))
    return replace(part, title=part.title or corner["title"].strip(), numbers=numbers)
