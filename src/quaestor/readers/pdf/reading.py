"""Reading of PDF files with a text layer.

Words with positions and fonts are combined into lines, tables and paragraphs by their layout. Nothing is run, fetched
or rendered.
"""

from collections.abc import Iterator, Sequence

from quaestor.documents.assembly import assemble
from quaestor.documents.document import Document
from quaestor.errors import DatasetError
from quaestor.extras import require_extra
from quaestor.readers.content import FileContent
from quaestor.readers.pdf.headings import TextBlock, drop_running_heads, find_page_captions
from quaestor.readers.pdf.lines import TextLine
from quaestor.readers.pdf.pages import Page, PageFailure, UnreadPages
from quaestor.readers.pdf.parts import Item, PlacedTable, join_tables_across_pages, parts_of
from quaestor.readers.pdf.regions import count_unread_rows, find_regions, split_side_by_side
from quaestor.readers.pdf.side_by_side import pages_of
from quaestor.readers.pdf.tables import find_columns

_LISTED = 8


def read_pdf(content: FileContent) -> Document:
    """Return the document of a PDF file; see `PdfReader.read`."""
    require_extra("pdf", "reading a PDF file")
    warnings: list[str] = []
    pages = list(_readable(content, warnings))
    if not any(page.lines for page in pages):
        raise DatasetError(_why_no_text(content, pages))
    printed = [page.lines for page in pages]
    lines = drop_running_heads(printed)
    captions = {page.number: text for page, text in zip(pages, find_page_captions(printed), strict=True) if text}
    items = join_tables_across_pages([item for pair in zip(pages, lines, strict=True) for item in _items(*pair)])
    warnings += _unread_tables(items)
    return assemble(content.name, parts_of(items, captions), warnings, filing=True)


def _why_no_text(content: FileContent, pages: Sequence[Page]) -> str:
    if any(page.unknown for page in pages):
        why = "its fonts have no character codes; print it to PDF again from its source"
    elif pages:
        of_it = f"its {len(pages)} pages have" if len(pages) > 1 else "its page has"
        why = f"{of_it} no text, like a scan; make it searchable with an OCR program"
    else:
        why = "none of its pages can be read; download it again"
    return f"cannot read {content.path}: {why}"


def _readable(content: FileContent, warnings: list[str]) -> Iterator[Page]:
    """Yield the pages that can be read; add to `warnings` what is lost."""
    empty: list[int] = []
    unknown: list[int] = []
    for page in pages_of(content.path, content.data):
        match page:
            case PageFailure():
                warnings.append(f"page {page.number} cannot be read: {page.reason}")
            case UnreadPages():
                warnings.append(
                    f"pages {page.first} to {page.last} are left out because the file is too large; split it into parts"
                )
            case Page():
                if page.cut:
                    warnings.append(f"page {page.number} has too much text; the rest of it is left out")
                if 4 * page.unknown > page.characters:
                    unknown.append(page.number)
                if not page.lines:
                    empty.append(page.number)
                yield page
    if unknown:
        warnings.append(f"{_pages(unknown)} fonts without character codes; that text is left out")
    if empty:
        warnings.append(f"{_pages(empty)} no text, like a scan")


def _unread_tables(items: Sequence[Item]) -> Iterator[str]:
    """Yield warnings about lines that look like a table but are read as text."""
    for item in items:
        if isinstance(item, TextBlock) and (rows := count_unread_rows(item.lines)):
            yield f"page {item.page} has {rows} lines that look like a table; they are read as text"


def _pages(numbers: Sequence[int]) -> str:
    """Return the beginning of a sentence about pages ("page 4 has", "3 pages (4, 5, 9) have")."""
    if len(numbers) == 1:
        return f"page {numbers[0]} has"
    listed = ", ".join(map(str, numbers[:_LISTED])) + (", ..." if len(numbers) > _LISTED else "")
    return f"{len(numbers)} pages ({listed}) have"


def _items(page: Page, lines: Sequence[TextLine]) -> Iterator[Item]:
    """Yield the texts and tables of a page, from top to bottom."""
    place = 0
    for region in find_regions(lines):
        tables = split_side_by_side(region)
        if tables[0].start > place:
            yield TextBlock(tuple(lines[place : tables[0].start]), page.number)
        for number, table in enumerate(tables):
            yield PlacedTable(table, find_columns(table), page.rules, page.number, page.number, shares_title=number > 0)
        place = region.end
    if place < len(lines):
        yield TextBlock(tuple(lines[place:]), page.number)
