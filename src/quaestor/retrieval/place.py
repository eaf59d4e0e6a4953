"""Place: a table or a passage where an answer would stand, and why."""

from dataclasses import dataclass
from typing import Literal

from quaestor.core.visible import visible

_REASONS_SHOWN = 2
"""In one line; all of them are in `Place.why`."""

_LONGEST_TEXT = 240

ReasonKind = Literal["row", "line", "heading", "column", "year", "statement", "title", "sentence", "cause", "earlier"]


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that speaks for a place.

    Attributes:
        text: The words of the document that it is about.
    """

    kind: ReasonKind
    text: str

    def __str__(self) -> str:
        """Return it in words for people."""
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
    """A block of a document where an answer would stand.

    Attributes:
        block: The place of the block in the document, from 0.
        rows: Of a table, the rows that matter, best first, counted as `CellRef.row`; empty for a passage.
        sentences: Of a passage, the sentences that matter, best first, counted within the block; empty for a table.
        score: From 0 to 1: how much of what is asked for stands here. Not a probability, but the same number means as
            much in every document.
        why: What speaks for it, the strongest first.
        text: What matters of it, as printed and short.
        table: Of a table its index in the document, else None.
        page: The number of the page, from 1 as viewers count, or None if that is not known.
        section: The headings over it, outermost first.
        title: What is printed over the table as its name, or the nearest heading; "" if there is none.
        anchor: The way to it in the file, as `Block.anchor`.
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
    """Return a text as `Place.text` has it."""
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 3].rstrip()}..."
