"""Documents in, a frozen ontology out.

Owns the accumulation and the decisions, which all fall at `freeze`: until then only evidence is kept, by document, so
that neither the order of documents nor a document given twice changes anything.
"""

import pickle
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from quaestor.core.words import singular
from quaestor.documents.document import Document
from quaestor.errors import OntologyError
from quaestor.ontology.classes import CueIndex
from quaestor.ontology.core import read_core
from quaestor.ontology.extract import TEXT, Extractor, LabelEvidence, RuleExtractor
from quaestor.ontology.labels import plain
from quaestor.ontology.merging import Place, group_labels
from quaestor.ontology.ontology import Ontology, OntologyClass, OntologyProperty
from quaestor.ontology.proposal import Proposal
from quaestor.ontology.vocabulary import AMOUNT, ROOT_CLASS, class_name, property_name

_TOPIC_DOCUMENTS = 2
_PHRASE_DOCUMENTS = 2
_GENERIC = frozenset("total other net basic diluted amount balance subtotal current noncurrent".split())


@dataclass(slots=True)
class _Evidence:
    """All sightings of one label, in every form that it was printed in."""

    forms: Counter[str] = field(default_factory=Counter)
    ranges: Counter[str] = field(default_factory=Counter)
    places: set[Place] = field(default_factory=set)
    documents: set[str] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)
    concepts: set[str] = field(default_factory=set)
    lines: int = 0
    mentions: int = 0


class OntologyBuilder:
    """Takes documents one by one; `freeze` gives the ontology of all of them."""

    def __init__(self, extractors: Sequence[Extractor] | None = None) -> None:
        """Takes what sees types in documents, by default the rules alone."""
        self._extractors = tuple(extractors) if extractors is not None else (RuleExtractor(),)
        self._seen: dict[tuple[str, str], bytes] = {}
        self._topics: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._proposed: set[Proposal] = set()
        self._frozen: Ontology | None = None

    def add(self, document: Document) -> None:
        """Takes a document; one that was taken before changes nothing.

        Raises:
            OntologyError: The ontology is frozen.
        """
        if self._frozen is not None:
            raise OntologyError(f"cannot add {document.id}: the ontology is frozen; begin another builder")
        key = (document.id, document.digest)
        if key in self._seen:
            return
        seen = tuple(extractor.extract(document) for extractor in self._extractors)
        for topic, form in {" ".join(map(singular, plain(t).split())): t for s in seen for t in s.topics}.items():
            self._topics[topic][form] += 1
        self._proposed.update(p for s in seen for p in s.proposals)
        # What is around its tables is most of a page: of a large corpus it is kept packed.
        self._seen[key] = zlib.compress(pickle.dumps(seen, pickle.HIGHEST_PROTOCOL), 1)

    def _sightings(self) -> Iterator[tuple[str, str, tuple[LabelEvidence, ...]]]:
        """Yields each document with a name that no other content of it has, and what was seen in it."""
        for (document, digest), packed in self._seen.items():
            yield document, f"{document}\0{digest}", pickle.loads(zlib.decompress(packed))  # noqa: S301 - our own bytes

    def freeze(self) -> Ontology:
        """Returns the ontology of the documents so far; from now on nothing can be added."""
        if self._frozen is None:
            self._frozen = self._build()
        return self._frozen

    def _build(self) -> Ontology:
        classes = self._classes()
        cues = CueIndex({c.name: c.cues for c in classes if c.name != ROOT_CLASS})
        seen_on: dict[Place, str] = {}
        documents: defaultdict[str, set[str]] = defaultdict(set)
        for document, content, sightings in self._sightings():
            for table, context in ((t, c) for s in sightings for t, c in s.contexts.items()):
                name = cues.classify(context)[0].name
                seen_on[content, table] = name
                documents[name].add(document)
        seen = tuple(
            OntologyClass(c.name, c.label, c.cues, c.core, tuple(sorted(documents[c.name])))
            for c in sorted(classes, key=lambda c: c.name)
            if c.core or documents[c.name]  # a topic that is never the best name of a table names none
        )
        return self._with_properties(seen, seen_on)

    def _classes(self) -> list[OntologyClass]:
        """Returns the core's classes, and one for each topic of several documents that no core class has a cue for."""
        core = read_core().classes
        index = CueIndex({c.name: c.cues for c in core})
        topics, classes = self._topics, [OntologyClass(c.name, c.label, tuple(sorted(c.cues)), core=True) for c in core]
        taken = {c.name for c in classes}
        for key in sorted(topics):
            label = min(topics[key], key=lambda form: (-topics[key][form], form))
            name = f"kg:{class_name(label)}"
            if topics[key].total() >= _TOPIC_DOCUMENTS and not index.find(label) and name not in taken:
                classes.append(OntologyClass(name, label, (label,), core=False))
                taken.add(name)
        return _with_proposed(classes, self._proposals())

    def _proposals(self) -> tuple[Proposal, ...]:
        """Returns what was proposed and is borne out by a document, sorted."""
        return tuple(sorted(self._proposed))

    def _with_properties(self, classes: tuple[OntologyClass, ...], seen_on: dict[Place, str]) -> Ontology:
        evidence = self._evidence(seen_on)
        shown = {key: min(e.forms, key=lambda form: (-e.forms[form], form)) for key, e in evidence.items()}
        by_label = {shown[key]: e for key, e in evidence.items()}
        found = group_labels(
            {label: e.lines + e.mentions for label, e in by_label.items()},
            {label: e.places for label, e in by_label.items()},
            [
                (shown[plain(p.label)], shown[plain(p.into)])
                for p in self._proposals()
                if p.kind == "merge" and plain(p.label) in shown and plain(p.into) in shown
            ],
            _of_one_concept(by_label),
        )
        amount = by_label.pop("", _Evidence())
        properties = [_property(AMOUNT, ("amount",), [amount])]
        names = {AMOUNT}
        for labels in found.groups:
            if labels != ("",):
                properties.append(
                    _property(_free(property_name(labels[0]), names), labels, [by_label[x] for x in labels])
                )
        apart = tuple(replace(a, document=a.document.split("\0")[0]) for a in found.apart)
        ordered = tuple(sorted(properties, key=lambda p: p.name))
        return Ontology(classes, ordered, found.merges, apart, self._proposals())

    def _evidence(self, seen_on: dict[Place, str]) -> dict[str, _Evidence]:
        """Returns what was seen of each label; of phrases of the text only those of several documents, or of tables."""
        evidence: defaultdict[str, _Evidence] = defaultdict(_Evidence)
        for document, content, sightings in self._sightings():
            places: dict[int, Place] = {}  # one of each, which the labels of a table share
            for label in (label for s in sightings for label in s.labels):
                entry = evidence[plain(label.label)]
                entry.forms[label.label if plain(label.label) else ""] += 1
                entry.documents.add(document)
                if label.table == TEXT:
                    entry.mentions += 1
                    continue
                place = places.setdefault(label.table, (content, label.table))
                entry.lines += 1
                entry.ranges[label.range] += 1
                entry.concepts.add(label.concept)
                entry.places.add(place)
                if place in seen_on:
                    entry.classes.add(seen_on[place])
        vouched = {plain(p.label) for p in self._proposals() if p.kind == "property"}
        return {key: e for key, e in evidence.items() if e.lines or key in vouched or _named_often(key, e)}


