"""Serialization of ontologies as triples."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from quaestor.core.serial import Triple
from quaestor.errors import OntologyError
from quaestor.ontology.core import OntologyClass
from quaestor.ontology.ontology import (
    KeptDistinct,
    Merge,
    Ontology,
    OntologyProperty,
    Proposal,
    read_kind,
)
from quaestor.ontology.terms import ROOT_CLASS, group_by_subject, read_term, read_turtle, text_term

Node = Mapping[str, Sequence[str]]
_Record = OntologyClass | OntologyProperty | Merge | KeptDistinct | Proposal


def ontology_to_triples(ontology: Ontology) -> Iterator[Triple]:
    """Yield all triples of an ontology, grouped by subject and sorted."""
    of_subject: defaultdict[str, list[_Record]] = defaultdict(list)
    for records in (ontology.classes, ontology.properties, ontology.merges, ontology.apart, ontology.proposals):
        for record in records:
            of_subject[_subject(record)].append(record)
    for subject in sorted(of_subject):
        yield from sorted({triple for record in of_subject[subject] for triple in _triples(subject, record)})


def _subject(record: _Record) -> str:
    match record:
        case OntologyClass() | OntologyProperty():
            return record.name
        case Merge():
            return _node_name("merge", record.variant, record.into)
        case KeptDistinct():
            return _node_name("apart", record.label, record.other, record.rule)
        case Proposal():
            parts = record.kind, record.label, record.into, record.reason, *record.cues, *record.documents
            return _node_name("proposal", *parts)


def _triples(subject: str, record: _Record) -> Iterator[Triple]:
    for predicate, objects in _statements(record).items():
        for term in (objects,) if isinstance(objects, str) else objects:
            yield Triple(subject, predicate, term)


def _statements(record: _Record) -> dict[str, str | Iterable[str]]:
    """Return the objects of a record's triples by predicate."""
    match record:
        case OntologyClass():
            return {
                "rdf:type": "owl:Class",
                "rdfs:label": text_term(record.label),
                "rdfs:subClassOf": () if record.name == ROOT_CLASS else ROOT_CLASS,
                "kg:origin": text_term("core" if record.core else "learned"),
                "skos:altLabel": [text_term(cue) for cue in record.cues if cue != record.label],
                "kg:seenIn": map(text_term, record.documents),
            }
        case OntologyProperty():
            return {
                "rdf:type": "owl:DatatypeProperty",
                "rdfs:label": text_term(record.label),
                "rdfs:domain": record.domain,
                "rdfs:range": record.range,
                "kg:lines": str(record.lines),
                "kg:mentions": str(record.mentions),
                "skos:altLabel": map(text_term, record.variants),
                "kg:seenOn": record.classes,
                "kg:concept": map(text_term, record.concepts),
                "kg:seenIn": map(text_term, record.documents),
            }
        case Merge():
            return {
                "rdf:type": "kg:Merge",
                "kg:variant": text_term(record.variant),
                "kg:into": text_term(record.into),
                "kg:rule": text_term(record.rule),
                "kg:score": f'"{record.score}"^^xsd:decimal',
            }
        case KeptDistinct():
            return {
                "rdf:type": "kg:Distinction",
                "kg:label": text_term(record.label),
                "kg:otherLabel": text_term(record.other),
                "kg:rule": text_term(record.rule),
                "kg:seenIn": text_term(record.document),
            }
        case Proposal():
            return {
                "rdf:type": "kg:Proposal",
                "kg:rule": text_term(record.kind),
                "kg:label": text_term(record.label),
                "kg:reason": text_term(record.reason),
                "kg:into": text_term(record.into) if record.into else (),
                "skos:altLabel": map(text_term, record.cues),
                "kg:seenIn": map(text_term, record.documents),
            }


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
    nodes, of_kind = group_by_subject(sorted(given))
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
