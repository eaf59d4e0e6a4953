"""A frozen ontology: classes, properties, and why labels are one property.

Nothing adds to it: `builder` makes another one. Its written form is `turtle`'s.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from quaestor.core.parsing import clean_label
from quaestor.core.triples import Triple
from quaestor.errors import OntologyError
from quaestor.ontology.classes import ClassMatch, Context, CueIndex
from quaestor.ontology.core_lines import read_core_lines
from quaestor.ontology.labels import CONCEPT, PROPOSED, RUNGS, SPELLING, plain
from quaestor.ontology.line_matching import LINE_RULES, LineContext, LineIndex
from quaestor.ontology.matching import LabelIndex, PropertyMatch, Suggestion
from quaestor.ontology.merging import KeptDistinct, Merge
from quaestor.ontology.proposal import Proposal
from quaestor.ontology.terms import digest_of, write_turtle
from quaestor.ontology.vocabulary import AMOUNT, ROOT_CLASS


@dataclass(frozen=True, slots=True)
class OntologyClass:
    """A type of table.

    Attributes:
        name: `kg:CashFlow`.
        cues: Words that make a table one of its kind, its label among them, sorted.
        core: True if it is hand-written.
        documents: Ids of the documents with a table of it, sorted.
    """

    name: str
    label: str
    cues: tuple[str, ...]
    core: bool
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OntologyProperty:
    """What a row or a column says of a table's instances.

    Attributes:
        name: `kg:net_cash_from_operating_activities`.
        label: The most frequent of its labels.
        variants: Its other labels, sorted.
        range: `xsd:decimal`, `xsd:gYear` or `xsd:string`.
        classes: The classes whose tables have it, sorted.
        lines: How many rows or columns it heads.
        mentions: How many numbers of the text it names.
        documents: Ids of the documents that have it, sorted.
        concepts: What tags of filings call it (`us-gaap:NetIncomeLoss`), sorted; empty if none has it.
    """

    name: str
    label: str
    variants: tuple[str, ...]
    range: str
    classes: tuple[str, ...]
    lines: int
    mentions: int
    documents: tuple[str, ...]
    concepts: tuple[str, ...] = ()

    @property
    def domain(self) -> str:
        """The class whose instances have it: the root class if there are several."""
        return self.classes[0] if len(self.classes) == 1 else ROOT_CLASS


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why two labels are one property, or why not.

    Attributes:
        steps: The merges that lead from the one label to the other.
    """

    same: bool
    steps: tuple[Merge, ...]
    reason: str


