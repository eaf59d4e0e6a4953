"""A document: headings, paragraphs and tables in their order, in sections.

Holds no question and no answer. A document is made from what was printed by `quaestor.documents.assembly`.
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
from quaestor.documents.facts import Fact, TaggedNumber
from quaestor.documents.repairs import DocumentWarning, WarningKind
from quaestor.documents.table import Cell, Table

_PLAIN_PAGE = (("pre_text", "paragraph"), ("pre_text", "table"), ("post_text", "paragraph"))
"""The sections and kinds of the blocks of a ConvFinQA page, in order."""
_FIRST = 40
"""Blocks of the first page, on which a report names its period."""
PAGE_SECTIONS = frozenset(section for section, _ in _PLAIN_PAGE)
"""The sections of a page of a benchmark."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A number in running text."""

    quantity: Quantity
    ref: SentenceRef


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence around the tables.

    Attributes:
        index: Its place in the section, from 0, whatever paragraph it is in.
        text: As printed; the spans of `mentions` index into it.
    """

    section: str
    index: int
    text: str
    mentions: tuple[Mention, ...] = ()
    periods: tuple[tuple[Period, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class SectionHeading:
    """The printed heading of a section."""

    text: str
    level: int
    kind: Literal["heading"] = field(default="heading", kw_only=True)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences that stand together."""

    sentences: tuple[Sentence, ...]
    kind: Literal["paragraph"] = field(default="paragraph", kw_only=True)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document.

    Attributes:
        id: Its name in sources, no other section's of the document: small letters, digits and underscores.
        path: The headings that it is under, outermost first, its own last (`("Notes", "7. Income taxes")`); other
            sections may have the same. Empty where the document prints no heading over it.
    """

    id: str
    path: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Its own heading, or ""."""
        return self.path[-1] if self.path else ""

    @property
    def level(self) -> int:
        """How many headings it is under."""
        return len(self.path)


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph or a table, and its place.

    Attributes:
        order: Its place among the blocks of the document, from 0.
        page: The number of the page that it begins on, from 1 as viewers count, or None if that is not known.
        anchor: The way to it in the file, by which a browser scrolls there: an element's id, or a path; or None.
    """

    content: Annotated[SectionHeading | Paragraph | Table, Discriminator("kind")]
    order: int
    section: str
    page: int | None = None
    anchor: str | None = None


@dataclass(frozen=True)
class Document:
    """Blocks in sections, and what was repaired in reading them.

    A ConvFinQA page has two sections without a heading, `pre_text` and `post_text`; its table ends the first.

    Attributes:
        id: Names the document (`MRO/2007/page_134.pdf`), and tells nothing about the questions.
        sections: In the order of the document, those without a block too.
        facts: What the tags of a filing say of its numbers. The numbers themselves are read without them.
        whole: Of an excerpt the document that it is of; of a whole document None.

    Raises:
        ValueError: Two sections have one id, a block is in none of them, or its order is not its place.
    """

    id: str
    sections: tuple[Section, ...]
    blocks: tuple[Block, ...]
    warnings: tuple[DocumentWarning, ...] = ()
    facts: tuple[TaggedNumber, ...] = field(default=(), repr=False)
    whole: "Document | None" = field(default=None, repr=False)
    convention: NumberConvention = ENGLISH

    def __post_init__(self) -> None:
        """Refuse blocks without a place."""
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
        """Return what it holds as notebooks show it."""
        from quaestor.documents.shown import document_html

        return document_html(self)

    @property
    def refusal(self) -> str | None:
        """Why nothing of it was read, in a line; None of every other document."""
        return next((warning.detail for warning in self.warnings if warning.kind is WarningKind.REFUSED), None)

    def excerpt(self, orders: Iterable[int], shortened: Mapping[int, Block] = MappingProxyType({})) -> "Document":
        """Return the document with some of its blocks only, each with the place and the index that it has.

        Sources of the whole document name the same in it: `cell`, `sentence`, `block` and `section` find what the
        excerpt leaves out too, so that earlier answers of a conversation can still be shown.

        Args:
            orders: The places of its blocks in the whole document, in any order.
        """
        whole = self.whole or self
        blocks = tuple(shortened.get(order, whole.blocks[order]) for order in sorted(set(orders)))
        named = {block.section for block in blocks}
        sections = tuple(section for section in whole.sections if section.id in named)
        return Document(whole.id, sections, blocks, whole.warnings, whole.facts, whole, whole.convention)

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The tables, in the order of the document; in a whole one a table's `index` is its place here."""
        return tuple(block.content for block in self.blocks if isinstance(block.content, Table))

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences, in the order of the document; headings are none."""
        return tuple(sentence for block in self.blocks for sentence in _sentences(block))

    @cached_property
    def reported(self) -> Period | None:
        """The period that the first page of a report names ("for the fiscal year ended June 30, 2025"), or None."""
        # Not on top: the module reads headings of tables.
        from quaestor.documents.timing import reported_period

        lines = (" ".join(s.text for s in _sentences(block)) or _heading_of(block) for block in self.blocks[:_FIRST])
        return next((found for line in lines if (found := reported_period(line))), None)

    @cached_property
    def year_to_date(self) -> Period | None:
        """The months of its year that a quarterly report is on beside its quarter, by the headings of its tables."""
        last = self.reported.ends if self.reported and self.reported.kind == "quarter" else None
        named = (header.period for table in self.tables for header in table.columns)
        return next(
            (p for p in named if p and last and p.kind == "span" and (p.year, p.month) == (last.year, last.month)), None
        )

    @cached_property
    def text(self) -> tuple[tuple[Section, tuple[Sentence, ...]], ...]:
        """The sentences by section, in the order of the document; sections without any are left out."""
        found: dict[str, list[Sentence]] = {}
        for sentence in self.sentences:
            found.setdefault(sentence.section, []).append(sentence)
        return tuple((self._sections[id], tuple(sentences)) for id, sentences in found.items())

    @cached_property
    def shared_labels(self) -> frozenset[str]:
        """The labels of rows, in lower case, that call different numbers of one time."""
        if self.whole is not None:
            return self.whole.shared_labels
        amounts: dict[tuple[str, Period | None], set[int]] = {}
        for table in self.tables:
            for cell in () if table.is_too_large else table.body():
                row, column, label = cell.ref.row, cell.ref.column, table.rows[cell.ref.row].label.lower()
                if label and column and cell.quantity is not None:
                    # One amount in thousands and in millions is one number.
                    digits = int(cell.quantity.value.copy_abs().scaleb(6)) or 1
                    while digits % 10 == 0:
                        digits //= 10
                    amounts.setdefault((label, table.period_at(row, column)), set()).add(digits)
        return frozenset(label for (label, _), several in amounts.items() if len(several) > 1)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over what is printed: two documents with one digest say the same.

        Headings and order count where there are headings, several tables or page numbers. A page of sentences around
        one table has the digest that it always had, by which stored runs are resumed.
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
        """Return the cell that `ref` names; IndexError where the document has none."""
        return self.table(ref.table).cells[ref.row][ref.column]

    def table(self, index: int) -> Table:
        """Return the table with an index, as `CellRef.table` gives it; IndexError where the document has none."""
        return (self.whole or self).tables[index]

    def rows_left_out(self, index: int) -> int:
        """Return how many rows of a table of its own an excerpt leaves out; 0 for a table that it has whole."""
        shown = (table for table in self.tables if table.index == index)
        return sum(self.table(index).printed_rows - table.printed_rows for table in shown)

    def fact(self, source: Source) -> Fact | None:
        """Return what a tag says of the number at a source; None if there is none."""
        return self._facts.get(source)

    def sentence(self, ref: SentenceRef) -> Sentence:
        """Return the sentence that `ref` names; LookupError where the document has none."""
        found = (self.whole or self)._sentences.get((ref.section, ref.sentence))
        if found is None:
            raise LookupError(f"{self.id} has no sentence {ref.sentence} in {ref.section}")
        return found[0]

    def block(self, source: Source) -> Block:
        """Return the block that a cell or a sentence is in; LookupError where the document has none."""
        whole = self.whole or self
        if isinstance(source, CellRef):
            return whole._table_blocks[source.table]
        self.sentence(source)
        return whole._sentences[source.section, source.sentence][1]

    def section(self, source: Source) -> Section:
        """Return the section that a cell or a sentence is in; LookupError where the document has none."""
        return (self.whole or self)._sections[self.block(source).section]

    def section_of(self, table: Table) -> Section:
        """Return the section that a table of the document is in."""
        whole = self.whole or self
        return whole._sections[whole._table_blocks[table.index].section]

    def lead_of(self, table: Table) -> tuple[Sentence, ...]:
        """Return the sentences that lead to a table of the document.

        Those between it and the table or heading before it; of a table right below another one, that one's. In an
        excerpt those of them that it has.
        """
        return self._in_excerpt((self.whole or self)._leads[table.index])

    def around(self, table: Table) -> tuple[Sentence, ...]:
        """Return all sentences under the heading that a table of the document is under, before it and after it.

        Tables under one heading have one tuple. On a page without headings it holds all sentences of the page; in an
        excerpt those of them that it has.
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
        """Whether it is a page of a benchmark: text before and after a table, in the two sections of such pages."""
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
