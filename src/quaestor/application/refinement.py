"""What runs lack of an ontology, as proposals for a person to accept.

Owns what counts as a lack: a line of a page that the ontology has no property for, and a name that a tool refused
before the same turn found the line under another. Reads graphs and tool calls of stored runs alone: no file of
questions, no reference answer and no score. So a file may be measured with an ontology that its own runs refined.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from quaestor.application.run_service import find_runs
from quaestor.application.tool_questions import refusal_reason
from quaestor.conversation.turn import ToolCall
from quaestor.core.words import search_words
from quaestor.errors import StoreError
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.graph.loading import graph_from_triples
from quaestor.ontology.ontology import Ontology
from quaestor.ontology.proposal import Proposal
from quaestor.solvers.tools.page import spaced
from quaestor.store.base import RunStore
from quaestor.store.records import TurnRecord

ALIKE = 0.85
"""From 0 to 1: a label that resembles a known one less is proposed as a property of its own."""

_LONGEST = 100


@dataclass
class _Lacks:
    """Labels without a property, by page, and names that were asked for in vain, by the label that was meant."""

    pages: dict[str, set[str]] = field(default_factory=dict)
    together: set[frozenset[str]] = field(default_factory=set)
    asked: dict[tuple[str, str], set[str]] = field(default_factory=dict)


async def propose_refinements(store: RunStore, names: Sequence[str], ontology: Ontology) -> tuple[Proposal, ...]:
    """Returns what runs lack of an ontology, as proposals: synonyms of known labels, and properties.

    Args:
        store: Where the runs are kept.
        names: The runs: ids, beginnings of ids, or `latest`.
        ontology: What is to be refined.

    Raises:
        UnknownRunError: There is no such run.
        StoreError: The store cannot be read.
    """
    lacks = _Lacks()
    for run in await find_runs(store, names):
        turns: dict[str, list[TurnRecord]] = {}
        for turn in await store.turns(run.id):
            turns.setdefault(turn.conversation, []).append(turn)
        for example in await store.examples(run.id):
            try:
                triples = await store.load_graph(run.id, example.conversation)
            except StoreError:
                continue  # a page without a graph lacks nothing that could be told
            graph = graph_from_triples(triples, f"the graph of {example.conversation}")
            _note_gaps(graph, ontology, lacks)
            for turn in turns.get(example.conversation, ()):
                calls = [ToolCall.of_record(call) for call in turn.tool_calls]
                _note_corrections(graph.document, calls, ontology, lacks)
    return tuple(sorted((*_of_gaps(ontology, lacks), *_of_corrections(lacks))))


def _note_gaps(graph: KnowledgeGraph, ontology: Ontology, lacks: _Lacks) -> None:
    labels: dict[int, set[str]] = {}
    for line in graph.lines:
        labels.setdefault(line.table, set()).add(line.label)
        if line.label and ontology.match(line.label) is None:
            lacks.pages.setdefault(line.label, set()).add(graph.document)
    for found in labels.values():
        known = {match.label for label in found if (match := ontology.match(label))}
        unknown = {label for label in found if label in lacks.pages}
        lacks.together |= {frozenset((one, other)) for one in unknown for other in known}


def _note_corrections(document: str, calls: Sequence[ToolCall], ontology: Ontology, lacks: _Lacks) -> None:
    """Notes the names that were refused, and the property under which the next look-up found a number."""
    refused: list[str] = []
    labels = {item.name: item.label for item in ontology.properties}
    for call in calls:
        given, told = call.input, call.output
        if call.tool != "query_kg" or not isinstance(given, dict) or not isinstance(told, dict):
            continue
        if refusal_reason(told) == "no such property":
            refused.append(spaced(str(given.get("property", "")))[:_LONGEST])
        elif told.get("success") is True and (into := labels.get(str(told.get("property")))):
            for name in refused:
                # A look-up of something else altogether corrects nothing.
                if ontology.match(name) is None and set(search_words(name)) & set(search_words(into)):
                    lacks.asked.setdefault((name, into), set()).add(document)
            refused = []


def _of_gaps(ontology: Ontology, lacks: _Lacks) -> Iterable[Proposal]:
    for label, pages in lacks.pages.items():
        found = f"a line of {_pages(pages)} without a property"
        near = next(iter(ontology.nearest(label, 1)), None)
        if near and near.score >= ALIKE and frozenset((label, near.label)) not in lacks.together:
            reason = f"{found}; similar to {near.label!r} ({near.score:.2f}), and no table has both"
            yield Proposal("merge", label, near.label, documents=tuple(sorted(pages)), reason=reason)
        else:
            yield Proposal("property", label, documents=tuple(sorted(pages)), reason=found)


def _of_corrections(lacks: _Lacks) -> Iterable[Proposal]:
    asked: Mapping[tuple[str, str], set[str]] = lacks.asked
    for (name, into), pages in asked.items():
        if name not in lacks.pages:
            reason = f"requested by this name and refused, on {_pages(pages)}, before {into!r} was found"
            yield Proposal("merge", name, into, documents=tuple(sorted(pages)), reason=reason)


def _pages(pages: set[str]) -> str:
    return f"{len(pages)} page{'s' * (len(pages) != 1)}"
