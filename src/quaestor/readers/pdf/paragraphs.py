"""Lines of text -> paragraphs, and a paragraph's lines -> its text, words put together that a hyphen divides."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from quaestor.readers.pdf.headings import is_bullet, is_company, is_dated, is_statement, named_level
from quaestor.readers.pdf.lines import TextLine

_GAP = 1.28
"""The distance between paragraphs, in usual distances of lines."""
_ENDS = (".", ":", "?", "!", ";", ")", "”", '"')


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Lines that are one paragraph or one heading.

    Attributes:
        lines: From the top down; over the end of a page too.
        page: The number of the page that it begins on.
    """

    lines: tuple[TextLine, ...]
    page: int


def blocks_of(lines: Sequence[TextLine], page: int, pitch: float) -> list[TextBlock]:
    """Return the paragraphs that lines make.

    Args:
        lines: Of one page, with no table among them.
        pitch: The usual distance from a line to the next one.
    """
    found: list[list[TextLine]] = []
    right = max((line.right for line in lines), default=0.0)
    for line in lines:
        if found and _goes_on(found[-1], line, pitch, right):
            found[-1].append(line)
        else:
            found.append([line])
    return [TextBlock(tuple(group), page) for group in found]


def _goes_on(group: Sequence[TextLine], line: TextLine, pitch: float, right: float) -> bool:
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
    if _stands_alone(before) or _stands_alone(line):
        return False
    ended = before.text.endswith(_ENDS)
    short = before.right < right - 0.15 * (right - before.left)
    indented = line.left - before.left > 1.2 * line.size and len(group) > 1
    return not (ended and (short or indented)) and not (short and named_level(line.text) is not None)


def _look(line: TextLine) -> tuple[bool, bool]:
    return line.is_bold, line.is_italic and not line.is_bold


def _is_run_in(group: Sequence[TextLine], line: TextLine) -> bool:
    """Whether the looks of lines differ only because a paragraph begins or ends in bold words."""
    mixed = any(word.bold for word in group[-1].words) and not group[-1].is_bold
    return mixed or (any(word.bold for word in line.words) and not line.is_bold and not group[-1].is_bold)


def _stands_alone(line: TextLine) -> bool:
    """Whether a line is one of a stack over a statement: company, title, dates."""
    return is_statement(line.text) or is_dated(line.text) or (is_company(line.text) and line.is_bold)


def joined(blocks: Sequence[TextLine], vocabulary: Set[str]) -> str:
    """Return the text of a paragraph's lines.

    Args:
        vocabulary: Words of the document in small letters: a word that a hyphen divides is put together without it
            where the document has it so elsewhere.
    """
    text = ""
    for line in blocks:
        if not text:
            text = line.text
        elif text.endswith("-") and line.text[:1].isalpha() and text[-2:-1].isalpha():
            text = _put_together(text, line.text, vocabulary)
        else:
            text = f"{text} {line.text}"
    return text


def _put_together(text: str, following: str, vocabulary: Set[str]) -> str:
    head, tail = text[:-1].rsplit(maxsplit=1)[-1], following.split(maxsplit=1)[0]
    whole = "".join(filter(str.isalnum, head.rsplit("-", 1)[-1] + tail)).casefold()
    hyphened = "".join(c for c in f"{head}-{tail}" if c.isalnum() or c == "-").casefold()
    divided = whole in vocabulary and hyphened not in vocabulary and tail[:1].islower()
    return (text[:-1] if divided else text) + following


def goes_on_overleaf(block: TextBlock, following: TextBlock) -> bool:
    """Whether the last paragraph of a page goes on with the first one of the next."""
    last, first = block.lines[-1], following.lines[0]
    if last.is_bold or first.is_bold or abs(last.size - first.size) > 0.15 * last.size:
        return False
    if is_bullet(first.words[0].text) or _stands_alone(first) or _stands_alone(last):
        return False
    return not last.text.endswith(_ENDS) and (first.text[:1].islower() or len(block.lines) > 1)
