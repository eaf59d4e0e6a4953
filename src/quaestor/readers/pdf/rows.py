"""The lines of a table's body -> its rows: labels that are wrapped over several lines put together."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from quaestor.core.patterns import lazy_regex
from quaestor.readers.pdf.cells import is_value, without_marks
from quaestor.readers.pdf.columns import Columns, is_label
from quaestor.readers.pdf.lines import Chunk, TextLine

_OPEN_END = lazy_regex(
    r".*(?:[,/\u2013—-]|\b(?:and|or|of|to|for|from|in|on|by|at|as|the|a|an|with|than|per|net|less|including|other|its|our"
    r"|their|which|that|under|attributable|before|after|due|based|related|upon|is|are|was|were))",
    re.IGNORECASE,
)
_GOES_ON = lazy_regex(r"[a-z(&$0-9%)].*")


@dataclass(slots=True)
class Row:
    """A row of a table.

    Shape: `cells` has one for each column of values.

    Attributes:
        label: As printed, put together.
        cells: What is in the columns, "" if nothing does.
        top: Where it begins, from the top of the page.
        bottom: The height of its last line.
        right: Where the last line of the label ends.
        left: Where the first line of the label begins.
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
        """Whether a number is in it."""
        return any(map(is_value, self.cells))


@dataclass(frozen=True, slots=True)
class _Spacing:
    """How a table sets its labels.

    Attributes:
        reach: How far to the right labels go at most.
        step: The distance between rows that stand close together, or None if no two do.
    """

    reach: float
    step: float | None

    def is_tight(self, step: float) -> bool:
        """Whether a line is nearer to the one above it than rows are to each other."""
        return self.step is not None and 0 < step < 0.94 * self.step

    def is_loose(self, step: float) -> bool:
        """Whether it is as far from it as rows are."""
        return self.step is not None and step > 0.97 * self.step


def read_rows(lines: Sequence[TextLine], columns: Columns) -> list[Row]:
    """Return the rows of a table's body, from the top down."""
    found: list[Row] = []
    plain = [_row(line, columns) for line in lines]
    spacing = _spacing(plain, columns)
    for place, row in enumerate(plain):
        above = found[-1] if found else None
        following = plain[place + 1] if place + 1 < len(plain) else None
        if above is not None and _belongs(above, row, following, spacing):
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
    chunks = [
        number
        for chunk in line.chunks
        for part in _label_and_number(chunk, columns)
        for number in _numbers(part, columns)
    ]
    labels = [chunk for chunk in chunks if is_label(chunk, columns)]
    if len(line.chunks) == 1 and not is_value(line.text) and line.left < columns.label_right:
        labels = list(line.chunks)
    cells = [""] * len(columns.values)
    for chunk in chunks:
        if chunk not in labels:
            place = columns.nearest(chunk)
            cells[place] = f"{cells[place]} {without_marks(chunk.text)}".strip()
    label = " ".join(chunk.text for chunk in labels)
    right = max((chunk.right for chunk in labels), default=0.0)
    left = labels[0].left if labels else 0.0
    word = labels[0].words[0].right - left if labels else 0.0
    bold = bool(labels) and all(word.bold for chunk in labels for word in chunk.words)
    return Row(label, cells, line.y, line.y, right, left, line.size, bold, first_word=word)


def _label_and_number(chunk: Chunk, columns: Columns) -> tuple[Chunk, ...]:
    """Return a label and the number of the first column, where the label runs up to it."""
    column, last = columns.values[0], chunk.words[-1]
    if chunk.left >= column.left or last.right <= column.left or abs(last.right - column.right) > last.size:
        return (chunk,)
    for cut in (len(chunk.words) - 2, len(chunk.words) - 1):
        if cut > 0 and is_value(Chunk(chunk.words[cut:]).text):
            return Chunk(chunk.words[:cut]), Chunk(chunk.words[cut:])
    return (chunk,)


def _numbers(chunk: Chunk, columns: Columns) -> tuple[Chunk, ...]:
    """Return the numbers of a chunk that are in a column each, where little is between them; else the chunk."""
    if len(chunk.words) < 2 or is_value(chunk.text):
        return (chunk,)
    parts = [[chunk.words[0]]]
    for word in chunk.words[1:]:
        if is_value(Chunk(tuple(parts[-1])).text) and not is_value(Chunk((*parts[-1], word)).text):
            parts.append([word])
        else:
            parts[-1].append(word)
    numbers = tuple(Chunk(tuple(part)) for part in parts)
    places = [columns.nearest(number) for number in numbers]
    apart = all(is_value(number.text) for number in numbers) and places == sorted(set(places))
    return numbers if apart and numbers[0].left > columns.text_right else (chunk,)


def _belongs(above: Row, row: Row, following: Row | None, spacing: _Spacing) -> bool:
    """Whether a line goes on with the row above it."""
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
    return _label_goes_on(above, row, step, spacing)


def _label_goes_on(above: Row, row: Row, step: float, spacing: _Spacing) -> bool:
    """Whether a label is the end of the label above it: by its words, its distance, or for want of room there."""
    if above.bold != row.bold or above.label.endswith(":"):
        return False
    if spacing.is_tight(step) and row.left >= above.left - 1:
        return True
    going_on = _GOES_ON.fullmatch(row.label) is not None and not re.match(r"\([0-9a-z]\)", row.label)
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
