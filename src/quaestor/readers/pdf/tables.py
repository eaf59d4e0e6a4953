"""Converts a region of a page to a grid: header rows first, labels in column 0."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, starmap

from quaestor.core.patterns import lazy_regex
from quaestor.documents.sentences import merge_spans
from quaestor.readers.pdf.cells import is_date, is_day, is_plain_caption, is_value, is_year, without_marks
from quaestor.readers.pdf.lines import Chunk, TextLine
from quaestor.readers.pdf.pages import Rule
from quaestor.readers.pdf.regions import Region, numbers_of

_MIDDLE = 6.0
"""Limit in points for the distance between the middle of a heading and the middle of its columns."""
_GAP_OF_HEADINGS = 0.42
"""Gap between headings of two columns, in font sizes; wider than a space."""
_TOGETHER = 0.8
"""Limit for the distance between right edges of numbers in one column, in font sizes."""


@dataclass(frozen=True, slots=True)
class Column:
    """Horizontal extent of a column."""

    left: float
    right: float

    @property
    def center(self) -> float:
        """Horizontal middle."""
        return (self.left + self.right) / 2

    def overlap(self, left: float, right: float) -> float:
        """Return the overlap with a span in points; if negative, the distance to it."""
        return min(right, self.right) - max(left, self.left)


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of a table.

    Attributes:
        label_right: Left edge of the first column of values.
        text_right: Rightmost end of the labels of rows with numbers.
    """

    label_right: float
    text_right: float
    labels_left: float
    values: tuple[Column, ...]

    def nearest(self, chunk: Chunk) -> int:
        """Return the index of the column that a chunk belongs to."""
        return max(range(len(self.values)), key=lambda place: self.values[place].overlap(chunk.left, chunk.right))


def find_columns(region: Region) -> Columns:
    """Find the columns of a table."""
    labels_left = _labels_left(region)
    spans = [
        [
            (chunk.left, chunk.right)
            for chunk in numbers_of(line)
            if chunk is not line.chunks[0] or chunk.left > labels_left
        ]
        for line in region.body
    ]
    components = starmap(Column, merge_spans(span for found in spans for span in found))
    size = max((line.size for line in region.body), default=8.0)
    columns = [part for component in components for part in _split_column(component, spans, size)]
    columns = _with_texts(region, columns)
    ends = [line.chunks[0].right for line in region.body if numbers_of(line) and line.chunks[0].left < columns[0].left]
    text_right = min(max(ends, default=0.0), columns[0].left)
    labels_left = min(line.left for line in region.body)
    return _widen(Columns(columns[0].left, text_right, labels_left, tuple(columns)), region)


def _widen(columns: Columns, region: Region) -> Columns:
    """Widen columns to the lowest headings, if each column has one, because higher headings are centred over these."""
    lowest = next((line for line in reversed(region.header) if len(line.chunks) > 1), None)
    chunks = [chunk for chunk in lowest.chunks if not is_label(chunk, columns)] if lowest else []
    if len(chunks) != len(columns.values) or len({columns.nearest(chunk) for chunk in chunks}) < len(chunks):
        return columns
    wide = [
        Column(min(column.left, chunk.left), max(column.right, chunk.right))
        for column, chunk in zip(columns.values, chunks, strict=True)
    ]
    if any(before.right > column.left for before, column in pairwise(wide)):
        return columns
    return replace(columns, values=tuple(wide))


def _labels_left(region: Region) -> float:
    """Return how far right a label may begin; numbers that begin before it, such as years, are labels too."""
    lines = [line for line in region.body if numbers_of(line)]
    labelled = [line for line in lines if not is_value(line.chunks[0].text)] or [
        line for line in lines if len(line.chunks) > 1
    ]
    return min((line.left + 1.5 * line.size for line in labelled), default=0.0)


def _split_column(column: Column, lines: Sequence[Sequence[tuple[float, float]]], size: float) -> list[Column]:
    """Split a run of overlapping numbers into columns, if a line has several numbers in it."""
    inside = [[span for span in line if column.overlap(*span) > 0] for line in lines]
    if all(len(spans) < 2 for spans in inside):
        return [column]
    edges: list[list[tuple[float, float]]] = []
    for span in sorted((span for spans in inside for span in spans), key=lambda span: span[1]):
        if edges and span[1] - edges[-1][-1][1] < _TOGETHER * size:
            edges[-1].append(span)
        else:
            edges.append([span])
    parts = [Column(min(left for left, _ in group), max(right for _, right in group)) for group in edges]
    return [
        Column(max(part.left, before.right) if before else part.left, part.right)
        for before, part in zip([None, *parts], parts, strict=False)
    ]


