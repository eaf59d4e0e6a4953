"""Proposals on their way into an ontology: checked against the text, reviewed in a file, seen by the builder.

Owns the review file, and what a document has to print for a proposal to hold. Asks nobody.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from quaestor.core import serial
from quaestor.core.free_names import FreeNames
from quaestor.documents.document import Document
from quaestor.errors import InputError
from quaestor.ontology.classes import CueIndex, contexts_of
from quaestor.ontology.extract import LabelEvidence
from quaestor.ontology.labels import PROPOSED, plain
from quaestor.ontology.lines import property_lines
from quaestor.ontology.merging import Merge
from quaestor.ontology.ontology import Ontology, OntologyProperty
from quaestor.ontology.phrases import noun_phrase_in
from quaestor.ontology.proposal import Proposal
from quaestor.ontology.vocabulary import ROOT_CLASS, property_name

_ACCEPT = "accept"


class ReviewedExtractor:
    """An Extractor that sees what was proposed and accepted, in the documents that bear it out."""

    name = "proposals"

    def __init__(self, proposals: Iterable[Proposal]) -> None:
        """Takes the accepted proposals."""
        self._proposals = tuple(proposals)

    def extract(self, document: Document) -> LabelEvidence:
        """Returns the proposals that the document bears out."""
        return LabelEvidence(proposals=tuple(p for p in self._proposals if _seen_in(p, document)))


def _seen_in(proposal: Proposal, document: Document) -> bool:
    """Whether a document shows any of what a proposal is about."""
    if proposal.kind == "class":
        return any(_around_a_table(cue, document) for cue in proposal.cues)
    labels = {plain(proposal.label), plain(proposal.into)} - {""}
    return bool(labels & (_phrases(document) if proposal.kind == "property" else _phrases(document) | _lines(document)))


def objection(proposal: Proposal, documents: Sequence[Document]) -> str | None:
    """Returns what speaks against a proposal in the documents; None where they bear it out."""
    if not plain(proposal.label):
        return "it has no label"
    if proposal.kind == "class":
        return _against_class(proposal, documents)
    if proposal.kind == "merge":
        return _against_merge(proposal, documents)
    said = any(_seen_in(proposal, document) for document in documents)
    return None if said else f"no text uses {proposal.label!r} for a number"


def _against_class(proposal: Proposal, documents: Sequence[Document]) -> str | None:
    cues = [cue for cue in proposal.cues if plain(cue)]
    if not cues:
        return "a type needs cues: words in or around its tables"
    missing = [cue for cue in cues if not any(_around_a_table(cue, document) for document in documents)]
    return f"no table has the cue {missing[0]!r} in or around it" if missing else None


def _against_merge(proposal: Proposal, documents: Sequence[Document]) -> str | None:
    wanted = {plain(proposal.label), plain(proposal.into)}
    if len(wanted) < 2 or "" in wanted:
        return "a merge needs two labels that differ"
    if not any(plain(proposal.label) in _phrases(document) | _lines(document) for document in documents):
        return f"{proposal.label!r} is not a label there"
    both = [d.id for d in documents for t in d.tables if wanted <= {plain(line.label) for line in property_lines(t)}]
    return f"{both[0]} has both in one table" if both else None


def _around_a_table(cue: str, document: Document) -> bool:
    index = CueIndex({"kg:Proposed": (cue,)})
    contexts = contexts_of(document).values()
    texts = dict.fromkeys(text for context in contexts for text in (*(t for _, t in context.texts), *context.around))
    return any(map(index.find, texts))


def _phrases(document: Document) -> frozenset[str]:
    return frozenset(plain(phrase) for sentence in document.sentences for _, phrase in noun_phrase_in(sentence))


def _lines(document: Document) -> frozenset[str]:
    return frozenset(plain(line.label) for table in document.tables for line in property_lines(table))


def require_borne_out(proposals: Iterable[Proposal], documents: Sequence[Document]) -> None:
    """Makes sure that the documents bear every proposal out.

    Raises:
        InputError: One they do not; the message says why.
    """
    for proposal in proposals:
        against = objection(proposal, documents)
        if against:
            raise InputError(f"cannot accept the proposal to {proposal.words}: {against}; correct it or remove it")


def write_proposals(path: Path, proposals: Iterable[Proposal]) -> None:
    """Writes the review file: each proposal with `accept` false, which a person sets to true for those to be taken in.

    Raises:
        InputError: The file cannot be written.
    """
    found = [{_ACCEPT: False, **serial.dump(proposal)} for proposal in proposals]
    try:
        path.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def _wrong(error: ValueError) -> str:
    """Returns what is wrong with a proposal, and at which of its fields."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    return ".".join(map(str, first["loc"])) + ": " + first["msg"]


def read_proposals(path: Path) -> tuple[Proposal, ...]:
    """Returns the accepted proposals of a review file.

    Raises:
        InputError: The file cannot be read, or is no review file.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}") from error
    if not isinstance(found, list):
        raise InputError(f"{path} is not a list of proposals as written by `ontology build --proposals FILE`")
    accepted = []
    for number, item in enumerate(found, start=1):
        try:
            if not isinstance(item, dict) or not isinstance(item.get(_ACCEPT), bool):
                raise ValueError("it needs `accept`: true or false")
            if item[_ACCEPT]:
                accepted.append(serial.load(Proposal, {k: v for k, v in item.items() if k != _ACCEPT}))
        except ValueError as error:
            raise InputError(f"proposal {number} of {path} cannot be read: {_wrong(error)}") from error
    return tuple(accepted)


def with_labels(ontology: Ontology, proposals: Iterable[Proposal]) -> Ontology:
    """Returns an ontology that also knows the proposed labels of its properties; merges into other labels are left.

    For the lines of one document under the policy `extend`: the properties stay what they are.
    """
    properties = {p.name: p for p in ontology.properties}
    merges, taken = list(ontology.merges), list(ontology.proposals)
    for proposal in proposals:
        match = ontology.match(proposal.into)
        if proposal.kind != "merge" or match is None or ontology.match(proposal.label) is not None:
            continue
        found = properties[match.property]
        properties[found.name] = replace(found, variants=tuple(sorted({*found.variants, proposal.label})))
        merges.append(Merge(proposal.label, match.label, PROPOSED.name, PROPOSED.score))
        taken.append(proposal)
    return replace(
        ontology,
        properties=tuple(properties.values()),
        merges=tuple(sorted(merges, key=lambda m: (m.variant, m.into, m.rule))),
        proposals=tuple(sorted(taken)),
    )


def with_properties(ontology: Ontology, proposals: Iterable[Proposal]) -> Ontology:
    """Returns an ontology that also has the proposed properties; labels that it knows already are left.

    Each belongs to all types of tables: a proposal does not say to which.
    """
    names = FreeNames(item.name for item in ontology.properties)
    properties, accepted = list(ontology.properties), list(ontology.proposals)
    for proposal in proposals:
        if proposal.kind != "property" or ontology.match(proposal.label) is not None:
            continue
        name = names.take(f"kg:{property_name(proposal.label)}")
        lines, pages = len(proposal.documents), proposal.documents
        made = OntologyProperty(name, proposal.label, (), "xsd:decimal", (ROOT_CLASS,), lines, 0, pages)
        properties.append(made)
        accepted.append(proposal)
    ordered = tuple(sorted(properties, key=lambda item: item.name))
    return replace(ontology, properties=ordered, proposals=tuple(sorted(accepted)))
