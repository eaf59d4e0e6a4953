"""Terms of a block, weighted by where they occur."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from quaestor.documents.document import Block, Document, Paragraph, Sentence
from quaestor.documents.roles import is_back_matter
from quaestor.documents.table import Table
from quaestor.questions.stems import stems

_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*")
_LONGEST = 4_000
"""Limit in characters for a text; the rest is ignored."""


@lru_cache(maxsize=50_000)
def index_terms(text: str) -> tuple[str, ...]:
    """Return the stems of the content words of a text in order, followed by its numbers as printed.

    >>> index_terms("The 4.65% notes due in 2046, net of discounts")
    ('note', 'due', 'net', 'discount', '4.65', '2046')
    """
    cut = text[:_LONGEST]
    return (*stems(cut), *(number.strip(".,") for number in _NUMBER.findall(cut)))


HEADS, COLUMNS, TITLE, SECTION, OUTER, CAPTION, LEAD, AROUND = 0.85, 0.7, 0.65, 0.55, 0.35, 0.4, 0.4, 0.25
"""Weight of a term that occurs there; a term in the row's label has weight 1."""

_LEADING = 2
_MOST_ROWS = 10_000
"""A longer table is a list, which is searched by other means."""
_CLAUSE = re.compile(r"[()]|[,;:.]\s")
_IS = re.compile(
    r"(?:^|[,;:.]\s)(?P<thing>[^,;:.\d]{3,60}?)\s+(?:was|were|is|are|totaled)\s+(?:approximately |about )?$"
)
_BEHIND, _BEFORE = 60, 100
_COUNTED = 5
"""Number of characters after and before a number in which the counted thing is sought, and maximal number of terms."""


@dataclass(frozen=True, slots=True)
class BlockLine:
    """Terms of a table row or sentence.

    Attributes:
        counted: For a sentence, terms of the things counted: "12 mills", "the number of mills was 12".
    """

    place: int
    label: tuple[str, ...]
    heads: frozenset[str]
    years: frozenset[int]
    has_numbers: bool
    counted: frozenset[str] = frozenset()
    terms: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", self.heads.union(self.label))


@dataclass(frozen=True)
class BlockTerms:
    """Terms of a block.

    Attributes:
        around: Terms around the lines, each with the weight of its best position.
        years: Years around the lines, except those in a table's column headings.
        names: Terms of the title and of the innermost heading.
    """

    lines: tuple[BlockLine, ...]
    around: Mapping[str, float]
    years: frozenset[int]
    names: frozenset[tuple[str, ...]] = frozenset()
    back_matter: bool = False


def indexed_rows(table: Table) -> range:
    """Return the indexed rows of a table: those below the header, up to a limit."""
    return range(table.header_rows, min(len(table.rows), table.header_rows + _MOST_ROWS))


def read_block(document: Document, block: Block, path: tuple[str, ...]) -> BlockTerms:
    """Return the terms of a block."""
    around: dict[str, float] = {}

    def add(text: str, weight: float) -> None:
        for term in index_terms(text):
            around[term] = max(weight, around.get(term, 0))

    for heading in path[:-1]:
        add(heading, OUTER)
    for heading in path[-1:]:
        add(heading, SECTION)
    title = block.content.title if isinstance(block.content, Table) else ""
    names = frozenset(terms for text in (title, *path[-1:]) if (terms := index_terms(text)))
    match block.content:
        case Table() as table:
            lead = document.lead_of(table)[-_LEADING:]
            add(table.title, TITLE)
            add(table.caption, CAPTION)
            for column in table.columns:
                for level in {*column.levels, column.label}:
                    add(level, COLUMNS)
            for sentence in lead:
                add(sentence.text, LEAD)
            years = {year for sentence in lead for year in _years_of(sentence)}
            return BlockTerms(_row_lines(table), around, frozenset(years), names, is_back_matter(path))
        case Paragraph(sentences=sentences):
            lines = tuple(_sentence_line(place, sentence) for place, sentence in enumerate(sentences))
            for sentence in sentences:
                add(sentence.text, AROUND)
            years = {year for line in lines for year in line.years}
            return BlockTerms(lines, around, frozenset(years), names, is_back_matter(path))
    return BlockTerms((), {}, frozenset())


def _sentence_line(place: int, sentence: Sentence) -> BlockLine:
    behind = [_CLAUSE.split(sentence.text[m.ref.end : m.ref.end + _BEHIND])[0] for m in sentence.mentions]
    before = (_IS.search(sentence.text[: m.ref.start][-_BEFORE:]) for m in sentence.mentions)
    behind += (found["thing"] for found in before if found is not None)
    counted = frozenset(term for text in behind for term in index_terms(text)[:_COUNTED])
    years = frozenset(_years_of(sentence))
    return BlockLine(place, index_terms(sentence.text), frozenset(), years, bool(sentence.mentions), counted)


def _years_of(sentence: Sentence) -> Iterator[int]:
    for period, _, _ in sentence.periods:
        yield from (year for year in (period.year, period.last) if year is not None)


def _row_lines(table: Table) -> tuple[BlockLine, ...]:
    lines = []
    for place in indexed_rows(table):
        row = table.rows[place]
        label = row.label or (row.levels[-1] if row.levels else "")
        heads = frozenset(term for level in row.levels if level != label for term in index_terms(level))
        columns = [column for column, cell in enumerate(table.cells[place]) if column and cell.quantities]
        periods = [table.period_at(place, column) for column in columns]
        years = frozenset(year for p in periods if p is not None for year in (p.year, p.last) if year is not None)
        lines.append(BlockLine(place, index_terms(label), heads, years, bool(columns)))
    return tuple(lines)
