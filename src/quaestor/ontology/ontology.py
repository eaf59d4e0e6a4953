"""Ontologies: types of tables and lines, merging of labels, and differences between ontologies."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

from quaestor.core.parsing import clean_label
from quaestor.core.renaming import renamed_attributes
from quaestor.core.serial import Triple
from quaestor.errors import OntologyError
from quaestor.ontology.core import OntologyClass
from quaestor.ontology.labels import (
    CONCEPT,
    PROPOSED,
    RUNGS,
    SPELLING,
    ClassMatch,
    Context,
    CueIndex,
    MatchRule,
    plain,
    spellings,
)
from quaestor.ontology.line_matching import (
    LINE_RULES,
    LabelIndex,
    LineContext,
    LineIndex,
    PropertyMatch,
    Suggestion,
    read_core_lines,
)
from quaestor.ontology.terms import AMOUNT, ROOT_CLASS, digest_of, write_turtle

# Grouping of labels into properties: merged rung by rung with a reason, but not against the evidence.
#
# Labels that occur in the same table are different properties, and so are all labels merged with them. The result does
# not depend on the order of labels.


@dataclass(frozen=True, slots=True, order=True)
class Merge:
    """Two merged labels. The merges of a property form a tree over its labels.

    Attributes:
        into: The more frequent label on the rung.
    """

    variant: str
    into: str
    rule: str
    score: float


@dataclass(frozen=True, slots=True, order=True)
class KeptDistinct:
    """Two labels that a rung would merge if no table had both; `document` is the first with such a table."""

    label: str
    other: str
    rule: str
    document: str


@dataclass(slots=True)
class _Group:
    labels: list[str]
    places: "array[int]"

    def shared(self, other: "_Group") -> set[int]:
        """Return the tables with lines of both groups."""
        few, many = sorted((self.places, other.places), key=len)
        return set(few).intersection(many) if few else set()


@dataclass(frozen=True, slots=True)
class Groups:
    """Labels of each property, the most frequent one first; merges; and labels kept distinct."""

    groups: tuple[tuple[str, ...], ...]
    merges: tuple[Merge, ...]
    apart: tuple[KeptDistinct, ...]


def group_labels(
    weights: Mapping[str, int],
    places: Mapping[str, Iterable[int]],
    concepts: Iterable[tuple[str, str]] = (),
    *,
    document_of: Callable[[Iterable[int]], str],
) -> Groups:
    """Group labels into properties.

    Args:
        weights: Frequency of each label; the most frequent label leads its group, and the shorter one of two equals.
        places: Numbers of the tables in which each label is that of a line.
        concepts: Pairs of labels with the same concept in tags; they are merged before the ladder is applied.
    """
    groups = {label: _Group([label], array("I", places.get(label, ()))) for label in weights}

    def rank(label: str) -> tuple[int, int, int, str]:
        joined = label.replace(" ", "")
        return -weights[label], len(joined), len(joined) - len(label), label  # prefer fewer lost spaces

    merges: list[Merge] = []
    pairs: dict[tuple[str, str], KeptDistinct] = {}
    for label, into in concepts:
        _join([into, label], CONCEPT, groups, merges, pairs, document_of)
    for rung in (*RUNGS, SPELLING):
        for bucket in _buckets(rung, sorted(groups, key=rank)):
            _join(bucket, rung, groups, merges, pairs, document_of)
    distinct = {id(group): group for group in groups.values()}.values()
    grouped = sorted(tuple(sorted(group.labels, key=rank)) for group in distinct)
    return Groups(tuple(grouped), tuple(sorted(merges)), tuple(sorted(pairs.values())))


def _buckets(rung: MatchRule, labels: Iterable[str]) -> Iterable[list[str]]:
    """Yield groups of labels with equal keys on a rung, best label first."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    whole: set[str] = set()
    for label in labels:
        keys = spellings(label) if rung is SPELLING else frozenset((rung.key(label),))
        for key in keys:
            found[key].append(label)
        if rung is SPELLING:
            whole.add(max(keys, key=len, default=""))
    for key in sorted(found):
        # Only one of two labels may lose a letter: "employer" is not "employee".
        if len(found[key]) > 1 and key and (rung is not SPELLING or key in whole):
            if rung is SPELLING:
                yield sorted(found[key], key=lambda label: key != max(spellings(label), key=len))
            else:
                yield found[key]


