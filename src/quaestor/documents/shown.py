"""Representations of documents and tables in Python: one line of text, and HTML for notebooks.

All text is escaped, no script is needed, and colours follow the theme of the page; highlights are `<mark>` elements.
"""

from collections.abc import Collection, Iterable, Iterator

from quaestor.core.provenance import CellRef
from quaestor.core.visible import html_text, visible
from quaestor.documents.document import Document
from quaestor.documents.sentences import merge_spans
from quaestor.documents.table import Cell, Table, TableRole

_ROWS, _COLUMNS, _CHARACTERS, _TABLES = 24, 14, 160, 24
"""Limits for the rows, columns, characters per cell and tables shown at once."""
_NUMBER = 24
"""Maximal characters of a cell that is not wrapped."""
_MARKED_ROWS, _AROUND = 12, 2
"""With highlighted cells: the number of rows shown without gaps, and the number shown around each highlight."""

_BOX = "overflow-x:auto;max-width:100%;margin-bottom:.8em"
_GRID = "border-collapse:collapse;margin:.3em 0"
_CELL = "padding:.15em .6em;vertical-align:top"
_NO_MATH = "tex2jax_ignore mathjax_ignore"
"""Keeps notebooks from rendering text between two dollar signs as a formula."""


def shorten_text(text: str, most: int = _CHARACTERS) -> str:
    """Return a text on one line, truncated to a number of characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def wrap_for_notebook(*parts: str) -> str:
    """Wrap elements for a notebook, so that wide ones scroll and dollar signs do not begin formulas."""
    return f'<div class="{_NO_MATH}" style="{_BOX}">{"".join(parts)}</div>'


def table_line(table: Table) -> str:
    """Return a table as one line: `<table 0 'Net sales': 5 rows; 2007 | 2006 | 2005>`."""
    heads = [shorten_text(head.label, 30) or "-" for head in table.columns[1 : _COLUMNS + 1]]
    title = shorten_text(table.title or table.caption, 60)
    named = f" {title!r}" if title else ""
    rows = len(table.rows) - table.header_rows
    return visible(f"<table {table.index}{named}: {count_words(rows, 'row')}; {' | '.join(heads)}>")


def describe_units(table: Table) -> str:
    """Return the scale and unit of a table: `million USD`; "" if unknown."""
    return " ".join(filter(None, (table.scale.value if table.scale else "", table.unit or "")))


def role_words(table: Table) -> str:
    """Return the role of a table; "" for tables without a special role."""
    return "" if table.role is TableRole.OTHER else table.role.value


def role_and_unit(table: Table) -> str:
    """Return the role, scale and unit of a table: `balance sheet, million USD`."""
    return ", ".join(filter(None, (role_words(table), describe_units(table))))


def document_line(document: Document) -> str:
    """Return a document as one line: `<'report.html': 12 pages, 5 tables, 80 sentences>`."""
    return visible(f"<{document.id!r}: {contents_words(document)}>")


def contents_words(document: Document) -> str:
    """Return the size of a document: `12 pages, 5 tables, 80 sentences`."""
    pages = max((block.page or 0 for block in document.blocks), default=0)
    counts = [count_words(len(document.tables), "table"), count_words(len(document.sentences), "sentence")]
    if document.warnings:
        counts.append(count_words(len(document.warnings), "warning"))
    return ", ".join([count_words(pages, "page"), *counts] if pages else counts)


def count_words(count: int, what: str) -> str:
    """Return a count with its noun: `1 table`, `1,200 cells`."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def document_html(document: Document) -> str:
    """Return the size and the tables of a document as HTML."""
    parts = [f"<p><b>{html_text(document.id)}</b><br>{contents_words(document)}</p>"]
    if document.tables:
        shown = "".join(f"<li>{_table_words(document, table)}</li>" for table in document.tables[:_TABLES])
        parts.append(f'<ol start="0" style="margin:.3em 0">{shown}</ol>')
    if (more := len(document.tables) - _TABLES) > 0:
        parts.append(f"<p>and {count_words(more, 'table')} more</p>")
    return wrap_for_notebook(*parts)


