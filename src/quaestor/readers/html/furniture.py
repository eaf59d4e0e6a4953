"""What pages do to running text: page numbers, running heads and links back that they repeat, paragraphs that they cut.

Drops running heads and page numbers, and joins paragraphs that a page break cuts. A caption
is kept, as is a line that is on few pages.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from quaestor.core.patterns import lazy_regex
from quaestor.core.words import JOINING_WORDS, SMALL_WORDS
from quaestor.documents.amounts import caption_within
from quaestor.readers.html.blocks import HtmlLine, Piece, RawTable, is_page_number

_EDGE = 4
_REPEATED = 3
_DIGITS = lazy_regex(r"[0-9]+")
_LONGEST = 150
_FEWEST_WORDS = 8
"""Of a paragraph that a page may cut: shorter lines are headings and items of lists."""
_GOES_ON = frozenset(JOINING_WORDS | SMALL_WORDS)
"""Words that end no paragraph."""


def without_repeats(pieces: Sequence[Piece]) -> tuple[list[Piece], dict[int, str]]:
    """Return the pieces of a file without what its pages repeat at their heads and feet.

    A caption that pages repeat holds for all their amounts: those come back by page.
    """
    pages: list[list[int]] = []
    for place, piece in enumerate(pieces):
        if not pages or pieces[pages[-1][-1]].page != piece.page:
            pages.append([])
        pages[-1].append(place)
    edges = [
        *((page[:_EDGE], page) for page in pages),
        *((page[: -_EDGE - 1 : -1], page) for page in pages),
    ]
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


def joined_over_pages(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the pieces of a file with each paragraph that the end of a page cuts in two as one, on its first page."""
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
    """Whether a line is the first part of a paragraph that goes on with the first line of another page."""
    if line.page == after.page or line.look != after.look or line.tag != after.tag:
        return False
    words = line.text.split()
    if len(words) < _FEWEST_WORDS or not (words[-1][-1].isalnum() or words[-1][-1] in ",%"):
        return False
    return after.text[:1].islower() or words[-1].casefold() in _GOES_ON


def _key(piece: Piece) -> str | None:
    """Return by what a piece is known on other pages; None if it is none that is repeated."""
    text = _text(piece)
    if text is None or len(text) > _LONGEST or text.startswith("("):
        return None
    # Sentences that differ in their numbers tell different things; running heads that do are numbered.
    return text.casefold() if text.endswith(".") else _DIGITS.sub("#", text.casefold())


def _text(piece: Piece) -> str | None:
    if isinstance(piece, HtmlLine):
        return " ".join(piece.text.split())
    rows = [row for row in piece.rows if any(cell.text for cell in row)]
    return " ".join(cell.text for cell in rows[0] if cell.text) if len(rows) == 1 else None


def _is_number(piece: Piece) -> bool:
    text = _text(piece)
    return text is not None and is_page_number(text) and not isinstance(piece, RawTable)