def _join(
    bucket: list[str],
    rung: MatchRule,
    groups: dict[str, _Group],
    merges: list[Merge],
    pairs: dict[tuple[str, str], KeptDistinct],
    document_of: Callable[[Iterable[int]], str],
) -> None:
    """Merge the groups of labels into the first group that has no line in the same table."""
    leaders: list[str] = bucket[:1]
    for label in bucket[1:]:
        group = groups[label]
        for leader in leaders[: 1 if rung is SPELLING else None]:
            target = groups[leader]
            if target is group:
                break
            if shared := target.shared(group):
                one, other = sorted((label, leader))
                if (one, other) not in pairs:
                    pairs[one, other] = KeptDistinct(one, other, rung.name, document_of(shared))
                continue
            merges.append(Merge(label, leader, rung.name, rung.score))
            target.labels += group.labels
            target.places.extend(group.places)
            for moved in group.labels:
                groups[moved] = target
            break
        else:
            leaders.append(label)


ProposalKind = Literal["class", "property", "merge"]


@dataclass(frozen=True, slots=True, order=True)
class Proposal:
    """A proposed addition to an ontology beyond the rules.

    Attributes:
        kind: `class`: tables with one of `cues` have the type `label`. `property`: the phrase `label` is a property,
            even if it is rare. `merge`: the labels `label` and `into` are the same property.
        into: For a merge, the label that is merged with.
        cues: For a class, words in or around its tables.
    """

    kind: ProposalKind
    label: str
    into: str = ""
    cues: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    reason: str = ""

    @property
    def words(self) -> str:
        """Description of the proposal: `merge 'net sales' into 'net revenue'`."""
        if self.kind == "merge":
            return f"merge {self.label!r} into {self.into!r}"
        return f"{self.kind} {self.label!r}" + (f" ({', '.join(self.cues)})" if self.cues else "")


def read_kind(text: str) -> ProposalKind:
    """Return the kind with this name; raise ValueError if there is none."""
    kinds: tuple[ProposalKind, ...] = get_args(ProposalKind)
    return kinds[kinds.index(text)]


