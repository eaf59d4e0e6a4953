"""Tables that go on over the end of a page, put together."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from quaestor.core.patterns import lazy_regex
from quaestor.readers.pdf.cells import is_plain_caption
from quaestor.readers.pdf.columns import Columns
from quaestor.readers.pdf.lines import TextLine
from quaestor.readers.pdf.pages import Rule
from quaestor.readers.pdf.regions import Region

_ROWS_BETWEEN = 5
"""How many lines without numbers a table may have before and after the end of a page."""
_CONTINUED = lazy_regex(r"\(?\s?cont(?:inued|'d|\.)\s?\)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PlacedText:
    """Lines of a page between its tables."""

    lines: tuple[TextLine, ...]
    page: int


@dataclass(frozen=True, slots=True)
class PlacedTable:
    """A table's region, and the page that it begins on with what is drawn there.

    Attributes:
        rules: What is drawn on its first page.
        page: The number of its first page.
        last_page: The number of its last page.
        beside: Whether it stands right of the table before it, under the same title.
    """

    region: Region
    columns: Columns
    rules: tuple[Rule, ...]
    page: int
    last_page: int
    beside: bool = False


Item = PlacedText | PlacedTable


def join_overleaf(items: Sequence[Item]) -> list[Item]:
    """Return the items of all pages in their order, tables that go on overleaf put together."""
    found: list[Item] = []
    for item in items:
        if isinstance(item, PlacedTable) and (held := _held(found, item.page)) is not None:
            table, between = held
            rows = _rows_between(table, between, item, found)
            if rows is not None:
                del found[len(found) - len(between) - 1 :]
                body = (*table.region.body, *rows, *item.region.body)
                region = replace(table.region, body=body)
                found.append(replace(table, region=region, columns=item.columns, last_page=item.last_page))
                continue
        found.append(item)
    return [
        item if isinstance(item, PlacedText) or item.region.is_table else PlacedText(item.region.body, item.page)
        for item in found
    ]


def _held(found: Sequence[Item], page: int) -> tuple[PlacedTable, list[PlacedText]] | None:
    """Return the last table of the page before, and the few lines after it; None if there is none."""
    between: list[PlacedText] = []
    for item in reversed(found):
        if isinstance(item, PlacedTable):
            return (item, between[::-1]) if item.last_page == page - 1 else None
        if item.page < page - 1 or len(item.lines) > _ROWS_BETWEEN or len(between) > 1:
            return None
        between.append(item)
    return None


def _rows_between(
    table: PlacedTable, between: Sequence[PlacedText], item: PlacedTable, found: Sequence[Item]
) -> list[TextLine] | None:
    """Return the lines that are rows of a table between its two parts; None if the two are not one table."""
    header = [line.text for line in item.region.header]
    if header and header != [line.text for line in table.region.header]:
        return None
    columns, others = table.columns, item.columns
    if not _are_compatible(columns, others):
        return None
    over = _lines_over(table, found)
    rows: list[TextLine] = []
    for text in between:
        for line in text.lines:
            repeated = line.text in over or _CONTINUED.search(line.text) or is_plain_caption(line.text)
            if text.page == item.page and repeated:
                continue
            if header or not _is_row(line, columns):
                return None
            rows.append(line)
    return rows


def _lines_over(table: PlacedTable, found: Sequence[Item]) -> set[str]:
    """Return what stands right over a table: its title and its caption, which may be repeated overleaf."""
    place = next(place for place, item in enumerate(found) if item is table)
    above = found[place - 1] if place else None
    return {line.text for line in above.lines[-4:]} if isinstance(above, PlacedText) else set()


def _is_row(line: TextLine, columns: Columns) -> bool:
    """Whether a line without numbers can be a row of a table: it stands where labels do."""
    reach = columns.label_right + (2 if line.is_bold else 1) * line.size
    is_sentence = line.text.endswith(".")
    return len(line.chunks) == 1 and line.right <= reach and line.left < columns.label_right and not is_sentence


def _are_compatible(columns: Columns, others: Columns) -> bool:
    """Whether the columns of two tables are the same, if both have them."""
    for one, two in ((columns, others), (others, columns)):
        for column in one.values:
            if sum(column.overlap(other.left, other.right) > 0 for other in two.values) > 1:
                return False
    matched = sum(any(c.overlap(o.left, o.right) > 0 for o in columns.values) for c in others.values)
    return (
        2 * matched > len(others.values)
        and abs(len(columns.values) - len(others.values)) <= 1 + len(columns.values) // 3
    )