def _with_texts(region: Region, columns: list[Column]) -> list[Column]:
    """Add columns of text between or after the numbers."""
    texts = [
        (chunk.left, chunk.right)
        for line in region.body
        if numbers_of(line)
        for chunk in line.chunks[1:]
        if not is_value(chunk.text) and all(column.overlap(chunk.left, chunk.right) <= 0 for column in columns)
    ]
    new = [
        column
        for column in starmap(Column, merge_spans(texts))
        if sum(column.overlap(*span) > 0 for span in texts) > 1 and column.left > region.body[0].left
    ]
    return sorted([*columns, *new], key=lambda column: column.left)


def find_headed_columns(
    line: TextLine, columns: Columns, rules: Sequence[Rule], *, lowest: bool = False
) -> list[tuple[Chunk, range]]:
    """Return the chunks of a header line, each with the indices of the columns it heads.

    The rule below a heading determines its columns; without one, the heading is centred over them.

    Args:
        lowest: Whether the line is right above the numbers, so that each heading belongs to one column.
    """
    parts = [part for chunk in line.chunks for part in _split_at_gaps(chunk, columns, lowest)]
    chunks = [chunk for chunk in parts if not is_label(chunk, columns)]
    found: list[tuple[Chunk, range]] = []
    free = 0
    for place, chunk in enumerate(chunks):
        own = _over(chunk, columns)
        behind = _over(chunks[place + 1], columns).start if place + 1 < len(chunks) else len(columns.values)
        behind = max(behind, own.stop if place + 1 == len(chunks) else own.start + 1)
        reach = _columns_over_rule(chunk, line, columns, rules) or _columns_around(
            chunk, own, range(min(free, own.start), behind), columns, 2 * len(chunks) <= len(columns.values)
        )
        reach = range(max(reach.start, free), max(reach.stop, max(reach.start, free) + 1))
        if reach.start < len(columns.values):
            found.append((chunk, range(reach.start, min(reach.stop, len(columns.values)))))
            free = found[-1][1].stop
    return found


def _split_at_gaps(chunk: Chunk, columns: Columns, lowest: bool) -> list[Chunk]:
    """Split a chunk into the headings of neighbouring columns with a narrow gap."""
    if is_plain_caption(chunk.text) or is_date(chunk.text):
        return [chunk]
    parts = [[chunk.words[0]]]
    gaps = [word.left - before.right for before, word in pairwise(chunk.words)]
    least = min(gaps, default=0.0)
    for gap, (before, word) in zip(gaps, pairwise(chunk.words), strict=True):
        wide = gap > _GAP_OF_HEADINGS * word.size or gap > max(1.3 * least, 0.28 * word.size)
        if (wide or lowest) and columns.nearest(Chunk((before,))) != columns.nearest(Chunk((word,))):
            parts.append([word])
        else:
            parts[-1].append(word)
    return [Chunk(tuple(part)) for part in parts]


def is_label(chunk: Chunk, columns: Columns) -> bool:
    """Whether a chunk is above or among the labels and not in a column of values."""
    if chunk.left >= columns.label_right:
        return False
    if columns.values[0].overlap(chunk.left, chunk.right) <= 0.0:
        return chunk.left < columns.text_right or chunk.center < columns.text_right
    return chunk.left < columns.labels_left + 0.5 * (columns.label_right - columns.labels_left)


def _over(chunk: Chunk, columns: Columns) -> range:
    """Return the columns below a chunk, at least the nearest one."""
    over = [
        place
        for place, column in enumerate(columns.values)
        if column.overlap(chunk.left, chunk.right) > 0.3 * min(column.right - column.left, chunk.right - chunk.left)
    ]
    return range(over[0], over[-1] + 1) if over else range(columns.nearest(chunk), columns.nearest(chunk) + 1)


def _columns_over_rule(chunk: Chunk, line: TextLine, columns: Columns, rules: Sequence[Rule]) -> range | None:
    """Return the columns above which the rule below a heading extends; None if there is no such rule."""
    for rule in sorted(rules, key=lambda rule: abs(rule.y - line.y)):
        near = -0.3 * line.size < rule.y - line.y < 1.3 * line.size and rule.left > columns.label_right - 40
        if not near or not (rule.left - 3 <= chunk.left and chunk.right <= rule.right + 3):
            continue
        if any(other is not chunk and rule.left - 3 < other.center < rule.right + 3 for other in line.chunks):
            continue
        under = [place for place, column in enumerate(columns.values) if rule.left - 4 < column.center < rule.right + 4]
        if under:
            return range(under[0], under[-1] + 1)
    return None


