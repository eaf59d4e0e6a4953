"""The immutable knowledge graph of a document."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from quaestor.core.provenance import CellRef
from quaestor.core.serial import Triple
from quaestor.core.words import search_words
from quaestor.graph.facts import (
    HeaderNumber,
    LineFact,
    MentionFact,
    Observation,
    SectionFact,
    SentenceFact,
    TableFact,
    TextCell,
)
from quaestor.ontology.terms import digest_of, document_namespace, write_turtle

if TYPE_CHECKING:
    from quaestor.graph.sparql import Limits, Rows, Sparql


Policy = Literal["strict", "extend"]


@dataclass(frozen=True)
class KnowledgeGraph:
    """All facts of a page.

    Attributes:
        ontology: Digest of the ontology used to build it.
        labels: Numbers and years that occur only in headings or in the words of a sentence.
    """

    document: str
    digest_of_document: str
    ontology: str
    observations: tuple[Observation, ...]
    mentions: tuple[MentionFact, ...]
    labels: tuple[HeaderNumber, ...]
    text_cells: tuple[TextCell, ...]
    sentences: tuple[SentenceFact, ...]
    tables: tuple[TableFact, ...]
    lines: tuple[LineFact, ...]
    sections: tuple[SectionFact, ...] = ()

    @cached_property
    def _triples(self) -> tuple[Triple, ...]:
        from quaestor.graph.writing import graph_to_triples

        return graph_to_triples(self)

    @cached_property
    def zeros(self) -> Mapping[CellRef, Observation]:
        """Dashes that mean zero, by cell: those in rows with numbers, in tables without any printed zero."""
        by_table: dict[int, list[Observation]] = {}
        for number in self.observations:
            by_table.setdefault(number.source.table, []).append(number)
        zeros: dict[CellRef, Observation] = {}
        for cell in self.text_cells:
            numbers, at = by_table.get(cell.source.table, []), cell.source
            alike = next((number for number in numbers if number.source.row == at.row), None)
            if not cell.empty or cell.repair or alike is None or not all(number.quantity.value for number in numbers):
                continue
            zeros[at] = replace(
                alike, quantity=replace(alike.quantity, value=Decimal(0), text=cell.text), source=at, order=0,
                column=cell.column, instance=cell.instance, predicate=cell.predicate,
                period=next((number.period for number in numbers if number.source.column == at.column), alike.period),
            )  # fmt: skip
        return zeros

    @cached_property
    def with_zeros(self) -> "KnowledgeGraph":
        """The graph with dashes that mean zero as observations."""
        if not self.zeros:
            return self
        cells = tuple(cell for cell in self.text_cells if cell.source not in self.zeros)
        return replace(self, observations=(*self.observations, *self.zeros.values()), text_cells=cells)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the triples."""
        return digest_of(self._triples, self.namespaces)

    @property
    def namespaces(self) -> Mapping[str, str]:
        """Prefix of the document's nodes; those of the vocabulary are not included."""
        return {"doc": document_namespace(self.document)}

    @property
    def minted(self) -> tuple[LineFact, ...]:
        """Lines without a matching property of the ontology."""
        return tuple(line for line in self.lines if line.minted)

    def triples(self) -> tuple[Triple, ...]:
        """Return all triples, sorted, without repetitions."""
        return self._triples

    def select(self, query: str, limits: "Limits | None" = None) -> "Rows":
        """Return the rows of a SPARQL SELECT query; all prefixes are predefined.

        Raises:
            QueryError: The query is refused, malformed, too slow, or has too many rows.
        """
        return self._sparql.select(query, limits)

    def ask(self, query: str, limits: "Limits | None" = None) -> bool:
        """Return the result of a SPARQL ASK query; all prefixes are predefined.

        Raises:
            QueryError: The query is refused, malformed or too slow.
        """
        return self._sparql.ask(query, limits)

    def to_turtle(self) -> str:
        """Serialize as Turtle; equal graphs give equal texts."""
        return write_turtle(self._triples, self.namespaces)

    def path_of(self, section: str) -> tuple[str, ...]:
        """Return the headings of a section, outermost first; empty if it has none."""
        return self._paths.get(section, ())

    @cached_property
    def _paths(self) -> Mapping[str, tuple[str, ...]]:
        return {section.id: section.path for section in self.sections}

    @cached_property
    def sentence_words(self) -> tuple[frozenset[str], ...]:
        """Words of each sentence, as in `search_words`."""
        return tuple(frozenset(search_words(sentence.text)) for sentence in self.sentences)

    def statistics(self) -> dict[str, int | str]:
        """Return the numbers of facts by kind, and the classes of tables."""
        return {
            "entityType": ", ".join(dict.fromkeys(table.name for table in self.tables)),
            "instances": len({o.instance for o in self.observations} | {c.instance for c in self.text_cells}),
            "observations": len(self.observations),
            "mentions": len(self.mentions),
            "labels": len(self.labels),
            "lines": len(self.lines),
            "minted": len(self.minted),
            "triples": len(self._triples),
        }

    @cached_property
    def _sparql(self) -> "Sparql":
        from quaestor.graph.sparql import Sparql

        return Sparql(self._triples, self.namespaces)


# Cells without a value.
#
# A dash is not a value, even if a file prints it as a year: no instance has it, so queries do not find it. Solvers
# treat it as zero if the table prints no zeros.


def empty_cells_named(graph: KnowledgeGraph, query: str, form: str = "SELECT") -> tuple[TextCell, ...]:
    """Return empty cells of the properties in a query, limited to the instances in it, if any."""
    from quaestor.graph.guard import guard

    names = {token.text for token in guard(query, form).tokens if token.kind == "name"}
    empty_cells = [cell for cell in graph.text_cells if cell.empty and cell.predicate in names]
    instances = names & ({o.instance for o in graph.observations} | {cell.instance for cell in graph.text_cells})
    return tuple(cell for cell in empty_cells if not instances or cell.instance in instances)


def show_empty(cell: TextCell) -> str:
    """Describe an empty cell in a line: property, instance and reason."""
    return f"{cell.predicate} of {cell.instance} is empty ({cell.why_empty})"
