"""Finds the lines of a page that form tables, and separates two tables side by side.

A table is recognised by aligned numbers with a gap before them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quaestor.readers.pdf.cells import is_date, is_plain_caption, is_value, is_year
from quaestor.readers.pdf.headings import is_company, is_statement
from quaestor.readers.pdf.lines import Chunk, TextLine

_LINES_BETWEEN = 9
"""Limit for consecutive lines without numbers in a table."""
_STEP = 4.2
"""Limit for the distance between lines of a table, in font sizes."""
_HEADING_LINES = 14
_HEADING_REACH = 6.0
"""Limit for how far left of the numbers below it a heading begins, in font sizes."""
_OPEN_ENDS = (",", "-", " of", " and", " in", " for", " to", " from", " the")
_LABELS_FIRST = 5
"""Limit for lines with only labels between a header and the first line with numbers."""
_UNREAD_ROWS = 3
"""Minimal number of consecutive lines that look like an unrecognised table."""
_MOST_LINES_ABOVE = 3
"""Limit for the lines above a single row at the top of a page that ends the previous page's table."""


@dataclass(frozen=True, slots=True)
class Region:
    """Lines of a table.

    Attributes:
        start: Index of the first line on the page.
        end: Index after the last line.
    """

    header: tuple[TextLine, ...]
    body: tuple[TextLine, ...]
    start: int
    end: int

    @property
    def is_table(self) -> bool:
        """Whether it is a complete table rather than only the end of one on the previous page."""
        return bool(self.header) or sum(bool(numbers_of(line)) for line in self.body) > 1


def numbers_of(line: TextLine) -> tuple[Chunk, ...]:
    """Return the chunks of a line that are numbers separate from its label."""
    if len(line.chunks) == 1:
        return ()
    values = tuple(chunk for chunk in line.chunks if is_value(chunk.text))
    return values[1:] if values and values[0] is line.chunks[0] and len(values) < len(line.chunks) else values


def count_unread_rows(lines: Sequence[TextLine]) -> int:
    """Return the number of consecutive lines of text that look like rows of an unrecognised table.

    Each has an aligned chunk with digits, separate from its label, that does not have the form of a number in a table.
    """
    most = run = 0
    above: tuple[Chunk, ...] = ()
    for line in lines:
        own = tuple(chunk for chunk in line.chunks[1:] if _is_mostly_digits(chunk.text))
        below = any(one.left < other.right and other.left < one.right for one in own for other in above)
        run = run + 1 if below else int(bool(own))
        above, most = own, max(most, run)
    return most if most >= _UNREAD_ROWS else 0


