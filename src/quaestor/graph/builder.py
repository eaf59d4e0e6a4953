"""Builds the graph of a document: facts in its tables and sentences, with their properties."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from quaestor.core.free_names import FreeNames
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import Period, find_periods
from quaestor.core.provenance import SentenceRef, Source
from quaestor.core.quantity import Quantity
from quaestor.core.words import identifier_parts
from quaestor.documents.document import Document
from quaestor.documents.facts import Fact, periods_of
from quaestor.documents.repairs import show_repair
from quaestor.documents.table import Cell, Header, Table
from quaestor.documents.text_periods import periods_in_text
from quaestor.errors import GapError, GraphError
from quaestor.graph.facts import (
    MINTED,
    HeaderNumber,
    Heading,
    LineFact,
    MentionFact,
    Observation,
    SectionFact,
    SentenceFact,
    TableFact,
    TextCell,
    period_code,
)
from quaestor.graph.knowledge_graph import KnowledgeGraph, Policy
from quaestor.ontology.extract import (
    Axis,
    body_cells,
    line_of,
    noun_phrase_in,
    property_axis,
    property_lines,
    without_period,
)
from quaestor.ontology.labels import Context, contexts_of, plain
from quaestor.ontology.line_matching import LineContext, PropertyMatch
from quaestor.ontology.ontology import Ontology
from quaestor.ontology.terms import property_name, slug


def _mentions(document: Document, place: int, ontology: Ontology) -> list[MentionFact]:
    sentence = document.sentences[place]
    if not sentence.mentions:
        return []
    named = {order: match.property for order, phrase in noun_phrase_in(sentence) if (match := ontology.match(phrase))}
    periods = periods_in_text(document, place)
    return [
        MentionFact(
            mention.quantity, mention.ref, order, place, sentence.text, next(iter(of), None), named.get(order), of[1:]
        )
        for order, (mention, of) in enumerate(zip(sentence.mentions, periods, strict=True))
    ]


def years_in(period: Period) -> tuple[int, ...]:
    """Return the years of a period."""
    return (period.year,) if period.last is None else (period.year, period.last)


def year_number(year: int, source: Source, label: str, period: Period) -> HeaderNumber:
    """Return a year as a number in a label."""
    return HeaderNumber(Quantity(Decimal(year), text=str(year)), source, label, period, year=True)


_LONGEST_SLUG = 40
_YEAR = lazy_regex(r"(?:19|20)[0-9]{2}")


def build_graph(document: Document, ontology: Ontology, policy: Policy = "extend") -> KnowledgeGraph:
    """Build the graph of a document.

    Args:
        policy: Treatment of rows without a matching property: `strict` raises an error, `extend` mints a property.

    Raises:
        GapError: There are such rows under `strict`; the error lists them with the nearest properties.
        GraphError: The policy is unknown.
    """
    if policy not in ("strict", "extend"):
        raise GraphError(f"unknown policy {policy!r}; use 'strict' or 'extend'")
    contexts = contexts_of(document)
    places = {(sentence.section, sentence.index): place for place, sentence in enumerate(document.sentences)}
    # Names and units are determined from whole tables, regardless of the rows in an excerpt.
    whole = tuple(document.table(table.index) for table in document.tables)
    tables = tuple(_table(document, table, contexts[table.index], ontology, places) for table in whole)
    lines = tuple(
        line for table, fact in zip(whole, tables, strict=True) for line in _lines(table, fact.name, ontology)
    )
    if policy == "strict":
        require_no_gaps(document.id, lines)
    names: set[str] = set()
    properties: dict[int, dict[int, str]] = {table.index: {} for table in document.tables}
    for line in lines:
        properties[line.table][line.index] = line.predicate
    tags = {tagged.source: tagged.fact for tagged in reversed(document.facts)}
    observations: list[Observation] = []
    texts: list[TextCell] = []
    labels: list[HeaderNumber] = []
    for table, fact in zip(document.tables, tables, strict=True):
        reader = _TableReader(document.table(table.index), fact, properties[table.index], names, tags)
        for cell in body_cells(table):
            observations += reader.observations(cell)
            texts += reader.texts(cell)
        labels += _labels(table)
    sentences = document.sentences
    years = (
        year_number(year, SentenceRef(document.id, s.section, s.index, start, end), s.text[start:end], period)
        for s in sentences
        for period, start, end in s.periods
        for year in years_in(period)
    )
    return KnowledgeGraph(
        document=document.id,
        digest_of_document=document.digest,
        ontology=ontology.digest,
        observations=tuple(observations),
        mentions=tuple(m for place in range(len(sentences)) for m in _mentions(document, place, ontology)),
        labels=(*labels, *years),
        text_cells=tuple(texts),
        sentences=tuple(SentenceFact(s.section, s.index, place, s.text) for place, s in enumerate(sentences)),
        tables=tables,
        lines=lines,
        sections=tuple(SectionFact(section.id, section.path) for section in document.sections if section.path),
    )


def require_no_gaps(document: str, lines: Iterable[LineFact]) -> None:
    """Check that the ontology has a property for every line."""
    gaps = tuple(f"table {x.table}, {x.axis[:-1]} {x.index}: {x.label!r}; {x.known}" for x in lines if x.minted)
    if gaps:
        raise GapError(document, gaps)


def _table(
    document: Document, table: Table, context: Context, ontology: Ontology, places: Mapping[tuple[str, int], int]
) -> TableFact:
    best = ontology.classify(context)[0]
    section, lead = document.section_of(table).id, document.lead_of(table)
    start = places[lead[0].section, lead[0].index] if lead else 0
    axis = property_axis(table)
    return TableFact(
        table.index, table.caption, axis, best.name, best.score, best.reasons, section, (start, start + len(lead))
    )


def _lines(table: Table, table_class: str, ontology: Ontology) -> list[LineFact]:
    """Return the property of each line. If two labels match the same property, the better match gets it.

    Labels with the same words are one label ("Total" and "Total ."). Lines share a property only if it is marked as
    shared, as for bonds of several years or costs of several kinds.
    """
    axis, lines = property_axis(table), property_lines(table)
    first = _first_numbers(table, axis)
    matches = {
        line.index: ontology.match_line(line.label, LineContext(table_class, first.get(line.index))) for line in lines
    }
    best: dict[str, tuple[float, str]] = {}
    for line in lines:
        if (
            (found := matches[line.index])
            and not found.shared
            and found.score > best.get(found.property, (-1.0, ""))[0]
        ):
            best[found.property] = (found.score, plain(line.label))
    facts: list[LineFact] = []
    minted: dict[str, str] = {}
    names, prefix = FreeNames(), "doc:" if table.index == 0 else f"doc:t{table.index}_"  # unique across tables
    for line in lines:
        match = matches[line.index]
        if match is not None and not match.shared and best[match.property] != (match.score, plain(line.label)):
            match = None
        if match is None and line.label not in minted:
            minted[line.label] = names.take(prefix + property_name(line.label))
        facts.append(_line(table, axis, line.index, line.label, match, ontology, minted.get(line.label, "")))
    return facts


def _first_numbers(table: Table, axis: Axis) -> dict[int, Decimal]:
    first: dict[int, Decimal] = {}
    for cell in body_cells(table):
        if cell.quantities:
            first.setdefault(line_of(cell, axis), cell.quantities[0].value)
    return first


def _line(
    table: Table, axis: Axis, index: int, label: str, match: PropertyMatch | None, ontology: Ontology, minted: str
) -> LineFact:
    if match is not None:
        return LineFact(table.index, axis, index, label, match.property, match.rule, match.score, match.label)
    near = ", ".join(f"{near.property} ({near.score:.2f})" for near in ontology.nearest(label))
    return LineFact(table.index, axis, index, label, minted, MINTED, 0.0, f"nearest: {near or 'none'}")


@dataclass
class _TableReader:
    """Reads the cells of a table and assigns names to their instances."""

    table: Table
    fact: TableFact
    properties: dict[int, str]
    names: set[str]
    tags: Mapping[Source, Fact]

    def __post_init__(self) -> None:
        self._instances: dict[tuple[int, Period | None], str] = {}

    def observations(self, cell: Cell) -> list[Observation]:
        """Return an observation for each number in a cell."""
        row, column = cell.ref.row, cell.ref.column
        if not cell.quantities:
            return []
        table = self.table
        scale, unit = table.scale_at(row, column), table.unit_at(row, column)
        period, by_tag = self._period(cell)
        fact = self.tags.get(cell.ref)
        heads = _heading(table.rows[row]), _heading(table.columns[column])
        name, instance = self.properties[line_of(cell, self.fact.axis)], self._instance(cell)
        return [
            Observation(
                quantity,
                cell.ref,
                order,
                *heads,
                table.caption,
                scale,
                unit,
                period,
                name,
                instance,
                *((fact.concept, fact.value, by_tag) if fact and _prints(quantity, fact) else ()),
            )
            for order, quantity in enumerate(cell.quantities)
        ]

    def _period(self, cell: Cell) -> tuple[Period | None, bool]:
        """Return the period of a cell, and whether it comes from the tag because the labels do not agree with that."""
        row, column = cell.ref.row, cell.ref.column
        printed = self.table.period_at(row, column)
        fact = self.tags.get(cell.ref)
        if fact is None or len(cell.quantities) != 1 or not _prints(cell.quantities[0], fact):
            return printed, False
        heads = self.table.rows[row], self.table.columns[column]
        if printed is not None and printed in periods_of(fact, [*heads[0].levels, *heads[1].levels]):
            return printed, False
        return fact.period, True

    def texts(self, cell: Cell) -> list[TextCell]:
        """Return the text cell for a cell without numbers."""
        if cell.quantities:
            return []
        row, column = _heading(self.table.rows[cell.ref.row]), _heading(self.table.columns[cell.ref.column])
        name = self.properties[line_of(cell, self.fact.axis)]
        return [
            TextCell(
                cell.text,
                cell.ref,
                row,
                column,
                name,
                self._instance(cell),
                show_repair(cell.repair) if cell.repair else None,
                cell.is_dash,
            )
        ]

    def _instance(self, cell: Cell) -> str:
        """Return the instance of a cell: its line on the other axis, in its period."""
        across: Axis = "columns" if self.fact.axis == "rows" else "rows"
        line, period = line_of(cell, across), self._period(cell)[0]
        found = self._instances.get((line, period))
        if found is None:
            header = (self.table.columns if across == "columns" else self.table.rows)[line]
            found = self._instances[line, period] = self._name(without_period(header), period, f"{across[:-1]}_{line}")
        return found

    def _name(self, label: str, period: Period | None, line: str) -> str:
        code = period_code(period).replace("-", "_").replace("/", "_to_").replace("..", "later") if period else ""
        parts = [part for part in (code, _short_name(label)) if part] or [line]
        name = "_".join((self.fact.name, *parts))
        if name in self.names:
            name = f"{name}_{line}"
        if name in self.names:
            name = f"{name}_table_{self.table.index}"
        self.names.add(name)
        return name


def _short_name(label: str) -> str:
    """Return a label as part of a name: its beginning, and all years in the rest of it."""
    begin = slug(label)[:_LONGEST_SLUG].strip("_")
    parts = begin.split("_")
    years = [part for part in identifier_parts(label.casefold()) if _YEAR.fullmatch(part) and part not in parts]
    return "_".join(part for part in (begin, *dict.fromkeys(years)) if part)


def _prints(quantity: Quantity, fact: Fact) -> bool:
    """Whether a number is the one inside a tag, regardless of sign; a cell may contain others."""
    return fact.printed is not None and abs(quantity.value) == abs(fact.printed)


def _heading(header: Header) -> Heading:
    return Heading(header.label, header.levels)


def _labels(table: Table) -> list[HeaderNumber]:
    """Return numbers and years in headings, and years in cells without numbers."""
    if table.is_too_large:
        return []
    body = {cell.ref for cell in table.body()}
    found = []
    for cells in table.cells:
        for cell in cells:
            if cell.repair or (cell.ref in body and cell.quantities):
                continue
            row, column = table.rows[cell.ref.row], table.columns[cell.ref.column]
            period = row.period if cell.ref.column == 0 else column.period
            found += [HeaderNumber(q, cell.ref, cell.text, period, year=False) for q in cell.quantities]
            for mention in find_periods(cell.text):
                found += [year_number(y, cell.ref, cell.text, mention.period) for y in years_in(mention.period)]
    return found
