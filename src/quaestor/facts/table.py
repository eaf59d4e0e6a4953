"""The table of facts of a document: its lines, each with the numbers that it has at different times.

A line is a row of a table, or a column of a table whose rows are periods. Where a filing has tags, the tag says which
concept, member and period a number is of; otherwise the labels do, through the lexicon.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log

from quaestor.core.fiscal import FiscalCalendar
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.core.terms import terms
from quaestor.documents.document import Document
from quaestor.documents.table import Header, Table, TableRole
from quaestor.facts.moments import Moment, fiscal_calendar, moment_of_fact, moment_of_period
from quaestor.facts.sentences import SentenceIndex, index_sentences
from quaestor.ontology.lexicon import read_lexicon
from quaestor.plan.steps import counted
from quaestor.retrieval.company_name import cover_names


@dataclass(frozen=True, slots=True)
class FactCell:
    """A number of a line.

    Attributes:
        ref: Where it is printed.
        quantity: As printed.
        scale: What one unit of it stands for, by its print or its labels.
        unit: What it counts, likewise; or None.
        moment: When it is; or None if that is not known.
        column: What its column is called beside the period, as terms: a member, "change", "total".
        concept: By its tag, or "".
        members: By its tag, the members that it is narrowed to.
    """

    ref: CellRef
    quantity: Quantity
    scale: Scale
    unit: str | None
    moment: Moment | None
    column: tuple[str, ...]
    concept: str = ""
    members: tuple[str, ...] = ()

    @property
    def amount(self) -> float:
        """The number in ones of its unit; a percentage as a fraction."""
        return float(self.quantity.value) * float(self.scale.factor)


@dataclass(frozen=True, slots=True)
class FactLine:
    """What is printed on one line.

    Attributes:
        place: Its place among the lines of the document.
        label: Its own label.
        path: The labels above it, outermost first.
        table: The index of its table.
        title: What the table is called.
        heading: The headings of the section that the table is in, the last ones.
        role: What the table is for.
        cells: Its numbers, from left to right.
        concept: What most of its numbers are by their tags, else by its label; or "".
        tagged: Whether the concept is by tags.
        members: The members that most of its numbers are narrowed to, by their tags.
    """

    place: int
    label: str
    path: tuple[str, ...]
    table: int
    title: str
    heading: str
    role: TableRole
    cells: tuple[FactCell, ...]
    concept: str = ""
    tagged: bool = False
    members: tuple[str, ...] = ()

    @property
    def label_terms(self) -> tuple[str, ...]:
        """The terms of its own label."""
        return terms(self.label)

    @property
    def path_terms(self) -> frozenset[str]:
        """The terms of the labels above it."""
        return frozenset(term for label in self.path for term in terms(label))

    @property
    def title_terms(self) -> frozenset[str]:
        """The terms of the title of its table and of the headings over it."""
        return frozenset((*terms(self.title), *terms(self.heading)))

    @property
    def moments(self) -> tuple[Moment, ...]:
        """When its numbers are, each once."""
        return tuple(dict.fromkeys(cell.moment for cell in self.cells if cell.moment is not None))


@dataclass(frozen=True, slots=True)
class Series:
    """The numbers of one line under one heading, at different times.

    Attributes:
        place: Its place among the series of the document.
        line: The line.
        column: The terms of the heading beside its times: a member, "change", or nothing.
        cells: By moment, the first of each; a number without a known time is under None.
        concept: By tags, else that of the line.
        members: By tags.
    """

    place: int
    line: FactLine
    column: tuple[str, ...]
    cells: Mapping[Moment | None, FactCell]
    concept: str
    members: tuple[str, ...]

    @property
    def first(self) -> FactCell:
        """Its first number."""
        return next(iter(self.cells.values()))


@dataclass(frozen=True)
class FactTable:
    """The facts of a document.

    Attributes:
        document: The whole document.
        calendar: The fiscal calendar of its company.
        lines: In the order of the document.
    """

    document: Document
    calendar: FiscalCalendar
    lines: tuple[FactLine, ...] = field(repr=False)

    @cached_property
    def latest(self) -> Moment:
        """The period that the document reports: its last fiscal year, or of a quarterly report its last quarter."""
        counts: Counter[Moment] = Counter()
        for line in self.lines:
            if line.role.is_statement:
                counts.update({moment for moment in line.moments if moment.months})
        if not counts:
            for line in self.lines:
                counts.update({moment for moment in line.moments if moment.months})
        common = [moment for moment, count in counts.items() if count * 4 >= max(counts.values())]
        if not common:
            return Moment(self.calendar.year, 4, 12)
        last = max(moment.end for moment in common)
        lengths = [moment.months for moment in common if moment.end == last]
        best = 12 if 12 in lengths and last[1] == 4 else min(lengths)
        return Moment(*last, best)

    @cached_property
    def sentences(self) -> SentenceIndex:
        """The sentences of the document, to be searched."""
        return index_sentences(self.document)

    @cached_property
    def series(self) -> tuple[Series, ...]:
        """All series, in the order of the document."""
        found: list[Series] = []
        for line in self.lines:
            groups: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[Moment | None, FactCell]] = {}
            for cell in line.cells:
                groups.setdefault((cell.column, cell.members), {}).setdefault(cell.moment, cell)
            for (column, members), cells in groups.items():
                tags = Counter(cell.concept for cell in cells.values() if cell.concept)
                concept = tags.most_common(1)[0][0] if tags else "" if line.tagged else line.concept
                found.append(Series(len(found), line, column, cells, concept, members))
        return tuple(found)

    @cached_property
    def series_of_line(self) -> Mapping[int, tuple[Series, ...]]:
        """The series of each line, by its place."""
        found: dict[int, list[Series]] = defaultdict(list)
        for series in self.series:
            found[series.line.place].append(series)
        return {place: tuple(several) for place, several in found.items()}

    @cached_property
    def at(self) -> Mapping[CellRef, tuple[Series, Moment | None]]:
        """The series and the time of each number."""
        return {cell.ref: (series, moment) for series in self.series for moment, cell in series.cells.items()}

    @cached_property
    def company(self) -> frozenset[str]:
        """The terms by which the document's own company is called."""
        return frozenset(term for name in cover_names(self.document) for term in terms(name)) - _LEGAL_TERMS

    @cached_property
    def by_concept(self) -> Mapping[str, tuple[FactLine, ...]]:
        """The lines of each concept."""
        found: dict[str, list[FactLine]] = defaultdict(list)
        for line in self.lines:
            for concept in {line.concept, *(cell.concept for cell in line.cells)} - {""}:
                found[concept].append(line)
        return {concept: tuple(lines) for concept, lines in found.items()}

    @cached_property
    def postings(self) -> Mapping[str, tuple[int, ...]]:
        """The places of the lines whose label, path, columns or title have a term."""
        found: dict[str, set[int]] = defaultdict(set)
        for line in self.lines:
            for term in {*line.label_terms, *line.path_terms, *line.title_terms, *self.column_terms(line)}:
                found[term].add(line.place)
        return {term: tuple(sorted(places)) for term, places in found.items()}

    def rarity(self, term: str) -> float:
        """Return the inverse document frequency of a term among the lines."""
        return log((1 + len(self.lines)) / (1 + len(self.postings.get(term, ()))))

    def column_terms(self, line: FactLine) -> frozenset[str]:
        """Return the terms of the columns of a line."""
        return frozenset(term for cell in line.cells for term in cell.column)


