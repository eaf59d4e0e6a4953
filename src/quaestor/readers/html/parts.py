"""Converts lines and tables of a file to parts of a document: headings, paragraphs, tables with title and caption."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import TYPE_CHECKING

from quaestor.core.patterns import lazy_regex
from quaestor.core.words import JOINING_WORDS, SMALL_WORDS
from quaestor.documents.amounts import caption_within, is_amounts_line
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart
from quaestor.documents.captions import is_caption
from quaestor.documents.facts import Fact
from quaestor.documents.sentences import prose_spans
from quaestor.readers.html.blocks import HtmlLine, Piece, RawTable, is_page_number
from quaestor.readers.html.grid import Grid, grid_or_lines
from quaestor.readers.html.styles import PLAIN

if TYPE_CHECKING:
    from lxml.etree import _Element


_LONGEST = 200
_LARGE = 1.2
"""Smallest ratio of the font sizes of a heading and of the body text, if nothing else marks the heading."""
_PART = lazy_regex(r"part\s+(?:[ivx]{1,4}|[0-9])\b[\s.,:\u2013\u2014-]*(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_ITEM = lazy_regex(r"items?\s+[0-9]{1,2}\s?[a-c]?\s?(?:[.:\u2013\u2014-]|\s|$)", re.IGNORECASE)
_NOTE = lazy_regex(
    r"(?:notes?\s+)?(?:\(?[0-9]{1,2}\)?)\s?(?:[.:)\u2013\u2014-]|\s-)\s*\S|note\s+[0-9]{1,2}[a-z]?\b", re.IGNORECASE
)
_STATEMENT = lazy_regex(
    r"(?:condensed\s+|unaudited\s+)*consolidated\s+(?:condensed\s+)?(?:statements?|balance\s+sheets?)\b"
    r"|(?:statements?\s+of\s+(?:consolidated\s+)?|balance\s+sheets?)|notes\s+to\s+(?:the\s+)?(?:condensed\s+)?(?:consolidated\s+)?"
    r"(?:condensed\s+)?financial\s+statements|report\s+of\s+independent",
    re.IGNORECASE,
)
_TAGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_LETTER = lazy_regex(r"[A-Za-z]{2}")
_ENDS_SENTENCE = lazy_regex(r"[a-z][a-z)\"\u201d\u2019]\.$|[;,]$")

_PARTS, _ITEMS, _STATEMENTS, _NOTES, _PRINTED = 1, 2, 3, 4, 5
"""Levels; headings that are recognised only by their style come last."""


@dataclass(slots=True)
class Outline:
    """Open headings, which determine the level of the next one.

    Attributes:
        linked: The ids that links within the file point to.
        body_size: Font size of most of the text, in points.
    """

    linked: frozenset[str]
    body_size: float = PLAIN.size
    _open: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)

    def level(self, line: HtmlLine) -> int | None:
        """Return the level of a heading and make it the innermost open heading; None for other lines."""
        rank = self._rank(line)
        if rank is None:
            return None
        while self._open and self._open[-1] >= rank:
            self._open.pop()
        # A heading with a stronger style closes an open heading, whatever its parent.
        self._open.append(rank)
        return len(self._open)

    def _rank(self, line: HtmlLine) -> tuple[int, tuple[int, ...]] | None:
        """Return the sort key of a heading, smaller for outer headings; None for other lines."""
        text = " ".join(line.text.split())
        if not _may_be(line, text):
            return None
        named = _level_of_words(text)
        if line.tag in _TAGS:
            return (named or _PRINTED, (_TAGS[line.tag],))
        if named in (_PARTS, _ITEMS) and len(text) < 120:
            return named, ()
        if not self._is_like_heading(line, text):
            return None
        if named == _STATEMENTS or (named == _NOTES and line.look.bold):
            return named, ()
        look, capitals = line.look, text.upper() == text
        slanted = look.italic and not look.bold
        shown = (-round(look.size * 2), not look.bold, not capitals, slanted, look.italic, not look.centred)
        return _PRINTED, tuple(map(int, shown))

    def _is_like_heading(self, line: HtmlLine, text: str) -> bool:
        """Whether a line has the style of a heading: large, bold, underlined, italic, or centred capitals."""
        look, capitals = line.look, text.upper() == text
        if look.size >= _LARGE * self.body_size:
            return True
        aimed = any(target in self.linked for target in line.targets)
        if look.bold or (look.underlined and len(text) < 100) or (look.italic and len(text) < 90):
            return True
        return (capitals and look.centred and len(text) > 5) or (aimed and (capitals or look.centred))


def _level_of_words(text: str) -> int | None:
    """Return the level of a heading by its words; None if they do not determine it."""
    if (part := _PART.match(text)) and (not part["rest"] or len(text) < 60):
        return _PARTS
    if _ITEM.match(text):
        return _ITEMS
    if _STATEMENT.match(text) and len(text) < 120:
        return _STATEMENTS
    return _NOTES if _NOTE.match(text) else None


def _may_be(line: HtmlLine, text: str) -> bool:
    """Whether a line is short and not a sentence, number or caption."""
    if len(text) > _LONGEST or not _LETTER.search(text) or is_caption(text) or line.tag in ("li", "pre"):
        return False
    if line.linked or text.startswith(("(", "•", "*")):
        return False
    return not (_ENDS_SENTENCE.search(text) and not _ITEM.match(text) and len(text) > 40)


# Effects of page breaks on the text: repeated page numbers, running heads and links, and paragraphs cut in two.

_EDGE = 4
_REPEATED = 3
_DIGITS = lazy_regex(r"[0-9]+")
_LONGEST_REPEATED = 150
_FEWEST_WORDS = 8
"""Words in a paragraph that a page break may cut; shorter lines are headings and list items."""
_OPEN_ENDED = frozenset(JOINING_WORDS | SMALL_WORDS)
"""Words that cannot end a paragraph."""


def drop_repeats(pieces: Sequence[Piece]) -> tuple[list[Piece], dict[int, str]]:
    """Return the pieces without repeated page headers and footers, and captions by page.

    A caption in a repeated header or footer applies to all amounts of its page.
    """
    pages: list[list[int]] = []
    for place, piece in enumerate(pieces):
        if not pages or pieces[pages[-1][-1]].page != piece.page:
            pages.append([])
        pages[-1].append(place)
    edges = [*((page[:_EDGE], page) for page in pages), *((page[: -_EDGE - 1 : -1], page) for page in pages)]
    counts = Counter(key for edge, _ in edges for key in {_key(pieces[place]) for place in edge} if key is not None)
    often = max(_REPEATED, len(pages) // 10)
    dropped: set[int] = set()
    for edge, _ in edges if len(pages) > 1 else ():
        for place in edge:
            key = _key(pieces[place])
            if key is None or (counts[key] < often and not _is_number(pieces[place])):
                break
            dropped.add(place)
    captions = {
        piece.page: caption
        for place in dropped
        if (piece := pieces[place]).page is not None and (caption := caption_within(_text(piece) or ""))
    }
    return [piece for place, piece in enumerate(pieces) if place not in dropped], captions


def join_over_pages(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the pieces, joining each paragraph that a page break cuts in two; it belongs to its first page."""
    joined: list[Piece] = []
    for piece in pieces:
        before = joined[-1] if joined else None
        if isinstance(before, HtmlLine) and isinstance(piece, HtmlLine) and _is_cut(before, piece):
            begin = before.text.rstrip() + " "
            moved = (replace(mark, start=mark.start + len(begin), end=mark.end + len(begin)) for mark in piece.marks)
            joined[-1] = replace(before, text=begin + piece.text, marks=(*before.marks, *moved))
        else:
            joined.append(piece)
    return joined