def _table_words(document: Document, table: Table) -> str:
    title = table.title or document.section_of(table).title or table.caption or "a table"
    page = document.block(table.cells[0][0].ref).page
    where = f", page {page}" if page is not None else ""
    return html_text(f"{shorten_text(title, 80)}{where} ({count_words(len(table.rows) - table.header_rows, 'row')})")


def table_html(table: Table, marked: Collection[CellRef] = (), caption: str = "") -> str:
    """Return a table as HTML with row and column headers.

    Args:
        marked: Cells to highlight; only the parts of a long or wide table around them are shown.
        caption: Caption; by default the title or caption of the table.
    """
    places = {(ref.row, ref.column) for ref in marked if ref.table == table.index}
    rows = _lines_shown(
        len(table.rows), range(table.header_rows), {row for row, _ in places}, _MARKED_ROWS if places else _ROWS
    )
    columns = _lines_shown(len(table.columns), (0,), {column for _, column in places}, _COLUMNS)
    head = [row for row in rows if row is not None and row < table.header_rows]
    title = caption or shorten_text(table.title or table.caption)
    named = f'<caption style="text-align:left">{html_text(title)}</caption>' if title else ""
    top = "".join(f"<tr>{_cells(table, row, columns, places)}</tr>" for row in head)
    body = "".join(f"<tr>{_cells(table, row, columns, places)}</tr>" for row in rows[len(head) :])
    top = f"<thead>{top}</thead>" if top else ""
    return f'<table style="{_GRID}">{named}{top}<tbody>{body}</tbody></table>'


def _lines_shown(count: int, always: Iterable[int], marked: Collection[int], most: int) -> list[int | None]:
    """Return the indices of the lines to show, in order; None for lines left out in between."""
    first = [*always]
    if count <= most:
        return [*range(count)]
    near = sorted({line for at in marked for line in range(max(at - _AROUND, 0), min(at + _AROUND + 1, count))})
    shown = sorted({*first[:most], *(near or range(count))[:most]})
    lines: list[int | None] = []
    for line in shown:
        before = next((at for at in reversed(lines) if at is not None), -1)
        lines += [None, line] if line > before + 1 else [line]
    return lines if shown[-1] == count - 1 else [*lines, None]


def _cells(table: Table, row: int | None, columns: Iterable[int | None], marked: Collection[tuple[int, int]]) -> str:
    return "".join(_cell(table, row, column, (row, column) in marked) for column in columns)


def _cell(table: Table, row: int | None, column: int | None, is_marked: bool) -> str:
    style = f"{_CELL};text-align:{'left' if column == 0 else 'right'}"
    if row is None or column is None:
        return f'<td style="{style}">…</td>'
    cell = table.cells[row][column]
    shown = f"<mark><b>{_cell_text(cell)}</b></mark>" if is_marked else _cell_text(cell)
    if row < table.header_rows:
        return f'<th scope="col" style="{style}">{shown}</th>'
    if column == 0:
        return f'<th scope="row" style="{style};font-weight:normal">{shown}</th>'
    whole = ";white-space:nowrap" if len(cell.text) <= _NUMBER else ""
    return f'<td style="{style}{whole}">{shown}</td>'


def _cell_text(cell: Cell) -> str:
    text = html_text(shorten_text(cell.text))
    return text if cell.misread is None else f"{text} <del>{html_text(shorten_text(cell.misread)) or 'nothing'}</del>"


def marked_text(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text as HTML with highlighted spans; a long text is truncated around them.

    Args:
        spans: Start and end of each span; overlapping spans are merged.
    """
    return "".join(_pieces(text, merge_spans(spans)))


def _pieces(text: str, spans: list[tuple[int, int]]) -> Iterator[str]:
    at = 0
    for start, end in spans:
        between = text[at:start]
        yield html_text(between if len(between) <= _CHARACTERS else f"… {between[-_CHARACTERS:]}")
        yield f"<mark><b>{html_text(text[start:end])}</b></mark>"
        at = end
    rest = text[at:]
    yield html_text(rest if len(rest) <= _CHARACTERS else f"{rest[:_CHARACTERS]} …")
