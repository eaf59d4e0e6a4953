"""Serialization of ontologies as triples."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from quaestor.core.serial import Triple
from quaestor.errors import OntologyError
from quaestor.ontology.ontology import (
    KeptDistinct,
    Merge,
    Ontology,
    OntologyClass,
    OntologyProperty,
    Proposal,
    read_kind,
)
from quaestor.ontology.terms import ROOT_CLASS, read_term, read_turtle, text_term

Node = Mapping[str, list[str]]


def ontology_to_triples(ontology: Ontology) -> Iterator[Triple]:
    """Yield all triples of an ontology, grouped by subject and sorted."""
    of_subject: defaultdict[str, list[Callable[[], Iterable[Triple]]]] = defaultdict(list)

    def add(written: Callable[[], Iterable[Triple]]) -> None:
        of_subject[next(iter(written())).s].append(written)

    for class_ in ontology.classes:
        add(partial(_class_triples, class_))
    for property_ in ontology.properties:
        add(partial(_property_triples, property_))
    for merge in ontology.merges:
        add(partial(_merge_triples, merge))
    for distinct in ontology.apart:
        add(partial(_distinction_triples, distinct))
    for proposal in ontology.proposals:
        add(partial(_proposal_triples, proposal))
    for subject in sorted(of_subject):
        yield from sorted({triple for written in of_subject[subject] for triple in written()})


def _class_triples(c: OntologyClass) -> Iterable[Triple]:
    yield Triple(c.name, "rdf:type", "owl:Class")
    yield Triple(c.name, "rdfs:label", text_term(c.label))
    if c.name != ROOT_CLASS:
        yield Triple(c.name, "rdfs:subClassOf", ROOT_CLASS)
    yield Triple(c.name, "kg:origin", text_term("core" if c.core else "learned"))
    for cue in c.cues:
        if cue != c.label:
            yield Triple(c.name, "skos:altLabel", text_term(cue))
    for document in c.documents:
        yield Triple(c.name, "kg:seenIn", text_term(document))


def _property_triples(p: OntologyProperty) -> Iterable[Triple]:
    yield Triple(p.name, "rdf:type", "owl:DatatypeProperty")
    yield Triple(p.name, "rdfs:label", text_term(p.label))
    yield Triple(p.name, "rdfs:domain", p.domain)
    yield Triple(p.name, "rdfs:range", p.range)
    yield Triple(p.name, "kg:lines", str(p.lines))
    yield Triple(p.name, "kg:mentions", str(p.mentions))
    for variant in p.variants:
        yield Triple(p.name, "skos:altLabel", text_term(variant))
    for class_ in p.classes:
        yield Triple(p.name, "kg:seenOn", class_)
    for concept in p.concepts:
        yield Triple(p.name, "kg:concept", text_term(concept))
    for document in p.documents:
        yield Triple(p.name, "kg:seenIn", text_term(document))


def _merge_triples(m: Merge) -> Iterable[Triple]:
    name = _node_name("merge", m.variant, m.into)
    yield Triple(name, "rdf:type", "kg:Merge")
    yield Triple(name, "kg:variant", text_term(m.variant))
    yield Triple(name, "kg:into", text_term(m.into))
    yield Triple(name, "kg:rule", text_term(m.rule))
    yield Triple(name, "kg:score", f'"{m.score}"^^xsd:decimal')


def _distinction_triples(a: KeptDistinct) -> Iterable[Triple]:
    name = _node_name("apart", a.label, a.other, a.rule)
    yield Triple(name, "rdf:type", "kg:Distinction")
    yield Triple(name, "kg:label", text_term(a.label))
    yield Triple(name, "kg:otherLabel", text_term(a.other))
    yield Triple(name, "kg:rule", text_term(a.rule))
    yield Triple(name, "kg:seenIn", text_term(a.document))


def _proposal_triples(p: Proposal) -> Iterable[Triple]:
    name = _node_name("proposal", p.kind, p.label, p.into, p.reason, *p.cues, *p.documents)
    yield Triple(name, "rdf:type", "kg:Proposal")
    yield Triple(name, "kg:rule", text_term(p.kind))
    yield Triple(name, "kg:label", text_term(p.label))
    yield Triple(name, "kg:reason", text_term(p.reason))
    if p.into:
        yield Triple(name, "kg:into", text_term(p.into))
    for cue in p.cues:
        yield Triple(name, "skos:altLabel", text_term(cue))
    for document in p.documents:
        yield Triple(name, "kg:seenIn", text_term(document))


def _node_name(kind: str, *parts: str) -> str:
    return f"kg:{kind}_{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}"


def ontology_from_turtle(text: str, what: str = "the ontology") -> Ontology:
    """Read an ontology from Turtle.

    Raises:
        OntologyError: The text is not Turtle, or not an ontology.
    """
    return ontology_from_triples(read_turtle(text, what)[0], what)


def ontology_from_triples(triples: Iterable[Triple], what: str = "the ontology") -> Ontology:
    """Read an ontology from triples; any other triple is an error.

    Raises:
        OntologyError: The triples are not exactly one ontology.
    """
    given = set(triples)
    nodes: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for s, p, o in sorted(given):
        nodes[s][p].append(o)
    of_kind: defaultdict[str, list[str]] = defaultdict(list)
    for name, node in nodes.items():
        for kind in node["rdf:type"]:
            of_kind[kind].append(name)
    try:
        ontology = Ontology(
            tuple(_read_class(name, nodes[name]) for name in of_kind["owl:Class"]),
            tuple(_read_property(name, nodes[name]) for name in of_kind["owl:DatatypeProperty"]),
            tuple(sorted(_read_merge(nodes[name]) for name in of_kind["kg:Merge"])),
            tuple(sorted(_read_distinction(nodes[name]) for name in of_kind["kg:Distinction"])),
            tuple(sorted(_read_proposal(nodes[name]) for name in of_kind["kg:Proposal"])),
        )
    except (IndexError, ValueError) as error:
        raise OntologyError(f"cannot read {what}: a class, property or merge is incomplete ({error})") from None
    written = set(ontology.each_triple()) if ontology.classes else set()
    if not ontology.classes or written != given:
        extra = next(iter(sorted(given - written)), None)
        found = f"unexpected statement {' '.join(extra)[:120]}" if extra else "it has no class"
        raise OntologyError(f"cannot read {what} as an ontology: {found}; was it written by `ontology build`?")
    return ontology


def _texts(node: Node, predicate: str) -> tuple[str, ...]:
    return tuple(sorted(str(read_term(o)) for o in node.get(predicate, ())))


def _text(node: Node, predicate: str) -> str:
    return str(read_term(node[predicate][0]))


def _read_class(name: str, node: Node) -> OntologyClass:
    label = _text(node, "rdfs:label")
    cues = tuple(sorted((label, *_texts(node, "skos:altLabel"))))
    return OntologyClass(name, label, cues, _text(node, "kg:origin") == "core", _texts(node, "kg:seenIn"))


def _read_property(name: str, node: Node) -> OntologyProperty:
    return OntologyProperty(
        name=name,
        label=_text(node, "rdfs:label"),
        variants=_texts(node, "skos:altLabel"),
        range=node["rdfs:range"][0],
        classes=tuple(sorted(node.get("kg:seenOn", ()))),
        lines=int(node["kg:lines"][0]),
        mentions=int(node["kg:mentions"][0]),
        documents=_texts(node, "kg:seenIn"),
        concepts=_texts(node, "kg:concept"),
    )


def _read_merge(node: Node) -> Merge:
    return Merge(
        _text(node, "kg:variant"), _text(node, "kg:into"), _text(node, "kg:rule"), float(_text(node, "kg:score"))
    )


def _read_distinction(node: Node) -> KeptDistinct:
    label, other = _text(node, "kg:label"), _text(node, "kg:otherLabel")
    return KeptDistinct(label, other, _text(node, "kg:rule"), _text(node, "kg:seenIn"))


def _read_proposal(node: Node) -> Proposal:
    return Proposal(
        read_kind(_text(node, "kg:rule")),
        _text(node, "kg:label"),
        _text(node, "kg:into") if "kg:into" in node else "",
        _texts(node, "skos:altLabel"),
        _texts(node, "kg:seenIn"),
        _text(node, "kg:reason"),
    )