def _columns_around(chunk: Chunk, own: range, room: range, columns: Columns, of_several: bool) -> range:
    """Return the columns over which a heading is centred; as many as possible for a period."""
    best, error = own, _off_center(chunk, own, columns)
    of_several = is_date(chunk.text) and (of_several or not (is_year(chunk.text) or is_day(chunk.text)))
    gain = -_MIDDLE if of_several else 2.0
    for start in range(room.start, own.start + 1):
        for stop in range(own.stop, room.stop + 1):
            off = _off_center(chunk, range(start, stop), columns)
            wider = stop - start > len(best)
            if off < error - (gain if wider else 2.0):
                best, error = range(start, stop), min(off, error)
    return best


def _off_center(chunk: Chunk, reach: range, columns: Columns) -> float:
    middle = (columns.values[reach.start].left + columns.values[reach.stop - 1].right) / 2
    return abs(middle - chunk.center)


# Header lines to rows of headings, one cell for each column.


@dataclass(slots=True)
class _Row:
    """Headings side by side, each with its columns, and the text above the labels."""

    headings: list[tuple[range, str]] = field(default_factory=list)
    corner: str = ""


def read_header(lines: Sequence[TextLine], columns: Columns, rules: Sequence[Rule]) -> tuple[list[list[str]], str]:
    """Return the rows of headings and the caption among them, or ""."""
    captions: list[str] = []
    rows: list[_Row] = []
    for line in lines:
        row = _header_row(line, columns, rules, captions, line is lines[-1])
        if not row.headings and not row.corner:
            continue
        if rows and _continues(rows[-1], row):
            _append(rows[-1], row)
        else:
            rows.append(row)
    return _cells(rows, len(columns.values)), " ".join(captions)


def _header_row(line: TextLine, columns: Columns, rules: Sequence[Rule], captions: list[str], lowest: bool) -> _Row:
    row = _Row()
    corner = [chunk.text for chunk in line.chunks if is_label(chunk, columns)]
    headed = find_headed_columns(line, columns, rules, lowest=lowest)
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
    """Whether a row continues the headings above it: each is below one with the same columns, or below none."""
    if above.corner and below.corner and not above.headings:
        return False
    for reach, _ in below.headings:
        for other, _ in above.headings:
            if set(reach) & set(other) and reach != other:
                return False
    return bool(above.headings or not above.corner)


def _append(above: _Row, below: _Row) -> None:
    above.corner = f"{above.corner} {below.corner}".strip()
    headings = dict(above.headings)
    for reach, text in below.headings:
        before = headings.get(reach, "")
        headings[reach] = before + text if before.endswith("-") and text[:1].isalpha() else f"{before} {text}".strip()
    above.headings = list(headings.items())


def _cells(rows: Sequence[_Row], width: int) -> list[list[str]]:
    """Return the rows as cells; a cell without heading takes that of the row below."""
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
    if corners:
        grid[-1][0] = " ".join(corners)
    return grid


# Lines of a table's body to rows, with wrapped labels joined.

_OPEN_END = lazy_regex(
    r".*(?:[,/\u2013—-]|\b(?:and|or|of|to|for|from|in|on|by|at|as|the|a|an|with|than|per|net|less|including|other|its|our"
    r"|their|which|that|under|attributable|before|after|due|based|related|upon|is|are|was|were))",
    re.IGNORECASE,
)
_CONTINUATION = lazy_regex(r"[a-z(&$0-9%)].*")


@dataclass(slots=True)
class Row:
    """A row of a table.

    Shape: `cells` has one for each column of values.

    Attributes:
        top: Baseline of the first line.
        bottom: Baseline of the last line.
        right: Right end of the last line of the label.
        left: Left end of the first line of the label.
    """

    label: str
    cells: list[str]
    top: float
    bottom: float
    right: float
    left: float
    size: float
    bold: bool = False
    lines: int = 1
    first_word: float = field(default=0.0)

    @property
    def has_values(self) -> bool:
        """Whether a cell has a number."""
        return any(map(is_value, self.cells))


