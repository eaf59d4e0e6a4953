"""Assembles a document from the parts that a reader found, in order.

Readers of all formats (HTML, PDF, datasets) produce the same kinds of parts.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from quaestor.core.currencies import is_currency
from quaestor.core.number_conventions import DECIMAL_POINT, LOOSE, NumberConvention, find_convention
from quaestor.core.parsing import clean_label
from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import LARGE_SCALES, Quantity, Scale
from quaestor.core.renaming import renamed_fields
from quaestor.documents.amounts import (
    Amounts,
    amounts_in_text,
    default_amounts,
    is_amounts_line,
    read_amounts,
    scale_of_sentences,
)
from quaestor.documents.captions import NOTHING, Caption, caption_in_text, read_caption
from quaestor.documents.document import PAGE_SECTIONS, Block, Document, Paragraph, Section, SectionHeading
from quaestor.documents.facts import Fact, TaggedNumber
from quaestor.documents.headers import count_header_rows, read_table
from quaestor.documents.own_currency import (
    bare_sign_of,
    is_bare_dollar,
    own_dollar_of,
    sentences_with_own_currency,
    with_own_currency,
)
from quaestor.documents.percentages import with_percentages
from quaestor.documents.repairs import DocumentWarning, Repair, RepairKind, WarningKind
from quaestor.documents.restarts import continues_table, find_restarts, headings_of, under_headings_of, width_of_parts
from quaestor.documents.roles import with_roles
from quaestor.documents.sentence_scales import (
    amounts_of_tables,
    with_scale_in_sentence,
    with_scale_of_tables,
    with_section_scale,
)
from quaestor.documents.sentences import read_sentences
from quaestor.documents.table import MOST_CELLS_ASKED, Cell, Table
from quaestor.documents.timing import reported_period, with_periods
from quaestor.documents.unit_columns import with_unit_columns
from quaestor.documents.units import (
    bare_currency_of,
    counts_no_money,
    heads_other_amounts,
    starts_at_hundred,
    with_units,
)
from quaestor.errors import DocumentError

LONGEST_TEXT = 20_000
"""Limit in characters for a cell, heading or sentence: five times the longest one in the filings tested. Processing
one may take time and memory quadratic in its length.
"""
LONGEST_PARAGRAPH = 1_000_000
"""Limit in characters for a paragraph, which readers split into sentences; even a whole book is accepted."""

_LEADING_SENTENCES = 2
_HEADING_WARNINGS = (WarningKind.NO_HEADER, WarningKind.NO_HEADING)
_CENTS = -2
_SMALL = 100
_LARGEST = Decimal(10) ** 16
"""Larger than any amount in a report: more than all companies together own, in any currency."""
_FOR_ALL_TABLES = ("(all", "(tabular")
"""Beginnings of captions above one table that apply to all tables."""
_TOO_LARGE = 100
"""An amount this many times as large as all amounts below captions with a scale is not in that scale."""
_NOTE = re.compile(r"\s*\([0-9]{1,2}\)\s*")
"""A footnote mark alone in a cell."""
_ITEM = re.compile(r"(?:item|part)\s[0-9ivx]{1,4}[a-c]?\b|exhibit\s[0-9]", re.IGNORECASE)
"""Headings of parts of a filing that do not share captions."""
_FIRST_BLOCKS = 40
"""Number of blocks on the first page of a filing, which names its period."""
_RATES = re.compile(r"\b(?:exchange|conversion) rates\b", re.IGNORECASE)
_SECTION_ID = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class HeadingPart:
    """A heading, which starts a section.

    Attributes:
        level: 1 for the outermost; the parent is the last heading with a lower level.
        page: Page number, from 1, if known.
        anchor: Location in the file, as in `Block.anchor`.
    """

    text: str
    level: int = 1
    page: int | None = None
    anchor: str | None = None


@dataclass(frozen=True, slots=True)
class SectionPart:
    """The start of a section without a printed heading.

    Attributes:
        id: Unique id of the section, used in sources.
    """

    id: str


@renamed_fields(standing="section_caption")
@dataclass(frozen=True, slots=True)
class ParagraphPart:
    """A paragraph.

    Attributes:
        sentences: As printed (`quaestor.documents.sentences.split_sentences` splits a text).
        facts: Tagged numbers: index in `sentences`, start and end of the span, fact.
        standing: Caption that applies to all amounts of the section ("(Dollars in millions)" above notes), or "".
    """

    sentences: tuple[str, ...]
    page: int | None = None
    anchor: str | None = None
    facts: Sequence[tuple[int, int, int, Fact]] = ()
    section_caption: str = ""


@renamed_fields(standing="section_caption")
@dataclass(frozen=True, slots=True)
class TablePart:
    """A table.

    Shape: `grid` has R rows of up to C printed cells; shorter rows are padded with empty cells.

    Attributes:
        grid: The printed cells, including header rows and labels.
        caption: Caption above the table ("( in millions )"), or "".
        title: Title above the table ("CONSOLIDATED BALANCE SHEETS"), or "".
        header_rows: Number of header rows if the file marks them, None to detect them. If given, a heading over several
            columns is repeated in each of them.
        facts: Tagged numbers: row and column in `grid`, fact.
        numbers: Exact values of cells if the file has them (`14%` for 0.1412): row and column in `grid`, and the number
            in the scale of the printed text. Their text is not used to detect the number convention.
        standing: Caption that applies to all amounts of the section, used if the table has none, or "".
        unknown: Formulas whose values the file does not store: row and column in `grid`.
    """

    grid: Sequence[Sequence[str]]
    caption: str = ""
    page: int | None = None
    anchor: str | None = None
    title: str = ""
    header_rows: int | None = None
    facts: Sequence[tuple[int, int, Fact]] = ()
    numbers: Sequence[tuple[int, int, Quantity]] = ()
    section_caption: str = ""
    unknown: Sequence[tuple[int, int]] = ()


DocumentPart = HeadingPart | SectionPart | ParagraphPart | TablePart
"""A part of a document that a reader found."""


def assemble(
    id: str,
    parts: Iterable[DocumentPart],
    warnings: Iterable[str] = (),
    *,
    filing: bool = False,
    lost_dashes: bool = False,
    convention: NumberConvention | None = None,
    decimal: str | None = None,
    usual_decimal: str = DECIMAL_POINT,
) -> Document:
    """Assemble a document from parts, in order.

    Args:
        parts: Empty paragraphs and tables without cells are skipped.
        warnings: Losses that the reader reports, one line each.
        filing: Whether the file is a complete filing as the company published it. Then missing scales, units and
            periods are derived from captions, titles and signs (see `quaestor.documents.units` and
            `quaestor.documents.timing`).
        lost_dashes: Whether dashes may have been converted to the years 2013 and 2014, as in the files of ConvFinQA.
        convention: Number convention of the document; None to detect it.
        decimal: Decimal separator, if the file declares it.
        usual_decimal: Decimal separator to assume if the numbers are ambiguous.

    Raises:
        DocumentError: Two sections have the same id, an id is invalid, a heading's level is below 1, or a text is
            longer than `LONGEST_TEXT`.

    >>> document = assemble("10-K", [HeadingPart("Notes"), TablePart([["", "2008"], ["rent", "5"]])])
    >>> document.section_of(document.tables[0]).path
    ('Notes',)
    """
    parts = list(parts)
    if convention is None:
        convention = LOOSE if lost_dashes else _find_convention(parts, decimal, usual_decimal)
    lost = [DocumentWarning(WarningKind.LOST, detail=line) for line in warnings]
    assembly = _Assembly(id, lost, filing, lost_dashes, convention)
    if filing:
        assembly.dollars = _find_dollars(parts) or own_dollar_of(_printed_texts(parts))
        found = (_find_default(part, assembly.dollars) for part in parts)
        assembly.default = next(filter(_has_units, found), Amounts())
    for part in parts:
        match part:
            case HeadingPart():
                assembly.head(part)
            case SectionPart():
                assembly.begin(Section(part.id))
                assembly.headings.clear()
            case ParagraphPart():
                assembly.add_paragraph(part)
            case TablePart():
                assembly.add_table(part)
    if filing:
        assembly.look_for_scales_of_sentences()
    else:
        assembly.look_for_scales()
    sections, blocks = tuple(assembly.sections), tuple(assembly.blocks)
    warnings_found, facts = tuple(assembly.warnings), tuple(assembly.facts)
    return with_roles(Document(id, sections, blocks, warnings_found, facts, convention=convention))


def _find_convention(parts: Sequence[DocumentPart], decimal: str | None, usual: str) -> NumberConvention:
    """Detect the number convention of a document from all cells and texts."""
    texts: list[str] = []
    tables: list[list[list[str]]] = []
    for part in parts:
        match part:
            case HeadingPart():
                texts.append(part.text)
            case ParagraphPart():
                texts += part.sentences
            case TablePart():
                texts += (part.title, part.caption, *(row[0] for row in part.grid if row))
                cells = [list(row[1:]) for row in part.grid]
                for row, column, _ in part.numbers:
                    if column and column < len(part.grid[row]):
                        cells[row][column - 1] = ""
                tables.append(cells)
    return find_convention(tables, texts, decimal=decimal, usual=usual)


def build_unreadable_document(id: str, why: DocumentError) -> Document:
    """Return an empty document for a page that could not be read, so that the others in its file can be used."""
    return Document(id, (), (), (DocumentWarning(WarningKind.REFUSED, detail=str(why).removeprefix(f"{id}: ")),))


def check_length(document: str, what: str, length: int, most: int = LONGEST_TEXT) -> None:
    """Check the length of a text.

    Raises:
        DocumentError: It is longer than `most` characters.
    """
    if length > most:
        advice = f"more than {most:,}; split it or leave it out"
        raise DocumentError(f"{document}: {what} has {length:,} characters, {advice}")


@dataclass(slots=True)
class _Assembly:
    """Builds a document part by part."""

    id: str
    warnings: list[DocumentWarning]
    filing: bool
    lost_dashes: bool
    convention: NumberConvention
    sections: list[Section] = field(default_factory=list)
    named: set[str] = field(default_factory=set)
    blocks: list[Block] = field(default_factory=list)
    facts: list[TaggedNumber] = field(default_factory=list)
    headings: list[HeadingPart] = field(default_factory=list)
    sentences: int = 0
    tables: int = 0
    leading: list[str] = field(default_factory=list)
    currencies: Counter[str] = field(default_factory=Counter)
    reported: Period | None = None
    amounts: Amounts = field(default_factory=Amounts)
    largest: Decimal = Decimal(0)
    default: Amounts = field(default_factory=Amounts)
    dollars: str | None = None
    scaled: set[str] = field(default_factory=set)
    counted: Amounts = field(default_factory=Amounts)

    def head(self, part: HeadingPart) -> None:
        if part.level < 1:
            raise DocumentError(f"{self.id}: the heading {part.text[:60]!r} has level {part.level}; 1 is the outermost")
        check_length(self.id, f"the heading {part.text[:60]!r} ...", len(part.text))
        self.headings = [*(heading for heading in self.headings if heading.level < part.level), part]
        path = tuple(" ".join(heading.text.split()) for heading in self.headings)
        self.begin(Section(f"section_{len(self.sections)}", path))
        # A caption may be between the name of the company and the title of the statement.
        after_table = self.blocks and isinstance(self.blocks[-1].content, Table)
        self.leading = [] if after_table else list(filter(_is_caption_of_next, self.leading))
        self.counted = Amounts()
        if _ITEM.match(part.text):
            self.amounts = Amounts()
        self._look_for_period(part.text)
        self._add(SectionHeading(part.text, part.level), part)

    def _look_for_period(self, text: str) -> None:
        if not self._is_page and self.reported is None and len(self.blocks) < _FIRST_BLOCKS:
            self.reported = reported_period(text)

    def begin(self, section: Section) -> None:
        if not _SECTION_ID.fullmatch(section.id):
            raise DocumentError(
                f"{self.id}: {section.id[:60]!r} is not a section id; use lower-case letters, digits and underscores"
            )
        if section.id in self.named:
            raise DocumentError(f"{self.id}: two sections have the id {section.id!r}")
        self.named.add(section.id)
        self.sections.append(section)
        self.sentences = 0

    def add_paragraph(self, part: ParagraphPart) -> None:
        if not part.sentences:
            return
        self._need_section()
        for number, text in enumerate(part.sentences, self.sentences):
            check_length(self.id, f"{self.sections[-1].id}, sentence {number}", len(text))
        where = f"{self.sections[-1].id}: the paragraph of sentence {self.sentences}"
        check_length(self.id, where, sum(map(len, part.sentences)), LONGEST_PARAGRAPH)
        found = read_sentences(self.id, self.sections[-1].id, part.sentences, self.sentences, self.convention)
        if part.section_caption:
            found = with_section_scale(found, read_amounts(part.section_caption))
        if self.filing:
            found = tuple(map(with_scale_in_sentence, found))
        if sign := bare_sign_of(self._own_currency):
            found = sentences_with_own_currency(found, self._own_currency or "", sign)
        for sentence, start, end, fact in part.facts:
            source = SentenceRef(self.id, self.sections[-1].id, self.sentences + sentence, start, end)
            self.facts.append(TaggedNumber(source, fact))
        self.sentences += len(found)
        self._look_for_period(" ".join(part.sentences))
        self._look_for_default(part)
        after_table = self.blocks and isinstance(self.blocks[-1].content, Table)
        self.leading = [*([] if after_table else self.leading), *part.sentences][-_LEADING_SENTENCES:]
        self._add(Paragraph(found), part)

    @property
    def _own_currency(self) -> str | None:
        """The currency that bare signs mean unless a table names another."""
        return self.dollars if self.dollars and self.default.unit in (None, "USD") else self.default.unit

    def _look_for_default(self, part: DocumentPart) -> None:
        if self.filing and _has_units(amounts := _find_default(part, self.dollars)):
            self.default = amounts

    def add_table(self, part: TablePart) -> None:
        width = max((len(row) for row in part.grid), default=0)
        if not width:
            return
        self._need_section()
        self._check_lengths(part)
        if any(len(row) < width for row in part.grid):
            self.warnings.append(DocumentWarning(WarningKind.UNEQUAL_ROWS, self.tables))
        grid = [[*row, *[""] * (width - len(row))] for row in part.grid]
        part = replace(part, grid=grid)
        for one in [part] if self._is_page else _split_table(_stack_parts(part)):
            self._add_one_table(one)

    @property
    def _is_page(self) -> bool:
        """Whether the parts so far are a benchmark page, whose tables are not split or joined."""
        return all(section.id in PAGE_SECTIONS for section in self.sections[:1])

    def _check_lengths(self, part: TablePart) -> None:
        for text, what in ((part.caption, "caption"), (part.title, "title"), (part.section_caption, "caption")):
            check_length(self.id, f"the {what} of table {self.tables}", len(text))
        for number, texts in enumerate(part.grid):
            for place, text in enumerate(texts):
                if len(text) > LONGEST_TEXT:
                    check_length(self.id, f"table {self.tables}, row {number}: the cell of column {place}", len(text))

    def _add_one_table(self, part: TablePart) -> None:
        own = read_caption(part.caption) if part.caption else NOTHING
        over_it = caption_in_text(self.leading)
        leading = Caption(own.scale or over_it.scale, own.unit or over_it.unit)
        table, found = read_table(
            self.id,
            self.tables,
            part.grid,
            leading,
            part.header_rows,
            dashes=self.lost_dashes,
            convention=self.convention,
        )
        if (
            self.filing
            and self.blocks
            and isinstance(before := self.blocks[-1].content, Table)
            and continues_table(table, before)
        ):
            table = under_headings_of(table, before)
            own_lines = (warning for warning in found if warning.kind not in _HEADING_WARNINGS)
            found = (*own_lines, DocumentWarning(WarningKind.CONTINUED_TABLE, self.tables, detail=str(before.index)))
        self.warnings += found
        table = _without_values(_with_numbers(table, part.numbers), part.unknown)
        table = replace(table, caption=table.caption or clean_label(part.caption), title=part.title)
        if self.filing:
            self._look_for_default(part)
            table = self._with_surroundings(table, part)
        elif self.convention != LOOSE:  # programs of ConvFinQA use percentages as printed
            table = with_percentages(table, self._texts_over(table, part))
        if not self.filing and not self._is_page:
            table = with_periods(table, self._texts_over(table, part), self.reported)
        table = with_unit_columns(table)
        # "Change $" beside "NZ$ million" is in the dollars of the table.
        named = table.unit == "USD" and not is_bare_dollar(table.unit, table.caption)
        own_unit = table.unit if named or bare_sign_of(table.unit) else self._own_currency
        if sign := bare_sign_of(own_unit):
            table = with_own_currency(table, own_unit or "", sign)
        for row, column, fact in part.facts:
            self.facts.append(TaggedNumber(CellRef(self.id, self.tables, row, column), fact))
        if table.is_too_large:
            most = f"{MOST_CELLS_ASKED:,}"
            warning = DocumentWarning(WarningKind.TOO_LARGE, self.tables, count=table.cell_count, detail=most)
            self.warnings.append(warning)
        self.tables += 1
        self._add(table, part)

    def _with_surroundings(self, table: Table, part: TablePart) -> Table:
        """Return a table of a filing with the scales, units and periods that its surroundings give."""
        corner = [table.cells[row][0].text for row in range(table.header_rows)]
        over = {cell.text for row in _rows_over_numbers(table) for cell in row[1:] if is_amounts_line(cell.text)}
        mixed = heads_other_amounts(table)
        lines = (part.caption, *corner, *(over if len(over) == 1 and not mixed else ()))
        own = next((found for text in lines if (found := read_amounts(text)).scale or found.shares), None)
        if own is None and mixed:
            scaled = (head.unit for head in table.columns if head.scale in LARGE_SCALES and is_currency(head.unit))
            own = Amounts(unit=next(scaled, None), shares=Scale.ONE)
        if own is None and starts_at_hundred(table):
            own = Amounts(Scale.ONE)
        over_it = (*(heading.text for heading in self.headings[-2:]), part.title, *self.leading)
        read = (amounts_in_text(text) for text in reversed(over_it))
        amounts = (
            own
            or next((found for found in read if found.scale or found.shares), None)
            or read_amounts(part.section_caption)
        )
        counts = counts_no_money(table)
        if counts and amounts.scale:
            self.counted = amounts
        elif counts and self.counted.scale:
            amounts = self.counted
        of_rates = any(_RATES.search(text) for text in (part.title, *self.leading[-1:]))
        is_default = not (_has_units(amounts) or counts or of_rates) and _takes_default(table, self.default)
        amounts = self.default if is_default else amounts
        bare = bare_currency_of(table)
        if bare and bare in self.scaled and (is_default or not _has_units(amounts)):
            amounts, is_default = Amounts(Scale.ONE, bare), False  # others print "$'000"
        self.scaled |= {head.unit for head in table.columns[1:] if head.scale in LARGE_SCALES and head.unit}
        currency = self.currencies.most_common(1)[0][0] if self.currencies else None
        about = self._texts_over(table, part)
        if not (amounts.scale or amounts.shares or of_rates) and not _prints_cents(table):
            if _largest_amount(table) > _TOO_LARGE * self.largest:
                self.amounts = Amounts()  # printed in full, as the tables after it may be
            amounts = replace(self.amounts, shares=self.amounts.scale and Scale.ONE)
        elif amounts.scale in LARGE_SCALES and not is_default:
            self.amounts = amounts
            self.largest = max(self.largest, _largest_amount(table))
        table = with_units(table, amounts, currency, self.convention, about, is_default=is_default)
        table = with_periods(table, about, self.reported)
        if table.unit is not None and is_currency(table.unit):
            self.currencies[table.unit] += 1
        return table

    def _texts_over(self, table: Table, part: TablePart) -> list[str]:
        """Return the texts above a table, the nearest last."""
        headings = [heading.text for heading in self.headings[-2:]]
        corner = [table.cells[row][0].text for row in range(table.header_rows)]
        return [*headings, *self.leading, part.title, *corner, part.caption]

    def look_for_scales(self) -> None:
        """Derive missing scales of tables from sentences of the page."""
        prose = [s for block in self.blocks if isinstance(block.content, Paragraph) for s in block.content.sentences]
        for place, block in enumerate(self.blocks):
            if isinstance(table := block.content, Table) and (scale := scale_of_sentences(table, prose)):
                self.blocks[place] = replace(block, content=replace(table, scale=scale))
                self.warnings.append(DocumentWarning(WarningKind.SCALE_FROM_TEXT, table.index, detail=scale.value))

    def look_for_scales_of_sentences(self) -> None:
        """Derive missing scales of amounts in sentences from tables with the same amounts."""
        printed = amounts_of_tables(block.content for block in self.blocks if isinstance(block.content, Table))
        for place, block in enumerate(self.blocks):
            if isinstance(content := block.content, Paragraph):
                sentences = tuple(with_scale_of_tables(sentence, printed) for sentence in content.sentences)
                if sentences != content.sentences:
                    self.blocks[place] = replace(block, content=Paragraph(sentences))

    def _need_section(self) -> None:
        """Start a section for content before the first heading."""
        if not self.sections:
            self.begin(Section("section_0"))

    def _add(self, content: SectionHeading | Paragraph | Table, part: HeadingPart | ParagraphPart | TablePart) -> None:
        self.blocks.append(Block(content, len(self.blocks), self.sections[-1].id, part.page, part.anchor))


def _stack_parts(part: TablePart) -> TablePart:
    """Stack the parts of a list that is printed side by side; return other tables unchanged."""
    header_rows = count_header_rows(part.grid) if part.header_rows is None else part.header_rows
    width = width_of_parts(part.grid, header_rows)
    if width is None:
        return part
    rows = [list(row[:width]) for row in part.grid[:header_rows]]
    starts = range(0, len(part.grid[0]), width)
    names = [part.grid[header_rows - 1][start].strip() for start in starts]
    if len(set(names)) > 1:
        rows[-1][0] = ""  # it is over the first part alone
    places: dict[tuple[int, int], tuple[int, int]] = {}
    for start, name, before in zip(starts, names, [None, *names], strict=False):
        if name != before and len(set(names)) > 1:
            rows.append([name, *[""] * (width - 1)])
        for number, row in enumerate(part.grid):
            own = row[start : start + width]
            if number >= header_rows and not any(text.strip() for text in own):
                continue
            place = number if number < header_rows else len(rows)
            places |= {(number, start + n): (place, n) for n in range(width)}
            if number >= header_rows:
                rows.append(list(own))
    return replace(
        part,
        grid=rows,
        header_rows=header_rows,
        facts=[(*places[row, column], fact) for row, column, fact in part.facts],
        numbers=[(*places[row, column], number) for row, column, number in part.numbers],
        unknown=[places[cell] for cell in part.unknown if cell in places],
    )


def _split_table(part: TablePart) -> list[TablePart]:
    """Split a table at repeated header rows that give other periods for the rows below."""
    header_rows = count_header_rows(part.grid) if part.header_rows is None else part.header_rows
    restarts = find_restarts(part.grid, header_rows)
    if not restarts:
        return [part]
    corner = next((row[0] for row in part.grid[:header_rows] if read_caption(row[0]).scale), "")
    bounds = [restart.top for restart in restarts] + [len(part.grid)]
    found = [_cut_table(part, part.grid[: bounds[0]], range(bounds[0]), 0)]
    for restart, end in zip(restarts, bounds[1:], strict=True):
        over = headings_of(part.grid, header_rows, restart, spread=part.header_rows is None)
        below = _cut_table(part, [*over, *part.grid[restart.body : end]], range(restart.body, end), len(over))
        lone = " ".join(row[0].strip() for row in part.grid[restart.top : restart.head])
        found.append(replace(below, header_rows=len(over), caption=part.caption or corner, title=lone or part.title))
    return found


def _cut_table(part: TablePart, grid: Sequence[Sequence[str]], rows: range, headings: int) -> TablePart:
    """Return a table with some rows of another one, below a number of header rows."""
    shift = headings - rows.start
    facts = [(row + shift, column, fact) for row, column, fact in part.facts if row in rows]
    numbers = [(row + shift, column, number) for row, column, number in part.numbers if row in rows]
    return replace(part, grid=grid, facts=facts, numbers=numbers)


def _with_numbers(table: Table, numbers: Sequence[tuple[int, int, Quantity]]) -> Table:
    """Return a table with the exact values that the file has for cells."""
    return table.with_cells(
        {
            (row, column): replace(cell, quantities=(quantity,))
            for row, column, quantity in numbers
            if row >= table.header_rows
            and (column or table.cells[row][column].quantities)
            and (cell := table.cells[row][column]).repair is None
        }
    )


def _without_values(table: Table, unknown: Sequence[tuple[int, int]]) -> Table:
    """Return a table with formulas without stored values marked."""
    repair = Repair(RepairKind.NO_STORED_VALUE)
    return table.with_cells(
        {(row, column): replace(table.cells[row][column], quantities=(), repair=repair) for row, column in unknown}
    )


def _find_default(part: DocumentPart, dollars: str | None) -> Amounts:
    """Return the amounts that a part gives for the whole document.

    Args:
        dollars: What "dollars" are in the document, if other than USD.
    """
    texts = _texts_of_defaults(part)
    found = next(((text, amounts) for text in texts if _has_units(amounts := default_amounts(text))), None)
    if found is None:
        return Amounts()
    text, amounts = found
    return replace(amounts, unit=dollars) if dollars and is_bare_dollar(amounts.unit, text) else amounts


def _printed_texts(parts: Iterable[DocumentPart]) -> Iterator[str]:
    """Yield the texts and cells of parts."""
    for part in parts:
        match part:
            case HeadingPart():
                yield part.text
            case ParagraphPart():
                yield from part.sentences
            case TablePart():
                yield from (part.caption, part.title, *(text for row in part.grid for text in row if text))


def _find_dollars(parts: Iterable[DocumentPart]) -> str | None:
    """Return the only dollar that the sentences about all amounts name ("Australian dollars"); None if it is USD."""
    named = {
        unit
        for part in parts
        for text in _texts_of_defaults(part)
        if (unit := default_amounts(text).unit) and (bare_sign_of(unit) == "$" or unit == "USD")
        if not is_bare_dollar(unit, text)
    }
    return named.pop() if len(named) == 1 and named != {"USD"} else None


def _texts_of_defaults(part: DocumentPart) -> Sequence[str]:
    """Return the texts of a part that may give the amounts of the whole document."""
    match part:
        case ParagraphPart():
            return part.sentences
        case HeadingPart():
            return (part.text,)
        case TablePart() if not part.caption.startswith("(") or part.caption.casefold().startswith(_FOR_ALL_TABLES):
            return (part.caption,)
        case _:
            return ()


def _is_caption_of_next(text: str) -> bool:
    """Whether a text is only a caption in brackets, which may be followed by a heading before its table."""
    plain = text.strip()
    return plain.startswith("(") and plain.endswith(")") and is_amounts_line(plain)


def _has_units(amounts: Amounts) -> bool:
    return bool(amounts.scale or amounts.shares or amounts.unit)


def _takes_default(table: Table, default: Amounts) -> bool:
    """Whether the document's default applies to a table.

    It does not if all numbers are small (years, rates, ratios), or written out in full ("$1,815,014,489,485").
    """
    if not _has_units(default):
        return False
    largest = _largest_amount(table)
    return largest >= _SMALL and largest * (default.scale or Scale.ONE).factor < _LARGEST


def _rows_over_numbers(table: Table) -> Sequence[Sequence[Cell]]:
    """Return the header rows of a table, and the rows below them before the first numbers."""
    body = range(table.header_rows, len(table.cells))
    numbered = (n for n in body if any(c.quantities and not _NOTE.fullmatch(c.text) for c in table.cells[n][1:]))
    return table.cells[: next(numbered, table.header_rows)]


def _largest_amount(table: Table) -> Decimal:
    numbers = (abs(q.value) for cell in table.body() for q in cell.quantities if q.scale is Scale.ONE)
    return max(numbers, default=Decimal(0))


def _prints_cents(table: Table) -> bool:
    """Whether a table has mostly prices, percentages or small numbers, so that another table's caption cannot apply."""
    numbers = [q for cell in table.body() for q in cell.quantities]
    money = [q for q in numbers if q.unit]
    small = sum(
        q.scale is not Scale.ONE or abs(q.value) < 100 or q.value.as_tuple().exponent == _CENTS for q in numbers
    )
    return not money or 2 * small > len(numbers)
