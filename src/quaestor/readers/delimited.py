"""CSV, TSV and their relatives: cells between commas, semicolons, tabs or bars, in any of their dialects."""

from collections import Counter
from dataclasses import dataclass, field

from quaestor.core.number_conventions import DECIMAL_COMMA, DECIMAL_POINT
from quaestor.documents.assembly import assemble
from quaestor.documents.captions import is_caption
from quaestor.documents.document import Document
from quaestor.documents.headers import is_amount
from quaestor.errors import DatasetError
from quaestor.readers.content import FileContent
from quaestor.readers.dialects import Dialect, cut, find_dialect
from quaestor.readers.kinds import is_plain_text
from quaestor.readers.tabular import LONGEST_CELL, MOST_CELLS, MOST_COLUMNS, Sheet, sheet_parts

SUFFIXES = (".csv", ".tsv", ".tab", ".psv")
_LINES_AT_LEAST = 3
_MOST_LINES_OF_A_CELL = 50


class DelimitedReader:
    """Reads a text of cells as tables, those parted by empty lines each for itself."""

    name = "csv"

    def recognises(self, content: FileContent) -> bool:
        """Return whether the lines of a text fall into cells: for sure, or at all where it is called CSV."""
        if not is_plain_text(content):
            return False
        head = content.text.text[:100_000]
        dialect = find_dialect(head)
        if dialect is None:
            return False
        return content.suffix in SUFFIXES or (dialect.is_sure and head.strip().count("\n") + 1 >= _LINES_AT_LEAST)

    def read(self, content: FileContent) -> Document:
        """Return the tables of a text, and the lines around them.

        Raises:
            DatasetError: The file cannot be read.
        """
        text = content.text
        dialect = find_dialect(text.text)
        if dialect is None:
            raise DatasetError(f"cannot read {content.path} as CSV: no line has two cells")
        rows = _Rows(list(text.warnings))
        lines = text.text.split("\n")
        rows.take(lines[dialect.skip :], dialect)
        starts = rows.lines

        def anchor(top: int, left: int, bottom: int, right: int) -> str:
            del left, right
            first, last = starts[top] + dialect.skip, starts[bottom] + dialect.skip
            return f"line {first}" if first == last else f"lines {first}-{last}"

        parts = sheet_parts(Sheet(rows.rows, {}, anchor))
        # Semicolons part cells where commas are before decimals.
        usual = DECIMAL_COMMA if dialect.delimiter == ";" else DECIMAL_POINT
        return assemble(content.name, parts, rows.warnings, filing=True, usual_decimal=usual)


@dataclass(slots=True)
class _Rows:
    """The rows so far, and the lines that they begin on, from 1."""

    warnings: list[str]
    rows: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def take(self, lines: list[str], dialect: Dialect) -> None:
        if not self._take(lines, dialect, quoted=True):
            self.rows, self.lines = [], []
            self._take(lines, dialect, quoted=False)
            self.warnings.append("an unclosed quotation mark was read as a plain character")
        cut_rows = sum(len(row) > MOST_COLUMNS for row in self.rows)
        if cut_rows:
            self.warnings.append(f"{cut_rows} rows were cut after {MOST_COLUMNS:,} cells")
        cut_cells = sum(len(cell) > LONGEST_CELL for row in self.rows for cell in row)
        if cut_cells:
            self.warnings.append(f"{cut_cells} cells were cut after {LONGEST_CELL:,} characters")
        self.rows = [[cell[:LONGEST_CELL] for cell in row[:MOST_COLUMNS]] for row in self.rows]
        if dialect.delimiter == ",":
            widths = Counter(len(row) for row in self.rows if len(row) > 1)
            usual = widths.most_common(1)[0][0] if widths else 0
            self.rows = [[", ".join(row)] if _is_a_line(row, usual) else row for row in self.rows]

    def _take(self, lines: list[str], dialect: Dialect, *, quoted: bool) -> bool:
        """Take rows; False if a cell in quotation marks goes on over more lines than any does."""
        cells = 0
        for line, row in cut(lines, dialect.delimiter, quoted=quoted):
            if quoted and any(cell.count("\n") > _MOST_LINES_OF_A_CELL for cell in row):
                return False
            cells += len(row[:MOST_COLUMNS])
            if cells > MOST_CELLS:
                left = f"only the first {len(self.rows):,} rows were read; the limit is {MOST_CELLS:,} cells"
                self.warnings.append(left)
                break
            self.rows.append([" ".join(cell.split()) for cell in row])
            self.lines.append(line)
        return True


def _is_a_line(row: list[str], usual: int) -> bool:
    """Whether the commas of a row part a sentence or a caption rather than cells."""
    if not 1 < len(row) < usual or not all(cell[:1].isalpha() or cell[:1] in "($" for cell in row if cell):
        return False
    return is_caption(", ".join(row)) or not any(is_amount(cell) for cell in row)
