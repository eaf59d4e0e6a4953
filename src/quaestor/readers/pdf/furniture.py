"""Running headers, footers and page numbers: what pages repeat, found by comparing pages.

The number of a page is its place in the file, as viewers count.
"""

import re
from collections import Counter
from collections.abc import Sequence

from quaestor.core.patterns import lazy_regex
from quaestor.documents.amounts import caption_within
from quaestor.readers.pdf.cells import is_date, is_plain_caption
from quaestor.readers.pdf.headings import is_statement
from quaestor.readers.pdf.lines import TextLine

_TOP, _BOTTOM = 4, 3
"""How many lines of a page are looked at, from its top and from its bottom."""
_SHARE, _AT_LEAST = 0.08, 3
"""On what part of the pages, and on how many at least, a line is repeated."""
_DIGITS = lazy_regex(r"[0-9]+|\b[ivxl]{1,5}\b", re.IGNORECASE)
_PAGE_NUMBER = lazy_regex(
    r"(?:page\s)?(?:[A-Z]{1,2}-)?[-\u2013—]?\s?[0-9]{1,4}\s?[-\u2013—]?(?:\s(?:of|/)\s[0-9]{1,4})?", re.IGNORECASE
)
_COUNTS_IN = lazy_regex(r"\bin\s(?:thousands|millions|billions)\b", re.IGNORECASE)
_CONTINUED = lazy_regex(r"\(?\bcont(?:inued|['\u2019]d)\b\.?\)?\s*$", re.IGNORECASE)
_ROMAN = lazy_regex(r"[ivxl]{1,6}")
_LONG = 160


def without_furniture(pages: Sequence[Sequence[TextLine]]) -> list[list[TextLine]]:
    """Return the lines of each page that are text.

    What is repeated and is a title or says what tables count in is kept where it stands first.

    Shape: as many pages as given.
    """
    repeated = _repeated(pages)
    kept: list[list[TextLine]] = []
    seen: set[str] = set()
    for lines in pages:
        dropped = {place for place in _edges(lines) if _is_furniture(lines, place, repeated)}
        for place in sorted(dropped):
            key = _key(lines[place])
            if key not in seen and _says_something(lines[place].text):
                dropped.discard(place)
            seen.add(key)
        kept.append([line for place, line in enumerate(lines) if place not in dropped])
    return kept


def captions_of_pages(pages: Sequence[Sequence[TextLine]]) -> list[str]:
    """Return what the running header or footer of each page says that its amounts count in; "" if it says nothing.

    Shape: as many as pages are given.
    """
    repeated = _repeated(pages)
    edges = ([lines[place] for place in _edges(lines)] for lines in pages)
    return [next((said for x in own if _key(x) in repeated and (said := caption_within(x.text))), "") for own in edges]


def _says_something(text: str) -> bool:
    """Whether a line that pages repeat is the title of a statement or of the notes, or a caption."""
    return is_plain_caption(text) or is_statement(text) or _COUNTS_IN.search(text) is not None


def _edges(lines: Sequence[TextLine]) -> list[int]:
    """Return the places of the lines at the top and at the bottom of a page."""
    count = len(lines)
    return sorted({*range(min(_TOP, count)), *range(max(count - _BOTTOM, 0), count)})


def _repeated(pages: Sequence[Sequence[TextLine]]) -> frozenset[str]:
    """Return what lines say that many pages have at their edges, numbers left open."""
    counts: Counter[str] = Counter()
    for lines in pages:
        counts.update({_key(lines[place]) for place in _edges(lines) if len(lines[place].text) < _LONG})
    needed = max(_AT_LEAST, round(_SHARE * len(pages)))
    return frozenset(key for key, count in counts.items() if count >= needed and any(map(str.isalpha, key)))


def _key(line: TextLine) -> str:
    return _DIGITS.sub("#", line.text.casefold()).strip()


def _is_furniture(lines: Sequence[TextLine], place: int, repeated: frozenset[str]) -> bool:
    line = lines[place]
    if place < _TOP and len(line.text) < _LONG and _CONTINUED.search(line.text):
        return True
    if _key(line) in repeated and not _heads_numbers(lines, place):
        return True
    outermost = place == 0 or place >= len(lines) - 2
    return outermost and len(line.chunks) == 1 and _is_page_number(line.text)


def _is_page_number(text: str) -> bool:
    return _PAGE_NUMBER.fullmatch(text) is not None or _ROMAN.fullmatch(text) is not None


def _heads_numbers(lines: Sequence[TextLine], place: int) -> bool:
    """Whether a repeated line heads the columns of a table, which goes on over pages."""
    line, below = lines[place], lines[place + 1 : place + 3]
    if place >= _TOP:
        return False
    widest = max((len(other.chunks) for other in below), default=0)
    return (len(line.chunks) > 2 and widest > 2) or (is_date(line.text) and widest > 1)
