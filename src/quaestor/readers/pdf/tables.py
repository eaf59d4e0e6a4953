"""A region of a page -> the grid that a person would type: header rows first, labels in column 0."""

from collections.abc import Sequence
from dataclasses import dataclass

from quaestor.readers.pdf.columns import Columns, find_columns
from quaestor.readers.pdf.headers import read_header
from quaestor.readers.pdf.pages import Rule
from quaestor.readers.pdf.regions import Region
from quaestor.readers.pdf.rows import read_rows


@dataclass(frozen=True, slots=True)
class PdfTable:
    """A table on one page, or over several.

    Attributes:
        header: Rows of headings, a cell for the labels and one for each column.
        body: Rows, likewise.
        caption: What the table counts in, or "".
    """

    header: tuple[tuple[str, ...], ...]
    body: tuple[tuple[str, ...], ...]
    caption: str
    columns: Columns


def read_region(region: Region, rules: Sequence[Rule]) -> PdfTable:
    """Return the table of a region.

    Args:
        rules: What is drawn on that page.
    """
    columns = find_columns(region)
    header = read_header(region.header, columns, rules)
    rows = read_rows(region.body, columns)
    return PdfTable(header.rows, tuple((row.label, *row.cells) for row in rows), header.caption, columns)