@dataclass(frozen=True, slots=True)
class OntologyProperty:
    """A property of the instances in a table, from a row or column.

    Attributes:
        name: `kg:net_cash_from_operating_activities`.
        label: The most frequent label.
        variants: Other labels, sorted.
        range: `xsd:decimal`, `xsd:gYear` or `xsd:string`.
        classes: Classes of tables with the property, sorted.
        lines: Number of rows and columns with it.
        mentions: Number of mentions of it in text.
        concepts: Concepts of tags for it (`us-gaap:NetIncomeLoss`), sorted.
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
        """The class of its instances; the root class if there are several."""
        return self.classes[0] if len(self.classes) == 1 else ROOT_CLASS


@dataclass(frozen=True, slots=True)
class Explanation:
    """Explanation why two labels are the same property or not."""

    same: bool
    steps: tuple[Merge, ...]
    reason: str


@renamed_attributes(why="explain")
@dataclass(frozen=True)
class Ontology:
    """Frozen type-level knowledge.

    Attributes:
        merges: How labels were merged into properties, sorted.
        apart: Labels kept distinct because one table has both, sorted.
        proposals: Accepted proposals, sorted.
    """

    classes: tuple[OntologyClass, ...]
    properties: tuple[OntologyProperty, ...]
    merges: tuple[Merge, ...] = ()
    apart: tuple[KeptDistinct, ...] = ()
    proposals: tuple[Proposal, ...] = ()

    @property
    def triples(self) -> tuple[Triple, ...]:
        """All triples, sorted; not cached, because they take more memory than the rest."""
        return tuple(self.each_triple())

    def each_triple(self) -> Iterator[Triple]:
        """Yield all triples without storing them."""
        from quaestor.ontology.turtle import ontology_to_triples

        return ontology_to_triples(self)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the triples."""
        return digest_of(self.each_triple(), {})

    def without_documents(self) -> "Ontology":
        """Return the ontology without the documents of classes and properties.

        For a large corpus these are most of its size. The digest stays that of the full ontology, which graphs refer
        to.
        """
        classes = tuple(replace(c, documents=()) for c in self.classes)
        lean = replace(self, classes=classes, properties=tuple(replace(p, documents=()) for p in self.properties))
        vars(lean)["digest"] = self.digest
        return lean

    def to_turtle(self) -> str:
        """Serialize as Turtle; equal ontologies give equal texts."""
        return write_turtle(self.triples, {})

    def class_named(self, name: str) -> OntologyClass:
        """Return the class with a name, with or without prefix.

        Raises:
            OntologyError: There is no such class; the message has the nearest names.
        """
        found = self._classes.get(_prefixed(name))
        if found is None:
            raise OntologyError(f"unknown class {name[:80]!r}; {_nearest_names(name, self._classes)}")
        return found

    def property_named(self, name: str) -> OntologyProperty:
        """Return the property with a name, with or without prefix.

        Raises:
            OntologyError: There is no such property; the message has the nearest names.
        """
        found = self._properties.get(_prefixed(name)) or _core_property(_prefixed(name))
        if found is None:
            raise OntologyError(f"unknown property {name[:80]!r}; {_nearest_names(name, self._properties)}")
        return found

    def properties_of(self, name: str) -> tuple[OntologyProperty, ...]:
        """Return the properties of tables of a class, most frequent first."""
        wanted = self.class_named(name).name
        found = [p for p in self.properties if wanted in p.classes]
        return tuple(sorted(found, key=lambda p: (-p.lines, p.name)))

    def match(self, label: str) -> PropertyMatch | None:
        """Return the property with a label, the most frequent one if there are several, or None."""
        if not plain(label):
            return PropertyMatch(AMOUNT, "", "no label", 1.0, "the line has no label")
        found = self._index.find(label)
        return found[0] if found else None

    def match_line(self, caption: str, context: LineContext | None = None) -> PropertyMatch | None:
        """Return the property of a line in a table: that of its label, else the matching line of the core."""
        return self.match(caption) or self._lines.find(caption, context)

    def nearest(self, label: str, limit: int = 3) -> tuple[Suggestion, ...]:
        """Return the properties with the most similar labels."""
        return self._index.nearest(label, limit)

    def classify(self, context: Context) -> tuple[ClassMatch, ...]:
        """Return the possible classes of a table with reasons, best first; never empty."""
        return self._cues.classify(context)

    def explain(self, label: str, other: str) -> Explanation:
        """Explain why two labels are the same property or not."""
        first, second = self.match_line(clean_label(label)), self.match_line(clean_label(other))
        if first is None or second is None:
            unknown = label if first is None else other
            near = ", ".join(f"{n.label!r} ({n.score:.2f})" for n in self.nearest(unknown))
            return Explanation(False, (), f"{unknown!r} is not a known label; the nearest are {near}")
        if first.property == second.property:
            steps = self._path(first.label, second.label)
            met = [
                Merge(requested, m.label, m.rule, m.score)
                for requested, m in ((label, first), (other, second))
                if m.score < 1
            ]
            reasons = dict.fromkeys(self._reason(step) for step in (*met, *steps))
            return Explanation(True, (*met, *steps), "; ".join(reasons) or "the words are the same")
        for pair in self.apart:
            if {plain(pair.label), plain(pair.other)} == {plain(first.label), plain(second.label)}:
                return Explanation(False, (), f"{pair.document} has both in one table")
        return Explanation(False, (), "no rule merges them")

    def _reason(self, merge: Merge) -> str:
        ends = {plain(merge.variant), plain(merge.into)}
        proposed = (p.reason for p in self.proposals if {plain(p.label), plain(p.into)} == ends)
        return next(proposed, "") or _REASONS[merge.rule]

    def statistics(self) -> dict[str, int]:
        """Return the numbers of classes, properties, labels and merges."""
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
        return LabelIndex(self._labels)

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self._labels, read_core_lines())

    @property
    def _labels(self) -> dict[str, str]:
        """The property of each label, the most frequent properties first."""
        ranked = sorted(self.properties, key=lambda p: (-p.lines, -p.mentions, p.name))
        return {label: p.name for p in ranked for label in (p.label, *p.variants)}

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
        """Return the merges that connect two labels of a property."""
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
    """Return a line of the core as a property that no document has."""
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


@dataclass(frozen=True, slots=True)
class MovedLabel:
    """A label in both ontologies whose properties have different labels."""

    label: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class OntologyDiff:
    """Difference between two ontologies, with sorted entries."""

    classes_added: tuple[str, ...]
    classes_removed: tuple[str, ...]
    properties_added: tuple[str, ...]
    properties_removed: tuple[str, ...]
    labels_added: tuple[str, ...]
    labels_removed: tuple[str, ...]
    labels_moved: tuple[MovedLabel, ...]

    @property
    def empty(self) -> bool:
        """True if there is no difference except in counts."""
        return not any(getattr(self, name) for name in self.__slots__)


def diff_ontologies(first: Ontology, second: Ontology) -> OntologyDiff:
    """Return the changes from the first ontology to the second."""
    before, after = first._labels, second._labels
    moved = (MovedLabel(x, before[x], after[x]) for x in sorted(before.keys() & after.keys()) if before[x] != after[x])
    classes = {c.name for c in first.classes}, {c.name for c in second.classes}
    properties = {p.name for p in first.properties}, {p.name for p in second.properties}
    return OntologyDiff(
        classes_added=tuple(sorted(classes[1] - classes[0])),
        classes_removed=tuple(sorted(classes[0] - classes[1])),
        properties_added=tuple(sorted(properties[1] - properties[0])),
        properties_removed=tuple(sorted(properties[0] - properties[1])),
        labels_added=tuple(sorted(after.keys() - before.keys())),
        labels_removed=tuple(sorted(before.keys() - after.keys())),
        labels_moved=tuple(moved),
    )