def _is_cut(line: HtmlLine, after: HtmlLine) -> bool:
    """Whether a line is the first part of a paragraph that continues with the first line of another page."""
    if line.page == after.page or line.look != after.look or line.tag != after.tag:
        return False
    words = line.text.split()
    if len(words) < _FEWEST_WORDS or not (words[-1][-1].isalnum() or words[-1][-1] in ",%"):
        return False
    return after.text[:1].islower() or words[-1].casefold() in _OPEN_ENDED


def _key(piece: Piece) -> str | None:
    """Return the text by which repetitions are found; None if the piece cannot be a header or footer."""
    text = _text(piece)
    if text is None or len(text) > _LONGEST_REPEATED or text.startswith("("):
        return None
    # Sentences with different numbers are different, but headers may differ in the page number.
    return text.casefold() if text.endswith(".") else _DIGITS.sub("#", text.casefold())


def _text(piece: Piece) -> str | None:
    if isinstance(piece, HtmlLine):
        return " ".join(piece.text.split())
    rows = [row for row in piece.rows if any(cell.text for cell in row)]
    return " ".join(cell.text for cell in rows[0] if cell.text) if len(rows) == 1 else None


def _is_number(piece: Piece) -> bool:
    text = _text(piece)
    return text is not None and is_page_number(text) and not isinstance(piece, RawTable)


