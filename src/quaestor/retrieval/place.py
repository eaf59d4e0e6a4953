"""Place: a table or passage where an answer may be, with reasons."""

from dataclasses import dataclass
from typing import Literal

from quaestor.core.visible import visible

_REASONS_SHOWN = 2
"""In one line; `Place.why` has all of them."""

_LONGEST_TEXT = 240

ReasonKind = Literal["row", "line", "heading", "column", "year", "statement", "title", "sentence", "cause", "earlier"]


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason for a place.

    Attributes:
        text: The words of the document that match.
    """

    kind: ReasonKind
    text: str

    def __str__(self) -> str:
        return _WORDS[self.kind].format(self.text)


_WORDS: dict[ReasonKind, str] = {
    "row": "row '{}'",
    "line": "row '{}' is another name for the line",
    "heading": "under '{}' in the table",
    "column": "column '{}'",
    "year": "period {}",
    "statement": "{}",
    "title": "heading '{}'",
    "sentence": "words: {}",
    "cause": "gives a reason",
    "earlier": "source of earlier answers",
}


@dataclass(frozen=True, slots=True)
class Place:
    """A block of a document where an answer may be.

    Attributes:
        block: Index of the block in the document, from 0.
        rows: For a table, the relevant rows, best first, as in `CellRef.row`; else empty.
        sentences: For a passage, the relevant sentences, best first, by index in the block; else empty.
        score: From 0 to 1: how much of the question is matched. Not a probability, but comparable between documents.
        why: Reasons for the place, strongest first.
        table: For a table, its index in the document, else None.
        page: Page number, from 1, or None if unknown.
        title: Title of the table or the nearest heading; "" if there is none.
        anchor: Location in the file, as in `Block.anchor`.
    """

    document: str
    block: int
    kind: Literal["table", "passage"]
    rows: tuple[int, ...]
    sentences: tuple[int, ...]
    score: float
    why: tuple[Reason, ...]
    text: str
    table: int | None = None
    page: int | None = None
    section: tuple[str, ...] = ()
    title: str = ""
    anchor: str | None = None

    def __repr__(self) -> str:
        title, page = " ".join(self.title.split())[:80], f", page {self.page}" if self.page is not None else ""
        why = "".join(f"; {reason}" for reason in self.why[:_REASONS_SHOWN])
        return visible(f"<{self.kind}{f' {title!r}' if title else ''}{page}, {self.score:.2f}{why}>")


def shorten(text: str) -> str:
    """Shorten a text for `Place.text`."""
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 3].rstrip()}..."
