"""Reader of plain text: headings by their form, tables aligned with spaces, paragraphs, pages.

Also reads filings from before HTML, with the tags `<TABLE>`, `<CAPTION>`, `<S>`, `<C>` and `<PAGE>` and the SEC's
header. Embedded files that are not text are left out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from quaestor.core.currencies import CODE
from quaestor.core.number_conventions import END_LOOK, NUMBER_LOOK, SIGN_LOOK
from quaestor.core.parsing import is_money
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import parse_period
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.captions import is_caption
from quaestor.documents.document import Document
from quaestor.documents.sentences import merge_spans, split_prose
from quaestor.documents.unit_phrases import currency_alone
from quaestor.readers.content import FileContent
from quaestor.readers.kinds import is_plain_text
from quaestor.readers.tabular import line_anchor

_LEADERS = lazy_regex(r"(?<=\S)\s?(?:(?<!\.)\.{3,}+|(?<!\s\.)(?>(?:\s\.){3,})|(?<!_)_{3,}+)(?=\s|$)")
_BLANK = lazy_regex(r"[\u00a0\u2002-\u200a\u202f](?:(?<![0-9].)|(?![0-9]{3}(?![0-9])))")
_PIECE = lazy_regex(r"[^ \t\r\f\v\n]+(?: [^ \t\r\f\v\n]+)*")
_NUMBER = lazy_regex(
    rf"(?:(?:{CODE}|P(?:[Hh][Pp])?)\s)?\(?(?:{SIGN_LOOK}|<)?[$€£]?\s?\(?{SIGN_LOOK}?\s?{NUMBER_LOOK}{END_LOOK}"
    r"\s?[€£]?-?[)>]?\s?%?(?:p|c|cps)?\s?\)?(?:\s?\((?:[0-9a-zA-Z]|[CcDd][Rr])\)|\*{1,3}|\s?[\u25b2\u25b3\u25bc\u25bd])?"
)
_NARROW = str.maketrans({chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)})
"""Full-width digits and signs, as in Chinese and Japanese text, to their ASCII forms."""
_SIGNED = lazy_regex(rf"[$€£]?\s?{SIGN_LOOK}\s")
_SPACED = lazy_regex(r"[-(\u2212]?(?:[0-9]{1,2}(?: [0-9]{3})+|[0-9]{1,3}(?: [0-9]{3})+[.,][0-9]+)[)-]?")
"""A number with spaces as thousands separators; does not match text that could be two columns."""
_NOTHING = lazy_regex(r"[$€£]?\s?(?:-{1,3}|\u2013|\u2014|\*{1,3})\s?%?|n/?[am]|nil", re.IGNORECASE)
_RULE = lazy_regex(r"[\s\-=_]*+[\s\-=_$]*+")
_DRAWN = lazy_regex(r"[-=_]{3,}")
"""A line under a heading, which is as wide as the columns that the heading is over."""
_REMARK = lazy_regex(r"\(?(?:un-?audited|audited|(?:as )?(?:restated|adjusted|reported))\)?", re.IGNORECASE)
"""A remark below the year of a column."""
_UNFINISHED = lazy_regex(r"\b(?:per|of|and|or|in|for|to|the|a|an|by|from|on|with|at|under)$|,$", re.IGNORECASE)
_YEAR = lazy_regex(r"(?:19|20)[0-9]{2}")
_SIGN = lazy_regex(r"[$€£]?\(|P(?:[Hh][Pp])?")
"""What may be printed at the edge of a column, apart from its number; `P` is that of pesos."""
_NUMBERING = lazy_regex(r"[0-9]{1,2}\.(?:[0-9]{1,2}\.?)*")
_LISTED = lazy_regex(r"\([0-9a-zA-Z]{1,3}\)")
_REST_IN_BRACKETS = lazy_regex(r"\([^()]{4,}\)")
_BULLET = lazy_regex(r"[-*\u2013\u2022\u00b7\u25aa]\s+(?=[^\s-])")
_MOST_BETWEEN = 4
"""Limit for consecutive lines without numbers inside a table."""

_MOST_HEADER = 6
_MOST_SECTIONS = 3
"""Limit for lines with names of sections between the headings of a table and its first row with values."""
_LONGEST_LABEL = 70


@dataclass(frozen=True, slots=True)
class Piece:
    """Adjacent words of a line, from column `start` up to `end`."""

    text: str
    start: int
    end: int
    is_name: bool = False

    @property
    def is_number(self) -> bool:
        """Whether it is an amount, or the sign of a missing one."""
        if self.is_name:
            return False
        text = self.text.translate(_NARROW)
        if _NOTHING.fullmatch(text):
            return True
        return bool(_NUMBER.fullmatch(text) or is_money(text)) and not is_caption(text)

    def overlaps(self, start: int, end: int) -> bool:
        """Whether the piece overlaps a range of columns."""
        return self.start < end and start < self.end


def pieces(line: str) -> list[Piece]:
    """Split a line at wide spaces and leaders; a separate `$`, `)` or `%` is joined to its number."""
    line = _LEADERS.sub(lambda leaders: " " * len(leaders[0]), line.expandtabs())
    if not line.isascii():
        line = _BLANK.sub(" ", line)
    found: list[Piece] = []
    for match in _PIECE.finditer(line):
        for piece in _single(match[0], match.start()):
            before = found[-1] if found else None
            near = before is not None and piece.start - before.end < 12
            if before and near and (currency_alone(before.text) or _SIGN.fullmatch(before.text)):
                found[-1] = Piece(f"{before.text} {piece.text}", before.start, piece.end)
            elif before and near and piece.text in (")", "%", ")%") and before.is_number:
                found[-1] = Piece(before.text + piece.text, before.start, piece.end)
            else:
                found.append(piece)
    if len(found) > 1 and _NUMBERING.fullmatch(found[0].text) and found[1].text[0].isalpha():
        found[:2] = [Piece(f"{found[0].text} {found[1].text}", found[0].start, found[1].end)]
    return found


def _single(text: str, start: int) -> list[Piece]:
    """Return a piece, split into its numbers if it consists only of numbers."""
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
    """Return whether a line is a table row: at least two pieces, the last one a number."""
    found = pieces(line) if len(line) < 1_000 else []
    return _has_values(found) and not _are_periods(found)


def _has_values(found: Sequence[Piece]) -> bool:
    """Whether pieces end with a number, or with the label in another language after two of them."""
    if len(found) > 3 and not found[0].is_number and found[-1].text[0].isalpha():
        found = found[:-1] if found[-3].is_number else ()
    return len(found) > 1 and found[-1].is_number


def _are_periods(found: Sequence[Piece]) -> bool:
    return len(found) > 1 and all(parse_period(piece.text) for piece in found)


def _are_years(found: Sequence[Piece]) -> bool:
    """Whether the numbers of a line are consecutive years, as in headings: "Note  2024  2023"."""
    years = [int(piece.text) if _YEAR.fullmatch(piece.text) else 0 for piece in found if piece.is_number]
    return len(years) > 1 and all(years) and all(abs(one - other) == 1 for one, other in pairwise(years))


def is_rule(line: str) -> bool:
    """Return whether a line is a horizontal rule."""
    drawn = line.partition("$")[0]
    return _RULE.fullmatch(line) is not None and any(pair in drawn for pair in ("--", "==", "__"))


def table_end(lines: Sequence[str], start: int) -> int:
    """Return the line after the table whose first row with values is at `start`; `start` if it is not a table."""
    rows, width, last, place = 0, 0, start, start
    while place < len(lines) and place - last <= _MOST_BETWEEN:
        line = lines[place]
        if is_table_line(line):
            rows, last = rows + 1, place
            width = max(width, sum(piece.is_number for piece in pieces(line)))
        elif not _may_be_in_table(line) or (_are_periods(found := pieces(line)) and len(found) != width):
            break
        place += 1
    if rows < 2:
        return start
    end = last + 1
    return end + 1 if end < len(lines) and is_rule(lines[end]) else end


def _may_be_in_table(line: str) -> bool:
    text = line.strip()
    return not text or is_rule(line) or (len(text) <= _LONGEST_LABEL and not text.endswith((".", ";")))


def find_header(lines: Sequence[str], start: int, earliest: int) -> range:
    """Return the lines of the header of a table, whose first row with values is at `start`."""
    rows = [pieces(line) for line in lines[start : start + 12] if is_table_line(line)]
    columns = _columns([_with_name(row) for row in rows] if _are_named_by_years(rows) else rows)
    left = columns[0][0] if columns else 0
    is_header = _are_years(rows[0]) and not _are_named_by_years(rows)
    first, end = start, start + is_header
    above = [
        place for place in range(max(earliest, start - 12), start) if lines[place].strip() and not is_rule(lines[place])
    ]
    sections = 0
    for place in reversed(above[-_MOST_HEADER:]):
        found = pieces(lines[place])
        lone = len(found) == 1
        if not any(piece.end > left for piece in found) or (lone and found[0].start < left // 2):
            # What heads the first lines of the table: its columns are headed above it.
            sections += 1
            heads_first = end == first and sections <= _MOST_SECTIONS and _may_be_in_table(lines[place])
            if not heads_first and not (lone and found[0].end <= left and found[0].text.endswith(":")):
                break
            continue
        if lone and sections and end == first and found[0].start < left:
            break
        if end > first and found[0].start < left and not lines[place + 1].strip():
            break  # a title over the whole table
        end = end if end > first else place + 1
        first = place
    while first < end < len(lines) and is_rule(lines[end]):
        end += 1
    return range(first, end)


def read_grid(lines: Sequence[str], header: int) -> list[list[str]]:
    """Return the cells of a table, whose first `header` lines are its header."""
    cut = [pieces(line) if not is_rule(line) else [] for line in lines]
    body = [found for found in cut[header:] if _has_values(found)]
    if _are_named_by_years(body):
        cut[header:] = [_with_name(found) for found in cut[header:]]
        body = [_with_name(found) for found in body]
    columns = _with_columns_of_names(_columns(body), body)
    for place in range(header):
        headings = [piece for piece in cut[place] if not _DRAWN.fullmatch(piece.text)]
        cut[place] = _as_wide_as_lines(headings, next(filter(str.strip, lines[place + 1 :]), ""))
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


def _are_named_by_years(rows: Sequence[Sequence[Piece]]) -> bool:
    """Whether rows are named by the years at their beginning: "1999 .... 14  180,400"."""
    firsts = [row[0].text for row in rows if row[0].is_number]
    return len(firsts) > 1 and all(
        not row[0].is_number or (_YEAR.fullmatch(row[0].text) and not _YEAR.fullmatch(row[1].text)) for row in rows
    )


def _with_name(row: Sequence[Piece]) -> list[Piece]:
    return [replace(row[0], is_name=True), *row[1:]] if row and _YEAR.fullmatch(row[0].text) else list(row)


def _is_wrapped(above: Sequence[str], row: Sequence[str]) -> bool:
    """Whether a row continues the label of the row above, which has no values."""
    if any(above[1:]) or not above[0] or above[0].endswith(":"):
        return False
    if row[0][:1].islower():
        return True
    unfinished = _UNFINISHED.search(above[0]) and not _LISTED.match(row[0])
    return any(row[1:]) and bool(unfinished or _REST_IN_BRACKETS.fullmatch(row[0]))


def _as_wide_as_lines(headings: Sequence[Piece], below: str) -> list[Piece]:
    """Extend each heading to the width of the line drawn below it, if it does not share that line."""
    found = list(headings)
    for run in _DRAWN.finditer(below.expandtabs()):
        over = [place for place, piece in enumerate(headings) if piece.overlaps(*run.span())]
        if len(over) == 1:
            piece = found[over[0]]
            found[over[0]] = Piece(piece.text, min(piece.start, run.start()), max(piece.end, run.end()))
    return found


def _with_columns_of_names(columns: list[tuple[int, int]], rows: Sequence[Sequence[Piece]]) -> list[tuple[int, int]]:
    """Return the columns, and those of words: where a property is, or the second half of a list printed in two."""
    if not columns:
        return columns
    right = [(piece.start, piece.end) for row in rows for piece in row[1:] if not piece.is_number]
    names = merge_spans(right)
    count = {name: sum(start >= name[0] and end <= name[1] for start, end in right) for name in names}
    often = [name for name in names if 2 * count[name] > len(rows)]
    clear = [name for name in often if not any(start < name[1] and name[0] < end for start, end in columns)]
    return sorted((*columns, *clear))


def _columns(rows: Sequence[Sequence[Piece]]) -> list[tuple[int, int]]:
    """Return the start and end of each column of numbers, from left to right."""
    columns = merge_spans((piece.start, piece.end) for row in rows for piece in row if piece.is_number)
    crowded = any(sum(piece.is_number and piece.overlaps(*c) for piece in row) > 1 for row in rows for c in columns)
    return _columns_by_edge(rows) if crowded else columns


def _columns_by_edge(rows: Sequence[Sequence[Piece]]) -> list[tuple[int, int]]:
    """Return the columns of numbers by their right edges, for numbers of neighbouring columns that overlap."""
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
        is_label = piece is found[0] and len(found) > 1 and found[1].overlaps(*columns[0]) if columns else False
        if not over and not is_label and columns and piece.end > columns[0][0] - 8:
            over = [column] if (column := _column_of(piece, columns)) is not None else []
        for column in over:
            # A unit as wide as the column of percentages beside it is not the unit of that column.
            before = row[column + 1] if piece.text != "%" or row[column + 1] != row[column] else ""
            row[column + 1] = f"{before} {piece.text}".strip()
        if not over:
            row[0] = f"{row[0]} {piece.text}".strip()
    return row


def _column_of(piece: Piece, columns: Sequence[tuple[int, int]]) -> int | None:
    """Return the index of the nearest column; None if the piece is left of all columns."""
    if not columns or piece.end <= columns[0][0] - 8:
        return None
    by_distance = [max(start - piece.end, piece.start - end, 0) for start, end in columns]
    nearest = min(range(len(columns)), key=lambda n: (by_distance[n], abs(columns[n][1] - piece.end)))
    return nearest if by_distance[nearest] < 12 else None


_LONGEST = 8_000_000
"""Limit in characters for a text."""

_LONGEST_TABLE = 1_000
"""Limit in lines."""

_PAGE_TAG = lazy_regex(r"\s*+<PAGE>\s*+[0-9A-Za-z-]*+\s*+", re.IGNORECASE)
_HAS_PAGE_TAGS = lazy_regex(r"^[^\S\n]*+<PAGE>", re.IGNORECASE | re.MULTILINE)
_PAGE_NUMBER = lazy_regex(
    r"\s*(?:-\s*)?(?:page\s+)?[0-9]{1,3}(?:\s+of\s+[0-9]{1,3})?(?:\s*-)?\s*|\s*[FS]-[0-9]{1,3}\s*", re.I
)
_TAG = lazy_regex(r"</?(?:TABLE|CAPTION|S|C|FN|F[0-9]+|TEXT|DOCUMENT|SEC-DOCUMENT|SEC-HEADER|R|PRE)>", re.IGNORECASE)
_NO_TEXT = lazy_regex(
    r"<DOCUMENT>\s*<TYPE>(?:GRAPHIC|ZIP|EXCEL|PDF|XML|JSON|EX-101|EX-27)\b.*?(?:</DOCUMENT>|\Z)", re.DOTALL
)
_SEC_FIELD = lazy_regex(r"<(?:TYPE|SEQUENCE|FILENAME|DESCRIPTION|ACCEPTANCE-DATETIME|SEC-HEADER|SEC-DOCUMENT)>.*")
_MULTIPLIER = lazy_regex(r"(?m:^)<MULTIPLIER>[^\S\n]*1,?000(?P<more>,?000)?[^\S\n]*(?m:$)", re.IGNORECASE)
"""The scale of a financial data schedule."""
_PART = lazy_regex(r"part\s+[ivx]+\b.{0,80}", re.IGNORECASE)
_ITEM = lazy_regex(r"item\s+[0-9]+[a-c]?\b.{0,110}", re.IGNORECASE)
_NOTE = lazy_regex(r"(?:note\s+[0-9]+|[0-9]{1,2}\.|\([0-9]{1,2}\))\s*[-.:—]?\s*[A-Z].{0,90}")
_LONGEST_HEADING = 110


class PlainTextReader:
    """Reads text that no other reader recognises."""

    name = "text"

    def recognises(self, content: FileContent) -> bool:
        """Return whether the file is plain text."""
        return is_plain_text(content) and len(content.text.text.strip()) > 1

    def read(self, content: FileContent) -> Document:
        """Return the document with the headings, tables and paragraphs of the text."""
        warnings = list(content.text.warnings)
        # Keep the number of lines, so that line numbers stay right.
        text = _NO_TEXT.sub(lambda left_out: "\n" * left_out[0].count("\n"), content.text.text)
        text = _MULTIPLIER.sub(lambda found: f"(in {'millions' if found['more'] else 'thousands'})", text)
        if len(text) > _LONGEST:
            text = text[: text.rfind("\n", 0, _LONGEST) + 1 or _LONGEST]
            warnings.append(f"only the first {_LONGEST:,} characters were read")
        return assemble(content.name, list(_PageText(text).parts()), warnings, filing=True)


@dataclass(slots=True)
class _Lead:
    """Short lines above a table."""

    title: str = ""
    caption: str = ""
    more: list[str] = field(default_factory=list)


class _PageText:
    """Lines of a text, each with its page."""

    def __init__(self, text: str) -> None:
        self.lines: list[str] = []
        self.pages: list[int] = []
        page = 1
        for line in text.replace("\v", "\n").split("\n"):
            for number, stretch in enumerate(line.split("\f")):
                tagged = _PAGE_TAG.fullmatch(stretch) is not None
                page += (number > 0) + (tagged and any(self.lines))
                if number and not self.lines[-1].strip():
                    # An empty string before a form feed is not a line.
                    self.lines[-1], self.pages[-1] = "" if tagged else stretch, page
                    continue
                self.lines.append("" if tagged or _SEC_FIELD.fullmatch(stretch) else stretch)
                self.pages.append(page)
        self.paged = "\f" in text or _HAS_PAGE_TAGS.search(text) is not None
        if self.paged:
            self._drop_page_numbers()

    def _drop_page_numbers(self) -> None:
        for place, line in enumerate(self.lines):
            if not _PAGE_NUMBER.fullmatch(line) or not line.strip():
                continue
            after = next((n for n in range(place + 1, min(place + 6, len(self.lines))) if self.lines[n].strip()), None)
            before = next((n for n in range(place - 1, max(place - 6, -1), -1) if self.lines[n].strip()), None)
            edge = after is None or before is None or self.pages[after] != self.pages[place]
            if edge or self.pages[before or 0] != self.pages[place]:
                self.lines[place] = ""

    def parts(self) -> Iterator[DocumentPart]:
        """Yield headings, paragraphs and tables."""
        place, pending = 0, 0
        while place < len(self.lines):
            if "<TABLE>" in self.lines[place].upper():
                end = self._tagged_end(place)
                if (table := self._tagged_table(place, end)) is not None:
                    yield from self._with_lead(pending, place, table)
                    place = pending = end
                    continue
            elif is_table_line(self.lines[place]):
                end = min(table_end(self.lines, place), place + _LONGEST_TABLE)
                if end > place:
                    header = find_header(self.lines, place, pending)
                    table = self._table(header.start, len(header), end)
                    yield from self._with_lead(pending, header.start, table)
                    place = pending = end
                    continue
            place += 1
        yield from self._text(pending, len(self.lines))

    def _tagged_end(self, place: int) -> int:
        for end in range(place + 1, min(place + _LONGEST_TABLE, len(self.lines))):
            upper = self.lines[end].upper()
            if "</TABLE>" in upper or "<TABLE>" in upper:
                return end + ("</TABLE>" in upper)
        return min(place + _LONGEST_TABLE, len(self.lines))

    def _tagged_table(self, first: int, end: int) -> TablePart | None:
        """Return the table between two tags; None if there are no columns between them."""
        lines = [_TAG.sub("", line) if "<" in line else line for line in self.lines[first:end]]
        marked = next((n for n in range(first, end) if "<C>" in self.lines[n].upper().partition("<S>")[2]), None)
        rows = [n for n, line in enumerate(lines) if is_table_line(line)]
        if not rows:
            return None
        body = marked - first if marked is not None else rows[0]
        grid = read_grid(lines, body)
        if max(map(len, grid), default=0) < 2:
            return None
        # The headings are before the column marks.
        heads = len(read_grid(lines[:body], body)) if marked is not None else 0
        lead = _Lead()
        while grid and body > 0 and not any(grid[0][1:]) and grid[0][0]:
            line = grid.pop(0)[0]
            heads -= 1
            _take_lead(lead, line)
        anchor = self._anchor(first, end - 1)
        header_rows = heads if heads > 0 else None
        return TablePart(grid, lead.caption, self._page(first), anchor, lead.title, header_rows)

    def _table(self, first: int, header: int, end: int) -> TablePart:
        lines = [_TAG.sub("", line) if "<" in line else line for line in self.lines[first:end]]
        # Lines are drawn under the headings of columns.
        drawn = max((n for n in range(header) if is_rule(lines[n]) and len(_DRAWN.findall(lines[n])) > 1), default=0)
        below = [piece.text for line in lines[drawn + 1 : header] if not is_rule(line) for piece in pieces(line)]
        if drawn and all(is_caption(text) or _REMARK.fullmatch(text) for text in below):
            drawn = header
        header_rows = len(read_grid(lines[:drawn], drawn)) or None
        return TablePart(
            read_grid(lines, header), "", self._page(first), self._anchor(first, end - 1), header_rows=header_rows
        )

    def _with_lead(self, first: int, place: int, table: TablePart) -> Iterator[DocumentPart]:
        """Yield the text before a table, then the table, with the short lines right above it as title and caption."""
        lead, start = _Lead(table.title, table.caption), place
        while start > first and place - start < 8:
            line = self.lines[start - 1].strip()
            if line and not self._takes_lead(lead, start - 1, first):
                break
            start -= 1
        yield from self._text(first, start)
        if lead.more:
            yield ParagraphPart(tuple(lead.more), self._page(start), self._anchor(start, place - 1))
        yield TablePart(table.grid, lead.caption, table.page, table.anchor, lead.title, table.header_rows)

    def _takes_lead(self, lead: _Lead, place: int, first: int) -> bool:
        """Use a line as title or caption if it is centred or has the form of a caption; return whether it was used."""
        line, text = self.lines[place], self.lines[place].strip()
        if is_rule(line):
            return True
        alone = place == first or not self.lines[place - 1].strip() or self.lines[place - 1][:8].isspace()
        centred = len(line) - len(line.lstrip()) >= 8
        if len(text) > _LONGEST_HEADING or text.endswith(".") or not (centred or is_caption(text)) or not alone:
            return False
        if _take_lead(lead, text):
            return True
        # Lines directly next to the title, such as the company's name, belong to it.
        together = bool(lead.title) and bool(self.lines[place + 1].strip()) and not is_caption(text)
        if together:
            lead.more.insert(0, " ".join(text.split()))
        return together

    def _text(self, first: int, end: int) -> Iterator[DocumentPart]:
        """Yield headings and paragraphs."""
        paragraph: list[str] = []
        begun = first
        for place in range(first, end):
            text = _TAG.sub("", self.lines[place]).strip() if "<" in self.lines[place] else self.lines[place].strip()
            level = self._heading_level(place, text, first, end) if text else None
            listed = _BULLET.match(text) and (not paragraph or paragraph[-1][-1] == ":" or _BULLET.match(paragraph[0]))
            if not text or is_rule(self.lines[place]) or level is not None or listed:
                yield from self._paragraph(paragraph, begun, place)
                paragraph = []
            if level is not None:
                yield HeadingPart(" ".join(text.split()), level, self._page(place), self._anchor(place, place))
            elif text and not is_rule(self.lines[place]):
                begun = begun if paragraph else place
                paragraph.append(text)
        yield from self._paragraph(paragraph, begun, end)

    def _paragraph(self, lines: list[str], first: int, end: int) -> Iterator[DocumentPart]:
        halves = [pieces(line) for line in lines]
        if len(lines) > 2 and all(len(found) == 2 and found[1].start == halves[0][1].start for found in halves):
            # The same in two languages.
            lines = [found[half].text for half in range(2) for found in halves]
        if sentences := split_prose(" ".join(" ".join(lines).split())):
            yield ParagraphPart(sentences, self._page(first), self._anchor(first, end - 1))

    def _heading_level(self, place: int, text: str, first: int, end: int) -> int | None:
        """Return the level of a heading (a short, separate line with the form of a heading); None for other lines."""
        above = place == first or not self.lines[place - 1].strip()
        below = place + 1 >= end or not self.lines[place + 1].strip() or is_rule(self.lines[place + 1])
        if not above or not below or len(text) > _LONGEST_HEADING or not any(map(str.isalpha, text)):
            return None
        if _PART.fullmatch(text):
            return 1
        if _ITEM.fullmatch(text):
            return 2
        if text.endswith((".", ",", ";")) and not _NOTE.fullmatch(text):
            return None
        underlined = place + 1 < end and is_rule(self.lines[place + 1])
        if text.isupper() and len(text.split()) > 0 and len(text) > 3 and parse_period(text) is None:
            return 3
        return 4 if underlined or _NOTE.fullmatch(text) else None

    def _page(self, place: int) -> int | None:
        return self.pages[place] if self.paged else None

    def _anchor(self, first: int, last: int) -> str:
        return line_anchor(first + 1, last + 1)


def _take_lead(lead: _Lead, text: str) -> bool:
    """Use a line as caption or title if there is none yet; return whether it was used."""
    words = " ".join(text.split())
    if is_caption(words) and not lead.caption:
        lead.caption = words
        return True
    if not lead.title and any(map(str.isalpha, words)):
        lead.title = words
        return True
    return False
