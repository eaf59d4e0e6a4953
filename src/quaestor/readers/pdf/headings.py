"""Which lines are headings, and at which level: by their words ("Item 7.", "Note 4 -"), their font, and their place."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quaestor.core.patterns import lazy_regex
from quaestor.readers.pdf.cells import is_value
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
class Look:
    """The look of a heading: what it has in common with those of its level."""

    size: float
    bold: bool
    capitals: bool
    italic: bool


def look_of(line: TextLine) -> Look:
    """Return the look of a line."""
    letters = [character for character in line.text if character.isalpha()]
    capitals = bool(letters) and sum(map(str.isupper, letters)) > 0.9 * len(letters)
    return Look(round(line.size * 2) / 2, line.is_bold, capitals, line.is_italic)


def body_size(pages: Iterable[Sequence[TextLine]]) -> float:
    """Return the size of most letters of a document."""
    sizes: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            sizes[round(line.size * 2) / 2] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 9.0


def named_level(text: str) -> int | None:
    """Return the level that the words of a heading give it, or None if they give none.

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
    """Whether a text is the name of a company and no more."""
    return len(text.split()) < 9 and _COMPANY.fullmatch(text.strip()) is not None


def is_dated(text: str) -> bool:
    """Whether a text says which days or periods a statement is about ("As of May 31, 2020 and 2019")."""
    return len(text) < 120 and _DATED.fullmatch(text.strip()) is not None


def is_bullet(text: str) -> bool:
    """Whether a text begins a list's entry and is nothing else."""
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
    """Whether a line is in columns, as the heads of tables and tables of contents do."""
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


class Levels:
    """The levels of a document's headings: those of one look have one level."""

    def __init__(self, looks: Iterable[Look]) -> None:
        """Put looks in order: larger before smaller, bold before plain, capitals before small letters."""
        counts = Counter(looks)
        ranked = sorted(counts, key=lambda look: (-look.size, not look.bold, not look.capitals, look.italic))
        self._levels = {look: min(5 + place, _DEEPEST) for place, look in enumerate(ranked)}

    def level(self, text: str, look: Look) -> int:
        """Return the level of a heading, 1 for the outermost."""
        return named_level(text) or self._levels.get(look, _DEEPEST)
