"""Finds headings with their levels, paragraphs, and running headers and footers."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from quaestor.core.patterns import lazy_regex
from quaestor.documents.amounts import caption_within
from quaestor.readers.pdf.cells import is_date, is_plain_caption, is_value
from quaestor.readers.pdf.lines import TextLine

_PART = lazy_regex(r"part\s+[ivx]{1,4}\b[\s.:—\u2013-]*(?!.*\bof this\b).{0,60}", re.IGNORECASE)
_ITEM = lazy_regex(r"items?\s+[0-9]{1,2}\s?[a-c]?\s?(?:[.:—\u2013-].{0,150}|\s.{0,120})", re.IGNORECASE)
_STATEMENT = lazy_regex(
    r"(?:condensed\s|unaudited\s|interim\s)*(?:consolidated\s)?(?:condensed\s)?(?:statements?\s(?:of|on)\s(?:consolidated\s)?(?:operations|income|earnings|comprehensive"
    r"|cash|financial|changes|(?:share|stock)(?:holders|owners)|equity|capital|(?:the\s)?profit|loss)\b.{0,80}|balance\ssheets?\b.{0,40})"
    r"|(?:condensed\s|unaudited\s)*notes\sto\s(?:the\s)?(?:condensed\s|unaudited\s|interim\s)*(?:consolidated\s)?(?:condensed\s)?financial\sstatements.{0,40}"
    r"|report\sof\sindependent\sregistered.{0,60}",
    re.IGNORECASE,
)
_NOTE = lazy_regex(r"(?:note\s+[0-9]{1,2}\b|[0-9]{1,2}\s?[.)]\s+[A-Z]).{0,120}", re.IGNORECASE)
_COMPANY = lazy_regex(
    r".{2,60}\b(?:inc|corp|corporation|company|companies|co|ltd|limited|plc|llc|l\.p|lp|partnership|n\.v|s\.a|ag|se|group"
    r"|subsidiaries)\b\.?(?:\s(?:and|&)\s(?:its\s)?subsidiaries)?\.?",
    re.IGNORECASE,
)
_DATED = lazy_regex(
    r"(?:\(?(?:as\sof|as\sat|for\sthe|at|years?\sended|fiscal\syears?|three|six|nine|twelve|quarter)\b.*[0-9]{4}.*)"
    r"|\(?(?:january|february|march|april|may|june|july|august|september|october|november|december)\s[0-9].*",
    re.IGNORECASE,
)
_BULLET = lazy_regex(r"[•●▪◦■\u2013—\-*o·§➢]\s?|\(?(?:[0-9]{1,2}|[a-z]|[ivx]{1,4})[.)]")
_WORDS_AT_MOST = 45
_LARGER = 1.12
_DEEPEST = 9


@dataclass(frozen=True, slots=True)
class HeadingStyle:
    """Style of a heading, common to all headings of one level."""

    size: float
    bold: bool
    capitals: bool
    italic: bool


def look_of(line: TextLine) -> HeadingStyle:
    """Return the style of a line."""
    letters = [character for character in line.text if character.isalpha()]
    capitals = bool(letters) and sum(map(str.isupper, letters)) > 0.9 * len(letters)
    return HeadingStyle(round(line.size * 2) / 2, line.is_bold, capitals, line.is_italic)


def body_size(pages: Iterable[Sequence[TextLine]]) -> float:
    """Return the font size of most of the text."""
    sizes: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            sizes[round(line.size * 2) / 2] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 9.0


def named_level(text: str) -> int | None:
    """Return the level that the words of a heading determine, or None.

    >>> named_level("Item 7. Management's Discussion"), named_level("CONSOLIDATED BALANCE SHEETS"), named_level("Risks")
    (2, 3, None)
    """
    for level, pattern in enumerate((_PART, _ITEM, _STATEMENT, _NOTE), start=1):
        if pattern.fullmatch(text.strip()):
            return level
    return None


def is_statement(text: str) -> bool:
    """Whether a text is the title of a financial statement."""
    return _STATEMENT.fullmatch(text.strip()) is not None


def is_company(text: str) -> bool:
    """Whether a text is only the name of a company."""
    return len(text.split()) < 9 and _COMPANY.fullmatch(text.strip()) is not None


def is_dated(text: str) -> bool:
    """Whether a text gives the dates or periods of a statement ("As of May 31, 2020 and 2019")."""
    return len(text) < 120 and _DATED.fullmatch(text.strip()) is not None


def is_bullet(text: str) -> bool:
    """Whether a text is only the bullet or number of a list item."""
    return _BULLET.fullmatch(text) is not None


def is_heading(lines: Sequence[TextLine], size: float) -> bool:
    """Whether the lines of a paragraph are a heading."""
    text = " ".join(line.text for line in lines)
    if not _can_be_heading(text) or any(_has_columns(line) for line in lines):
        return False
    level = named_level(text)
    look, words = look_of(lines[0]), len(text.split())
    if level is not None and level < 4:
        return look.bold or look.capitals or (len(lines) == 1 and not text.endswith((".", ",")) and words < 16)
    return (
        all(line.is_bold for line in lines)
        or (all(line.size > _LARGER * size for line in lines) and words < 25)
        or (look.capitals and 1 < words < 16 and len(lines) < 3 and not any(map(str.isdigit, text)))
        or (all(line.is_italic for line in lines) and words < 13 and not text.endswith((".", ":")))
    )


def _has_columns(line: TextLine) -> bool:
    """Whether a line has columns, as in table headers and tables of contents."""
    first, *rest = line.chunks
    if len(rest) == 1:
        return not (named_level(f"{first.text} X") or is_bullet(first.text)) or is_value(rest[0].text)
    return len(rest) > 1


def _can_be_heading(text: str) -> bool:
    words = text.split()
    if not words or len(words) > _WORDS_AT_MOST or not any(map(str.isalpha, text)) or is_bullet(text):
        return False
    small = words[0].islower() or text[0] == "("
    return not small and not text.endswith((",", ";")) and not is_dated(text)


def rank_styles(styles: Iterable[HeadingStyle]) -> dict[HeadingStyle, int]:
    """Return the level of each style of headings without a named level.

    Large styles rank before small ones, bold before regular, capitals before mixed case.
    """
    ranked = sorted(
        dict.fromkeys(styles), key=lambda style: (-style.size, not style.bold, not style.capitals, style.italic)
    )
    return {style: min(5 + place, _DEEPEST) for place, style in enumerate(ranked)}


# Paragraphs, and their text with hyphenated words joined.

_GAP = 1.28
"""Distance between paragraphs relative to the usual distance of lines."""
_ENDS = (".", ":", "?", "!", ";", ")", "”", '"')


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Lines of one paragraph or heading, or of a page between its tables.

    Attributes:
        lines: From top to bottom, possibly over a page break.
    """

    lines: tuple[TextLine, ...]
    page: int


