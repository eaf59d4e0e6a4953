"""Serialization of ontologies as triples."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from quaestor.core.serial import Triple
from quaestor.errors import OntologyError
from quaestor.ontology.core import OntologyClass
from quaestor.ontology.fields import (
    NODE,
    SCORE,
    TEXT,
    WHOLE,
    Field,
    Node,
    TermForm,
    read_fields,
    read_text,
    write_fields,
)
from quaestor.ontology.ontology import KeptDistinct, Merge, Ontology, OntologyProperty, Proposal, read_kind
from quaestor.ontology.terms import ROOT_CLASS, Nodes, group_by_subject, read_turtle, text_term

_ORIGIN = TermForm(lambda core: text_term("core" if core else "learned"), lambda term: read_text(term) == "core")
R = TypeVar("R", Merge, KeptDistinct, Proposal)
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


_LABEL, _RULE = Field("label", "rdfs:label", TEXT), Field("rule", "kg:rule", TEXT)
_DOCUMENTS = Field("documents", "kg:seenIn", TEXT, many=True)
_FIELDS: Mapping[type[_Record], tuple[str, tuple[Field, ...]]] = {
    OntologyClass: ("owl:Class", (_LABEL, Field("core", "kg:origin", _ORIGIN), _DOCUMENTS)),
    OntologyProperty: ("owl:DatatypeProperty", (
        _LABEL, Field("variants", "skos:altLabel", TEXT, many=True), Field("range", "rdfs:range", NODE),
        Field("classes", "kg:seenOn", NODE, many=True), Field("lines", "kg:lines", WHOLE),
        Field("mentions", "kg:mentions", WHOLE), Field("concepts", "kg:concept", TEXT, many=True), _DOCUMENTS,
    )),
    Merge: ("kg:Merge", (
        Field("variant", "kg:variant", TEXT), Field("into", "kg:into", TEXT), _RULE, Field("score", "kg:score", SCORE),
    )),
    KeptDistinct: ("kg:Distinction", (
        Field("label", "kg:label", TEXT), Field("other", "kg:otherLabel", TEXT), _RULE,
        Field("document", "kg:seenIn", TEXT),
    )),
    Proposal: ("kg:Proposal", (
        Field("kind", "kg:rule", TermForm(text_term, lambda term: read_kind(read_text(term)))),
        Field("label", "kg:label", TEXT), Field("into", "kg:into", TEXT, ""), _DOCUMENTS,
        Field("cues", "skos:altLabel", TEXT, many=True), Field("reason", "kg:reason", TEXT),
    )),
}  # fmt: skip
"""The type and the stored attributes of each kind of record."""


def _triples(subject: str, record: _Record) -> Iterator[Triple]:
    kind, fields = _FIELDS[type(record)]
    yield Triple(subject, "rdf:type", kind)
    yield from write_fields(subject, record, fields)
    if isinstance(record, OntologyProperty):
        yield Triple(subject, "rdfs:domain", record.domain)
    if isinstance(record, OntologyClass):
        yield from (Triple(subject, "skos:altLabel", text_term(cue)) for cue in record.cues if cue != record.label)
        if record.name != ROOT_CLASS:
            yield Triple(subject, "rdfs:subClassOf", ROOT_CLASS)


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
            tuple(
                OntologyProperty(name, **read_fields(nodes[name], _FIELDS[OntologyProperty][1]))
                for name in of_kind["owl:DatatypeProperty"]
            ),
            _read_records(Merge, nodes, of_kind),
            _read_records(KeptDistinct, nodes, of_kind),
            _read_records(Proposal, nodes, of_kind),
        )
    except ValueError as error:
        raise OntologyError(f"cannot read {what}: a class, property or merge is incomplete ({error})") from None
    written = set(ontology.each_triple()) if ontology.classes else set()
    if not ontology.classes or written != given:
        extra = next(iter(sorted(given - written)), None)
        found = f"unexpected statement {' '.join(extra)[:120]}" if extra else "it has no class"
        raise OntologyError(f"cannot read {what} as an ontology: {found}; was it written by `ontology build`?")
    return ontology


def _read_records(kind: type[R], nodes: Nodes, of_kind: Node) -> tuple[R, ...]:
    written, fields = _FIELDS[kind]
    return tuple(sorted(kind(**read_fields(nodes[name], fields)) for name in of_kind[written]))


def _read_class(name: str, node: Node) -> OntologyClass:
    fields = read_fields(node, _FIELDS[OntologyClass][1])
    cues = {fields["label"], *map(read_text, node.get("skos:altLabel", ()))}
    return OntologyClass(name, cues=tuple(sorted(cues)), **fields)
