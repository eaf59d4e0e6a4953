"""The years that a document has, and those that a question asks for: both read so that only what is certain counts.

A document has a year that it prints anywhere, also in a label or as two digits, and one that its words reach: between
two others, a year before one that is named, a fiscal year that ends in the next spring. A question asks for a year that
stands where a time does ("in 2009"), not for one in a name ("notes due 2021", "the 2009 plan").
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from quaestor.core.caching import BoundedCache
from quaestor.core.periods import find_relative_periods
from quaestor.core.words import NUMBER_WORDS
from quaestor.documents.document import Document, Paragraph, SectionHeading
from quaestor.documents.table import Table

_YEAR = re.compile(r"(?<![\d.,$])(?:19[5-9]|20[0-9])\d(?![\d%]|[.,]\d)")
_PRINTED = re.compile(r"(?=((?:19[5-9]|20[0-9])\d))")
_SHORT = re.compile(r"(?:['\u2019/\-\u2013]|\bfye? ?|\bfiscal |\bq[1-4] ?)(\d\d)(?!\d)")
_RANGE = re.compile(r"((?:19|20)\d\d)\s*(?:-|\u2013|\u2014|to|through|thru|until|and)\s*((?:19|20)\d\d|\d\d)(?!\d)")
_SPRING = re.compile(
    r"\b(?:jan|feb|mar|apr|may|june?)[a-z]*\.?\s*(?:[0-3]?\d)?\s*,?\s*((?:19|20)\d\d)|\b0?[1-6]/\d{1,2}/((?:19|20)\d\d)"
)
_COUNT = "|".join((*NUMBER_WORDS, r"\d{1,2}"))
_YEARS = re.compile(
    rf"\b(?:last|past|prior|previous|preceding|the|these|those|our)\s+({_COUNT})[\s-](?:fiscal |calendar )?years?\b"
)
_OPEN = re.compile(
    r"\b(?:thereafter|beyond|(?:less|more) than \w+ years?"
    r"|(?:next|within|first|following|subsequent) \w+ (?:fiscal )?years?"
    r"|(?:after|over|under) (?:\d|one|two|three|four|five)\w* years?|\d\s*(?:-|\u2013|to)\s*\d years?|years? \d\b"
    r"|due after)"
)
_KEPT = BoundedCache[str, "KnownYears"](16)
"""By the digest of a document: reading all of a long one for them takes a tenth of a second."""

_MOST = 30
"""No run of years that is longer is read between two."""


@dataclass(frozen=True, slots=True)
class KnownYears:
    """The years of a document.

    Attributes:
        shown: Those that its headings and sentences name as periods, in order, for people.
        reached: Those that it has in any way.
        open_from: From this year on its words may reach any ("thereafter"); None if they do not.
    """

    shown: tuple[int, ...] = ()
    reached: frozenset[int] = frozenset()
    open_from: int | None = None

    def lacks(self, year: int) -> bool:
        """Return whether it is certain that a year is not on it; nothing is, of a page without any year."""
        if not self.shown or year in self.reached:
            return False
        return self.open_from is None or year < self.open_from


def known_years(document: Document) -> KnownYears:
    """Return the years of a document; of an excerpt those of the whole. Those of the last few documents are kept."""
    whole = document.whole or document
    return _KEPT.get(whole.digest, lambda: _years_of(whole))


def _years_of(whole: Document) -> KnownYears:
    named: set[int] = set()
    reached: set[int] = set()
    relative: list[int] = []
    lengths: list[int] = []
    is_open = False
    for text in printed_texts(whole):
        own = {int(year) for year in _YEAR.findall(text)}
        named |= own
        reached |= own | set(_also(text))
        offsets = [mention.offset for mention in find_relative_periods(text)]
        spans = [NUMBER_WORDS.get(count) or int(count) for count in _YEARS.findall(text)]
        reached |= {year + offset for year in own for offset in offsets}
        reached |= {year - back for year in own for span in spans for back in range(min(span, _MOST))}
        if not own:
            relative, lengths = relative + offsets, lengths + spans
        is_open = is_open or bool(_OPEN.search(text))
    columns = {p.year for t in whole.tables for head in (*t.columns, *t.rows) if (p := head.period) is not None}
    named |= columns
    reached |= named
    dated = {p.year for sentence in whole.sentences for p, _, _ in sentence.periods}
    anchors = columns or named
    reached |= {year + offset for year in anchors for offset in relative}
    reached |= {max(anchors) - back for span in lengths for back in range(min(span, _MOST))} if anchors else set()
    return KnownYears(tuple(sorted(columns | dated)), frozenset(reached), min(anchors) if is_open and anchors else None)


def printed_texts(document: Document) -> Iterator[str]:
    """Yield all that is printed, in small letters: a heading, a sentence, a row or a table's name at a time."""
    for block in document.blocks:
        content = block.content
        if isinstance(content, SectionHeading):
            yield content.text.lower()
        elif isinstance(content, Paragraph):
            yield from (sentence.text.lower() for sentence in content.sentences)
        elif isinstance(content, Table):
            yield f"{content.caption} | {content.title}".lower()
            yield from (" | ".join(cell.text for cell in row).lower() for row in content.cells)


def _also(text: str) -> Iterator[int]:
    """Yield the years that a text may mean besides those that it names."""
    yield from (int(year) for year in _PRINTED.findall(text))
    for digits in _SHORT.findall(text):
        yield (2000 if int(digits) < 70 else 1900) + int(digits)
    for first, last in _RANGE.findall(text):
        end = int(last) if len(last) == 4 else int(first[:2] + last)
        yield from range(int(first), min(end, int(first) + _MOST) + 1)
    # A fiscal year is named after the calendar year that most of it is in: 2012 may end on February 2, 2013.
    yield from (int(year) - 1 for pair in _SPRING.findall(text) for year in pair if year)


def show_years(years: tuple[int, ...]) -> str:
    """Return years for people, runs of them as first and last.

    >>> show_years((2008, 2010, 2011, 2012))
    '2008, 2010 to 2012'
    """
    runs: list[list[int]] = []
    for year in years:
        if runs and year == runs[-1][-1] + 1:
            runs[-1].append(year)
        else:
            runs.append([year])
    parts = [f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return ", ".join(parts)