@dataclass(frozen=True)
class Ontology:
    """Type-level knowledge, frozen.

    Attributes:
        merges: Each label's way to its property, sorted.
        apart: Labels that were kept apart, because one table has both; sorted.
        proposals: What was proposed beyond the rules and accepted, sorted.
    """

    classes: tuple[OntologyClass, ...]
    properties: tuple[OntologyProperty, ...]
    merges: tuple[Merge, ...] = ()
    apart: tuple[KeptDistinct, ...] = ()
    proposals: tuple[Proposal, ...] = ()

    @property
    def triples(self) -> tuple[Triple, ...]:
        """All that it says, as triples, sorted; made each time, for they take more room than the rest of it."""
        return tuple(self.each_triple())

    def each_triple(self) -> Iterator[Triple]:
        """Yield the same, none of which is held."""
        from quaestor.ontology.turtle import ontology_to_triples

        return ontology_to_triples(self)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over its triples."""
        return digest_of(self.each_triple(), {})

    def without_documents(self) -> "Ontology":
        """Return what labels and tables are told by: the same, but for where each class and property was seen.

        Of a large corpus that is most of it. What is returned has the digest of the whole, which is in graphs.
        """
        classes = tuple(replace(c, documents=()) for c in self.classes)
        lean = replace(self, classes=classes, properties=tuple(replace(p, documents=()) for p in self.properties))
        vars(lean)["digest"] = self.digest
        return lean

    def to_turtle(self) -> str:
        """Return it as Turtle; equal ontologies give equal texts."""
        return write_turtle(self.triples, {})

    def class_named(self, name: str) -> OntologyClass:
        """Return the class of that name, with or without its prefix.

        Raises:
            OntologyError: There is none; the message names the nearest.
        """
        found = self._classes.get(_prefixed(name))
        if found is None:
            raise OntologyError(f"unknown class {name[:80]!r}; {_nearest_names(name, self._classes)}")
        return found

    def property_named(self, name: str) -> OntologyProperty:
        """Return the property of that name, with or without its prefix.

        Raises:
            OntologyError: There is none; the message names the nearest.
        """
        found = self._properties.get(_prefixed(name)) or _core_property(_prefixed(name))
        if found is None:
            raise OntologyError(f"unknown property {name[:80]!r}; {_nearest_names(name, self._properties)}")
        return found

    def properties_of(self, name: str) -> tuple[OntologyProperty, ...]:
        """Return the properties that tables of a class have, the most frequent first."""
        wanted = self.class_named(name).name
        found = [p for p in self.properties if wanted in p.classes]
        return tuple(sorted(found, key=lambda p: (-p.lines, p.name)))

    def match(self, label: str) -> PropertyMatch | None:
        """Return the property that a label names, the most frequent of several; None if there is none."""
        if not plain(label):
            return PropertyMatch(AMOUNT, "", "no label", 1.0, "the line has no label")
        found = self._index.find(label)
        return found[0] if found else None

    def match_line(self, caption: str, context: LineContext | None = None) -> PropertyMatch | None:
        """Return the property of a table's line: that of its label, else the line of a statement that it is.

        Args:
            context: What its table tells of it.
        """
        return self.match(caption) or self._lines.find(caption, context)

    def nearest(self, label: str, limit: int = 3) -> tuple[Suggestion, ...]:
        """Return the properties whose labels resemble a label most."""
        return self._index.nearest(label, limit)

    def classify(self, context: Context) -> tuple[ClassMatch, ...]:
        """Return the classes that a table may belong to, best first, with their reasons; never none."""
        return self._cues.classify(context)

    def why(self, label: str, other: str) -> Explanation:
        """Return why two labels are one property, or why not."""
        first, second = self.match_line(clean_label(label)), self.match_line(clean_label(other))
        if first is None or second is None:
            unknown = label if first is None else other
            near = ", ".join(f"{n.label!r} ({n.score:.2f})" for n in self.nearest(unknown))
            return Explanation(False, (), f"{unknown!r} is not a known label; the nearest are {near}")
        if first.property == second.property:
            steps = self._path(first.label, second.label)
            met = [
                Merge(said, m.label, m.rule, m.score) for said, m in ((label, first), (other, second)) if m.score < 1
            ]
            reasons = dict.fromkeys(self._reason(step) for step in (*met, *steps))
            return Explanation(True, (*met, *steps), "; ".join(reasons) or "the words are the same")
        for apart in self.apart:
            if {plain(apart.label), plain(apart.other)} == {plain(first.label), plain(second.label)}:
                return Explanation(False, (), f"{apart.document} has both in one table")
        return Explanation(False, (), "no rule merges them")

    def _reason(self, merge: Merge) -> str:
        """Return why two labels were joined: the rung's reason, or that of the proposal."""
        ends = {plain(merge.variant), plain(merge.into)}
        proposed = (p.reason for p in self.proposals if {plain(p.label), plain(p.into)} == ends)
        return next(proposed, "") or _REASONS[merge.rule]

    def statistics(self) -> dict[str, int]:
        """Return how many classes, properties, labels and merges there are."""
        return {
            "classes": len(self.classes),
            "learned classes": sum(not c.core for c in self.classes),
            "classes seen": sum(bool(c.documents) for c in self.classes),
            "properties": len(self.properties),
            "labels": sum(1 + len(p.variants) for p in self.properties),
            "merged labels": len(self.merges),
            "labels kept apart": len(self.apart),
            "proposals accepted": len(self.proposals),
            "properties of several documents": sum(len(p.documents) > 1 for p in self.properties),
            "documents": len({d for c in self.classes for d in c.documents}),
            "triples": len(self.triples),
        }

    @cached_property
    def _classes(self) -> dict[str, OntologyClass]:
        return {c.name: c for c in self.classes}

    @cached_property
    def _properties(self) -> dict[str, OntologyProperty]:
        return {p.name: p for p in self.properties}

    @cached_property
    def _index(self) -> LabelIndex:
        ranked = sorted(self.properties, key=lambda p: (-p.lines, -p.mentions, p.name))
        return LabelIndex({label: p.name for p in ranked for label in (p.label, *p.variants)})

    @cached_property
    def _lines(self) -> LineIndex:
        ranked = sorted(self.properties, key=lambda p: (-p.lines, -p.mentions, p.name))
        labels = {label: p.name for p in ranked for label in (p.label, *p.variants)}
        return LineIndex(labels, read_core_lines())

    @cached_property
    def _cues(self) -> CueIndex:
        return CueIndex({c.name: c.cues for c in self.classes if c.name != ROOT_CLASS})

    @cached_property
    def _edges(self) -> Mapping[str, list[Merge]]:
        edges: defaultdict[str, list[Merge]] = defaultdict(list)
        for merge in self.merges:
            edges[merge.variant].append(merge)
            edges[merge.into].append(merge)
        return edges

    def _path(self, start: str, end: str) -> tuple[Merge, ...]:
        """Return the merges between two labels of one property."""
        reached: dict[str, tuple[Merge, ...]] = {start: ()}
        waiting = [start]
        while waiting and end not in reached:
            label = waiting.pop(0)
            for merge in self._edges.get(label, ()):
                neighbour = merge.into if merge.variant == label else merge.variant
                if neighbour not in reached:
                    reached[neighbour] = (*reached[label], merge)
                    waiting.append(neighbour)
        return reached.get(end, ())


_REASONS = {rung.name: rung.reason for rung in (*RUNGS, SPELLING, CONCEPT, PROPOSED)} | LINE_RULES


def _core_property(name: str) -> OntologyProperty | None:
    """Return a line of the core as the property that it is, seen in no document yet."""
    core = read_core_lines()
    if line := core.lines.get(name):
        return OntologyProperty(name, line.label, line.captions[1:], "xsd:decimal", (), 0, 0, ())
    if kind := core.kinds.get(name):
        return OntologyProperty(name, kind.label, (), "xsd:decimal", tuple(sorted(kind.classes)), 0, 0, ())
    return None


def _prefixed(name: str) -> str:
    return name if ":" in name else f"kg:{name}"


def _nearest_names(name: str, known: Mapping[str, object]) -> str:
    from rapidfuzz import process

    found = process.extract(_prefixed(name), list(known), limit=3)
    return "the nearest are " + ", ".join(match for match, _, _ in found) if found else "the ontology is empty"
