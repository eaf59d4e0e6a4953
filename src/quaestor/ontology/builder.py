"""Builds a frozen ontology from documents."""

import pickle
import weakref
import zlib
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from tempfile import SpooledTemporaryFile

from quaestor.core.free_names import FreeNames
from quaestor.core.words import singular
from quaestor.documents.document import Document
from quaestor.errors import OntologyError
from quaestor.ontology.core import OntologyClass, read_core
from quaestor.ontology.extract import TEXT, LabelEvidence, extract_labels
from quaestor.ontology.labels import CueIndex, plain
from quaestor.ontology.ontology import Ontology, OntologyProperty, group_labels
from quaestor.ontology.terms import AMOUNT, ROOT_CLASS, class_name, property_name

_IN_MEMORY = 1 << 20
"""Bytes of evidence kept in memory; more is written to a temporary file."""

_TOPIC_DOCUMENTS = 2
_PHRASE_DOCUMENTS = 2
_GENERIC = frozenset("total other net basic diluted amount balance subtotal current noncurrent".split())


def _numbers() -> "array[int]":
    return array("I")


@dataclass(slots=True)
class _Evidence:
    """All occurrences of a label in any form.

    Tables and documents are stored as numbers, without consecutive duplicates, to save memory for a large corpus.
    """

    forms: Counter[str] = field(default_factory=Counter)
    ranges: Counter[str] = field(default_factory=Counter)
    places: "array[int]" = field(default_factory=_numbers)
    documents: "array[int]" = field(default_factory=_numbers)
    classes: set[str] = field(default_factory=set)
    concepts: set[str] = field(default_factory=set)
    lines: int = 0
    mentions: int = 0


