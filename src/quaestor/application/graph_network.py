"""A knowledge graph as a network to explore: one node at a time, with its neighbours.

Classes and properties of the ontology are shown as labels, not as nodes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from quaestor.core.serial import Triple
from quaestor.documents.shown import shorten_text
from quaestor.errors import GraphError

MOST = 40
"""The maximum number of neighbours shown at once."""

_LABEL = 48
"""The maximum number of characters of a label."""

_TYPE = "rdf:type"
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:\^\^\S+)?', re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_NAMES = ("kg:printedText", "rdfs:label", "kg:label", "kg:text", "dcterms:identifier")
_EDGE_LABELS = {"wasDerivedFrom": "found in", "instance": "fact of", "sentence": "in sentence"}


@dataclass(frozen=True, slots=True)
class NetworkNode:
    """A node of a graph."""

    id: str
    label: str
    kind: str
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class NetworkEdge:
    """A directed edge between two nodes."""

    source: str
    target: str
    label: str


@dataclass(frozen=True, slots=True)
class Network:
    """A part of a graph."""

    focus: NetworkNode | None
    nodes: tuple[NetworkNode, ...]
    edges: tuple[NetworkEdge, ...]
    hidden: int
    count: int


class GraphNetwork:
    """A graph that is explored node by node."""

    def __init__(self, triples: Sequence[Triple]) -> None:
        self._facts: dict[str, list[Triple]] = {}
        for triple in triples:
            self._facts.setdefault(triple.s, []).append(triple)

    @cached_property
    def _incoming(self) -> Mapping[str, list[Triple]]:
        found: dict[str, list[Triple]] = {}
        for triples in self._facts.values():
            for triple in triples:
                if triple.o in self._facts:
                    found.setdefault(triple.o, []).append(triple)
        return found

    def start(self) -> Network:
        """Return the first view: the tables and their neighbours, or the document and sentences if there are none."""
        tables = [name for name in self._facts if self._kind(name) == "Table"]
        begin = tables or [name for name in self._facts if self._kind(name) in ("Document", "Sentence")][:MOST]
        edges = [edge for name in begin for edge in self._edges(name)]
        shown = list(dict.fromkeys([*begin, *(end for edge in edges for end in (edge.source, edge.target))]))
        nodes = shown[: MOST + len(begin)]
        return self._network(None, nodes, edges, len(shown) - len(nodes))

    def neighbourhood(self, name: str) -> Network:
        """Return a node with its incoming and outgoing neighbours."""
        if name not in self._facts:
            raise GraphError(f"the graph has no node {name!r:.80}")
        edges = self._edges(name)
        others = [other for edge in edges for other in (edge.source, edge.target) if other != name]
        neighbours = list(dict.fromkeys(others))
        nodes = [name, *neighbours[:MOST]]
        return self._network(name, nodes, edges, max(0, len(neighbours) - MOST))

    def _network(self, focus: str | None, names: Sequence[str], edges: Sequence[NetworkEdge], hidden: int) -> Network:
        shown = set(names)
        inner = [edge for edge in dict.fromkeys(edges) if edge.source in shown and edge.target in shown]
        nodes = tuple(map(self._node, names))
        return Network(nodes[0] if focus else None, nodes, tuple(inner), hidden, len(self._facts))

    def _edges(self, name: str) -> list[NetworkEdge]:
        triples = [*self._facts[name], *self._incoming.get(name, ())]
        return [
            NetworkEdge(one.s, one.o, _EDGE_LABELS.get(_local(one.p), _words(one.p)))
            for one in triples
            if one.o in self._facts and one.s != one.o
        ]

    def _kind(self, name: str) -> str:
        return next((_local(one.o) for one in self._facts[name] if one.p == _TYPE), "")

    def _node(self, name: str) -> NetworkNode:
        triples = self._facts[name]
        facts = tuple((_words(one.p), _value(one.o)) for one in triples if one.p != _TYPE and one.o not in self._facts)
        return NetworkNode(name, shorten_text(self._label(name, dict(facts)), _LABEL), self._kind(name), facts)

    def _label(self, name: str, facts: Mapping[str, str]) -> str:
        kind = self._kind(name)
        if kind == "Cell":
            return f"row {facts.get('row')}, column {facts.get('column')}"
        if kind == "Table":
            return f"table {facts.get('index', '')}: {facts.get('class', '')}"
        if kind == "Observation":
            return f"{facts.get('printed text', '')} {facts.get('row label', '')}".strip()
        values = {one.p: _value(one.o) for one in self._facts[name]}
        found = next((values[known] for known in _NAMES if values.get(known)), None)
        return found or _local(name).replace("_", " ")


def _local(term: str) -> str:
    return term.strip("<>").rpartition("/")[2].rpartition("#")[2].rpartition(":")[2]


def _words(predicate: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", _local(predicate)).replace("_", " ").lower()


def _value(term: str) -> str:
    """Return a literal without its quotes and its type, or a term of the ontology without its prefix."""
    match = _LITERAL.fullmatch(term)
    if match is None:
        return term if term.lstrip("-").replace(".", "", 1).isdigit() else _local(term).replace("_", " ")
    return re.sub(r"\\(.)", lambda sign: _ESCAPES.get(sign[1], sign[1]), match[1])