def _with_proposed(classes: list[OntologyClass], proposals: Sequence[Proposal]) -> list[OntologyClass]:
    """Returns the classes with those that were proposed; one that is there already gets the cues."""
    found, names = {c.name: c for c in classes}, {plain(c.label): c.name for c in classes}
    for p in proposals:
        if p.kind != "class":
            continue
        name = names.get(plain(p.label), f"kg:{class_name(p.label)}")
        one = found.get(name) or OntologyClass(name, p.label, (p.label,), core=False)
        found[name] = replace(one, cues=tuple(sorted({*one.cues, *p.cues})))
    return list(found.values())


def _of_one_concept(evidence: Mapping[str, _Evidence]) -> list[tuple[str, str]]:
    """Returns pairs of labels whose lines always have one and the same concept; the more frequent one is the second.

    A label that says nothing by itself ("total") has a concept on its page alone.
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


def _named_often(key: str, evidence: _Evidence) -> bool:
    """Whether a phrase of the text says enough and stands in enough documents to be a property by itself."""
    return " " in key and len(evidence.documents) >= _PHRASE_DOCUMENTS


def build_ontology(documents: Iterable[Document], extractors: Sequence[Extractor] | None = None) -> Ontology:
    """Returns the frozen ontology of some documents."""
    builder = OntologyBuilder(extractors)
    for document in documents:
        builder.add(document)
    return builder.freeze()


def _property(name: str, labels: tuple[str, ...], evidence: list[_Evidence]) -> OntologyProperty:
    ranges = {kind for e in evidence for kind in e.ranges}
    return OntologyProperty(
        name=name,
        label=labels[0],
        variants=tuple(sorted(labels[1:])),
        range=next((kind for kind in ("xsd:decimal", "xsd:gYear", "xsd:string") if kind in ranges), "xsd:decimal"),
        classes=tuple(sorted({c for e in evidence for c in e.classes})),
        lines=sum(e.lines for e in evidence),
        mentions=sum(e.mentions for e in evidence),
        documents=tuple(sorted({d for e in evidence for d in e.documents})),
        concepts=tuple(sorted({c for e in evidence if len(e.concepts) == 1 for c in e.concepts if c})),
    )


def _free(name: str, taken: set[str]) -> str:
    """Returns the name with our prefix, numbered where it is taken, and takes it."""
    number, free = 1, f"kg:{name}"
    while free in taken:
        number += 1
        free = f"kg:{name}_{number}"
    taken.add(free)
    return free