FactOf = Callable[["_Element"], Fact | None]

_SUBTITLE = lazy_regex(r"\(?(?:unaudited|audited|continued|restated|as restated)\)?", re.IGNORECASE)
_LONGEST_TITLE = 200


def parts_of_html(
    pieces: Iterable[Piece], linked: frozenset[str], fact_of: FactOf, captions: Mapping[int, str]
) -> list[DocumentPart]:
    """Return the parts of a document.

    Args:
        pieces: The pieces in order, without page headers and footers.
        captions: Captions that apply to all amounts of a page, by page.
    """
    pieces = list(pieces)
    builder = _Builder(Outline(linked, _body_size(pieces)), fact_of, captions)
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


def _body_size(pieces: Iterable[Piece]) -> float:
    """Return the font size of most characters outside tables."""
    characters = Counter[float]()
    for piece in pieces:
        if isinstance(piece, HtmlLine):
            characters[piece.look.size] += len(piece.text)
    return max(characters, key=characters.__getitem__, default=PLAIN.size)


def _is_caption(text: str) -> bool:
    return is_caption(text) or is_amounts_line(text)


class _Builder:
    """Collects the parts of a document."""

    def __init__(self, outline: Outline, fact_of: FactOf, captions: Mapping[int, str]) -> None:
        self.parts: list[DocumentPart] = []
        self._outline = outline
        self._fact_of = fact_of
        self._page_captions = captions
        self._title = ""
        self._captions: list[HtmlLine] = []
        self._section_captions: list[tuple[int, str]] = []
        self._level = 0
        self._after_heading = False

    def add_line(self, line: HtmlLine) -> None:
        text = " ".join(line.text.split())
        if _is_caption(text) or _SUBTITLE.fullmatch(text):
            self._captions.append(line)
            return
        self.release()
        level = self._outline.level(line)
        if level is not None:
            # A caption below several consecutive headings applies to the section of the first one.
            self._level = min(level, self._level) if self._after_heading else level
            self._after_heading = True
            self._section_captions = [(over, caption) for over, caption in self._section_captions if over < level]
            self.parts.append(HeadingPart(text, level, line.page, line.anchor))
            self._title = text
            return
        self._title = "" if len(text) > _LONGEST_TITLE or text.endswith(".") else self._title
        self._after_heading = False
        self.parts.append(self._paragraph(line))

    def add_table(self, grid: Grid, page: int | None, anchor: str | None) -> None:
        captions = [" ".join(line.text.split()) for line in self._captions]
        self._captions = []
        self._after_heading = False
        own = [title for title in grid.titles if not _is_caption(title)]
        captions += [title for title in grid.titles if _is_caption(title)]
        facts = [
            (row, column, fact) for row, column, element in grid.tags if (fact := self._fact_of(element)) is not None
        ]
        title = " ".join(own) or self._title
        self.parts.append(
            TablePart(
                grid.rows,
                " ".join(captions),
                page,
                anchor,
                title,
                grid.header_rows,
                facts,
                section_caption=self._caption_of(page),
            )
        )
        self._title = ""

    def release(self) -> None:
        """Add pending captions as paragraphs, because no table follows them."""
        for line in self._captions:
            self.parts.append(self._paragraph(line))
            text = " ".join(line.text.split())
            if is_amounts_line(text):
                self._section_captions.append((self._level, text))
                self._after_heading = False
        self._captions = []

    def _caption_of(self, page: int | None) -> str:
        """Return the caption that applies to a page: the page's own, else that of the innermost heading with one."""
        return self._page_captions.get(page or 0) or (self._section_captions[-1][1] if self._section_captions else "")

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
            tuple(text[start:end] for start, end in spans), line.page, line.anchor, facts, self._caption_of(line.page)
        )


def _sentence_at(spans: Sequence[tuple[int, int]], place: int) -> int | None:
    found = bisect_right(spans, place, key=itemgetter(0)) - 1
    return found if found >= 0 and place < spans[found][1] else None
