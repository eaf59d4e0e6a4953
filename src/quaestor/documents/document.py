"""Documents: headings, paragraphs and tables in order, grouped in sections.

A document contains no questions or answers. `quaestor.documents.assembly` creates documents.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import Discriminator

from quaestor.core.number_conventions import ENGLISH, NumberConvention
from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.core.quantity import Quantity
from quaestor.core.renaming import renamed_attributes
from quaestor.documents.facts import Fact, TaggedNumber
from quaestor.documents.repairs import DocumentWarning, WarningKind
from quaestor.documents.table import Cell, Table

_PLAIN_PAGE = (("pre_text", "paragraph"), ("pre_text", "table"), ("post_text", "paragraph"))
"""Sections and kinds of the blocks of a ConvFinQA page, in order."""
_FIRST = 40
"""Number of blocks on the first page, where a report names its period."""
PAGE_SECTIONS = frozenset(section for section, _ in _PLAIN_PAGE)
"""Section ids of a benchmark page."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A number in running text."""

    quantity: Quantity
    ref: SentenceRef


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a paragraph.

    Attributes:
        index: Index within the section, from 0, regardless of paragraphs.
        text: As printed; the spans of `mentions` refer to it.
    """

    section: str
    index: int
    text: str
    mentions: tuple[Mention, ...] = ()
    periods: tuple[tuple[Period, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class SectionHeading:
    """Printed heading of a section."""

    text: str
    level: int
    kind: Literal["heading"] = field(default="heading", kw_only=True)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, split into sentences."""

    sentences: tuple[Sentence, ...]
    kind: Literal["paragraph"] = field(default="paragraph", kw_only=True)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document.

    Attributes:
        id: Unique id used in sources: lower-case letters, digits and underscores.
        path: Headings from the outermost to that of the section (`("Notes", "7. Income taxes")`), not necessarily
            unique; empty if the section has no printed heading.
    """

    id: str
    path: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The section's heading, or ""."""
        return self.path[-1] if self.path else ""

    @property
    def level(self) -> int:
        """Number of headings in the path."""
        return len(self.path)


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, paragraph or table with its position.

    Attributes:
        order: Index among the blocks of the document, from 0.
        page: Page on which it begins, from 1; None if unknown.
        anchor: Location in the file to which a browser can scroll, an element's id or a path; or None.
    """

    content: Annotated[SectionHeading | Paragraph | Table, Discriminator("kind")]
    order: int
    section: str
    page: int | None = None
    anchor: str | None = None


@renamed_attributes(around="sentences_around")
@dataclass(frozen=True)
class Document:
    """Blocks in sections, with warnings about repairs.

    A ConvFinQA page has two sections without headings, `pre_text` and `post_text`; its table ends the first.

    Attributes:
        id: Name of the document (`MRO/2007/page_134.pdf`); independent of questions.
        sections: In document order, including sections without blocks.
        facts: Facts from the tags of a filing. Numbers are read without them.
        whole: The whole document if this is an excerpt, else None.

    Raises:
        ValueError: Two sections have the same id, or a block has an unknown section or a wrong `order`.
    """

    id: str
    sections: tuple[Section, ...]
    blocks: tuple[Block, ...]
    warnings: tuple[DocumentWarning, ...] = ()
    facts: tuple[TaggedNumber, ...] = field(default=(), repr=False)
    whole: "Document | None" = field(default=None, repr=False)
    convention: NumberConvention = ENGLISH

    def __post_init__(self) -> None:
        """Validate sections and blocks."""
        if len(self._sections) != len(self.sections):
            raise ValueError(f"{self.id}: two sections have the same id")
        if self.whole is not None:
            return
        for order, block in enumerate(self.blocks):
            if block.order != order or block.section not in self._sections:
                raise ValueError(
                    f"{self.id}: block {order} has the order {block.order} and the section {block.section!r}"
                )

    def __repr__(self) -> str:
        from quaestor.documents.shown import document_line

        return document_line(self)

    def _repr_html_(self) -> str:
        """Return the contents as HTML for notebooks."""
        from quaestor.documents.shown import document_html

        return document_html(self)

    @property
    def refusal(self) -> str | None:
        """The reason in one line if the document could not be read, else None."""
        return next((warning.detail for warning in self.warnings if warning.kind is WarningKind.REFUSED), None)

    def excerpt(self, orders: Iterable[int], shortened: Mapping[int, Block] = MappingProxyType({})) -> "Document":
        """Return an excerpt with some of the blocks, which keep their `order` and `index`.

        Sources of the whole document stay valid: `cell`, `sentence`, `block` and `section` also find what the excerpt
        leaves out, so that earlier answers of a conversation can still be shown.

        Args:
            orders: Indices of the blocks in the whole document, in any order.
            shortened: Replacements for some of the blocks, by index.
        """
        whole = self.whole or self
        blocks = tuple(shortened.get(order, whole.blocks[order]) for order in sorted(set(orders)))
        named = {block.section for block in blocks}
        sections = tuple(section for section in whole.sections if section.id in named)
        return Document(whole.id, sections, blocks, whole.warnings, whole.facts, whole, whole.convention)

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The tables in document order; in a whole document, a table's `index` is its position here."""
        return tuple(block.content for block in self.blocks if isinstance(block.content, Table))

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences in document order, without headings."""
        return tuple(sentence for block in self.blocks for sentence in _sentences(block))

    @cached_property
    def reported(self) -> Period | None:
        """The period named on the first page of a report ("for the fiscal year ended June 30, 2025"), or None."""
        # Imported here because `timing` imports this module indirectly.
        from quaestor.documents.timing import reported_period

        lines = (" ".join(s.text for s in _sentences(block)) or _heading_of(block) for block in self.blocks[:_FIRST])
        return next((found for line in lines if (found := reported_period(line))), None)

    @cached_property
    def year_to_date(self) -> Period | None:
        """The year-to-date span that a quarterly report covers besides its quarter, from column headers; or None."""
        last = self.reported.ends if self.reported and self.reported.kind == "quarter" else None
        named = (header.period for table in self.tables for header in table.columns)
        return next(
            (p for p in named if p and last and p.kind == "span" and (p.year, p.month) == (last.year, last.month)), None
        )

    @cached_property
    def text(self) -> tuple[tuple[Section, tuple[Sentence, ...]], ...]:
        """The sentences by section in document order, without sections that have none."""
        found: dict[str, list[Sentence]] = {}
        for sentence in self.sentences:
            found.setdefault(sentence.section, []).append(sentence)
        return tuple((self._sections[id], tuple(sentences)) for id, sentences in found.items())

    @cached_property
    def shared_labels(self) -> frozenset[str]:
        """Row labels, in lower case, with several different numbers for the same period."""
        if self.whole is not None:
            return self.whole.shared_labels
        amounts: dict[tuple[str, Period | None], set[int]] = {}
        for table in self.tables:
            for cell in () if table.is_too_large else table.body():
                row, column, label = cell.ref.row, cell.ref.column, table.rows[cell.ref.row].label.lower()
                if label and column and cell.quantity is not None:
                    # The same amount in thousands and in millions counts as one number.
                    digits = int(cell.quantity.value.copy_abs().scaleb(6)) or 1
                    while digits % 10 == 0:
                        digits //= 10
                    amounts.setdefault((label, table.period_at(row, column)), set()).add(digits)
        return frozenset(label for (label, _), several in amounts.items() if len(several) > 1)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the printed content.

        Headings and order are included only if there are headings, several tables or page numbers. For a benchmark page
        (sentences around one table) the digest must stay unchanged, because stored runs are resumed by it.
        """
        printed: dict[str, object] = {
            "tables": [[[cell.text for cell in row] for row in table.cells] for table in self.tables],
            "sentences": [[s.section, s.text] for s in self.sentences],
        }
        if self.whole is not None:
            printed["excerpt"] = [self.whole.digest, [block.order for block in self.blocks]]
        if not self._is_plain_page:
            printed["blocks"] = [
                [b.content.kind, self._sections[b.section].path, b.page, sum(1 for _ in _sentences(b))]
                for b in self.blocks
            ]
        return hashlib.sha256(json.dumps(printed).encode()).hexdigest()

    def cell(self, ref: CellRef) -> Cell:
        """Return the cell for a reference; raise IndexError if there is none."""
        return self.table(ref.table).cells[ref.row][ref.column]

    def table(self, index: int) -> Table:
        """Return the table with the index in `CellRef.table`; raise IndexError if there is none."""
        return (self.whole or self).tables[index]

    def rows_left_out(self, index: int) -> int:
        """Return the number of rows of a table that an excerpt leaves out; 0 for a complete table."""
        shown = (table for table in self.tables if table.index == index)
        return sum(self.table(index).printed_rows - table.printed_rows for table in shown)

    def fact(self, source: Source) -> Fact | None:
        """Return the fact of the tag around a number, or None."""
        return self._facts.get(source)

    def sentence(self, ref: SentenceRef) -> Sentence:
        """Return the sentence for a reference; raise LookupError if there is none."""
        found = (self.whole or self)._sentences.get((ref.section, ref.sentence))
        if found is None:
            raise LookupError(f"{self.id} has no sentence {ref.sentence} in {ref.section}")
        return found[0]

    def block(self, source: Source) -> Block:
        """Return the block that contains a cell or sentence; raise LookupError if there is none."""
        whole = self.whole or self
        if isinstance(source, CellRef):
            return whole._table_blocks[source.table]
        self.sentence(source)
        return whole._sentences[source.section, source.sentence][1]

    def section(self, source: Source) -> Section:
        """Return the section that contains a cell or sentence; raise LookupError if there is none."""
        return (self.whole or self)._sections[self.block(source).section]

    def section_of(self, table: Table) -> Section:
        """Return the section that contains a table of the document."""
        whole = self.whole or self
        return whole._sections[whole._table_blocks[table.index].section]

    def lead_of(self, table: Table) -> tuple[Sentence, ...]:
        """Return the sentences that lead to a table of the document.

        These are the sentences since the previous table or heading; if a table directly follows another one, that
        one's. An excerpt returns only sentences that it contains.
        """
        return self._in_excerpt((self.whole or self)._leads[table.index])

    def sentences_around(self, table: Table) -> tuple[Sentence, ...]:
        """Return all sentences under the same heading as a table, before and after it.

        Without headings these are all sentences of the page. An excerpt returns only sentences that it contains.
        """
        return self._in_excerpt((self.whole or self)._stretches[table.index])

    def _in_excerpt(self, sentences: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
        if self.whole is None:
            return sentences
        return tuple(s for s in sentences if (s.section, s.index) in self._sentences)

    @cached_property
    def _sections(self) -> Mapping[str, Section]:
        return {section.id: section for section in self.sections}

    @cached_property
    def _sentences(self) -> Mapping[tuple[str, int], tuple[Sentence, Block]]:
        return {(s.section, s.index): (s, block) for block in self.blocks for s in _sentences(block)}

    @cached_property
    def _table_blocks(self) -> tuple[Block, ...]:
        return tuple(block for block in self.blocks if isinstance(block.content, Table))

    @cached_property
    def _facts(self) -> Mapping[Source, Fact]:
        if self.whole is not None:
            return self.whole._facts
        return {tagged.source: tagged.fact for tagged in self.facts}

    @cached_property
    def _leads(self) -> Mapping[int, tuple[Sentence, ...]]:
        leads: dict[int, tuple[Sentence, ...]] = {}
        lead: tuple[Sentence, ...] = ()
        fresh: list[Sentence] = []
        for block in self.blocks:
            match block.content:
                case SectionHeading():
                    lead, fresh = (), []
                case Paragraph(sentences=sentences):
                    fresh += sentences
                case Table(index=index):
                    if fresh:
                        lead, fresh = tuple(fresh), []
                    leads[index] = lead
        return leads

    @cached_property
    def _stretches(self) -> Mapping[int, tuple[Sentence, ...]]:
        found: dict[int, tuple[Sentence, ...]] = {}
        stretch: list[Sentence] = []
        tables: list[int] = []
        for block in self.blocks:
            if isinstance(block.content, SectionHeading):
                found |= dict.fromkeys(tables, tuple(stretch))
                stretch, tables = [], []
            stretch += _sentences(block)
            if isinstance(block.content, Table):
                tables.append(block.content.index)
        return found | dict.fromkeys(tables, tuple(stretch))

    @property
    def is_page(self) -> bool:
        """Whether it is a benchmark page: text before and after a table, in the two sections of such pages."""
        return {section.id for section in self.sections} <= PAGE_SECTIONS

    @property
    def _is_plain_page(self) -> bool:
        places = [(block.section, block.content.kind) for block in self.blocks]
        if self.whole is not None:
            return False
        headed = any(section.path for section in self.sections) or any(block.page is not None for block in self.blocks)
        return not headed and places == [place for place in _PLAIN_PAGE if place in places]


def _heading_of(block: Block) -> str:
    return block.content.text if isinstance(block.content, SectionHeading) else ""


def _sentences(block: Block) -> Iterator[Sentence]:
    if isinstance(block.content, Paragraph):
        yield from block.content.sentences
