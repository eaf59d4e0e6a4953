"""Reader of CSV, TSV and other delimited text, with detection of the dialect."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from quaestor.core.number_conventions import DECIMAL_COMMA, DECIMAL_POINT, NUMBER_LOOK
from quaestor.core.patterns import lazy_regex
from quaestor.documents.assembly import assemble
from quaestor.documents.captions import is_caption
from quaestor.documents.document import Document
from quaestor.documents.headers import is_amount
from quaestor.errors import DatasetError
from quaestor.readers.content import FileContent
from quaestor.readers.kinds import SUFFIXES, is_plain_text
from quaestor.readers.tabular import LONGEST_CELL, MOST_CELLS, MOST_COLUMNS, Sheet, line_anchor, sheet_parts

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_LINES = 200
_SAMPLE = 100_000
_LONGEST_FIELD = 1 << 27
_SURE = 0.5
"""Minimal score for a file without a CSV suffix to be read as CSV."""

_CELL = lazy_regex(
    rf"\W*|\W*{NUMBER_LOOK}\W*|[0-9]{{1,4}}[-/.][0-9]{{1,2}}[-/.][0-9]{{1,4}}.*|n/?a|nm|true|false|yes|no",
    re.IGNORECASE,
)
"""Text that is clearly a cell: empty, a number, a date or a flag."""

_ENDS_SENTENCE = lazy_regex(r"[a-z)][.:;]\s*$")
_SEPARATOR_LINE = lazy_regex(r"sep=(.)\s*")


@dataclass(frozen=True, slots=True)
class Dialect:
    """Delimiter of a text and how well it fits.

    Attributes:
        score: From 0 to 1.
        skip: Number of leading lines that only name the delimiter (`sep=;`).
    """

    delimiter: str
    score: float
    skip: int = 0

    @property
    def is_sure(self) -> bool:
        """Whether the score is high enough for a text without a CSV suffix."""
        return self.score >= _SURE


def find_dialect(text: str) -> Dialect | None:
    r"""Return the dialect of a text; None if no delimiter splits any line.

    >>> find_dialect("net sales;1.234,5;9,1\ncosts, net;2,5;8\n").delimiter
    ';'
    """
    if named := _SEPARATOR_LINE.match(text):
        return Dialect(named[1], 1.0, 1)
    sample = text[:_SAMPLE]
    if len(text) > _SAMPLE:
        sample = sample[: sample.rfind("\n") + 1] or sample
    lines = [line for line in sample.split("\n") if line.strip()][:_SAMPLE_LINES]
    rated = [Dialect(delimiter, _score(lines, delimiter)) for delimiter in _DELIMITERS]
    best = max(rated, key=lambda dialect: dialect.score)
    return best if best.score > 0 else None


def _score(lines: Sequence[str], delimiter: str) -> float:
    """Score a delimiter by how equal the lengths of the rows are and how much the fields look like cells."""
    rows = [row for _, row in cut(lines, delimiter)]
    widths = Counter(len(row) for row in rows if len(row) > 1)
    if not widths:
        return 0.0
    width, same = max(widths.items(), key=lambda pair: (pair[1] * pair[0], pair[0]))
    cells = [text for row in rows if len(row) == width for text in row[1:]]
    like = sum(_CELL.fullmatch(text.strip()) is not None for text in cells) / len(cells)
    short = sum(len(text) < 60 and not _ENDS_SENTENCE.search(text) for text in cells) / len(cells)
    # A comma also separates clauses and thousands; the other delimiters are rare in prose.
    trust = 0.9 if delimiter == "," else 1.0
    return trust * same / len(rows) * (0.25 + 0.55 * like + 0.2 * short) * (1 - 0.5 / width)


def cut(lines: Iterable[str], delimiter: str, *, quoted: bool = True) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows, each with the number of its first line, from 1.

    Lines are given without line feeds.

    Args:
        quoted: Whether a cell may be quoted and span several lines.
    """
    if csv.field_size_limit() < _LONGEST_FIELD:
        csv.field_size_limit(_LONGEST_FIELD)  # the limit is global; LONGEST_TEXT limits the size of a cell here
    reader = csv.reader(
        (f"{line}\n" for line in lines),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        skipinitialspace=delimiter != "\t",
    )
    before = 0
    for row in reader:
        yield before + 1, row
        before = reader.line_num


_LINES_AT_LEAST = 3
_MOST_LINES_OF_A_CELL = 50


class DelimitedReader:
    """Reads delimited text; empty rows separate tables."""

    name = "csv"

    def recognises(self, content: FileContent) -> bool:
        """Return whether the lines split into cells: clearly, or at all if the file has a CSV suffix."""
        if not is_plain_text(content):
            return False
        head = content.text.text[:100_000]
        dialect = find_dialect(head)
        if dialect is None:
            return False
        return content.suffix in SUFFIXES["csv"] or (
            dialect.is_sure and head.strip().count("\n") + 1 >= _LINES_AT_LEAST
        )

    def read(self, content: FileContent) -> Document:
        """Return the document with the tables of the text and the lines around them.

        Raises:
            DatasetError: The file cannot be read, or no line has two cells.
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
            return line_anchor(starts[top] + dialect.skip, starts[bottom] + dialect.skip)

        parts = sheet_parts(Sheet(rows.rows, {}, anchor))
        # Semicolons separate cells if the decimal separator is a comma.
        usual = DECIMAL_COMMA if dialect.delimiter == ";" else DECIMAL_POINT
        return assemble(content.name, parts, rows.warnings, filing=True, usual_decimal=usual)


@dataclass(slots=True)
class _Rows:
    """Rows read so far, and the numbers of their first lines, from 1."""

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
        """Read the rows; return False if a quoted cell spans too many lines, so that a quotation mark is unclosed."""
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
    """Whether the commas of a row belong to a sentence or caption rather than separate cells."""
    if not 1 < len(row) < usual or not all(cell[:1].isalpha() or cell[:1] in "($" for cell in row if cell):
        return False
    return is_caption(", ".join(row)) or not any(is_amount(cell) for cell in row)
