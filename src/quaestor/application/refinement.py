"""Gaps of an ontology that runs reveal: proposed as changes, reviewed by a person in a file, and accepted.

Reads only graphs and tool calls of stored runs: no questions, no reference answers and no scores. So an ontology
refined by the runs of a file may be evaluated on the same file.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import ValidationError

from quaestor.application.files import OutputFile, named_in_errors
from quaestor.application.ontologies import find_ontology
from quaestor.application.run_service import find_runs
from quaestor.application.tool_advice import refusal_reason
from quaestor.conversation.turn import ToolCall
from quaestor.core import serial
from quaestor.core.free_names import FreeNames
from quaestor.core.words import search_words
from quaestor.errors import InputError, StoreError
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.graph.writing import graph_from_triples
from quaestor.ontology.labels import PROPOSED
from quaestor.ontology.ontology import Merge, Ontology, OntologyProperty, Proposal
from quaestor.ontology.terms import ROOT_CLASS, property_name
from quaestor.settings import Settings
from quaestor.solvers.tools.page import name_as_label
from quaestor.store.base import RunStore, open_store
from quaestor.store.records import TurnRecord

ALIKE = 0.85
"""From 0 to 1: below this similarity to known labels, a label is proposed as a new property."""

_LONGEST = 100
_ACCEPT = "accept"


@dataclass
class _OntologyGaps:
    """Labels without a property, by page, and names requested in vain, by the label found next."""

    pages: dict[str, set[str]] = field(default_factory=dict)
    together: set[frozenset[str]] = field(default_factory=set)
    requested: dict[tuple[str, str], set[str]] = field(default_factory=dict)


async def propose_refinements(store: RunStore, names: Sequence[str], ontology: Ontology) -> tuple[Proposal, ...]:
    """Return proposals for the gaps that runs reveal: synonyms of known labels, and new properties."""
    gaps = _OntologyGaps()
    for run in await find_runs(store, names):
        turns: dict[str, list[TurnRecord]] = {}
        for turn in await store.turns(run.id):
            turns.setdefault(turn.conversation, []).append(turn)
        for example in await store.examples(run.id):
            try:
                triples = await store.load_graph(run.id, example.conversation)
            except StoreError:
                continue  # a page without a graph has no known gaps
            graph = graph_from_triples(triples, f"the graph of {example.conversation}")
            _note_gaps(graph, ontology, gaps)
            for turn in turns.get(example.conversation, ()):
                calls = [ToolCall.of_record(call) for call in turn.tool_calls]
                _note_corrections(graph.document, calls, ontology, gaps)
    return tuple(sorted((*_propose_for_gaps(ontology, gaps), *_propose_for_names(gaps))))


def _note_gaps(graph: KnowledgeGraph, ontology: Ontology, gaps: _OntologyGaps) -> None:
    labels: dict[int, set[str]] = {}
    for line in graph.lines:
        labels.setdefault(line.table, set()).add(line.label)
        if line.label and ontology.match(line.label) is None:
            gaps.pages.setdefault(line.label, set()).add(graph.document)
    for found in labels.values():
        known = {match.label for label in found if (match := ontology.match(label))}
        unknown = {label for label in found if label in gaps.pages}
        gaps.together |= {frozenset((one, other)) for one in unknown for other in known}


def _note_corrections(document: str, calls: Sequence[ToolCall], ontology: Ontology, gaps: _OntologyGaps) -> None:
    """Record the names that were refused, and the property under which the next look-up found a number."""
    refused: list[str] = []
    labels = {item.name: item.label for item in ontology.properties}
    for call in calls:
        given, result = call.input, call.output
        if call.tool != "query_kg" or not isinstance(given, dict) or not isinstance(result, dict):
            continue
        if refusal_reason(result) == "no such property":
            refused.append(name_as_label(str(given.get("property", "")))[:_LONGEST])
        elif result.get("success") is True and (into := labels.get(str(result.get("property")))):
            for name in refused:
                # A look-up without a common word is not a correction of the refused name.
                if ontology.match(name) is None and set(search_words(name)) & set(search_words(into)):
                    gaps.requested.setdefault((name, into), set()).add(document)
            refused = []


def _propose_for_gaps(ontology: Ontology, gaps: _OntologyGaps) -> Iterable[Proposal]:
    for label, pages in gaps.pages.items():
        found = f"a line of {_pages(pages)} without a property"
        near = next(iter(ontology.nearest(label, 1)), None)
        if near and near.score >= ALIKE and frozenset((label, near.label)) not in gaps.together:
            reason = f"{found}; similar to {near.label!r} ({near.score:.2f}), and no table has both"
            yield Proposal("merge", label, near.label, documents=tuple(sorted(pages)), reason=reason)
        else:
            yield Proposal("property", label, documents=tuple(sorted(pages)), reason=found)


def _propose_for_names(gaps: _OntologyGaps) -> Iterable[Proposal]:
    for (name, into), pages in gaps.requested.items():
        if name not in gaps.pages:
            reason = f"requested by this name and refused, on {_pages(pages)}, before {into!r} was found"
            yield Proposal("merge", name, into, documents=tuple(sorted(pages)), reason=reason)


def _pages(pages: set[str]) -> str:
    return f"{len(pages)} page{'s' * (len(pages) != 1)}"


def write_proposals(path: Path, proposals: Iterable[Proposal]) -> None:
    """Write the review file: each proposal with `accept` false, for a person to set to true."""
    found = [{_ACCEPT: False, **serial.dump(proposal)} for proposal in proposals]
    with named_in_errors(path):
        path.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read_proposals(path: Path) -> tuple[Proposal, ...]:
    """Read the accepted proposals of a review file."""
    try:
        with named_in_errors(path, "read"):
            found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}") from error
    if not isinstance(found, list):
        raise InputError(f"{path} is not a list of proposals as written by `ontology refine`")
    accepted = []
    for number, item in enumerate(found, start=1):
        try:
            if not isinstance(item, dict) or not isinstance(item.get(_ACCEPT), bool):
                raise ValueError("it needs `accept`: true or false")
            if item[_ACCEPT]:
                accepted.append(serial.load(Proposal, {k: v for k, v in item.items() if k != _ACCEPT}))
        except ValueError as error:
            fault = serial.first_fault(error) if isinstance(error, ValidationError) else error
            raise InputError(f"proposal {number} of {path} cannot be read: {fault}") from error
    return tuple(accepted)


@dataclass(frozen=True, slots=True)
class RefinedOntology:
    """An ontology, the number of proposals accepted in a file, and the number of new ones among them."""

    ontology: Ontology
    accepted: int
    applied: int


async def accept_refinements(settings: Settings, accept: Path, output: OutputFile | None = None) -> RefinedOntology:
    """Add the accepted proposals of a reviewed file to the ontology of the settings, and store the result."""
    if output is not None:
        output.require_free()
    before, proposals = await find_ontology(str(settings.ontology), settings.store), read_proposals(accept)
    refined = apply_proposals(before, proposals)
    if output is not None:
        output.write(refined.to_turtle())
    async with open_store(settings.store) as opened:
        await opened.save_ontology(refined.digest, refined.triples)
    return RefinedOntology(refined, len(proposals), len(refined.proposals) - len(before.proposals))


def apply_proposals(ontology: Ontology, proposals: Sequence[Proposal]) -> Ontology:
    """Return an ontology with the proposed properties and synonyms; labels that it already has are skipped."""
    # Properties first, so that a synonym of one of them finds it.
    return _with_synonyms(_with_properties(ontology, proposals), proposals)


def _with_properties(ontology: Ontology, proposals: Iterable[Proposal]) -> Ontology:
    names = FreeNames(item.name for item in ontology.properties)
    properties, accepted = list(ontology.properties), list(ontology.proposals)
    for proposal in proposals:
        if proposal.kind != "property" or ontology.match(proposal.label) is not None:
            continue
        name = names.take(f"kg:{property_name(proposal.label)}")
        lines, pages = len(proposal.documents), proposal.documents
        # Allowed for all types of tables, because a proposal does not name one.
        property_ = OntologyProperty(name, proposal.label, (), "xsd:decimal", (ROOT_CLASS,), lines, 0, pages)
        properties.append(property_)
        accepted.append(proposal)
    ordered = tuple(sorted(properties, key=lambda item: item.name))
    return replace(ontology, properties=ordered, proposals=tuple(sorted(accepted)))


def _with_synonyms(ontology: Ontology, proposals: Iterable[Proposal]) -> Ontology:
    properties = {p.name: p for p in ontology.properties}
    merges, more = list(ontology.merges), list(ontology.proposals)
    for proposal in proposals:
        match = ontology.match(proposal.into)
        if proposal.kind != "merge" or match is None or ontology.match(proposal.label) is not None:
            continue
        found = properties[match.property]
        properties[found.name] = replace(found, variants=tuple(sorted({*found.variants, proposal.label})))
        merges.append(Merge(proposal.label, match.label, PROPOSED.name, PROPOSED.score))
        more.append(proposal)
    return replace(
        ontology,
        properties=tuple(properties.values()),
        merges=tuple(sorted(merges, key=lambda m: (m.variant, m.into, m.rule))),
        proposals=tuple(sorted(more)),
    )