_LEGAL_TERMS = frozenset(terms("company corporation inc corp co ltd plc group holdings incorporated limited systems"))


def build_facts(document: Document, *, part: bool = False) -> FactTable:
    """Return the facts of a document.

    Args:
        document: The document.
        part: Whether only the facts of an excerpt are wanted; otherwise an excerpt stands for the whole.
    """
    whole = document if part else document.whole or document
    calendar = fiscal_calendar(whole)
    lines: list[FactLine] = []
    for table in whole.tables:
        if table.role is not TableRole.CONTENTS and not table.is_too_large:
            lines += _read_lines(whole, table, calendar, len(lines))
    return FactTable(whole, calendar, tuple(lines))


def _read_lines(document: Document, table: Table, calendar: FiscalCalendar, place: int) -> Iterator[FactLine]:
    by_rows = table.orientation != "rows"
    section = document.section_of(table)
    heading = " ".join(section.path[-2:])
    heads = table.rows if by_rows else table.columns
    first = table.header_rows if by_rows else 1
    for index in range(first, len(heads)):
        grid = table.cells[index] if by_rows else tuple(row[index] for row in table.cells[table.header_rows :])
        cells = tuple(_cell for cell in grid if (_cell := _read_cell(document, table, cell.ref, calendar)) is not None)
        if not cells:
            continue
        head = heads[index]
        concept, tagged, members = _concept_of(head, cells)
        yield FactLine(
            place, head.label, head.levels[:-1], table.index, table.title or table.caption, heading, table.role, cells,
            concept, tagged, members,
        )  # fmt: skip
        place += 1


def _read_cell(document: Document, table: Table, ref: CellRef, calendar: FiscalCalendar) -> FactCell | None:
    cell = table.cells[ref.row][ref.column]
    quantity = cell.quantity
    if quantity is None or ref.column == 0 or ref.row < table.header_rows:
        return None
    counts = counted(quantity, table.scale_at(ref.row, ref.column), table.unit_at(ref.row, ref.column))
    fact = document.fact(ref)
    period = table.period_at(ref.row, ref.column)
    moment = moment_of_period(period, calendar) if period is not None else None
    concept = ""
    members: tuple[str, ...] = ()
    if fact is not None:
        moment = moment_of_fact(fact) or moment
        concept = fact.concept
        members = tuple(member.rpartition(":")[2] for _, member in fact.dimensions)
    across = table.columns[ref.column] if table.orientation != "rows" else table.rows[ref.row]
    column = _without_times(across)
    return FactCell(ref, quantity, counts.scale, counts.unit, moment, column, concept, members)


def _without_times(header: Header) -> tuple[str, ...]:
    """Return the terms of a heading that are no part of a date."""
    found = [term for level in (header.levels or (header.label,)) for term in terms(level)]
    return tuple(dict.fromkeys(term for term in found if not term[0].isdigit() and term not in _TIME_TERMS))


_TIME_TERMS = frozenset(
    term
    for name in "january february march april may june july august september october november december fiscal year "
    "years ended ending month months quarter quarters three six nine twelve weeks".split()
    for term in terms(name)
)


def _concept_of(head: Header, cells: Sequence[FactCell]) -> tuple[str, bool, tuple[str, ...]]:
    tags = Counter((cell.concept, cell.members) for cell in cells if cell.concept)
    if tags:
        (concept, members), count = tags.most_common(1)[0]
        if count * 2 >= sum(tags.values()):
            return concept, True, members
    concepts, _ = read_lexicon().named(terms(head.label))
    return (concepts[0] if concepts else ""), False, ()