def find_paragraphs(lines: Sequence[TextLine], page: int, pitch: float) -> list[TextBlock]:
    """Group lines into paragraphs.

    Args:
        lines: Lines of one page, without tables.
    """
    found: list[list[TextLine]] = []
    right = max((line.right for line in lines), default=0.0)
    for line in lines:
        if found and _continues(found[-1], line, pitch, right):
            found[-1].append(line)
        else:
            found.append([line])
    return [TextBlock(tuple(group), page) for group in found]


def _continues(group: Sequence[TextLine], line: TextLine, pitch: float, right: float) -> bool:
    before = group[-1]
    step = line.y - before.y
    usual = max(pitch * line.size / max(before.size, line.size), 1.05 * line.size)
    if not 0 < step <= _GAP * min(usual, 1.6 * line.size):
        return False
    if abs(before.size - line.size) > 0.15 * line.size or _look(before) != _look(line):
        return _is_run_in(group, line) and abs(before.size - line.size) <= 0.15 * line.size
    if (
        is_bullet(line.words[0].text)
        and len(line.words) > 1
        and line.words[1].left - line.words[0].right > 0.5 * line.size
    ):
        return False
    if _is_statement_heading(before) or _is_statement_heading(line):
        return False
    ended = before.text.endswith(_ENDS)
    short = before.right < right - 0.15 * (right - before.left)
    indented = line.left - before.left > 1.2 * line.size and len(group) > 1
    return not (ended and (short or indented)) and not (short and named_level(line.text) is not None)


def _look(line: TextLine) -> tuple[bool, bool]:
    return line.is_bold, line.is_italic and not line.is_bold


def _is_run_in(group: Sequence[TextLine], line: TextLine) -> bool:
    """Whether the styles of lines differ only because a paragraph begins or ends with bold words."""
    mixed = any(word.bold for word in group[-1].words) and not group[-1].is_bold
    return mixed or (any(word.bold for word in line.words) and not line.is_bold and not group[-1].is_bold)


def _is_statement_heading(line: TextLine) -> bool:
    """Whether a line belongs to the heading of a statement: company, title or dates."""
    return is_statement(line.text) or is_dated(line.text) or (is_company(line.text) and line.is_bold)


