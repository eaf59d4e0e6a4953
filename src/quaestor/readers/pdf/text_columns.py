"""Pages that set their text in columns -> the words of one column after the other.

The gap between the columns of a table has numbers or few words beside it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from quaestor.readers.pdf.words import Word

_LINES_AT_LEAST = 12
_WORDS_AT_LEAST = 3.5
"""How many words a line has on each side of the gap, on average."""
_GAP = 0.9
"""How wide the gap is at least, in sizes of the font."""
_LETTERS = 0.75
"""What part of the words begins with a letter: in tables most begin with digits and signs."""


def text_columns(rows: Sequence[Sequence[Word]]) -> list[list[Word]]:
    """Return the words of a page in parts: what is above columns, the columns from left to right, what is below.

    Args:
        rows: The words by line, from the top down, as if there were no columns.
    """
    for start, end in _long_runs(rows):
        gap = _gap(rows[start:end])
        if gap is not None:
            inside = [word for row in rows[start:end] for word in row]
            left = [word for word in inside if word.right <= gap]
            right = [word for word in inside if word.right > gap]
            above = [word for row in rows[:start] for word in row]
            return [part for part in (above, left, right, *text_columns(rows[end:])) if part]
    return [[word for row in rows for word in row]] if rows else []


def _long_runs(rows: Sequence[Sequence[Word]]) -> Iterable[tuple[int, int]]:
    """Yield start and end of the runs of lines that one strip near the middle divides, the longest ones first."""
    words = [word for row in rows for word in row]
    if len(rows) < _LINES_AT_LEAST or not words:
        return
    left, right = min(word.left for word in words), max(word.right for word in words)
    size = sorted(word.size for word in words)[len(words) // 2]
    strips = [left + (right - left) * part / 100 for part in range(35, 66, 3)]
    runs: set[tuple[int, int]] = set()
    starts = [0] * len(strips)
    for place, row in enumerate([*rows, None]):
        for strip in range(len(strips)) if row is None else _entered(row, strips, 0.4 * size):
            if place - starts[strip] >= _LINES_AT_LEAST:
                runs.add((starts[strip], place))
            starts[strip] = place + 1
    yield from sorted(runs, key=lambda run: run[0] - run[1])


def _entered(row: Sequence[Word], strips: Sequence[float], margin: float) -> set[int]:
    """Return the places of the strips that the words of a line enter."""
    entered: set[int] = set()
    for word in row:
        entered.update(range(bisect_right(strips, word.left - margin), bisect_left(strips, word.right + margin)))
    return entered


def _gap(rows: Sequence[Sequence[Word]]) -> float | None:
    """Return the middle of the gap that divides lines into two columns of text, or None if they are none."""
    words = [word for row in rows for word in row]
    size = sorted(word.size for word in words)[len(words) // 2]
    left, right = min(word.left for word in words), max(word.right for word in words)
    reach, best = left, None
    for word in sorted(words, key=lambda word: word.left):
        middle = (reach + word.left) / 2
        if word.left - reach > _GAP * size and 0.3 < (middle - left) / (right - left) < 0.7:
            best = middle
            break
        reach = max(reach, word.right)
    if best is None:
        return None
    halves = [word for word in words if word.right <= best], [word for word in words if word.right > best]
    return best if all(_is_running_text(half, len(rows)) for half in halves) else None


def _is_running_text(words: Sequence[Word], rows: int) -> bool:
    """Whether words are lines of text: many a line, most of letters, and most lines about as long as the longest."""
    letters = sum(word.text[0].isalpha() for word in words)
    if len(words) < _WORDS_AT_LEAST * rows or letters < _LETTERS * len(words):
        return False
    ends: dict[int, float] = {}
    for word in words:
        line = round(word.y / max(word.size, 1))
        ends[line] = max(ends.get(line, 0.0), word.right)
    left, reach = min(word.left for word in words), max(ends.values())
    return sum(end > left + 0.8 * (reach - left) for end in ends.values()) > 0.55 * len(ends)
