"""Plain text: headings by their shape, tables whose columns are made of spaces, paragraphs, pages.

Reads what was filed before HTML was, too: `<TABLE>`, `<CAPTION>`, `<S>`, `<C>` and `<PAGE>`, and the head of a filing
that the SEC puts before it; files that are no text in it are left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import parse_period
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.captions import is_caption
from quaestor.documents.document import Document
from quaestor.documents.prose import split_prose
from quaestor.readers.content import FileContent
from quaestor.readers.kinds import is_plain_text
from quaestor.readers.text_tables import is_rule, is_table_line, read_grid, table_end, table_start

_LONGEST = 8_000_000
"""Characters that are read."""

_LONGEST_TABLE = 1_000
"""Lines."""

_PAGE_TAG = lazy_regex(r"\s*+<PAGE>\s*+[0-9A-Za-z-]*+\s*+", re.IGNORECASE)
_PAGE_NUMBER = lazy_regex(
    r"\s*(?:-\s*)?(?:page\s+)?[0-9]{1,3}(?:\s+of\s+[0-9]{1,3})?(?:\s*-)?\s*|\s*[FS]-[0-9]{1,3}\s*", re.I
)
_TAG = lazy_regex(r"</?(?:TABLE|CAPTION|S|C|FN|F[0-9]+|TEXT|DOCUMENT|SEC-DOCUMENT|SEC-HEADER|R|PRE)>", re.IGNORECASE)
_NO_TEXT = lazy_regex(
    r"<DOCUMENT>\s*<TYPE>(?:GRAPHIC|ZIP|EXCEL|PDF|XML|JSON|EX-101|EX-27)\b.*?(?:</DOCUMENT>|\Z)", re.DOTALL
)
_SEC_FIELD = lazy_regex(r"<(?:TYPE|SEQUENCE|FILENAME|DESCRIPTION|ACCEPTANCE-DATETIME|SEC-HEADER|SEC-DOCUMENT)>.*")
_PART = lazy_regex(r"part\s+[ivx]+\b.{0,80}", re.IGNORECASE)
_ITEM = lazy_regex(r"item\s+[0-9]+[a-c]?\b.{0,110}", re.IGNORECASE)
_NOTE = lazy_regex(r"(?:note\s+[0-9]+|[0-9]{1,2}\.|\([0-9]{1,2}\))\s*[-.:—]?\s*[A-Z].{0,90}")
_LONGEST_HEADING = 110


class PlainTextReader:
    """Reads any text that is not a table, no markup and no data."""

    name = "text"

    def recognises(self, content: FileContent) -> bool:
        """Return whether it is text without a mark of its own."""
        return is_plain_text(content) and len(content.text.text.strip()) > 1

    def read(self, content: FileContent) -> Document:
        """Return the headings, tables and paragraphs of a text."""
        warnings = list(content.text.warnings)
        # As many lines as before: each knows its number.
        text = _NO_TEXT.sub(lambda left_out: "\n" * left_out[0].count("\n"), content.text.text)
        if len(text) > _LONGEST:
            text = text[: text.rfind("\n", 0, _LONGEST) + 1 or _LONGEST]
            warnings.append(f"only the first {_LONGEST:,} characters were read")
        return assemble(content.name, list(_Text(text).parts()), warnings, filing=True)


@dataclass(slots=True)
class _Lead:
    """The short lines over a table."""

    title: str = ""
    caption: str = ""
    more: list[str] = field(default_factory=list)


class _Text:
    """The lines of a text, each with its page."""

    def __init__(self, text: str) -> None:
        self.lines: list[str] = []
        self.pages: list[int] = []
        page = 1
        paged = "\f" in text or _has_page_tags(text)
        for line in text.replace("\v", "\n").split("\n"):
            for number, stretch in enumerate(line.split("\f")):
                tagged = _PAGE_TAG.fullmatch(stretch) is not None
                page += (number > 0) + (tagged and any(self.lines))
                if number and not self.lines[-1].strip():
                    # A form feed begins a line: what is before it is none.
                    self.lines[-1], self.pages[-1] = "" if tagged else stretch, page
                    continue
                self.lines.append("" if tagged or _SEC_FIELD.fullmatch(stretch) else stretch)
                self.pages.append(page)
        self.paged = paged
        if paged:
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
        """Yield what the lines hold."""
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
                    start = table_start(self.lines, place, pending)
                    table = self._table(start, place - start, end)
                    yield from self._with_lead(pending, start, table)
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
        """Return the table between tags; None if nothing between them has columns."""
        lines = [_TAG.sub("", line) if "<" in line else line for line in self.lines[first:end]]
        marked = next((n for n in range(first, end) if "<C>" in self.lines[n].upper().partition("<S>")[2]), None)
        rows = [n for n, line in enumerate(lines) if is_table_line(line)]
        if not rows:
            return None
        body = marked - first if marked is not None else rows[0]
        grid = read_grid(lines, body)
        if max(map(len, grid), default=0) < 2:
            return None
        lead = _Lead()
        while grid and body > 0 and not any(grid[0][1:]) and grid[0][0]:
            line = grid.pop(0)[0]
            _take_lead(lead, line)
        return TablePart(grid, lead.caption, self._page(first), self._anchor(first, end - 1), lead.title)

    def _table(self, first: int, header: int, end: int) -> TablePart:
        grid = read_grid(self.lines[first:end], header)
        return TablePart(grid, "", self._page(first), self._anchor(first, end - 1))

    def _with_lead(self, first: int, place: int, table: TablePart) -> Iterator[DocumentPart]:
        """Yield the text before a table and the table, the short lines right over it as its title and caption."""
        lead, start = _Lead(table.title, table.caption), place
        while start > first and place - start < 8:
            line = self.lines[start - 1].strip()
            if line and not self._takes_lead(lead, start - 1, first):
                break
            start -= 1
        yield from self._text(first, start)
        if lead.more:
            yield ParagraphPart(tuple(lead.more), self._page(start), self._anchor(start, place - 1))
        yield TablePart(table.grid, lead.caption, table.page, table.anchor, lead.title)

    def _takes_lead(self, lead: _Lead, place: int, first: int) -> bool:
        """Whether a line is a title or a caption, and taken as such: in the middle of the line, or in brackets."""
        line, text = self.lines[place], self.lines[place].strip()
        if is_rule(line):
            return True
        alone = place == first or not self.lines[place - 1].strip() or self.lines[place - 1][:8].isspace()
        centred = len(line) - len(line.lstrip()) >= 8
        if len(text) > _LONGEST_HEADING or text.endswith(".") or not (centred or is_caption(text)) or not alone:
            return False
        if _take_lead(lead, text):
            return True
        # Lines that stand together with the title belong to it, such as the company's name.
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
            if not text or is_rule(self.lines[place]) or level is not None:
                yield from self._paragraph(paragraph, begun, place)
                paragraph = []
            if level is not None:
                yield HeadingPart(" ".join(text.split()), level, self._page(place), self._anchor(place, place))
            elif text and not is_rule(self.lines[place]):
                begun = begun if paragraph else place
                paragraph.append(text)
        yield from self._paragraph(paragraph, begun, end)

    def _paragraph(self, lines: list[str], first: int, end: int) -> Iterator[DocumentPart]:
        if sentences := split_prose(" ".join(" ".join(lines).split())):
            yield ParagraphPart(sentences, self._page(first), self._anchor(first, end - 1))

    def _heading_level(self, place: int, text: str, first: int, end: int) -> int | None:
        """Return the level of a line that is a heading: short, alone, and of the form of one; else None."""
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
        return f"line {first + 1}" if first >= last else f"lines {first + 1}-{last + 1}"


def _take_lead(lead: _Lead, text: str) -> bool:
    """Take a line as caption or title, if there is none of the kind yet."""
    words = " ".join(text.split())
    if is_caption(words) and not lead.caption:
        lead.caption = words
        return True
    if not lead.title and any(map(str.isalpha, words)):
        lead.title = words
        return True
    return False


def _has_page_tags(text: str) -> bool:
    return re.search(r"^\s*<PAGE>", text, re.IGNORECASE | re.MULTILINE) is not None