def _is_mostly_digits(text: str) -> bool:
    return sum(map(str.isdigit, text)) > max(1, len(text) // 3) and not is_date(text)


def find_regions(lines: Sequence[TextLine]) -> list[Region]:
    """Return the tables of a page, from top to bottom."""
    regions: list[Region] = []
    for start, end in _stretches(lines):
        for first, last in _split(lines, start, _label_end(lines, start, end)):
            top = _header_start(lines, first, regions[-1].end if regions else 0, last)
            region = _region(lines, top, last)
            if region is not None:
                regions.append(region)
    return regions


def _stretches(lines: Sequence[TextLine]) -> Iterator[tuple[int, int]]:
    """Yield start and end of runs of lines with numbers, with few lines in between."""
    start, last = -1, -1
    for place, line in enumerate(lines):
        if not numbers_of(line):
            continue
        if start >= 0 and not _may_be_one_table(lines, last, place):
            yield start, last + 1
            start = -1
        if start < 0:
            start = place
        last = place
    if start >= 0:
        yield start, last + 1


def _label_end(lines: Sequence[TextLine], start: int, end: int) -> int:
    """Return the end of a table, including a last label that continues below its numbers."""
    left = _values_left(lines[start:end])
    while end < len(lines) and lines[end].y - lines[end - 1].y < 1.3 * lines[end].size:
        line, label = lines[end], lines[end - 1].chunks[0].text
        continues = line.text[0].islower() or line.text[0].isdigit() or label.endswith(_OPEN_ENDS)
        if not continues or line.right >= left or len(line.chunks) > 1 or line.left < lines[end - 1].left - 1:
            break
        end += 1
    return end


def _may_be_one_table(lines: Sequence[TextLine], above: int, below: int) -> bool:
    """Whether the lines between two lines with numbers allow both to be in one table."""
    between = lines[above + 1 : below]
    if len(between) > _LINES_BETWEEN:
        return False
    for first, second in zip(lines[above:below], lines[above + 1 : below + 1], strict=True):
        if second.y - first.y > _STEP * max(first.size, second.size):
            return False
    values_left = min(chunk.left for line in (lines[above], lines[below]) for chunk in numbers_of(line))
    right = max(lines[above].right, lines[below].right)
    return not any(_is_prose(line, values_left, right) for line in between)


def _is_prose(line: TextLine, values_left: float, right: float) -> bool:
    """Whether a line is running text: it extends below the numbers of a table and is not a heading."""
    if len(line.chunks) > 1:
        return any(len(c.words) > 6 and c.right > values_left + 0.15 * (right - values_left) for c in line.chunks)
    if line.left > values_left - 4 * line.size:
        return False
    reach = (line.right - values_left) / max(right - values_left, 1)
    if reach < 0.15:
        return False
    words = line.text.split()
    return not (line.is_bold and len(words) < 15) and len(words) > 5 and not line.text.endswith(":")


def _split(lines: Sequence[TextLine], start: int, end: int) -> list[tuple[int, int]]:
    """Split a run of lines into tables at every new column header."""
    left = _heading_left(lines[start:end], _values_left(lines[start:end]))
    found: list[tuple[int, int]] = []
    first = start
    seen_data = False
    place = start
    while place < end:
        if not _is_new_header(lines[place], left):
            seen_data = seen_data or bool(numbers_of(lines[place]))
            place += 1
            continue
        block = place
        while block < end and _is_new_header(lines[block], left):
            block += 1
        if seen_data and any(len(line.chunks) > 1 or is_date(line.text) for line in lines[place:block]):
            found.append((first, _end_of_table(lines, first, place)))
            first, seen_data = place, False
        place = block
    return [*found, (first, end)]


def _is_new_header(line: TextLine, left: float) -> bool:
    """Whether a line inside a run is a column header: no text is in the column of labels."""
    first, *rest = line.chunks
    if first.left < left:
        captioned = is_plain_caption(first.text) or is_date(first.text)
        return captioned and len(rest) > 1 and all(is_year(c.text) or not is_value(c.text) for c in rest)
    return all(is_year(c.text) or not is_value(c.text) for c in line.chunks) and any(
        is_date(chunk.text) or len(line.chunks) > 1 for chunk in line.chunks
    )


def _end_of_table(lines: Sequence[TextLine], start: int, header: int) -> int:
    """Return where the lines above a new header stop belonging to the table above: at the widest gap."""
    last = max((place for place in range(start, header) if numbers_of(lines[place])), default=start)
    steps = {place: lines[place].y - lines[place - 1].y for place in range(last + 1, header + 1)}
    return max(steps, key=lambda place: (round(steps[place]), -place))


def _values_left(lines: Sequence[TextLine]) -> float:
    """Return the left edge of the numbers in most lines of a table."""
    labelled = sorted(
        numbers[0].left for line in lines if (numbers := _numbers_after_label(line)) and len(line.chunks) > len(numbers)
    )
    lefts = labelled or sorted(numbers[0].left for line in lines if (numbers := _numbers_after_label(line)))
    return lefts[len(lefts) // 8] - 1 if lefts else 0.0


def _numbers_after_label(line: TextLine) -> tuple[Chunk, ...]:
    """Return the numbers of a line without a year that is its label."""
    numbers = numbers_of(line)
    labelled = len(numbers) > 1 and len(numbers) == len(line.chunks) and is_year(numbers[0].text)
    return numbers[1:] if labelled and not is_year(numbers[1].text) else numbers


def _header_start(lines: Sequence[TextLine], first: int, stop: int, last: int) -> int:
    """Return the start of the header above a table's first line with numbers."""
    left = _values_left(lines[first:last])
    right = max(line.right for line in lines[first:last])
    heading_left = _heading_left(lines[first:last], left)
    top = first
    for place in range(first - 1, max(stop, first - _HEADING_LINES) - 1, -1):
        line, below = lines[place], lines[place + 1]
        if below.y - line.y > _STEP * max(line.size, below.size) or not _can_head(line, heading_left, right):
            break
        top = place
    top = _header_over_labels(lines, top, stop, heading_left, left)
    table_left = min(line.left for line in lines[first:last])
    while top < first and _spans_table(lines[top], table_left, right, left):
        top += 1
    return top


def _heading_left(lines: Sequence[TextLine], left: float) -> float:
    """Return the leftmost position of column headings: slightly left of the numbers, but right of the labels."""
    labels_left = min(line.left for line in lines)
    size = max(line.size for line in lines)
    return max(left - _HEADING_REACH * size, labels_left + 0.6 * (left - labels_left)) if left > labels_left else left


def _header_over_labels(lines: Sequence[TextLine], top: int, stop: int, heading_left: float, left: float) -> int:
    """Return the start of a header that is above the first labels of a table, which have no numbers."""
    place = top - 1
    while place >= max(stop, top - _LABELS_FIRST) and _is_label_line(lines, place, left):
        place -= 1
    if place == top - 1 or place < stop or not _can_head(lines[place], heading_left, 1e4):
        return top
    if not (len(lines[place].chunks) > 1 or is_date(lines[place].text) or is_plain_caption(lines[place].text)):
        return top
    while place > stop and _can_head(lines[place - 1], heading_left, 1e4) and _is_near(lines, place - 1):
        place -= 1
    return place


def _is_label_line(lines: Sequence[TextLine], place: int, left: float) -> bool:
    line = lines[place]
    is_short = line.left < left - 4 * line.size and line.right < left + line.size
    return is_short and not line.text.endswith(".") and _is_near(lines, place)


def _is_near(lines: Sequence[TextLine], place: int) -> bool:
    line, below = lines[place], lines[place + 1]
    return below.y - line.y <= _STEP * max(line.size, below.size)


def _spans_table(line: TextLine, left: float, right: float, values_left: float) -> bool:
    """Whether a line is the title or caption of a whole table, centred over it including the labels."""
    if len(line.chunks) > 1 or abs(line.chunks[0].center - (left + right) / 2) > 14:
        return False
    if line.left >= values_left:
        return is_plain_caption(line.text) or is_statement(line.text) or is_company(line.text)
    return is_plain_caption(line.text) or not is_date(line.text)


def _can_head(line: TextLine, left: float, right: float) -> bool:
    """Whether a line without numbers can be a heading of the columns below it."""
    if line.left >= left:
        return line.right <= right + 3 * line.size
    if len(line.chunks) > 1:
        first, *rest = line.chunks
        is_corner = first.right < left or len(first.words) < 7 or is_date(first.text) or is_plain_caption(first.text)
        return is_corner and all(len(chunk.text) < 60 for chunk in rest) and rest[0].left >= left
    return _begins_caption(line) and line.right < left


def _begins_caption(line: TextLine) -> bool:
    """Whether a line begins a wrapped caption ("(Amounts in", with "millions)" below it)."""
    return line.text.startswith("(") and is_plain_caption(f"{line.text} millions)")


def _region(lines: Sequence[TextLine], top: int, end: int) -> Region | None:
    """Return the table in some lines; None for unaligned numbers or a single row without header.

    At the top of a page even a single row may be the end of a table.
    """
    left = _values_left(lines[top:end])
    header = _header_end(lines, top, end, _heading_left(lines[top:end], left), left)
    body = tuple(lines[header:end])
    rows = [line for line in body if numbers_of(line)]
    alone = len(rows) < 2 and header == top
    if not rows or (alone and top > _MOST_LINES_ABOVE) or not _are_aligned(rows):
        return None
    return Region(tuple(lines[top:header]), body, top, end)


def _header_end(lines: Sequence[TextLine], top: int, end: int, heading_left: float, left: float) -> int:
    """Return the index after the last line of a table's header.

    Lines above the labels belong to the header if years follow them.
    """
    header = top
    for place in range(top, min(end, top + _HEADING_LINES)):
        line = lines[place]
        if _is_header_line(line, heading_left, left):
            if place == header or sum(is_year(chunk.text) for chunk in line.chunks) > 1:
                header = place + 1
        elif numbers_of(line) or header == top:
            break
    return header


def _is_header_line(line: TextLine, heading_left: float, left: float) -> bool:
    """Whether a line at the top of a table belongs to its header."""
    numbers = numbers_of(line)
    first = line.chunks[0]
    if len(line.chunks) == 1 and (is_plain_caption(first.text) or _begins_caption(line)):
        return True
    if len(line.chunks) == 1:
        return first.left >= heading_left and not (is_value(first.text) and not is_year(first.text))
    if any(not is_year(chunk.text) for chunk in numbers):
        return False
    if first.left >= left:
        return True
    if numbers:
        return len(numbers) > 1 or any(
            is_date(c.text) or is_plain_caption(c.text) for c in line.chunks if c not in numbers
        )
    return True


def _are_aligned(rows: Sequence[TextLine]) -> bool:
    """Whether numbers are aligned: most lines share a column with another one."""
    if len(rows) == 1:
        return True
    spans = [[(chunk.left, chunk.right) for chunk in numbers_of(row)] for row in rows]
    shared = 0
    for place, own in enumerate(spans):
        others = [span for other, found in enumerate(spans) if other != place for span in found]
        shared += any(left < other[1] and other[0] < right for left, right in own for other in others)
    return 2 * shared > len(rows)


# Tables side by side, such as the two sides of a balance sheet.

_LABELLED = 0.6
"""Minimal share of the rows on the right that have a label between their numbers and those on the left."""

_NAMES = 0.7
"""Minimal share of labels that are words and differ; fragments such as "down 32%" or "long-term" repeat."""


def split_side_by_side(region: Region) -> list[Region]:
    """Return the tables of a region, from left to right; several if the labels of one are to the right of another.

    Text between numbers is a column of labels only if the numbers on both sides have the same periods.
    """
    edge = _labels_edge(region)
    if edge is None:
        return [region]
    titles = _titles(region.header, edge)
    header, body = _split_lines(region.header[titles:], edge), _split_lines(region.body, edge)
    left, right = (
        replace(region, header=tuple(header[side]), body=tuple(body[side]), start=region.start + titles)
        for side in (0, 1)
    )
    if not (_periods(left) and _periods(left) == _periods(right)):
        return [region]
    return [*split_side_by_side(left), *split_side_by_side(right)]


def _labels_edge(region: Region) -> float | None:
    """Return the left edge of a column of labels with numbers on both sides; None if there is no such column."""
    between = [found for line in region.body if (found := _label_between(line)) is not None]
    labels = {label.text for _, label in between if not any(map(str.isdigit, label.text))}
    if len(between) < 2 or len(labels) < _NAMES * len(between):
        return None
    reach = max(number.right for number, _ in between)
    behind = [chunk for line in region.body for chunk in line.chunks if chunk.left >= reach]
    edge = (reach + min(chunk.left for chunk in behind)) / 2
    numbered = sum(any(number.left > edge for number in numbers_of(line)) for line in region.body)
    crossing = [line for line in (*region.header, *region.body) if _crosses(line, edge)]
    # A caption over both tables may cross the edge.
    over_both = all(len(line.chunks) == 1 and line in region.header for line in crossing)
    return edge if over_both and len(between) >= _LABELLED * numbered else None


def _label_between(line: TextLine) -> tuple[Chunk, Chunk] | None:
    """Return the number before the first label that is between numbers, and that label."""
    values = [is_value(chunk.text) for chunk in line.chunks]
    for place in range(1, len(values) - 1):
        words = not values[place] and any(map(str.isalpha, line.chunks[place].text))
        if words and values[place - 1] and any(values[place + 1 :]):
            return line.chunks[place - 1], line.chunks[place]
    return None


def _titles(header: Sequence[TextLine], edge: float) -> int:
    """Return the number of title lines at the top of a header that extend over both tables."""
    over_both = (_crosses(line, edge) and not is_plain_caption(line.text) for line in header)
    return next((place for place, title in enumerate(over_both) if not title), len(header))


def _crosses(line: TextLine, edge: float) -> bool:
    return any(chunk.left < edge < chunk.right for chunk in line.chunks)


def _split_lines(lines: Sequence[TextLine], edge: float) -> tuple[list[TextLine], list[TextLine]]:
    """Split lines at an edge; a caption that crosses it is copied to both sides."""
    left, right = list[TextLine](), list[TextLine]()
    for line in lines:
        before = tuple(chunk for chunk in line.chunks if chunk.left < edge)
        behind = line.chunks[len(before) :]
        if before:
            left.append(TextLine(before))
        if behind or (before[-1].right > edge and is_plain_caption(line.text)):
            right.append(TextLine(behind or before))
    return left, right


def _periods(region: Region) -> list[str]:
    """Return the texts of the lowest header line with periods."""
    for line in reversed(region.header):
        if periods := [chunk.text for chunk in line.chunks if is_date(chunk.text) and not is_plain_caption(chunk.text)]:
            return periods
    return []
