"""Tables of plain text, whose columns are made of spaces: where they begin and end, and which cell a word is in.

A line of a table ends in a number that stands apart. Columns are where its numbers are in most lines; what is
over them heads them, what stands left of them is a label.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quaestor.core.currencies import CODE
from quaestor.core.number_conventions import END_LOOK, NUMBER_LOOK, SIGN_LOOK
from quaestor.core.parsing import is_money
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import parse_period

_LEADERS = lazy_regex(r"(?<=\S)\s?(?:(?<!\.)\.{3,}+|(?<!\s\.)(?>(?:\s\.){3,})|(?<!_)_{3,}+)(?=\s|$)")
_BLANK = lazy_regex(r"[\u00a0\u2002-\u200a\u202f](?:(?<![0-9].)|(?![0-9]{3}(?![0-9])))")
_PIECE = lazy_regex(r"[^ \t\r\f\v\n]+(?: [^ \t\r\f\v\n]+)*")
_NUMBER = lazy_regex(
    rf"(?:{CODE}\s)?\(?(?:{SIGN_LOOK}|<)?[$€£]?\s?\(?{SIGN_LOOK}?\s?{NUMBER_LOOK}{END_LOOK}"
    r"\s?[€£]?-?[)>]?\s?%?\s?\)?(?:\s?\((?:[0-9a-zA-Z]|[CcDd][Rr])\)|\*{1,3}|\s?[\u25b2\u25b3\u25bc\u25bd])?"
)
_NARROW = str.maketrans({chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)})
"""Digits and signs as wide as Chinese characters are those that they look like."""
_SIGNED = lazy_regex(rf"[$€£]?\s?{SIGN_LOOK}\s")
_SPACED = lazy_regex(r"[-(\u2212]?(?:[0-9]{1,2}(?: [0-9]{3})+|[0-9]{1,3}(?: [0-9]{3})+[.,][0-9]+)[)-]?")
"""A number whose thousands are parted by spaces; what could be two columns is none."""
_NOTHING = lazy_regex(r"[$€£]?\s?(?:-{1,3}|\u2013|\u2014|\*{1,3})\s?%?|n/?[am]|nil", re.IGNORECASE)
_RULE = lazy_regex(r"[\s\-=_]*+[\s\-=_$]*+")
_MOST_BETWEEN = 4
"""Lines without numbers that a table goes over."""

_MOST_HEADER = 6
_LONGEST_LABEL = 70


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that stand together in a line, from its column `start` up to `end`."""

    text: str
    start: int
    end: int

    @property
    def is_number(self) -> bool:
        """Whether it is an amount, or stands for none."""
        text = self.text.translate(_NARROW)
        return bool(_NUMBER.fullmatch(text) or _NOTHING.fullmatch(text)) or is_money(text)

    def overlaps(self, start: int, end: int) -> bool:
        """Whether it is over or under a stretch of the line."""
        return self.start < end and start < self.end


def pieces(line: str) -> list[Piece]:
    """Return the pieces of a line that spaces or leaders part; a `$`, `)` or `%` apart belongs to its number."""
    line = _LEADERS.sub(lambda leaders: " " * len(leaders[0]), line.expandtabs())
    if not line.isascii():
        line = _BLANK.sub(" ", line)
    found: list[Piece] = []
    for match in _PIECE.finditer(line):
        for piece in _single(match[0], match.start()):
            before = found[-1] if found else None
            apart = before is not None and piece.start - before.end < 12
            if before and apart and before.text in ("$", "€", "£", "(", "$("):
                found[-1] = Piece(f"{before.text} {piece.text}", before.start, piece.end)
            elif before and apart and piece.text in (")", "%", ")%") and before.is_number:
                found[-1] = Piece(before.text + piece.text, before.start, piece.end)
            else:
                found.append(piece)
    return found


def _single(text: str, start: int) -> list[Piece]:
    """Return a piece, or each number of one that is nothing but numbers."""
    whole = [Piece(text, start, start + len(text))]
    if (_SIGNED.match(text) and whole[0].is_number) or _SPACED.fullmatch(text) or parse_period(text) is not None:
        return whole
    parted: list[Piece] = []
    at = start
    for word in text.split(" "):
        if not any(map(str.isdigit, word)) and word not in ("$", "(", ")", "%", "-", "--"):
            return whole
        before = parted[-1] if parted else None
        if before and (before.text in ("$", "(", "$ (") or word in (")", "%")):
            parted[-1] = Piece(f"{before.text} {word}", before.start, at + len(word))
        else:
            parted.append(Piece(word, at, at + len(word)))
        at += len(word) + 1
    return parted if all(piece.is_number for piece in parted) else whole


def is_table_line(line: str) -> bool:
    """Return whether a line is a row with values: at least two pieces, the last one a number."""
    found = pieces(line) if len(line) < 1_000 else []
    return len(found) > 1 and found[-1].is_number and not all(parse_period(piece.text) for piece in found)


def is_rule(line: str) -> bool:
    """Return whether a line only draws a line."""
    drawn = line.partition("$")[0]
    return _RULE.fullmatch(line) is not None and any(pair in drawn for pair in ("--", "==", "__"))


