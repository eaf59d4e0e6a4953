"""Reader of Markdown: headings, pipe tables, paragraphs and lists. Code and invisible markup are left out.

Blocks follow GitHub's dialect, line by line and in time linear in the text; inline markup is reduced to the text that
it displays.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

from quaestor.core.patterns import lazy_regex
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.captions import is_caption
from quaestor.documents.document import Document
from quaestor.documents.sentences import split_prose
from quaestor.readers.content import FileContent
from quaestor.readers.kinds import SUFFIXES, is_plain_text
from quaestor.readers.tabular import LONGEST_CELL, MOST_CELLS, line_anchor

_RULE = lazy_regex(r"^ {0,3}\|?\s*+:?-++:?\s*+(?>(?:\|\s*+:?-++:?\s*+)*)\|?\s*+$")
"""The line below the header of a pipe table."""

_RULE_IN_TEXT = lazy_regex(r"^ {0,3}\|?[ :]*-{2,}[ :]*(?:\|[ :]*-+[ :]*)+\|?\s*$", re.MULTILINE)
"""The same line in a form that only occurs in tables, used to recognise Markdown."""

_FRONT_MATTER = lazy_regex(r"---\n(?:[^\n]*\n){0,60}?(?:---|\.\.\.)\n")
_SILENT = lazy_regex(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = lazy_regex(r"\s{0,3}(```+|~~~+)")
_HEADING = lazy_regex(r"\s{0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$")
_UNDERLINE = lazy_regex(r"\s{0,3}(=+|-+)\s*$")
_BREAK = lazy_regex(r"\s{0,3}([-*_])(?:\s*\1){2,}\s*$")
_ITEM = lazy_regex(r"\s*(?:[-*+•]|([0-9]{1,3}[.)]))\s+")
_QUOTE = lazy_regex(r"(?:\s{0,3}>\s?)+")
_UNSPLIT_BAR = lazy_regex(r"(?<!\\)\|")

_TAG = lazy_regex(r"</?[a-zA-Z][^<>]{0,500}>")
_LINK = lazy_regex(r"(!?)\[([^\[\]]{0,500})\](?:\([^()\s]{0,2000}(?:\s+\"[^\"]{0,500}\")?\)|\[[^\[\]]{0,200}\])")
_NOTE = lazy_regex(r"\[\^([^\[\]\s]{1,40})\]")
_EMPHASIS = lazy_regex(
    r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,500})(?<=\S)\*(?![\w*])|(?<!\w)_(?=[^\s_])([^_\n]{1,500})_(?!\w)"
)
_ESCAPED = lazy_regex(r"\\([!-/:-@\[-`{-~])")
_LONGEST_TITLE = 120


class MarkdownReader:
    """Reads files with a Markdown suffix or with pipe tables."""

    name = "markdown"

    def recognises(self, content: FileContent) -> bool:
        """Return whether a text has a Markdown suffix or contains a pipe table."""
        if not is_plain_text(content):
            return False
        return content.suffix in SUFFIXES["markdown"] or _RULE_IN_TEXT.search(content.text.text[:1_000_000]) is not None

    def read(self, content: FileContent) -> Document:
        """Return the document with the headings, tables and paragraphs of the text."""
        text = content.text.text
        # Keep the number of lines, so that line numbers stay right.
        text = _SILENT.sub(lambda silent: "\n" * silent[0].count("\n"), text)
        front = _FRONT_MATTER.match(text)
        skipped = front[0].count("\n") if front else 0
        blocks = _Blocks(text[front.end() :].split("\n") if front else text.split("\n"), skipped)
        parts = list(_with_titles(blocks.parts()))
        return assemble(content.name, parts, [*content.text.warnings, *blocks.warnings], filing=True)


def _with_titles(parts: Iterator[DocumentPart]) -> Iterator[DocumentPart]:
    """Yield parts; a short line right before a table becomes its title or caption."""
    before: ParagraphPart | None = None
    for part in parts:
        title = caption = ""
        if before is not None:
            line = " ".join(before.sentences)
            if not isinstance(part, TablePart):
                yield before
            elif is_caption(line):
                caption = line
            elif len(line) < _LONGEST_TITLE and not line.endswith((".", ":", ";")):
                title = line
            else:
                yield before
        before = part if isinstance(part, ParagraphPart) else None
        if isinstance(part, TablePart):
            yield TablePart(part.grid, caption, None, part.anchor, title)
        elif before is None:
            yield part
    if before is not None:
        yield before


@dataclass(slots=True)
class _Blocks:
    """Splits the lines of a text into blocks."""

    lines: list[str]
    skipped: int
    warnings: list[str] = field(default_factory=list)
    paragraph: list[str] = field(default_factory=list)
    begun: int = 0
    cells: int = 0

    def parts(self) -> Iterator[DocumentPart]:
        place = 0
        while place < len(self.lines):
            line = self.lines[place]
            if fence := _FENCE.match(line):
                yield from self._end_paragraph(place)
                place = self._after_fence(place, fence[1])
            elif heading := _HEADING.match(line):
                yield from self._end_paragraph(place)
                if text := printed(heading[2] or ""):
                    yield HeadingPart(text, len(heading[1]), None, self._anchor(place, place))
                place += 1
            elif "|" in line and place + 1 < len(self.lines) and _heads_table(line, self.lines[place + 1]):
                yield from self._end_paragraph(place)
                last = self._table_end(place)
                yield self._table(place, last)
                place = last
            elif self.paragraph and (under := _UNDERLINE.match(line)):
                text = printed(" ".join(self.paragraph))
                yield HeadingPart(text, 1 if under[1][0] == "=" else 2, None, self._anchor(self.begun, place))
                self.paragraph = []
                place += 1
            else:
                yield from self._add_line(place)
                place += 1
        yield from self._end_paragraph(place)

    def _add_line(self, place: int) -> Iterator[DocumentPart]:
        """Process a line of text; yield the paragraph that ends before it, if any."""
        line = self.lines[place]
        if quote := _QUOTE.match(line):
            line = line[quote.end() :]
            if place and not _QUOTE.match(self.lines[place - 1]):
                yield from self._end_paragraph(place)
        if not line.strip() or _BREAK.match(line):
            yield from self._end_paragraph(place)
            return
        if item := _ITEM.match(line):
            yield from self._end_paragraph(place)
            line = f"{item[1] or ''} {line[item.end() :]}"
        if not self.paragraph:
            self.begun = place
        self.paragraph.append(line.strip())

    def _end_paragraph(self, place: int) -> Iterator[DocumentPart]:
        """Yield the current paragraph, which ends before a line."""
        if sentences := split_prose(printed(" ".join(self.paragraph))):
            yield ParagraphPart(sentences, None, self._anchor(self.begun, place - 1))
        self.paragraph = []

    def _after_fence(self, place: int, mark: str) -> int:
        for after in range(place + 1, len(self.lines)):
            closing = _FENCE.match(self.lines[after])
            if closing and closing[1].startswith(mark):
                return after + 1
        return len(self.lines)

    def _table_end(self, place: int) -> int:
        end = place + 2
        while end < len(self.lines) and "|" in self.lines[end]:
            end += 1
        return end

    def _table(self, first: int, end: int) -> TablePart:
        grid: list[list[str]] = []
        width = 0
        for place in (first, *range(first + 2, end)):
            if self.cells > MOST_CELLS:
                break
            row = [printed(cell) for cell in _cells(self.lines[place])]
            width = width or len(row)
            self.cells += width
            if self.cells > MOST_CELLS:
                self._warn(f"only the first {MOST_CELLS:,} cells of tables were read")
                break
            if any(len(cell) > LONGEST_CELL for cell in row):
                self._warn(f"cells were cut after {LONGEST_CELL:,} characters")
            if len(row) > width:
                self._warn(
                    f"line {place + 1 + self.skipped} has more cells than its header; the extra cells were left out"
                )
            grid.append([cell[:LONGEST_CELL] for cell in [*row, *[""] * (width - len(row))][:width]])
        return TablePart(grid, anchor=self._anchor(first, end - 1))

    def _anchor(self, first: int, last: int) -> str:
        return line_anchor(first + 1 + self.skipped, last + 1 + self.skipped)

    def _warn(self, warning: str) -> None:
        if warning not in self.warnings[-20:]:
            self.warnings.append(warning)


def _heads_table(line: str, below: str) -> bool:
    return "-" in below and _RULE.match(below) is not None and len(_cells(below)) == len(_cells(line))


def _cells(line: str) -> list[str]:
    cells = _UNSPLIT_BAR.split(line.strip())
    return cells[1 if not cells[0].strip() and len(cells) > 1 else 0 : -1 if not cells[-1].strip() else None]


def printed(text: str) -> str:
    r"""Return the displayed text of a line with inline markup.

    >>> printed("**Net** sales[^1] \\* of [Acme](https://acme.example) were `$5`<br>")
    'Net sales (1) * of Acme were $5'
    """
    text = _TAG.sub(" ", text)
    text = _LINK.sub(lambda link: "" if link[1] else link[2], text)
    text = _NOTE.sub(r" (\1)", text).replace("**", "").replace("__", "").replace("`", "")
    text = _EMPHASIS.sub(lambda stressed: stressed[1] or stressed[2], text)
    return " ".join(unescape(_ESCAPED.sub(r"\1", text)).split())
