"""Runs SPARQL queries over the graph of a document for the interfaces, and lists the numbers of the graph.

`quaestor.graph` decides which queries are allowed, and limits their resources.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Discriminator, JsonValue

from quaestor.application.file_cache import load_graphs
from quaestor.application.resolve import DocumentInCorpus
from quaestor.core import serial
from quaestor.core.caching import BoundedCache
from quaestor.core.computing import compute
from quaestor.core.provenance import Source
from quaestor.core.quantity import Scale
from quaestor.core.serial import Value
from quaestor.graph.facts import MentionFact, Observation, period_code
from quaestor.graph.knowledge_graph import KnowledgeGraph, empty_cells_named, show_empty
from quaestor.graph.sparql import Limits
from quaestor.graph.writing import label_node, mention_node, observation_node
from quaestor.ontology.ontology import Ontology
from quaestor.ontology.terms import Value as TermValue
from quaestor.readers.cache import ByteCache
from quaestor.settings import Settings
from quaestor.store.listing import ListPage, ListPart

MOST_ROWS = 200
"""The default maximum number of rows in an answer."""

_MOST_EMPTY = 20
_FORM = re.compile(r"\b(select|ask)\b", re.IGNORECASE)
_NO_FORM = re.compile(r"<[^<>]*>|#[^\n]*")
"""Matches text before the form that could contain its keyword: IRIs of prefixes, and comments."""


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The result of a query.

    Attributes:
        form: SELECT gives rows, ASK a boolean.
        columns: The names of the variables without the question mark; empty for ASK.
        places: The sources of the numbers whose nodes are among the rows.
        empty: The empty cells that the query asks for, in words, as an explanation if it finds nothing.
    """

    form: Literal["SELECT", "ASK"]
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[TermValue | None, ...], ...] = ()
    answer: bool | None = None
    places: Mapping[str, Source] | None = None
    empty: tuple[str, ...] = ()


def is_ask(query: str) -> bool:
    """Return whether a query has the form ASK; the query is parsed fully later.

    >>> is_ask("PREFIX a: <http://ask/> SELECT ?a WHERE { ?a ?b ?c }"), is_ask("ask { ?a ?b ?c }")
    (False, True)
    """
    form = _FORM.search(_NO_FORM.sub(" ", query))
    return form is not None and form[1].casefold() == "ask"


def query_graph(graph: KnowledgeGraph, query: str, limits: Limits | None = None) -> QueryAnswer:
    """Run a SELECT or ASK query; all prefixes are predefined."""
    limits = limits or Limits(rows=MOST_ROWS)
    if is_ask(query):
        answer = graph.ask(query, limits)
        return QueryAnswer("ASK", answer=answer, places={}, empty=_empty(graph, query, "ASK"))
    rows = graph.select(query, limits)
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    named = {str(value) for row in rows for value in row.values() if value is not None}
    return QueryAnswer(
        "SELECT",
        columns,
        tuple(tuple(row.get(name) for name in columns) for row in rows),
        places={node: source for node, source in _sources(graph).items() if node in named},
        empty=_empty(graph, query, "SELECT"),
    )


def value_object(value: TermValue | None) -> JsonValue:
    """Return a value of an answer as JSON: an exact number as decimal text, a node as its short name."""
    if value is None or isinstance(value, bool):
        return value
    return f"{value:f}" if isinstance(value, Decimal) else value if isinstance(value, int) else str(value)


def _sources(graph: KnowledgeGraph) -> dict[str, Source]:
    return {
        **{observation_node(one): one.source for one in graph.observations},
        **{mention_node(one): one.source for one in graph.mentions},
        **{label_node(place): one.source for place, one in enumerate(graph.labels)},
    }


def _empty(graph: KnowledgeGraph, query: str, form: str) -> tuple[str, ...]:
    return tuple(show_empty(cell) for cell in empty_cells_named(graph, query, form)[:_MOST_EMPTY])


def graph_object(graph: KnowledgeGraph) -> dict[str, JsonValue]:
    """Return a graph as JSON: every number with its source, the roles of tables and lines, and the counts."""
    facts: dict[str, JsonValue] = serial.dump(graph)
    return {"digest": graph.digest, "statistics": dict(graph.statistics()), **facts}


def ontology_object(ontology: Ontology, type_: str | None = None) -> dict[str, JsonValue]:
    """Return an ontology as JSON: all its types with their properties, or one type."""
    kinds = [ontology.class_named(type_)] if type_ else list(ontology.classes)
    types: list[JsonValue] = []
    for kind in kinds:
        properties: list[JsonValue] = [serial.dump(item) for item in ontology.properties_of(kind.name)]
        types.append({**serial.dump(kind), "properties": properties})
    return {"digest": ontology.digest, "types": types}


_GRAPHS: BoundedCache[tuple[str, str | None, str | None], KnowledgeGraph] = BoundedCache(4)


class DocumentFact(Value):
    """A number of a document.

    Attributes:
        label: Row and column, or the sentence.
        value: The exact signed value in units of `scale`.
        scale: The scale of the value: one, thousand, million, percent.
        unit: The unit, or null.
        period: Its period, or null.
        property: Its property in the ontology, or null.
        concept: The concept of its XBRL tag, or null.
    """

    label: str
    text: str
    value: str
    scale: Scale
    unit: str | None
    period: str | None
    property: str | None
    concept: str | None
    source: Annotated[Source, Discriminator("kind")]


async def document_facts(
    page: DocumentInCorpus, settings: Settings, cache: ByteCache | None, text: str, part: ListPart
) -> ListPage[DocumentFact]:
    """Return a part of the numbers of a document whose label or sentence contains a text: of its tables, then its text.

    The numbers are those of the graph of the whole document.
    """
    graphs = await load_graphs(page.corpus, settings, cache)
    key = (page.document.digest, graphs.ontology.digest, settings.policy)
    graph = await compute(_GRAPHS.get, key, lambda: graphs.graph(page.document))
    return await compute(_find_facts, graph, text, part)


def _find_facts(graph: KnowledgeGraph, text: str, part: ListPart) -> ListPage[DocumentFact]:
    wanted = " ".join(text.casefold().split())
    facts: list[Observation | MentionFact] = [*graph.observations, *graph.mentions]
    found = [fact for fact in facts if wanted in " ".join(_label(fact).casefold().split())]
    return part.page_of(found).map(_document_fact)


def _document_fact(fact: Observation | MentionFact) -> DocumentFact:
    return DocumentFact.of(
        fact,
        fact.quantity,
        fact.counts,
        label=_label(fact),
        value=f"{fact.quantity.value:f}",
        scale=fact.counts.scale,
        unit=fact.counts.unit,
        period=None if fact.period is None else period_code(fact.period),
        property=fact.predicate,
        concept=(fact.concept or None) if isinstance(fact, Observation) else None,
    )


def _label(fact: Observation | MentionFact) -> str:
    return fact.label if isinstance(fact, Observation) else fact.sentence