def table_end(lines: Sequence[str], start: int) -> int:
    """Return the line after a table whose first row with values is at `start`, or `start` if there is none."""
    rows, last, place = 0, start, start
    while place < len(lines) and place - last <= _MOST_BETWEEN:
        line = lines[place]
        if is_table_line(line):
            rows, last = rows + 1, place
        elif not _may_stand_within(line):
            break
        place += 1
    if rows < 2:
        return start
    end = last + 1
    return end + 1 if end < len(lines) and is_rule(lines[end]) else end


def _may_stand_within(line: str) -> bool:
    text = line.strip()
    return not text or is_rule(line) or (len(text) <= _LONGEST_LABEL and not text.endswith((".", ";")))


def table_start(lines: Sequence[str], start: int, earliest: int) -> int:
    """Return the first line of a table's header.

    Args:
        start: The table's first row with values.
    """
    columns = _columns([pieces(line) for line in lines[start : start + 12] if is_table_line(line)])
    left = columns[0][0] if columns else 0
    first = start
    for place in range(start - 1, max(earliest, start - _MOST_HEADER) - 1, -1):
        line = lines[place]
        found = pieces(line)
        if not line.strip() or is_rule(line):
            continue
        if not any(piece.end > left for piece in found) or (len(found) == 1 and found[0].start < left // 2):
            break
        first = place
    return first


def read_grid(lines: Sequence[str], header: int) -> list[list[str]]:
    """Return the cells of a table.

    Args:
        lines: Those of its header and its rows.
        header: How many of them head the columns.
    """
    cut = [pieces(line) if not is_rule(line) else [] for line in lines]
    columns = _columns([found for found in cut[header:] if found and found[-1].is_number and len(found) > 1])
    grid: list[list[str]] = []
    for place, found in enumerate(cut):
        if not found:
            continue
        row = _heading_row(found, columns) if place < header else _row(found, columns)
        wrapped = place >= header and grid and _is_wrapped(grid[-1], row)
        if wrapped:
            row[0] = f"{grid.pop()[0]} {row[0]}"
        grid.append(row)
    return grid


def _is_wrapped(above: Sequence[str], row: Sequence[str]) -> bool:
    """Whether a row goes on with the label of the one above, which has no values."""
    if any(above[1:]) or not above[0] or above[0].endswith(":"):
        return False
    return row[0][:1].islower() and any(row[1:])


def _columns(rows: Sequence[Sequence[Piece]]) -> list[tuple[int, int]]:
    """Return where the columns of numbers are, from left to right."""
    spans = sorted((piece.start, piece.end) for row in rows for piece in row if piece.is_number)
    columns: list[tuple[int, int]] = []
    for start, end in spans:
        if columns and start < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(end, columns[-1][1]))
        else:
            columns.append((start, end))
    crowded = any(sum(piece.is_number and piece.overlaps(*c) for piece in row) > 1 for row in rows for c in columns)
    return _columns_by_edge(rows) if crowded else columns


def _columns_by_edge(rows: Sequence[Sequence[Piece]]) -> list[tuple[int, int]]:
    """The same of lines in which the numbers of one column are over another's: by where they end."""
    ends = sorted((piece.end - len(piece.text) + len(piece.text.rstrip(")% *")), piece.start) for row in rows
                  for piece in row if piece.is_number)  # fmt: skip
    columns: list[tuple[int, int]] = []
    last = -10
    for end, start in ends:
        if end - last <= 2:
            columns[-1] = (max(columns[-1][0], start), end)
        else:
            columns.append((start, end))
        last = end
    return columns


def _row(found: Sequence[Piece], columns: Sequence[tuple[int, int]]) -> list[str]:
    row = [""] * (len(columns) + 1)
    for piece in found:
        column = _column_of(piece, columns) if piece.is_number or piece is not found[0] else None
        if column is None:
            row[0] = f"{row[0]}  {piece.text}".strip() if not row[0] else f"{row[0]} {piece.text}"
        else:
            row[column + 1] = f"{row[column + 1]} {piece.text}".strip()
    return row


def _heading_row(found: Sequence[Piece], columns: Sequence[tuple[int, int]]) -> list[str]:
    row = [""] * (len(columns) + 1)
    for piece in found:
        over = [n for n, (start, end) in enumerate(columns) if piece.overlaps(start - 1, end + 1)]
        if not over and columns and piece.end > columns[0][0] - 8:
            over = [column] if (column := _column_of(piece, columns)) is not None else []
        for column in over:
            row[column + 1] = f"{row[column + 1]} {piece.text}".strip()
        if not over:
            row[0] = f"{row[0]} {piece.text}".strip()
    return row


def _column_of(piece: Piece, columns: Sequence[tuple[int, int]]) -> int | None:
    """Return the column that a piece is in, or nearest to; None if it stands left of all."""
    if not columns or piece.end <= columns[0][0] - 8:
        return None
    by_distance = [max(start - piece.end, piece.start - end, 0) for start, end in columns]
    nearest = min(range(len(columns)), key=lambda n: (by_distance[n], abs(columns[n][1] - piece.end)))
    return nearest if by_distance[nearest] < 12 else None
