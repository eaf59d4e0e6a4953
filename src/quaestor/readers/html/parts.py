"""Pieces of a file to the parts of a document: headings, paragraphs, tables with their titles and captions.

Reads no number and looks at no tag, but for handing on what a tag says of the number that is at its place.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from quaestor.core.patterns import lazy_regex
from quaestor.documents.amounts import is_amounts_line
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart
from quaestor.documents.captions import is_caption
from quaestor.documents.facts import Fact
from quaestor.documents.prose import prose_spans
from quaestor.readers.html.blocks import HtmlLine, Piece
from quaestor.readers.html.grid import Grid
from quaestor.readers.html.headings import Outline
from quaestor.readers.html.tables import grid_or_lines

if TYPE_CHECKING:
    from lxml.etree import _Element

FactOf = Callable[["_Element"], Fact | None]

_SUBTITLE = lazy_regex(r"\(?(?:unaudited|audited|continued|restated|as restated)\)?", re.IGNORECASE)
_LONGEST_TITLE = 200


def parts_of_html(
    pieces: Iterable[Piece], linked: frozenset[str], fact_of: FactOf, captions: Mapping[int, str]
) -> list[DocumentPart]:
    """Return the parts of a document.

    Args:
        pieces: In their order, without what pages repeat.
        linked: The ids that links within the file point to.
        fact_of: What the tag of a number says.
        captions: What pages say of all their amounts at their head or foot, by page.
    """
    builder = _Builder(Outline(linked), fact_of, captions)
    for piece in pieces:
        if isinstance(piece, HtmlLine):
            builder.add_line(piece)
            continue
        found = grid_or_lines(piece)
        if isinstance(found, Grid):
            builder.add_table(found, piece.page, piece.anchor)
        else:
            for line in found:
                builder.add_line(line)
    builder.release()
    return builder.parts


def _is_caption(text: str) -> bool:
    return is_caption(text) or is_amounts_line(text)


class _Builder:
    """The parts so far."""

    def __init__(self, outline: Outline, fact_of: FactOf, captions: Mapping[int, str]) -> None:
        self.parts: list[DocumentPart] = []
        self._outline = outline
        self._fact_of = fact_of
        self._of_pages = captions
        self._title = ""
        self._captions: list[HtmlLine] = []
        self._standing: list[tuple[int, str]] = []
        self._level = 0

    def add_line(self, line: HtmlLine) -> None:
        text = " ".join(line.text.split())
        if _is_caption(text) or _SUBTITLE.fullmatch(text):
            self._captions.append(line)
            return
        self.release()
        lines = _headlines(line)
        if lines:
            for one in lines:
                self._add_one(one)
            return
        self._add_one(line)

    def _add_one(self, line: HtmlLine) -> None:
        text = " ".join(line.text.split())
        if _is_caption(text) or _SUBTITLE.fullmatch(text):
            self._captions.append(line)
            return
        level = self._outline.level(line)
        if level is not None:
            self._level = level
            self._standing = [(over, caption) for over, caption in self._standing if over < level]
            self.parts.append(HeadingPart(text, level, line.page, line.anchor))
            self._title = text
            return
        self._title = "" if len(text) > _LONGEST_TITLE or text.endswith(".") else self._title
        self.parts.append(self._paragraph(line))

    def add_table(self, grid: Grid, page: int | None, anchor: str | None) -> None:
        captions = [" ".join(line.text.split()) for line in self._captions]
        self._captions = []
        own = [title for title in grid.titles if not _is_caption(title)]
        captions += [title for title in grid.titles if _is_caption(title)]
        facts = [
            (row, column, fact) for row, column, element in grid.tags if (fact := self._fact_of(element)) is not None
        ]
        title = " ".join(own) or self._title
        self.parts.append(
            TablePart(
                grid.rows, " ".join(captions), page, anchor, title, grid.header_rows, facts, standing=self._holds(page)
            )
        )
        self._title = ""

    def release(self) -> None:
        """Make paragraphs of captions that no table came after."""
        for line in self._captions:
            self.parts.append(self._paragraph(line))
            text = " ".join(line.text.split())
            if is_amounts_line(text):
                self._standing.append((self._level, text))
        self._captions = []

    def _holds(self, page: int | None) -> str:
        """The caption that holds where something stands: of its page, else of the innermost heading that has one."""
        return self._of_pages.get(page or 0) or (self._standing[-1][1] if self._standing else "")

    def _paragraph(self, line: HtmlLine) -> ParagraphPart:
        text = line.text.replace("\n", " ")
        spans = prose_spans(text)
        facts = []
        for mark in line.marks:
            place = _sentence_at(spans, mark.start)
            if place is not None and (fact := self._fact_of(mark.element)) is not None:
                begin, end = spans[place]
                facts.append((place, mark.start - begin, min(mark.end, end) - begin, fact))
        return ParagraphPart(
            tuple(text[start:end] for start, end in spans), line.page, line.anchor, facts, self._holds(line.page)
        )


def _sentence_at(spans: Sequence[tuple[int, int]], place: int) -> int | None:
    return next((index for index, (start, end) in enumerate(spans) if start <= place < end), None)


def _headlines(line: HtmlLine) -> tuple[HtmlLine, ...]:
    """Return the lines of a bold block of several short lines ("BALANCE SHEETS", "(in millions)"); else none."""
    pieces = line.text.split("\n")
    if len(pieces) < 2 or not (line.look.bold or line.look.centred) or line.marks or max(map(len, pieces)) > 120:
        return ()
    from dataclasses import replace

    return tuple(
        replace(line, text=piece, targets=line.targets if not place else ())
        for place, piece in enumerate(pieces)
        if piece.strip()
    )