@dataclass(frozen=True, slots=True)
class _Spacing:
    """Layout of the labels of a table.

    Attributes:
        reach: Rightmost end of labels.
        step: Distance between close rows; None if unknown.
    """

    reach: float
    step: float | None

    def is_tight(self, step: float) -> bool:
        """Whether a line is closer to the one above it than rows are to each other."""
        return self.step is not None and 0 < step < 0.94 * self.step

    def is_loose(self, step: float) -> bool:
        """Whether a line is as far from the one above it as rows are."""
        return self.step is not None and step > 0.97 * self.step


def read_rows(lines: Sequence[TextLine], columns: Columns) -> list[Row]:
    """Return the rows of a table's body, from top to bottom."""
    found: list[Row] = []
    plain = [_row(line, columns) for line in lines]
    spacing = _spacing(plain, columns)
    for place, row in enumerate(plain):
        above = found[-1] if found else None
        following = plain[place + 1] if place + 1 < len(plain) else None
        if above is not None and _continues_row(above, row, following, spacing):
            _join(above, row)
        else:
            found.append(row)
    return found


def _spacing(rows: Sequence[Row], columns: Columns) -> _Spacing:
    reach = max((row.right for row in rows if row.has_values), default=columns.label_right)
    reach = max([reach, *(row.right for row in rows if row.right <= columns.label_right)])
    steps = sorted(
        below.top - above.bottom
        for above, below in pairwise(rows)
        if above.has_values and above.label and below.has_values and below.label and below.top > above.bottom
    )
    return _Spacing(reach, steps[len(steps) // 5] if steps else None)


def _row(line: TextLine, columns: Columns) -> Row:
    labels = [chunk for chunk in line.chunks if is_label(chunk, columns)]
    if len(line.chunks) == 1 and not is_value(line.text) and line.left < columns.label_right:
        labels = list(line.chunks)
    cells = [""] * len(columns.values)
    for chunk in line.chunks:
        if chunk not in labels:
            place = columns.nearest(chunk)
            cells[place] = f"{cells[place]} {without_marks(chunk.text)}".strip()
    label = " ".join(chunk.text for chunk in labels)
    right = max((chunk.right for chunk in labels), default=0.0)
    left = labels[0].left if labels else 0.0
    word = labels[0].words[0].right - left if labels else 0.0
    bold = bool(labels) and all(word.bold for chunk in labels for word in chunk.words)
    return Row(label, cells, line.y, line.y, right, left, line.size, bold, first_word=word)


def _continues_row(above: Row, row: Row, following: Row | None, spacing: _Spacing) -> bool:
    """Whether a line continues the row above it."""
    step = row.top - above.bottom
    if step > 1.75 * row.size or (above.has_values and row.has_values):
        return False
    if not row.label:
        return not above.has_values and not above.label.endswith(":")
    if not above.label:
        return above.has_values and not row.has_values and step < 1.1 * row.size
    if above.has_values and following is not None:
        below = following.top - row.top
        centered = following.has_values and not following.label
        if centered or 0 < below < step - 0.4 or (spacing.is_loose(step) and spacing.is_tight(below)):
            return False
    return _continues_label(above, row, step, spacing)


def _continues_label(above: Row, row: Row, step: float, spacing: _Spacing) -> bool:
    """Whether a label continues the one above it, judging by words, distance and the space left there."""
    if above.bold != row.bold or above.label.endswith(":"):
        return False
    if spacing.is_tight(step) and row.left >= above.left - 1:
        return True
    going_on = _CONTINUATION.fullmatch(row.label) is not None and not re.match(r"\([0-9a-z]\)", row.label)
    open_end = _OPEN_END.fullmatch(above.label) is not None or above.label.count("(") > above.label.count(")")
    full = above.right + row.first_word > spacing.reach - 0.5 * row.size
    if going_on and (open_end or full or row.label[0].islower()):
        return True
    hanging = row.left > above.left + 0.3 * row.size
    near = step < 1.3 * row.size and full and row.left >= above.left - 1
    return near and (open_end or hanging or above.lines > 1)


def _join(above: Row, row: Row) -> None:
    if above.label.endswith("-") and row.label[:1].islower():
        above.label = above.label + row.label
    else:
        above.label = f"{above.label} {row.label}".strip()
    above.cells = [f"{own} {other}".strip() for own, other in zip(above.cells, row.cells, strict=True)]
    above.bottom = row.bottom
    above.right = row.right or above.right
    above.lines += 1
