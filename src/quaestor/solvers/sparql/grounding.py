"""Map query results to the page's numbers, and suggest similar numbers if a query finds none.

Values computed by a query are refused, because they have no place on the page.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from quaestor.core.words import search_words
from quaestor.errors import QueryError
from quaestor.graph.facts import HeaderNumber, MentionFact, Observation, PrintedNumber, TextCell, period_code
from quaestor.graph.guard import guard
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.graph.sparql import Limits
from quaestor.graph.writing import label_node, mention_node, observation_node, text_node
from quaestor.ontology.terms import Iri, Value
from quaestor.solvers.tools.page import name_as_label, nearest

LIMITS = Limits(rows=200, seconds=2.0)
MOST_SHOWN = 5
_VOCABULARY = re.compile(r"(?:rdf|rdfs|owl|xsd|skos|prov|dcterms):")


@dataclass(frozen=True)
class QueriedNumbers:
    """Index of a page's numbers by their nodes in the graph."""

    graph: KnowledgeGraph

    @cached_property
    def by_node(self) -> Mapping[str, PrintedNumber]:
        """All numbers by node: tables first, then text, then labels."""
        return {
            **{observation_node(o): o for o in self.graph.observations},
            **{mention_node(m): m for m in self.graph.mentions},
            **{label_node(place): label for place, label in enumerate(self.graph.labels)},
        }

    @cached_property
    def by_instance(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """The properties and nodes of the numbers in tables, by instance."""
        found: dict[str, list[tuple[str, str]]] = {}
        for o in self.graph.observations:
            found.setdefault(o.instance, []).append((o.predicate, observation_node(o)))
        return found

    @cached_property
    def names(self) -> frozenset[str]:
        """All names in the graph."""
        return frozenset(term for triple in self.graph.triples() for term in triple if not term.startswith('"'))

    def find(self, query: str) -> Mapping[str, str | None]:
        """Return the nodes of the numbers that a query selects, in page order.

        Each comes with the texts that the query selects beside its number, or None.
        """
        widened = _widen_query(query)
        found: dict[str, str | None] = {}
        for row in self.graph.select(widened.query, LIMITS):
            selected = [name for name in row if widened.selected is None or name in widened.selected]
            if all(row.get(name) is None for name in selected):
                continue
            values = (row[name] for name in selected)
            texts = [one for one in values if isinstance(one, str) and not isinstance(one, Iri) and one.strip()]
            for node in self._nodes(row, selected, widened.names):
                found.setdefault(node, ", ".join(dict.fromkeys(texts)) or None)
        return {node: found[node] for node in self.by_node if node in found}

    def find_words(self, query: str) -> tuple[TextCell, ...]:
        """Return the text cells that a query selects, without duplicates; empty if the query cannot be run."""
        found: dict[str, TextCell] = {}
        with suppress(QueryError):
            widened = _widen_query(query)
            for row in self.graph.select(widened.query, LIMITS):
                selected = {str(row[name]) for name in row if widened.selected is None or name in widened.selected}
                within = {*widened.names, *(str(value) for value in row.values() if isinstance(value, Iri))}
                for node, cell in self._words.items():
                    if node in selected or (
                        cell.text in selected and (node in within or {cell.instance, cell.predicate} <= within)
                    ):
                        found[node] = cell
        return tuple(found.values())

    @cached_property
    def _words(self) -> Mapping[str, TextCell]:
        return {text_node(cell): cell for cell in self.graph.text_cells if cell.has_words}

    def _nodes(self, row: Mapping[str, Value | None], selected: Sequence[str], named: frozenset[str]) -> Sequence[str]:
        """Return the nodes of a row's selected values."""
        if nodes := [str(row[name]) for name in selected if isinstance(row[name], Iri) and row[name] in self.by_node]:
            return nodes
        within = {*named, *(str(value) for value in row.values() if isinstance(value, Iri))}
        nodes = [node for node in within if node in self.by_node]
        values = [row[name] for name in selected if _is_number(row[name])]
        for value in values:
            if equal := [node for node in nodes if self.by_node[node].quantity.value == value]:
                return equal
            if equal := [node for node in self._of_instances(within) if self.by_node[node].quantity.value == value]:
                return equal
        if len(nodes) == 1 and not values:
            return nodes
        raise QueryError(_describe_untraced([row[name] for name in selected if row[name] is not None]))

    def _of_instances(self, within: set[str]) -> Iterator[str]:
        for instance in within:
            yield from (node for predicate, node in self.by_instance.get(instance, ()) if predicate in within)


@dataclass(frozen=True, slots=True)
class _WidenedQuery:
    """A query changed to return all its variables."""

    query: str
    selected: frozenset[str] | None
    names: frozenset[str]


def _widen_query(query: str) -> _WidenedQuery:
    """Change a query to return all its variables, so that each value comes with its node."""
    guarded = guard(query, "SELECT")
    tokens = guarded.tokens
    start = next(place for place, token in enumerate(tokens) if token.is_keyword("SELECT"))
    end = next((p for p, token in enumerate(tokens) if token.text == "{" or token.is_keyword("WHERE")), len(tokens) - 1)
    chosen = tokens[start + 1 : end]
    grouping = [t for t in tokens if t.is_keyword("GROUP") or t.is_keyword("HAVING")]
    computing = next((t for t in (*chosen, *grouping) if t.text == "(" or t in grouping), None)
    if computing is not None:
        raise QueryError(
            f"{computing.text} computes; select a number as printed on the page, and compute with it in the formula",
            computing.start,
        )
    selected = frozenset(token.text[1:] for token in chosen if token.kind == "variable")
    names = frozenset(token.text for token in tokens if token.kind == "name")
    begin, rest = tokens[start].start + len("SELECT"), tokens[end].start
    # Same length as the original text, so that error positions stay correct.
    every = " * " + re.sub(r"[^\n]", " ", guarded.text[begin:rest])[3:]
    return _WidenedQuery(guarded.text[:begin] + every + guarded.text[rest:], selected or None, names)


def _is_number(value: Value | None) -> bool:
    return isinstance(value, Decimal | int) and not isinstance(value, bool)


def _describe_untraced(values: Sequence[Value | None]) -> str:
    shown = ", ".join(str(value)[:60] for value in values)
    if any(_is_number(value) for value in values):
        return (
            f"it returns {shown}, which is not a number of an observation, a mention or a label of this graph; select "
            "a number as the page prints it, and compute in the formula"
        )
    return f"it returns {shown}, which is not a number; select the kg:value of an observation, a mention or a label"


def unknown_names(numbers: QueriedNumbers, query: str) -> list[str]:
    """Return a sentence for each name in a query that is not in the graph."""
    try:
        tokens = guard(query, "SELECT").tokens
    except QueryError:
        return []
    names = dict.fromkeys(t.text for t in tokens if t.kind == "name" and not t.text.endswith(":"))
    missing = [name for name in names if name not in numbers.names and not _VOCABULARY.match(name)]
    known = sorted(name for name in numbers.names if name.startswith(("kg:", "doc:")))
    return [
        f"the graph has no {name}" + (f"; similar: {', '.join(like)}" if (like := nearest(name, known)) else "")
        for name in missing[:3]
    ]


def find_nearest_nodes(numbers: QueriedNumbers, query: str, description: str) -> list[str]:
    """Return the nodes that share the most words with a query and its description, best first."""
    wanted = set(search_words(re.sub(r"[_:]", " ", f"{description} {_constants(query)}")))
    shares = {node: len(wanted & _words(number)) for node, number in numbers.by_node.items()}
    best = sorted((node for node, share in shares.items() if share), key=lambda node: -shares[node])
    return best[:MOST_SHOWN]


def nearby_lines(numbers: QueriedNumbers, nodes: Iterable[str]) -> str:
    """Format numbers as triples that a query can use."""
    return " | ".join(_triples(node, numbers.by_node[node]) for node in nodes)


def _constants(query: str) -> str:
    """Return the names and literals of a query, without keywords and variables."""
    texts = re.findall(r"[\"']([^\"'\n]{1,200})[\"']", query)
    names = re.findall(r"\b(?:kg|doc):([\w-]+)", query)
    numbers = re.findall(r"(?<![\w.:])[0-9][0-9.]*", query)
    return " ".join([*texts, *(name_as_label(name) for name in names), *numbers])


def _words(number: PrintedNumber) -> set[str]:
    texts = [number.label, str(number.year or "")]
    if isinstance(number, Observation):
        texts += [
            name_as_label(number.predicate),
            name_as_label(number.instance),
            *number.row.levels,
            *number.column.levels,
        ]
    if isinstance(number, MentionFact):
        texts.append(number.sentence)
    return {word for text in texts for word in search_words(text)}


def _triples(node: str, number: PrintedNumber) -> str:
    value = f"kg:value {number.quantity.value:f}"
    period = [f'kg:period "{period_code(number.period)}"', f'kg:year "{number.year}"'] if number.period else []
    if isinstance(number, Observation):
        labels = _labels(("kg:rowLabel", number.row.label), ("kg:columnLabel", number.column.label))
        parts = [f"kg:instance {number.instance}", f"kg:property {number.predicate}", *labels, *period, value]
    elif isinstance(number, HeaderNumber):
        parts = [*_labels(("rdfs:label", number.label)), *period, value]
    else:
        parts = [*_labels(("kg:wordsBefore", number.before), ("kg:wordsAfter", number.after)), *period, value]
    return f"{node} {' ; '.join(parts)}"


def _labels(*pairs: tuple[str, str]) -> Sequence[str]:
    return [f'{name} "{text}"' for name, text in pairs if text]
