"""Two tables that stand side by side, as the sides of a balance sheet do -> a region for each."""

from collections.abc import Sequence
from dataclasses import replace

from quaestor.readers.pdf.cells import is_date, is_plain_caption, is_value
from quaestor.readers.pdf.lines import Chunk, TextLine
from quaestor.readers.pdf.regions import Region, numbers_of

_LABELLED = 0.6
"""What part of the rows on the right has a label between its numbers and those on the left."""

_NAMES = 0.7
"""The share of labels that are words and differ from each other: "down 32%" and "long-term" do not name rows."""


def split_beside(region: Region) -> list[Region]:
    """Return the tables of a region, from left to right: several where the labels of one stand right of another.

    Words between numbers are such labels if numbers of the same periods are on both sides of them.
    """
    edge = _labels_edge(region)
    if edge is None:
        return [region]
    titles = _titles(region.header, edge)
    header, body = _parted(region.header[titles:], edge), _parted(region.body, edge)
    left, right = (
        replace(region, header=tuple(header[side]), body=tuple(body[side]), start=region.start + titles)
        for side in (0, 1)
    )
    if not (_periods(left) and _periods(left) == _periods(right)):
        return [region]
    return [*split_beside(left), *split_beside(right)]


def _labels_edge(region: Region) -> float | None:
    """Return where a column of labels begins that has numbers on both of its sides; None if there is none."""
    between = [found for line in region.body if (found := _label_between(line)) is not None]
    labels = {label.text for _, label in between if not any(map(str.isdigit, label.text))}
    if len(between) < 2 or len(labels) < _NAMES * len(between):
        return None
    reach = max(number.right for number, _ in between)
    behind = [chunk for line in region.body for chunk in line.chunks if chunk.left >= reach]
    edge = (reach + min(chunk.left for chunk in behind)) / 2
    numbered = sum(any(number.left > edge for number in numbers_of(line)) for line in region.body)
    crossing = [line for line in (*region.header, *region.body) if _crosses(line, edge)]
    # What is over both, such as a caption, may cross.
    over_both = all(len(line.chunks) == 1 and line in region.header for line in crossing)
    return edge if over_both and len(between) >= _LABELLED * numbered else None


def _label_between(line: TextLine) -> tuple[Chunk, Chunk] | None:
    """Return the first words of a line that have numbers before and behind them, and the number before them."""
    values = [is_value(chunk.text) for chunk in line.chunks]
    for place in range(1, len(values) - 1):
        words = not values[place] and any(map(str.isalpha, line.chunks[place].text))
        if words and values[place - 1] and any(values[place + 1 :]):
            return line.chunks[place - 1], line.chunks[place]
    return None


def _titles(header: Sequence[TextLine], edge: float) -> int:
    """Return how many lines at the top of a header are titles over both tables."""
    over_both = (_crosses(line, edge) and not is_plain_caption(line.text) for line in header)
    return next((place for place, title in enumerate(over_both) if not title), len(header))


def _crosses(line: TextLine, edge: float) -> bool:
    return any(chunk.left < edge < chunk.right for chunk in line.chunks)


def _parted(lines: Sequence[TextLine], edge: float) -> tuple[list[TextLine], list[TextLine]]:
    """Split lines at an edge; a caption that crosses it is of both sides."""
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
    """Return what the lowest line of headings with periods says."""
    for line in reversed(region.header):
        if periods := [chunk.text for chunk in line.chunks if is_date(chunk.text) and not is_plain_caption(chunk.text)]:
            return periods
    return []
