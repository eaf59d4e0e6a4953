"""Compares statements of PDF reports with their text layer: `python -m benchmarks.pdf_statements FILE... [--list]`.

Finds the balance sheet, the income statement and the cash flow statement of each report, and compares each row with the
lines of the page as PDFium extracts them, which the reader does not use. For each statement: its rows with numbers,
their numbers, and the rows and lines that differ. With `--list` also prints each of those.
"""

import argparse
import calendar
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from rich.console import Console
from rich.table import Table as ShownTable

from quaestor.documents.table import Table, TableRole
from quaestor.readers.content import FileContent
from quaestor.readers.limited import ReadingLimits, read_limited

_ROLES = (TableRole.BALANCE_SHEET, TableRole.INCOME_STATEMENT, TableRole.CASH_FLOWS)
_PAGES = 3
"""Maximum number of pages of a statement."""
_DASHES = "\u2014\u2013-"
_NUMBER = re.compile(rf"\(?-?[0-9][0-9,.]*\)?%?\)?|\(?[{_DASHES}]{{1,2}}\)?%?")
_APART = re.compile(r"(?<=[0-9\u2014\u2013)])\s(?=[)%])|(?<=[(])\s(?=[0-9.])|\$\s?(?=\(?[0-9.\u2014\u2013-])|(?<=\()\$")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Line:
    """A label followed by numbers."""

    label: str
    numbers: tuple[str, ...]

    def narrowed(self, width: int) -> "Line":
        """Return the line with only its last numbers; earlier ones are part of the label ("$56 and $64")."""
        cut = max(len(self.numbers) - width, 0)
        return Line(" ".join((self.label, *self.numbers[:cut])), tuple(map(_plain, self.numbers[cut:])))

    def __str__(self) -> str:
        return f"{self.label} | {' | '.join(self.numbers)}"


def _plain(number: str) -> str:
    digits = re.sub(r"[^0-9.]", "", number)
    return ("-" if digits and re.match(r"[$\s]*[(\u2013-]", number) else "") + (digits.strip(".") or "\u2014")


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.casefold())


def _text_lines(path: Path, first: int) -> list[Line]:
    """Return the lines of a statement's pages, as extracted by the library."""
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    found: list[Line] = []
    for index in range(first - 1, min(first - 1 + _PAGES, len(document))):
        for line in document[index].get_textpage().get_text_range().splitlines():
            words = _APART.sub("", " ".join(line.split())).replace(" .", ".").split()
            cut = len(words)
            while cut and _NUMBER.fullmatch(words[cut - 1]):
                cut -= 1
            cut += 0 < cut < len(words) and words[cut - 1] in calendar.month_name
            found.append(Line(" ".join(words[:cut]), tuple(words[cut:])))
    return found


def _rows(table: Table) -> Iterator[Line]:
    for row in table.cells[table.header_rows :]:
        label, *cells = (cell.text for cell in row)
        yield Line(label, tuple(_plain(cell) for cell in cells if cell.strip()))


def _is_numbered(line: Line) -> bool:
    return bool(line.numbers) and not all(map(_YEAR.fullmatch, line.numbers))


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The comparison of a statement: the number of its rows and numbers, and the differences."""

    rows: int
    numbers: int
    differing: list[str]


def compare_statement(table: Table, lines: Sequence[Line]) -> _Comparison:
    """Compare the rows of a table with lines of text, which may begin earlier and end later."""
    rows = list(_rows(table))
    labels = "".join(_letters(row.label) for row in rows)
    rows = list(filter(_is_numbered, rows))
    width = max((len(row.numbers) for row in rows), default=1)
    lines = list(filter(_is_numbered, (line.narrowed(width) for line in lines)))
    matched = SequenceMatcher(None, [row.numbers for row in rows], [line.numbers for line in lines], autojunk=False)
    differing: list[str] = []
    for kind, start, end, first, last in matched.get_opcodes():
        if kind == "equal":
            for row, line in zip(rows[start:end], lines[first:last], strict=True):
                if _letters(line.label) not in _letters(row.label):
                    differing.append(f"label: {row} # {line}")
            continue
        differing += [f"row: {row}" for row in rows[start:end]]
        if first > 0 and last < len(lines):
            parts = (
                line for line in lines[first:last] if _letters(f"{line.label}{''.join(line.numbers)}") not in labels
            )
            differing += [f"line: {line}" for line in parts if line.label]  # a line without a label is a page number
    return _Comparison(len(rows), sum(len(row.numbers) for row in rows), differing)


def main() -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--list", action="store_true", help="print each row and line that differs")
    wanted = parser.parse_args()
    shown = ShownTable("report", "statement", "page", "rows", "numbers", "differing")
    listed: list[str] = []
    for path in wanted.files:
        document = read_limited(FileContent(path, path.read_bytes()), ReadingLimits(seconds=600))[1]
        for role in _ROLES:
            tables = [table for table in document.tables if table.role is role]
            if not tables:
                shown.add_row(path.name, role.value, "", "not found")
            for table in tables:
                page = document.block(table.cells[0][0].ref).page or 1
                found = compare_statement(table, _text_lines(path, page))
                figures = map(str, (page, found.rows, found.numbers, len(found.differing)))
                shown.add_row(path.name, role.value, *figures)
                listed += [f"{path.name} {page}: {line}" for line in found.differing]
    if wanted.list:
        print(*listed, sep="\n")
    Console(highlight=False, width=120).print(shown)


if __name__ == "__main__":
    main()
