"""The header lines of a table -> rows of headings, a cell for each column."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from quaestor.readers.pdf.cells import is_plain_caption, without_marks
from quaestor.readers.pdf.columns import Columns, covered, is_label
from quaestor.readers.pdf.lines import TextLine
from quaestor.readers.pdf.pages import Rule


@dataclass(slots=True)
class _Row:
    """Headings side by side: each with the columns that it is over; what is over the labels."""

    headings: list[tuple[range, str]] = field(default_factory=list)
    corner: str = ""


@dataclass(frozen=True, slots=True)
class ReadHeader:
    """What the header of a table says.

    Shape: each of `rows` has a cell for the labels and one for each column.

    Attributes:
        rows: From the top down. A heading over several columns is in each of them.
        caption: What the table counts in, or "".
    """

    rows: tuple[tuple[str, ...], ...]
    caption: str


def read_header(lines: Sequence[TextLine], columns: Columns, rules: Sequence[Rule]) -> ReadHeader:
    """Return what the header lines of a table say.

    Args:
        lines: From the top down.
        rules: What is drawn on the page.
    """
    captions: list[str] = []
    rows: list[_Row] = []
    for line in lines:
        row = _row(line, columns, rules, captions, line is lines[-1])
        if not row.headings and not row.corner:
            continue
        if rows and _continues(rows[-1], row):
            _append(rows[-1], row)
        else:
            rows.append(row)
    corner = " ".join(row.corner for row in rows if row.corner)
    if is_plain_caption(corner):
        captions.append(corner)
        for row in rows:
            row.corner = ""
    return ReadHeader(
        _cells([row for row in rows if row.headings or row.corner], len(columns.values)), " ".join(captions)
    )


def _row(line: TextLine, columns: Columns, rules: Sequence[Rule], captions: list[str], lowest: bool) -> _Row:
    row = _Row()
    corner = [chunk.text for chunk in line.chunks if is_label(chunk, columns)]
    headed = covered(line, columns, rules, lowest=lowest)
    text = " ".join(corner)
    if is_plain_caption(text):
        captions.append(text)
    elif any(map(str.isalpha, text)):
        row.corner = text
    if len(headed) == 1 and is_plain_caption(headed[0][0].text):
        captions.append(headed[0][0].text)
        headed = []
    row.headings = [(reach, _heading(chunk.text)) for chunk, reach in headed]
    return row


def _heading(text: str) -> str:
    bare = without_marks(text)
    return bare if len(bare) == 4 else text


def _continues(above: _Row, below: _Row) -> bool:
    """Whether a row goes on with the headings above it: each is below one of the same columns, or below none."""
    if above.corner and below.corner and not above.headings:
        return False
    for reach, _ in below.headings:
        for other, _ in above.headings:
            if set(reach) & set(other) and reach != other:
                return False
    return bool(above.headings or not above.corner)


def _append(above: _Row, below: _Row) -> None:
    above.corner = f"{above.corner} {below.corner}".strip()
    held = dict(above.headings)
    for reach, text in below.headings:
        before = held.get(reach, "")
        held[reach] = before + text if before.endswith("-") and text[:1].isalpha() else f"{before} {text}".strip()
    above.headings = list(held.items())


def _cells(rows: Sequence[_Row], width: int) -> tuple[tuple[str, ...], ...]:
    """Return the rows as cells; where one has no heading, that of the next row is taller."""
    grid = [["", *[""] * width] for _ in rows]
    for cells, row in zip(grid, rows, strict=True):
        for reach, text in row.headings:
            for column in reach:
                cells[column + 1] = text
    for place in range(len(rows) - 2, -1, -1):
        if not rows[place].headings:
            continue
        for column in range(1, width + 1):
            grid[place][column] = grid[place][column] or grid[place + 1][column]
    corners = [row.corner for row in rows if row.corner]
    if grid and corners:
        grid[-1][0] = " ".join(corners)
    return tuple(map(tuple, grid))