class _Spool:
    """Label evidence of documents in sequence, in a temporary file if it is large."""

    def __init__(self) -> None:
        self._file: SpooledTemporaryFile[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._ends = array("Q", [0])

    def add(self, seen: LabelEvidence) -> None:
        """Append the evidence of the next document."""
        # Compressed, because the text around tables is most of a page.
        self._file.seek(self._ends[-1])
        self._ends.append(
            self._ends[-1] + self._file.write(zlib.compress(pickle.dumps(seen, pickle.HIGHEST_PROTOCOL), 1))
        )

    def __iter__(self) -> Iterator[LabelEvidence]:
        for start, end in pairwise(self._ends):
            self._file.seek(start)
            yield pickle.loads(zlib.decompress(self._file.read(end - start)))  # noqa: S301 - our own bytes

    def close(self) -> None:
        """Discard everything."""
        self._file.close()


class OntologyBuilder:
    """Collects documents one by one; `freeze` returns the ontology of all of them."""

    def __init__(self) -> None:
        self._documents: dict[tuple[str, str], None] = {}
        self._seen = _Spool()
        self._topics: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._built_from: tuple[tuple[str, str], ...] = ()
        self._frozen: Ontology | None = None

    def add(self, document: Document) -> None:
        """Add a document; a document that was already added is ignored.

        Raises:
            OntologyError: The ontology is frozen.
        """
        if self._frozen is not None:
            raise OntologyError(f"cannot add {document.id}: the ontology is frozen; use another builder")
        key = document.id, document.digest
        if key in self._documents:
            return
        seen = extract_labels(document)
        for topic, form in {" ".join(map(singular, plain(t).split())): t for t in seen.topics}.items():
            self._topics[topic][form] += 1
        self._seen.add(seen)
        self._documents[key] = None

    def freeze(self) -> Ontology:
        """Return the ontology of the documents added; nothing can be added afterwards."""
        if self._frozen is None:
            self._frozen = self._build()
            self._seen.close()
        return self._frozen

    def _build(self) -> Ontology:
        self._built_from = tuple(self._documents)
        classes = self._classes()
        cues = CueIndex({c.name: c.cues for c in classes if c.name != ROOT_CLASS})
        # A table's number is its index plus the number of the first table of its document.
        firsts, seen_on = array("I"), dict[int, str]()
        documents: defaultdict[str, array[int]] = defaultdict(_numbers)
        end = 0
        for number, seen in enumerate(self._seen):
            firsts.append(end)
            tables = {*(label.table for label in seen.labels), *seen.contexts}
            for table, context in seen.contexts.items():
                name = cues.classify(context)[0].name
                seen_on[end + table] = name
                _append(documents[name], number)
            end += 1 + max(tables, default=-1)
        found = tuple(
            OntologyClass(c.name, c.label, c.cues, c.core, self._document_names(documents[c.name]))
            for c in sorted(classes, key=lambda c: c.name)
            if c.core or documents[c.name]  # drop topics that are not the best class of any table
        )
        return self._with_properties(found, firsts, seen_on)

    def _document_names(self, documents: Iterable[int]) -> tuple[str, ...]:
        return tuple(sorted({self._built_from[number][0] for number in documents}))

    def _first_of(self, firsts: Sequence[int], places: Iterable[int]) -> str:
        """Return the id of the first document, by name and digest, that contains one of the tables."""
        return min(self._built_from[bisect_right(firsts, place) - 1] for place in places)[0]

    def _classes(self) -> list[OntologyClass]:
        """Return the core classes, and one for each topic of several documents without a cue of a core class."""
        core = read_core().classes
        index = CueIndex({c.name: c.cues for c in core})
        topics, classes = self._topics, list(core)
        names = {c.name for c in classes}
        for key in sorted(topics):
            label = min(topics[key], key=lambda form: (-topics[key][form], form))
            name = f"kg:{class_name(label)}"
            if topics[key].total() >= _TOPIC_DOCUMENTS and not index.find(label) and name not in names:
                classes.append(OntologyClass(name, label, (label,), core=False))
                names.add(name)
        return classes

    def _with_properties(
        self, classes: tuple[OntologyClass, ...], firsts: "array[int]", seen_on: Mapping[int, str]
    ) -> Ontology:
        evidence = self._evidence(firsts, seen_on)
        shown = {key: min(e.forms, key=lambda form: (-e.forms[form], form)) for key, e in evidence.items()}
        by_label = {shown[key]: e for key, e in evidence.items()}
        found = group_labels(
            {label: e.lines + e.mentions for label, e in by_label.items()},
            {label: e.places for label, e in by_label.items()},
            _same_concept_pairs(by_label),
            document_of=lambda shared: self._first_of(firsts, shared),
        )
        amount = by_label.pop("", _Evidence())
        properties = [self._property(AMOUNT, ("amount",), [amount])]
        names = FreeNames([AMOUNT])
        for labels in found.groups:
            if labels != ("",):
                name = names.take(f"kg:{property_name(labels[0])}")
                properties.append(self._property(name, labels, [by_label[x] for x in labels]))
        ordered = tuple(sorted(properties, key=lambda p: p.name))
        return Ontology(classes, ordered, found.merges, found.apart)

    def _evidence(self, firsts: Sequence[int], seen_on: Mapping[int, str]) -> dict[str, _Evidence]:
        """Return the evidence for each label; phrases of text only if they occur in several documents or tables."""
        evidence: defaultdict[str, _Evidence] = defaultdict(_Evidence)
        for number, seen in enumerate(self._seen):
            for label in seen.labels:
                entry = evidence[plain(label.label)]
                entry.forms[label.label if plain(label.label) else ""] += 1
                _append(entry.documents, number)
                if label.table == TEXT:
                    entry.mentions += 1
                    continue
                place = firsts[number] + label.table
                entry.lines += 1
                entry.ranges[label.range] += 1
                entry.concepts.add(label.concept)
                _append(entry.places, place)
                if (name := seen_on.get(place)) is not None:
                    entry.classes.add(name)
        return {key: e for key, e in evidence.items() if e.lines or self._is_frequent(key, e)}

    def _is_frequent(self, key: str, evidence: _Evidence) -> bool:
        """Whether a phrase of the text has several words and occurs in enough documents to be a property."""
        return " " in key and len(self._document_names(evidence.documents)) >= _PHRASE_DOCUMENTS

    def _property(self, name: str, labels: tuple[str, ...], evidence: list[_Evidence]) -> OntologyProperty:
        ranges = {kind for e in evidence for kind in e.ranges}
        return OntologyProperty(
            name=name,
            label=labels[0],
            variants=tuple(sorted(labels[1:])),
            range=next((kind for kind in ("xsd:decimal", "xsd:gYear", "xsd:string") if kind in ranges), "xsd:decimal"),
            classes=tuple(sorted({c for e in evidence for c in e.classes})),
            lines=sum(e.lines for e in evidence),
            mentions=sum(e.mentions for e in evidence),
            documents=self._document_names(number for e in evidence for number in e.documents),
            concepts=tuple(sorted({c for e in evidence if len(e.concepts) == 1 for c in e.concepts if c})),
        )


def _append(numbers: "array[int]", number: int) -> None:
    if not numbers or numbers[-1] != number:
        numbers.append(number)


def _same_concept_pairs(evidence: Mapping[str, _Evidence]) -> list[tuple[str, str]]:
    """Return pairs of labels with the same single concept; the second is the more frequent one.

    A generic label ("total") is excluded, because its concept differs between pages.
    """
    called: defaultdict[str, list[str]] = defaultdict(list)
    for label, seen in evidence.items():
        if len(seen.concepts) == 1 and plain(label) not in _GENERIC and (concept := next(iter(seen.concepts))):
            called[concept].append(label)
    pairs = []
    for concept in sorted(called):
        best, *others = sorted(called[concept], key=lambda label: (-evidence[label].lines, len(label), label))
        pairs += [(other, best) for other in others]
    return pairs


def build_ontology(documents: Iterable[Document]) -> Ontology:
    """Return the frozen ontology of documents."""
    builder = OntologyBuilder()
    for document in documents:
        builder.add(document)
    return builder.freeze()