def join_lines(blocks: Sequence[TextLine], vocabulary: Set[str]) -> str:
    """Return the text of a paragraph.

    Args:
        vocabulary: Words of the document in lower case. A hyphen at the end of a line is dropped if the document has
            the joined word elsewhere.
    """
    text = ""
    for line in blocks:
        if not text:
            text = line.text
        elif text.endswith("-") and line.text[:1].isalpha() and text[-2:-1].isalpha():
            text = _join_hyphenated(text, line.text, vocabulary)
        else:
            text = f"{text} {line.text}"
    return text


def _join_hyphenated(text: str, following: str, vocabulary: Set[str]) -> str:
    head, tail = text[:-1].rsplit(maxsplit=1)[-1], following.split(maxsplit=1)[0]
    whole = "".join(filter(str.isalnum, head.rsplit("-", 1)[-1] + tail)).casefold()
    hyphened = "".join(c for c in f"{head}-{tail}" if c.isalnum() or c == "-").casefold()
    divided = whole in vocabulary and hyphened not in vocabulary and tail[:1].islower()
    return (text[:-1] if divided else text) + following


def continues_on_next_page(block: TextBlock, following: TextBlock) -> bool:
    """Whether the last paragraph of a page continues with the first one of the next."""
    last, first = block.lines[-1], following.lines[0]
    if last.is_bold or first.is_bold or abs(last.size - first.size) > 0.15 * last.size:
        return False
    if is_bullet(first.words[0].text) or _is_statement_heading(first) or _is_statement_heading(last):
        return False
    return not last.text.endswith(_ENDS) and (first.text[:1].islower() or len(block.lines) > 1)


# Running headers, footers and page numbers, found as text that pages repeat.

_TOP, _BOTTOM = 4, 3
"""Number of lines at the top and at the bottom of a page that are compared."""
_SHARE, _AT_LEAST = 0.08, 3
"""Minimal share and number of pages that have a repeated line."""
_DIGITS = lazy_regex(r"[0-9]+|\b[ivxl]{1,5}\b", re.IGNORECASE)
_PAGE_NUMBER = lazy_regex(
    r"(?:page\s)?(?:[A-Z]{1,2}-)?[-\u2013—]?\s?[0-9]{1,4}\s?[-\u2013—]?(?:\s(?:of|/)\s[0-9]{1,4})?", re.IGNORECASE
)
_COUNTS_IN = lazy_regex(r"\bin\s(?:thousands|millions|billions)\b", re.IGNORECASE)
_CONTINUED = lazy_regex(r"\(?\bcont(?:inued|['\u2019]d)\b\.?\)?\s*$", re.IGNORECASE)
_ROMAN = lazy_regex(r"[ivxl]{1,6}")
_LONG = 160


def drop_running_heads(pages: Sequence[Sequence[TextLine]]) -> list[list[TextLine]]:
    """Return the lines of each page without running headers and footers.

    The first occurrence of a repeated title or caption is kept.

    Shape: as many pages as given.
    """
    repeated = _repeated_texts(pages)
    pages_left: list[list[TextLine]] = []
    seen: set[str] = set()
    for lines in pages:
        dropped = {place for place in _edges(lines) if _is_furniture(lines, place, repeated)}
        for place in sorted(dropped):
            key = _key(lines[place])
            if key not in seen and _is_title_or_caption(lines[place].text):
                dropped.discard(place)
            seen.add(key)
        pages_left.append([line for place, line in enumerate(lines) if place not in dropped])
    return pages_left


def find_page_captions(pages: Sequence[Sequence[TextLine]]) -> list[str]:
    """Return the caption in the running header or footer of each page; "" if it has none.

    Shape: one text for each page.
    """
    repeated = _repeated_texts(pages)
    edges = ([lines[place] for place in _edges(lines)] for lines in pages)
    return [next((text for x in own if _key(x) in repeated and (text := caption_within(x.text))), "") for own in edges]


def _is_title_or_caption(text: str) -> bool:
    """Whether a repeated line is the title of a statement or of the notes, or a caption."""
    return is_plain_caption(text) or is_statement(text) or _COUNTS_IN.search(text) is not None


def _edges(lines: Sequence[TextLine]) -> list[int]:
    """Return the indices of the lines at the top and bottom of a page."""
    count = len(lines)
    return sorted({*range(min(_TOP, count)), *range(max(count - _BOTTOM, 0), count)})


def _repeated_texts(pages: Sequence[Sequence[TextLine]]) -> frozenset[str]:
    """Return the texts that many pages have at their edges, with numbers replaced."""
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
    """Whether a repeated line is the header of a table that continues over pages."""
    line, below = lines[place], lines[place + 1 : place + 3]
    if place >= _TOP:
        return False
    widest = max((len(other.chunks) for other in below), default=0)
    return (len(line.chunks) > 2 and widest > 2) or (is_date(line.text) and widest > 1)
